#include "store/rows.h"

#include <string.h>

#include "base/hashtable.h"

/* --- the tables --------------------------------------------------------- */

#define KIND(kind) static const struct row_column kind##_columns[] = {
#define COLUMN(kind, type, name, since)                                        \
    {#name, offsetof(struct store_##kind, name), ROW_##type, since},
#define END(kind)                                                              \
    }                                                                          \
    ;
#include "store/rows.def"

const struct row_description row_description[ROW_KINDS] = {
#define KIND(kind)                                                             \
    [ROW_##kind] = {#kind, sizeof(struct store_##kind), kind##_columns,        \
                    ARRAY_LEN(kind##_columns)},
#include "store/rows.def"
};

/* --- values ------------------------------------------------------------- */

uint64_t row_get_number(const void *row, const struct row_column *column)
{
    const char *at = (const char *)row + column->at;
    uint64_t number;
    uint32_t half;

    switch (column->type) {
    case ROW_U32:
        memcpy(&half, at, sizeof(half));
        return half;
    case ROW_U8:
    case ROW_FLAG:
        return *(const uint8_t *)at;
    default:
        memcpy(&number, at, sizeof(number));
        return number;
    }
}

bool row_set_number(void *row, const struct row_column *column, uint64_t value)
{
    static const uint64_t max[] = {
        [ROW_ID] = INT64_MAX, [ROW_NUMBER] = INT64_MAX, [ROW_U32] = UINT32_MAX,
        [ROW_U8] = UINT8_MAX, [ROW_FLAG] = 1,           [ROW_BITS] = UINT64_MAX,
    };
    char *at = (char *)row + column->at;
    uint32_t half = (uint32_t)value;

    if (value > max[column->type] || (!value && column->type == ROW_ID))
        return false;
    switch (column->type) {
    case ROW_U32:
        memcpy(at, &half, sizeof(half));
        return true;
    case ROW_U8:
    case ROW_FLAG:
        *(uint8_t *)at = (uint8_t)value;
        return true;
    default:
        memcpy(at, &value, sizeof(value));
        return true;
    }
}

void row_copy_texts(enum row_kind kind, void *row, struct arena *arena)
{
    const struct row_description *description = &row_description[kind];
    const char *from = NULL, *to = NULL;

    for (size_t i = 0; i < description->columns; i++) {
        const struct row_column *column = &description->column[i];
        struct str *text = row_text_to_set(row, column);
        if (row_is_text(column)) {
            from = text->ptr;
            /* NULL stays NULL: it may mean something else than empty. */
            if (from)
                *text = arena_copy(arena, *text);
            to = text->ptr;
        } else if (column->type == ROW_PART) {
            text->ptr = to + (text->ptr - from);
        }
    }
}

/* --- digests ------------------------------------------------------------ */

/* Each step can be undone, so that one value that has changed always changes
 * the digest. */
static uint64_t add_number(uint64_t digest, size_t column, uint64_t value)
{
    digest = ((digest + column) ^ value) * 0x9e3779b97f4a7c15;
    return digest ^ digest >> 32;
}

/* A column that is 0 or NULL adds nothing, so that a column of a later version
 * does not change the digest of rows written before. */
uint64_t row_digest(uint64_t before, enum row_kind kind, const void *row)
{
    const struct row_description *description = &row_description[kind];
    uint64_t digest = add_number(before, 0, 1);
    const char *whole = NULL;

    for (size_t i = 0; i < description->columns; i++) {
        const struct row_column *column = &description->column[i];
        const struct str *text = row_text(row, column);
        uint64_t number;
        if (row_is_text(column)) {
            whole = text->ptr;
            if (whole)
                digest = hash64(*text, digest + i);
        } else if (column->type == ROW_PART) {
            digest = add_number(digest, i, (uint64_t)(text->ptr - whole));
            digest = add_number(digest, i, text->len);
        } else if ((number = row_get_number(row, column))) {
            digest = add_number(digest, i, number);
        }
    }
    return digest;
}
