#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <time.h>

#include <cmocka.h>

#include "base/date.h"
#include "support/random.h"

/* --- writing -------------------------------------------------------------- */

static const struct {
    uint64_t wall_ms;
    const char *iso, *http, *digits;
} written[] = {
    {0, "1970-01-01T00:00:00.000Z", "Thu, 01 Jan 1970 00:00:00 GMT",
     "19700101000000"},
    {1, "1970-01-01T00:00:00.001Z", "Thu, 01 Jan 1970 00:00:00 GMT",
     "19700101000000"},
    {999, "1970-01-01T00:00:00.999Z", "Thu, 01 Jan 1970 00:00:00 GMT",
     "19700101000000"},
    {1000, "1970-01-01T00:00:01.000Z", "Thu, 01 Jan 1970 00:00:01 GMT",
     "19700101000001"},
    {784111777000, "1994-11-06T08:49:37.000Z", "Sun, 06 Nov 1994 08:49:37 GMT",
     "19941106084937"},
    {1714979289123, "2024-05-06T07:08:09.123Z", "Mon, 06 May 2024 07:08:09 GMT",
     "20240506070809"},
    {951782399999, "2000-02-28T23:59:59.999Z", "Mon, 28 Feb 2000 23:59:59 GMT",
     "20000228235959"},
    {951782400000, "2000-02-29T00:00:00.000Z", "Tue, 29 Feb 2000 00:00:00 GMT",
     "20000229000000"},
    {4107542400000, "2100-03-01T00:00:00.000Z", "Mon, 01 Mar 2100 00:00:00 GMT",
     "21000301000000"},
    {2147483648000, "2038-01-19T03:14:08.000Z", "Tue, 19 Jan 2038 03:14:08 GMT",
     "20380119031408"},
    {253402300799999, "9999-12-31T23:59:59.999Z",
     "Fri, 31 Dec 9999 23:59:59 GMT", "99991231235959"},
    {253402300800000, "9999-12-31T23:59:59.999Z",
     "Fri, 31 Dec 9999 23:59:59 GMT", "99991231235959"},
    {UINT64_MAX, "9999-12-31T23:59:59.999Z", "Fri, 31 Dec 9999 23:59:59 GMT",
     "99991231235959"},
};

static void texts(void **state)
{
    static const char *const zones[] = {"UTC", "Asia/Kathmandu", "EST5EDT"};

    (void)state;
    for (size_t zone = 0; zone < ARRAY_LEN(zones); zone++) {
        setenv("TZ", zones[zone], 1);
        tzset();
        for (size_t i = 0; i < ARRAY_LEN(written); i++) {
            uint64_t wall_ms = written[i].wall_ms;
            assert_string_equal(date_iso(wall_ms).text, written[i].iso);
            assert_string_equal(date_http(wall_ms).text, written[i].http);
            assert_string_equal(date_digits(wall_ms).text, written[i].digits);
        }
    }
}

/* Every day of two centuries, and days of all others. */
static void like_the_c_library(void **state)
{
    struct random random = {7};

    (void)state;
    for (int i = 0; i < 200 * 366; i++) {
        uint64_t days[] = {(uint64_t)i, random_below(&random, 2932897)};
        for (size_t j = 0; j < ARRAY_LEN(days); j++) {
            uint64_t ms = days[j] * 86400000 + random_below(&random, 86400000);
            time_t seconds = (time_t)(ms / 1000);
            char want[32];
            struct tm tm;

            gmtime_r(&seconds, &tm);
            strftime(want, sizeof(want), "%Y-%m-%dT%H:%M:%S.", &tm);
            if (memcmp(date_iso(ms).text, want, strlen(want)) != 0)
                fail_msg("want %s, got %s", want, date_iso(ms).text);
            strftime(want, sizeof(want), "%a, %d %b %Y %H:%M:%S GMT", &tm);
            assert_string_equal(date_http(ms).text, want);
        }
    }
}

/* --- reading -------------------------------------------------------------- */

