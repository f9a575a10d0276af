/* Asking a crawl: its page directory is opened to be read, also beside the
 * crawl at work and where nothing can be written, and nothing is changed. What
 * the crawl was told to do is put together again from what it remembers. */
#ifndef CLI_ASK_H
#define CLI_ASK_H

#include "cli/plan.h"
#include "crawler/resume.h"

struct ask {
    const char *dir_path;
    bool locked; /* by a crawl at work */
    struct arena arena;
    struct options options; /* of the crawl */
    struct plan plan;       /* of it, and its past */
    struct store *store;
    uint64_t now_ms, wall_ms;
    bool loaded;
    struct validator validator; /* once loaded */
    struct resumed resumed;
};

/* Status 0, or EXIT_USAGE after one line on standard error. In either case
 * close it. */
int ask_open(struct ask *ask, const char *dir_path);
void ask_close(struct ask *ask);

/* All that the crawl knows back into ask->validator; done once, and only for
 * questions that need it: it takes a second for a million URLs. Status as
 * above. */
int ask_load(struct ask *ask);

/* The one line for a store that cannot be read; EXIT_USAGE. */
int ask_fail(const struct ask *ask, const struct store_error *error);

/* How the crawl is. */
enum ask_state {
    ASK_RUNNING,
    ASK_FINISHED,
    ASK_NOTHING,     /* finished without a single page */
    ASK_INTERRUPTED, /* by a signal */
    ASK_MAX_PAGES,
    ASK_MAX_TIME,
    ASK_FAILED, /* something could not be written */
    ASK_KILLED,
};
enum ask_state ask_state(const struct ask *ask);

/* Can it go on? */
bool ask_state_is_open(enum ask_state state);

/* --- words -------------------------------------------------------------- */

/* "2024-05-06 07:08:09 UTC" */
void ask_put_time(struct buf *out, uint64_t wall_ms);

/* "0.8 s", "12 min", "3 h" */
void ask_put_duration(struct buf *out, uint64_t ms);

/* What is internal: "what begins with http://example.org/a/". */
void ask_put_scope(const struct ask *ask, struct buf *out);

#endif
