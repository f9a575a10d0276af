#include "base/json.h"

#include "base/terminal.h"
#include "base/utf8.h"

void json_put_str(struct buf *buf, struct str s)
{
    buf_put_char(buf, '"');
    while (s.len) {
        uint32_t c;
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
