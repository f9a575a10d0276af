#include "base/values.h"

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
