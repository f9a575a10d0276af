#include "page/cookie_date.h"

#include <time.h>

struct date {
    unsigned hour, minute, second, day, month, year;
    bool has_time, has_day, has_month, has_year;
};

static bool is_delimiter(char c)
{
    unsigned char u = (unsigned char)c;

    return u == 0x09 || (u >= 0x20 && u <= 0x2f) || (u >= 0x3b && u <= 0x40) ||
           (u >= 0x5b && u <= 0x60) || (u >= 0x7b && u <= 0x7e);
}

/* From `least` to `most` digits at the start of `*text`, and no digit after
 * them. The digits are taken off. */
static bool take_number(struct str *text, size_t least, size_t most,
                        unsigned *value)
{
    size_t len = 0;

    *value = 0;
    while (len < text->len && ascii_is_digit(text->ptr[len])) {
        if (len == most)
            return false;
        *value = *value * 10 + (unsigned)(text->ptr[len++] - '0');
    }
    *text = str_skip(*text, len);
    return len >= least;
}

static bool take_colon(struct str *text)
{
    if (!text->len || text->ptr[0] != ':')
        return false;
    *text = str_skip(*text, 1);
    return true;
}

static bool read_time(struct str token, struct date *date)
{
    return take_number(&token, 1, 2, &date->hour) && take_colon(&token) &&
           take_number(&token, 1, 2, &date->minute) && take_colon(&token) &&
           take_number(&token, 1, 2, &date->second);
}

static bool read_month(struct str token, struct date *date)
{
    static const char names[] = "janfebmaraprmayjunjulaugsepoctnovdec";

    if (token.len < 3)
        return false;
    for (unsigned i = 0; i < 12; i++)
        if (str_eq_nocase(str_first(token, 3),
                          (struct str){names + 3 * (size_t)i, 3})) {
            date->month = i + 1;
            return true;
        }
    return false;
}

static bool read_year(struct str token, struct date *date)
{
    if (!take_number(&token, 2, 4, &date->year))
        return false;
    if (date->year >= 70 && date->year <= 99)
        date->year += 1900;
    else if (date->year <= 69)
        date->year += 2000;
    return true;
}

/* Read the token as the first part that is still missing and that it fits:
 * time, day, month, year. */
static void read_token(struct str token, struct date *date)
{
    struct str rest = token;

    if (!date->has_time && read_time(token, date))
        date->has_time = true;
    else if (!date->has_day && take_number(&rest, 1, 2, &date->day))
        date->has_day = true;
    else if (!date->has_month && read_month(token, date))
        date->has_month = true;
    else if (!date->has_year && read_year(token, date))
        date->has_year = true;
}

static bool is_possible(const struct date *date)
{
    return date->has_time && date->has_day && date->has_month &&
           date->has_year && date->day >= 1 && date->day <= 31 &&
           date->year >= 1601 && date->hour <= 23 && date->minute <= 59 &&
           date->second <= 59;
}

bool cookie_date_parse(struct str text, uint64_t *seconds)
{
    struct date date = {0};
    size_t at = 0;

    while (at < text.len) {
        size_t start = at;
        while (at < text.len && !is_delimiter(text.ptr[at]))
            at++;
        if (at > start)
            read_token((struct str){text.ptr + start, at - start}, &date);
        at++;
    }
    if (!is_possible(&date))
        return false;
    struct tm tm = {
        .tm_year = (int)date.year - 1900,
        .tm_mon = (int)date.month - 1,
        .tm_mday = (int)date.day,
        .tm_hour = (int)date.hour,
        .tm_min = (int)date.minute,
        .tm_sec = (int)date.second,
    };
    time_t time = timegm(&tm);
    /* The 31st of February is none. */
    if (tm.tm_mday != (int)date.day)
        return false;
    *seconds = time > 0 ? (uint64_t)time : 0;
    return true;
}
