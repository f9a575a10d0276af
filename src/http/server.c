#include "http/server.h"

#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <netinet/tcp.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/epoll.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/heap.h"
#include "base/io.h"
#include "base/mem.h"

enum {
    EVENTS_AT_ONCE = 256,
    ACCEPTS_AT_ONCE = 256, /* then those that are connected have their turn */
    LONGEST_WAIT_US = 60 * 1000 * 1000,
    BACKLOG = 4096,
};

/* --- addresses ------------------------------------------------------------ */

static const char syntax[] =
    "an address to listen on is ADDR:PORT, like 127.0.0.1:8080 or [::1]:0, or "
    "unix:PATH";
static const char not_loopback[] =
    "only loopback addresses (127.0.0.0/8 and ::1) may be listened on";
static const char too_long[] = "the path of the Unix socket is too long";

static bool parse_v4(struct str host, uint16_t port,
                     struct http_address *address, const char **problem)
{
    char text[INET_ADDRSTRLEN] = "";

    *problem = syntax;
    if (host.len >= sizeof(text))
        return false;
    memcpy(text, host.ptr, host.len);
    address->v4.sin_family = AF_INET;
    address->v4.sin_port = htons(port);
    if (inet_pton(AF_INET, text, &address->v4.sin_addr) != 1)
        return false;
    *problem = not_loopback;
    return ntohl(address->v4.sin_addr.s_addr) >> 24 == 127;
}

static bool parse_v6(struct str host, uint16_t port,
                     struct http_address *address, const char **problem)
{
    char text[INET6_ADDRSTRLEN] = "";

    *problem = syntax;
    if (host.len < 2 || host.ptr[host.len - 1] != ']' ||
        host.len - 2 >= sizeof(text))
        return false;
    memcpy(text, host.ptr + 1, host.len - 2);
    address->v6.sin6_family = AF_INET6;
    address->v6.sin6_port = htons(port);
    if (inet_pton(AF_INET6, text, &address->v6.sin6_addr) != 1)
        return false;
    *problem = not_loopback;
    return IN6_IS_ADDR_LOOPBACK(&address->v6.sin6_addr);
}

static bool parse_local(struct str path, struct http_address *address,
                        const char **problem)
{
    *problem = path.len ? too_long : syntax;
    if (!path.len || path.len >= sizeof(address->local.sun_path))
        return false;
    address->local.sun_family = AF_UNIX;
    memcpy(address->local.sun_path, path.ptr, path.len);
    return true;
}

bool http_address_parse(struct str text, struct http_address *address,
                        const char **problem)
{
    size_t colon = text.len;
    uint64_t port = 0;

    memset(address, 0, sizeof(*address));
    *problem = syntax;
    if (str_starts(text, STR("unix:")))
        return parse_local(str_skip(text, 5), address, problem);
    while (colon > 0 && text.ptr[colon - 1] != ':')
        colon--;
    if (!colon || !str_to_u64(str_skip(text, colon), &port) || port > 65535)
        return false;

    struct str host = str_first(text, colon - 1);
    if (host.len && host.ptr[0] == '[')
        return parse_v6(host, (uint16_t)port, address, problem);
    return parse_v4(host, (uint16_t)port, address, problem);
}

void http_address_format(const struct http_address *address,
                         char out[HTTP_ADDRESS_TEXT])
{
    char host[INET6_ADDRSTRLEN] = "";

    switch (address->any.sa_family) {
    case AF_UNIX:
        snprintf(out, HTTP_ADDRESS_TEXT, "unix:%s", address->local.sun_path);
        break;
    case AF_INET6:
        inet_ntop(AF_INET6, &address->v6.sin6_addr, host, sizeof(host));
        snprintf(out, HTTP_ADDRESS_TEXT, "[%s]:%u", host,
                 ntohs(address->v6.sin6_port));
        break;
    default:
        inet_ntop(AF_INET, &address->v4.sin_addr, host, sizeof(host));
        snprintf(out, HTTP_ADDRESS_TEXT, "%s:%u", host,
                 ntohs(address->v4.sin_port));
    }
}