typedef bool read_date(struct str text, uint64_t *wall_ms);

/* What is not read leaves the time alone. */
static void check(read_date *read, const char *text, bool good, uint64_t want)
{
    uint64_t ms = 77;

    if (read(str_of(text), &ms) != good)
        fail_msg("'%s' should be %s", text, good ? "a date" : "no date");
    if (ms != (good ? want : 77))
        fail_msg("'%s': %llu", text, (unsigned long long)ms);
}

enum { NONE = 1 }; /* no row is this time */

struct row {
    const char *text;
    uint64_t ms;
};

static void check_rows(read_date *read, const struct row *rows, size_t count)
{
    for (size_t i = 0; i < count; i++)
        check(read, rows[i].text, rows[i].ms != NONE, rows[i].ms);
}

static void iso(void **state)
{
    static const struct row rows[] = {
        {"1970-01-01T00:00:01Z", 1000},
        {"2026-11-17T01:02:03Z", 1794877323000},
        {"2026-11-17T01:02:03.4Z", 1794877323400},
        {"2026-11-17T01:02:03.456789Z", 1794877323456},
        {"2026-11-17T01:02:03.Z", 1794877323000},
        {" 2026-11-17T01:02:03 ", 1794877323000},
        {"2024-02-29T23:59:59Z", 1709251199000},
        {"2024-02-30T23:59:59Z", 1709337599000},
        {"2024-03-01T00:00:00Z", 1709251200000},
        {"2016-12-31T23:59:60Z", 1483228800000},
        {"2000-12-31", 978220800000},
        {"2016", 1451606400000},
        {"1970", 0},
        {"2016-13", NONE},
        {"2016-1", NONE},
        {"2016-001", NONE},
        {"2016-01-00", NONE},
        {"2016-01-32", NONE},
        {"2016-01-01T25:00:00Z", NONE},
        {"2016-01-01T23:60:00Z", NONE},
        {"2016-01-01T23:00:61Z", NONE},
        {"2016-01-01T23:00:00+01:00", NONE},
        {"2016-01-01 23:00:00", NONE},
        {"1969-12-31T00:00:00Z", NONE},
        {"20260101000000", NONE},
        {"today", NONE},
        {"", NONE},
    };

    (void)state;
    check_rows(date_read_iso, rows, ARRAY_LEN(rows));
}

static void http(void **state)
{
    static const struct row rows[] = {
        {"Thu, 01 Jan 1970 00:00:00 GMT", 0},
        {"Sun, 06 Nov 1994 08:49:37 GMT", 784111777000},
        {"Mon, 06 Nov 1994 08:49:37 GMT", 784111777000},
        {"Tue, 29 Feb 2000 23:59:59 GMT", 951868799000},
        {"Fri, 31 Dec 9999 23:59:59 GMT", 253402300799000},
        {"", NONE},
        {"Sun, 06 Nov 1994 08:49:37", NONE},
        {"Sun, 06 Nov 1994 08:49:37 UTC", NONE},
        {"Sun, 06 Nov 1994 08:49:37 GMT ", NONE},
        {"Son, 06 Nov 1994 08:49:37 GMT", NONE},
        {"Sun, 06 nov 1994 08:49:37 GMT", NONE},
        {"Sun, 00 Nov 1994 08:49:37 GMT", NONE},
        {"Sun, 32 Nov 1994 08:49:37 GMT", NONE},
        {"Sun, 06 Nov 1994 24:49:37 GMT", NONE},
        {"Sun, 06 Nov 1994 08:60:37 GMT", NONE},
        {"Sun, 06 Nov 1994 08:49:61 GMT", NONE},
        {"Sun, 06 Nov 1994 08-49-37 GMT", NONE},
        {"Sun, 06 Nov 1994 8:49:37 GMT", NONE},
        {"Sun,006 Nov 1994 08:49:37 GMT", NONE},
        {"Sun, -6 Nov 1994 08:49:37 GMT", NONE},
        {"Sun, 06 Nov  994 08:49:37 GMT", NONE},
        {"Wed, 31 Dec 1969 23:59:59 GMT", NONE},
        {"Sunday, 06-Nov-94 08:49:37 GMT", NONE},
        {"Sun Nov  6 08:49:37 1994     ", NONE},
    };

    (void)state;
    check_rows(date_read_http, rows, ARRAY_LEN(rows));
}

