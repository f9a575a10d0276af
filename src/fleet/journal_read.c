#include <stdlib.h>

#include "base/mem.h"
#include "fleet/journal.h"
#include "store/pack.h"
#include "store/store_type.h"

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
};

static bool is_lost(const struct journal_pages *pages, uint32_t node)
{
    return node < pages->lost_room && pages->lost[node];
}

/* A page as it is shown: its number, and its machine where that is told. */
struct shown {
    uint32_t page, machine;
};

static struct shown show(const struct journal_pages *pages, uint32_t node,
                         uint32_t page)
{
    const uint32_t *offset = pages->offset;

    if (!page || is_lost(pages, node))
        return (struct shown){0};
    if (!offset)
        return (struct shown){page, node == pages->own ? 0 : node};
    return node < pages->machines && page <= offset[node + 1] - offset[node]
               ? (struct shown){page + offset[node], 0}
               : (struct shown){0};
}

/* The column of this kind that is the number of a page of the machine that
 * wrote the row; NULL: there is none. */
static const struct row_column *page_column(enum row_kind kind)
{
    const struct row_description *description = &row_description[kind];

    for (size_t i = 0; i < description->columns; i++)
        if (!strcmp(description->column[i].name, "page"))
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
    uint32_t page = (uint32_t)row_get_number(row, reading->page);
    union row_any changed;

    if (page && is_lost(reading->pages, reading->node))
        return true;
    struct shown shown = show(reading->pages, reading->node, page);
    memcpy(&changed, row, row_description[kind].size);
    row_set_number(&changed, reading->page, shown.machine ? 0 : shown.page);
    return store_give(reading->reader, kind, &changed);
}

static void show_referrer(const struct reading *reading, uint32_t *referrer,
                          uint32_t *machine)
{
    struct shown shown =
        show(reading->pages, *machine ? *machine : reading->node, *referrer);

    *referrer = shown.page;
    *machine = shown.machine;
}

static bool give_with_referrer(void *user, enum row_kind kind, const void *row)
{
    const struct reading *reading = user;
    union row_any changed;

    memcpy(&changed, row, row_description[kind].size);
    if (kind == ROW_change)
        show_referrer(reading, &changed.change.referrer,
                      &changed.change.referrer_machine);
    else if (changed.url.kind != SITEMAP) /* it has its nesting there */
        show_referrer(reading, &changed.url.referrer,
                      &changed.url.referrer_machine);
    return store_give(reading->reader, kind, &changed);
}

/* --- rows ----------------------------------------------------------------- */

bool journal_part_read(const struct journal_part *part, enum row_kind kind,
                       const struct journal_pages *pages,
                       const struct store_reader *reader)
{
    struct reading reading = {
        .reader = reader, .pages = pages, .page = page_column(kind)};
    unpack_row_fn *give = kind == ROW_url || kind == ROW_change
                              ? give_with_referrer
                          : reading.page ? give_with_page
                                         : give_row;

    for (size_t i = 0; i < part->pieces; i++) {
        reading.node = part->piece[i].node;
        if (!unpack_rows(&part->piece[i].rows, kind, give, &reading))
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
