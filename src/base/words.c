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

/* --- values of options ---------------------------------------------------- */

struct unit {
    struct str name;
    uint64_t factor;
    uint64_t shown_from; /* the least that is written in it; 0: never */
};

enum { SECOND = 1000, MINUTE = 60 * SECOND, HOUR = 60 * MINUTE };
enum { DAY = 24 * HOUR }; /* people say 24 hours rather than 1 day */

// clang-format off
static const struct unit durations[] = {
    {STR_INIT("ms"), 1, 1},           {STR_INIT("s"), SECOND, SECOND},
    {STR_INIT(""), SECOND, 0},        {STR_INIT("m"), MINUTE, MINUTE},
    {STR_INIT("h"), HOUR, HOUR},      {STR_INIT("d"), DAY, 2 * DAY},
};

static const struct unit sizes[] = {
    {STR_INIT(""), 1, 1},
    {STR_INIT("K"), 1 << 10, 1 << 10}, {STR_INIT("KB"), 1 << 10, 0},
    {STR_INIT("M"), 1 << 20, 1 << 20}, {STR_INIT("MB"), 1 << 20, 0},
    {STR_INIT("G"), 1 << 30, 1 << 30}, {STR_INIT("GB"), 1 << 30, 0},
};
// clang-format on

static size_t digits(struct str s)
{
    size_t len = 0;

    while (len < s.len && ascii_is_digit(s.ptr[len]))
        len++;
    return len;
}

static const struct unit *find_unit(const struct unit *unit, size_t count,
                                    struct str name)
{
    for (size_t i = 0; i < count; i++)
        if (str_eq_nocase(unit[i].name, name))
            return &unit[i];
    return NULL;
}

/* "1.25" of unit 1000 is 1250; what is finer than the unit's base is cut. */
static bool scaled(struct str text, const struct unit *units, size_t count,
                   uint64_t *out)
{
    struct str whole = str_first(text, digits(text));
    struct str fraction = {0};
    struct str rest = str_skip(text, whole.len);
    uint64_t value;

    if (rest.len > 1 && rest.ptr[0] == '.') {
        fraction = str_skip(rest, 1);
        fraction.len = digits(fraction);
        rest = str_skip(rest, 1 + fraction.len);
        if (!fraction.len)
            return false;
    }
    const struct unit *unit = find_unit(units, count, rest);
    if (!unit || !str_to_u64(whole, &value) ||
        value > UINT64_MAX / 2 / unit->factor)
        return false;

    /* Nine digits times the largest factor is still far from an overflow. */
    uint64_t part = 0, parts = 1;
    for (size_t i = 0; i < fraction.len && i < 9; i++) {
        part = 10 * part + (uint64_t)(fraction.ptr[i] - '0');
        parts *= 10;
    }
    *out = value * unit->factor + part * unit->factor / parts;
    return true;
}

bool value_duration_ms(struct str text, uint64_t *ms)
{
    return scaled(text, durations, ARRAY_LEN(durations), ms);
}

bool value_size(struct str text, uint64_t *bytes)
{
    return scaled(text, sizes, ARRAY_LEN(sizes), bytes);
}

/* In the largest unit of which it is a whole number. */
static void put_scaled(struct buf *out, const struct unit *units, size_t count,
                       uint64_t value)
{
    const struct unit *unit = NULL;

    for (size_t i = 0; i < count; i++)
        if (units[i].shown_from && value >= units[i].shown_from &&
            value % units[i].factor == 0)
            unit = &units[i];
    buf_printf(out, "%llu%s",
               (unsigned long long)(unit ? value / unit->factor : value),
               unit ? unit->name.ptr : "");
}

void value_put_duration(struct buf *out, uint64_t ms)
{
    put_scaled(out, durations, ARRAY_LEN(durations), ms);
}

void value_put_size(struct buf *out, uint64_t bytes)
{
    put_scaled(out, sizes, ARRAY_LEN(sizes), bytes);
}
