#include "base/utf8.h"

/* The meaning of the first byte: the number of bytes, and the bounds of the
 * second, which keep out overlong forms, surrogates and beyond U+10FFFF. */
struct lead {
    uint8_t len, second_min, second_max;
};

static struct lead lead_of(uint8_t byte)
{
    if (byte < 0xC2 || byte > 0xF4)
        return (struct lead){0};
    if (byte < 0xE0)
        return (struct lead){2, 0x80, 0xBF};
    if (byte < 0xF0)
        return (struct lead){3, byte == 0xE0 ? 0xA0 : 0x80,
                             byte == 0xED ? 0x9F : 0xBF};
    return (struct lead){4, byte == 0xF0 ? 0x90 : 0x80,
                         byte == 0xF4 ? 0x8F : 0xBF};
}

size_t utf8_read(const char *at, const char *end, uint32_t *c)
{
    uint8_t first = (uint8_t)*at;
    struct lead lead = lead_of(first);

    *c = first;
    if (first < 0x80)
        return 1;

    size_t used = 1;
    uint32_t value = lead.len == 2   ? first & 0x1F
                     : lead.len == 3 ? first & 0x0F
                                     : first & 0x07;
    uint8_t min = lead.second_min, max = lead.second_max;
    while (used < lead.len && at + used < end) {
        uint8_t byte = (uint8_t)at[used];
        if (byte < min || byte > max)
            break;
        value = value << 6 | (byte & 0x3F);
        min = 0x80;
        max = 0xBF;
        used++;
    }
    *c = used == lead.len ? value : UTF8_REPLACEMENT;
    return used;
}

size_t utf8_put(char *to, uint32_t c)
{
    if (c < 0x80) {
        to[0] = (char)c;
        return 1;
    }
    if (c < 0x800) {
        to[0] = (char)(0xC0 | c >> 6);
        to[1] = (char)(0x80 | (c & 0x3F));
        return 2;
    }
    if (c < 0x10000) {
        to[0] = (char)(0xE0 | c >> 12);
        to[1] = (char)(0x80 | (c >> 6 & 0x3F));
        to[2] = (char)(0x80 | (c & 0x3F));
        return 3;
    }
    to[0] = (char)(0xF0 | c >> 18);
    to[1] = (char)(0x80 | (c >> 12 & 0x3F));
    to[2] = (char)(0x80 | (c >> 6 & 0x3F));
    to[3] = (char)(0x80 | (c & 0x3F));
    return 4;
}
