#include "page/connections.h"

#include <netinet/in.h>
#include <stdlib.h>
#include <sys/socket.h>

#include "base/mem.h"

enum connection_state { IN_USE, SPARE, NEEDED, ENDING, CLOSING };

struct connection {
    TAILQ_ENTRY(connection) link; /* SPARE, NEEDED, ENDING */
    LIST_ENTRY(connection) same;  /* of the same origin */
    struct origin *origin;
    struct connection_way way;
    void *user;       /* the last one; NULL while it is idle */
    SSL *ssl;         /* or NULL */
    uint64_t cookie;  /* the kernel's, of this socket and no other */
    uint64_t idle_ms; /* SPARE, NEEDED: since when */
    int fd;
    enum connection_state state;
};

/* The connections of one origin; freed with the last. */
struct origin {
    uint64_t key;
    LIST_HEAD(same_origin, connection) connections;
};

void connections_init(struct connections *connections, size_t idle_max)
{
    *connections = (struct connections){.idle_max = idle_max};
    hashtable_init(&connections->origins);
    TAILQ_INIT(&connections->spare);
    TAILQ_INIT(&connections->needed);
    TAILQ_INIT(&connections->ending);
}

void connections_release(struct connections *connections)
{
    for (size_t fd = 0; fd < connections->fds; fd++)
        connections_closed(connections, (int)fd);
    hashtable_release(&connections->origins);
    free(connections->by_fd);
}

static struct connection *find(const struct connections *connections, int fd)
{
    return fd >= 0 && (size_t)fd < connections->fds ? connections->by_fd[fd]
                                                    : NULL;
}

static uint64_t cookie_of(int fd)
{
    uint64_t cookie = 0;
    socklen_t len = sizeof(cookie);

    if (getsockopt(fd, SOL_SOCKET, SO_COOKIE, &cookie, &len))
        return 0;
    return cookie;
}

static struct connection_list *list_of(struct connections *connections,
                                       enum connection_state state)
{
    return state == SPARE    ? &connections->spare
           : state == NEEDED ? &connections->needed
           : state == ENDING ? &connections->ending
                             : NULL;
}

/* Out of the list that it is in, if any. */
static void leave(struct connections *connections,
                  struct connection *connection)
{
    struct connection_list *list = list_of(connections, connection->state);

    if (list)
        TAILQ_REMOVE(list, connection, link);
    connections->idle -=
        connection->state == SPARE || connection->state == NEEDED;
    connection->state = IN_USE;
}

static void enter(struct connections *connections,
                  struct connection *connection, enum connection_state state,
                  uint64_t now_ms)
{
    leave(connections, connection);
    connection->state = state;
    connection->idle_ms = now_ms;
    TAILQ_INSERT_TAIL(list_of(connections, state), connection, link);
    connections->idle++;
}

static struct origin *origin_for(struct connections *connections, uint64_t key)
{
    struct origin *origin = hashtable_get(&connections->origins, key);

    if (origin)
        return origin;
    origin = NEW(struct origin);
    origin->key = key;
    hashtable_put(&connections->origins, key, origin);
    return origin;
}

void connections_opened(struct connections *connections, int fd, uint64_t key,
                        struct connection_way way)
{
    size_t count = connections->fds;
    struct connection *connection = NEW(struct connection);

    connections_closed(connections, fd); /* nobody said so */
    if ((size_t)fd >= count) {
        connections->fds = 2 * (size_t)fd + 16;
        connections->by_fd =
            mem_resize(connections->by_fd, connections->fds * sizeof(void *));
        for (size_t i = count; i < connections->fds; i++)
            connections->by_fd[i] = NULL;
    }
    connection->fd = fd;
    connection->way = way;
    connection->cookie = cookie_of(fd);
    connection->origin = origin_for(connections, key);
    LIST_INSERT_HEAD(&connection->origin->connections, connection, same);
    connections->by_fd[fd] = connection;
}

void connections_closed(struct connections *connections, int fd)
{
    struct connection *connection = find(connections, fd);

    if (!connection)
        return;
    leave(connections, connection);
    LIST_REMOVE(connection, same);
    if (LIST_EMPTY(&connection->origin->connections)) {
        hashtable_take(&connections->origins, connection->origin->key);
        free(connection->origin);
    }
    connections->by_fd[fd] = NULL;
    free(connection->way.url);
    free(connection->way.rule);
    free(connection);
}

void connections_secured(struct connections *connections, int fd, SSL *ssl)
{
    struct connection *connection = find(connections, fd);

    if (connection)
        connection->ssl = ssl;
}

void connections_forget_users(struct connections *connections)
{
    for (size_t fd = 0; fd < connections->fds; fd++)
        if (connections->by_fd[fd])
            connections->by_fd[fd]->user = NULL;
}

void *connections_user(const struct connections *connections, int fd)
{
    const struct connection *connection = find(connections, fd);

    return connection ? connection->user : NULL;
}

