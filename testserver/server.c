#include "testserver/server.h"

#include <arpa/inet.h>
#include <errno.h>
#include <netinet/tcp.h>
#include <stdlib.h>
#include <sys/epoll.h>
#include <sys/socket.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/container.h"
#include "base/mem.h"
#include "ds/heap.h"
#include "testserver/address.h"

enum {
    BACKLOG = 4096,
    EVENTS_AT_ONCE = 256,
};

/* What an event of epoll points to: the first member of each of these. */
enum target { TARGET_STOP, TARGET_LISTENER, TARGET_CLIENT };

struct listener {
    enum target target;
    int fd;
    uint16_t port;
    char text[ADDRESS_TEXT];
};

struct client {
    enum target target;
    struct conn conn;
    struct heap_node timer; /* by conn.wake_us */
    size_t place;           /* among the slots */
};

struct client_slot {
    struct client *client;
};

struct server {
    const struct service *service;
    int epoll_fd;
    struct listener *listener[SERVER_MAX_LISTENERS];
    size_t listener_count;
    struct client_slot *slots;
    size_t slot_count, slot_room;
    uint64_t conn_count;
    struct heap timers;
    uint64_t flush_us; /* when the record is due to be written; 0: it is */
};

static bool wakes_before(const struct heap_node *a, const struct heap_node *b)
{
    const struct client *left = container_of(a, const struct client, timer);
    const struct client *right = container_of(b, const struct client, timer);

    if (left->conn.wake_us != right->conn.wake_us)
        return left->conn.wake_us < right->conn.wake_us;
    return left->conn.id < right->conn.id;
}

struct server *server_new(const struct service *service)
{
    struct server *server = NEW(struct server);

    server->service = service;
    server->epoll_fd = epoll_create1(EPOLL_CLOEXEC);
    heap_init(&server->timers, wakes_before);
    return server;
}

/* --- listening --------------------------------------------------------- */

static bool watch(struct server *server, int fd, uint32_t events, void *target)
{
    struct epoll_event event = {.events = events, .data.ptr = target};

    return !epoll_ctl(server->epoll_fd, EPOLL_CTL_ADD, fd, &event);
}

static int listen_on(struct address *address)
{
    int one = 1;
    socklen_t size = address_size(address);
    int fd = socket(address->any.sa_family,
                    SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);

    if (fd < 0)
        return -1;
    setsockopt(fd, SOL_SOCKET, SO_REUSEADDR, &one, sizeof(one));
    if (!bind(fd, &address->any, size) && !listen(fd, BACKLOG) &&
        !getsockname(fd, &address->any, &size))
        return fd;
    close(fd);
    return -1;
}

static bool add_listener(struct server *server, struct address *address,
                         const char **problem)
{
    int fd = -1;

    *problem = "too many addresses to listen on";
    if (server->listener_count < SERVER_MAX_LISTENERS) {
        fd = listen_on(address);
        if (fd < 0)
            *problem = strerror(errno);
    }
    if (fd < 0)
        return false;

    struct listener *listener = NEW(struct listener);
    listener->target = TARGET_LISTENER;
    listener->fd = fd;
    listener->port = ntohs(address->v4.sin_port);
    address_format(address, listener->text);
    server->listener[server->listener_count++] = listener;
    return watch(server, fd, EPOLLIN, listener);
}

bool server_listen(struct server *server, struct str where,
                   const char **problem)
{
    struct address address;

    if (!address_parse(where, &address, problem))
        return false;
    for (uint32_t i = 0; i < address.count; i++) {
        if (!add_listener(server, &address, problem))
            return false;
        /* The rest of a range is on the port that the first one got. */
        if (address.count > 1)
            address.v4.sin_addr.s_addr =
                htonl(ntohl(address.v4.sin_addr.s_addr) + 1);
    }
    return true;
}

struct str server_address(const struct server *server, size_t index)
{
    if (index >= server->listener_count)
        return (struct str){0};
    return str_of(server->listener[index]->text);
}

uint16_t server_port(const struct server *server, size_t index)
{
    return index < server->listener_count ? server->listener[index]->port : 0;
}

/* --- clients ----------------------------------------------------------- */

static void drop_client(struct server *server, struct client *client)
{
    if (heap_has(&client->timer))
        heap_remove(&server->timers, &client->timer);
    struct client *last = server->slots[--server->slot_count].client;
    server->slots[client->place].client = last;
    last->place = client->place;
    conn_release(&client->conn, server->service);
    free(client);
}

static void drop_all(struct server *server)
{
    while (server->slot_count)
        drop_client(server, server->slots[server->slot_count - 1].client);
}

