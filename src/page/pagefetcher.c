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

enum {
    EVENTS_AT_ONCE = 64,
    LOOK_FOR_SLOW_MS = 500,
    AWAY_MS = 750, /* between two looks at who is slow */
    LOOK_FOR_ROOM_MS = 20,
    SWEEP_EVERY_MS = 1100,
};

struct pagefetcher {
    struct transfer_setup setup;
    struct bodies bodies;
    struct connections connections;
    struct tls_sessions sessions;
    CURL *sweeper; /* see sweep */
    bool is_sweeping;
    uint64_t swept_ms;
    uint64_t looked_ms; /* when end_slow looked at all transfers */
    CURLM *multi;
    int epoll_fd;
    int watched_fd;
    uint64_t timer_ms;         /* libcurl's next deadline, or UINT64_MAX */
    struct transfers running;  /* the oldest first */
    struct transfers finished; /* to be taken, in order */
    struct transfers free;     /* ready for the next page */
    struct transfer **owner;   /* by socket: whose it is, or NULL */
    size_t owners;
    struct transfer *taken; /* with the caller until given back */
    struct buf decoded;     /* the body of that one, where it was coded */
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
    if (transfer) {
        transfer->fd = fd;
        connections_take(&fetcher->connections, fd, transfer);
    }
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

/* --- connections that are closed ---------------------------------------- */

static curl_socket_t open_nothing(void *user, curlsocktype purpose,
                                  struct curl_sockaddr *address)
{
    (void)user, (void)purpose, (void)address;
    return CURL_SOCKET_BAD;
}

static CURL *new_sweeper(void)
{
    CURL *easy = curl_easy_init();

    if (!easy)
        return NULL;
    curl_easy_setopt(easy, CURLOPT_URL, "http://127.0.0.1:9/");
    curl_easy_setopt(easy, CURLOPT_PROXY, "");
    curl_easy_setopt(easy, CURLOPT_NOSIGNAL, 1L);
    curl_easy_setopt(easy, CURLOPT_OPENSOCKETFUNCTION, open_nothing);
    curl_easy_setopt(easy, CURLOPT_MAXAGE_CONN, (long)CONNECTION_AGE_MAX_S);
    return easy;
}

/* libcurl closes dead connections when a transfer starts, not more than once a
 * second. This transfer does nothing else; it fails at once. */
static void sweep(struct pagefetcher *fetcher, uint64_t now_ms)
{
    if (fetcher->is_sweeping || now_ms < fetcher->swept_ms + SWEEP_EVERY_MS)
        return;
    fetcher->swept_ms = now_ms;
    fetcher->is_sweeping =
        !curl_multi_add_handle(fetcher->multi, fetcher->sweeper);
}

static void end_sweep(struct pagefetcher *fetcher)
{
    curl_multi_remove_handle(fetcher->multi, fetcher->sweeper);
    fetcher->is_sweeping = false;
}

static uint64_t connections_due(const struct pagefetcher *fetcher)
{
    uint64_t due_ms = connections_due_ms(&fetcher->connections);
    uint64_t sweep_ms = fetcher->swept_ms + SWEEP_EVERY_MS;

    if (fetcher->is_sweeping || !fetcher->connections.ending)
        return due_ms;
    return sweep_ms < due_ms ? sweep_ms : due_ms;
}

static void close_connections(struct pagefetcher *fetcher)
{
    uint64_t due_ms = connections_due(fetcher);

    if (due_ms == UINT64_MAX)
        return;
    uint64_t now_ms = clock_mono_ms();
    if (now_ms < due_ms)
        return;
    connections_expire(&fetcher->connections, now_ms);
    if (fetcher->connections.ending)
        sweep(fetcher, now_ms);
}

/* --- making and freeing ------------------------------------------------- */

struct pagefetcher *pagefetcher_new(const struct fetch_options *options)
{
    struct pagefetcher *fetcher = NEW(struct pagefetcher);

