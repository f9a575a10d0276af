/* A request of HTTP/1.x, as slices of the bytes that came.
 *
 *     switch (http_request_parse(in, &limits, &request)) {
 *     case HTTP_DONE:   use(request.path); in = str_skip(in, request.all.len);
 *     case HTTP_MORE:   call again with at least request.need bytes
 *     case HTTP_BROKEN: answer http_error_status(request.error) and close
 *     }
 *
 * The parser is a pure function over a buffer: it keeps nothing between calls,
 * and the same bytes give the same result in however many pieces they came.
 * Clients are not trusted. All that two readers could understand in two ways
 * (RFC 9112, 11.2) is refused. Methods are GET, HEAD and POST, and those that
 * the limits add; a body has a Content-Length, chunked bodies are refused.
 *
 * Line ends are CR LF or LF. Bytes from 0x80 on are allowed in the target and
 * in values: the handler decides what they mean.
 */
#ifndef HTTP_REQUEST_H
#define HTTP_REQUEST_H

#include "base/head.h"

enum { HTTP_MAX_HEADERS = 100 };

struct http_request_limits {
    size_t max_head; /* request line and headers, with the lines' ends */
    size_t max_body;
    bool takes_connect; /* also CONNECT, whose target is "host:port" */
    bool takes_options; /* also OPTIONS */
};

enum http_state { HTTP_DONE, HTTP_MORE, HTTP_BROKEN };

/* Why a request is refused. The text and the status are in request.c. */
enum http_error {
    HTTP_NO_ERROR,
    HTTP_BAD_LINE,
    HTTP_BAD_METHOD,
    HTTP_UNKNOWN_METHOD,
    HTTP_BAD_TARGET,
    HTTP_BAD_VERSION,
    HTTP_BARE_CR,
    HTTP_CONTROL,
    HTTP_FOLDED,
    HTTP_NO_COLON,
    HTTP_BAD_NAME,
    HTTP_BAD_LENGTH,
    HTTP_TWO_LENGTHS,
    HTTP_LENGTH_AND_CODING,
    HTTP_CODING,
    HTTP_NO_HOST,
    HTTP_TWO_HOSTS,
    HTTP_HEAD_TOO_LARGE,
    HTTP_TOO_MANY_HEADERS,
    HTTP_BODY_TOO_LARGE,
    HTTP_TOO_SLOW, /* found by the connection, not by the parser */
    HTTP_ERRORS,
};

struct http_request {
    enum http_error error; /* with HTTP_BROKEN */
    size_t need;           /* with HTTP_MORE: the least length that helps */

    struct str method;    /* "GET", "HEAD" or "POST"; "CONNECT", "OPTIONS" */
    struct str target;    /* path and query together, from the "/" on; with
                           * CONNECT these three are empty */
    struct str path;      /* as it was sent, without the query */
    struct str query;     /* after the "?"; empty where there is none */
    struct str host;      /* without the port; of the target if it names one */
    struct str authority; /* "host:port" or "host" of a target that names it:
                           * "http://host:port/path", CONNECT; else empty */
    bool http_1_0;
    bool keep_alive;
    struct str body;
    struct str all; /* the whole request, with empty lines before it */

    size_t header_count;
    struct head_field header[HTTP_MAX_HEADERS];
};

enum http_state http_request_parse(struct str in,
                                   const struct http_request_limits *limits,
                                   struct http_request *request);

/* The value of the first header of that name; .ptr is NULL without one. */
struct str http_request_header(const struct http_request *request,
                               struct str name);

/* 400, 408, 413, 431 or 501. */
unsigned http_error_status(enum http_error error);

/* A sentence without a full stop; never NULL. */
const char *http_error_text(enum http_error error);

#endif