void connections_take(struct connections *connections, int fd, void *user)
{
    struct connection *connection = find(connections, fd);

    if (!connection || connection->user == user)
        return;
    leave(connections, connection);
    connection->user = user;
}

static int local_port(int fd)
{
    union {
        struct sockaddr any;
        struct sockaddr_in v4;
        struct sockaddr_in6 v6;
    } own = {0};
    socklen_t len = sizeof(own);

    if (getsockname(fd, &own.any, &len))
        return -1;
    return ntohs(own.any.sa_family == AF_INET6 ? own.v6.sin6_port
                                               : own.v4.sin_port);
}

int connections_take_at(struct connections *connections, uint64_t key, int port,
                        void *user)
{
    const struct origin *origin = hashtable_get(&connections->origins, key);
    struct connection *connection;

    if (!origin)
        return -1;
    LIST_FOREACH(connection, &origin->connections, same)
    if ((connection->state == SPARE || connection->state == NEEDED) &&
        local_port(connection->fd) == port) {
        connections_take(connections, connection->fd, user);
        return connection->fd;
    }
    return -1;
}

void connections_need(struct connections *connections, uint64_t key,
                      bool is_needed, uint64_t now_ms)
{
    const struct origin *origin = hashtable_get(&connections->origins, key);
    enum connection_state from = is_needed ? SPARE : NEEDED;
    enum connection_state to = is_needed ? NEEDED : SPARE;
    struct connection *connection;

    if (!origin)
        return;
    LIST_FOREACH(connection, &origin->connections, same)
    if (connection->state == from)
        enter(connections, connection, to, now_ms);
}

void connections_rest(struct connections *connections, int fd, const void *user,
                      bool is_needed, uint64_t now_ms)
{
    struct connection *connection = find(connections, fd);

    if (!connection || connection->user != user)
        return;
    connection->user = NULL;
    if (connection->ssl) /* 16 KB; it makes them again */
        SSL_free_buffers(connection->ssl);
    enter(connections, connection, is_needed ? NEEDED : SPARE, now_ms);
    if (!is_needed)
        connections_need(connections, connection->origin->key, false, now_ms);
}

/* Bytes that nobody asked for. libcurl takes a connection with something to
 * read for alive. */
static bool has_stray_bytes(int fd)
{
    char byte;

    return recv(fd, &byte, 1, MSG_PEEK | MSG_DONTWAIT) > 0;
}

static void end(struct connections *connections, struct connection *connection)
{
    leave(connections, connection);
    connection->state = ENDING;
    TAILQ_INSERT_TAIL(&connections->ending, connection, link);
}

int connections_next_ending(struct connections *connections, uint64_t *origin,
                            struct connection_way *way)
{
    struct connection *connection = TAILQ_FIRST(&connections->ending);

    if (!connection)
        return -1;
    leave(connections, connection);
    connection->state = CLOSING;
    *way = connection->way;
    *origin = connection->origin->key;
    return connection->fd;
}

/* The number may be that of another file by now, if libcurl closed the socket
 * without a word: that one must stay as it is. */
void connections_shut(struct connections *connections, int fd)
{
    const struct connection *connection = find(connections, fd);

    if (!connection || connection->state != CLOSING || !connection->cookie ||
        cookie_of(fd) != connection->cookie)
        return;
    /* Shut both ways it is dead for libcurl, whatever there is to read. Only
     * with TLS there is something to send: that nothing will follow. */
    shutdown(fd, connection->ssl && !has_stray_bytes(fd) ? SHUT_RD : SHUT_RDWR);
}

static void end_old(struct connections *connections,
                    struct connection_list *list, uint64_t max_ms,
                    uint64_t now_ms)
{
    struct connection *first;

    while ((first = TAILQ_FIRST(list)) && first->idle_ms + max_ms <= now_ms)
        end(connections, first);
}

void connections_expire(struct connections *connections, uint64_t now_ms)
{
    end_old(connections, &connections->spare, CONNECTION_SPARE_MS, now_ms);
    end_old(connections, &connections->needed, CONNECTION_NEEDED_MS, now_ms);
    while (connections->idle > connections->idle_max) {
        struct connection *first = TAILQ_FIRST(&connections->spare);

        end(connections, first ? first : TAILQ_FIRST(&connections->needed));
    }
}

uint64_t connections_due_ms(const struct connections *connections)
{
    const struct connection *spare = TAILQ_FIRST(&connections->spare);
    const struct connection *needed = TAILQ_FIRST(&connections->needed);
    uint64_t due_ms = UINT64_MAX;

    if (connections->idle > connections->idle_max ||
        TAILQ_FIRST(&connections->ending))
        return 0;
    if (spare)
        due_ms = spare->idle_ms + CONNECTION_SPARE_MS;
    if (needed && needed->idle_ms + CONNECTION_NEEDED_MS < due_ms)
        due_ms = needed->idle_ms + CONNECTION_NEEDED_MS;
    return due_ms;
}
