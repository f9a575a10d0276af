#include "page/pagefetcher.h"

#include <assert.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/mem.h"
#include "base/spool.h"
#include "page/transfer.h"

enum {
    EVENTS_AT_ONCE = 64,
    LOOK_FOR_SLOW_MS = 500,
    AWAY_MS = 750, /* between two looks at who is slow */
    LOOK_FOR_ROOM_MS = 20,
    CLOSERS_MAX = 32, /* connections that are being closed at a time */
    POOLS_MAX = 64,
    POOL_SIZE = 64, /* connections for which another pool pays */
};

/* libcurl's handle for some of the origins, with their connections. It looks
 * through all connections of a handle now and then, and keeps them in few
 * lists: with thousands in one handle that costs more than the pages. */
struct pool {
    struct pagefetcher *fetcher;
    CURLM *multi;      /* NULL: not needed so far */
    uint64_t timer_ms; /* libcurl's next deadline, or UINT64_MAX */
};

/* Whose a socket is; NULL: nobody's. */
struct owner {
    struct transfer *transfer;
    struct pool *pool;
};

struct pagefetcher {
    struct transfer_setup setup;
    struct bodies bodies;
    struct connections connections;
    struct tls_sessions sessions;
    uint64_t looked_ms; /* when end_slow looked at all transfers */
    struct pool pool[POOLS_MAX];
    size_t pools;
    int epoll_fd;
    int watched_fd;
    struct transfers running;  /* the oldest first */
    struct transfers finished; /* to be taken, in order */
    struct transfers free;     /* ready for the next page */
    struct transfers closers;  /* each closes a connection */
    unsigned closing;
    struct owner *owner; /* by socket */
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
    return (size_t)fd < fetcher->owners ? fetcher->owner[fd].transfer : NULL;
}

static void set_owner(struct pagefetcher *fetcher, int fd, struct owner owner)
{
    size_t count = fetcher->owners;

    if ((size_t)fd >= count) {
        fetcher->owners = 2 * (size_t)fd + 16;
        fetcher->owner =
            mem_resize(fetcher->owner, fetcher->owners * sizeof(struct owner));
        for (size_t i = count; i < fetcher->owners; i++)
            fetcher->owner[i] = (struct owner){0};
    }
    fetcher->owner[fd] = owner;
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
    set_owner(fetcher, fd, (struct owner){0});
}

