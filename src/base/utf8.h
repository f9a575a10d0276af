/* One character of UTF-8 at a time, as the Encoding standard decodes it. */
#ifndef BASE_UTF8_H
#define BASE_UTF8_H

#include <stddef.h>
#include <stdint.h>

/* It stands for bytes that are no character. */
enum { UTF8_REPLACEMENT = 0xFFFD };

/* The character at `at` (at < end) and the number of its bytes. Bytes that
 * cannot be one are U+FFFD; what is taken for it then is the longest start
 * of a well-formed sequence, or one byte. */
size_t utf8_read(const char *at, const char *end, uint32_t *c);

/* Write `c`, a Unicode scalar value, and return the number of bytes, at most
 * UTF8_LEN_MAX. */
enum { UTF8_LEN_MAX = 4 };
size_t utf8_put(char *to, uint32_t c);

#endif
