#include "replay/replay.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>

#include "archive/spelling.h"
#include "base/clock.h"
#include "base/date.h"
#include "base/mem.h"
#include "http/server.h"
#include "replay/recorded_reply.h"
#include "replay/tunnel.h"

enum {
    MAX_HEAD = 64 << 10,
    MAX_BODY = 1 << 20, /* a POST is refused, but politely */
    MAX_SCRATCH = 4 << 20,
    MAX_CONNECTIONS = 1000,
    HELD_MAX = 512 << 20,  /* bytes of bodies on their way */
    LONG_BODY = 256 << 10, /* of a long one, whatever its length */
    SECOND_US = 1000 * 1000,
    CAPTURES_LOOKED_AT = 10000, /* for the list of first pages */
};

struct replay {
    struct http_service service;
    struct http_server *server; /* NULL before replay_listen */
    struct collection *collection;
    struct certificate_authority *authority;
    struct own_pages own;
    struct buf url;   /* of the request at hand */
    struct buf other; /* the same in its other spelling */
    size_t held;      /* bytes of bodies on their way */
};

/* A copy of a body, because the collection keeps it only until the next
 * question; or one that is read piece by piece. */
struct held_body {
    size_t len; /* of the memory that it takes */
    struct long_body *long_body;
    char bytes[];
};

/* --- recorded pages ------------------------------------------------------ */

/* The collection knows that "HTTP://A.test:80" is "http://a.test/". */
static struct str make_url(struct replay *replay,
                           const struct http_request *request,
                           struct str authority, bool https)
{
    struct str default_port = https ? STR(":443") : STR(":80");
    struct buf *url = &replay->url;

    if (str_ends(authority, default_port))
        authority.len -= default_port.len;
    buf_clear(url);
    buf_put(url, https ? STR("https://") : STR("http://"));
    buf_put(url, authority);
    buf_put(url, request->target);
    return buf_str(url);
}

/* The time that the client asks for, or the latest. */
static bool wanted_time(const struct http_request *request, uint64_t *near_ms)
{
    struct str value = http_request_header(request, STR("Accept-Datetime"));

    *near_ms = UINT64_MAX;
    return !value.ptr || date_read_http(value, near_ms);
}

/* Read more of a body, while its beginning is on its way. */
static enum http_pull pull_body(void *self, uint64_t now_us,
                                struct http_piece *piece)
{
    (void)now_us;
    switch (long_body_read(self, &piece->bytes)) {
    case LONG_BODY_BYTES:
        return HTTP_PULL_BYTES;
    case LONG_BODY_END:
        return HTTP_PULL_END;
    case LONG_BODY_BROKEN:
        break;
    }
    return HTTP_PULL_CUT;
}

/* NULL, or why the body cannot be sent. */
static const char *hold_body(struct replay *replay,
                             struct http_exchange *exchange,
                             const struct captured *captured)
{
    const struct captured_body *body = &captured->body;
    struct str bytes = captured->http.body;
    size_t len = body->is_long ? LONG_BODY : bytes.len;

    if (!len || str_eq(exchange->request.method, STR("HEAD")))
        return NULL;
    if (len > HELD_MAX - replay->held)
        return "too many large bodies are on their way";
    struct held_body *held = mem_new(sizeof(*held) + bytes.len);
    held->len = len;
    replay->held += len;
    exchange->user = held;
    if (!body->is_long) {
        memcpy(held->bytes, bytes.ptr, bytes.len);
        exchange->reply.body = (struct str){held->bytes, bytes.len};
        return NULL;
    }
    held->long_body = long_body_open(&body->place);
    exchange->reply.stream = (struct http_stream){
        .pull = pull_body,
        .self = held->long_body,
        .len = body->len == CAPTURED_LEN_UNKNOWN ? HTTP_LEN_UNKNOWN : body->len,
    };
    return held->long_body ? NULL : strerror(errno);
}

static void send_captured(struct replay *replay, struct http_exchange *exchange,
                          const struct captured *captured)
{
    struct http_reply *reply = &exchange->reply;

    if (!recorded_reply_fill(reply, &exchange->scratch, captured)) {
        http_reply_init(reply);
        own_pages_refuse(exchange, 502,
                         STR("the recorded response cannot be sent"), STR(""));
        return;
    }
    /* The collection's bytes are gone after this call. */
    size_t lines_len = reply->headers.len;
    bool has_reason = buf_put(&exchange->scratch, reply->reason);
    reply->headers = str_first(buf_str(&exchange->scratch), lines_len);
    reply->reason =
        has_reason ? str_skip(buf_str(&exchange->scratch), lines_len) : STR("");
    const char *problem = hold_body(replay, exchange, captured);
    if (problem) {
        http_reply_init(reply);
        own_pages_refuse(exchange, 503, str_of(problem), STR(""));
    }
}

