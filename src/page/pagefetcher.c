#include "page/pagefetcher.h"

#include <assert.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/mem.h"
#include "page/transfer.h"

enum { EVENTS_AT_ONCE = 64, LOOK_FOR_SLOW_MS = 500, LOOK_FOR_ROOM_MS = 20 };

struct pagefetcher {
    struct transfer_setup setup;
    struct bodies bodies;
    CURLM *multi;
    int epoll_fd;
    int watched_fd;
    uint64_t timer_ms; /* libcurl's next deadline, or UINT64_MAX */
    struct transfer *running, *last_running; /* doubly linked, oldest first */
    struct transfer **owner; /* by socket: whose it is, or NULL */
    size_t owners;
    struct transfer *finished, **last_finished; /* to be taken, in order */
    struct transfer *free;                      /* ready for the next page */
    struct transfer *taken; /* with the caller until given back */
    struct buf decoded;     /* the body of that one, where it was coded */
    struct dns_overrides dns_overrides;
    struct epoll_event event[EVENTS_AT_ONCE]; /* of the last wait */
    int events, next_event;
};

/* --- libcurl's memory -------------------------------------------------- */

static void *alloc(size_t size)
{
    return mem_checked(malloc(size));
}

static void *resize(void *ptr, size_t size)
{
    return mem_resize(ptr, size ? size : 1);
}

static char *copy(const char *text)
{
    return mem_checked(strdup(text));
}

bool pagefetcher_setup(void)
{
    return curl_global_init_mem(CURL_GLOBAL_DEFAULT, alloc, free, resize, copy,
                                mem_array) == CURLE_OK;
}

void pagefetcher_teardown(void)
{
    curl_global_cleanup();
}

/* --- libcurl's wishes -------------------------------------------------- */

static struct transfer *owner_of(const struct pagefetcher *fetcher, int fd)
{
    return (size_t)fd < fetcher->owners ? fetcher->owner[fd] : NULL;
}

static void set_owner(struct pagefetcher *fetcher, int fd,
                      struct transfer *transfer)
{
    size_t count = fetcher->owners;

    if ((size_t)fd >= count) {
        fetcher->owners = 2 * (size_t)fd + 16;
        fetcher->owner =
            mem_resize(fetcher->owner, fetcher->owners * sizeof(void *));
        for (size_t i = count; i < fetcher->owners; i++)
            fetcher->owner[i] = NULL;
    }
    fetcher->owner[fd] = transfer;
}

/* libcurl 8.5 reads the socket of a paused transfer whenever there is something
 * to read, without an end: so it must not learn of that. */
static void hide_socket(struct pagefetcher *fetcher, struct transfer *transfer,
                        int fd)
{
    epoll_ctl(fetcher->epoll_fd, EPOLL_CTL_DEL, fd, NULL);
    transfer->hidden_fd = fd;
}

static void show_socket(struct pagefetcher *fetcher, struct transfer *transfer)
{
    struct epoll_event event = {.events = EPOLLIN,
                                .data.fd = transfer->hidden_fd};

    if (transfer->hidden_fd < 0)
        return;
    epoll_ctl(fetcher->epoll_fd, EPOLL_CTL_ADD, transfer->hidden_fd, &event);
    transfer->hidden_fd = -1;
}

static void forget_socket(struct pagefetcher *fetcher, int fd)
{
    struct transfer *owner = owner_of(fetcher, fd);

    if (owner && owner->hidden_fd == fd)
        owner->hidden_fd = -1;
    else
        epoll_ctl(fetcher->epoll_fd, EPOLL_CTL_DEL, fd, NULL);
    set_owner(fetcher, fd, NULL);
}

