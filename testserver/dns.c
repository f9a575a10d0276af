#include "testserver/dns.h"

#include <arpa/inet.h>
#include <errno.h>
#include <poll.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/heap.h"
#include "base/mem.h"
#include "testserver/address.h"
#include "testserver/dns_names.h"
#include "testserver/web_random.h"

enum {
    CLIENTS_MAX = 64, /* TCP connections at a time */
    LATE_MAX = 100 * 1000,
    CNAMES_MAX = 8, /* in a row */
    UDP_MAX = 512,  /* RFC 1035: a longer reply is truncated */
    BUFFER = 8 << 20,
};

enum { STOP, UDP, LISTENER, CLIENTS };

/* A reply that waits for its time. */
struct late {
    struct heap_node node;
    uint64_t due_us, number;
    struct sockaddr_in to;
    size_t len;
    char bytes[];
};

struct client {
    int fd; /* -1: free */
    struct buf in;
};

struct dns_server {
    struct dns_options options;
    struct dns_names names;
    struct web web;         /* where there is one */
    struct address address; /* where the playground is */
    struct client client[CLIENTS_MAX];
    int udp_fd, tcp_fd, stop_fd;
    uint16_t port;
    FILE *record;
    struct heap late; /* by due_us */
    uint64_t queries;
    struct buf reply;
    pthread_t thread;
};

static bool is_due_before(const struct heap_node *a, const struct heap_node *b)
{
    const struct late *left = container_of(a, const struct late, node);
    const struct late *right = container_of(b, const struct late, node);

    if (left->due_us != right->due_us)
        return left->due_us < right->due_us;
    return left->number < right->number;
}

/* --- answers ------------------------------------------------------------ */

/* What a name has for which the table has no entry. */
static struct in6_addr usual_address(const struct dns_server *server,
                                     const char *name)
{
    const struct address *address = &server->address;
    struct in6_addr found = {.s6_addr = {[10] = 0xff, [11] = 0xff}};
    uint32_t number = ntohl(address->first.v4.sin_addr.s_addr), host;

    if (address->first.any.sa_family == AF_INET6)
        return address->first.v6.sin6_addr;
    if (server->options.web.seed &&
        web_find_host(&server->web, str_of(name), &host))
        number += (uint32_t)(web_key(&server->web, FOR_ADDRESS, host, 0) %
                             address->count);
    number = htonl(number);
    memcpy(found.s6_addr + 12, &number, 4);
    return found;
}

static void add_if_asked(struct dns_server *server, const char *name,
                         uint16_t type, uint32_t ttl_s,
                         const struct in6_addr *address)
{
    if ((type == DNS_TYPE_A) == !!IN6_IS_ADDR_V4MAPPED(address))
        dns_reply_add_address(&server->reply, name, ttl_s, address);
}

/* Aliases are followed, as a server for everybody does. */
static void add_records(struct dns_server *server, const char *name,
                        uint16_t type, const struct dns_entry *entry)
{
    for (int i = 0; i < CNAMES_MAX && entry && entry->cname; i++) {
        dns_reply_add_cname(&server->reply, name, entry->ttl_s, entry->cname);
        name = entry->cname;
        entry = dns_names_find(&server->names, name, type);
    }
    if (entry && entry->cname)
        return;
    if (type != DNS_TYPE_A && type != DNS_TYPE_AAAA)
        return;
    if (!entry || (!entry->count && !entry->rcode)) {
        struct in6_addr usual = usual_address(server, name);
        add_if_asked(server, name, type, DNS_TTL_S, &usual);
        return;
    }
    for (size_t i = 0; i < entry->count; i++)
        add_if_asked(server, name, type, entry->ttl_s, &entry->address[i]);
}

/* The reply in server->reply; false if there is to be none. `how` is what the
 * record says. */
