#include "store/digest.h"

#include "base/hash.h"

enum { ROW_MAX = 1 << 30 };

void digest_init(struct digest *digest)
{
    buf_init(&digest->row, ROW_MAX);
}

void digest_release(struct digest *digest)
{
    buf_release(&digest->row);
}

static char *put_number(char *to, uint64_t value)
{
    memcpy(to, &value, sizeof(value));
    return to + sizeof(value);
}

/* A text that is NULL is another than one that is empty. */
static uint64_t length_of(struct str text)
{
    return text.ptr ? text.len + 1 : 0;
}

static size_t room_for(const struct row_description *kind, const void *row)
{
    size_t room = kind->columns * 2 * sizeof(uint64_t);

    for (size_t i = 0; i < kind->columns; i++)
        if (row_is_text(&kind->column[i]))
            room += row_text(row, &kind->column[i])->len;
    return room;
}

/* A column that is 0 or NULL counts for nothing at the end of a row, so that
 * a column added later does not change the digest of rows written before. */
static bool is_blank(const struct row_column *column, const void *row)
{
    if (row_is_text(column))
        return !row_text(row, column)->ptr;
    return column->type != ROW_PART && !row_get_number(row, column);
}

static size_t columns_that_count(const struct row_description *kind,
                                 const void *row)
{
    size_t count = kind->columns;

    while (count && is_blank(&kind->column[count - 1], row))
        count--;
    return count;
}

static char *put_column(char *to, const struct row_column *column,
                        const void *row, const char *whole)
{
    const struct str *text = row_text(row, column);

    if (column->type == ROW_PART) {
        to = put_number(to, (uint64_t)(text->ptr - whole));
        return put_number(to, text->len);
    }
    if (!row_is_text(column))
        return put_number(to, row_get_number(row, column));
    to = put_number(to, length_of(*text));
    if (text->len)
        memcpy(to, text->ptr, text->len);
    return to + text->len;
}

uint64_t digest_row(struct digest *digest, uint64_t before, enum row_kind kind,
                    const void *row)
{
    const struct row_description *description = &row_description[kind];
    size_t count = columns_that_count(description, row);
    const char *whole = NULL;

    buf_clear(&digest->row);
    char *start = buf_reserve(&digest->row, room_for(description, row));
    char *to = start;
    for (size_t i = 0; i < count; i++) {
        const struct row_column *column = &description->column[i];
        to = put_column(to, column, row, whole);
        if (row_is_text(column))
            whole = row_text(row, column)->ptr;
    }
    return hash64(str_between(start, to), before);
}

uint64_t digest_text(uint64_t before, struct str text)
{
    return hash64(text, before);
}