static int on_socket(CURL *easy, curl_socket_t fd, int what, void *user,
                     void *known)
{
    struct pagefetcher *fetcher = user;
    struct epoll_event event = {.data.fd = fd};
    struct transfer *transfer = NULL, *owner = owner_of(fetcher, fd);

    if (what == CURL_POLL_REMOVE) {
        forget_socket(fetcher, fd);
        return 0;
    }
    if (owner)
        show_socket(fetcher, owner);
    curl_easy_getinfo(easy, CURLINFO_PRIVATE, &transfer);
    set_owner(fetcher, fd, transfer);
    if (what & CURL_POLL_IN)
        event.events |= EPOLLIN;
    if (what & CURL_POLL_OUT)
        event.events |= EPOLLOUT;
    epoll_ctl(fetcher->epoll_fd, known ? EPOLL_CTL_MOD : EPOLL_CTL_ADD, fd,
              &event);
    if (!known)
        curl_multi_assign(fetcher->multi, fd, fetcher);
    return 0;
}

static int on_timer(CURLM *multi, long timeout_ms, void *user)
{
    struct pagefetcher *fetcher = user;

    (void)multi;
    fetcher->timer_ms =
        timeout_ms < 0 ? UINT64_MAX : clock_mono_ms() + (uint64_t)timeout_ms;
    return 0;
}

struct pagefetcher *pagefetcher_new(const struct fetch_options *options)
{
    struct pagefetcher *fetcher = NEW(struct pagefetcher);

    transfer_setup_init(&fetcher->setup, options);
    dns_overrides_init(&fetcher->dns_overrides);
    bodies_init(&fetcher->bodies, options->body_budget);
    fetcher->last_finished = &fetcher->finished;
    fetcher->watched_fd = -1;
    fetcher->timer_ms = UINT64_MAX;
    fetcher->epoll_fd = epoll_create1(EPOLL_CLOEXEC);
    fetcher->multi = curl_multi_init();
    if (fetcher->epoll_fd < 0 || !fetcher->multi) {
        perror("crawler: cannot start an event loop");
        _exit(1);
    }
    curl_multi_setopt(fetcher->multi, CURLMOPT_SOCKETFUNCTION, on_socket);
    curl_multi_setopt(fetcher->multi, CURLMOPT_SOCKETDATA, fetcher);
    curl_multi_setopt(fetcher->multi, CURLMOPT_TIMERFUNCTION, on_timer);
    curl_multi_setopt(fetcher->multi, CURLMOPT_TIMERDATA, fetcher);
    curl_multi_setopt(fetcher->multi, CURLMOPT_MAXCONNECTS,
                      (long)options->connections);
    curl_multi_setopt(fetcher->multi, CURLMOPT_MAX_TOTAL_CONNECTIONS,
                      (long)options->connections_max);
    return fetcher;
}

static void free_list(struct transfer *transfer)
{
    while (transfer) {
        struct transfer *next = transfer->next;
        transfer_free(transfer);
        transfer = next;
    }
}

void pagefetcher_free(struct pagefetcher *fetcher)
{
    free_list(fetcher->free);
    free_list(fetcher->finished);
    curl_multi_cleanup(fetcher->multi);
    transfer_setup_release(&fetcher->setup);
    buf_release(&fetcher->decoded);
    bodies_release(&fetcher->bodies);
    dns_overrides_release(&fetcher->dns_overrides);
    close(fetcher->epoll_fd);
    free(fetcher->owner);
    free(fetcher);
}

void pagefetcher_watch(struct pagefetcher *fetcher, int fd)
{
    struct epoll_event event = {.events = EPOLLIN, .data.fd = fd};

    fetcher->watched_fd = fd;
    epoll_ctl(fetcher->epoll_fd, EPOLL_CTL_ADD, fd, &event);
}

/* --- transfers --------------------------------------------------------- */

static void run(struct pagefetcher *fetcher, struct transfer *transfer)
{
    transfer->next_running = NULL;
    transfer->previous_running = fetcher->last_running;
    if (fetcher->last_running)
        fetcher->last_running->next_running = transfer;
    else
        fetcher->running = transfer;
    fetcher->last_running = transfer;
}

static void finish(struct pagefetcher *fetcher, struct transfer *transfer)
{
    if (transfer->previous_running)
        transfer->previous_running->next_running = transfer->next_running;
    else
        fetcher->running = transfer->next_running;
    if (transfer->next_running)
        transfer->next_running->previous_running = transfer->previous_running;
    else
        fetcher->last_running = transfer->previous_running;
    transfer->next = NULL;
    *fetcher->last_finished = transfer;
    fetcher->last_finished = &transfer->next;
}

