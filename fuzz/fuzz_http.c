/* Whole answers: a pagefetcher, and a server on loopback that sends the input
 * and closes. The first byte chooses the kind of page that is asked for. What
 * libcurl makes of it is judged by page/transfer_end.c.
 *
 * One thread plays both sides, so that the same input does the same again. */
#include "fuzz.h"

#include <arpa/inet.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/socket.h>
#include <unistd.h>

#include "page/bodies.h"
#include "page/pagefetcher.h"
#include "page/pagescanner.h"

enum { BODY_MAX = 256 * 1024, UNWANTED_MAX = 64 * 1024 };

struct stage {
    struct fetch_options options;
    struct body_budget budget;
    struct trusted_origins origins;
    struct pagefetcher *fetcher;
    struct webpage page;
    char url[64];
    int listener;
};

static uint16_t listen_on_loopback(int *fd)
{
    struct sockaddr_in address = {
        .sin_family = AF_INET,
        .sin_addr.s_addr = htonl(INADDR_LOOPBACK),
    };
    socklen_t len = sizeof(address);

    *fd = socket(AF_INET, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
    if (*fd < 0 || bind(*fd, (struct sockaddr *)&address, len) ||
        listen(*fd, 16) || getsockname(*fd, (struct sockaddr *)&address, &len))
        abort();
    return ntohs(address.sin_port);
}

static struct stage *stage_new(void)
{
    static struct stage stage;

    if (stage.fetcher)
        return &stage;
    snprintf(stage.url, sizeof(stage.url), "http://127.0.0.1:%u/",
             listen_on_loopback(&stage.listener));
    body_budget_init(&stage.budget, BODY_MAX);
    stage.options = (struct fetch_options){
        .user_agent = "fuzz",
        .timeout_ms = 8000,
        .max_size = BODY_MAX,
        .keep_connections = 0,
        .allow_private = true,
        .robots_agent = STR("fuzz"),
        .wishes = WISH_REQUEST_HEAD | WISH_RESPONSE_HEAD | WISH_PEER |
                  WISH_EVERY_BODY,
        .origins = &stage.origins,
        .body_budget = &stage.budget,
    };
    origins_init(&stage.origins);
    if (!pagefetcher_setup())
        abort();
    stage.fetcher = pagefetcher_new(&stage.options);
    webpage_init(&stage.page);
    return &stage;
}

/* To whoever has connected: the whole answer, and the end of it. */
static int answer(const struct stage *stage, struct str bytes)
{
    int fd = accept4(stage->listener, NULL, NULL, SOCK_CLOEXEC | SOCK_NONBLOCK);

    if (fd < 0)
        return -1;
    if (bytes.len)
        send(fd, bytes.ptr, bytes.len, MSG_NOSIGNAL);
    shutdown(fd, SHUT_WR);
    return fd;
}

/* With a reset: else the ports of a million connections would all be waiting
 * for their last packets. */
static void hang_up(int fd)
{
    struct linger at_once = {.l_onoff = 1};

    if (fd < 0)
        return;
    setsockopt(fd, SOL_SOCKET, SO_LINGER, &at_once, sizeof(at_once));
    close(fd);
}

/* From a status line to an empty line, or nothing. */
static void check_head(struct str head)
{
    assert(!head.len || str_starts_nocase(head, STR("HTTP/")));
    assert(!head.len || str_ends(head, STR("\n")));
    size_t at = head.len ? head.len - 1 : 0;
    while (at && head.ptr[at - 1] == '\r')
        at--;
    assert(!at || head.ptr[at - 1] == '\n');
}

static void check_end(const struct webpage *page, size_t cap)
{
    const struct exchange *exchange = &page->exchange;

    assert((unsigned)page->outcome < OUTCOMES);
    assert(page->outcome == exchange->outcome);
    assert(page->outcome != TIMED_OUT && page->outcome != ABANDONED);
    assert(exchange->body.len <= cap);
    assert(exchange->body_as_sent.len <= cap ||
           exchange->body_as_sent.len <= UNWANTED_MAX);
    assert(exchange->body_len == exchange->body.len);
    assert((exchange->status == 0) == (exchange->end == RESPONSE_NONE));
    assert(exchange->status == 200 || !exchange->body.len);
    assert(exchange->status || !exchange->response_head.len);
    assert(exchange->end != RESPONSE_WHOLE || exchange->response_head.len);
    check_head(exchange->response_head);
    assert(str_starts(exchange->request_head, STR("GET / HTTP/1.1\r\n")));
    assert(memchr(exchange->mime, 0, sizeof(exchange->mime)));
    assert(memchr(exchange->charset_label, 0, sizeof(exchange->charset_label)));
    assert(exchange->location.len <= URL_LEN_MAX);
    assert(page->outcome != FETCHED || exchange->status == 200);
    assert(page->outcome != FETCHED || page->kind != WEBPAGE_HTML ||
           exchange->body.len);
    assert((page->outcome == REDIRECTED) <= (exchange->location.len > 0));
    assert(exchange->retry_after_ms <= 3600 * 1000);
}

/* What is done with a page afterwards. */
static void use(struct webpage *page)
{
    const struct scan_options scan = {.robots_agent = STR("fuzz")};

    if (page->outcome == REDIRECTED)
        pagescanner_follow(page, &scan);
    else if (page->outcome == FETCHED && page->kind == WEBPAGE_SITEMAP)
        pagescanner_sitemap(page, &scan);
    else if (page->outcome == FETCHED)
        pagescanner_scan(page, &scan);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static const enum webpage_kind kinds[] = {WEBPAGE_HTML, WEBPAGE_HTML,
                                              WEBPAGE_ROBOTS, WEBPAGE_SITEMAP};
    static const size_t caps[] = {BODY_MAX, BODY_MAX, 500 * 1024, 50 << 20};
    struct stage *stage = stage_new();
    struct webpage *done = NULL, *page = &stage->page;
    int served = -1;

    if (!size)
        return 0;
    unsigned kind = data[0] & 3;
    webpage_ask(page, str_of(stage->url), 0, true);
    page->kind = kinds[kind];
    pagefetcher_start(stage->fetcher, page);
    while (!(done = pagefetcher_take(stage->fetcher))) {
        if (served < 0)
            served = answer(stage, fuzz_input(data + 1, size - 1));
        pagefetcher_wait(stage->fetcher, served < 0 ? 0 : 10);
    }
    assert(done == page);
    check_end(page, caps[kind]);
    use(page);
    pagefetcher_give_back(stage->fetcher, page);
    hang_up(served);
    return 0;
}