static void digits(void **state)
{
    static const struct row rows[] = {
        {"19700101000000", 0},
        {"20240506070809", 1714979289000},
        {"20240506070809123", 1714979289123},
        {"20241301000000", 1735689600000}, /* month 13 */
        {"20240100000000", 1703980800000}, /* day 0 */
        {"20240001000000", 1701388800000}, /* month 0 */
        {"99991231235959", 253402300799000},
        {"19691231235959", NONE},
        {"00000000000000", NONE},
        {"2024050607080", NONE},
        {"202405060708091", NONE},
        {"202405060708091234", NONE},
        {"2024050607080x", NONE},
        {"20240506070809x23", NONE},
        {"-2024050607080", NONE},
        {"", NONE},
    };

    (void)state;
    check_rows(date_read_digits, rows, ARRAY_LEN(rows));
}

static void cookies(void **state)
{
    static const struct row rows[] = {
        {"Wed, 21 Oct 2015 07:28:00 GMT", 1445412480000},
        {"Wednesday, 21-Oct-15 07:28:00 GMT", 1445412480000},
        {"Wed Oct 21 7:28:0 2015", 1445412480000},
        {"21 OCTOBER 2015 07:28:00", 1445412480000},
        {"07:28:00 2015 21 oct", 1445412480000},
        {"21 Oct 15 07:28:00", 1445412480000},
        {"21st Oct 15 07:28:00pm", 1445412480000},
        {"31 Dec 99 23:59:59", 946684799000},
        {"1 Jan 70 00:00:01", 1000},
        {"29 Feb 2000 00:00:00", 951782400000},
        {"1 Jan 1600 00:00:00", NONE},
        {"1 Jan 1601 00:00:00", 0},
        {"31 Dec 1969 23:59:59", 0},
        {"29 Feb 1900 00:00:00", NONE},
        {"29 Feb 2100 00:00:00", NONE},
        {"30 Feb 2000 00:00:00", NONE},
        {"31 Feb 2015 00:00:00", NONE},
        {"31 Apr 2015 00:00:00", NONE},
        {"31 Aug 2015 00:00:00", 1440979200000},
        {"31 Sep 2015 00:00:00", NONE},
        {"0 Jan 2015 00:00:00", NONE},
        {"32 Jan 2015 00:00:00", NONE},
        {"1 Jan 2015 24:00:00", NONE},
        {"1 Jan 2015 00:60:00", NONE},
        {"1 Jan 2015 00:00:60", NONE},
        {"1 Jan 2015 00:00", NONE},
        {"1 Jan 20155 00:00:00", NONE},
        {"1 Jan 5 00:00:00", NONE},
        {"1 2015 00:00:00", NONE},
        {"1 Jan 2015", NONE},
        {"", NONE},
        {"garbage", NONE},
    };

    (void)state;
    check_rows(date_read_cookie, rows, ARRAY_LEN(rows));
}

static void there_and_back(void **state)
{
    struct random random = {11};

    (void)state;
    for (int i = 0; i < 20000; i++) {
        uint64_t ms = random_u64(&random) % 253402300800000;
        uint64_t s = ms / 1000 * 1000;

        check(date_read_iso, date_iso(ms).text, true, ms);
        check(date_read_http, date_http(ms).text, true, s);
        check(date_read_cookie, date_http(ms).text, true, s);
        check(date_read_digits, date_digits(ms).text, true, s);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(texts),
        cmocka_unit_test(like_the_c_library),
        cmocka_unit_test(iso),
        cmocka_unit_test(http),
        cmocka_unit_test(digits),
        cmocka_unit_test(cookies),
        cmocka_unit_test(there_and_back),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