static socklen_t size_of(const struct http_address *address)
{
    switch (address->any.sa_family) {
    case AF_UNIX:
        return sizeof(address->local);
    case AF_INET6:
        return sizeof(address->v6);
    default:
        return sizeof(address->v4);
    }
}

/* Was this Unix socket left by a program of ours that was killed? Then nobody
 * listens on it. */
static bool is_abandoned(const struct sockaddr_un *local)
{
    struct stat status;

    if (lstat(local->sun_path, &status) || !S_ISSOCK(status.st_mode) ||
        status.st_uid != geteuid())
        return false;
    int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
    bool refused =
        fd >= 0 &&
        connect(fd, (const struct sockaddr *)local, sizeof(*local)) &&
        errno == ECONNREFUSED;
    if (fd >= 0)
        close(fd);
    return refused;
}

static bool bind_to(int fd, const struct http_address *address, socklen_t size)
{
    if (!bind(fd, &address->any, size))
        return true;
    if (errno != EADDRINUSE || address->any.sa_family != AF_UNIX)
        return false;
    bool abandoned = is_abandoned(&address->local);
    errno = EADDRINUSE;
    return abandoned && !unlink(address->local.sun_path) &&
           !bind(fd, &address->any, size);
}

static bool start_listening(int fd, struct http_address *address)
{
    bool local = address->any.sa_family == AF_UNIX;
    socklen_t size = size_of(address);
    int one = 1;

    /* A Unix socket gets the mode of its descriptor at the time of bind. */
    if (local && fchmod(fd, 0600))
        return false;
    if (!local)
        setsockopt(fd, SOL_SOCKET, SO_REUSEADDR, &one, sizeof(one));
    return bind_to(fd, address, size) && !listen(fd, BACKLOG) &&
           (local || !getsockname(fd, &address->any, &size));
}

/* A listening, non-blocking socket; port 0 becomes the one that was free. -1
 * with errno. A Unix socket is for its owner only. A file that is there already
 * is never replaced, but for a socket of this user on which nobody listens. */
static int listen_at(struct http_address *address)
{
    int fd = socket(address->any.sa_family,
                    SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);

    if (fd < 0 || start_listening(fd, address))
        return fd;
    io_close(fd);
    return -1;
}

/* --- the server ----------------------------------------------------------- */

/* The first member of all that an event of epoll points to. */
enum target { TARGET_STOP, TARGET_LISTENER, TARGET_CLIENT };

struct listener {
    enum target target;
    int fd;
    struct http_address address;
    char text[HTTP_ADDRESS_TEXT];
};

struct client {
    enum target target;
    struct http_conn conn;
    struct heap_node timer; /* by conn.wake_us */
    size_t place;           /* in the server's array of clients */
};

struct listener_slot {
    struct listener *listener;
};

struct client_slot {
    struct client *client;
};

struct http_server {
    const struct http_service *service;
    int epoll_fd;
    int spare_fd; /* given up to accept and close where there are no more */
    enum target stop;
    struct listener_slot *listeners;
    size_t listener_count, listener_room;
    struct client_slot *clients;
    size_t client_count, client_room;
    uint64_t last_id;
    struct heap timers;
};

static bool wakes_before(const struct heap_node *a, const struct heap_node *b)
{
    const struct client *left = container_of(a, const struct client, timer);
    const struct client *right = container_of(b, const struct client, timer);

    if (left->conn.wake_us != right->conn.wake_us)
        return left->conn.wake_us < right->conn.wake_us;
    return left->conn.exchange.conn_id < right->conn.exchange.conn_id;
}

static int open_spare(void)
{
    return open("/dev/null", O_RDONLY | O_CLOEXEC);
}

struct http_server *http_server_new(const struct http_service *service)
{
    int epoll_fd = epoll_create1(EPOLL_CLOEXEC);

