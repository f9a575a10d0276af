#include "names/dns.h"

#include <ares.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/epoll.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/mem.h"

enum {
    TICK_MS = 100, /* how often time-outs are looked for */
    EVENTS_AT_ONCE = 64,
};

/* A channel of c-ares: a socket for each server, and what was asked there. One
 * is current; older ones stay until their last look-up has ended. */
struct channel {
    struct channel *next;
    struct dns *dns;
    ares_channel ares;
    int family;           /* which addresses are asked for */
    unsigned asked, open; /* look-ups so far, and under way */
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
    unsigned open; /* look-ups under way, on all channels */
    uint64_t tick_ms;
    bool closing;
};

struct lookup {
    struct channel *channel;
    dns_answered_fn *answered;
    void *user;
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

/* All that the version of c-ares decides is here: 1.18 (Debian 12) has no cache
 * of its own, 1.34 (Debian 13) must be told not to have one. */
static bool open_ares(struct channel *channel)
{
    char dns_only[] = "b";
    struct ares_options options = {
        .timeout = DNS_TRY_MS,
        .tries = DNS_TRIES,
        .lookups = dns_only,
        .sock_state_cb = socket_changed,
        .sock_state_cb_data = channel,
    };
    int mask = ARES_OPT_FLAGS | ARES_OPT_TIMEOUTMS | ARES_OPT_TRIES |
               ARES_OPT_LOOKUPS | ARES_OPT_SOCK_STATE_CB;
    const char *servers = channel->dns->servers;

#ifdef ARES_OPT_QUERY_CACHE
    mask |= ARES_OPT_QUERY_CACHE; /* of size 0 */
#endif
    if (servers)
        mask |= ARES_OPT_ROTATE;
    if (ares_init_options(&channel->ares, &options, mask) != ARES_SUCCESS)
        return false;
    if (!servers ||
        ares_set_servers_ports_csv(channel->ares, servers) == ARES_SUCCESS)
        return true;
    ares_destroy(channel->ares);
    return false;
}

static struct channel *new_channel(struct dns *dns, uint64_t now_ms)
{
    struct channel *channel = NEW(struct channel);

    channel->dns = dns;
    channel->born_ms = now_ms;
    channel->family = dns_has_ipv6() ? AF_UNSPEC : AF_INET;
    if (!open_ares(channel)) {
        free(channel);
        return NULL;
    }
    channel->next = dns->channels;
    dns->channels = channel;
    return channel;
}

static struct channel *current_channel(struct dns *dns)
{
    struct channel *current = dns->channels;
    uint64_t now_ms = clock_mono_ms();

    if (current && current->asked < DNS_CHANNEL_ASKS &&
        now_ms - current->born_ms < DNS_CHANNEL_S * 1000)
        return current;
    return new_channel(dns, now_ms);
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
    return dns;
}

void dns_free(struct dns *dns)
{
    if (!dns)
        return;
    dns->closing = true;
    close_channels(dns, true);
    ares_library_cleanup();
    close(dns->epoll_fd);
    free(dns->sockets);
    free(dns);
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
    answer->ttl_s = UINT32_MAX;
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

static void end_lookup(void *user, int status, int timeouts,
                       struct ares_addrinfo *found)
{
    struct lookup *lookup = user;
    struct dns *dns = lookup->channel->dns;
    struct name_answer answer = {.result = result_of(status)};

    (void)timeouts;
    lookup->channel->open--;
    dns->open--;
    if (found) {
        add_addresses(&answer, found);
        ares_freeaddrinfo(found);
    }
    if (answer.result == NAME_FOUND && !answer.count)
        answer.result = NAME_UNKNOWN;
    name_answer_sort(&answer, lookup->channel->family == AF_UNSPEC);
    if (!dns->closing)
        lookup->answered(lookup->user, &answer);
    free(lookup);
}

void dns_ask(struct dns *dns, const char *name, dns_answered_fn *answered,
             void *user)
{
    struct channel *channel = current_channel(dns);
    char whole[NAME_LEN_MAX + 2];

    if (!channel) {
        answered(user, &(struct name_answer){.result = NAME_FAILED});
        return;
    }

    struct lookup *lookup = NEW(struct lookup);
    const struct ares_addrinfo_hints hints = {
        .ai_flags = ARES_AI_NOSORT,
        .ai_family = channel->family,
    };
    *lookup = (struct lookup){channel, answered, user};
    channel->asked++;
    channel->open++;
    dns->open++;
    /* With a dot at the end no search domain is tried. */
    snprintf(whole, sizeof(whole), "%s%s", name, strchr(name, '.') ? "." : "");
    ares_getaddrinfo(channel->ares, whole, NULL, &hints, end_lookup, lookup);
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
    close_channels(dns, false);
    return woken;
}
