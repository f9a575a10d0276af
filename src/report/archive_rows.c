#include "report/archive_rows.h"

#include <stdlib.h>

#include "archive/archive_name.h"
#include "base/mem.h"

static bool begin(void *user, uint64_t urls, uint64_t last_number)
{
    struct archive_rows *rows = user;

    (void)urls;
    rows->last_number = last_number;
    if (rows->page)
        rows->depth = mem_array(last_number + 1, sizeof(*rows->depth));
    return true;
}

static bool read_change(void *user, const struct store_change *row)
{
    struct archive_rows *rows = user;

    if (row->number > rows->last_number)
        return false;
    rows->depth[row->number] = row->depth + 1;
    return true;
}

/* The rows are only read for their digest. */
static bool read_url(void *user, const struct store_url *row)
{
    (void)user, (void)row;
    return true;
}

/* Let a function of the caller see it. */
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
    if (row->number > rows->last_number ||
        !store_find_url(rows->report->store, row->number, &url))
        return false;
    uint32_t depth = rows->depth[row->number];
    struct wacz_page page = {
        .number = row->page,
        .url = url.url,
        .date_ms = row->start_ms,
        .depth = depth ? depth - 1 : url.depth,
        .has_depth = true,
        .is_seed = !url.referrer,
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
    bool good =
        store_load(rows->report->store, 0, &reader, &rows->report->error);
    free(rows->depth);
    rows->depth = NULL;
    return good;
}

void archive_rows_release(struct archive_rows *rows)
{
    free(rows->file);
    arena_release(&rows->arena);
}
