#include <stdlib.h>

#include "base/mem.h"
#include "fleet/journal.h"
#include "store/engine.h"
#include "store/pack.h"
#include "url/partition.h"

/* Rows out of segments. */

enum { SITEMAP = 1 }; /* the kind of a URL: store/rows.def */

struct journal_piece {
    struct unpacked rows;
    uint32_t node; /* that wrote it */
};

bool journal_part_add(struct journal_part *part, uint32_t node,
                      struct str payload)
{
    struct unpacked rows;

    if (!part->unpacker)
        part->unpacker = unpacker_new();
    if (!unpack(part->unpacker, &rows, payload))
        return false;
    part->piece =
        mem_grow(part->piece, part->pieces, &part->room, sizeof(*part->piece));
    part->piece[part->pieces++] = (struct journal_piece){rows, node};
    return true;
}

void journal_part_release(struct journal_part *part)
{
    for (size_t i = 0; i < part->pieces; i++)
        unpack_release(&part->piece[i].rows);
    free(part->piece);
    unpacker_free(part->unpacker);
    *part = (struct journal_part){0};
}

/* --- pages ---------------------------------------------------------------- */

struct reading {
    const struct store_reader *reader;
    const struct journal_pages *pages;
    uint32_t node;
    const struct row_column *page; /* the column that is a page, or NULL */
    bool is_referrer;              /* it is not the page itself */
};

static bool is_lost(const struct reading *reading)
{
    return reading->node < reading->pages->lost_room &&
           reading->pages->lost[reading->node];
}

static uint32_t shown_page(const struct reading *reading, uint32_t page)
{
    const struct journal_pages *pages = reading->pages;

    if (!page || is_lost(reading))
        return 0;
    if (pages->offset)
        return reading->node < pages->machines &&
                       page <= pages->offset[reading->node + 1] -
                                   pages->offset[reading->node]
                   ? page + pages->offset[reading->node]
                   : 0;
    return reading->node == pages->own ? page : 0;
}

/* The column of this kind that is the number of a page; NULL: there is none. */
static const struct row_column *page_column(enum row_kind kind)
{
    const struct row_description *description = &row_description[kind];

    for (size_t i = 0; i < description->columns; i++)
        if (!strcmp(description->column[i].name, "page") ||
            !strcmp(description->column[i].name, "referrer"))
            return &description->column[i];
    return NULL;
}

static bool give_row(void *user, enum row_kind kind, const void *row)
{
    const struct reading *reading = user;

    return store_give(reading->reader, kind, row);
}

static bool give_with_page(void *user, enum row_kind kind, const void *row)
{
    const struct reading *reading = user;
    const struct row_column *column = reading->page;
    union row_any changed;

    /* The referrer of a sitemap is how deep it is nested. */
    if (kind == ROW_url && ((const struct store_url *)row)->kind == SITEMAP)
        return store_give(reading->reader, kind, row);
    if (is_lost(reading) && !reading->is_referrer &&
        row_get_number(row, column))
        return true;
    memcpy(&changed, row, row_description[kind].size);
    row_set_number(&changed, column,
                   shown_page(reading, (uint32_t)row_get_number(row, column)));
    return store_give(reading->reader, kind, &changed);
}

/* --- rows ----------------------------------------------------------------- */

bool journal_part_read(const struct journal_part *part, enum row_kind kind,
                       const struct journal_pages *pages,
                       const struct store_reader *reader)
{
    const struct row_column *page = page_column(kind);
    struct reading reading = {
        .reader = reader,
        .pages = pages,
        .page = page,
        .is_referrer = page && strcmp(page->name, "page") != 0,
    };

    for (size_t i = 0; i < part->pieces; i++) {
        reading.node = part->piece[i].node;
        if (!unpack_rows(&part->piece[i].rows, kind,
                         page ? give_with_page : give_row, &reading))
            return false;
    }
    return true;
}

struct counting {
    uint64_t urls, last;
};

static bool count_url(void *user, enum row_kind kind, const void *row)
{
    struct counting *counting = user;
    uint64_t number = ((const struct store_url *)row)->number;

    (void)kind;
    counting->urls++;
    if (counting->last < number)
        counting->last = number;
    return true;
}

bool journal_part_count(const struct journal_part *part, uint64_t *urls,
                        uint64_t *last_number)
{
    struct counting counting = {0};

    for (size_t i = 0; i < part->pieces; i++)
        if (!unpack_rows(&part->piece[i].rows, ROW_url, count_url, &counting))
            return false;
    *urls = counting.urls;
    *last_number = counting.last;
    return true;
}
