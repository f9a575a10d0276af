#include "base/json.h"

#include "base/terminal.h"
#include "base/utf8.h"

#define EACH_BYTE(byte) (UINT64_C(0x0101010101010101) * (byte))

/* Has the word a byte of this value? */
static bool word_has(uint64_t word, uint64_t byte)
{
    uint64_t zero = word ^ EACH_BYTE(byte);

    return (zero - EACH_BYTE(1)) & ~zero & EACH_BYTE(0x80);
}

/* Are all eight bytes written as they are? */
static bool word_is_plain(const char *bytes)
{
    uint64_t word;

    memcpy(&word, bytes, sizeof(word));
    return !((word | ((word - EACH_BYTE(' ')) & ~word)) & EACH_BYTE(0x80)) &&
           !word_has(word, '"') && !word_has(word, '\\') &&
           !word_has(word, 0x7f);
}

/* How many bytes at the start are written as they are; the rest may begin with
 * one, too. */
static size_t plain_len(struct str s)
{
    size_t len = 0;

    while (s.len - len >= sizeof(uint64_t) && word_is_plain(s.ptr + len))
        len += sizeof(uint64_t);
    while (len < s.len && s.ptr[len] >= ' ' && s.ptr[len] < 0x7f &&
           s.ptr[len] != '"' && s.ptr[len] != '\\')
        len++;
    return len;
}

void json_put_str(struct buf *buf, struct str s)
{
    buf_put_char(buf, '"');
    while (s.len) {
        size_t plain = plain_len(s);
        uint32_t c;

        buf_put(buf, str_first(s, plain));
        s = str_skip(s, plain);
        if (!s.len)
            break;
        size_t len = utf8_read(s.ptr, s.ptr + s.len, &c);

        if (c == '"' || c == '\\')
            buf_printf(buf, "\\%c", (char)c);
        else if (terminal_obeys(c)) /* JSON is looked at, too */
            buf_printf(buf, "\\u%04x", (unsigned)c);
        else if (c == UTF8_REPLACEMENT)
            buf_put(buf, STR("\xef\xbf\xbd"));
        else
            buf_put(buf, str_first(s, len));
        s = str_skip(s, len);
    }
    buf_put_char(buf, '"');
}

void json_put_name(struct buf *buf, const char *name)
{
    /* A value ends with a quote, a digit, a letter or a brace that closes. */
    if (buf->len && buf->ptr[buf->len - 1] != '{')
        buf_put_char(buf, ',');
    json_put_str(buf, str_of(name));
    buf_put_char(buf, ':');
}

void json_open(struct buf *buf, const char *name)
{
    if (name)
        json_put_name(buf, name);
    buf_put_char(buf, '{');
}

void json_close(struct buf *buf)
{
    buf_put_char(buf, '}');
}

void json_add_str(struct buf *buf, const char *name, struct str value)
{
    json_put_name(buf, name);
    json_put_str(buf, value);
}

void json_add_number(struct buf *buf, const char *name, uint64_t value)
{
    json_put_name(buf, name);
    buf_put_number(buf, value);
}

void json_add_null(struct buf *buf, const char *name)
{
    json_put_name(buf, name);
    buf_put(buf, STR("null"));
}
