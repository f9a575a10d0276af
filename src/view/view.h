/* The view of a running crawl: a small HTTP server in a thread of its own, for
 * people, Prometheus and `crawler ctl` (docs/live-api.md).
 *
 *     struct view *view = view_new(&options, &problem);
 *     view_run(view);
 *     ... the crawler thread, about once a second:
 *         struct view_snapshot *snapshot = view_begin(view);
 *         fill it in
 *         view_post(view, snapshot);
 *     ... and when view_fd is readable:
 *         while (view_take_order(view, &slot, &order))
 *             view_answer(view, slot, ok, number, says);
 *     view_free(view);
 *
 * The crawler thread never waits for a reader: the last snapshot replaces one
 * that nobody has looked at. Without --listen a snapshot is made only while
 * somebody asks through the control socket. The view reads nothing of the
 * record; `why` is asked of another process.
 */
#ifndef VIEW_VIEW_H
#define VIEW_VIEW_H

#include "view/figures.h"
#include "view/order.h"

/* The name of the control socket in the page directory. */
#define VIEW_SOCKET ".crawler-socket"

enum { VIEW_EVERY_MS = 1000, VIEW_ORDERS_MAX = 16, VIEW_SAYS_MAX = 256 };

struct view;

struct view_options {
    struct view_facts facts;
    const char *listen; /* "127.0.0.1:8080" or "unix:PATH"; NULL: not */
    bool metrics_open;
    int dir_fd;       /* of the page directory */
    bool has_control; /* make the control socket there */
};

/* Listen. The options' texts must outlive the view. NULL with a sentence in
 * `problem` if `listen` cannot be had. A control socket that cannot be made is
 * left out: the directory may be on a file system without sockets. */
struct view *view_new(const struct view_options *options, const char **problem);

/* Only one crawl is at work in a directory: remove the control socket that a
 * killed one left there. */
void view_tidy(int dir_fd);

/* Where it listens ("127.0.0.1:8080"), empty without `listen`; and the token,
 * which must be shown once and never recorded. */
struct str view_address(const struct view *view);
const char *view_token(const struct view *view);

/* Start the thread; false with errno. */
bool view_run(struct view *view);

/* End the thread when readers have the last snapshot, or after a second. NULL
 * does nothing. */
void view_free(struct view *view);

/* --- for the crawler thread; with NULL they do nothing ------------------ */

/* Readable when there is an order, or when a snapshot is wanted; -1: never. */
int view_fd(const struct view *view);
void view_clear_fd(struct view *view);

/* When the next snapshot is due, after one at `last_ms`; UINT64_MAX: nobody
 * wants one. */
uint64_t view_due_ms(const struct view *view, uint64_t last_ms,
                     uint64_t now_ms);

/* An empty snapshot to fill in, and to hand over. */
struct view_snapshot *view_begin(struct view *view);
void view_post(struct view *view, struct view_snapshot *snapshot);

/* The facts of the options. */
const struct view_facts *view_facts(const struct view *view);

/* The oldest order that was not taken; false if there is none. Each that was
 * taken must be answered, with the number of its row, or 0. */
bool view_take_order(struct view *view, size_t *slot, struct view_order *order);
void view_answer(struct view *view, size_t slot, bool ok, uint64_t number,
                 const char *says);

#endif
