/* The truth about the synthetic web, held against a naive crawl of what it
 * really serves. That crawl shares no code with the truth: it reads HTML,
 * robots.txt and Location headers. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#include <cmocka.h>

#include "base/hashtable.h"
#include "base/mem.h"
#include "support/small_web.h"
#include "testserver/truth.h"

enum { MAX_URLS = 20000, MAX_URL = 2000 };

struct found {
    struct str url;
    uint32_t depth;
    bool saved, visited;
};

struct crawl {
    struct source source;
    const struct truth_options *options;
    struct str start;
    struct arena arena;
    struct buf scratch, text, url;
    struct hashtable known;
    struct found *queue[MAX_URLS];
    size_t count;
};

struct parts {
    struct str host, path;
};

static struct parts parts_of(struct str url)
{
    assert_true(str_starts(url, STR("http://")));
    url = str_skip(url, 7);
    size_t len = str_find(url, '/');
    return (struct parts){str_first(url, len), str_skip(url, len)};
}

static struct reply fetch(struct crawl *crawl, struct str url)
{
    static const struct http_request_limits limits = {.max_head = 64 * 1024};
    struct parts parts = parts_of(url);
    struct http_request request;
    struct reply reply;

    buf_clear(&crawl->text);
    buf_printf(&crawl->text, "GET %.*s HTTP/1.1\r\nHost: %.*s\r\n\r\n",
               (int)parts.path.len, parts.path.ptr, (int)parts.host.len,
               parts.host.ptr);
    assert_int_equal(HTTP_DONE, http_request_parse(buf_str(&crawl->text),
                                                   &limits, &request));
    buf_clear(&crawl->scratch);
    reply_init(&reply);
    assert_true(crawl->source.answer(crawl->source.self, &request,
                                     &crawl->scratch, &reply));
    return reply;
}

/* RFC 9309's patterns. */
static bool matches(const char *pattern, const char *path)
{
    if (!*pattern)
        return true;
    if (!strcmp(pattern, "$"))
        return !*path;
    if (*pattern == '*')
        return matches(pattern + 1, path) ||
               (*path && matches(pattern, path + 1));
    return *path == *pattern && matches(pattern + 1, path + 1);
}

static bool robots_allow(struct crawl *crawl, struct str url)
{
    struct parts parts = parts_of(url);
    char robots[200], path[MAX_URL], rule[100];
    size_t longest = 0;
    bool allowed = true;

    snprintf(robots, sizeof(robots), "http://%.*s/robots.txt",
             (int)parts.host.len, parts.host.ptr);
    snprintf(path, sizeof(path), "%.*s", (int)parts.path.len, parts.path.ptr);
    struct reply reply = fetch(crawl, str_of(robots));
    struct str rest = reply.http.status == 200 ? reply.http.body : STR("");
    while (rest.len) {
        struct str_pair lines = str_cut(rest, '\n');
        struct str_pair line = str_cut(lines.head, ':');
        struct str value = str_trim(line.tail);

        rest = lines.tail;
        snprintf(rule, sizeof(rule), "%.*s", (int)value.len, value.ptr);
        bool allow = str_eq(line.head, STR("Allow"));
        if ((!allow && !str_eq(line.head, STR("Disallow"))) || !value.len)
            continue;
        if (value.len > longest && matches(rule, path)) {
            longest = value.len;
            allowed = allow;
        }
    }
    return allowed;
}

static struct str domain_of(struct str host)
{
    struct str_pair labels = str_cut(host, '.');

    return str_find(labels.tail, '.') < labels.tail.len ? labels.tail : host;
}

static bool in_scope(const struct crawl *crawl, struct str url)
{
    struct str host = parts_of(url).host, first = parts_of(crawl->start).host;
    size_t len = str_find(crawl->start, '?');

    switch (crawl->options->scope) {
    case SCOPE_ANY:
        return true;
    case SCOPE_DOMAIN:
        return str_eq(domain_of(host), domain_of(first));
    case SCOPE_HOST:
        return str_eq(host, first);
    case SCOPE_PREFIX:
        while (len && crawl->start.ptr[len - 1] != '/')
            len--;
        return str_starts(url, str_first(crawl->start, len));
    }
    return false;
}

