/* The idle connections of one fetcher: which of them are kept, and how long.
 *
 * libcurl has the connections and uses them again. It closes an idle one only
 * where it has too many, the one that was used longest ago, and it does not
 * know which hosts will be asked again. So the choice is made here:
 *
 *   - an idle connection to a host with more in the queue is needed; any other
 *     is spare. One host may have several, and all are spare after its last
 *     fetch;
 *   - a spare one is closed after CONNECTION_SPARE_MS, a needed one after
 *     CONNECTION_NEEDED_MS, because servers do not keep them longer either;
 *   - beyond the limit a spare one goes first, then a needed one; of either the
 *     one that was needed longest ago.
 *
 * To close a connection is libcurl's business, and it has no call for that. So
 * the fetcher starts a transfer that gets the connection and is refused before
 * it sends anything: libcurl closes the connection then. Until that has
 * happened the connection is "ending". (A socket that is shut is found dead by
 * libcurl, too. But for each dead one it looks at all connections again, and
 * that costs more than the pages when there are thousands.)
 */
#ifndef PAGE_CONNECTIONS_H
#define PAGE_CONNECTIONS_H

#include <openssl/ssl.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/queue.h>

#include "base/hashtable.h"

enum {
    CONNECTION_SPARE_MS = 5 * 1000,
    CONNECTION_NEEDED_MS = 60 * 1000,
    /* libcurl must not keep one longer, whatever happens here. */
    CONNECTION_AGE_MAX_S = 75,
};

/* How libcurl finds a connection: a URL of its origin, and the rule (as of
 * CURLOPT_CONNECT_TO) that led to it. NULL: only by looking at all. */
struct connection_way {
    char *url, *rule;
};

TAILQ_HEAD(connection_list, connection);

struct connections {
    struct connection **by_fd;
    size_t fds;
    struct hashtable origins;
    struct connection_list spare, needed; /* longest ago needed first */
    struct connection_list ending;        /* to be closed */
    size_t idle, idle_max;
};

void connections_init(struct connections *connections, size_t idle_max);
void connections_release(struct connections *connections);

/* A socket was made for a connection to this origin (a hash). The texts of
 * `way` are taken over. */
void connections_opened(struct connections *connections, int fd,
                        uint64_t origin, struct connection_way way);
void connections_closed(struct connections *connections, int fd);

/* It has TLS. libcurl frees this just before it closes the socket. */
void connections_secured(struct connections *connections, int fd, SSL *ssl);

/* `user` has the connection now. */
void connections_take(struct connections *connections, int fd, void *user);

/* The same for an idle connection of this origin that has this port on our
 * side. Its socket, or -1 where there is none. */
int connections_take_at(struct connections *connections, uint64_t origin,
                        int port, void *user);

/* All users are gone. */
void connections_forget_users(struct connections *connections);

/* Who has it, as far as it is known, or NULL. */
void *connections_user(const struct connections *connections, int fd);

/* `user` has ended. Its connection is idle from now on, unless it is closed or
 * somebody else has it. */
void connections_rest(struct connections *connections, int fd, const void *user,
                      bool is_needed, uint64_t now_ms);

/* The idle connections of this origin are needed from now on, or not. */
void connections_need(struct connections *connections, uint64_t origin,
                      bool is_needed, uint64_t now_ms);

/* Those whose time is over or that are too many are ending. */
void connections_expire(struct connections *connections, uint64_t now_ms);

/* The next connection to be closed, or -1; `way` is its own, and stays. */
int connections_next_ending(struct connections *connections, uint64_t *origin,
                            struct connection_way *way);

/* libcurl did not close it: shut its socket, so that it is found dead. */
void connections_shut(struct connections *connections, int fd);

/* When to call connections_expire next; UINT64_MAX where there is no need. */
uint64_t connections_due_ms(const struct connections *connections);

#endif
