#include "base/buf.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/mem.h"

enum { FIRST_ROOM = 256 };

void buf_init(struct buf *buf, size_t cap)
{
    *buf = (struct buf){.cap = cap};
}

void buf_release(struct buf *buf)
{
    free(buf->ptr);
    *buf = (struct buf){.cap = buf->cap};
}

static void grow(struct buf *buf, size_t need)
{
    size_t room = buf->room ? buf->room : FIRST_ROOM;

    while (room < need)
        room += room / 2;
    buf->ptr = mem_resize(buf->ptr, room);
    buf->room = room;
}

char *buf_reserve(struct buf *buf, size_t n)
{
    if (n > buf->cap - buf->len)
        return NULL;
    if (buf->len + n > buf->room || !buf->ptr)
        grow(buf, buf->len + n);
    return buf->ptr + buf->len;
}

bool buf_put(struct buf *buf, struct str s)
{
    char *at = buf_reserve(buf, s.len);

    if (!at)
        return false;
    if (s.len)
        memcpy(at, s.ptr, s.len);
    buf->len += s.len;
    return true;
}

bool buf_put_char(struct buf *buf, char c)
{
    return buf_put(buf, (struct str){&c, 1});
}

bool buf_put_number(struct buf *buf, uint64_t number)
{
    char digits[20];
    size_t at = sizeof(digits);

    do {
        digits[--at] = (char)('0' + number % 10);
        number /= 10;
    } while (number);
    return buf_put(buf, (struct str){digits + at, sizeof(digits) - at});
}

bool buf_printf(struct buf *buf, const char *format, ...)
{
    va_list args, again;

    va_start(args, format);
    va_copy(again, args);
    int len = vsnprintf(NULL, 0, format, args);
    va_end(args);

    /* One byte more than is counted, for the NUL of vsnprintf. */
    bool fits = len >= 0 && (size_t)len <= buf->cap - buf->len;
    if (fits) {
        if (buf->len + (size_t)len + 1 > buf->room)
            grow(buf, buf->len + (size_t)len + 1);
        vsnprintf(buf->ptr + buf->len, (size_t)len + 1, format, again);
        buf->len += (size_t)len;
    }
    va_end(again);
    return fits;
}

const char *buf_cstr(struct buf *buf)
{
    if (buf->len + 1 > buf->room)
        grow(buf, buf->len + 1);
    buf->ptr[buf->len] = '\0';
    return buf->ptr;
}
