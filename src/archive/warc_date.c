#include "archive/warc_read.h"

/* A number of `digits` digits at the start of `*s`, which is taken. */
static bool take_number(struct str *s, size_t digits, unsigned *number)
{
    unsigned value = 0;

    if (s->len < digits)
        return false;
    for (size_t i = 0; i < digits; i++) {
        if (!ascii_is_digit(s->ptr[i]))
            return false;
        value = value * 10 + (unsigned)(s->ptr[i] - '0');
    }
    *s = str_skip(*s, digits);
    *number = value;
    return true;
}

/* Days from 1970-01-01 in the Gregorian calendar, for years from 1970 on.
 * Years begin in March here, so that a leap day is the last of its year. */
static uint64_t days_of(unsigned year, unsigned month, unsigned day)
{
    unsigned y = month > 2 ? year : year - 1;
    unsigned m = month > 2 ? month - 3 : month + 9;

    return (uint64_t)365 * y + y / 4 - y / 100 + y / 400 + (153 * m + 2) / 5 +
           day - 1 - 719468;
}

bool warc_date_ms(struct str date, uint64_t *ms)
{
    static const char before[] = "--T::"; /* month, day, hour, minute, second */
    static const unsigned low[] = {1, 1, 0, 0, 0};
    static const unsigned high[] = {12, 31, 23, 59, 60};
    unsigned part[] = {1, 1, 0, 0, 0}, year, fraction = 0, digit;

    date = str_trim(date);
    if (!take_number(&date, 4, &year) || year < 1970)
        return false;
    for (size_t i = 0; i < ARRAY_LEN(part); i++) {
        if (!date.len || date.ptr[0] != before[i])
            break;
        date = str_skip(date, 1);
        if (!take_number(&date, 2, &part[i]) || part[i] < low[i] ||
            part[i] > high[i])
            return false;
    }
    if (date.len && date.ptr[0] == '.') {
        date = str_skip(date, 1);
        for (unsigned scale = 100; take_number(&date, 1, &digit); scale /= 10)
            fraction += digit * scale;
    }
    if (date.len && !str_eq(date, STR("Z")))
        return false;
    uint64_t days = days_of(year, part[0], part[1]);
    uint64_t seconds =
        ((days * 24 + part[2]) * 60 + part[3]) * 60 + (uint64_t)part[4];
    *ms = seconds * 1000 + fraction;
    return true;
}
