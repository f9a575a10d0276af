/* How fast html_scan is over real pages.
 *
 *     bench/scan FOLDER [ROUNDS]
 *
 * Reads every .html and .htm file below FOLDER, then scans all of them ROUNDS
 * times and prints the median in MB (10^6 bytes) per second of CPU time. To
 * compare with: counting every '<' with memchr, and counting start tags with a
 * machine that takes one byte at a time and could stop after any of them.
 */
#include <fts.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#include "base/arena.h"
#include "base/buf.h"
#include "base/mem.h"
#include "html/scan.h"

enum { ROUNDS = 7, ROUNDS_MAX = 1000, PAGE_CAP = 64 << 20 };

struct pages {
    struct str *page;
    size_t count, room;
    size_t bytes;
};

static bool read_file(const char *path, struct buf *out)
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

static void add_page(struct pages *pages, const char *path)
{
    struct buf buf;
    struct str page;

    buf_init(&buf, PAGE_CAP);
    if (!read_file(path, &buf))
        return;
    if (pages->count == pages->room) {
        pages->room = pages->room ? pages->room * 2 : 1024;
        pages->page =
            mem_resize(pages->page, pages->room * sizeof(*pages->page));
    }
    page.ptr = buf_take(&buf, &page.len);
    pages->page[pages->count++] = page;
    pages->bytes += page.len;
}

static void read_pages(struct pages *pages, char *folder)
{
    char *const paths[] = {folder, NULL};
    FTS *tree = fts_open(paths, FTS_PHYSICAL | FTS_NOCHDIR, NULL);
    FTSENT *entry;

    while (tree && (entry = fts_read(tree))) {
        struct str name = str_of(entry->fts_name);
        if (entry->fts_info == FTS_F &&
            (str_ends(name, STR(".html")) || str_ends(name, STR(".htm"))))
            add_page(pages, entry->fts_path);
    }
    if (tree)
        fts_close(tree);
}

static double cpu_seconds(void)
{
    struct timespec now;

    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
    return (double)now.tv_sec + (double)now.tv_nsec / 1e9;
}

static size_t scan_pages(const struct pages *pages, bool want_text)
{
    struct html_scan_options options = {.want_text = want_text};
    struct arena arena;
    size_t count = 0;

    arena_init(&arena);
    for (size_t i = 0; i < pages->count; i++) {
        struct html_links links;

        html_scan(&links, &arena, pages->page[i], &options);
        count += links.count;
        arena_clear(&arena);
    }
    arena_release(&arena);
    return count;
}

static size_t scan_links(const struct pages *pages)
{
    return scan_pages(pages, false);
}

static size_t scan_texts(const struct pages *pages)
{
    return scan_pages(pages, true);
}

static size_t count_marks(const struct pages *pages)
{
    size_t count = 0;

    for (size_t i = 0; i < pages->count; i++) {
        const char *at = pages->page[i].ptr, *end = at + pages->page[i].len;
        while (at < end && (at = memchr(at, '<', (size_t)(end - at)))) {
            count++;
            at++;
        }
    }
    return count;
}

/* The states of a tag, as a tokenizer that may be interrupted at any byte has
 * to keep them. No comments, no raw text, no attributes: less than needed. */
enum state {
    DATA,
    TAG_OPEN,
    TAG_NAME,
    BEFORE_NAME,
    NAME,
    BEFORE_VALUE,
    DOUBLE_QUOTED,
    SINGLE_QUOTED,
    UNQUOTED,
};

static enum state next_state(enum state state, char c)
{
    if (c == '>' && state != DOUBLE_QUOTED && state != SINGLE_QUOTED)
        return DATA;
    switch (state) {
    case DATA:
        return c == '<' ? TAG_OPEN : DATA;
    case TAG_OPEN:
        return ascii_is_alpha(c) || c == '/' ? TAG_NAME : DATA;
    case TAG_NAME:
    case UNQUOTED:
        return ascii_is_space(c) ? BEFORE_NAME : state;
    case BEFORE_NAME:
        return ascii_is_space(c) ? BEFORE_NAME : NAME;
    case NAME:
        return c == '=' ? BEFORE_VALUE : ascii_is_space(c) ? BEFORE_NAME : NAME;
    case BEFORE_VALUE:
        return c == '"'            ? DOUBLE_QUOTED
               : c == '\''         ? SINGLE_QUOTED
               : ascii_is_space(c) ? BEFORE_VALUE
                                   : UNQUOTED;
    case DOUBLE_QUOTED:
        return c == '"' ? BEFORE_NAME : DOUBLE_QUOTED;
    case SINGLE_QUOTED:
        return c == '\'' ? BEFORE_NAME : SINGLE_QUOTED;
    }
    return DATA;
}

static size_t count_by_bytes(const struct pages *pages)
{
    size_t count = 0;

    for (size_t i = 0; i < pages->count; i++) {
        enum state state = DATA;
        for (size_t j = 0; j < pages->page[i].len; j++) {
            enum state next = next_state(state, pages->page[i].ptr[j]);
            count += state == TAG_OPEN && next == TAG_NAME;
            state = next;
        }
    }
    return count;
}

static int compare(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;

    return (x > y) - (x < y);
}

static void measure(const char *name, const struct pages *pages, int rounds,
                    size_t (*run)(const struct pages *))
{
    double seconds[ROUNDS_MAX];
    size_t found = 0;

    for (int i = 0; i < rounds; i++) {
        double start = cpu_seconds();
        found = run(pages);
        seconds[i] = cpu_seconds() - start;
    }
    qsort(seconds, (size_t)rounds, sizeof(seconds[0]), compare);
    printf("%-24s %8.0f MB/s   %zu found\n", name,
           (double)pages->bytes / seconds[rounds / 2] / 1e6, found);
}

int main(int argc, char **argv)
{
    struct pages pages = {0};
    int rounds = argc > 2 ? (int)strtol(argv[2], NULL, 10) : ROUNDS;

    if (argc < 2 || argc > 3 || rounds < 1 || rounds > ROUNDS_MAX) {
        fprintf(stderr, "usage: scan FOLDER [ROUNDS]\n");
        return 2;
    }
    read_pages(&pages, argv[1]);
    if (pages.count == 0) {
        fprintf(stderr, "scan: no .html file below %s\n", argv[1]);
        return 1;
    }

    printf("%zu pages, %.1f MB, median of %d rounds\n", pages.count,
           (double)pages.bytes / 1e6, rounds);
    measure("html_scan", &pages, rounds, scan_links);
    measure("html_scan with text", &pages, rounds, scan_texts);
    measure("memchr('<')", &pages, rounds, count_marks);
    measure("byte by byte", &pages, rounds, count_by_bytes);

    for (size_t i = 0; i < pages.count; i++)
        free((char *)pages.page[i].ptr);
    free(pages.page);
    return 0;
}
