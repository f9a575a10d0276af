/* A growing byte buffer with a stated maximum.
 *
 *     struct buf buf;
 *     buf_init(&buf, 16 << 20);
 *     if (!buf_put(&buf, STR("hello")))
 *         ... the cap is reached, nothing was added
 *     use(buf_str(&buf));
 *     buf_release(&buf);
 *
 * Growth is geometric and follows the bytes that came, never a length that
 * the other side announced. Out of memory aborts (base/mem.h).
 */
#ifndef BASE_BUF_H
#define BASE_BUF_H

#include "base/str.h"

struct buf {
    char *ptr;
    size_t len;
    size_t room; /* allocated */
    size_t cap;  /* `len` never passes this */
};

void buf_init(struct buf *buf, size_t cap);
void buf_release(struct buf *buf);

/* Forget the bytes, keep the memory. */
static inline void buf_clear(struct buf *buf)
{
    buf->len = 0;
}

static inline struct str buf_str(const struct buf *buf)
{
    return (struct str){buf->ptr, buf->len};
}

/* Append all of `s`, or nothing and false if that would pass the cap. */
bool buf_put(struct buf *buf, struct str s);
bool buf_put_char(struct buf *buf, char c);
bool buf_put_number(struct buf *buf, uint64_t number); /* decimal, fast */
bool buf_printf(struct buf *buf, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

/* Make room for `n` more bytes and return where they go, or NULL past the
 * cap. The caller writes them and adds to `len`. */
char *buf_reserve(struct buf *buf, size_t n);

/* NUL-terminate without counting the NUL; the cap is not touched. */
const char *buf_cstr(struct buf *buf);

#endif
