#include "base/markup.h"

void markup_put_char(struct buf *out, char c)
{
    switch (c) {
    case '&':
        buf_put(out, STR("&amp;"));
        break;
    case '<':
        buf_put(out, STR("&lt;"));
        break;
    case '>':
        buf_put(out, STR("&gt;"));
        break;
    case '"':
        buf_put(out, STR("&quot;"));
        break;
    case '\'':
        buf_put(out, STR("&#39;"));
        break;
    default:
        buf_put_char(out, c);
    }
}

void markup_put(struct buf *out, struct str text)
{
    for (size_t i = 0; i < text.len; i++)
        markup_put_char(out, text.ptr[i]);
}