static enum collection_answer find(struct replay *replay, struct str url,
                                   uint64_t near_ms, struct captured *captured)
{
    enum collection_answer answer =
        collection_find(replay->collection, url, near_ms, captured);

    buf_clear(&replay->other);
    if (answer != CAPTURE_NONE || !spelling_put_other(&replay->other, url))
        return answer;
    return collection_find(replay->collection, buf_str(&replay->other), near_ms,
                           captured);
}

static void answer_capture(struct replay *replay,
                           struct http_exchange *exchange, struct str url,
                           uint64_t near_ms)
{
    struct captured captured;
    char text[200];

    switch (find(replay, url, near_ms, &captured)) {
    case CAPTURE_FOUND:
        send_captured(replay, exchange, &captured);
        break;
    case CAPTURE_UNREADABLE:
        snprintf(text, sizeof(text),
                 "this URL was recorded, but cannot be read: %s",
                 collection_problem(replay->collection));
        own_pages_refuse(exchange, 502, str_of(text), url);
        break;
    case CAPTURE_NONE:
        own_pages_refuse(exchange, 404, STR("this URL was not recorded"), url);
        break;
    }
}

static void answer_recorded(struct replay *replay,
                            struct http_exchange *exchange,
                            struct str authority, bool https)
{
    const struct http_request *request = &exchange->request;
    struct str url = make_url(replay, request, authority, https);
    uint64_t near_ms;

    if (!str_eq(request->method, STR("GET")) &&
        !str_eq(request->method, STR("HEAD")))
        own_pages_refuse(exchange, 405, STR("only GET and HEAD are answered"),
                         STR(""));
    else if (!wanted_time(request, &near_ms))
        own_pages_refuse(exchange, 400,
                         STR("the Accept-Datetime is not a date such as Sun, "
                             "06 Nov 1994 08:49:37 GMT"),
                         STR(""));
    else
        answer_capture(replay, exchange, url, near_ms);
}

/* --- who is asked -------------------------------------------------------- */

/* "127.0.0.1:8080", or the same as "localhost:8080". */
static bool is_own(const struct http_exchange *exchange, struct str authority)
{
    struct str local = exchange->local_addr;
    struct str name = STR("localhost");
    struct str ip = str_cut(local, ':').head;

    if (str_eq(authority, local))
        return true;
    return str_starts_nocase(authority, name) &&
           str_eq(str_skip(authority, name.len), str_skip(local, ip.len));
}

/* The two must agree: "example.org" and "example.org:443". */
static bool is_same_host(struct str host, struct str to, bool https)
{
    struct str port = https ? STR(":443") : STR(":80");

    if (str_ends(to, port) && !str_ends(host, port))
        to.len -= port.len;
    return str_eq_nocase(host, to);
}

static void answer_in_tunnel(struct replay *replay,
                             struct http_exchange *exchange)
{
    const struct tunnel *tunnel = exchange->tunnel;
    struct str to = tunnel_to(tunnel);
    struct str host = http_request_header(&exchange->request, STR("Host"));
    bool https = tunnel_is_tls(tunnel);

    if (exchange->request.authority.len || !is_same_host(host, to, https))
        own_pages_refuse(exchange, 421,
                         STR("the Host is not the one of the CONNECT"), to);
    else
        answer_recorded(replay, exchange, to, https);
}

static void answer_connect(struct http_exchange *exchange)
{
    struct http_reply *reply = &exchange->reply;

    if (!certificate_authority_can_sign(exchange->request.host)) {
        own_pages_refuse(exchange, 400, STR("this is no name of a host"),
                         STR(""));
        return;
    }
    reply->reason = STR("Connection established");
    reply->type = STR("");
    reply->opens_tunnel = true;
}

static void answer_own(struct replay *replay, struct http_exchange *exchange)
{
    struct str host = http_request_header(&exchange->request, STR("Host"));

    if (exchange->request.authority.len)
        host = exchange->request.authority;
    if (is_own(exchange, host))
        own_pages_answer(&replay->own, exchange);
    else
        own_pages_refuse(exchange, 421,
                         STR("this server has no such name; to see recorded "
                             "pages, use it as a proxy"),
                         STR(""));
}

