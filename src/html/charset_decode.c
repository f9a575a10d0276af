/* Decoding to UTF-8: what needs no library is here, the multi-byte encodings
 * of East Asia are in charset_asia.c. */
#include "html/charset_internal.h"

size_t charset_ascii_prefix(struct str s)
{
    size_t n = 0;
    uint64_t word;

    for (; s.len - n >= sizeof(word); n += sizeof(word)) {
        memcpy(&word, s.ptr + n, sizeof(word));
        if (word & 0x8080808080808080u)
            break;
    }
    while (n < s.len && !(s.ptr[n] & 0x80))
        n++;
    return n;
}

static char *decode_utf8(struct str in, char *to)
{
    while (in.len) {
        uint32_t c;
        size_t ascii = charset_ascii_prefix(in);

        to = mempcpy(to, in.ptr, ascii);
        in = str_skip(in, ascii);
        if (in.len) {
            in = str_skip(in, utf8_read(in.ptr, in.ptr + in.len, &c));
            to += utf8_put(to, c);
        }
    }
    return to;
}

static char *decode_utf16(struct str in, bool big_endian, char *to)
{
    const unsigned char *at = (const unsigned char *)in.ptr;
    uint32_t lead = 0; /* a high surrogate that waits for its other half */

    for (size_t left = in.len; left >= 2; left -= 2, at += 2) {
        uint32_t unit = big_endian ? (uint32_t)(at[0] << 8 | at[1])
                                   : (uint32_t)(at[1] << 8 | at[0]);
        bool low = unit >= 0xDC00 && unit <= 0xDFFF;
        if (lead && low) {
            to += utf8_put(to,
                           0x10000 + ((lead - 0xD800) << 10) + (unit - 0xDC00));
            lead = 0;
            continue;
        }
        if (lead)
            to += utf8_put(to, UTF8_REPLACEMENT);
        lead = unit >= 0xD800 && unit <= 0xDBFF ? unit : 0;
        if (!lead)
            to += utf8_put(to, low ? UTF8_REPLACEMENT : unit);
    }
    /* Half a pair and half a unit at the end are one error together. */
    if (lead || in.len % 2)
        to += utf8_put(to, UTF8_REPLACEMENT);
    return to;
}

/* Single-byte encodings, and x-user-defined, which has no table. */
static char *decode_bytes(const uint16_t *high, struct str in, char *to)
{
    for (size_t i = 0; i < in.len; i++) {
        unsigned char byte = (unsigned char)in.ptr[i];
        if (byte < 0x80) {
            *to++ = (char)byte;
            continue;
        }
        uint32_t c = high ? high[byte - 0x80] : 0xF700u + byte;
        to += utf8_put(to, c ? c : UTF8_REPLACEMENT);
    }
    return to;
}

bool charset_decode(const struct charset *charset, struct str in,
                    struct buf *out)
{
    char *start = buf_reserve(out, CHARSET_GROWTH_MAX * in.len), *end;

    if (!start)
        return false;
    if (!in.len ||
        (charset_is_markup_safe(charset) && charset_ascii_prefix(in) == in.len))
        return buf_put(out, in);
    switch (charset->kind) {
    case KIND_UTF_8:
        end = decode_utf8(in, start);
        break;
    case KIND_UTF_16BE:
    case KIND_UTF_16LE:
        end = decode_utf16(in, charset->kind == KIND_UTF_16BE, start);
        break;
    case KIND_REPLACEMENT:
        end = start + utf8_put(start, UTF8_REPLACEMENT);
        break;
    case KIND_SINGLE_BYTE:
    case KIND_X_USER_DEFINED:
        end = decode_bytes(charset->high, in, start);
        break;
    default:
        end = charset_decode_asia(charset, in, start);
        break;
    }
    out->len += (size_t)(end - start);
    return true;
}
