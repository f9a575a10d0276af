#include "fleet/fleet_copy.h"

#include <stdio.h>
#include <stdlib.h>

#include "base/mem.h"
#include "fleet/fleet_store.h"
#include "web/partition.h"

enum { COMMIT_BYTES = 16 << 20 };

/* The numbers that the URLs of a partition have in the copy. */
struct number_list {
    uint32_t *number; /* by number within the partition; 0: there is none */
    uint64_t count;
};

struct copying {
    struct store *to;
    struct store_batch batch;
    struct number_list *part;
    uint32_t parts, reading; /* the partition that is read */
    uint64_t last_url, last_order;
    /* Machines number them from 1: what those before this one had, and all. */
    uint64_t archives_before, archives, captures_before, captures;
    struct store_error error; /* why the copy cannot be written */
};

/* --- writing -------------------------------------------------------------- */

static bool commit(struct copying *copying)
{
    const struct store_batch *batch = &copying->batch;

    bool good = store_commit(copying->to, &batch, 1, &copying->error);
    store_batch_clear(&copying->batch);
    return good;
}

static bool add(struct copying *copying, enum row_kind kind, const void *row)
{
    store_add(&copying->batch, kind, row);
    return store_batch_bytes(&copying->batch) < COMMIT_BYTES || commit(copying);
}

/* --- the first reading: numbers ------------------------------------------- */

/* Its number in the copy, or 0. */
static uint32_t find(const struct copying *copying, uint64_t number)
{
    uint32_t part = partition_of_number(number);
    uint64_t n = number - partition_number(part, 0);

    return part < copying->parts && n < copying->part[part].count
               ? copying->part[part].number[n]
               : 0;
}

static bool begin_numbers(void *user, uint64_t urls, uint64_t last_number)
{
    struct copying *copying = user;
    struct number_list *list = &copying->part[copying->reading];

    if (!urls)
        return true;
    list->count = last_number - partition_number(copying->reading, 0) + 1;
    list->number = mem_array(list->count, sizeof(*list->number));
    return true;
}

static bool number_url(void *user, const struct store_url *row)
{
    struct copying *copying = user;
    uint64_t n = row->number - partition_number(copying->reading, 0);

    if (n >= copying->part[copying->reading].count)
        return false;
    if (copying->last_url + 1 >= UINT32_MAX)
        return store_fail(&copying->error, STORE_FAILED,
                          "there are too many URLs for one file");
    copying->part[copying->reading].number[n] = (uint32_t)++copying->last_url;
    return true;
}

/* --- the second reading: rows --------------------------------------------- */

/* Give the row the numbers of the copy. `*is_left_out`: it is of a page that
 * came after the moment of the copy. False if it cannot be. */
static bool adapt(struct copying *copying, enum row_kind kind,
                  union row_any *row, bool *is_left_out)
{
    switch (kind) {
    case ROW_change:
        return (row->change.number = find(copying, row->change.number));
    case ROW_fetch:
        return (row->fetch.number = find(copying, row->fetch.number));
    case ROW_refusal:
        return (row->refusal.number = find(copying, row->refusal.number));
    case ROW_url:
        row->url.via = row->url.via ? find(copying, row->url.via) : 0;
        return (row->url.number = find(copying, row->url.number));
    case ROW_content:
        *is_left_out = !row->content.page;
        return true;
    case ROW_mixed:
        *is_left_out = !row->mixed.page;
        return true;
    case ROW_link:
        if (row->link.source)
            row->link.source = find(copying, row->link.source);
        *is_left_out = !row->link.page && !row->link.source;
        return true;
    case ROW_hand_order:
        row->hand_order.number = ++copying->last_order;
        return true;
    case ROW_archive:
        if (row->archive.number == 1) {
            copying->archives_before = copying->archives;
            copying->captures_before = copying->captures;
        }
        row->archive.number += copying->archives_before;
        copying->archives = row->archive.number;
        return true;
    case ROW_capture:
        row->capture.archive += (uint32_t)copying->archives_before;
        row->capture.number += copying->captures_before;
        if (row->capture.refers)
            row->capture.refers += copying->captures_before;
        copying->captures = row->capture.number;
        return true;
    default:
        return true;
    }
}

#define KIND(kind)                                                             \
    static bool take_##kind(void *user, const struct store_##kind *row)        \
    {                                                                          \
        union row_any copy;                                                    \
        bool is_left_out = false;                                              \
                                                                               \
        copy.kind = *row; /* NOLINT(bugprone-macro-parentheses) */             \
        return adapt(user, ROW_##kind, &copy, &is_left_out) &&                 \
               (is_left_out || add(user, ROW_##kind, &copy));                  \
    }
#include "store/rows.def"

/* --- all of it ------------------------------------------------------------ */

static bool read_slices(struct copying *copying, struct store *from,
                        const struct store_reader *reader, bool with_crawl,
                        struct store_error *error)
{
    bool good = !with_crawl || store_load(from, 0, reader, error);

    for (unsigned slice = 1; slice <= copying->parts && good; slice++) {
        copying->reading = slice - 1;
        good = store_load(from, slice, reader, error);
    }
    if (!good && copying->error.status != STORE_OK)
        *error = copying->error;
    return good;
}

static void put_machines(struct copying *copying, const struct store *from)
{
    const struct fleet_snapshot *moment = fleet_store_moment(from);

    for (size_t i = 0; i < moment->nodes; i++) {
        uint32_t node = moment->node[i].node;
        char name[32], value[24];
        if (node == FLEET_SEEDS)
            continue;
        snprintf(name, sizeof(name), "machine.%05u", (unsigned)node);
        snprintf(value, sizeof(value), "%u",
                 (unsigned)fleet_store_pages_before(from, node));
        store_add_setting(&copying->batch,
                          &(struct store_setting){str_of(name), str_of(value)});
    }
}

static bool copy_rows(struct copying *copying, struct store *from,
                      struct store_error *error)
{
    const struct store_reader numbers = {
        .user = copying,
        .begin = begin_numbers,
        .url = number_url,
    };
    const struct store_reader rows = {
        .user = copying,
#define KIND(kind) .kind = take_##kind,
#include "store/rows.def"
    };
    const struct store_batch *last = &copying->batch;

    put_machines(copying, from);
    if (!read_slices(copying, from, &numbers, false, error) ||
        !read_slices(copying, from, &rows, true, error))
        return false;
    return store_commit_last(copying->to, &last, 1, error);
}

bool fleet_copy(struct store *from, const char *to, struct store_error *error)
{
    struct copying copying = {
        .parts = fleet_store_moment(from)->crawl.partitions,
        .error.status = STORE_OK,
    };

    store_batch_init(&copying.batch);
    copying.part = mem_array(copying.parts, sizeof(*copying.part));
    copying.to = store_create(to, store_codes(from), &copying.batch,
                              STORE_AT_ONCE, error);
    bool good = copying.to && copy_rows(&copying, from, error);
    store_close(copying.to);
    store_batch_release(&copying.batch);
    for (uint32_t i = 0; i < copying.parts; i++)
        free(copying.part[i].number);
    free(copying.part);
    return good;
}
