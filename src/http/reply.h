/* A reply as data: the handler fills it in, the connection sends it.
 *
 * All that a reply points to belongs to the handler, or lives in the scratch
 * buffer of the exchange (conn.h), and stays until the exchange has ended.
 *
 * The body is `body`, then `file_len` bytes of a file; or what a stream gives.
 */
#ifndef HTTP_REPLY_H
#define HTTP_REPLY_H

#include "base/buf.h"

enum http_framing {
    HTTP_BY_LENGTH,   /* Content-Length */
    HTTP_CHUNKED,     /* Transfer-Encoding: chunked; not for a file */
    HTTP_UNTIL_CLOSE, /* the body ends with the connection */
    HTTP_RAW, /* the body is all: it has the status line and the headers */
};

enum http_pull {
    HTTP_PULL_BYTES, /* `bytes`, not empty, valid until the next pull */
    HTTP_PULL_WAIT,  /* nothing now; pull again at `wake_us` */
    HTTP_PULL_END,   /* that was all */
    HTTP_PULL_CUT,   /* close the connection though there is more */
    HTTP_PULL_RESET, /* the same, with a reset (RST) */
};

struct http_piece {
    struct str bytes;
    uint64_t wake_us;
};

#define HTTP_LEN_UNKNOWN UINT64_MAX

/* A body that comes piece by piece. */
struct http_stream {
    enum http_pull (*pull)(void *self, uint64_t now_us,
                           struct http_piece *piece);
    void *self;
    uint64_t len; /* of all pieces, or HTTP_LEN_UNKNOWN */
};

struct http_reply {
    unsigned status;
    struct str reason; /* .ptr is NULL: the registered one */
    struct str type;   /* Content-Type; empty: none */
    struct str
        headers;       /* further lines, each with its CR LF: http_put_header */
    bool has_length;   /* `headers` has a Content-Length, sent unchecked */
    bool http_1_0;     /* say HTTP/1.0, and close */
    bool close;        /* close the connection after the reply */
    bool opens_tunnel; /* to a CONNECT: the reply has no body, and what comes
                        * after it is no HTTP (conn.h) */
    enum http_framing framing;
    uint64_t not_before_us; /* send nothing before that time */
    uint64_t again_us; /* not 0: this is no reply yet, ask for it again then */

    struct str body;
    int file_fd; /* -1: none; the connection closes it */
    uint64_t file_from, file_len;
    struct http_stream stream; /* in place of both, if it has a `pull` */
};

/* A reply with status 200 and an empty HTML body. */
void http_reply_init(struct http_reply *reply);

/* A small HTML page that says the status; it lives in `scratch`. */
void http_reply_set_error(struct http_reply *reply, unsigned status,
                          struct buf *scratch);

/* Append the line "NAME: VALUE". False, and nothing is added, where a control
 * character would end the line early or the buffer is full. */
bool http_put_header(struct buf *out, struct str name, struct str value);

/* Body bytes before any coding of the transfer, or HTTP_LEN_UNKNOWN. */
uint64_t http_reply_body_len(const struct http_reply *reply);

/* The status line and all headers, up to and with the empty line. False if
 * they pass the buffer's cap. */
bool http_reply_write_head(const struct http_reply *reply, struct buf *out);

#endif
