/* Numbers as text, fast: printf is too slow for what is written by the
 * million. */
#ifndef PLAYGROUND_TEXT_H
#define PLAYGROUND_TEXT_H

#include "base/buf.h"

static inline void text_put_number(struct buf *out, uint64_t value)
{
    char digits[20];
    size_t at = sizeof(digits);

    do {
        digits[--at] = (char)('0' + value % 10);
        value /= 10;
    } while (value);
    buf_put(out, (struct str){digits + at, sizeof(digits) - at});
}

#endif
