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

void charset_sink_flush(struct charset_sink *sink)
{
    if (!sink->full)
        sink->full = !buf_put(sink->out, (struct str){sink->piece, sink->len});
    sink->len = 0;
}

void charset_sink_bytes(struct charset_sink *sink, struct str s)
{
    if (s.len > sizeof(sink->piece) - sink->len)
        charset_sink_flush(sink);
    if (s.len > sizeof(sink->piece)) {
        if (!sink->full)
            sink->full = !buf_put(sink->out, s);
        return;
    }
    if (s.len)
        memcpy(sink->piece + sink->len, s.ptr, s.len);
    sink->len += s.len;
}

static void decode_utf8(struct str in, struct charset_sink *sink)
{
    const char *good = in.ptr, *at = good, *end = at + in.len;

    while (at < end) {
        uint32_t c;

        at += charset_ascii_prefix(str_between(at, end));
        if (at == end)
            break;
        size_t len = utf8_read(at, end, &c);
        if (c == UTF8_REPLACEMENT) {
            charset_sink_bytes(sink, str_between(good, at));
            charset_sink_put(sink, c);
            good = at + len;
        }
        at += len;
    }
    charset_sink_bytes(sink, str_between(good, end));
}

static void decode_utf16(struct str in, bool big_endian,
                         struct charset_sink *sink)
{
    const unsigned char *at = (const unsigned char *)in.ptr;
    uint32_t lead = 0; /* a high surrogate that waits for its other half */

    for (size_t left = in.len; left >= 2; left -= 2, at += 2) {
        uint32_t unit = big_endian ? (uint32_t)(at[0] << 8 | at[1])
                                   : (uint32_t)(at[1] << 8 | at[0]);
        bool low = unit >= 0xDC00 && unit <= 0xDFFF;
        if (lead && low) {
            charset_sink_put(sink, 0x10000 + ((lead - 0xD800) << 10) +
                                       (unit - 0xDC00));
            lead = 0;
            continue;
        }
        if (lead)
            charset_sink_put(sink, UTF8_REPLACEMENT);
        lead = unit >= 0xD800 && unit <= 0xDBFF ? unit : 0;
        if (!lead)
            charset_sink_put(sink, low ? UTF8_REPLACEMENT : unit);
    }
    /* Half a pair and half a unit at the end are one error together. */
    if (lead || in.len % 2)
        charset_sink_put(sink, UTF8_REPLACEMENT);
}

static void decode_bytes(const struct charset *charset, struct str in,
                         struct charset_sink *sink)
{
    const uint16_t *high = charset->high; /* NULL: x-user-defined */

    while (in.len) {
        size_t ascii = charset_ascii_prefix(in);
        charset_sink_bytes(sink, str_first(in, ascii));
        in = str_skip(in, ascii);
        for (; in.len && in.ptr[0] & 0x80; in = str_skip(in, 1)) {
            unsigned index = (unsigned)in.ptr[0] & 0x7F;
            uint32_t c = high ? high[index] : 0xF780 + index;
            charset_sink_put(sink, c ? c : UTF8_REPLACEMENT);
        }
    }
}

static void decode(const struct charset *charset, struct str in,
                   struct charset_sink *sink)
{
    switch (charset->kind) {
    case KIND_UTF_8:
        decode_utf8(in, sink);
        break;
    case KIND_UTF_16BE:
    case KIND_UTF_16LE:
        decode_utf16(in, charset->kind == KIND_UTF_16BE, sink);
        break;
    case KIND_REPLACEMENT:
        charset_sink_put(sink, UTF8_REPLACEMENT);
        break;
    case KIND_SINGLE_BYTE:
    case KIND_X_USER_DEFINED:
        decode_bytes(charset, in, sink);
        break;
    default:
        charset_decode_asia(charset->kind, in, sink);
        break;
    }
}

bool charset_decode(const struct charset *charset, struct str in,
                    struct buf *out)
{
    struct charset_sink sink;
    size_t before = out->len;

    if (!in.len)
        return true;
    if (charset_is_markup_safe(charset) && charset_ascii_prefix(in) == in.len)
        return buf_put(out, in);

    sink.out = out;
    sink.full = false;
    sink.len = 0;
    decode(charset, in, &sink);
    charset_sink_flush(&sink);
    if (sink.full)
        out->len = before;
    return !sink.full;
}
