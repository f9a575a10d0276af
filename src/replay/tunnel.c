#include "replay/tunnel.h"

#include <errno.h>
#include <limits.h>
#include <openssl/err.h>
#include <openssl/ssl.h>
#include <stdlib.h>
#include <sys/socket.h>

#include "base/mem.h"

enum { FIRST_BYTE_OF_TLS = 0x16 };

struct tunnel {
    struct certificate_authority *authority;
    int fd;
    struct buf to;
    size_t host_len;
    bool is_known; /* TLS or not: the first byte has come */
    bool has_failed;
    SSL *ssl; /* NULL: plain */
};

/* The result of SSL_read or SSL_write, as recv and send have it. */
static ssize_t result(struct tunnel *tunnel, int n)
{
    if (n > 0)
        return n;
    switch (SSL_get_error(tunnel->ssl, n)) {
    case SSL_ERROR_WANT_READ:
    case SSL_ERROR_WANT_WRITE:
        errno = EAGAIN;
        return -1;
    case SSL_ERROR_ZERO_RETURN:
        return 0;
    default:
        tunnel->has_failed = true;
        errno = ECONNRESET;
        return -1;
    }
}

static int as_int(size_t len)
{
    return len < INT_MAX ? (int)len : INT_MAX;
}

/* Look at the first byte and leave it there. */
static ssize_t find_kind(struct tunnel *tunnel)
{
    unsigned char first;
    ssize_t n = recv(tunnel->fd, &first, 1, MSG_PEEK);

    if (n <= 0)
        return n;
    tunnel->is_known = true;
    if (first != FIRST_BYTE_OF_TLS)
        return n;
    tunnel->ssl = certificate_authority_accept(
        tunnel->authority, str_first(buf_str(&tunnel->to), tunnel->host_len),
        tunnel->fd);
    errno = ECONNRESET;
    return tunnel->ssl ? n : -1;
}

static ssize_t receive(void *self, void *to, size_t room)
{
    struct tunnel *tunnel = self;
    ssize_t n = tunnel->is_known ? 1 : find_kind(tunnel);

    if (n <= 0)
        return n;
    if (!tunnel->ssl)
        return recv(tunnel->fd, to, room, 0);
    ERR_clear_error();
    return result(tunnel, SSL_read(tunnel->ssl, to, as_int(room)));
}

static ssize_t give(void *self, const void *from, size_t len)
{
    struct tunnel *tunnel = self;

    if (!tunnel->ssl)
        return send(tunnel->fd, from, len, MSG_NOSIGNAL);
    ERR_clear_error();
    return result(tunnel, SSL_write(tunnel->ssl, from, as_int(len)));
}

static bool is_ready(void *self)
{
    const struct tunnel *tunnel = self;

    return tunnel->is_known &&
           (!tunnel->ssl || SSL_is_init_finished(tunnel->ssl));
}

static void finish(void *self)
{
    struct tunnel *tunnel = self;

    if (!tunnel->ssl || tunnel->has_failed ||
        !SSL_is_init_finished(tunnel->ssl))
        return;
    ERR_clear_error();
    SSL_shutdown(tunnel->ssl);
}

static void release(void *self)
{
    struct tunnel *tunnel = self;

    SSL_free(tunnel->ssl);
    buf_release(&tunnel->to);
    free(tunnel);
}

void tunnel_open(struct certificate_authority *authority, struct str to,
                 struct str host, int fd, struct http_transport *transport)
{
    struct tunnel *tunnel = NEW(struct tunnel);

    tunnel->authority = authority;
    tunnel->fd = fd;
    tunnel->host_len = host.len;
    buf_init(&tunnel->to, to.len);
    buf_put(&tunnel->to, to);
    *transport = (struct http_transport){
        .self = tunnel,
        .recv = receive,
        .send = give,
        .is_ready = is_ready,
        .finish = finish,
        .release = release,
    };
}

bool tunnel_is_tls(const struct tunnel *tunnel)
{
    return tunnel->ssl;
}

struct str tunnel_to(const struct tunnel *tunnel)
{
    return buf_str(&tunnel->to);
}
