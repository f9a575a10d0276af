/* TLS sessions of one fetcher: what a server gave us so that the next
 * connection needs no full handshake (tickets of TLS 1.3, sessions of 1.2).
 *
 * They are for servers that close connections between two fetches. It is safe
 * because (docs/decisions/0015):
 *
 *   - A session belongs to one origin (scheme, host and port), compared letter
 *     by letter, and is offered to no other.
 *   - It is kept only if the certificate was verified, in this handshake or in
 *     the one that it resumed, and is for this host; libcurl compares the name
 *     once more when it is resumed.
 *   - It counts as long as its certificate, one hour, or as long as the server
 *     said, whichever is shortest.
 *   - When the trusted certificates change all sessions are dropped.
 *   - A ticket of TLS 1.3 is used once (RFC 8446, C.4).
 *
 * Two are kept for an origin, TLS_SESSIONS_MAX in all, none larger than
 * TLS_SESSION_BYTES_MAX; the oldest goes first.
 */
#ifndef PAGE_TLS_SESSIONS_H
#define PAGE_TLS_SESSIONS_H

#include <openssl/ssl.h>
#include <sys/queue.h>
#include <time.h>

#include "base/hashtable.h"
#include "base/str.h"

enum {
    TLS_SESSIONS_MAX = 4096,
    TLS_SESSIONS_PER_ORIGIN = 2,
    TLS_SESSION_AGE_MAX_S = 3600,
    TLS_SESSION_BYTES_MAX = 16 * 1024, /* with the server's certificate */
};

TAILQ_HEAD(tls_session_list, tls_session);

struct tls_sessions {
    struct hashtable origins;
    struct tls_session_list all; /* the oldest first */
    size_t count, max;
    unsigned generation; /* of the trusted certificates (page/trust.h) */
    bool is_verifying;   /* false: with --insecure */
};

void tls_sessions_init(struct tls_sessions *sessions, bool is_verifying);
void tls_sessions_release(struct tls_sessions *sessions);

/* Have the connections of this SSL_CTX to this https origin resume sessions and
 * bring new ones. The SSL_CTX must be freed before the sessions. */
void tls_sessions_use(struct tls_sessions *sessions, SSL_CTX *ctx,
                      struct str host, uint16_t port, unsigned generation);

/* A handshake begins (SSL_CB_HANDSHAKE_START): if it is the first of the
 * connection, and there is a session for its origin, it will be resumed. */
void tls_sessions_offer(SSL *ssl);

/* A connection to this origin failed: the next handshake is a full one. */
void tls_sessions_forget(struct tls_sessions *sessions, struct str host,
                         uint16_t port);

/* For tests: keep a session, which is taken, until a time; the next one to
 * offer, which the caller frees, or NULL. */
void tls_sessions_put(struct tls_sessions *sessions, struct str host,
                      uint16_t port, SSL_SESSION *session, time_t until);
SSL_SESSION *tls_sessions_take(struct tls_sessions *sessions, struct str host,
                               uint16_t port, time_t now);

#endif