static void answer(void *self, struct http_exchange *exchange, uint64_t now_us)
{
    struct replay *replay = self;
    const struct http_request *request = &exchange->request;

    (void)now_us;
    if (exchange->tunnel)
        answer_in_tunnel(replay, exchange);
    else if (str_eq(request->method, STR("CONNECT")))
        answer_connect(exchange);
    else if (request->authority.len && !is_own(exchange, request->authority))
        answer_recorded(replay, exchange, request->authority, false);
    else
        answer_own(replay, exchange);
}

static bool open_tunnel(void *self, const struct http_exchange *exchange,
                        int fd, struct http_transport *transport)
{
    struct replay *replay = self;

    tunnel_open(replay->authority, exchange->request.authority,
                exchange->request.host, fd, transport);
    return true;
}

static void ended(void *self, struct http_exchange *exchange)
{
    struct replay *replay = self;
    struct held_body *held = exchange->user;

    if (!held)
        return;
    replay->held -= held->len;
    long_body_free(held->long_body);
    free(held);
}

/* --- the service --------------------------------------------------------- */

struct replay *replay_new(struct collection *collection)
{
    struct certificate_authority *authority = certificate_authority_new();

    if (!authority)
        return NULL;
    struct replay *replay = NEW(struct replay);
    replay->collection = collection;
    replay->authority = authority;
    replay->service = (struct http_service){
        .limits = {.request = {.max_head = MAX_HEAD,
                               .max_body = MAX_BODY,
                               .takes_connect = true,
                               .takes_options = true},
                   .max_scratch = MAX_SCRATCH,
                   .max_connections = MAX_CONNECTIONS,
                   .idle_us = 60 * SECOND_US,
                   .request_us = 10 * SECOND_US,
                   .stall_us = 60 * SECOND_US,
                   /* Clients are on this machine. Those that stop here
                    * would take the places of all others. */
                   .handshake_us = 2 * SECOND_US},
        .handler = {.self = replay,
                    .answer = answer,
                    .open_tunnel = open_tunnel,
                    .ended = ended},
    };
    buf_init(&replay->url, 2 * MAX_HEAD);
    buf_init(&replay->other, 6 * MAX_HEAD);
    own_pages_init(&replay->own);
    replay->own.pem = certificate_authority_pem(authority);
    replay->own.captures = collection_count(collection);
    return replay;
}

void replay_free(struct replay *replay)
{
    if (replay->server)
        http_server_free(replay->server);
    own_pages_release(&replay->own);
    buf_release(&replay->url);
    buf_release(&replay->other);
    certificate_authority_free(replay->authority);
    free(replay);
}

const struct http_service *replay_service(const struct replay *replay)
{
    return &replay->service;
}

struct own_pages *replay_own_pages(struct replay *replay)
{
    return &replay->own;
}

bool replay_listen(struct replay *replay, unsigned port, const char **problem)
{
    char where[32];

    snprintf(where, sizeof(where), "127.0.0.1:%u", port);
    replay->server = http_server_new(&replay->service);
    if (!replay->server) {
        *problem = strerror(errno);
        return false;
    }
    return http_server_listen(replay->server, str_of(where), problem);
}

struct str replay_address(const struct replay *replay)
{
    return http_server_address(replay->server, 0);
}

bool replay_run(struct replay *replay, int stop_fd)
{
    if (!http_server_stop_on(replay->server, stop_fd))
        return false;
    while (http_server_step(replay->server, clock_mono_us() + 60 * SECOND_US))
        continue;
    return true;
}

struct listing {
    struct own_pages *own;
    unsigned looked_at;
};

static bool list_page(void *user, const struct captured *captured)
{
    struct listing *listing = user;
    const struct warc_http *http = &captured->http;

    if (http->status == 200 &&
        (str_eq_nocase(http->mime, STR("text/html")) ||
         str_eq_nocase(http->mime, STR("application/xhtml+xml"))))
        own_pages_add_seed(listing->own, captured->url);
    return ++listing->looked_at < CAPTURES_LOOKED_AT &&
           listing->own->seed_count < OWN_PAGES_SEEDS_MAX;
}

void replay_list_first_pages(struct replay *replay)
{
    struct listing listing = {&replay->own, 0};

    collection_each(replay->collection, list_page, &listing);
}