void pagefetcher_start(struct pagefetcher *fetcher, struct webpage *page)
{
    struct transfer *transfer = fetcher->free;

    if (transfer)
        fetcher->free = transfer->next;
    else
        transfer = transfer_new(&fetcher->setup, &fetcher->bodies,
                                &fetcher->dns_overrides);
    page->exchange.start_ms = page->exchange.end_ms = clock_mono_ms();
    run(fetcher, transfer);
    if (!transfer_begin(transfer, page) ||
        curl_multi_add_handle(fetcher->multi, transfer->easy))
        finish(fetcher, transfer);
}

/* Any message of libcurl about it is gone after this. */
static void end(struct pagefetcher *fetcher, struct transfer *transfer,
                CURLcode code)
{
    transfer_end(transfer, code);
    curl_multi_remove_handle(fetcher->multi, transfer->easy);
    finish(fetcher, transfer);
}

static void collect(struct pagefetcher *fetcher)
{
    CURLMsg *message;
    int left;

    while ((message = curl_multi_info_read(fetcher->multi, &left))) {
        struct transfer *transfer;
        CURLcode code = message->data.result;

        if (message->msg != CURLMSG_DONE)
            continue;
        curl_easy_getinfo(message->easy_handle, CURLINFO_PRIVATE, &transfer);
        end(fetcher, transfer, code);
    }
}

/* Those that were paused may go on, the oldest first, while there is room: some
 * versions of libcurl read more of one that goes on and pauses at once. */
static void resume_waiting(struct pagefetcher *fetcher)
{
    struct transfer *next;

    for (struct transfer *transfer = fetcher->running; transfer;
         transfer = next) {
        next = transfer->next_running;
        if (!transfer->is_waiting)
            continue;
        if (!bodies_have_room(&fetcher->bodies))
            return;
        transfer->is_waiting = false;
        show_socket(fetcher, transfer);
        CURLcode code = curl_easy_pause(transfer->easy, CURLPAUSE_CONT);
        if (code != CURLE_OK)
            end(fetcher, transfer, code);
    }
}

static bool has_waiting(const struct pagefetcher *fetcher)
{
    const struct transfer *transfer = fetcher->running;

    while (transfer && !transfer->is_waiting)
        transfer = transfer->next_running;
    return transfer;
}

/* Memory may have been given back by other threads too. */
static void look_for_room(struct pagefetcher *fetcher)
{
    if (!fetcher->bodies.is_awaited)
        return;
    resume_waiting(fetcher);
    if (!has_waiting(fetcher))
        bodies_stop_waiting(&fetcher->bodies);
}

/* Others wait for memory: who holds it without need ends. */
static void end_slow(struct pagefetcher *fetcher)
{
    struct transfer *next;

    if (!bodies_hold_up(&fetcher->bodies))
        return;
    uint64_t now_ms = clock_mono_ms();
    for (struct transfer *transfer = fetcher->running; transfer;
         transfer = next) {
        next = transfer->next_running;
        if (!transfer_is_slow(transfer, now_ms))
            continue;
        transfer->cut_as = TIMED_OUT;
        end(fetcher, transfer, CURLE_ABORTED_BY_CALLBACK);
    }
}

static int shorter(int timeout_ms, int max_ms)
{
    return timeout_ms < 0 || timeout_ms > max_ms ? max_ms : timeout_ms;
}

static int wait_ms(const struct pagefetcher *fetcher, int timeout_ms)
{
    if (fetcher->finished)
        return 0;
    if (fetcher->bodies.is_awaited)
        timeout_ms = shorter(timeout_ms, LOOK_FOR_ROOM_MS);
    else if (fetcher->bodies.used)
        timeout_ms = shorter(timeout_ms, LOOK_FOR_SLOW_MS);
    if (fetcher->timer_ms == UINT64_MAX)
        return timeout_ms;

    uint64_t now_ms = clock_mono_ms();
    uint64_t left_ms =
        fetcher->timer_ms > now_ms ? fetcher->timer_ms - now_ms : 0;
    if (timeout_ms >= 0 && (uint64_t)timeout_ms < left_ms)
        return timeout_ms;
    return left_ms > INT32_MAX ? INT32_MAX : (int)left_ms;
}

