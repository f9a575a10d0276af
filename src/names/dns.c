/* 1.34 calls functions old for which 1.18 has no others. */
#define CARES_NO_DEPRECATED

#include "names/dns.h"

#include <ares.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/epoll.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/heap.h"
#include "base/mem.h"
#include "names/window.h"

enum {
    TICK_MS = 100, /* how often time-outs are looked for */
    EVENTS_AT_ONCE = 64,
    SERVERS_MAX = 32, /* of the system's; others are only asked after these */
};

/* A channel of c-ares: a socket for each server, and what was asked there. One
 * is current; older ones stay until their last question has ended. It asks one
 * server first, and the others where that one does not answer. */
struct channel {
    struct channel *next;
    struct dns *dns;
    ares_channel ares;
    unsigned asked, open;   /* questions so far, and under way */
    unsigned server;        /* its place in the list */
    unsigned in_time, late; /* answers */
    uint64_t born_ms;
};

struct dns_socket {
    int fd;
    struct channel *channel;
};

struct dns {
    const char *servers;
    int epoll_fd, wake_fd;
    struct channel *channels; /* the first is the current one */
    struct dns_socket *sockets;
    size_t socket_count, socket_room;
    bool has_ipv6;         /* when the last channel was opened */
    unsigned server_count; /* at that time */
    uint32_t silent;       /* a bit for each server that does not answer */
    uint64_t silent_ms;
    struct window window;
    struct question *first, **last; /* those that wait for room in the window */
    struct heap due;                /* those in flight and those that rest */
    struct question *being_asked;
    unsigned open; /* look-ups under way */
    uint64_t tick_ms;
    bool closing;
};

enum question_state {
    WAITING,   /* for room in the window */
    IN_FLIGHT, /* in the window until it is answered, or due: late */
    LATE,      /* c-ares asks it again, less and less often */
    RESTING,   /* no server would answer it; it is asked again when it is due */
};

struct question {
    struct heap_node node;
    struct question *next;
    struct lookup *lookup;
    struct channel *channel; /* that it is asked on */
    int family;              /* which addresses are asked for */
    enum question_state state;
    unsigned asks;
    uint64_t asked_ms, due_ms;
};

/* A name that is looked up. Who asked is told the answer when all questions
 * have ended; or one has brought an address, and the other is late. Then c-ares
 * may still hold the other. */
struct lookup {
    struct dns *dns;
    dns_answered_fn *answered; /* NULL: it was told */
    void *user;
    struct name_answer answer; /* so far */
    bool failed;               /* a question without an answer */
    bool has_ipv6;
    unsigned open, overdue; /* questions; of them late or resting */
    struct question question[2];
    char name[NAME_LEN_MAX + 2];
};

/* --- sockets ------------------------------------------------------------ */

static struct dns_socket *find_socket(struct dns *dns, int fd)
{
    for (size_t i = 0; i < dns->socket_count; i++)
        if (dns->sockets[i].fd == fd)
            return &dns->sockets[i];
    return NULL;
}

static void socket_changed(void *user, ares_socket_t fd, int readable,
                           int writable)
{
    struct channel *channel = user;
    struct dns *dns = channel->dns;
    struct dns_socket *socket = find_socket(dns, fd);
    struct epoll_event event = {
        .events =
            (readable ? EPOLLIN : 0U) | (writable ? (uint32_t)EPOLLOUT : 0U),
        .data.fd = fd,
    };

    if (!event.events) {
        epoll_ctl(dns->epoll_fd, EPOLL_CTL_DEL, fd, NULL);
        if (socket)
            *socket = dns->sockets[--dns->socket_count];
        return;
    }
    if (socket) {
        epoll_ctl(dns->epoll_fd, EPOLL_CTL_MOD, fd, &event);
        return;
    }
    dns->sockets = mem_grow(dns->sockets, dns->socket_count, &dns->socket_room,
                            sizeof(*dns->sockets));
    dns->sockets[dns->socket_count++] = (struct dns_socket){fd, channel};
    epoll_ctl(dns->epoll_fd, EPOLL_CTL_ADD, fd, &event);
}