static bool make_reply(struct dns_server *server, const struct dns_query *query,
                       const struct dns_entry *entry, bool over_tcp,
                       const char **how)
{
    static const char *const rcode_name[] = {"answer",   "formerr", "servfail",
                                             "nxdomain", "notimp",  "refused"};
    static const struct dns_entry usual;
    struct buf *out = &server->reply;

    if (!entry)
        entry = &usual;
    *how = "drop";
    buf_clear(out);
    if (entry->drop)
        return false;
    *how = rcode_name[entry->rcode];
    dns_reply_begin(out, query, entry->rcode);
    if (entry->garbage) {
        *how = "garbage";
        for (size_t i = 2; i < out->len; i++)
            out->ptr[i] = (char)web_mix(i);
    } else if (!entry->rcode) {
        add_records(server, query->name, query->type, entry);
    }
    if (!over_tcp && (entry->truncated || out->len > UDP_MAX)) {
        *how = "truncated";
        buf_clear(out);
        dns_reply_begin(out, query, DNS_FLAG_TRUNCATED);
    }
    if (entry->wrong_id) {
        *how = "wrong-id";
        out->ptr[0] ^= 1;
    }
    return true;
}

static void note(struct dns_server *server, const struct dns_query *query,
                 const char *protocol, const struct sockaddr_in *from,
                 const char *how)
{
    const char *type = query->type == DNS_TYPE_A      ? "A"
                       : query->type == DNS_TYPE_AAAA ? "AAAA"
                                                      : "other";

    if (server->record)
        fprintf(server->record, "%llu\t%s\t%u\t%s\t%s\t%s\n",
                (unsigned long long)clock_mono_us(), protocol,
                ntohs(from->sin_port), query->name, type, how);
}

/* --- UDP ---------------------------------------------------------------- */

static void send_reply(struct dns_server *server, const struct sockaddr_in *to,
                       struct str bytes)
{
    /* A client that has gone away is not our business. */
    (void)!sendto(server->udp_fd, bytes.ptr, bytes.len, MSG_NOSIGNAL,
                  (const struct sockaddr *)to, sizeof(*to));
}

static void send_later(struct dns_server *server, const struct sockaddr_in *to,
                       uint64_t due_us)
{
    const struct buf *reply = &server->reply;

    if (server->late.count >= LATE_MAX)
        return;

    struct late *late = mem_new(sizeof(*late) + reply->len);
    late->due_us = due_us;
    late->number = server->queries;
    late->to = *to;
    late->len = reply->len;
    memcpy(late->bytes, reply->ptr, reply->len);
    heap_put(&server->late, &late->node);
}

static void answer_datagram(struct dns_server *server, struct str bytes,
                            const struct sockaddr_in *from)
{
    const struct dns_options *options = &server->options;
    struct dns_query query;
    const char *how;

    if (!dns_query_parse(bytes, &query))
        return;

    bool lost = web_mix(++server->queries) % WEB_ALL < options->loss;
    if (lost) {
        note(server, &query, "udp", from, "lost");
        return;
    }

    const struct dns_entry *entry =
        dns_names_find(&server->names, query.name, query.type);
    bool replies = make_reply(server, &query, entry, false, &how);
    uint64_t delay_us =
        options->delay_ms * 1000 + (entry ? entry->delay_us : 0);
    note(server, &query, "udp", from, how);
    if (replies && delay_us)
        send_later(server, from, clock_mono_us() + delay_us);
    else if (replies)
        send_reply(server, from, buf_str(&server->reply));
}

static void read_datagrams(struct dns_server *server)
{
    for (;;) {
        char bytes[512];
        struct sockaddr_in from = {0};
        socklen_t size = sizeof(from);
        ssize_t len = recvfrom(server->udp_fd, bytes, sizeof(bytes), 0,
                               (struct sockaddr *)&from, &size);

        if (len < 0)
            return;
        answer_datagram(server, (struct str){bytes, (size_t)len}, &from);
    }
}