static int curl_events(uint32_t events)
{
    int mask = 0;

    if (events & EPOLLIN)
        mask |= CURL_CSELECT_IN;
    if (events & EPOLLOUT)
        mask |= CURL_CSELECT_OUT;
    if (events & (EPOLLERR | EPOLLHUP))
        mask |= CURL_CSELECT_ERR;
    return mask;
}

bool pagefetcher_wait(struct pagefetcher *fetcher, int timeout_ms)
{
    bool watched = false;

    look_for_room(fetcher);
    end_slow(fetcher);
    fetcher->next_event = 0;
    fetcher->events = epoll_wait(fetcher->epoll_fd, fetcher->event,
                                 EVENTS_AT_ONCE, wait_ms(fetcher, timeout_ms));
    for (int i = 0; i < fetcher->events; i++)
        watched |= fetcher->event[i].data.fd == fetcher->watched_fd;
    return watched;
}

static void call_libcurl(struct pagefetcher *fetcher, curl_socket_t fd,
                         int events)
{
    int still_running;

    curl_multi_socket_action(fetcher->multi, fd, events, &still_running);
    collect(fetcher);
}

/* Let libcurl do what is due: start new transfers, mind the deadlines. */
static void run_timer(struct pagefetcher *fetcher)
{
    if (fetcher->timer_ms > clock_mono_ms())
        return;
    fetcher->timer_ms = UINT64_MAX;
    call_libcurl(fetcher, CURL_SOCKET_TIMEOUT, 0);
}

/* Let libcurl see to one socket; false if none of the last wait is left. */
static bool run_socket(struct pagefetcher *fetcher)
{
    const struct epoll_event *event = &fetcher->event[fetcher->next_event];

    if (fetcher->next_event >= fetcher->events)
        return false;
    fetcher->next_event++;
    if (event->data.fd == fetcher->watched_fd)
        return true;
    struct transfer *owner = owner_of(fetcher, event->data.fd);
    if (owner && owner->is_waiting) {
        hide_socket(fetcher, owner, event->data.fd);
        return true;
    }
    call_libcurl(fetcher, event->data.fd, curl_events(event->events));
    return true;
}

/* One socket at a time, so that a page is worked on while it is still in the
 * processor's cache, and few bodies are in memory. */
struct webpage *pagefetcher_take(struct pagefetcher *fetcher)
{
    assert(!fetcher->taken);
    if (!fetcher->next_event)
        run_timer(fetcher);
    while (!fetcher->finished && run_socket(fetcher))
        ;
    struct transfer *transfer = fetcher->finished;
    if (!transfer)
        return NULL;
    fetcher->finished = transfer->next;
    if (!fetcher->finished)
        fetcher->last_finished = &fetcher->finished;
    fetcher->taken = transfer;
    transfer_decode(transfer, &fetcher->decoded);
    webpage_take_exchange(transfer->page);
    return transfer->page;
}

void pagefetcher_give_back(struct pagefetcher *fetcher, struct webpage *page)
{
    struct transfer *transfer = fetcher->taken;

    assert(transfer->page == page);
    fetcher->taken = NULL;
    if (fetcher->decoded.room > DECODED_KEEP_MAX)
        buf_release(&fetcher->decoded);
    transfer_clear(transfer);
    transfer->next = fetcher->free;
    fetcher->free = transfer;
    look_for_room(fetcher);
}

void pagefetcher_abandon(struct pagefetcher *fetcher)
{
    while (fetcher->running) {
        struct transfer *transfer = fetcher->running;
        curl_multi_remove_handle(fetcher->multi, transfer->easy);
        transfer_give_up(transfer, ABANDONED);
        transfer->exchange->end_ms = clock_mono_ms();
        finish(fetcher, transfer);
    }
}
