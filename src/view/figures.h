/* The figures of a crawl as text: JSON for the page and for programs
 * (docs/live-api.md), and a line for people. Pure: everything is an argument.
 */
#ifndef VIEW_FIGURES_H
#define VIEW_FIGURES_H

#include "base/buf.h"
#include "view/history.h"
#include "view/snapshot.h"

enum { FIGURES_PAGES = 200, FIGURES_FIRST_PAGES = 50 };

/* Facts that do not change while a crawl runs. */
struct view_facts {
    const char *directory; /* the page directory, as the user wrote it */
    const char *version;   /* of the program */
    const struct str *seeds;
    size_t seed_count;
    uint64_t max_depth;
    uint64_t started_ms;
    const char *fleet; /* how a command names it: "--name x postgres://db/x";
                        * NULL: this is no machine of a fleet */
};

/* Resources that the process uses. */
struct view_process {
    uint64_t memory_bytes, cpu_ms, descriptors, descriptors_max;
    uint64_t disk_free_bytes;
};

/* The last pages, in a ring; the texts are owned. */
struct view_pages {
    struct view_page page[FIGURES_PAGES];
    size_t first, count;
};
void view_pages_add(struct view_pages *pages, const struct view_page *page);
void view_pages_release(struct view_pages *pages);

struct figures {
    const struct view_facts *facts;
    const struct view_snapshot *now;
    const struct history *history;
    const struct view_pages *pages;
    struct view_process process;
};

void figures_put_status(struct buf *out, const struct figures *figures);
void figures_put_hosts(struct buf *out, const struct figures *figures);
void figures_put_errors(struct buf *out, const struct figures *figures);
void figures_put_history(struct buf *out, const struct figures *figures);

/* The pages with a number beyond `after`, one object a line; or the last
 * `max` of them as an array. False if there is none. */
void figures_put_page_lines(struct buf *out, const struct figures *figures,
                            uint64_t after);
bool figures_put_page_array(struct buf *out, const struct figures *figures,
                            uint64_t after, size_t max);

/* screen.c: the same for a terminal, in so many columns and rows. */
void figures_put_screen(struct buf *out, const struct figures *figures,
                        size_t columns, size_t rows);

/* says.c: what the crawl does, what a host waits for, in words. */
void figures_put_says(struct buf *out, const struct view_snapshot *now);
void figures_put_host_says(struct buf *out, const struct view_host *host,
                           uint64_t now_ms);

/* "running", "paused", ... */
const char *view_state_name(enum view_state state);

#endif
