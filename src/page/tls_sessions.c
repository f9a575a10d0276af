#include "page/tls_sessions.h"

#include <openssl/err.h>
#include <openssl/x509v3.h>
#include <pthread.h>
#include <stdlib.h>

#include "base/hashtable.h"
#include "base/mem.h"

struct tls_session {
    TAILQ_ENTRY(tls_session) link;   /* of all */
    TAILQ_ENTRY(tls_session) sister; /* of the same origin */
    struct tls_origin *origin;
    SSL_SESSION *session;
    time_t until;
};

/* Freed with its last session. */
struct tls_origin {
    uint64_t key;
    struct tls_session_list sessions; /* the oldest first */
    unsigned count;
    uint16_t port;
    size_t host_len;
    char host[];
};

void tls_sessions_init(struct tls_sessions *sessions, bool is_verifying)
{
    *sessions = (struct tls_sessions){
        .max = TLS_SESSIONS_MAX,
        .is_verifying = is_verifying,
    };
    hashtable_init(&sessions->origins);
    TAILQ_INIT(&sessions->all);
}

/* --- keeping ------------------------------------------------------------ */

static void drop(struct tls_sessions *sessions, struct tls_session *session)
{
    struct tls_origin *origin = session->origin;

    TAILQ_REMOVE(&sessions->all, session, link);
    TAILQ_REMOVE(&origin->sessions, session, sister);
    sessions->count--;
    if (!--origin->count) {
        hashtable_take(&sessions->origins, origin->key);
        free(origin);
    }
    SSL_SESSION_free(session->session);
    free(session);
}

static void drop_all(struct tls_sessions *sessions)
{
    struct tls_session *session;

    while ((session = TAILQ_FIRST(&sessions->all)))
        // NOLINTNEXTLINE(clang-analyzer-unix.Malloc) ; drop takes it out
        drop(sessions, session);
}

void tls_sessions_release(struct tls_sessions *sessions)
{
    drop_all(sessions);
    hashtable_release(&sessions->origins);
}

static uint64_t key_of(struct str host, uint16_t port)
{
    return hash64(host, port);
}

static bool is_origin(const struct tls_origin *origin, struct str host,
                      uint16_t port)
{
    return origin->port == port &&
           str_eq((struct str){origin->host, origin->host_len}, host);
}

static struct tls_origin *find(const struct tls_sessions *sessions,
                               struct str host, uint16_t port)
{
    struct tls_origin *origin =
        hashtable_get(&sessions->origins, key_of(host, port));

    return origin && is_origin(origin, host, port) ? origin : NULL;
}

static struct tls_origin *new_origin(struct tls_sessions *sessions,
                                     struct str host, uint16_t port)
{
    struct tls_origin *origin = mem_new(sizeof(*origin) + host.len);

    origin->key = key_of(host, port);
    origin->port = port;
    origin->host_len = host.len;
    memcpy(origin->host, host.ptr, host.len);
    TAILQ_INIT(&origin->sessions);
    hashtable_put(&sessions->origins, origin->key, origin);
    return origin;
}

void tls_sessions_put(struct tls_sessions *sessions, struct str host,
                      uint16_t port, SSL_SESSION *ssl_session, time_t until)
{
    struct tls_origin *origin =
        hashtable_get(&sessions->origins, key_of(host, port));

    if (origin && !is_origin(origin, host, port)) {
        SSL_SESSION_free(ssl_session); /* the same hash: it has to do without */
        return;
    }
    if (!origin)
        origin = new_origin(sessions, host, port);
    struct tls_session *session = NEW(struct tls_session);
    session->origin = origin;
    session->session = ssl_session;
    session->until = until;
    TAILQ_INSERT_TAIL(&sessions->all, session, link);
    TAILQ_INSERT_TAIL(&origin->sessions, session, sister);
    sessions->count++;
    if (++origin->count > TLS_SESSIONS_PER_ORIGIN)
        drop(sessions, TAILQ_FIRST(&origin->sessions));
    while (sessions->count > sessions->max)
        drop(sessions, TAILQ_FIRST(&sessions->all));
}

/* The newest one that still counts. */
SSL_SESSION *tls_sessions_take(struct tls_sessions *sessions, struct str host,
                               uint16_t port, time_t now)
{
    struct tls_origin *origin;

    while ((origin = find(sessions, host, port))) {
        struct tls_session *last =
            TAILQ_LAST(&origin->sessions, tls_session_list);
        SSL_SESSION *session = last->session;
        bool is_good = now < last->until && SSL_SESSION_is_resumable(session);

        if (is_good)
            SSL_SESSION_up_ref(session);
        if (!is_good ||
            SSL_SESSION_get_protocol_version(session) >= TLS1_3_VERSION)
            drop(sessions, last);
        if (is_good)
            return session;
    }
    return NULL;
}

