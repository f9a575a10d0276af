/* The head of an HTTP/1.x request, as slices of the bytes that came.
 *
 * request_parse is a pure function over a buffer: done, more or broken. It
 * understands what the playground needs and nothing else: no chunked request
 * bodies, no trailers.
 */
#ifndef PLAYGROUND_REQUEST_H
#define PLAYGROUND_REQUEST_H

#include "base/str.h"

enum {
    REQUEST_MAX_HEAD = 64 * 1024,
    REQUEST_MAX_BODY = 1024 * 1024,
};

enum request_state {
    REQUEST_DONE,
    REQUEST_MORE,      /* wait for more bytes */
    REQUEST_BAD,       /* no HTTP/1.x: answer 400 and close */
    REQUEST_TOO_LARGE, /* past one of the limits above: 431 and close */
};

struct request {
    struct str method;
    struct str path;   /* from the "/", as it was sent, without the query */
    struct str query;  /* after the "?"; empty where there is none */
    struct str target; /* path and query together */
    struct str host;   /* without the port; of the target if that is absolute */
    struct str user_agent;
    struct str headers; /* all the header lines */
    struct str all;     /* the whole request: head and body */
    size_t body_len;
    bool http_1_0;
    bool keep_alive;
};

/* Parse the request at the start of `in`; its length is request->all.len. */
enum request_state request_parse(struct str in, struct request *request);

/* The value of the first header of that name; .ptr is NULL without one. */
struct str request_header(const struct request *request, struct str name);

#endif