static int on_socket(CURL *easy, curl_socket_t fd, int what, void *user,
                     void *known)
{
    struct pool *pool = user;
    struct pagefetcher *fetcher = pool->fetcher;
    struct epoll_event event = {.data.fd = fd};
    struct transfer *transfer = NULL, *owner = owner_of(fetcher, fd);

    if (what == CURL_POLL_REMOVE) {
        forget_socket(fetcher, fd);
        return 0;
    }
    if (owner)
        show_socket(fetcher, owner);
    curl_easy_getinfo(easy, CURLINFO_PRIVATE, &transfer);
    set_owner(fetcher, fd, (struct owner){transfer, pool});
    if (transfer && transfer->closes_fd < 0) {
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
        curl_multi_assign(pool->multi, fd, pool);
    return 0;
}

static int on_timer(CURLM *multi, long timeout_ms, void *user)
{
    struct pool *pool = user;

    (void)multi;
    pool->timer_ms =
        timeout_ms < 0 ? UINT64_MAX : clock_mono_ms() + (uint64_t)timeout_ms;
    return 0;
}

/* --- pools --------------------------------------------------------------- */

static size_t pool_count(size_t keep_connections)
{
    size_t count = keep_connections / POOL_SIZE;

    return count < 1 ? 1 : count > POOLS_MAX ? POOLS_MAX : count;
}

size_t pagefetcher_files(size_t keep_connections)
{
    return 2 * (pool_count(keep_connections) - 1);
}

static void make_pool(struct pool *pool, const struct fetch_options *options)
{
    CURLM *multi = pool->multi = mem_checked(curl_multi_init());

    curl_multi_setopt(multi, CURLMOPT_SOCKETFUNCTION, on_socket);
    curl_multi_setopt(multi, CURLMOPT_SOCKETDATA, pool);
    curl_multi_setopt(multi, CURLMOPT_TIMERFUNCTION, on_timer);
    curl_multi_setopt(multi, CURLMOPT_TIMERDATA, pool);
    /* `connections` decides which are kept. */
    curl_multi_setopt(multi, CURLMOPT_MAXCONNECTS,
                      options->connections_max ? (long)options->connections_max
                                               : LONG_MAX);
    curl_multi_setopt(multi, CURLMOPT_MAX_TOTAL_CONNECTIONS,
                      (long)options->connections_max);
}

/* Give it to libcurl, with the connections of its origin. */
static bool add_handle(struct pagefetcher *fetcher, struct transfer *transfer)
{
    struct pool *pool = &fetcher->pool[transfer->origin % fetcher->pools];

    if (!pool->multi)
        make_pool(pool, fetcher->setup.options);
    transfer->multi = pool->multi;
    return curl_multi_add_handle(pool->multi, transfer->easy) == CURLM_OK;
}

static uint64_t next_timer_ms(const struct pagefetcher *fetcher)
{
    uint64_t next_ms = UINT64_MAX;

    for (size_t i = 0; i < fetcher->pools; i++)
        if (fetcher->pool[i].timer_ms < next_ms)
            next_ms = fetcher->pool[i].timer_ms;
    return next_ms;
}

/* --- connections that are closed ---------------------------------------- */

static struct transfer *unused_transfer(struct pagefetcher *fetcher)
{
    struct transfer *transfer = TAILQ_FIRST(&fetcher->free);

    if (!transfer)
        return transfer_new(&fetcher->setup, &fetcher->bodies);
    TAILQ_REMOVE(&fetcher->free, transfer, link);
    return transfer;
}

static void end_closer(struct pagefetcher *fetcher, struct transfer *transfer)
{
    curl_multi_remove_handle(transfer->multi, transfer->easy);
    connections_shut(&fetcher->connections, transfer->closes_fd);
    transfer->closes_fd = -1;
    curl_easy_setopt(transfer->easy, CURLOPT_CONNECT_TO, NULL);
    curl_slist_free_all(transfer->dns_override);
    transfer->dns_override = NULL;
    TAILQ_REMOVE(&fetcher->closers, transfer, link);
    TAILQ_INSERT_HEAD(&fetcher->free, transfer, link);
    fetcher->closing--;
}

static void start_closer(struct pagefetcher *fetcher, int fd, uint64_t origin,
                         const struct connection_way *way)
{
    struct transfer *transfer = unused_transfer(fetcher);

    transfer_aim_at_connection(transfer, fd, origin, way);
    TAILQ_INSERT_TAIL(&fetcher->closers, transfer, link);
    fetcher->closing++;
    if (!add_handle(fetcher, transfer))
        end_closer(fetcher, transfer);
}

static void close_connections(struct pagefetcher *fetcher)
{
    struct connection_way way;
    uint64_t origin;
    int fd;

    uint64_t due_ms = connections_due_ms(&fetcher->connections);
    if (due_ms == UINT64_MAX)
        return;
    uint64_t now_ms = clock_mono_ms();
    if (now_ms < due_ms)
        return;
    connections_expire(&fetcher->connections, now_ms);
    while (fetcher->closing < CLOSERS_MAX &&
           (fd = connections_next_ending(&fetcher->connections, &origin,
                                         &way)) >= 0)
        if (way.rule)
            start_closer(fetcher, fd, origin, &way);
        else
            connections_shut(&fetcher->connections, fd);
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
    TAILQ_INIT(&fetcher->closers);
    fetcher->watched_fd = -1;
    fetcher->pools = pool_count(options->keep_connections);
    for (size_t i = 0; i < fetcher->pools; i++)
        fetcher->pool[i] =
            (struct pool){.fetcher = fetcher, .timer_ms = UINT64_MAX};
    fetcher->epoll_fd = epoll_create1(EPOLL_CLOEXEC);
    if (fetcher->epoll_fd < 0) {
        int why = errno;
        pagefetcher_free(fetcher);
        errno = why;
        return NULL;
    }
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
    while (!TAILQ_EMPTY(&fetcher->closers))
        end_closer(fetcher, TAILQ_FIRST(&fetcher->closers));
    free_list(&fetcher->free);
    free_list(&fetcher->finished);
    for (size_t i = 0; i < fetcher->pools; i++)
        curl_multi_cleanup(fetcher->pool[i].multi);
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
    struct transfer *transfer = unused_transfer(fetcher);

    page->exchange.start_ms = page->exchange.end_ms = clock_mono_ms();
    TAILQ_INSERT_TAIL(&fetcher->running, transfer, link);
    if (fetcher->setup.options->from) {
        transfer_aim_at_archive(transfer, page);
        return;
    }
    if (!transfer_begin(transfer, page) || !add_handle(fetcher, transfer))
        finish(fetcher, transfer);
}

/* Any message of libcurl about it is gone after this. */
static void end(struct pagefetcher *fetcher, struct transfer *transfer,
                CURLcode code)
{
    transfer_end(transfer, code);
    curl_multi_remove_handle(transfer->multi, transfer->easy);
    connections_rest(&fetcher->connections, transfer->fd, transfer,
                     transfer->page->is_host_needed || !transfer->origin,
                     transfer->exchange->end_ms);
    finish(fetcher, transfer);
}

static void collect(struct pagefetcher *fetcher, const struct pool *pool)
{
    CURLMsg *message;
    int left;

    while ((message = curl_multi_info_read(pool->multi, &left))) {
        struct transfer *transfer;
        CURLcode code = message->data.result;

        if (message->msg != CURLMSG_DONE)
            continue;
        curl_easy_getinfo(message->easy_handle, CURLINFO_PRIVATE, &transfer);
        if (transfer->closes_fd >= 0)
            end_closer(fetcher, transfer);
        else
            end(fetcher, transfer, code);
    }
}

/* Has what this one waits for become free? */
static bool has_room(const struct pagefetcher *fetcher,
                     const struct transfer *transfer)
{
    const struct spools *spools = fetcher->setup.options->spools;

    return transfer->waits_for_spool ? spools->count < spools->max
                                     : bodies_have_room(&fetcher->bodies);
}

/* Those that were paused may go on, the oldest first, while there is room: some
 * versions of libcurl read more of one that goes on and pauses at once. */
static void resume_waiting(struct pagefetcher *fetcher)
{
    struct transfer *next;

    for (struct transfer *transfer = TAILQ_FIRST(&fetcher->running); transfer;
         transfer = next) {
        next = TAILQ_NEXT(transfer, link);
        if (!transfer->is_waiting || !has_room(fetcher, transfer))
            continue;
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

/* Others wait for memory, or for a spool: who holds it without need ends. */
static void end_slow(struct pagefetcher *fetcher)
{
    struct transfer *next;

    const struct spools *spools = fetcher->setup.options->spools;
    bool is_memory_wanted = bodies_hold_up(&fetcher->bodies);
    bool is_spool_wanted = spools && spools->waiting;

    if (!is_memory_wanted && !is_spool_wanted)
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
        bool is_wanted = transfer->spooled ? is_spool_wanted : is_memory_wanted;
        if (!is_wanted || !transfer_is_slow(transfer, now_ms))
            continue;
        transfer->cut_as = TIMED_OUT;
        end(fetcher, transfer, CURLE_ABORTED_BY_CALLBACK);
    }
}

/* Might one of these be slow? */
static bool has_spools(const struct pagefetcher *fetcher)
{
    const struct spools *spools = fetcher->setup.options->spools;

    return spools && spools->count;
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
    else if (fetcher->bodies.used || has_spools(fetcher))
        timeout_ms = shorter(timeout_ms, LOOK_FOR_SLOW_MS);
    uint64_t due_ms = fetcher->closing < CLOSERS_MAX
                          ? connections_due_ms(&fetcher->connections)
                          : UINT64_MAX;
    if (next_timer_ms(fetcher) < due_ms)
        due_ms = next_timer_ms(fetcher);
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

static void call_libcurl(struct pagefetcher *fetcher, const struct pool *pool,
                         curl_socket_t fd, int events)
{
    int still_running;

    curl_multi_socket_action(pool->multi, fd, events, &still_running);
    collect(fetcher, pool);
}

/* Let libcurl do what is due: start new transfers, end late ones. */
static void run_timer(struct pagefetcher *fetcher)
{
    uint64_t now_ms = clock_mono_ms();

    for (size_t i = 0; i < fetcher->pools; i++) {
        struct pool *pool = &fetcher->pool[i];
        if (pool->timer_ms > now_ms)
            continue;
        pool->timer_ms = UINT64_MAX;
        call_libcurl(fetcher, pool, CURL_SOCKET_TIMEOUT, 0);
    }
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
    if ((size_t)event->data.fd < fetcher->owners &&
        fetcher->owner[event->data.fd].pool)
        call_libcurl(fetcher, fetcher->owner[event->data.fd].pool,
                     event->data.fd, curl_events(event->events));
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
            curl_multi_remove_handle(transfer->multi, transfer->easy);
        transfer_give_up(transfer, ABANDONED);
        transfer->exchange->end_ms = clock_mono_ms();
        finish(fetcher, transfer);
    }
}
