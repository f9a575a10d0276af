/* Dates of the Gregorian calendar, as archives, HTTP and cookies write them. A
 * time is milliseconds since 1970; all texts are in UTC.
 *
 *     json_add_str(line, "time", str_of(date_iso(wall_ms).text));
 *     if (date_read_http(value, &wall_ms))
 *         ...
 *
 * Texts come by value, as those of base/words.h do. A time after the year 9999
 * is written as its end. The C library is not asked: its functions take longer
 * than all other fields of a record. */
#ifndef BASE_DATE_H
#define BASE_DATE_H

#include "base/str.h"

struct date {
    unsigned year, month, day; /* 2024, 5, 6 */
    unsigned hour, minute, second, ms;
};

/* The date at that time. */
struct date date_of(uint64_t wall_ms);

struct date_text {
    char text[32];
};

enum { DATE_ISO_LEN = 24, DATE_DIGITS_LEN = 14 };

struct date_text date_iso(uint64_t wall_ms);    /* "2024-05-06T07:08:09.123Z" */
struct date_text date_http(uint64_t wall_ms);   /* "Mon, 06 May 2024 ... GMT" */
struct date_text date_digits(uint64_t wall_ms); /* "20240506070809" */

/* Each leaves `*wall_ms` alone where the text is no date from 1970 on. A day
 * that its month does not have is one of the next month, but in a cookie. */

/* "2024-05-06T07:08:09.123Z" as WARC/1.1 has it: parts may be missing from the
 * end on, and a fraction has any number of digits. */
bool date_read_iso(struct str text, uint64_t *wall_ms);

/* "Mon, 06 May 2024 07:08:09 GMT" and no other form. The name of the day must
 * be one, but need not be that of the date. */
bool date_read_http(struct str text, uint64_t *wall_ms);

/* 14 digits, or 17 with milliseconds. */
bool date_read_digits(struct str text, uint64_t *wall_ms);

/* "Mon, 06 May 2024 07:08:09 GMT", "6-May-24 7:8:9" and many more: by the
 * lenient rules of RFC 6265bis, section 5.1.1. A time before 1970 is 0. */
bool date_read_cookie(struct str text, uint64_t *wall_ms);

#endif