bool dns_has_ipv6(void)
{
    /* Any global address will do: to connect a datagram socket sends nothing,
     * but needs a route. */
    const struct sockaddr_in6 outside = {
        .sin6_family = AF_INET6,
        .sin6_port = htons(53),
        .sin6_addr.s6_addr = {0x20, 0x01, 0x05, 0x03, 0xba, 0x3e, [15] = 0x30},
    };
    int fd = socket(AF_INET6, SOCK_DGRAM | SOCK_CLOEXEC, 0);

    if (fd < 0)
        return false;
    bool has = !connect(fd, (const struct sockaddr *)&outside, sizeof(outside));
    close(fd);
    return has;
}

/* --- channels ----------------------------------------------------------- */

/* Asked again after each time-out, with a longer one, for this long. */
static int tries_of(unsigned time_out_ms)
{
    int tries = 0;

    for (unsigned ms = 0; ms < DNS_PATIENCE_MS; time_out_ms *= 2, tries++)
        ms += time_out_ms;
    return tries;
}

/* All that the version of c-ares decides is here and in
 * may_be_asked_again: 1.18 (Debian 12) has no cache of its own, 1.34 (Debian
 * 13) must be told not to have one.
 *
 * A server that says that it failed, or refuses: c-ares goes on to the next at
 * once, which is good. To ask the only one at once is not, so there it shall
 * tell us. */
static bool open_ares(struct channel *channel)
{
    const struct dns *dns = channel->dns;
    char dns_only[] = "b";
    unsigned time_out_ms = window_time_out_ms(&dns->window);
    struct ares_options options = {
        .flags = dns->server_count == 1 ? ARES_FLAG_NOCHECKRESP : 0,
        .timeout = (int)time_out_ms,
        .tries = tries_of(time_out_ms),
        .lookups = dns_only,
        .sock_state_cb = socket_changed,
        .sock_state_cb_data = channel,
    };
    int mask = ARES_OPT_FLAGS | ARES_OPT_TIMEOUTMS | ARES_OPT_TRIES |
               ARES_OPT_LOOKUPS | ARES_OPT_SOCK_STATE_CB;

#ifdef ARES_OPT_QUERY_CACHE
    mask |= ARES_OPT_QUERY_CACHE; /* of size 0 */
#endif
    if (ares_init_options(&channel->ares, &options, mask) != ARES_SUCCESS)
        return false;
    if (!dns->servers ||
        ares_set_servers_ports_csv(channel->ares, dns->servers) == ARES_SUCCESS)
        return true;
    ares_destroy(channel->ares);
    return false;
}

/* Which server is asked first: the first of the system's, but those of dns_new
 * in turns; and none that is silent. */
static unsigned choose_server(const struct dns *dns)
{
    unsigned from =
        dns->servers && dns->channels ? dns->channels->server + 1 : 0;

    for (unsigned i = from; i < from + dns->server_count; i++)
        if (!(dns->silent >> i % dns->server_count & 1))
            return i % dns->server_count;
    return 0;
}

/* Count the servers, and put them into the channel's order. True if they are
 * as many as before. */
static bool order_servers(struct channel *channel)
{
    struct dns *dns = channel->dns;
    unsigned count = 0, before = dns->server_count;
    struct ares_addr_port_node *first = NULL, *last = NULL, *at;

    if (ares_get_servers_ports(channel->ares, &first) != ARES_SUCCESS)
        return true;
    for (at = first; at; at = at->next, count++)
        last = at;
    dns->server_count = count < SERVERS_MAX ? count : SERVERS_MAX;
    channel->server = choose_server(dns);
    if (channel->server) {
        at = first;
        for (unsigned i = 1; i < channel->server; i++)
            at = at->next;
        last->next = first;
        first = at->next;
        at->next = NULL;
        ares_set_servers_ports(channel->ares, first);
    }
    ares_free_data(first);
    return dns->server_count == before;
}

static struct channel *new_channel(struct dns *dns, uint64_t now_ms)
{
    struct channel *channel = NEW(struct channel);

    channel->dns = dns;
    channel->born_ms = now_ms;
    dns->has_ipv6 = dns_has_ipv6();
    if (now_ms - dns->silent_ms > DNS_CHANNEL_S * 1000)
        dns->silent = 0;

    bool is_open = open_ares(channel);
    if (is_open && !order_servers(channel)) {
        ares_destroy(channel->ares);
        is_open = open_ares(channel);
        if (is_open)
            order_servers(channel);
    }
    if (!is_open) {
        free(channel);
        return NULL;
    }
    channel->next = dns->channels;
    dns->channels = channel;
    return channel;
}

