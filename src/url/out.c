#include "url/out.h"

#include "base/utf8.h"

/* One number a byte of ASCII, the sum of the URL_PLAIN_ bits; beyond ASCII
 * nothing is plain. The unit test computes the same from the standard's
 * lists. */
// clang-format off
const uint8_t url_plain[256] = {
     0,  0,  0,  0,  0,  0,  0,  0,  0,  0,  0,  0,  0,  0,  0,  0, /* 0x00 */
     0,  0,  0,  0,  0,  0,  0,  0,  0,  0,  0,  0,  0,  0,  0,  0, /* 0x10 */
     0, 15,  8,  0, 15,  7, 15, 13, 15, 15, 15, 15, 15, 15, 15,  2, /* 0x20 */
    15, 15, 15, 15, 15, 15, 15, 15, 15, 15,  3, 11,  0, 11,  0,  2, /* 0x30 */
     3, 15, 15, 15, 15, 15, 15, 15, 15, 15, 15, 15, 15, 15, 15, 15, /* 0x40 */
    15, 15, 15, 15, 15, 15, 15, 15, 15, 15, 15,  3,  2,  3,  2, 15, /* 0x50 */
    10, 15, 15, 15, 15, 15, 15, 15, 15, 15, 15, 15, 15, 15, 15, 15, /* 0x60 */
    15, 15, 15, 15, 15, 15, 15, 15, 15, 15, 15, 10,  3, 10, 15,  0, /* 0x70 */
};
// clang-format on

enum { ESCAPE_LEN = 3 };

void out_escape_byte(struct out *out, char c)
{
    if (out_has_room(out, ESCAPE_LEN, 0))
        out->at = percent_put(out->at, (unsigned char)c);
}

const char *out_escape(struct out *out, const char *at, const char *end)
{
    uint32_t c;
    size_t len = utf8_read(at, end, &c);
    char bytes[UTF8_LEN_MAX];

    if (!out_has_room(out, ESCAPE_LEN * UTF8_LEN_MAX, (size_t)(end - at)))
        return end;
    size_t bytes_len = utf8_put(bytes, c);
    for (size_t i = 0; i < bytes_len; i++)
        out->at = percent_put(out->at, (unsigned char)bytes[i]);
    return at + len;
}

size_t url_unescape(char *to, struct str from)
{
    char *start = to;

    while (from.len) {
        int value = percent_value(from);
        *to++ = value > 0 ? (char)value : from.ptr[0];
        from = str_skip(from, value > 0 ? ESCAPE_LEN : 1);
    }
    return (size_t)(to - start);
}

size_t url_drop_newlines(char *to, struct str from)
{
    size_t len = 0;

    for (size_t i = 0; i < from.len; i++)
        if (from.ptr[i] != '\t' && from.ptr[i] != '\n' && from.ptr[i] != '\r')
            to[len++] = from.ptr[i];
    return len;
}

struct str url_join(struct arena *arena, struct str one, struct str other)
{
    char *start = arena_new(arena, one.len + other.len + 1);

    if (one.len)
        memcpy(start, one.ptr, one.len);
    if (other.len)
        memcpy(start + one.len, other.ptr, other.len);
    return (struct str){start, one.len + other.len};
}
