#include "base/date.h"

#include <stdio.h>

enum { DAY_MS = 24 * 60 * 60 * 1000 };
#define LAST_MS UINT64_C(253402300799999) /* of the year 9999 */

/* --- the calendar --------------------------------------------------------- */

/* Years begin in March here, so that a leap day is the last of its year. The
 * days are counted from the first of March of the year 0. */
enum { DAYS_TO_1970 = 719468, DAYS_IN_400_YEARS = 146097 };

struct date date_of(uint64_t wall_ms)
{
    if (wall_ms > LAST_MS)
        wall_ms = LAST_MS;
    unsigned days = (unsigned)(wall_ms / DAY_MS) + DAYS_TO_1970;
    unsigned ms = (unsigned)(wall_ms % DAY_MS);
    unsigned of_era = days % DAYS_IN_400_YEARS;
    unsigned year =
        (of_era - of_era / 1460 + of_era / 36524 - of_era / 146096) / 365;
    unsigned of_year = of_era - (365 * year + year / 4 - year / 100);
    unsigned month = (5 * of_year + 2) / 153; /* 0 is March */

    return (struct date){
        .year = year + days / DAYS_IN_400_YEARS * 400 + (month > 9),
        .month = month < 10 ? month + 3 : month - 9,
        .day = of_year - (153 * month + 2) / 5 + 1,
        .hour = ms / 3600000,
        .minute = ms / 60000 % 60,
        .second = ms / 1000 % 60,
        .ms = ms % 1000,
    };
}

/* Months and days beyond their range count on. Negative before 1970. */
static int64_t ms_of(const struct date *date)
{
    int months = 12 * (int)date->year + (int)date->month - 3;
    int64_t year = months / 12, month = months % 12;
    int64_t days = 365 * year + year / 4 - year / 100 + year / 400 +
                   (153 * month + 2) / 5 + date->day - 1 - DAYS_TO_1970;
    int64_t seconds =
        (days * 24 + date->hour) * 3600 + date->minute * 60 + date->second;

    return seconds * 1000 + date->ms;
}

/* --- writing -------------------------------------------------------------- */

static const char day_names[] = "SunMonTueWedThuFriSat";
static const char month_names[] = "JanFebMarAprMayJunJulAugSepOctNovDec";

static void put_number(char *to, unsigned number, unsigned digits)
{
    while (digits--) {
        to[digits] = (char)('0' + number % 10);
        number /= 10;
    }
}

struct date_text date_iso(uint64_t wall_ms)
{
    const struct date date = date_of(wall_ms);
    struct date_text out = {"0000-00-00T00:00:00.000Z"};

    put_number(out.text, date.year, 4);
    put_number(out.text + 5, date.month, 2);
    put_number(out.text + 8, date.day, 2);
    put_number(out.text + 11, date.hour, 2);
    put_number(out.text + 14, date.minute, 2);
    put_number(out.text + 17, date.second, 2);
    put_number(out.text + 20, date.ms, 3);
    return out;
}

struct date_text date_digits(uint64_t wall_ms)
{
    const struct date date = date_of(wall_ms);
    struct date_text out = {""};

    put_number(out.text, (date.year * 100 + date.month) * 100 + date.day, 8);
    put_number(out.text + 8,
               (date.hour * 100 + date.minute) * 100 + date.second, 6);
    return out;
}

struct date_text date_http(uint64_t wall_ms)
{
    const struct date date = date_of(wall_ms);
    /* The first of January of 1970 was a Thursday. */
    size_t day = (size_t)((ms_of(&date) / DAY_MS + 4) % 7);
    struct date_text out;

    snprintf(out.text, sizeof(out.text),
             "%.3s, %02u %.3s %04u %02u:%02u:%02u GMT", day_names + 3 * day,
             date.day, month_names + 3 * ((size_t)date.month - 1), date.year,
             date.hour, date.minute, date.second);
    return out;
}

/* --- reading -------------------------------------------------------------- */

static bool take(struct str *text, struct str prefix)
{
    if (!str_starts(*text, prefix))
        return false;
    *text = str_skip(*text, prefix.len);
    return true;
}

/* From `least` to `most` digits at the start, and no digit after them. */
static bool take_number(struct str *text, size_t least, size_t most,
                        unsigned *number)
{
    size_t len = 0;

    *number = 0;
    while (len < text->len && ascii_is_digit(text->ptr[len])) {
        if (len == most)
            return false;
        *number = *number * 10 + (unsigned)(text->ptr[len++] - '0');
    }
    *text = str_skip(*text, len);
    return len >= least;
}

/* The names have three letters; the first is number 1. */
static bool take_name(struct str *text, const char *names,
                      bool (*equal)(struct str, struct str), unsigned *number)
{
    struct str name = str_first(*text, 3);

    for (*number = 1; *names; names += 3, ++*number)
        if (equal(name, (struct str){names, 3})) {
            *text = str_skip(*text, 3);
            return true;
        }
    return false;
}

/* "7:8:9", each number with at least so many digits. */
static bool take_clock(struct str *text, size_t least, struct date *date)
{
    return take_number(text, least, 2, &date->hour) && take(text, STR(":")) &&
           take_number(text, least, 2, &date->minute) && take(text, STR(":")) &&
           take_number(text, least, 2, &date->second);
}

