#include "fleet/settings.h"

#include <stdio.h>
#include <stdlib.h>

#include "base/mem.h"
#include "store/pack.h"

enum { ARENA_MAX = 1 << 20 };

void settings_init(struct settings *settings)
{
    *settings = (struct settings){0};
    arena_init(&settings->arena);
}

void settings_release(struct settings *settings)
{
    free(settings->item);
    arena_release(&settings->arena);
    *settings = (struct settings){0};
}

static int compare(struct str a, struct str b)
{
    size_t len = a.len < b.len ? a.len : b.len;
    int order = len ? memcmp(a.ptr, b.ptr, len) : 0;

    return order ? order : (a.len > b.len) - (a.len < b.len);
}

/* The first that is not before this name. */
static size_t find(const struct settings *settings, struct str name)
{
    size_t from = 0, to = settings->count;

    while (from < to) {
        size_t middle = from + (to - from) / 2;
        if (compare(settings->item[middle].name, name) < 0)
            from = middle + 1;
        else
            to = middle;
    }
    return from;
}

/* Old values stay in the arena: copy those that count into a new one now and
 * then. */
static void tidy(struct settings *settings)
{
    struct arena old = settings->arena;

    if (old.used < ARENA_MAX)
        return;
    arena_init(&settings->arena);
    for (size_t i = 0; i < settings->count; i++)
        row_copy_texts(ROW_setting, &settings->item[i], &settings->arena);
    arena_release(&old);
}

static void put_value(struct settings *settings, struct str *to,
                      struct str value)
{
    if (!str_eq(*to, value) || !to->ptr != !value.ptr)
        *to = value.ptr ? arena_copy(&settings->arena, value) : value;
}

void settings_set(struct settings *settings, const struct store_setting *row)
{
    tidy(settings);
    size_t at = find(settings, row->name);

    if (at < settings->count && str_eq(settings->item[at].name, row->name)) {
        put_value(settings, &settings->item[at].value, row->value);
        return;
    }
    settings->item = mem_grow(settings->item, settings->count, &settings->room,
                              sizeof(*settings->item));
    memmove(&settings->item[at + 1], &settings->item[at],
            (settings->count - at) * sizeof(*settings->item));
    settings->count++;
    settings->item[at].name = arena_copy(&settings->arena, row->name);
    settings->item[at].value = (struct str){0};
    put_value(settings, &settings->item[at].value, row->value);
}

static void add_up(struct settings *settings, const struct store_setting *row)
{
    size_t at = find(settings, row->name);
    bool is_there =
        at < settings->count && str_eq(settings->item[at].name, row->name);
    uint64_t before, now;
    char text[24];

    if (!is_there || !str_to_u64(settings->item[at].value, &before) ||
        !str_to_u64(row->value, &now)) {
        settings_set(settings, row);
        return;
    }
    /* Counters have a dot in their name. Of all else, and of times, the
     * greatest counts. */
    if (str_ends(row->name, STR("_ms")) ||
        str_find(row->name, '.') == row->name.len)
        now = now > before ? now : before;
    else
        now += before;
    int len = snprintf(text, sizeof(text), "%llu", (unsigned long long)now);
    settings_set(settings,
                 &(struct store_setting){row->name, {text, (size_t)len}});
}

static bool take_last(void *user, enum row_kind kind, const void *row)
{
    (void)kind;
    settings_set(user, row);
    return true;
}

static bool take_sum(void *user, enum row_kind kind, const void *row)
{
    (void)kind;
    add_up(user, row);
    return true;
}

bool settings_unpack(struct settings *settings, struct str piece,
                     enum settings_merge merge)
{
    struct unpacked unpacked;

    if (!piece.len)
        return true;
    struct unpacker *unpacker = unpacker_new();
    bool good =
        unpack(unpacker, &unpacked, piece) &&
        unpack_rows(&unpacked, ROW_setting,
                    merge == SETTINGS_SUM ? take_sum : take_last, settings);
    unpack_release(&unpacked);
    unpacker_free(unpacker);
    return good;
}
