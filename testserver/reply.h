/* An answer as data: what is sent, and how badly.
 *
 * A source (below) fills one in for a request; the connection plays it. All
 * that it points to belongs to the source, or lives in the scratch buffer of
 * the connection, and stays until the reply has ended.
 */
#ifndef TESTSERVER_REPLY_H
#define TESTSERVER_REPLY_H

#include "base/buf.h"
#include "testserver/request.h"

/* A piece of a body: the bytes, so many times over. */
struct body_part {
    struct str bytes;
    uint64_t times;
};

#define BODY_ENDLESS UINT64_MAX /* as a number of times */
#define REPLY_WHOLE  UINT64_MAX /* as a value of cut_after */

enum framing {
    FRAMING_LENGTH,  /* Content-Length */
    FRAMING_CHUNKED, /* Transfer-Encoding: chunked */
    FRAMING_CLOSE,   /* the body ends with the connection */
    FRAMING_RAW,     /* the body is all: status line and headers are in it */
};

struct reply {
    unsigned status;
    struct str reason;  /* empty: the usual one */
    struct str type;    /* Content-Type; empty: none */
    struct str headers; /* further lines, each with its CR LF */
    bool has_length;    /* `headers` has a Content-Length of its own */
    bool http_1_0;      /* say HTTP/1.0 */
    enum framing framing;
    uint32_t chunk_size;

    struct body_part one; /* the body, where `parts` is NULL */
    const struct body_part *parts;
    size_t part_count;
    int file_fd; /* sent after the parts and then closed; -1: none */
    uint64_t file_len;

    uint64_t delay_us;   /* before anything is sent */
    uint64_t drip_bytes; /* so many of the body ... */
    uint64_t drip_us;    /* ... and then this pause; 0: no pauses */
    uint64_t cut_after;  /* end the connection after so many body bytes */
    bool reset;          /* ... with a reset */
    bool close;          /* close the connection after the reply */
};

/* Something that knows answers. `answer` returns false for a request that is
 * not its own; then the next source is asked. */
struct source {
    bool (*answer)(void *self, const struct request *request,
                   struct buf *scratch, struct reply *reply);
    void (*free)(void *self);
    void *self;
};

/* A reply with status 200 and an empty HTML body. */
void reply_init(struct reply *reply);

static inline void reply_set_body(struct reply *reply, struct str body)
{
    reply->one = (struct body_part){body, 1};
}

/* A small HTML page that says the status; it lives in `scratch`. */
void reply_set_error(struct reply *reply, unsigned status, struct buf *scratch);

/* Status and Location, and a small page; both live in `scratch`. */
void reply_set_redirect(struct reply *reply, unsigned status,
                        struct str location, struct buf *scratch);

/* Body bytes before any coding of the transfer; BODY_ENDLESS for no end. */
uint64_t reply_body_len(const struct reply *reply);

/* The status line and all headers, up to and with the blank line. */
void reply_write_head(const struct reply *reply, struct buf *out);

/* "Not Found" for 404; "Unknown" where there is no usual one. */
struct str reply_reason(unsigned status);

#endif