static bool is_silent(const struct channel *channel)
{
    return channel->dns->silent >> channel->server & 1;
}

static struct channel *current_channel(struct dns *dns)
{
    struct channel *current = dns->channels;
    uint64_t now_ms = clock_mono_ms();

    if (current && current->asked < DNS_CHANNEL_ASKS &&
        now_ms - current->born_ms < DNS_CHANNEL_S * 1000 && !is_silent(current))
        return current;
    return new_channel(dns, now_ms);
}

/* An answer is late. A server that has answered nothing at all in time is asked
 * last for a while; but where all are silent, that tells nothing. */
static void note_late(struct channel *channel, uint64_t now_ms)
{
    struct dns *dns = channel->dns;

    channel->late++;
    if (channel->in_time || channel->late < DNS_LATE_MAX)
        return;
    dns->silent |= UINT32_C(1) << channel->server;
    dns->silent_ms = now_ms;
    if (dns->silent == (UINT64_C(1) << dns->server_count) - 1)
        dns->silent = 0;
}

/* Remove the channels with nothing under way, all but the current one; with
 * `all` that one too. */
static void close_channels(struct dns *dns, bool all)
{
    struct channel **at = &dns->channels;

    if (*at && !all)
        at = &(*at)->next;
    while (*at) {
        struct channel *channel = *at;
        if (channel->open && !all) {
            at = &channel->next;
            continue;
        }
        *at = channel->next;
        ares_destroy(channel->ares);
        free(channel);
    }
}

static bool is_due_before(const struct heap_node *a, const struct heap_node *b)
{
    const struct question *left = container_of(a, const struct question, node);
    const struct question *right = container_of(b, const struct question, node);

    return left->due_ms < right->due_ms;
}

struct dns *dns_new(const char *servers, int wake_fd)
{
    struct epoll_event event = {.events = EPOLLIN, .data.fd = wake_fd};
    int epoll_fd = epoll_create1(EPOLL_CLOEXEC);

    if (epoll_fd < 0)
        return NULL;
    if (epoll_ctl(epoll_fd, EPOLL_CTL_ADD, wake_fd, &event) ||
        ares_library_init(ARES_LIB_INIT_ALL) != ARES_SUCCESS) {
        close(epoll_fd);
        return NULL;
    }

    struct dns *dns = NEW(struct dns);
    dns->servers = servers;
    dns->epoll_fd = epoll_fd;
    dns->wake_fd = wake_fd;
    dns->has_ipv6 = dns_has_ipv6();
    dns->last = &dns->first;
    window_init(&dns->window);
    heap_init(&dns->due, is_due_before);
    return dns;
}

/* --- look-ups ----------------------------------------------------------- */

static enum name_result result_of(int status)
{
    switch (status) {
    case ARES_SUCCESS:
        return NAME_FOUND;
    case ARES_ENOTFOUND:
    case ARES_ENODATA:
    case ARES_ENONAME:
    case ARES_EBADNAME: /* a label is too long or empty */
        return NAME_UNKNOWN;
    default:
        return NAME_FAILED;
    }
}

static void lower_ttl(struct name_answer *answer, int ttl_s)
{
    if (ttl_s >= 0 && (uint32_t)ttl_s < answer->ttl_s)
        answer->ttl_s = (uint32_t)ttl_s;
}

static void add_addresses(struct name_answer *answer,
                          const struct ares_addrinfo *found)
{
    for (const struct ares_addrinfo_cname *alias = found->cnames; alias;
         alias = alias->next)
        lower_ttl(answer, alias->ttl);
    for (const struct ares_addrinfo_node *node = found->nodes; node;
         node = node->ai_next) {
        if (node->ai_family == AF_INET6) {
            struct sockaddr_in6 v6;
            memcpy(&v6, node->ai_addr, sizeof(v6));
            name_answer_add(answer, &v6.sin6_addr);
        } else if (node->ai_family == AF_INET) {
            struct sockaddr_in v4;
            memcpy(&v4, node->ai_addr, sizeof(v4));
            name_answer_add_v4(answer, &v4.sin_addr);
        }
        lower_ttl(answer, node->ai_ttl);
    }
}

/* An answer that came at once and is none: the server is busy, or it is away
 * for a moment. */