static void offer(struct crawl *crawl, struct str url, uint32_t depth)
{
    uint64_t key = hash64(url, 7);
    struct found *found = hashtable_get(&crawl->known, key);

    if (!in_scope(crawl, url) || (found && found->depth <= depth))
        return;
    if (!found) {
        found = arena_new(&crawl->arena, sizeof(*found));
        found->url = arena_copy(&crawl->arena, url);
        hashtable_put(&crawl->known, key, found);
    }
    found->depth = depth;
    assert_true(crawl->count < MAX_URLS);
    crawl->queue[crawl->count++] = found;
}

/* The reference as a URL, in crawl->url. */
static struct str resolve(struct crawl *crawl, struct str base, struct str ref)
{
    struct str host = parts_of(base).host;
    struct str dir = str_first(base, str_find(base, '?'));
    struct buf *out = &crawl->url;

    ref = str_first(ref, str_find(ref, '#'));
    buf_clear(out);
    if (str_starts(ref, STR("http://"))) {
        buf_put(out, ref);
        return buf_str(out);
    }
    buf_put(out, STR("http:"));
    if (str_starts(ref, STR("//"))) {
        buf_put(out, ref);
        return buf_str(out);
    }
    buf_put(out, STR("//"));
    buf_put(out, host);
    if (str_starts(ref, STR("/"))) {
        buf_put(out, ref);
        return buf_str(out);
    }
    buf_clear(out);
    while (dir.ptr[dir.len - 1] != '/')
        dir.len--;
    while (str_starts(ref, STR("../"))) {
        ref = str_skip(ref, 3);
        do
            dir.len--;
        while (dir.ptr[dir.len - 1] != '/');
    }
    buf_put(out, dir);
    buf_put(out, ref);
    return buf_str(out);
}

static bool has(struct str html, const char *text)
{
    return memmem(html.ptr, html.len, text, strlen(text)) != NULL;
}

static void follow(struct crawl *crawl, const struct found *page,
                   struct str html)
{
    for (;;) {
        const char *at = memmem(html.ptr, html.len, "<a href=\"", 9);
        if (!at)
            return;
        html = str_between(at + 9, html.ptr + html.len);
        struct str tag = str_first(html, str_find(html, '>'));
        struct str href = str_first(tag, str_find(tag, '"'));
        if (!has(tag, "rel=\"nofollow\""))
            offer(crawl, resolve(crawl, page->url, href), page->depth + 1);
    }
}

static void visit(struct crawl *crawl, struct found *page)
{
    page->visited = true;
    if (!crawl->options->ignore_robots && !robots_allow(crawl, page->url))
        return;
    struct reply reply = fetch(crawl, page->url);
    if (reply.http.status == 503 || reply.http.status == 429)
        reply = fetch(crawl, page->url);
    if (reply.http.status / 100 == 3) {
        struct str where = str_trim(str_cut(reply.http.headers, ':').tail);
        offer(crawl, resolve(crawl, page->url, where), page->depth);
        return;
    }
    if (reply.http.status != 200 ||
        !str_starts(reply.http.type, STR("text/html")))
        return;

    /* The links' pages are fetched into the same scratch. */
    struct str html = arena_copy(&crawl->arena, reply.http.body);
    page->saved = !has(html, "content=\"noindex\"");
    if (page->depth < crawl->options->depth)
        follow(crawl, page, html);
}

/* One depth after the other; the queue is small enough to be searched. */
static void run(struct crawl *crawl)
{
    for (uint32_t depth = 0;; depth++) {
        bool deeper = false;

        for (size_t i = 0; i < crawl->count; i++) {
            struct found *page = crawl->queue[i];
            if (!page->visited && page->depth == depth)
                visit(crawl, page);
            deeper = deeper || page->depth > depth;
        }
        if (!deeper)
            return;
    }
}

struct comparison {
    struct crawl *crawl;
    size_t listed;
    uint64_t last_depth;
};

