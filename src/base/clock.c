#include "base/clock.h"

#include <stdio.h>
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

void clock_format_iso(uint64_t wall_ms, char out[CLOCK_ISO_LEN + 1])
{
    const uint64_t last_ms = 253402300799999; /* of the year 9999 */
    struct tm utc;
    char date[CLOCK_ISO_LEN + 1];

    if (wall_ms > last_ms)
        wall_ms = last_ms;
    time_t seconds = (time_t)(wall_ms / 1000);

    gmtime_r(&seconds, &utc);
    strftime(date, sizeof(date), "%Y-%m-%dT%H:%M:%S", &utc);
    snprintf(out, CLOCK_ISO_LEN + 1, "%.19s.%03uZ", date,
             (unsigned)(wall_ms % 1000));
}
