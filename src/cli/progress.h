/* The progress line on a terminal's standard error: one line that is drawn
 * over and over and wiped at the end. */
#ifndef CLI_PROGRESS_H
#define CLI_PROGRESS_H

#include "base/buf.h"
#include "crawler/crawler.h"
#include "view/history.h"

struct progress {
    bool shown;
    uint64_t last_ms, last_saved;
    double rate;            /* pages a second, smoothed */
    struct history history; /* for the expected end */
};

/* Is there a terminal to draw on? */
bool progress_is_wanted(void);

/* For crawl_options.on_progress and logr.make_room; `user` is a struct
 * progress. */
void progress_draw(void *user, const struct crawl_progress *now);
void progress_wipe(void *user);

/* The text alone, at most `columns` wide. */
void progress_format(struct buf *line, const struct crawl_progress *now,
                     double rate, size_t columns);

/* When it may end, if the queue falls and there is room for that. The figures
 * go to the history, from which it is told. */
void progress_put_end(struct buf *line, struct history *history,
                      const struct crawl_progress *now, size_t columns);

#endif
