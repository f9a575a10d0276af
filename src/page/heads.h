/* The two heads of an exchange while they come and go, for those who wish for
 * them (page/exchange.h): what libcurl shows, put together and without secrets.
 * For a head that nobody wishes for, every call does nothing. */
#ifndef PAGE_HEADS_H
#define PAGE_HEADS_H

#include "base/buf.h"
#include "page/exchange.h"

struct heads {
    bool wants_request, wants_response;
    struct buf request, response;
};

/* `wishes` is of enum exchange_wish; a response's head has at most `max` bytes.
 */
void heads_init(struct heads *heads, unsigned wishes, size_t max);
void heads_release(struct heads *heads);

/* Forget both, and keep little memory. */
void heads_clear(struct heads *heads);

/* A request is about to be sent: one before it did not count. Then its bytes,
 * in as many parts as it was sent in. */
void heads_begin_request(struct heads *heads);
void heads_put_request(struct heads *heads, struct str part);

/* A status line follows: a response before it did not count. Then each line,
 * with its end. */
void heads_begin_response(struct heads *heads);
void heads_put_response(struct heads *heads, struct str line);

/* Take the lines that are secret out of the request, and return it; empty
 * where not all of it was sent. Good until heads_clear. */
struct str heads_request(struct heads *heads);

/* All of the response's lines so far. Good until heads_clear. */
struct str heads_response(const struct heads *heads);

#endif
