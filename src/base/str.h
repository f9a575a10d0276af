/* Slices: a string is a pointer and a length, passed by value.
 *
 * A slice borrows its bytes; it never owns them and they need no NUL at the
 * end. Only `struct buf` grows and only `struct arena` keeps copies. The
 * character classes are ASCII whatever the locale says.
 */
#ifndef BASE_STR_H
#define BASE_STR_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

struct str {
    const char *ptr;
    size_t len;
};

struct str_pair {
    struct str head, tail;
};

/* A slice of a string literal; in initialisers use STR_INIT. */
#define STR(literal) ((struct str)STR_INIT(literal))
#define STR_INIT(literal)                                                      \
    {                                                                          \
        "" literal, sizeof(literal) - 1                                        \
    }

/* The two arguments that "%.*s" takes. */
#define STR_ARGS(s) (int)(s).len, (s).ptr

#define ARRAY_LEN(array) (sizeof(array) / sizeof((array)[0]))

static inline struct str str_of(const char *cstr)
{
    return (struct str){cstr, strlen(cstr)};
}

static inline struct str str_between(const char *from, const char *to)
{
    return (struct str){from, (size_t)(to - from)};
}

/* Without the first `n` bytes; `n` may be at most the length. */
static inline struct str str_skip(struct str s, size_t n)
{
    /* An empty slice may be NULL, and NULL + 0 is not defined in C. */
    return (struct str){n ? s.ptr + n : s.ptr, s.len - n};
}

static inline struct str str_first(struct str s, size_t n)
{
    return (struct str){s.ptr, n < s.len ? n : s.len};
}

static inline bool ascii_is_alpha(char c)
{
    return (unsigned char)((c | 0x20) - 'a') < 26;
}

static inline bool ascii_is_digit(char c)
{
    return (unsigned char)(c - '0') < 10;
}

static inline bool ascii_is_alnum(char c)
{
    return ascii_is_alpha(c) || ascii_is_digit(c);
}

/* The white space of HTML and HTTP: tab, LF, FF, CR, blank. */
static inline bool ascii_is_space(char c)
{
    return c == ' ' || c == '\t' || c == '\n' || c == '\f' || c == '\r';
}

static inline char ascii_lower(char c)
{
    return c >= 'A' && c <= 'Z' ? (char)(c + ('a' - 'A')) : c;
}

/* The value of a hexadecimal digit, or -1. */
static inline int hex_value(char c)
{
    if (ascii_is_digit(c))
        return c - '0';
    c = ascii_lower(c);
    if (c >= 'a' && c <= 'f')
        return c - 'a' + 10;
    return -1;
}

static inline bool str_eq(struct str a, struct str b)
{
    return a.len == b.len && (a.len == 0 || !memcmp(a.ptr, b.ptr, a.len));
}

/* The byte that "%XX" at the start of `s` stands for, or -1. */
static inline int percent_value(struct str s)
{
    if (s.len < 3 || s.ptr[0] != '%')
        return -1;
    int high = hex_value(s.ptr[1]), low = hex_value(s.ptr[2]);
    return high < 0 || low < 0 ? -1 : high * 16 + low;
}

/* Characters that mean the same with and without an escape (RFC 3986, 2.3). */
static inline bool percent_is_unreserved(char c)
{
    return ascii_is_alnum(c) || c == '-' || c == '.' || c == '_' || c == '~';
}

/* Write "%XX" and return its end. */
static inline char *percent_put(char *to, unsigned char byte)
{
    static const char digits[] = "0123456789ABCDEF";

    *to++ = '%';
    *to++ = digits[byte >> 4];
    *to++ = digits[byte & 15];
    return to;
}

bool str_eq_nocase(struct str a, struct str b);
bool str_starts(struct str s, struct str prefix);
bool str_starts_nocase(struct str s, struct str prefix);
bool str_ends(struct str s, struct str suffix);

/* "a:b:c" -> "a", "b:c". Without a separator the tail is empty. */
struct str_pair str_cut(struct str s, char separator);

/* Without white space (ascii_is_space) at both ends, at the start. */
struct str str_trim(struct str s);
struct str str_trim_start(struct str s);

/* Has it no control characters but tabs? Then a header may have it. */
bool str_is_clean(struct str s);

/* The position of the first `c`, or s.len. */
size_t str_find(struct str s, char c);

/* Digits only: no sign, no blank, no overflow; false leaves `*out` alone. */
bool str_to_u64(struct str s, uint64_t *out);

/* --- UTF-8 ---------------------------------------------------------------- */

/* One character at a time, as the Encoding standard decodes it. */

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