static bool may_be_asked_again(int status)
{
    switch (status) {
    case ARES_EREFUSED:
    case ARES_ESERVFAIL:
    case ARES_ECONNREFUSED: /* c-ares 1.18, of several servers: any of these */
        return true;
    default:
        return false;
    }
}

static void wait_until(struct question *question, enum question_state state,
                       uint64_t due_ms)
{
    question->state = state;
    question->due_ms = due_ms;
    heap_put(&question->lookup->dns->due, &question->node);
}

static void tell(struct lookup *lookup)
{
    struct name_answer *answer = &lookup->answer;
    dns_answered_fn *answered = lookup->answered;

    lookup->answered = NULL;
    answer->result = answer->count    ? NAME_FOUND
                     : lookup->failed ? NAME_FAILED
                                      : NAME_UNKNOWN;
    name_answer_sort(answer, lookup->has_ipv6);
    if (!lookup->dns->closing)
        answered(lookup->user, answer);
}

/* A question of it has ended, is late or rests. */
static void look_at(struct lookup *lookup)
{
    bool is_enough = lookup->answer.count && lookup->open == lookup->overdue;

    if (lookup->answered && (!lookup->open || is_enough))
        tell(lookup);
    if (!lookup->open) {
        lookup->dns->open--;
        free(lookup);
    }
}

static void end_question(struct question *question)
{
    question->lookup->open--;
    look_at(question->lookup);
}

/* The question leaves the window: it was answered, refused or is late. A name
 * that fails for a second time tells nothing: it may well be dead. */
static void leave_window(struct question *question, int status, uint64_t now_ms)
{
    struct window *window = &question->lookup->dns->window;

    window_left(window);
    if (result_of(status) != NAME_FAILED) {
        window_answered(window);
        question->channel->in_time++;
    } else if (status == ARES_EREFUSED) {
        window_refused(window, now_ms);
    } else if (question->asks == 1) {
        window_lost(window, now_ms);
    }
}

static void take_reply(void *user, int status, int timeouts,
                       struct ares_addrinfo *found)
{
    struct question *question = user;
    struct lookup *lookup = question->lookup;
    struct dns *dns = lookup->dns;
    uint64_t now_ms = clock_mono_ms();

    (void)timeouts;
    question->channel->open--;
    if (question->state == IN_FLIGHT) {
        heap_remove(&dns->due, &question->node);
        leave_window(question, status, now_ms);
    }
    if (question->state == LATE)
        lookup->overdue--;
    if (dns->being_asked == question) /* nothing was sent */
        dns->being_asked = NULL;
    else if (result_of(status) != NAME_FAILED)
        window_measured(&dns->window, now_ms - question->asked_ms);
    if (found) {
        add_addresses(&lookup->answer, found);
        ares_freeaddrinfo(found);
    }
    if (lookup->answered && may_be_asked_again(status) &&
        question->asks < DNS_ASKS && !dns->closing) {
        wait_until(question, RESTING,
                   now_ms + ((uint64_t)DNS_REST_MS << (question->asks - 1)));
        lookup->overdue++;
        look_at(lookup);
        return;
    }
    lookup->failed |= result_of(status) == NAME_FAILED;
    end_question(question);
}

static void ask(struct question *question)
{
    struct dns *dns = question->lookup->dns;
    const struct ares_addrinfo_hints hints = {
        .ai_flags = ARES_AI_NOSORT,
        .ai_family = question->family,
    };

    question->channel = current_channel(dns);
    if (!question->channel) {
        question->lookup->failed = true;
        end_question(question);
        return;
    }
    question->asks++;
    question->asked_ms = clock_mono_ms();
    question->channel->asked++;
    question->channel->open++;
    dns->being_asked = question;
    ares_getaddrinfo(question->channel->ares, question->lookup->name, NULL,
                     &hints, take_reply, question);
    if (dns->being_asked != question)
        return; /* it has ended already */
    dns->being_asked = NULL;
    window_asked(&dns->window);
    wait_until(question, IN_FLIGHT,
               question->asked_ms + window_time_out_ms(&dns->window));
}

static struct question *take_waiting(struct dns *dns)
{
    struct question *first = dns->first;

    dns->first = first->next;
    if (!dns->first)
        dns->last = &dns->first;
    return first;
}