static void run_client(struct server *server, struct client *client)
{
    conn_run(&client->conn, server->service);
    if (client->conn.state == CONN_OVER)
        drop_client(server, client);
    else if (!client->conn.wake_us && heap_has(&client->timer))
        heap_remove(&server->timers, &client->timer);
    else if (heap_has(&client->timer))
        heap_moved(&server->timers, &client->timer);
    else if (client->conn.wake_us)
        heap_put(&server->timers, &client->timer);
}

static void add_client(struct server *server, int fd, struct str local_addr)
{
    struct client *client = NEW(struct client);
    int one = 1;

    client->target = TARGET_CLIENT;
    conn_init(&client->conn, fd, ++server->conn_count, local_addr);
    if (server->slot_count == server->slot_room) {
        server->slot_room = server->slot_room * 2 + 64;
        server->slots = mem_resize(server->slots, server->slot_room *
                                                      sizeof(server->slots[0]));
    }
    client->place = server->slot_count++;
    server->slots[client->place].client = client;

    setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &one, sizeof(one));
    /* Edges, told once for both directions: no further call of epoll_ctl
     * however often the connection changes between reading and writing. */
    if (!watch(server, fd, EPOLLIN | EPOLLOUT | EPOLLRDHUP | EPOLLET, client))
        drop_client(server, client);
}

static void accept_clients(struct server *server, struct listener *listener)
{
    for (;;) {
        int fd =
            accept4(listener->fd, NULL, NULL, SOCK_NONBLOCK | SOCK_CLOEXEC);

        if (fd < 0 && (errno == EINTR || errno == ECONNABORTED))
            continue;
        if (fd < 0)
            return;
        add_client(server, fd, str_of(listener->text));
    }
}

/* --- the loop ---------------------------------------------------------- */

static void run_timers(struct server *server)
{
    struct heap_node *first;

    while ((first = heap_first(&server->timers))) {
        struct client *client = container_of(first, struct client, timer);

        if (client->conn.wake_us > clock_mono_us())
            return;
        heap_remove(&server->timers, first);
        run_client(server, client);
    }
}

/* True if there was a stop. */
static bool run_events(struct server *server, int timeout_ms)
{
    struct epoll_event event[EVENTS_AT_ONCE];
    int count = epoll_wait(server->epoll_fd, event, EVENTS_AT_ONCE, timeout_ms);

    for (int i = 0; i < count; i++) {
        enum target *target = event[i].data.ptr;

        switch (*target) {
        case TARGET_STOP:
            return true;
        case TARGET_LISTENER:
            accept_clients(server, (struct listener *)(void *)target);
            break;
        case TARGET_CLIENT: {
            struct client *client = (struct client *)(void *)target;
            if (event[i].events & (EPOLLIN | EPOLLRDHUP | EPOLLHUP | EPOLLERR))
                client->conn.readable = true;
            run_client(server, client);
            break;
        }
        }
    }
    return false;
}

/* Write the record when its time has come. */
static void keep_record(struct server *server, uint64_t now_us)
{
    if (!server->flush_us && record_is_dirty(server->service->record))
        server->flush_us = now_us + RECORD_FLUSH_US;
    if (server->flush_us && now_us >= server->flush_us) {
        record_flush(server->service->record);
        server->flush_us = 0;
    }
}

static uint64_t earlier(uint64_t a, uint64_t b)
{
    return b && b < a ? b : a;
}

/* How long nothing is due, rounded up so that the loop does not spin. */
static int idle_ms(const struct server *server, uint64_t now_us,
                   uint64_t deadline_us)
{
    struct heap_node *first = heap_first(&server->timers);
    uint64_t next_us = now_us + 60 * 1000 * 1000;

    next_us = earlier(next_us, deadline_us);
    next_us = earlier(next_us, server->flush_us);
    if (first)
        next_us = earlier(
            next_us, container_of(first, struct client, timer)->conn.wake_us);
    return next_us <= now_us ? 0 : (int)((next_us - now_us + 999) / 1000);
}

void server_run(struct server *server, int stop_fd, uint64_t deadline_us)
{
    enum target stop = TARGET_STOP;
    uint64_t now_us = clock_mono_us();

    if (stop_fd >= 0)
        watch(server, stop_fd, EPOLLIN, &stop);
    while (!deadline_us || now_us < deadline_us) {
        if (run_events(server, idle_ms(server, now_us, deadline_us)))
            break;
        run_timers(server);
        now_us = clock_mono_us();
        keep_record(server, now_us);
    }
    if (stop_fd >= 0)
        epoll_ctl(server->epoll_fd, EPOLL_CTL_DEL, stop_fd, NULL);
    drop_all(server);
    record_flush(server->service->record);
}

void server_free(struct server *server)
{
    drop_all(server);
    free(server->slots);
    for (size_t i = 0; i < server->listener_count; i++) {
        close(server->listener[i]->fd);
        free(server->listener[i]);
    }
    heap_release(&server->timers);
    close(server->epoll_fd);
    free(server);
}