    if (epoll_fd < 0)
        return NULL;
    struct http_server *server = NEW(struct http_server);
    server->service = service;
    server->epoll_fd = epoll_fd;
    server->spare_fd = open_spare();
    server->stop = TARGET_STOP;
    heap_init(&server->timers, wakes_before);
    return server;
}

/* --- listening --------------------------------------------------------- */

static bool watch(struct http_server *server, int fd, uint32_t events,
                  void *target)
{
    struct epoll_event event = {.events = events, .data.ptr = target};

    return !epoll_ctl(server->epoll_fd, EPOLL_CTL_ADD, fd, &event);
}

static void free_listener(struct listener *listener)
{
    close(listener->fd);
    if (listener->address.any.sa_family == AF_UNIX)
        unlink(listener->address.local.sun_path);
    free(listener);
}

bool http_server_listen(struct http_server *server, struct str where,
                        const char **problem)
{
    struct http_address address;

    if (!http_address_parse(where, &address, problem))
        return false;
    *problem = "too many addresses to listen on";
    if (server->listener_count == HTTP_MAX_LISTENERS)
        return false;
    int fd = listen_at(&address);
    if (fd < 0) {
        *problem = strerror(errno);
        return false;
    }

    struct listener *listener = NEW(struct listener);
    listener->target = TARGET_LISTENER;
    listener->fd = fd;
    listener->address = address;
    http_address_format(&address, listener->text);
    if (!watch(server, fd, EPOLLIN, listener)) {
        *problem = strerror(errno);
        free_listener(listener);
        return false;
    }
    server->listeners =
        mem_grow(server->listeners, server->listener_count,
                 &server->listener_room, sizeof(server->listeners[0]));
    server->listeners[server->listener_count++].listener = listener;
    return true;
}

struct str http_server_address(const struct http_server *server, size_t index)
{
    if (index >= server->listener_count)
        return (struct str){0};
    return str_of(server->listeners[index].listener->text);
}

bool http_server_stop_on(struct http_server *server, int fd)
{
    return watch(server, fd, EPOLLIN, &server->stop);
}

/* --- clients ----------------------------------------------------------- */

static void drop_client(struct http_server *server, struct client *client)
{
    if (heap_has(&client->timer))
        heap_remove(&server->timers, &client->timer);
    struct client *last = server->clients[--server->client_count].client;
    server->clients[client->place].client = last;
    last->place = client->place;
    http_conn_release(&client->conn);
    free(client);
}

void http_server_drop_all(struct http_server *server)
{
    while (server->client_count)
        drop_client(server, server->clients[server->client_count - 1].client);
}

static void run_client(struct http_server *server, struct client *client,
                       uint64_t now_us)
{
    http_conn_run(&client->conn, now_us);
    if (client->conn.state == HTTP_CONN_OVER)
        drop_client(server, client);
    else if (!client->conn.wake_us && heap_has(&client->timer))
        heap_remove(&server->timers, &client->timer);
    else if (heap_has(&client->timer))
        heap_moved(&server->timers, &client->timer);
    else if (client->conn.wake_us)
        heap_put(&server->timers, &client->timer);
}

static void add_client(struct http_server *server, int fd,
                       const struct listener *listener, uint64_t now_us)
{
    size_t max = server->service->limits.max_connections;
    int one = 1;

    if (max && server->client_count >= max) {
        close(fd);
        return;
    }
    struct client *client = NEW(struct client);
    client->target = TARGET_CLIENT;
    http_conn_init(&client->conn, fd, ++server->last_id, str_of(listener->text),
                   server->service, now_us);
    client->place = server->client_count;
    server->clients =
        mem_grow(server->clients, server->client_count, &server->client_room,
                 sizeof(server->clients[0]));
    server->clients[server->client_count++].client = client;

    if (listener->address.any.sa_family != AF_UNIX)
        setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &one, sizeof(one));
    /* Edges, asked for once in both directions: no further call of epoll_ctl
     * however often the connection changes between reading and writing. */
    if (watch(server, fd, EPOLLIN | EPOLLOUT | EPOLLRDHUP | EPOLLET, client))
        run_client(server, client, now_us); /* its limits of time begin */
    else
        drop_client(server, client);
}

