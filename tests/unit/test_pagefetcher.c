/* A pagefetcher and a server on loopback, both played by one thread. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <netinet/in.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "page/bodies.h"
#include "page/pagefetcher.h"

enum { BODY_MAX = 64 * 1024, WAIT_MS = 10 };

struct stage {
    struct fetch_options options;
    struct body_budget budget;
    struct named named;
    struct pagefetcher *fetcher;
    struct webpage page;
    char url[64];
    int listener, server;
};

static void stage_init(struct stage *stage)
{
    struct sockaddr_in address = {.sin_family = AF_INET};
    socklen_t len = sizeof(address);

    memset(stage, 0, sizeof(*stage));
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    stage->listener = socket(AF_INET, SOCK_STREAM | SOCK_NONBLOCK, 0);
    assert_int_equal(bind(stage->listener, (struct sockaddr *)&address, len),
                     0);
    assert_int_equal(listen(stage->listener, 1), 0);
    getsockname(stage->listener, (struct sockaddr *)&address, &len);
    snprintf(stage->url, sizeof(stage->url), "http://127.0.0.1:%u/",
             ntohs(address.sin_port));

    body_budget_init(&stage->budget, BODY_MAX);
    named_init(&stage->named);
    stage->options = (struct fetch_options){
        .user_agent = "test",
        .timeout_ms = 60 * 1000,
        .max_size = BODY_MAX,
        .connections = 8,
        .allow_private = true,
        .named = &stage->named,
        .body_budget = &stage->budget,
    };
    stage->fetcher = pagefetcher_new(&stage->options);
    webpage_init(&stage->page);
}

static void stage_release(struct stage *stage)
{
    close(stage->listener);
    pagefetcher_free(stage->fetcher);
    webpage_release(&stage->page);
    named_release(&stage->named);
    body_budget_release(&stage->budget);
}

static struct webpage *get_on(struct stage *stage)
{
    pagefetcher_wait(stage->fetcher, WAIT_MS);
    return pagefetcher_take(stage->fetcher);
}

static size_t unread(const struct stage *stage)
{
    char bytes[4096];
    ssize_t len = recv(stage->server, bytes, sizeof(bytes), MSG_DONTWAIT);

    return len > 0 ? (size_t)len : 0;
}

/* Asked for the page, by a connection that is open or a new one. */
static void ask(struct stage *stage, enum webpage_kind kind, bool anew)
{
    webpage_ask(&stage->page, str_of(stage->url), 0, true);
    stage->page.kind = kind;
    pagefetcher_start(stage->fetcher, &stage->page);
    if (anew)
        stage->server = -1;
    while (stage->server < 0) {
        assert_null(get_on(stage));
        stage->server = accept(stage->listener, NULL, NULL);
    }
    while (!unread(stage))
        assert_null(get_on(stage));
}

static void serve(struct stage *stage, const char *text)
{
    assert_int_equal(send(stage->server, text, strlen(text), MSG_NOSIGNAL),
                     (ssize_t)strlen(text));
}

static void finish_as(struct stage *stage, enum outcome outcome)
{
    struct webpage *page;

    while (!(page = get_on(stage)))
        ;
    assert_int_equal(page->outcome, outcome);
    pagefetcher_give_back(stage->fetcher, page);
}

/* As the mind does when libcurl is busy with what this server sends. */
static void cut_it(struct stage *stage)
{
    pagefetcher_mark(stage->fetcher);
    serve(stage, "<p>more");
    assert_null(get_on(stage));
    pagefetcher_cut_busiest(stage->fetcher);
}

static void expect_cut(enum webpage_kind kind, const char *head)
{
    struct stage stage;

    stage_init(&stage);
    ask(&stage, kind, true);
    serve(&stage, head);
    serve(&stage, "<p>text");
    assert_null(get_on(&stage));
    cut_it(&stage);
    finish_as(&stage, BAD_HTTP);
    close(stage.server);
    stage_release(&stage);
}

/* Its end looks like that of a page which ends where the connection does. */
static void a_page_that_was_cut_is_not_whole(void **state)
{
    static const char to_the_end[] =
        "HTTP/1.1 200 OK\r\nContent-Type: text/html\r\n\r\n";

    (void)state;
    expect_cut(WEBPAGE_HTML, to_the_end);
    expect_cut(WEBPAGE_ROBOTS, to_the_end);
    expect_cut(WEBPAGE_SITEMAP, to_the_end);
    expect_cut(WEBPAGE_HTML, "HTTP/1.1 200 OK\r\nContent-Type: text/html\r\n"
                             "Content-Length: 1000\r\n\r\n");
}

static void one_that_ends_with_the_connection_is_whole(void **state)
{
    struct stage stage;

    (void)state;
    stage_init(&stage);
    ask(&stage, WEBPAGE_HTML, true);
    serve(&stage, "HTTP/1.1 200 OK\r\nContent-Type: text/html\r\n\r\n<p>text");
    close(stage.server);
    finish_as(&stage, FETCHED);
    stage_release(&stage);
}

/* A connection that was cut is none of the next page's business. */
static void the_pages_before_and_after_are_whole(void **state)
{
    static const char whole[] = "HTTP/1.1 200 OK\r\nContent-Type: text/html\r\n"
                                "Content-Length: 7\r\n\r\n<p>text";
    struct stage stage;

    (void)state;
    stage_init(&stage);
    ask(&stage, WEBPAGE_HTML, true);
    serve(&stage, whole);
    finish_as(&stage, FETCHED);
    ask(&stage, WEBPAGE_HTML, false);
    serve(&stage, "HTTP/1.1 200 OK\r\nContent-Type: text/html\r\n\r\n");
    cut_it(&stage);
    finish_as(&stage, BAD_HTTP);
    close(stage.server);
    ask(&stage, WEBPAGE_HTML, true);
    serve(&stage, "HTTP/1.1 200 OK\r\nContent-Type: text/html\r\n\r\n<p>text");
    close(stage.server);
    finish_as(&stage, FETCHED);
    stage_release(&stage);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_page_that_was_cut_is_not_whole),
        cmocka_unit_test(one_that_ends_with_the_connection_is_whole),
        cmocka_unit_test(the_pages_before_and_after_are_whole),
    };

    if (!pagefetcher_setup())
        return 1;
    int failed = cmocka_run_group_tests(tests, NULL, NULL);
    pagefetcher_teardown();
    return failed;
}