    transfer_setup_init(&fetcher->setup, options);
    bodies_init(&fetcher->bodies, options->body_budget);
    connections_init(&fetcher->connections, options->keep_connections);
    tls_sessions_init(&fetcher->sessions, !options->insecure);
    fetcher->setup.connections = &fetcher->connections;
    fetcher->setup.sessions = &fetcher->sessions;
    TAILQ_INIT(&fetcher->running);
    TAILQ_INIT(&fetcher->finished);
    TAILQ_INIT(&fetcher->free);
    fetcher->watched_fd = -1;
    fetcher->timer_ms = UINT64_MAX;
    fetcher->epoll_fd = epoll_create1(EPOLL_CLOEXEC);
    fetcher->multi = curl_multi_init();
    fetcher->sweeper = new_sweeper();
    if (fetcher->epoll_fd < 0 || !fetcher->multi || !fetcher->sweeper) {
        int why = fetcher->epoll_fd < 0 ? errno : ENOMEM;
        pagefetcher_free(fetcher);
        errno = why;
        return NULL;
    }
    curl_multi_setopt(fetcher->multi, CURLMOPT_SOCKETFUNCTION, on_socket);
    curl_multi_setopt(fetcher->multi, CURLMOPT_SOCKETDATA, fetcher);
    curl_multi_setopt(fetcher->multi, CURLMOPT_TIMERFUNCTION, on_timer);
    curl_multi_setopt(fetcher->multi, CURLMOPT_TIMERDATA, fetcher);
    /* `connections` decides which are kept. */
    curl_multi_setopt(fetcher->multi, CURLMOPT_MAXCONNECTS,
                      options->connections_max ? (long)options->connections_max
                                               : LONG_MAX);
    curl_multi_setopt(fetcher->multi, CURLMOPT_MAX_TOTAL_CONNECTIONS,
                      (long)options->connections_max);
    return fetcher;
}

static void free_list(struct transfers *list)
{
    struct transfer *transfer;

    while ((transfer = TAILQ_FIRST(list))) {
        TAILQ_REMOVE(list, transfer, link);
        transfer_free(transfer);
    }
}

void pagefetcher_free(struct pagefetcher *fetcher)
{
    connections_forget_users(&fetcher->connections);
    free_list(&fetcher->free);
    free_list(&fetcher->finished);
    if (fetcher->is_sweeping)
        curl_multi_remove_handle(fetcher->multi, fetcher->sweeper);
    curl_easy_cleanup(fetcher->sweeper);
    curl_multi_cleanup(fetcher->multi);
    connections_release(&fetcher->connections);
    tls_sessions_release(&fetcher->sessions);
    transfer_setup_release(&fetcher->setup);
    buf_release(&fetcher->decoded);
    bodies_release(&fetcher->bodies);
    if (fetcher->epoll_fd >= 0)
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

static void finish(struct pagefetcher *fetcher, struct transfer *transfer)
{
    TAILQ_REMOVE(&fetcher->running, transfer, link);
    TAILQ_INSERT_TAIL(&fetcher->finished, transfer, link);
}

void pagefetcher_need(struct pagefetcher *fetcher, uint64_t origin,
                      bool is_needed)
{
    if (origin)
        connections_need(&fetcher->connections, origin, is_needed,
                         clock_mono_ms());
}

void pagefetcher_start(struct pagefetcher *fetcher, struct webpage *page)
{
    struct transfer *transfer = TAILQ_FIRST(&fetcher->free);

    if (transfer)
        TAILQ_REMOVE(&fetcher->free, transfer, link);
    else
        transfer = transfer_new(&fetcher->setup, &fetcher->bodies);
    page->exchange.start_ms = page->exchange.end_ms = clock_mono_ms();
    TAILQ_INSERT_TAIL(&fetcher->running, transfer, link);
    if (fetcher->setup.options->from) {
        transfer_aim_at_archive(transfer, page);
        return;
    }
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
    connections_rest(&fetcher->connections, transfer->fd, transfer,
                     transfer->page->is_host_needed || !transfer->origin,
                     transfer->exchange->end_ms);
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
        if (transfer)
            end(fetcher, transfer, code);
        else
            end_sweep(fetcher);
    }
}

/* Those that were paused may go on, the oldest first, while there is room: some
 * versions of libcurl read more of one that goes on and pauses at once. */
static void resume_waiting(struct pagefetcher *fetcher)
{
    struct transfer *next;

    for (struct transfer *transfer = TAILQ_FIRST(&fetcher->running); transfer;
         transfer = next) {
        next = TAILQ_NEXT(transfer, link);
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
    const struct transfer *transfer;

    TAILQ_FOREACH(transfer, &fetcher->running, link)
    if (transfer->is_waiting)
        return true;
    return false;
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
    /* This thread worked on a page, and nobody read what the others sent. */
    bool was_away = now_ms - fetcher->looked_ms > AWAY_MS;
    fetcher->looked_ms = now_ms;
    for (struct transfer *transfer = TAILQ_FIRST(&fetcher->running); transfer;
         transfer = next) {
        next = TAILQ_NEXT(transfer, link);
        if (was_away)
            transfer->seen_ms = 0;
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

/* Is there a page to be read from the archive? */
static bool is_archive_waiting(const struct pagefetcher *fetcher)
{
    return fetcher->setup.options->from && !TAILQ_EMPTY(&fetcher->running);
}

static int wait_ms(const struct pagefetcher *fetcher, int timeout_ms)
{
    if (!TAILQ_EMPTY(&fetcher->finished) || is_archive_waiting(fetcher))
        return 0;
    if (fetcher->bodies.is_awaited)
        timeout_ms = shorter(timeout_ms, LOOK_FOR_ROOM_MS);
    else if (fetcher->bodies.used)
        timeout_ms = shorter(timeout_ms, LOOK_FOR_SLOW_MS);
    uint64_t due_ms = connections_due(fetcher);
    if (fetcher->timer_ms < due_ms)
        due_ms = fetcher->timer_ms;
    if (due_ms == UINT64_MAX)
        return timeout_ms;

    uint64_t now_ms = clock_mono_ms();
    uint64_t left_ms = due_ms > now_ms ? due_ms - now_ms : 0;
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
    close_connections(fetcher);
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

/* Let libcurl do what is due: start new transfers, end late ones. */
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

/* One page at a time, so that one body is in memory. */
static void read_archive(struct pagefetcher *fetcher)
{
    struct transfer *transfer = TAILQ_FIRST(&fetcher->running);

    transfer_read_archive(transfer);
    finish(fetcher, transfer);
}

/* One socket at a time, so that a page is worked on while it is still in the
 * processor's cache, and few bodies are in memory. */
struct webpage *pagefetcher_take(struct pagefetcher *fetcher)
{
    assert(!fetcher->taken);
    if (!fetcher->next_event)
        run_timer(fetcher);
    while (TAILQ_EMPTY(&fetcher->finished) && run_socket(fetcher))
        ;
    if (TAILQ_EMPTY(&fetcher->finished) && is_archive_waiting(fetcher))
        read_archive(fetcher);
    struct transfer *transfer = TAILQ_FIRST(&fetcher->finished);
    if (!transfer)
        return NULL;
    TAILQ_REMOVE(&fetcher->finished, transfer, link);
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
    TAILQ_INSERT_HEAD(&fetcher->free, transfer, link);
    look_for_room(fetcher);
}

void pagefetcher_abandon(struct pagefetcher *fetcher)
{
    struct transfer *transfer;

    while ((transfer = TAILQ_FIRST(&fetcher->running))) {
        if (!fetcher->setup.options->from)
            curl_multi_remove_handle(fetcher->multi, transfer->easy);
        transfer_give_up(transfer, ABANDONED);
        transfer->exchange->end_ms = clock_mono_ms();
        finish(fetcher, transfer);
    }
}