void tls_sessions_forget(struct tls_sessions *sessions, struct str host,
                         uint16_t port)
{
    struct tls_origin *origin;

    while ((origin = find(sessions, host, port)))
        drop(sessions, TAILQ_FIRST(&origin->sessions));
}

/* --- with OpenSSL ------------------------------------------------------- */

/* Whom the connections of an SSL_CTX are for; part of that. */
struct tls_user {
    struct tls_sessions *sessions;
    unsigned generation;
    uint16_t port;
    size_t host_len;
    char host[]; /* with a NUL */
};

static int user_index;
static pthread_once_t once = PTHREAD_ONCE_INIT;

static void free_user(void *parent, void *user, CRYPTO_EX_DATA *data, int index,
                      long argl, void *argp)
{
    (void)parent, (void)data, (void)index, (void)argl, (void)argp;
    free(user);
}

static void make_index(void)
{
    user_index = SSL_CTX_get_ex_new_index(0, NULL, NULL, NULL, free_user);
}

static struct tls_user *user_of(const SSL *ssl)
{
    pthread_once(&once, make_index);
    return SSL_CTX_get_ex_data(SSL_get_SSL_CTX(ssl), user_index);
}

static bool is_for_host(X509 *certificate, const char *host)
{
    return certificate &&
           (X509_check_host(certificate, host, 0, 0, NULL) == 1 ||
            X509_check_ip_asc(certificate, host, 0) == 1);
}

static time_t earlier(time_t a, time_t b)
{
    return a < b ? a : b;
}

static time_t until_when(SSL_SESSION *session, time_t now)
{
    time_t until = now + TLS_SESSION_AGE_MAX_S;
    unsigned long hint = SSL_SESSION_get_ticket_lifetime_hint(session);
    const X509 *certificate = SSL_SESSION_get0_peer(session);
    int days, seconds;

    until = earlier(until, now + (time_t)SSL_SESSION_get_timeout(session));
    if (hint && hint < TLS_SESSION_AGE_MAX_S)
        until = earlier(until, now + (time_t)hint);
    if (certificate &&
        ASN1_TIME_diff(&days, &seconds, NULL, X509_get0_notAfter(certificate)))
        until = earlier(until, now + (time_t)days * 24 * 3600 + seconds);
    return until;
}

/* A copy without the chain of certificates, which may be large; NULL if the
 * session itself is too large. */
static SSL_SESSION *copy_session(const SSL_SESSION *session)
{
    int len = i2d_SSL_SESSION(session, NULL);

    if (len <= 0 || len > TLS_SESSION_BYTES_MAX)
        return NULL;
    unsigned char bytes[TLS_SESSION_BYTES_MAX], *to = bytes;
    const unsigned char *from = bytes;
    i2d_SSL_SESSION(session, &to);
    return d2i_SSL_SESSION(NULL, &from, len);
}

/* OpenSSL has a new session. 0: it is not taken. */
static int on_new_session(SSL *ssl, SSL_SESSION *session)
{
    struct tls_user *user = user_of(ssl);
    time_t now = time(NULL);

    if (!user || user->generation != user->sessions->generation)
        return 0;
    if (user->sessions->is_verifying &&
        (SSL_get_verify_result(ssl) != X509_V_OK ||
         !is_for_host(SSL_SESSION_get0_peer(session), user->host)))
        return 0;
    SSL_SESSION *copy = copy_session(session);
    if (copy)
        tls_sessions_put(user->sessions,
                         (struct str){user->host, user->host_len}, user->port,
                         copy, until_when(session, now));
    return 0;
}

void tls_sessions_offer(SSL *ssl)
{
    struct tls_user *user = user_of(ssl);

    if (!user || SSL_get_session(ssl))
        return;
    SSL_SESSION *session = tls_sessions_take(
        user->sessions, (struct str){user->host, user->host_len}, user->port,
        time(NULL));
    if (!session)
        return;
    SSL_set_session(ssl, session);
    SSL_SESSION_free(session);
}

void tls_sessions_use(struct tls_sessions *sessions, SSL_CTX *ctx,
                      struct str host, uint16_t port, unsigned generation)
{
    struct tls_user *user = mem_new(sizeof(*user) + host.len + 1);

    pthread_once(&once, make_index);
    if (generation != sessions->generation)
        drop_all(sessions);
    sessions->generation = generation;
    user->sessions = sessions;
    user->generation = generation;
    user->port = port;
    user->host_len = host.len;
    memcpy(user->host, host.ptr, host.len);
    if (!SSL_CTX_set_ex_data(ctx, user_index, user)) {
        free(user);
        return;
    }
    SSL_CTX_clear_options(ctx, SSL_OP_NO_TICKET); /* libcurl's, for TLS 1.2 */
    SSL_CTX_set_session_cache_mode(ctx, SSL_SESS_CACHE_CLIENT |
                                            SSL_SESS_CACHE_NO_INTERNAL);
    SSL_CTX_sess_set_new_cb(ctx, on_new_session);
}
