#include "store/store.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "store/store_type.h"

static const struct store_type *const types[] = {&store_sqlite};

bool store_fail(struct store_error *error, enum store_status status,
                const char *format, ...)
{
    va_list args;

    error->status = status;
    va_start(args, format);
    vsnprintf(error->text, sizeof(error->text), format, args);
    va_end(args);
    return false;
}

/* --- names -------------------------------------------------------------- */

/* "sqlite:pages": the type, and what is behind the colon. */
static const struct store_type *type_of(const char *name, const char **where,
                                        struct store_error *error)
{
    for (size_t i = 0; i < ARRAY_LEN(types); i++) {
        size_t len = strlen(types[i]->kind);
        if (!strncmp(name, types[i]->kind, len) && name[len] == ':') {
            *where = name + len + 1;
            return types[i];
        }
    }
    store_fail(error, STORE_FAILED, "there is no kind of store of this name");
    return NULL;
}

const char *store_label(const char *name, struct arena *arena)
{
    struct store_error error;
    const char *where;
    const struct store_type *type = type_of(name, &where, &error);

    return type ? type->label(where, arena) : name;
}

const char *store_name_in(const char *dir_path, struct arena *arena)
{
    size_t size = strlen("sqlite:") + strlen(dir_path) + 1;
    char *name = arena_new(arena, size);

    snprintf(name, size, "sqlite:%s", dir_path);
    return name;
}

/* --- the calls ---------------------------------------------------------- */

struct store *store_create(const char *name, const struct store_codes *codes,
                           const struct store_batch *first,
                           enum store_start start, struct store_error *error)
{
    const char *where;
    const struct store_type *type = type_of(name, &where, error);

    return type ? type->create(where, codes, first, start, error) : NULL;
}

bool store_replace_old(struct store *store, struct store_error *error)
{
    return store->type->replace_old(store, error);
}

bool store_leave_empty(const char *name, struct store_error *error)
{
    const char *where;
    const struct store_type *type = type_of(name, &where, error);

    return type && type->leave_empty(where, error);
}

struct store *store_open(const char *name, enum store_mode mode,
                         const struct store_codes *codes,
                         struct store_error *error)
{
    const char *where;
    const struct store_type *type = type_of(name, &where, error);

    return type ? type->open(where, mode, codes, error) : NULL;
}

void store_close(struct store *store)
{
    if (store)
        store->type->close(store);
}

void store_tidy(const char *name)
{
    struct store_error error;
    const char *where;
    const struct store_type *type = type_of(name, &where, &error);

    if (type)
        type->tidy(where);
}

bool store_commit(struct store *store, const struct store_batch *const *batch,
                  size_t count, struct store_error *error)
{
    return store->type->commit(store, batch, count, error);
}

bool store_commit_last(struct store *store,
                       const struct store_batch *const *batch, size_t count,
                       struct store_error *error)
{
    return store->type->commit_last(store, batch, count, error);
}

uint64_t store_renew_ms(const struct store *store)
{
    return store->type->renew_ms ? store->type->renew_ms(store) : 0;
}

unsigned store_slices(const struct store *store)
{
    return store->type->slices(store);
}

bool store_load(struct store *store, unsigned slice,
                const struct store_reader *reader, struct store_error *error)
{
    return store->type->load(store, slice, reader, error);
}

const struct store_codes *store_codes(const struct store *store)
{
    return store->codes;
}

bool store_check(struct store *store,
                 void (*found)(void *user, const char *text), void *user,
                 struct store_error *error)
{
    return store->type->check(store, found, user, error);
}

void store_watch(struct store *store, bool (*is_told)(void *user), void *user)
{
    if (store->type->watch)
        store->type->watch(store, is_told, user);
}

unsigned store_additions(const struct store *store)
{
    return store->additions;
}

bool store_find_url(struct store *store, uint64_t number, struct store_url *url)
{
    return store->type->find_url(store, number, url);
}

/* --- readers ------------------------------------------------------------ */

bool store_wants(const struct store_reader *reader, enum row_kind kind)
{
    switch (kind) {
#define KIND(kind)                                                             \
    case ROW_##kind:                                                           \
        return reader->kind != NULL;
#include "store/rows.def"
    case ROW_KINDS:
        break;
    }
    return false;
}

bool store_give(const struct store_reader *reader, enum row_kind kind,
                const void *row)
{
    switch (kind) {
#define KIND(kind)                                                             \
    case ROW_##kind:                                                           \
        return !reader->kind || reader->kind(reader->user, row);
#include "store/rows.def"
    case ROW_KINDS:
        break;
    }
    return true;
}
