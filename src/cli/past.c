#include "cli/past.h"

#include <stdio.h>
#include <stdlib.h>

#include "base/mem.h"
#include "page/pagedir.h"
#include "page/secret.h"

#define NOT_KEPT "(not kept)"
#define OPTION   "option."
#define LOGIN    "login."

const char *past_path(struct arena *arena, const char *dir_path)
{
    size_t size = strlen(dir_path) + sizeof("/" PAGEDIR_MARKER);
    char *path = arena_new(arena, size);

    snprintf(path, size, "%s/%s", dir_path, PAGEDIR_MARKER);
    return path;
}

/* --- reading ------------------------------------------------------------ */

/* Names are "option.0001" and so on, and come sorted. */
static void add_item(struct past *past, struct list *list, struct str text)
{
    const char **grown =
        arena_new(&past->arena, (list->count + 2) * sizeof(*list->item));

    if (list->count)
        memcpy(grown, list->item, list->count * sizeof(*grown));
    list->item = grown;
    list->item[list->count++] = arena_copy(&past->arena, text).ptr;
}

static bool read_setting(void *user, const struct store_setting *row)
{
    struct past *past = user;

    if (str_starts(row->name, STR(OPTION))) {
        if (row->value.len) /* else it is no more */
            add_item(past, &past->given, row->value);
    } else if (str_starts(row->name, STR(LOGIN)))
        add_item(past, &past->logins, row->value);
    else if (str_eq(row->name, STR("depth")))
        return str_to_u64(row->value, &past->depth);
    else if (str_eq(row->name, STR("count.saved")))
        return str_to_u64(row->value, &past->pages);
    else if (str_eq(row->name, STR("bare")))
        return str_to_u64(row->value, &past->bare);
    else if (str_eq(row->name, STR("old_pages")))
        return str_to_u64(row->value, &past->old_pages);
    else if (str_eq(row->name, STR("per_host")))
        return str_to_u64(row->value, &past->per_host);
    else if (str_eq(row->name, STR("state")))
        past->state = arena_copy(&past->arena, row->value);
    return true;
}

static bool read_seed(void *user, const struct store_seed *row)
{
    struct past *past = user;

    if (past->seed_count == past->seed_room) {
        past->seed_room = past->seed_room ? 2 * past->seed_room : 16;
        past->seeds =
            mem_resize(past->seeds, past->seed_room * sizeof(*past->seeds));
    }
    past->seeds[past->seed_count++] = (struct past_seed){
        .url = arena_copy(&past->arena, row->url),
        .named = row->named,
    };
    return row->url.ptr != NULL;
}

void past_read(struct past *past, const char *dir_path)
{
    const struct store_reader reader = {
        .user = past,
        .setting = read_setting,
        .seed = read_seed,
    };

    *past = (struct past){.state = STR("running")};
    arena_init(&past->arena);
    struct store *store =
        store_open(past_path(&past->arena, dir_path), STORE_READ, &past->error);
    if (store && store_load(store, &reader, &past->error))
        past->error.status = STORE_OK;
    store_close(store);
    if (past->error.status == STORE_OK && past->pages > UINT32_MAX)
        past->error = (struct store_error){
            .status = STORE_DAMAGED,
            .text = "more pages than there can be",
        };
}

void past_release(struct past *past)
{
    free(past->seeds);
    arena_release(&past->arena);
    *past = (struct past){0};
}

bool past_is_finished(const struct past *past)
{
    return str_eq(past->state, STR("finished"));
}

bool past_is_unclean(const struct past *past)
{
    return str_eq(past->state, STR("running")) ||
           str_eq(past->state, STR("failed"));
}

/* --- writing ------------------------------------------------------------ */

/* Without what is secret in it. */
static void put_kept(struct buf *kept, struct str option)
{
    struct str value = str_cut(option, '=').tail;
    struct str header = option_is_named(option, STR("header"))
                            ? secret_header(value)
                            : (struct str){0};

    if (header.len) {
        buf_put(kept, STR("header="));
        buf_put(kept, header);
        buf_put(kept, STR(": " NOT_KEPT));
    } else if (option_is_named(option, STR("proxy")) &&
               str_find(value, '@') < value.len) {
        buf_put(kept, STR("proxy=" NOT_KEPT));
    } else {
        buf_put(kept, option);
    }
}

static void put_option(struct store_batch *batch, size_t number,
                       struct str option)
{
    struct buf kept;
    char name[32];
    int len = snprintf(name, sizeof(name), OPTION "%06zu", number);

    buf_init(&kept, option.len + sizeof(NOT_KEPT) + 2);
    put_kept(&kept, option);
    store_add_setting(batch, (struct str){name, (size_t)len}, buf_str(&kept));
    buf_release(&kept);
}

bool past_is_secret(const char *given)
{
    struct str text = str_of(given);

    return text.len >= STR(NOT_KEPT).len &&
           str_eq(str_skip(text, text.len - STR(NOT_KEPT).len), STR(NOT_KEPT));
}

void past_write_options(struct store_batch *batch, const struct list *given,
                        size_t before)
{
    size_t count = given->count > before ? given->count : before;

    for (size_t i = 0; i < count; i++)
        put_option(batch, i,
                   i < given->count ? str_of(given->item[i]) : STR(""));
}

void past_write_logins(struct store_batch *batch, const struct named *named)
{
    const struct named_login *login = named->logins;
    char name[32];

    for (size_t i = 0; login; i++, login = login->next) {
        int len = snprintf(name, sizeof(name), LOGIN "%06zu", i);
        store_add_setting(batch, (struct str){name, (size_t)len},
                          login->origin);
    }
}

void past_write(struct store_batch *batch, const struct list *given,
                uint64_t depth, uint64_t wall_ms)
{
    past_write_options(batch, given, 0);
    store_add_number(batch, STR("depth"), depth);
    store_add_number(batch, STR("started_ms"), wall_ms);
    store_add_setting(batch, STR("state"), STR("running"));
    store_add_setting(batch, STR("program"), STR("crawler " CRAWLER_VERSION));
}
