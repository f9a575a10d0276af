#include "base/escape.h"

#include <stdlib.h>
#include <unistd.h>

#include "base/mem.h"

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

/* A U+FFFD that the text itself has is a character like any other. */
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

void terminal_vline(FILE *out, const char *format, va_list args)
{
    struct buf line;
    char *message;

    if (vasprintf(&message, format, args) < 0)
        message = mem_checked(NULL);
    struct str text = str_of(message);
    buf_init(&line, text.len + 1);
    terminal_put(&line, text, '?');
    buf_put_char(&line, '\n');
    fwrite(line.ptr, 1, line.len, out);
    buf_release(&line);
    free(message);
}

void terminal_line(FILE *out, const char *format, ...)
{
    va_list args;

    va_start(args, format);
    terminal_vline(out, format, args);
    va_end(args);
}

bool terminal_can_redraw(int fd)
{
    const char *name = getenv("TERM");

    return isatty(fd) && name && name[0] && strcmp(name, "dumb") != 0;
}

/* --- HTML and XML --------------------------------------------------------- */

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
