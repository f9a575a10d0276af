#include "base/json.h"

/* The length of the UTF-8 sequence at the start of `s`, or 0. */
static size_t utf8_len(struct str s)
{
    unsigned char lead = (unsigned char)s.ptr[0];
    size_t len = lead < 0x80   ? 1
                 : lead < 0xc2 ? 0
                 : lead < 0xe0 ? 2
                 : lead < 0xf0 ? 3
                 : lead < 0xf5 ? 4
                               : 0;

    if (!len || len > s.len)
        return 0;
    for (size_t i = 1; i < len; i++)
        if (((unsigned char)s.ptr[i] & 0xc0) != 0x80)
            return 0;

    unsigned char second = len > 1 ? (unsigned char)s.ptr[1] : 0;
    bool overlong =
        (lead == 0xe0 && second < 0xa0) || (lead == 0xf0 && second < 0x90);
    bool beyond =
        (lead == 0xed && second >= 0xa0) || (lead == 0xf4 && second >= 0x90);
    return overlong || beyond ? 0 : len;
}

void json_put_str(struct buf *buf, struct str s)
{
    buf_put_char(buf, '"');
    while (s.len) {
        size_t len = utf8_len(s);
        unsigned char c = (unsigned char)s.ptr[0];

        if (c == '"' || c == '\\')
            buf_printf(buf, "\\%c", c);
        else if (c < 0x20 || c == 0x7f)
            buf_printf(buf, "\\u%04x", c);
        else if (len)
            buf_put(buf, str_first(s, len));
        else
            buf_put(buf, STR("\xef\xbf\xbd"));
        s = str_skip(s, len ? len : 1);
    }
    buf_put_char(buf, '"');
}