static bool is_possible(const struct date *date)
{
    return date->month >= 1 && date->month <= 12 && date->day >= 1 &&
           date->day <= 31 && date->hour <= 23 && date->minute <= 59 &&
           date->second <= 60;
}

static bool set_time(const struct date *date, uint64_t *wall_ms)
{
    int64_t ms = ms_of(date);

    if (ms < 0)
        return false;
    *wall_ms = (uint64_t)ms;
    return true;
}

bool date_read_iso(struct str text, uint64_t *wall_ms)
{
    struct date date = {.month = 1, .day = 1};
    struct {
        struct str before;
        unsigned *number;
    } parts[] = {
        {STR("-"), &date.month},  {STR("-"), &date.day},
        {STR("T"), &date.hour},   {STR(":"), &date.minute},
        {STR(":"), &date.second},
    };

    text = str_trim(text);
    if (!take_number(&text, 4, 4, &date.year))
        return false;
    for (size_t i = 0; i < ARRAY_LEN(parts) && take(&text, parts[i].before);
         i++)
        if (!take_number(&text, 2, 2, parts[i].number))
            return false;
    if (take(&text, STR(".")))
        for (unsigned scale = 100; text.len && ascii_is_digit(text.ptr[0]);
             scale /= 10, text = str_skip(text, 1))
            date.ms += (unsigned)(text.ptr[0] - '0') * scale;
    return (!text.len || str_eq(text, STR("Z"))) && is_possible(&date) &&
           set_time(&date, wall_ms);
}

bool date_read_http(struct str text, uint64_t *wall_ms)
{
    struct date date = {0};
    unsigned weekday;

    return take_name(&text, day_names, str_eq, &weekday) &&
           take(&text, STR(", ")) && take_number(&text, 2, 2, &date.day) &&
           take(&text, STR(" ")) &&
           take_name(&text, month_names, str_eq, &date.month) &&
           take(&text, STR(" ")) && take_number(&text, 4, 4, &date.year) &&
           take(&text, STR(" ")) && take_clock(&text, 2, &date) &&
           str_eq(text, STR(" GMT")) && is_possible(&date) &&
           set_time(&date, wall_ms);
}

/* Whatever the digits are: indexes of others have dates that are none. */
bool date_read_digits(struct str text, uint64_t *wall_ms)
{
    uint64_t digits, ms = 0;

    if ((text.len != DATE_DIGITS_LEN && text.len != DATE_DIGITS_LEN + 3) ||
        !str_to_u64(str_first(text, DATE_DIGITS_LEN), &digits) ||
        (text.len > DATE_DIGITS_LEN &&
         !str_to_u64(str_skip(text, DATE_DIGITS_LEN), &ms)))
        return false;
    const struct date date = {
        .year = (unsigned)(digits / 10000000000),
        .month = (unsigned)(digits / 100000000 % 100),
        .day = (unsigned)(digits / 1000000 % 100),
        .hour = (unsigned)(digits / 10000 % 100),
        .minute = (unsigned)(digits / 100 % 100),
        .second = (unsigned)(digits % 100),
        .ms = (unsigned)ms,
    };
    return set_time(&date, wall_ms);
}

/* --- cookies -------------------------------------------------------------- */

/* The results so far. */
struct cookie_date {
    struct date date;
    bool has_time, has_day, has_month, has_year;
};

static bool is_delimiter(char c)
{
    unsigned char u = (unsigned char)c;

    return u == 0x09 || (u >= 0x20 && u <= 0x2f) || (u >= 0x3b && u <= 0x40) ||
           (u >= 0x5b && u <= 0x60) || (u >= 0x7b && u <= 0x7e);
}

static bool read_year(struct str token, unsigned *year)
{
    if (!take_number(&token, 2, 4, year))
        return false;
    if (*year <= 99)
        *year += *year >= 70 ? 1900 : 2000;
    return true;
}

/* Read the token as the first part that is still missing and that it fits:
 * time, day, month, year. What follows in it does not matter. */
static void read_token(struct str token, struct cookie_date *found)
{
    struct date *date = &found->date;
    struct str time = token, day = token, month = token;

    if (!found->has_time && take_clock(&time, 1, date))
        found->has_time = true;
    else if (!found->has_day && take_number(&day, 1, 2, &date->day))
        found->has_day = true;
    else if (!found->has_month &&
             take_name(&month, month_names, str_eq_nocase, &date->month))
        found->has_month = true;
    else if (!found->has_year && read_year(token, &date->year))
        found->has_year = true;
}

static unsigned days_in(unsigned year, unsigned month)
{
    bool is_leap = year % 4 == 0 && (year % 100 != 0 || year % 400 == 0);

    if (month == 2)
        return is_leap ? 29 : 28;
    return 30 + (month + month / 8) % 2;
}

bool date_read_cookie(struct str text, uint64_t *wall_ms)
{
    struct cookie_date found = {0};
    const struct date *date = &found.date;

    while (text.len) {
        size_t len = 0;
        while (len < text.len && !is_delimiter(text.ptr[len]))
            len++;
        if (len)
            read_token(str_first(text, len), &found);
        text = str_skip(text, len < text.len ? len + 1 : len);
    }
    if (!found.has_time || !found.has_day || !found.has_month ||
        !found.has_year || date->year < 1601 || !is_possible(date) ||
        date->second > 59 || date->day > days_in(date->year, date->month))
        return false;
    if (!set_time(date, wall_ms))
        *wall_ms = 0;
    return true;
}