/* Send what is due; the milliseconds until the next, or -1. */
static int send_due(struct dns_server *server)
{
    struct heap_node *first;

    while ((first = heap_first(&server->late))) {
        struct late *late = container_of(first, struct late, node);
        uint64_t now_us = clock_mono_us();

        if (late->due_us > now_us)
            return (int)((late->due_us - now_us + 999) / 1000);
        send_reply(server, &late->to, (struct str){late->bytes, late->len});
        heap_remove(&server->late, first);
        free(late);
    }
    return -1;
}

/* --- TCP ---------------------------------------------------------------- */

static void close_client(struct client *client)
{
    if (client->fd >= 0)
        close(client->fd);
    client->fd = -1;
    buf_release(&client->in);
}

static void accept_client(struct dns_server *server)
{
    int fd = accept4(server->tcp_fd, NULL, NULL, SOCK_CLOEXEC | SOCK_NONBLOCK);

    for (size_t i = 0; fd >= 0 && i < CLIENTS_MAX; i++)
        if (server->client[i].fd < 0) {
            server->client[i].fd = fd;
            buf_init(&server->client[i].in, DNS_MESSAGE_MAX + 2);
            return;
        }
    if (fd >= 0)
        close(fd);
}

static void answer_stream(struct dns_server *server, struct client *client,
                          struct str bytes)
{
    struct dns_query query;
    struct sockaddr_in from = {0};
    socklen_t size = sizeof(from);
    const char *how;

    getpeername(client->fd, (struct sockaddr *)&from, &size);
    if (!dns_query_parse(bytes, &query))
        return;

    const struct dns_entry *entry =
        dns_names_find(&server->names, query.name, query.type);
    bool replies = make_reply(server, &query, entry, true, &how);
    const struct buf *reply = &server->reply;
    char head[2] = {(char)(reply->len >> 8), (char)reply->len};
    note(server, &query, "tcp", &from, how);
    if (replies)
        (void)!(send(client->fd, head, 2, MSG_NOSIGNAL | MSG_MORE) == 2 &&
                send(client->fd, reply->ptr, reply->len, MSG_NOSIGNAL) > 0);
}

static void read_client(struct dns_server *server, struct client *client)
{
    char bytes[4096];
    ssize_t len = recv(client->fd, bytes, sizeof(bytes), 0);

    if (len <= 0 || !buf_put(&client->in, (struct str){bytes, (size_t)len})) {
        close_client(client);
        return;
    }

    struct str rest = buf_str(&client->in);
    while (rest.len >= 2) {
        size_t size = (size_t)(uint8_t)rest.ptr[0] << 8 | (uint8_t)rest.ptr[1];
        if (rest.len < size + 2)
            break;
        answer_stream(server, client, str_first(str_skip(rest, 2), size));
        rest = str_skip(rest, size + 2);
    }
    memmove(client->in.ptr, rest.ptr, rest.len);
    client->in.len = rest.len;
}

/* --- the server --------------------------------------------------------- */

static void *run(void *user)
{
    struct dns_server *server = user;
    struct pollfd poll_fd[CLIENTS + CLIENTS_MAX];
    int wait_ms = -1;

    for (;;) {
        poll_fd[STOP] = (struct pollfd){server->stop_fd, POLLIN, 0};
        poll_fd[UDP] = (struct pollfd){server->udp_fd, POLLIN, 0};
        poll_fd[LISTENER] = (struct pollfd){server->tcp_fd, POLLIN, 0};
        for (size_t i = 0; i < CLIENTS_MAX; i++)
            poll_fd[CLIENTS + i] =
                (struct pollfd){server->client[i].fd, POLLIN, 0};
        poll(poll_fd, ARRAY_LEN(poll_fd), wait_ms);
        if (poll_fd[STOP].revents)
            return NULL;
        if (poll_fd[UDP].revents)
            read_datagrams(server);
        for (size_t i = 0; i < CLIENTS_MAX; i++)
            if (poll_fd[CLIENTS + i].revents)
                read_client(server, &server->client[i]);
        if (poll_fd[LISTENER].revents)
            accept_client(server);
        wait_ms = send_due(server);
    }
}

