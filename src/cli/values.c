#include "cli/values.h"

struct unit {
    struct str name;
    uint64_t factor;
};

static const struct unit durations[] = {
    {STR_INIT("ms"), 1},          {STR_INIT("s"), 1000},
    {STR_INIT(""), 1000},         {STR_INIT("m"), 60 * 1000},
    {STR_INIT("h"), 3600 * 1000}, {STR_INIT("d"), 24 * 3600 * 1000},
};

static const struct unit sizes[] = {
    {STR_INIT(""), 1},         {STR_INIT("k"), 1 << 10},
    {STR_INIT("kb"), 1 << 10}, {STR_INIT("m"), 1 << 20},
    {STR_INIT("mb"), 1 << 20}, {STR_INIT("g"), 1 << 30},
    {STR_INIT("gb"), 1 << 30},
};

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
