/* One connection: read a request, ask the handler, send the reply, again.
 *
 * A state machine that never blocks: http_conn_run does as much as it can and
 * then says what it waits for. The server (server.h) calls it again when that
 * has come. Time is an argument.
 *
 * What a client can cost is bounded: memory by `max_head`, `max_body` and
 * `max_scratch`, time by the four limits in microseconds. Pipelined requests
 * are answered one after the other, and are left with the kernel meanwhile.
 */
#ifndef HTTP_CONN_H
#define HTTP_CONN_H

#include <sys/types.h>

#include "http/reply.h"
#include "http/request.h"

/* A time of 0 is no limit. */
struct http_limits {
    struct http_request_limits request;
    size_t max_scratch;     /* bytes that a handler may put there */
    size_t max_connections; /* further ones are closed at once; 0: no limit */
    uint64_t idle_us;       /* for the first byte of a request */
    uint64_t request_us;    /* from its first byte to its last; then 408 */
    uint64_t stall_us;      /* while the client takes no byte of a reply */
    uint64_t handshake_us;  /* from a CONNECT until the tunnel is ready */
};

/* The way of the bytes after a CONNECT, such as TLS. All are called with `self`
 * and never block. */
struct http_transport {
    void *self;

    /* As recv() and send(): -1 with errno, EAGAIN where the socket must become
     * ready first, in whichever direction. After EAGAIN the next call of `send`
     * begins with the same bytes. */
    ssize_t (*recv)(void *self, void *to, size_t room);
    ssize_t (*send)(void *self, const void *from, size_t len);

    /* May be NULL: is its handshake over? */
    bool (*is_ready)(void *self);

    void (*finish)(void *self);  /* no more bytes will be sent */
    void (*release)(void *self); /* the socket is closed after it */
};

/* A request and its reply. */
struct http_exchange {
    uint64_t conn_id;
    struct str local_addr; /* the listener's: "127.0.0.1:8080" */

    /* Where `error` is set the request was refused without the handler; then
     * only `all` and the method "-" are there. */
    enum http_error error;
    struct http_request request;
    struct http_reply reply;
    struct buf scratch; /* the handler's, for this reply; empty at first */
    void *user;         /* the handler's; NULL at first */
    void *tunnel;       /* `self` of the transport; NULL before any CONNECT */

    bool began;         /* some of the reply may have been sent */
    uint64_t body_sent; /* bytes of the body, before any transfer coding */
};

/* Functions that all connections share, with `self` as their argument. */
struct http_handler {
    void *self;

    /* Fill in `exchange->reply`, which is empty with status 200. A handler that
     * must wait before it knows even the status sets `again_us`, and is called
     * again then: the reply and `scratch` are empty, `user` is as it was. */
    void (*answer)(void *self, struct http_exchange *exchange, uint64_t now_us);

    /* May be NULL: the request was refused, and the reply is a small page that
     * says so. The handler may change it. */
    void (*refuse)(void *self, struct http_exchange *exchange, uint64_t now_us);

    /* May be NULL: a reply with `opens_tunnel` has been sent. From now on the
     * bytes go through `transport`, which the handler fills in; a reply that
     * goes through it has no file. False closes the connection. */
    bool (*open_tunnel)(void *self, const struct http_exchange *exchange,
                        int fd, struct http_transport *transport);

    /* May be NULL: bytes of the reply are about to be given to the kernel. */
    void (*sending)(void *self, struct http_exchange *exchange);

    /* May be NULL: called once for each exchange, refused or cut ones too.
     * The handler frees `user` here. */
    void (*ended)(void *self, struct http_exchange *exchange);
};

struct http_service {
    struct http_limits limits;
    struct http_handler handler;
};

enum http_conn_state {
    HTTP_CONN_READING,  /* a request */
    HTTP_CONN_DELAYED,  /* the reply has a `not_before_us` or `again_us` */
    HTTP_CONN_SENDING,  /* the reply */
    HTTP_CONN_DRAINING, /* all is sent; the client closes first */
    HTTP_CONN_OVER,     /* to be released */
};

enum http_body_end {
    HTTP_BODY_OPEN,
    HTTP_BODY_WHOLE,
    HTTP_BODY_CUT,
    HTTP_BODY_RESET,
};

struct http_conn {
    int fd;
    struct http_transport transport; /* all NULL: the socket itself */
    const struct http_service *service;
    enum http_conn_state state;
    bool readable;    /* there may be bytes to read */
    uint64_t wake_us; /* run it again then; 0: only when the fd is ready */

    struct buf in;
    size_t in_at;         /* where the current request begins */
    size_t need;          /* parse when so many bytes of it are in */
    uint64_t since_us;    /* when it began, or the wait for it */
    uint64_t progress_us; /* when the client last took bytes */
    uint64_t drain_until_us;
    unsigned turn; /* requests answered in this call of http_conn_run */

    struct http_exchange exchange;
    struct buf staged; /* bytes on their way, sent before `direct` */
    size_t staged_at;
    struct str direct;  /* bytes of the body, sent without a copy */
    uint64_t file_now;  /* bytes of the file, sent after `direct` */
    uint64_t file_at;   /* how many of the file have been sent */
    uint64_t body_left; /* or HTTP_LEN_UNKNOWN */
    bool body_given;    /* reply.body is in `direct`, or was */
    bool chunk_open;    /* the last chunk needs its CR LF */
    enum http_body_end end;
};

/* Take over `fd`, a connected non-blocking socket. `service` and the bytes of
 * `local_addr` must outlive the connection. */
void http_conn_init(struct http_conn *conn, int fd, uint64_t id,
                    struct str local_addr, const struct http_service *service,
                    uint64_t now_us);

/* Close and free all; an exchange that is under way ends. */
void http_conn_release(struct http_conn *conn);

/* The socket is ready to be read or, if not `to_read`, only to be written. */
void http_conn_ready(struct http_conn *conn, bool to_read);

/* Go on as far as possible; `state` and `wake_us` say what comes next. */
void http_conn_run(struct http_conn *conn, uint64_t now_us);

#endif
