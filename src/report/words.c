#include "report/words.h"

#include <string.h>

#include "base/clock.h"

void words_put_time(struct buf *out, uint64_t wall_ms)
{
    char text[CLOCK_ISO_LEN + 1];

    clock_format_iso(wall_ms, text);
    buf_printf(out, "%.10s %.8s UTC", text, text + 11);
}

void words_put_when(struct buf *out, uint64_t wall_ms, uint64_t now_wall_ms)
{
    words_put_time(out, wall_ms);
    if (wall_ms <= now_wall_ms)
        return;
    buf_put(out, STR(", in "));
    words_put_duration(out, wall_ms - now_wall_ms);
}

void words_put_duration(struct buf *out, uint64_t ms)
{
    unsigned long long s = (ms + 500) / 1000;

    if (ms < 59950)
        buf_printf(out, "%.1f s", (double)ms / 1000);
    else if (s < 3600)
        buf_printf(out, "%llu min %llu s", s / 60, s % 60);
    else if (s < 2 * 24 * 3600)
        buf_printf(out, "%llu h %llu min", s / 3600, s / 60 % 60);
    else
        buf_printf(out, "%llu days", s / (24 * 3600));
}

void words_put_bytes(struct buf *out, uint64_t bytes)
{
    static const char *const unit[] = {"B", "KB", "MB", "GB", "TB"};
    double value = (double)bytes;
    size_t i = 0;

    /* 999.95 of a unit would be shown as 1000.0. */
    while (value >= (i ? 999.95 : 1000) && i + 1 < ARRAY_LEN(unit)) {
        value /= 1000;
        i++;
    }
    buf_printf(out, i ? "%.1f %s" : "%.0f %s", value, unit[i]);
}

void words_put_count(struct buf *out, uint64_t count, const char *what)
{
    buf_printf(out, "%llu %s%s", (unsigned long long)count, what,
               count == 1 ? "" : "s");
}

void words_put_path(struct buf *out, struct str path)
{
    static const char plain[] = "abcdefghijklmnopqrstuvwxyz"
                                "ABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789"
                                "-_./+:,@%=";
    bool quoted = !path.len || strspn(path.ptr, plain) < path.len;

    if (quoted)
        buf_put_char(out, '\'');
    if (str_starts(path, STR("-")))
        buf_put(out, STR("./"));
    for (size_t i = 0; i < path.len; i++) {
        if (path.ptr[i] == '\'')
            buf_put(out, STR("'\\''"));
        else
            buf_put_char(out, path.ptr[i]);
    }
    if (quoted)
        buf_put_char(out, '\'');
}
