#include "base/terminal.h"

#include "base/utf8.h"

bool terminal_obeys(uint32_t c)
{
    static const struct {
        uint32_t first, last;
    } ranges[] = {
        {0x0000, 0x001F}, {0x007F, 0x009F}, {0x061C, 0x061C},
        {0x200E, 0x200F}, {0x202A, 0x202E}, {0x2066, 0x2069},
    };

    for (size_t i = 0; i < ARRAY_LEN(ranges); i++)
        if (c >= ranges[i].first && c <= ranges[i].last)
            return true;
    return false;
}

/* One that was written as such is as good as any. */
static bool is_broken(struct str text, uint32_t c)
{
    return c == UTF8_REPLACEMENT && !str_starts(text, STR("\xef\xbf\xbd"));
}

void terminal_put(struct buf *out, struct str text, char instead)
{
    while (text.len) {
        uint32_t c;
        size_t len = utf8_read(text.ptr, text.ptr + text.len, &c);

        if (terminal_obeys(c) || is_broken(text, c))
            buf_put_char(out, instead);
        else
            buf_put(out, str_first(text, len));
        text = str_skip(text, len);
    }
}
