/* The HTML files below a folder, in memory, and the clock: for the programs
 * that measure what is done with pages. */
#ifndef BENCH_PAGES_H
#define BENCH_PAGES_H

#include <fts.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#include "base/buf.h"
#include "base/mem.h"

struct pages {
    struct str *page;
    struct str *path; /* from the folder, with a slash before it */
    size_t count, room;
    size_t bytes;
};

static inline bool pages_read_file(const char *path, struct buf *out)
{
    FILE *file = fopen(path, "rb");
    char chunk[65536];
    size_t len;

    if (!file)
        return false;
    while ((len = fread(chunk, 1, sizeof(chunk), file)) > 0)
        if (!buf_put(out, (struct str){chunk, len}))
            break;
    fclose(file);
    return true;
}

static inline void pages_add(struct pages *pages, const char *file,
                             const char *path)
{
    struct buf buf, name;

    buf_init(&buf, 64 << 20);
    buf_init(&name, 64 << 10);
    if (!pages_read_file(file, &buf))
        return;
    if (pages->count == pages->room) {
        pages->room = pages->room ? pages->room * 2 : 1024;
        pages->page =
            mem_resize(pages->page, pages->room * sizeof(*pages->page));
        pages->path =
            mem_resize(pages->path, pages->room * sizeof(*pages->path));
    }
    buf_put(&name, str_of(path));
    pages->bytes += buf.len;
    pages->page[pages->count] = buf_str(&buf);
    pages->path[pages->count] = buf_str(&name);
    pages->count++;
}

static inline void pages_read(struct pages *pages, char *folder)
{
    char *const paths[] = {folder, NULL};
    FTS *tree = fts_open(paths, FTS_PHYSICAL | FTS_NOCHDIR, NULL);
    FTSENT *entry;

    while (tree && (entry = fts_read(tree))) {
        struct str name = str_of(entry->fts_name);
        if (entry->fts_info == FTS_F &&
            (str_ends(name, STR(".html")) || str_ends(name, STR(".htm"))))
            pages_add(pages, entry->fts_path, entry->fts_path + strlen(folder));
    }
    if (tree)
        fts_close(tree);
}

static inline void pages_free(struct pages *pages)
{
    for (size_t i = 0; i < pages->count; i++) {
        free((char *)pages->page[i].ptr);
        free((char *)pages->path[i].ptr);
    }
    free(pages->page);
    free(pages->path);
}

static inline double cpu_seconds(void)
{
    struct timespec now;

    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
    return (double)now.tv_sec + (double)now.tv_nsec / 1e9;
}

#endif