static void put_waiting(struct question *question)
{
    struct dns *dns = question->lookup->dns;

    question->state = WAITING;
    question->next = NULL;
    *dns->last = question;
    dns->last = &question->next;
}

static void ask_waiting(struct dns *dns)
{
    while (dns->first && window_has_room(&dns->window))
        ask(take_waiting(dns));
}

static void look_at_due(struct dns *dns)
{
    uint64_t now_ms = clock_mono_ms();
    struct heap_node *first;

    while ((first = heap_first(&dns->due))) {
        struct question *question = container_of(first, struct question, node);
        struct lookup *lookup = question->lookup;

        if (question->due_ms > now_ms)
            return;
        heap_remove(&dns->due, first);
        if (question->state == IN_FLIGHT) {
            leave_window(question, ARES_ETIMEOUT, now_ms);
            note_late(question->channel, now_ms);
            question->state = LATE;
            lookup->overdue++;
            look_at(lookup);
        } else {
            lookup->overdue--;
            if (lookup->answered)
                put_waiting(question);
            else
                end_question(question);
        }
    }
}

void dns_ask(struct dns *dns, const char *name, dns_answered_fn *answered,
             void *user)
{
    struct lookup *lookup = NEW(struct lookup);
    bool has_dot = strchr(name, '.');
    bool has_ipv6 = dns->has_ipv6;

    lookup->dns = dns;
    lookup->answered = answered;
    lookup->user = user;
    lookup->answer.ttl_s = UINT32_MAX;
    lookup->has_ipv6 = has_ipv6;
    /* With a dot at the end no search domain is tried. */
    snprintf(lookup->name, sizeof(lookup->name), "%s%s", name,
             has_dot ? "." : "");
    /* A name without a dot: both kinds from the same search domain. */
    lookup->question[0].family = has_ipv6 && !has_dot ? AF_UNSPEC : AF_INET;
    lookup->question[1].family = AF_INET6;
    lookup->open = has_ipv6 && has_dot ? 2 : 1;
    for (unsigned i = 0; i < lookup->open; i++) {
        lookup->question[i].lookup = lookup;
        put_waiting(&lookup->question[i]);
    }
    dns->open++;
    ask_waiting(dns);
}

void dns_free(struct dns *dns)
{
    struct heap_node *resting;

    if (!dns)
        return;
    dns->closing = true;
    close_channels(dns, true);
    while (dns->first)
        end_question(take_waiting(dns));
    while ((resting = heap_first(&dns->due))) {
        heap_remove(&dns->due, resting);
        end_question(container_of(resting, struct question, node));
    }
    heap_release(&dns->due);
    ares_library_cleanup();
    close(dns->epoll_fd);
    free(dns->sockets);
    free(dns);
}

/* --- waiting ------------------------------------------------------------ */

static void look_for_time_outs(struct dns *dns)
{
    uint64_t now_ms = clock_mono_ms();

    if (now_ms - dns->tick_ms < TICK_MS)
        return;
    dns->tick_ms = now_ms;
    for (struct channel *channel = dns->channels; channel;
         channel = channel->next)
        if (channel->open)
            ares_process_fd(channel->ares, ARES_SOCKET_BAD, ARES_SOCKET_BAD);
}

static void run_socket(struct dns *dns, const struct epoll_event *event)
{
    /* It may be closed by now. */
    const struct dns_socket *socket = find_socket(dns, event->data.fd);
    bool writable = event->events & EPOLLOUT;
    bool readable = event->events & (EPOLLIN | EPOLLERR | EPOLLHUP);

    if (socket)
        ares_process_fd(socket->channel->ares,
                        readable ? event->data.fd : ARES_SOCKET_BAD,
                        writable ? event->data.fd : ARES_SOCKET_BAD);
}

bool dns_wait(struct dns *dns)
{
    struct epoll_event event[EVENTS_AT_ONCE];
    int count = epoll_wait(dns->epoll_fd, event, EVENTS_AT_ONCE,
                           dns->open ? TICK_MS : -1);
    bool woken = false;

    for (int i = 0; i < count; i++)
        if (event[i].data.fd == dns->wake_fd)
            woken = true;
        else
            run_socket(dns, &event[i]);
    look_for_time_outs(dns);
    look_at_due(dns);
    ask_waiting(dns);
    close_channels(dns, false);
    return woken;
}
