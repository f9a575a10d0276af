#include "testserver/web_source.h"

#include <stdlib.h>

#include "base/hashtable.h"
#include "base/mem.h"
#include "testserver/encode.h"
#include "testserver/files.h"
#include "testserver/web_random.h"

enum { MAX_PAGE = 64 * 1024 * 1024 };

struct web_server {
    struct web web;
    struct buf filler;
    struct buf plain; /* a page before it is compressed */
    struct encoder *encoder;
    struct hashtable asked; /* pages that have failed once */
};

/* Words of random letters. */
static void make_filler(struct web_server *server)
{
    uint64_t state = web_key(&server->web, FOR_TEXT, 0, 0);

    buf_init(&server->filler, WEB_FILLER);
    while (server->filler.len < WEB_FILLER) {
        uint64_t draw = web_draw(&state);
        size_t letters = 2 + draw % 9;
        char word[16];

        for (size_t i = 0; i < letters; i++)
            word[i] = (char)('a' + (draw >> (8 + 5 * i)) % 26);
        word[letters] = draw >> 60 ? ' ' : '\n';
        buf_put(&server->filler, str_first((struct str){word, letters + 1},
                                           WEB_FILLER - server->filler.len));
    }
}

/* True the first time it is called for a page. */
static bool is_first_time(struct web_server *server,
                          const struct web_target *page)
{
    uint64_t key = web_key(&server->web, FOR_TRAITS, page->host, page->n);

    if (hashtable_get(&server->asked, key))
        return false;
    hashtable_put(&server->asked, key, server);
    return true;
}

static bool takes_gzip(const struct http_request *request)
{
    struct str value = http_request_header(request, STR("Accept-Encoding"));

    return value.len && memmem(value.ptr, value.len, "gzip", 4);
}

static void answer_page(struct web_server *server,
                        const struct web_target *target,
                        const struct http_request *request, struct buf *scratch,
                        struct reply *reply)
{
    struct web_traits traits = {0};
    struct str filler = buf_str(&server->filler);

    if (target->kind == WEB_PAGE)
        traits = web_traits(&server->web, target->host, target->n);
    if ((traits.flaky || traits.limited) && is_first_time(server, target)) {
        http_reply_set_error(&reply->http, traits.flaky ? 503 : 429, scratch);
        if (traits.limited)
            reply->http.headers = STR("Retry-After: 1\r\n");
        return;
    }
    if (traits.slow)
        reply->delay_us = server->web.options.slow_ms * 1000;
    reply->http.type = STR("text/html; charset=utf-8");
    if (traits.gzip && takes_gzip(request)) {
        buf_clear(&server->plain);
        web_put_page(&server->web, target, filler, &server->plain);
        encode(server->encoder, STR("gzip"), buf_str(&server->plain), scratch);
        reply->http.headers = STR("Content-Encoding: gzip\r\n");
    } else {
        web_put_page(&server->web, target, filler, scratch);
    }
    reply_set_body(reply, buf_str(scratch));
}

static void answer_redirect(struct web_server *server,
                            const struct web_target *target,
                            struct buf *scratch, struct reply *reply)
{
    static const unsigned statuses[] = {301, 302, 303, 307, 308};
    struct web_target to = web_redirect(&server->web, target);

    buf_clear(&server->plain);
    if (to.host == target->host && to.n % 2)
        web_put_path(&server->web, &to, &server->plain);
    else
        web_put_url(&server->web, &to, &server->plain);
    reply_set_redirect(reply, statuses[target->n % ARRAY_LEN(statuses)],
                       buf_str(&server->plain), scratch);
}

static void answer_file(struct web_server *server,
                        const struct web_target *target,
                        const struct http_request *request, struct buf *scratch,
                        struct reply *reply)
{
    enum { FILE_SIZE = 2000 };
    static const struct {
        struct str type, magic;
    } kinds[] = {
        {STR_INIT("application/pdf"), STR_INIT("%PDF-1.4\n")},
        {STR_INIT("image/png"), STR_INIT("\x89PNG\r\n\x1a\n")},
        {STR_INIT("application/zip"), STR_INIT("PK\x03\x04")},
    };

    (void)target;
    reply->http.type = files_type(request->path);
    for (size_t i = 0; i < ARRAY_LEN(kinds); i++)
        if (str_eq(kinds[i].type, reply->http.type))
            buf_put(scratch, kinds[i].magic);
    buf_put(scratch, str_first(buf_str(&server->filler), FILE_SIZE));
    reply_set_body(reply, buf_str(scratch));
}

static void answer_robots(struct web_server *server, uint32_t host,
                          struct buf *scratch, struct reply *reply)
{
    unsigned section = 0;
    bool has_none = web_key(&server->web, FOR_RULES, host, 1) % 2;

    if (has_none && web_rules(&server->web, host, &section) == WEB_NO_RULES) {
        http_reply_set_error(&reply->http, 404, scratch);
        return;
    }
    reply->http.type = STR("text/plain");
    web_put_robots(&server->web, host, scratch);
    reply_set_body(reply, buf_str(scratch));
}

static bool answer(void *self, const struct http_request *request,
                   struct buf *scratch, struct reply *reply)
{
    struct web_server *server = self;
    uint32_t host = 0;

    if (!web_find_host(&server->web, request->host, &host))
        return false;

    struct web_target target = web_find(&server->web, host, request->target);
    switch (target.kind) {
    case WEB_NOTHING:
    case WEB_BROKEN:
        http_reply_set_error(&reply->http, 404, scratch);
        break;
    case WEB_ERROR:
        http_reply_set_error(&reply->http, 500, scratch);
        break;
    case WEB_REDIRECT:
        answer_redirect(server, &target, scratch, reply);
        break;
    case WEB_FILE:
        answer_file(server, &target, request, scratch, reply);
        break;
    case WEB_ROBOTS:
        answer_robots(server, host, scratch, reply);
        break;
    case WEB_PAGE:
    case WEB_CALENDAR:
    case WEB_GROWING:
    case WEB_SESSION:
        answer_page(server, &target, request, scratch, reply);
        break;
    }
    return true;
}

static void free_web(void *self)
{
    struct web_server *server = self;

    web_release(&server->web);
    buf_release(&server->filler);
    buf_release(&server->plain);
    encoder_free(server->encoder);
    hashtable_release(&server->asked);
    free(server);
}

bool web_source(const struct web_options *options, struct source *source,
                const char **problem)
{
    struct web_server *server = NEW(struct web_server);

    if (!web_init(&server->web, options, problem)) {
        free(server);
        return false;
    }
    make_filler(server);
    buf_init(&server->plain, MAX_PAGE);
    server->encoder = encoder_new();
    hashtable_init(&server->asked);
    *source =
        (struct source){.answer = answer, .free = free_web, .self = server};
    return true;
}
