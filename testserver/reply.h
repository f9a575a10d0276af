/* An answer of the playground: an HTTP reply and the faults that go with it.
 *
 * A source (below) fills one in for a request; serve.c plays it. All that it
 * points to belongs to the source, or lives in the scratch buffer of the
 * exchange, and stays until the exchange has ended.
 */
#ifndef TESTSERVER_REPLY_H
#define TESTSERVER_REPLY_H

#include "http/reply.h"
#include "http/request.h"

/* A piece of a body: the bytes, so many times over. */
struct body_part {
    struct str bytes;
    uint64_t times;
};

#define BODY_ENDLESS UINT64_MAX /* as a number of times */
#define REPLY_WHOLE  UINT64_MAX /* as a value of cut_after */

struct reply {
    struct http_reply http;

    const struct body_part *parts; /* in place of http.body, if not NULL */
    size_t part_count;
    uint32_t chunk_size; /* with HTTP_CHUNKED; 0: 4096 */
    uint64_t delay_us;   /* before anything is sent */
    uint64_t drip_bytes; /* send so many of the body ... */
    uint64_t drip_us;    /* ... and then pause so long; 0: no pauses */
    uint64_t cut_after;  /* end the connection after so many body bytes */
    bool reset;          /* ... with a reset */
};

/* A source knows answers. `answer` returns false for a request that is not its
 * own; then the next source is asked. */
struct source {
    bool (*answer)(void *self, const struct http_request *request,
                   struct buf *scratch, struct reply *reply);
    void (*free)(void *self);
    void *self;
    struct str only_at; /* the one address whose requests it gets; empty: all */
};

/* A reply with status 200, an empty HTML body and no faults. */
void reply_init(struct reply *reply);

static inline void reply_set_body(struct reply *reply, struct str body)
{
    reply->http.body = body;
}

/* Status and Location, and a small page; the Location lives in `scratch`. */
void reply_set_redirect(struct reply *reply, unsigned status,
                        struct str location, struct buf *scratch);

/* Bytes of all parts; BODY_ENDLESS for no end. */
uint64_t reply_parts_len(const struct reply *reply);

#endif
