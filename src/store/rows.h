/* The kinds of rows, made from store/rows.def: a struct for each (struct
 * store_url, struct store_fetch, ...), and a description of each for code that
 * works on any kind.
 * Times are of the wall clock, in milliseconds since 1970. */
#ifndef STORE_ROWS_H
#define STORE_ROWS_H

#include <stddef.h>
#include <stdint.h>

#include "base/mem.h"

/* --- the structs -------------------------------------------------------- */

#define ROW_TYPE_ID     uint64_t
#define ROW_TYPE_NUMBER uint64_t
#define ROW_TYPE_U32    uint32_t
#define ROW_TYPE_U8     uint8_t
#define ROW_TYPE_FLAG   bool
#define ROW_TYPE_BITS   uint64_t
#define ROW_TYPE_NAME   struct str
#define ROW_TYPE_TEXT   struct str
#define ROW_TYPE_PART   struct str

#define KIND(kind)                      struct store_##kind {
#define COLUMN(kind, type, name, since) ROW_TYPE_##type name;
#define END(kind)                                                              \
    }                                                                          \
    ;
#include "store/rows.def"

/* --- their description -------------------------------------------------- */

enum row_kind {
#define KIND(kind) ROW_##kind,
#include "store/rows.def"
    ROW_KINDS,
};

enum row_type {
    ROW_ID,
    ROW_NAME,
    ROW_PART, /* up to here: not in a column that came later than its kind */
    ROW_NUMBER,
    ROW_U32,
    ROW_U8,
    ROW_FLAG,
    ROW_BITS,
    ROW_TEXT,
};

struct row_column {
    const char *name;
    size_t at; /* in the struct */
    enum row_type type;
    int since; /* the version of the format that brought it */
};

struct row_description {
    const char *name;
    size_t size; /* of the struct */
    const struct row_column *column;
    size_t columns;
};

extern const struct row_description row_description[ROW_KINDS];

/* The version of the format that brought the kind. */
static inline int row_kind_since(enum row_kind kind)
{
    return row_description[kind].column[0].since;
}

/* The greatest of the structs. */
union row_any {
#define KIND(kind) struct store_##kind kind;
#include "store/rows.def"
};

/* --- the values of a row ------------------------------------------------ */

/* A column that is a number of any type. */
uint64_t row_get_number(const void *row, const struct row_column *column);

/* False if the value cannot be one of this column. */
bool row_set_number(void *row, const struct row_column *column, uint64_t value);

static inline const struct str *row_text(const void *row,
                                         const struct row_column *column)
{
    return (const struct str *)(const void *)((const char *)row + column->at);
}

static inline struct str *row_text_to_set(void *row,
                                          const struct row_column *column)
{
    return (struct str *)(void *)((char *)row + column->at);
}

static inline bool row_is_text(const struct row_column *column)
{
    return column->type == ROW_NAME || column->type == ROW_TEXT;
}

/* Copy the texts of a row into the arena. Parts go with their text. */
void row_copy_texts(enum row_kind kind, void *row, struct arena *arena);

/* The digest of all rows of a kind up to this one, from the digest of those
 * before it. It depends on every value and on their order, so that a reader
 * finds out whether it reads what was written. It guards against decay, not
 * against people: anyone can compute it. */
uint64_t row_digest(uint64_t before, enum row_kind kind, const void *row);

#endif
