#include "base/words.h"

#include <stdarg.h>
#include <stdio.h>

#include "base/date.h"

__attribute__((format(printf, 1, 2))) static struct words
words_of(const char *format, ...)
{
    struct words words;
    va_list args;

    va_start(args, format);
    vsnprintf(words.text, sizeof(words.text), format, args);
    va_end(args);
    return words;
}

struct words words_time(uint64_t wall_ms)
{
    struct date_text iso = date_iso(wall_ms);

    return words_of("%.10s %.8s UTC", iso.text, iso.text + 11);
}

struct words words_when(uint64_t wall_ms, uint64_t now_wall_ms)
{
    struct words time = words_time(wall_ms);

    if (wall_ms <= now_wall_ms)
        return time;
    return words_of("%s, in %s", time.text,
                    words_duration(wall_ms - now_wall_ms).text);
}

struct words words_duration(uint64_t ms)
{
    unsigned long long s = (ms + 500) / 1000;

    if (ms < 59950)
        return words_of("%.1f s", (double)ms / 1000);
    if (s < 3600)
        return words_of("%llu min %llu s", s / 60, s % 60);
    if (s < 2 * 24 * 3600)
        return words_of("%llu h %llu min", s / 3600, s / 60 % 60);
    return words_of("%llu days", s / (24 * 3600));
}

struct words words_elapsed(uint64_t ms)
{
    unsigned long long s = ms / 1000;

    if (s >= 3600)
        return words_of("%llu:%02llu:%02llu", s / 3600, s / 60 % 60, s % 60);
    return words_of("%llu:%02llu", s / 60, s % 60);
}

struct words words_bytes(uint64_t bytes)
{
    static const char *const unit[] = {"B", "KB", "MB", "GB", "TB"};
    double value = (double)bytes;
    size_t i = 0;

    /* 999.95 of a unit would be shown as 1000.0. */
    while (value >= (i ? 999.95 : 1000) && i + 1 < ARRAY_LEN(unit)) {
        value /= 1000;
        i++;
    }
    return words_of("%.*f %s", i ? 1 : 0, value, unit[i]);
}

struct words words_count(uint64_t count, const char *what)
{
    return words_of("%llu %s%s", (unsigned long long)count, what,
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
