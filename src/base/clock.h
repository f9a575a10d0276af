/* The two clocks. Only the outermost code asks them; everything below gets
 * the time as an argument. */
#ifndef BASE_CLOCK_H
#define BASE_CLOCK_H

#include <stdint.h>

uint64_t clock_mono_ms(void); /* for pauses and time-outs */
uint64_t clock_boot_ms(void); /* the same, also while the machine sleeps */
uint64_t clock_mono_us(void); /* the same clock, for measuring */
uint64_t clock_wall_ms(void); /* since 1970, for what people read */

/* The time of the wall clock at a past or future time of the monotonic one. */
uint64_t clock_wall_at(uint64_t mono_ms);

#endif