static bool open_sockets(struct dns_server *server)
{
    struct sockaddr_in address = {
        .sin_family = AF_INET,
        .sin_port = htons((uint16_t)server->options.port),
        .sin_addr.s_addr = htonl(INADDR_LOOPBACK),
    };
    socklen_t size = sizeof(address);
    int one = 1, buffer = BUFFER;
    const struct sockaddr *any = (const struct sockaddr *)&address;

    server->tcp_fd =
        socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
    server->udp_fd =
        socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
    server->stop_fd = eventfd(0, EFD_CLOEXEC);
    setsockopt(server->tcp_fd, SOL_SOCKET, SO_REUSEADDR, &one, sizeof(one));
    if (setsockopt(server->udp_fd, SOL_SOCKET, SO_RCVBUFFORCE, &buffer,
                   sizeof(buffer)))
        setsockopt(server->udp_fd, SOL_SOCKET, SO_RCVBUF, &buffer,
                   sizeof(buffer));
    /* The port that TCP gets is most likely free for UDP, too. */
    if (bind(server->tcp_fd, any, size) || listen(server->tcp_fd, 64) ||
        getsockname(server->tcp_fd, (struct sockaddr *)&address, &size) ||
        bind(server->udp_fd, any, size) || server->stop_fd < 0)
        return false;
    server->port = ntohs(address.sin_port);
    return true;
}

static bool open_record(struct dns_server *server)
{
    if (!server->options.record)
        return true;
    server->record = fopen(server->options.record, "we");
    if (!server->record)
        return false;
    /* Who has an answer finds its line in the record. */
    setvbuf(server->record, NULL, _IOLBF, BUFSIZ);
    fputs("time_us\tprotocol\tport\tname\ttype\tanswer\n", server->record);
    return true;
}

static bool start(struct dns_server *server, char problem[DNS_PROBLEM])
{
    const struct dns_options *options = &server->options;
    const char *why = NULL;

    if (!dns_names_read(&server->names, options->names, problem))
        return false;
    if (!address_parse(str_of(options->listen), &server->address, &why) ||
        (options->web.seed && !web_init(&server->web, &options->web, &why)))
        snprintf(problem, DNS_PROBLEM, "%s", why);
    else if (!open_sockets(server) || !open_record(server))
        snprintf(problem, DNS_PROBLEM, "%s", strerror(errno));
    else if (pthread_create(&server->thread, NULL, run, server))
        snprintf(problem, DNS_PROBLEM, "no thread");
    else
        return true;
    return false;
}

static void release(struct dns_server *server)
{
    struct heap_node *first;

    while ((first = heap_first(&server->late))) {
        heap_remove(&server->late, first);
        free(container_of(first, struct late, node));
    }
    heap_release(&server->late);
    for (size_t i = 0; i < CLIENTS_MAX; i++)
        close_client(&server->client[i]);
    if (server->udp_fd >= 0)
        close(server->udp_fd);
    if (server->tcp_fd >= 0)
        close(server->tcp_fd);
    if (server->stop_fd >= 0)
        close(server->stop_fd);
    if (server->record)
        fclose(server->record);
    web_release(&server->web);
    dns_names_release(&server->names);
    buf_release(&server->reply);
    free(server);
}

struct dns_server *dns_server_start(const struct dns_options *options,
                                    char problem[DNS_PROBLEM])
{
    struct dns_server *server = NEW(struct dns_server);

    server->options = *options;
    server->udp_fd = server->tcp_fd = server->stop_fd = -1;
    for (size_t i = 0; i < CLIENTS_MAX; i++)
        server->client[i].fd = -1;
    heap_init(&server->late, is_due_before);
    buf_init(&server->reply, DNS_MESSAGE_MAX);
    if (start(server, problem))
        return server;
    release(server);
    return NULL;
}

void dns_server_stop(struct dns_server *server)
{
    uint64_t one = 1;

    if (!server)
        return;
    (void)!write(server->stop_fd, &one, sizeof(one));
    pthread_join(server->thread, NULL);
    release(server);
}

uint16_t dns_server_port(const struct dns_server *server)
{
    return server->port;
}