static void compare(void *context, uint64_t depth, struct str url,
                    const char *kind)
{
    struct comparison *comparison = context;
    struct found *found =
        hashtable_get(&comparison->crawl->known, hash64(url, 7));

    if (!found || !found->saved)
        fail_msg("%.*s: expected (%s), not found by the crawl", (int)url.len,
                 url.ptr, kind);
    if (found->depth != depth)
        fail_msg("%.*s: expected depth %u, got %u", (int)url.len, url.ptr,
                 (unsigned)depth, found->depth);
    assert_true(depth >= comparison->last_depth);
    comparison->last_depth = depth;
    comparison->listed++;
}

static void check_truth(const struct web_options *web_options,
                        struct truth_options *options, const char *start,
                        size_t at_least)
{
    struct web web;
    const char *problem = NULL;
    struct crawl *crawl = calloc(1, sizeof(*crawl));
    struct comparison comparison = {.crawl = crawl};
    size_t saved = 0, at = 0;
    struct found *found;

    init_web(&web, web_options);
    assert_true(web_source(web_options, &crawl->source, &problem));
    assert_true(truth_parse_url(&web, str_of(start), &options->start[0]));
    options->start_count = 1;
    crawl->options = options;
    crawl->start = str_of(start);
    arena_init(&crawl->arena);
    hashtable_init(&crawl->known);
    buf_init(&crawl->scratch, 1 << 24);
    buf_init(&crawl->text, 1 << 16);
    buf_init(&crawl->url, 1 << 16);

    offer(crawl, crawl->start, 0);
    run(crawl);
    truth(&web, options, compare, &comparison);
    while ((found = hashtable_next(&crawl->known, &at)))
        saved += found->saved;
    assert_int_equal(comparison.listed, saved);
    assert_true(saved >= at_least);

    crawl->source.free(crawl->source.self);
    hashtable_release(&crawl->known);
    arena_release(&crawl->arena);
    buf_release(&crawl->scratch);
    buf_release(&crawl->text);
    buf_release(&crawl->url);
    web_release(&web);
    free(crawl);
}

static void truth_is_what_is_served(void **state)
{
    static const struct {
        const char *seed, *start;
        enum truth_scope scope;
        uint64_t depth;
        bool ignore_robots, traps;
        size_t at_least; /* pages, so that the row means something */
    } rows[] = {
        {"a", "http://d0.example/", SCOPE_ANY, UINT64_MAX, true, false, 1200},
        {"a", "http://d0.example/", SCOPE_ANY, UINT64_MAX, false, false, 900},
        {"b", "http://d0.example/", SCOPE_ANY, 3, false, false, 100},
        {"c", "http://d0.example/", SCOPE_ANY, 9, false, true, 900},
        {"c", "http://d0.example/", SCOPE_ANY, 0, false, false, 1},
        {"d", "http://h4.d3.example/", SCOPE_DOMAIN, UINT64_MAX, true, false,
         100},
        {"d", "http://h4.d3.example/", SCOPE_HOST, UINT64_MAX, true, false, 40},
        {"e", "http://d1.example/", SCOPE_HOST, 30, true, true, 90},
        {"f", "http://d0.example/", SCOPE_PREFIX, UINT64_MAX, true, false, 200},
        {"a", "http://d0.example/s5/p1.html", SCOPE_PREFIX, UINT64_MAX, true,
         false, 1},
    };

    (void)state;
    for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
        struct web_options web_options = small_web(rows[i].seed);
        struct truth_options options = {
            .scope = rows[i].scope,
            .depth = rows[i].depth,
            .ignore_robots = rows[i].ignore_robots,
        };
        struct web web;
        char start[MAX_URL];

        web_options.traps = rows[i].traps ? WEB_ALL / 2 : 0;
        snprintf(start, sizeof(start), "%s", rows[i].start);
        if (strstr(start, "p1.html")) { /* however page 1 is spelled */
            struct buf url;
            init_web(&web, &web_options);
            buf_init(&url, sizeof(start) - 1);
            web_put_url(&web, &(struct web_target){.kind = WEB_PAGE, .n = 1},
                        &url);
            snprintf(start, sizeof(start), "%s", buf_cstr(&url));
            buf_release(&url);
            web_release(&web);
        }
        check_truth(&web_options, &options, start, rows[i].at_least);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(truth_is_what_is_served),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
