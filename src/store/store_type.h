/* A kind of store: the functions that stand behind store/store.h. Only the
 * files of store/ and of fleet/ include this. To add one: a file with such a
 * table, its name at the end of this header, and a line in store/store.c. */
#ifndef STORE_STORE_TYPE_H
#define STORE_STORE_TYPE_H

#include "store/store.h"

/* `where` is the name without its kind and colon. */
struct store_type {
    const char *kind; /* "sqlite" */
    struct store *(*create)(const char *where, const struct store_codes *codes,
                            const struct store_batch *first,
                            enum store_start start, struct store_error *error);
    bool (*replace_old)(struct store *store, struct store_error *error);
    bool (*leave_empty)(const char *where, struct store_error *error);
    struct store *(*open)(const char *where, enum store_mode mode,
                          const struct store_codes *codes,
                          struct store_error *error);
    void (*close)(struct store *store);
    void (*tidy)(const char *where);
    const char *(*label)(const char *where, struct arena *arena);
    bool (*commit)(struct store *store, const struct store_batch *const *batch,
                   size_t count, struct store_error *error);
    bool (*commit_last)(struct store *store,
                        const struct store_batch *const *batch, size_t count,
                        struct store_error *error);
    unsigned (*slices)(const struct store *store);
    bool (*load)(struct store *store, unsigned slice,
                 const struct store_reader *reader, struct store_error *error);
    bool (*check)(struct store *store,
                  void (*found)(void *user, const char *text), void *user,
                  struct store_error *error);
    bool (*find_url)(struct store *store, uint64_t number,
                     struct store_url *url);
    uint64_t (*renew_ms)(const struct store *store); /* or NULL */
    void (*watch)(struct store *store, bool (*is_told)(void *user),
                  void *user); /* or NULL */
};

/* The first member of every type's own struct. */
struct store {
    const struct store_type *type;
    const struct store_codes *codes;
    unsigned additions; /* tables, views and indexes that others made */
};

extern const struct store_type store_sqlite;

/* Give a row to the reader's function of its kind, if it has one. */
bool store_give(const struct store_reader *reader, enum row_kind kind,
                const void *row);
bool store_wants(const struct store_reader *reader, enum row_kind kind);

#endif
