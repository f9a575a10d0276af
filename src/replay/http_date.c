#include "replay/http_date.h"

#include <stdio.h>
#include <time.h>

#define LAST_SECOND 253402300799ULL /* of the year 9999 */

static const char days[] = "SunMonTueWedThuFriSat";
static const char months[] = "JanFebMarAprMayJunJulAugSepOctNovDec";

void http_date_format(uint64_t wall_ms, char out[HTTP_DATE_LEN + 1])
{
    uint64_t seconds = wall_ms / 1000;
    time_t time = (time_t)(seconds < LAST_SECOND ? seconds : LAST_SECOND);
    char text[64];
    struct tm tm;

    gmtime_r(&time, &tm);
    snprintf(text, sizeof(text), "%.3s, %02d %.3s %04d %02d:%02d:%02d GMT",
             days + 3 * (size_t)tm.tm_wday, tm.tm_mday,
             months + 3 * (size_t)tm.tm_mon, tm.tm_year + 1900, tm.tm_hour,
             tm.tm_min, tm.tm_sec);
    memcpy(out, text, HTTP_DATE_LEN);
    out[HTTP_DATE_LEN] = '\0';
}

/* The place of a name of three letters in a list of them, or -1. */
static int find_name(const char *names, const char *name)
{
    for (int i = 0; names[3 * i]; i++)
        if (!memcmp(names + 3 * (size_t)i, name, 3))
            return i;
    return -1;
}

static bool take_number(const char *digits, size_t len, int max, int *out)
{
    uint64_t number;

    if (!str_to_u64((struct str){digits, len}, &number) ||
        number > (uint64_t)max)
        return false;
    *out = (int)number;
    return true;
}

/* The characters that are the same in all dates. */
static bool has_form(struct str text)
{
    static const char form[] = "   ,    " /* "Sun, 06 " */
                               "    "     /* "Nov " */
                               "       :  :   GMT";

    if (text.len != HTTP_DATE_LEN)
        return false;
    for (size_t i = 0; i < HTTP_DATE_LEN; i++)
        if (form[i] != ' ' && form[i] != text.ptr[i])
            return false;
    return text.ptr[4] == ' ' && text.ptr[7] == ' ' && text.ptr[11] == ' ' &&
           text.ptr[16] == ' ' && text.ptr[25] == ' ';
}

bool http_date_parse(struct str text, uint64_t *wall_ms)
{
    const char *at = text.ptr;
    struct tm tm = {0};

    if (!has_form(text) || find_name(days, at) < 0 ||
        !take_number(at + 5, 2, 31, &tm.tm_mday) ||
        !take_number(at + 12, 4, 9999, &tm.tm_year) ||
        !take_number(at + 17, 2, 23, &tm.tm_hour) ||
        !take_number(at + 20, 2, 59, &tm.tm_min) ||
        !take_number(at + 23, 2, 60, &tm.tm_sec))
        return false;
    tm.tm_mon = find_name(months, at + 8);
    tm.tm_year -= 1900;
    if (tm.tm_mon < 0 || tm.tm_mday < 1)
        return false;
    time_t seconds = timegm(&tm);
    if (seconds < 0)
        return false;
    *wall_ms = (uint64_t)seconds * 1000;
    return true;
}
