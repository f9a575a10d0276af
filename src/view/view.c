#include "view/view.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/eventfd.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/mem.h"
#include "view/process.h"
#include "view/view_internal.h"

enum {
    MAX_BODY = 4 << 10,
    MAX_SCRATCH = 2 << 20,
    MAX_READERS = 16,
    SECOND_US = 1000 * 1000,
    HEAD_S = 5,
    STALL_S = 5,
    WANTED_MS = 10 * 1000, /* after a request */
    FRESH_MS = 2500,
    LOOK_MS = 1000,       /* the thread looks around this often */
    LAST_WORDS_MS = 1000, /* for readers, when the crawl has ended */
};

/* --- starting ---------------------------------------------------------------
 */

static bool open_place(struct view_place *place, struct view *view,
                       const char *where, const char **problem)
{
    place->view = view;
    place->service = (struct http_service){
        .limits = {.request = {.max_head = VIEW_HEAD_MAX, .max_body = MAX_BODY},
                   .max_scratch = MAX_SCRATCH,
                   .max_connections = MAX_READERS,
                   .idle_us = (uint64_t)HEAD_S * SECOND_US,
                   .request_us = (uint64_t)HEAD_S * SECOND_US,
                   .stall_us = (uint64_t)STALL_S * SECOND_US},
        .handler = {.self = place,
                    .answer = view_answer_request,
                    .refuse = view_refuse_request,
                    .ended = view_end_request},
    };
    place->server = http_server_new(&place->service);
    if (!place->server) {
        *problem = strerror(errno);
        return false;
    }
    if (!http_server_listen(place->server, str_of(where), problem)) {
        http_server_free(place->server);
        place->server = NULL;
        return false;
    }
    return true;
}

void view_tidy(int dir_fd)
{
    struct stat status;

    if (!fstatat(dir_fd, VIEW_SOCKET, &status, AT_SYMLINK_NOFOLLOW) &&
        S_ISSOCK(status.st_mode))
        unlinkat(dir_fd, VIEW_SOCKET, 0);
}

/* The name goes through the descriptor of the directory,
 * whose own name may be too long for a socket. */
static void open_control(struct view *view)
{
    char path[64], where[80];
    const char *problem;
    int fd = view->options.dir_fd;

    view_tidy(fd);
    snprintf(path, sizeof(path), "/proc/self/fd/%d/" VIEW_SOCKET, fd);
    snprintf(where, sizeof(where), "unix:%s", path);
    open_place(&view->place[PLACE_CONTROL], view, where, &problem);
}

static bool open_listen(struct view *view, const char **problem)
{
    struct view_place *place = &view->place[PLACE_LISTEN];

    if (!access_make_token(view->token)) {
        *problem = strerror(errno);
        return false;
    }
    if (!open_place(place, view, view->options.listen, problem))
        return false;
    struct str address = http_server_address(place->server, 0);
    place->door = (struct access_door){
        .address = str_starts(address, STR("unix:")) ? STR("") : address,
        .token = view->token,
        .metrics_open = view->options.metrics_open,
    };
    return true;
}

struct view *view_new(const struct view_options *options, const char **problem)
{
    struct view *view = NEW(struct view);

    view->options = *options;
    view->wake_fd = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
    view->crawler_fd = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
    order_slots_init(&view->orders);
    buf_init(&view->page_headers, VIEW_HEAD_MAX);
    *problem = strerror(errno);
    if (view->wake_fd >= 0 && view->crawler_fd >= 0 &&
        (!options->listen || open_listen(view, problem))) {
        if (options->has_control)
            open_control(view);
        return view;
    }
    view_free(view);
    return NULL;
}

struct str view_address(const struct view *view)
{
    const struct http_server *server = view->place[PLACE_LISTEN].server;

    return server ? http_server_address(server, 0) : STR("");
}

const char *view_token(const struct view *view)
{
    return view->token;
}

/* --- the thread -------------------------------------------------------------
 */

static void wake(int fd)
{
    const uint64_t one = 1;

    /* It fails only where it is awake already. */
    if (write(fd, &one, sizeof(one)) < 0)
        return;
}

static void clear(int fd)
{
    uint64_t count;

    if (read(fd, &count, sizeof(count)) < 0)
        return;
}

void view_wake_crawler(struct view *view)
{
    wake(view->crawler_fd);
}

void view_want(struct view *view, uint64_t now_us)
{
    uint64_t now_ms = now_us / 1000;
    uint64_t before =
        atomic_exchange(&view->wanted_until_ms, now_ms + WANTED_MS);

    if (before <= now_ms && !view->options.listen)
        wake(view->crawler_fd);
}

/* The first snapshot is of the start, before anything was fetched. */
bool view_is_fresh(const struct view *view, uint64_t now_us)
{
    return view->now &&
           (view->is_over ||
            (view->turn > 1 && view->now->mono_ms + FRESH_MS >= now_us / 1000));
}

struct figures view_figures(const struct view *view)
{
    return (struct figures){
        .facts = &view->options.facts,
        .now = view->now,
        .history = &view->history,
        .pages = &view->pages,
        .process = view->process,
    };
}

static void put_spare(struct view *view, struct view_snapshot *snapshot)
{
    view_snapshot_free(atomic_exchange(&view->spare, snapshot));
}

