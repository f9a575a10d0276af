#include "base/clock.h"

#include <time.h>

static uint64_t read_us(clockid_t id)
{
    struct timespec now;

    clock_gettime(id, &now);
    return (uint64_t)now.tv_sec * 1000000 + (uint64_t)now.tv_nsec / 1000;
}

uint64_t clock_mono_ms(void)
{
    return read_us(CLOCK_MONOTONIC) / 1000;
}

uint64_t clock_boot_ms(void)
{
    struct timespec now;

    clock_gettime(CLOCK_BOOTTIME, &now);
    return (uint64_t)now.tv_sec * 1000 + (uint64_t)now.tv_nsec / 1000000;
}

uint64_t clock_mono_us(void)
{
    return read_us(CLOCK_MONOTONIC);
}

uint64_t clock_wall_ms(void)
{
    return read_us(CLOCK_REALTIME) / 1000;
}

/* Both are read at one moment: who is put to sleep between the two readings
 * tries again. */
uint64_t clock_wall_at(uint64_t mono_ms)
{
    uint64_t before_ms, wall_ms, tries = 0;

    do {
        before_ms = clock_mono_ms();
        wall_ms = clock_wall_ms();
    } while (clock_mono_ms() != before_ms && ++tries < 1000);
    return wall_ms + mono_ms - before_ms;
}

/* The number in so many digits. */
static char *put_digits(char *to, uint64_t number, size_t digits)
{
    for (size_t i = digits; i--; number /= 10)
        to[i] = (char)('0' + number % 10);
    return to + digits;
}

static char *put_part(char *to, int number, char end)
{
    to = put_digits(to, (uint64_t)number, 2);
    *to++ = end;
    return to;
}

/* Not by strftime: it takes longer than all other fields of a record. */
void clock_format_iso(uint64_t wall_ms, char out[CLOCK_ISO_LEN + 1])
{
    const uint64_t last_ms = 253402300799999; /* of the year 9999 */
    struct tm utc;

    if (wall_ms > last_ms)
        wall_ms = last_ms;
    time_t seconds = (time_t)(wall_ms / 1000);

    gmtime_r(&seconds, &utc);
    char *to = put_digits(out, (uint64_t)utc.tm_year + 1900, 4);
    *to++ = '-';
    to = put_part(to, utc.tm_mon + 1, '-');
    to = put_part(to, utc.tm_mday, 'T');
    to = put_part(to, utc.tm_hour, ':');
    to = put_part(to, utc.tm_min, ':');
    to = put_part(to, utc.tm_sec, '.');
    to = put_digits(to, wall_ms % 1000, 3);
    *to++ = 'Z';
    *to = '\0';
}
