#include "report/archive_rows.h"

#include <stdlib.h>

#include "archive/archive_name.h"
#include "base/mem.h"
#include "web/partition.h"

/* The record of a crawl on one machine has one slice. In a fleet's record of
 * one machine the first slice has the captures, and each of the others a
 * partition, whose pages may be anybody's. */

/* A page whose URL is not known yet. */
struct archived_page {
    uint32_t page;
    struct str title;
    uint64_t start_ms;
};

static bool begin(void *user, uint64_t urls, uint64_t last_number)
{
    struct archive_rows *rows = user;

    (void)urls;
    rows->last_number = last_number;
    rows->base = partition_number(partition_of_number(last_number), 0);
    if (rows->page)
        rows->depth =
            mem_array(last_number - rows->base + 1, sizeof(*rows->depth));
    return true;
}

static bool is_number(const struct archive_rows *rows, uint64_t number)
{
    return number >= rows->base && number <= rows->last_number;
}

static bool read_change(void *user, const struct store_change *row)
{
    struct archive_rows *rows = user;

    if (!is_number(rows, row->number))
        return false;
    rows->depth[row->number - rows->base] = row->depth + 1;
    return true;
}

/* The rows are only read for their digest. */
static bool read_url(void *user, const struct store_url *row)
{
    (void)user, (void)row;
    return true;
}

/* Pass on the answer of the caller's function; false ends the reading. */
static bool go_on(struct archive_rows *rows, bool answer)
{
    if (!answer)
        rows->is_ended = true;
    return answer;
}

/* A page that asks not to be archived was saved, but is in no WARC file. */
static bool read_fetch(void *user, const struct store_fetch *row)
{
    struct archive_rows *rows = user;
    struct store_url url;

    if (!row->page || row->noarchive)
        return true;
    if (!is_number(rows, row->number) ||
        !store_find_url(rows->store, row->number, &url))
        return false;
    uint32_t depth = rows->depth[row->number - rows->base];
    struct wacz_page page = {
        .number = row->page,
        .url = url.url,
        .title = row->title,
        .date_ms = row->start_ms,
        .depth = depth ? depth - 1 : url.depth,
        .has_depth = true,
        .is_seed = !url.referrer,
    };
    return go_on(rows, rows->page(rows->user, &page));
}

/* Asking a fleet's store for a URL would keep its whole partition in memory for
 * good, so the page waits for the URL's row, which comes later. */
static bool note_fetch(void *user, const struct store_fetch *row)
{
    struct archive_rows *rows = user;

    if (!row->page || row->noarchive)
        return true;
    if (!is_number(rows, row->number))
        return false;
    if (!rows->saved)
        rows->saved =
            mem_array(rows->last_number - rows->base + 1, sizeof(*rows->saved));
    rows->saved[row->number - rows->base] = (struct archived_page){
        row->page, arena_copy(&rows->titles, row->title), row->start_ms};
    return true;
}

/* Another machine may have found it, so a seed is known by its depth. */
static bool read_saved_url(void *user, const struct store_url *row)
{
    struct archive_rows *rows = user;
    uint64_t n = row->number - rows->base;

    if (!is_number(rows, row->number))
        return false;
    if (!rows->saved || !rows->saved[n].page)
        return true;
    uint32_t depth = rows->depth[n] ? rows->depth[n] - 1 : row->depth;
    struct wacz_page page = {
        .number = rows->saved[n].page,
        .url = row->url,
        .title = rows->saved[n].title,
        .date_ms = rows->saved[n].start_ms,
        .depth = depth,
        .has_depth = true,
        .is_seed = !depth,
    };
    return go_on(rows, rows->page(rows->user, &page));
}

/* Files have the numbers 1, 2, ... Their names are used to open them. */
static bool read_archive(void *user, const struct store_archive *row)
{
    struct archive_rows *rows = user;

    if (row->number != rows->file_count + 1 || !archive_name_is_safe(row->name))
        return false;
    rows->file = mem_grow(rows->file, rows->file_count, &rows->file_room,
                          sizeof(*rows->file));
    rows->file[rows->file_count++] = (struct archive_file){
        arena_copy(&rows->arena, row->name).ptr, row->start};
    return true;
}

static bool read_capture(void *user, const struct store_capture *row)
{
    struct archive_rows *rows = user;

    if (!row->archive || row->archive > rows->file_count)
        return false;
    struct archive_file *file = &rows->file[row->archive - 1];
    uint64_t end = row->at + row->length + row->request_length;
    if (end > file->length)
        file->length = end;
    const struct cdxj_entry entry = {
        .url = row->url,
        .date_ms = row->start_ms,
        .status = row->status,
        .mime = row->kind == CAPTURE_REVISIT ? STR("warc/revisit") : row->mime,
        .digest = row->digest,
        .file_name = str_of(file->name),
        .at = row->at,
        .length = row->length,
    };
    return go_on(rows, rows->capture(rows->user, &entry, row));
}

static bool load(struct archive_rows *rows, unsigned slice,
                 const struct store_reader *reader)
{
    bool good = store_load(rows->store, slice, reader, rows->error);

    free(rows->depth);
    free(rows->saved);
    rows->depth = NULL;
    rows->saved = NULL;
    arena_clear(&rows->titles);
    return good;
}

/* The captures last: those of a crawl at work are then no fewer than its
 * pages. */
static bool read_machine(struct archive_rows *rows)
{
    const struct store_reader pages = {
        .user = rows,
        .begin = begin,
        .change = read_change,
        .fetch = note_fetch,
        .url = read_saved_url,
    };
    const struct store_reader captures = {
        .user = rows,
        .archive = read_archive,
        .capture = read_capture,
    };
    unsigned slices = rows->page ? store_slices(rows->store) : 0;

    for (unsigned slice = 1; slice < slices; slice++)
        if (!load(rows, slice, &pages))
            return false;
    return load(rows, 0, &captures);
}

bool archive_rows_read(struct archive_rows *rows)
{
    const struct store_reader reader = {
        .user = rows,
        .begin = begin,
        .change = rows->page ? read_change : NULL,
        .fetch = rows->page ? read_fetch : NULL,
        .url = rows->page ? read_url : NULL,
        .archive = read_archive,
        .capture = read_capture,
    };

    arena_init(&rows->arena);
    arena_init(&rows->titles);
    bool good = store_slices(rows->store) > 1 ? read_machine(rows)
                                              : load(rows, 0, &reader);
    arena_release(&rows->titles);
    return good;
}

void archive_rows_release(struct archive_rows *rows)
{
    free(rows->file);
    arena_release(&rows->arena);
}