static void note_pages(struct view *view)
{
    const struct view_pages *known = &view->pages;
    uint32_t last =
        known->count
            ? known->page[(known->first + known->count - 1) % FIGURES_PAGES]
                  .number
            : 0;

    for (size_t i = 0; i < view->now->page_count; i++)
        if (view->now->page[i].number > last)
            view_pages_add(&view->pages, &view->now->page[i]);
}

static void take_snapshot(struct view *view)
{
    struct view_snapshot *now = atomic_exchange(&view->posted, NULL);

    if (!now)
        return;
    if (view->now)
        put_spare(view, view->now);
    view->now = now;
    view->turn++;
    history_add(&view->history,
                &(struct history_point){
                    .at_ms = now->at_ms,
                    .mono_ms = now->mono_ms,
                    .pages = now->pages,
                    .failures = now->failures,
                    .found = now->found,
                    .fetched = now->fetched,
                    .queued = now->queued_memory + now->queued_disk,
                });
    note_pages(view);
    if (view->readers || view->options.listen)
        view->process = process_read(view->options.dir_fd);
}

/* The time until something is due, for poll. */
static int wait_ms(const struct view *view)
{
    uint64_t now_us = clock_mono_us(), wake_us = now_us + LOOK_MS * 1000;

    for (size_t i = 0; i < VIEW_PLACES; i++) {
        uint64_t due_us = view->place[i].server
                              ? http_server_wake_us(view->place[i].server)
                              : 0;
        if (due_us && due_us < wake_us)
            wake_us = due_us;
    }
    return wake_us <= now_us ? 0 : (int)((wake_us - now_us + 999) / 1000);
}

static void serve(struct view *view)
{
    struct pollfd fd[VIEW_PLACES + 1] = {
        {.fd = view->wake_fd, .events = POLLIN},
    };
    bool has_timer = view->readers;

    for (size_t i = 0; i < VIEW_PLACES; i++) {
        const struct http_server *server = view->place[i].server;
        fd[i + 1] = (struct pollfd){
            .fd = server ? http_server_fd(server) : -1,
            .events = POLLIN,
        };
        has_timer = has_timer || (server && http_server_wake_us(server));
    }
    poll(fd, VIEW_PLACES + 1, has_timer ? wait_ms(view) : -1);
    clear(view->wake_fd);
    /* Read is_ending before the snapshot is taken: then a snapshot posted
     * before the end is not missed. */
    bool is_ending = atomic_load(&view->is_ending);
    take_snapshot(view);
    view->is_over = is_ending;
    for (size_t i = 0; i < VIEW_PLACES; i++)
        if (view->place[i].server)
            http_server_step(view->place[i].server, 0);
}

static void *run(void *user)
{
    struct view *view = user;

    while (!view->is_over)
        serve(view);
    uint64_t until_ms = clock_mono_ms() + LAST_WORDS_MS;
    while (view->readers && clock_mono_ms() < until_ms)
        serve(view);
    return NULL;
}

bool view_run(struct view *view)
{
    errno = pthread_create(&view->thread, NULL, run, view);
    view->runs = !errno;
    return view->runs;
}

void view_free(struct view *view)
{
    if (!view)
        return;
    if (view->runs) {
        atomic_store(&view->is_ending, true);
        wake(view->wake_fd);
        pthread_join(view->thread, NULL);
    }
    for (size_t i = 0; i < VIEW_PLACES; i++)
        if (view->place[i].server)
            http_server_free(view->place[i].server);
    view_snapshot_free(view->now);
    view_snapshot_free(atomic_load(&view->posted));
    view_snapshot_free(atomic_load(&view->spare));
    view_pages_release(&view->pages);
    buf_release(&view->page_headers);
    order_slots_release(&view->orders);
    if (view->wake_fd >= 0)
        close(view->wake_fd);
    if (view->crawler_fd >= 0)
        close(view->crawler_fd);
    free(view);
}

/* --- the crawler thread ------------------------------------------------------
 */

int view_fd(const struct view *view)
{
    return view ? view->crawler_fd : -1;
}

void view_clear_fd(struct view *view)
{
    if (view)
        clear(view->crawler_fd);
}

uint64_t view_due_ms(const struct view *view, uint64_t last_ms, uint64_t now_ms)
{
    if (!view || (!view->options.listen &&
                  atomic_load_explicit(&view->wanted_until_ms,
                                       memory_order_relaxed) <= now_ms))
        return UINT64_MAX;
    return last_ms ? last_ms + VIEW_EVERY_MS : now_ms;
}

struct view_snapshot *view_begin(struct view *view)
{
    struct view_snapshot *snapshot = atomic_exchange(&view->spare, NULL);

    if (!snapshot)
        return view_snapshot_new();
    view_snapshot_clear(snapshot);
    return snapshot;
}

void view_post(struct view *view, struct view_snapshot *snapshot)
{
    struct view_snapshot *unread = atomic_exchange(&view->posted, snapshot);

    if (unread)
        put_spare(view, unread);
    wake(view->wake_fd);
}

const struct view_facts *view_facts(const struct view *view)
{
    return &view->options.facts;
}

bool view_take_order(struct view *view, size_t *slot, struct view_order *order)
{
    return view && order_slots_take(&view->orders, slot, order);
}

void view_answer(struct view *view, size_t slot, bool ok, uint64_t number,
                 const char *says)
{
    order_slots_answer(&view->orders, slot, ok, number, says);
    wake(view->wake_fd);
}
