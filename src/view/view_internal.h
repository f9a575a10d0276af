/* The view's parts, for view.c and answers.c. Private to view/. */
#ifndef VIEW_VIEW_INTERNAL_H
#define VIEW_VIEW_INTERNAL_H

#include <pthread.h>
#include <stdatomic.h>

#include "http/server.h"
#include "view/access.h"
#include "view/order_slots.h"
#include "view/view.h"

enum { VIEW_HEAD_MAX = 8 << 10 }; /* of a request */

/* A place where it listens: for the user's --listen, or the control socket.
 * Each has a server of its own: strangers at the one leave the other free. */
struct view_place {
    struct view *view;
    struct access_door door;
    struct http_service service;
    struct http_server *server; /* NULL: it does not listen here */
};

enum { PLACE_CONTROL, PLACE_LISTEN, VIEW_PLACES };

struct view {
    struct view_options options;
    struct view_place place[VIEW_PLACES];
    char token[ACCESS_TOKEN_LEN + 1];
    pthread_t thread;
    bool runs;

    /* Between the threads. */
    _Atomic(struct view_snapshot *) posted; /* the last, not yet looked at */
    _Atomic(struct view_snapshot *) spare;  /* to be filled in again */
    _Atomic uint64_t wanted_until_ms;       /* somebody asks for snapshots */
    atomic_bool is_ending;
    int wake_fd;    /* wakes the view's thread */
    int crawler_fd; /* wakes the crawler thread */
    struct order_slots orders;

    /* These are for the view's thread alone. */
    struct view_snapshot *now; /* NULL before the first */
    uint64_t turn;             /* of snapshots */
    struct history history;
    struct view_pages pages;
    struct view_process process; /* as of the snapshot */
    struct buf page_headers;     /* of the page itself; empty at first */
    size_t readers;              /* exchanges that are under way */
    bool is_asking_why;
    bool is_over; /* no snapshot will come any more */
};

/* --- answers.c ---------------------------------------------------------- */

/* The handler of every place; `self` is the place. */
void view_answer_request(void *self, struct http_exchange *exchange,
                         uint64_t now_us);
void view_refuse_request(void *self, struct http_exchange *exchange,
                         uint64_t now_us);
void view_end_request(void *self, struct http_exchange *exchange);

/* --- view.c, for answers.c ---------------------------------------------- */

/* Ask the crawler thread for snapshots, for some seconds. */
void view_want(struct view *view, uint64_t now_us);
void view_wake_crawler(struct view *view);

/* Is the last snapshot of now? */
bool view_is_fresh(const struct view *view, uint64_t now_us);
struct figures view_figures(const struct view *view);

/* page.c: the page, embedded. */
struct str view_page_html(void);

#endif
