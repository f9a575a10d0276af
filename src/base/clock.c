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