/* There are no more descriptors. The waiting connection is accepted with the
 * spare one and closed, else epoll would report it again and again. */
static void refuse_client(struct http_server *server, int listener_fd)
{
    if (server->spare_fd >= 0)
        close(server->spare_fd);
    int fd = accept4(listener_fd, NULL, NULL, SOCK_CLOEXEC);
    if (fd >= 0)
        close(fd);
    server->spare_fd = open_spare();
}

static void accept_clients(struct http_server *server,
                           const struct listener *listener, uint64_t now_us)
{
    for (int i = 0; i < ACCEPTS_AT_ONCE; i++) {
        int fd =
            accept4(listener->fd, NULL, NULL, SOCK_NONBLOCK | SOCK_CLOEXEC);

        if (fd >= 0)
            add_client(server, fd, listener, now_us);
        else if (errno == EMFILE || errno == ENFILE)
            refuse_client(server, listener->fd);
        else if (errno != EINTR && errno != ECONNABORTED)
            return;
    }
}

/* --- the loop ---------------------------------------------------------- */

static struct client *first_timer(const struct http_server *server)
{
    struct heap_node *first = heap_first(&server->timers);

    return first ? container_of(first, struct client, timer) : NULL;
}

static void run_timers(struct http_server *server, uint64_t now_us)
{
    struct client *client;

    /* Connections that want another turn get it in the next step: their time
     * is after `now_us`. */
    while ((client = first_timer(server)) && client->conn.wake_us <= now_us) {
        heap_remove(&server->timers, &client->timer);
        run_client(server, client, now_us);
    }
}

/* False if there was a stop. */
static bool run_events(struct http_server *server, int timeout_ms)
{
    struct epoll_event event[EVENTS_AT_ONCE];
    int count = epoll_wait(server->epoll_fd, event, EVENTS_AT_ONCE, timeout_ms);
    uint64_t now_us = clock_mono_us();
    bool goes_on = true;

    for (int i = 0; i < count; i++) {
        enum target *target = event[i].data.ptr;

        switch (*target) {
        case TARGET_STOP:
            goes_on = false;
            break;
        case TARGET_LISTENER:
            accept_clients(server, (struct listener *)(void *)target, now_us);
            break;
        case TARGET_CLIENT: {
            struct client *client = (struct client *)(void *)target;
            http_conn_ready(&client->conn,
                            event[i].events &
                                (EPOLLIN | EPOLLRDHUP | EPOLLHUP | EPOLLERR));
            run_client(server, client, now_us);
            break;
        }
        }
    }
    run_timers(server, now_us);
    return goes_on;
}

uint64_t http_server_wake_us(const struct http_server *server)
{
    const struct client *client = first_timer(server);

    return client ? client->conn.wake_us : 0;
}

int http_server_fd(const struct http_server *server)
{
    return server->epoll_fd;
}

/* Rounded up, so that the loop does not spin. */
static int wait_ms(const struct http_server *server, uint64_t until_us)
{
    uint64_t now_us = until_us ? clock_mono_us() : 0;
    uint64_t wake_us = http_server_wake_us(server);

    if (until_us > now_us + LONGEST_WAIT_US)
        until_us = now_us + LONGEST_WAIT_US;
    if (wake_us && wake_us < until_us)
        until_us = wake_us;
    return until_us <= now_us ? 0 : (int)((until_us - now_us + 999) / 1000);
}

bool http_server_step(struct http_server *server, uint64_t until_us)
{
    return run_events(server, wait_ms(server, until_us));
}

void http_server_free(struct http_server *server)
{
    http_server_drop_all(server);
    for (size_t i = 0; i < server->listener_count; i++)
        free_listener(server->listeners[i].listener);
    free(server->listeners);
    free(server->clients);
    heap_release(&server->timers);
    if (server->spare_fd >= 0)
        close(server->spare_fd);
    close(server->epoll_fd);
    free(server);
}
