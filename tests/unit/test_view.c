/* The view as a whole, without a crawl: a crawler thread that has fallen
 * silent, and orders that nobody takes. The rest is in tests/cli/view*.bats. */
#include "view/view_internal.h"

#include <fcntl.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include <cmocka.h>

#include "base/clock.h"

struct stage {
    char dir[32], listen[64];
    int dir_fd;
    struct view *view;
};

/* A view whose thread does not run. */
static void open_view(struct stage *stage)
{
    const char *problem;

    *stage = (struct stage){.dir = "/tmp/test_view.XXXXXX"};
    assert_non_null(mkdtemp(stage->dir));
    snprintf(stage->listen, sizeof(stage->listen), "unix:%s/s", stage->dir);
    stage->dir_fd = open(stage->dir, O_RDONLY | O_DIRECTORY);
    assert_true(stage->dir_fd >= 0);
    const struct view_options options = {
        .facts = {.directory = "pages", .version = "1"},
        .listen = stage->listen,
        .dir_fd = stage->dir_fd,
        .has_control = true,
    };
    stage->view = view_new(&options, &problem);
    assert_non_null(stage->view);
}

static void begin(struct stage *stage)
{
    open_view(stage);
    assert_true(view_run(stage->view));
}

static void end(struct stage *stage)
{
    view_free(stage->view);
    close(stage->dir_fd);
    rmdir(stage->dir);
}

static void post(struct stage *stage, uint64_t mono_ms)
{
    struct view_snapshot *snapshot = view_begin(stage->view);

    snapshot->mono_ms = mono_ms;
    view_post(stage->view, snapshot);
}

/* Send a request to a socket in the directory; the connection. */
static int ask(const struct stage *stage, const char *socket_name,
               const char *method, const char *path, const char *body)
{
    struct sockaddr_un address = {.sun_family = AF_UNIX};
    char text[1024];
    int fd = socket(AF_UNIX, SOCK_STREAM, 0);

    snprintf(address.sun_path, sizeof(address.sun_path), "%s/%s", stage->dir,
             socket_name);
    assert_int_equal(connect(fd, (struct sockaddr *)&address, sizeof(address)),
                     0);
    int len =
        snprintf(text, sizeof(text),
                 "%s %s HTTP/1.0\r\nHost: localhost\r\n"
                 "Authorization: Bearer %s\r\n"
                 "Content-Type: application/json\r\n"
                 "Content-Length: %zu\r\n\r\n%s",
                 method, path, view_token(stage->view), strlen(body), body);
    assert_int_equal(write(fd, text, (size_t)len), len);
    return fd;
}

/* The status of the answer, when all of it has come. */
static int status_of(int fd)
{
    char text[4096] = "";
    size_t len = 0;
    ssize_t n;

    while (len + 1 < sizeof(text) &&
           (n = read(fd, text + len, sizeof(text) - 1 - len)) > 0)
        len += (size_t)n;
    close(fd);
    return len >= 12 ? atoi(text + strlen("HTTP/1.1 ")) : 0;
}

/* Ask until the answer is this one: the thread may be about to answer with the
 * snapshot before. */
static void expect_health(const struct stage *stage, int status)
{
    int got = 0;

    for (int tries = 0; tries < 10000 && got != status; tries++)
        got = status_of(ask(stage, "s", "GET", "/healthz", ""));
    assert_int_equal(got, status);
}

static void test_is_ill_when_the_crawler_thread_is_silent(void **state)
{
    struct stage stage;
    (void)state;

    begin(&stage);
    expect_health(&stage, 200);
    post(&stage, clock_mono_ms() - 31 * 1000);
    expect_health(&stage, 503);
    post(&stage, clock_mono_ms());
    expect_health(&stage, 200);
    end(&stage);
}

/* The control socket has places for readers when --listen has none left, but no
 * further order can wait. */
static void test_refuses_orders_beyond_its_places(void **state)
{
    static const char pause[] = "{\"order\":\"pause\"}";
    struct stage stage;
    struct view_order order;
    size_t slot[VIEW_ORDERS_MAX];
    int fd[VIEW_ORDERS_MAX];
    (void)state;

    begin(&stage);
    for (size_t i = 0; i < VIEW_ORDERS_MAX; i++) {
        fd[i] = ask(&stage, "s", "POST", "/control", pause);
        while (!view_take_order(stage.view, &slot[i], &order))
            usleep(1000);
        assert_int_equal(order.kind, ORDER_PAUSE);
    }
    assert_int_equal(
        status_of(ask(&stage, VIEW_SOCKET, "POST", "/control", pause)), 503);
    /* One that is answered makes room. */
    view_answer(stage.view, slot[3], true, 1, "done");
    assert_int_equal(status_of(fd[3]), 200);
    fd[3] = ask(&stage, VIEW_SOCKET, "POST", "/control", pause);
    while (!view_take_order(stage.view, &slot[3], &order))
        usleep(1000);
    for (size_t i = 0; i < VIEW_ORDERS_MAX; i++)
        view_answer(stage.view, slot[i], i != 5, 1, "done");
    for (size_t i = 0; i < VIEW_ORDERS_MAX; i++)
        assert_int_equal(status_of(fd[i]), 200);
    end(&stage);
}

/* --- a crawler thread that says nothing, with a clock that is turned by hand -
 */

enum { START_US = 77 * 1000 * 1000, PATIENCE_US = 20 * 1000 * 1000 };

/* A request to the control socket. */
struct asked {
    struct view_place *place;
    struct http_exchange exchange;
};

static void ask_at_start(struct asked *asked, const struct stage *stage,
                         const char *text)
{
    static const struct http_request_limits limits = {.max_head = 8192,
                                                      .max_body = 4096};

    *asked = (struct asked){.place = &stage->view->place[PLACE_CONTROL]};
    buf_init(&asked->exchange.scratch, 1 << 20);
    http_reply_init(&asked->exchange.reply);
    assert_int_equal(
        http_request_parse(str_of(text), &limits, &asked->exchange.request),
        HTTP_DONE);
    view_answer_request(asked->place, &asked->exchange, START_US);
}

/* As a connection asks again when it is time. */
static void ask_again(struct asked *asked, uint64_t now_us)
{
    buf_clear(&asked->exchange.scratch);
    http_reply_init(&asked->exchange.reply);
    view_answer_request(asked->place, &asked->exchange, now_us);
}

static void expect_error(const struct asked *asked, const char *error)
{
    const struct http_reply *reply = &asked->exchange.reply;

    assert_int_equal(reply->again_us, 0);
    assert_int_equal(reply->status, 503);
    assert_true(str_eq(reply->type, STR("application/json")));
    if (!str_eq(reply->body, str_of(error)))
        fail_msg("'%.*s' is not '%s'", STR_ARGS(reply->body), error);
}

static void end_asked(struct asked *asked)
{
    view_end_request(asked->place, &asked->exchange);
    buf_release(&asked->exchange.scratch);
}

#define GET(path) "GET " path " HTTP/1.1\r\nHost: localhost\r\n\r\n"
#define PAUSE                                                                  \
    "POST /control HTTP/1.1\r\nHost: localhost\r\n"                            \
    "Content-Type: application/json\r\nContent-Length: 17\r\n\r\n"             \
    "{\"order\":\"pause\"}"
#define BUSY_FIGURES                                                           \
    "{\"ok\":false,\"error\":\"the crawl is busy and has no figures yet\"}\n"
#define BUSY_ORDER                                                             \
    "{\"ok\":false,\"error\":\"the crawl is busy and has not answered "        \
    "yet\"}\n"
#define ENDED "{\"ok\":false,\"error\":\"the crawl has ended\"}\n"

static const struct {
    const char *request, *when_busy;
} questions[] = {
    {GET("/status.json"), BUSY_FIGURES},  {GET("/hosts.json"), BUSY_FIGURES},
    {GET("/errors.json"), BUSY_FIGURES},  {GET("/pages.jsonl"), BUSY_FIGURES},
    {GET("/history.json"), BUSY_FIGURES}, {GET("/screen.txt"), BUSY_FIGURES},
    {GET("/metrics"), BUSY_FIGURES},      {PAUSE, BUSY_ORDER},
};

static void test_without_anything_to_tell_it_is_unavailable(void **state)
{
    struct stage stage;
    struct asked asked;
    (void)state;

    open_view(&stage);
    for (size_t i = 0; i < ARRAY_LEN(questions); i++) {
        ask_at_start(&asked, &stage, questions[i].request);
        assert_true(asked.exchange.reply.again_us > START_US);
        ask_again(&asked, START_US + PATIENCE_US - 1);
        assert_true(asked.exchange.reply.again_us > START_US);
        ask_again(&asked, START_US + PATIENCE_US);
        expect_error(&asked, questions[i].when_busy);
        end_asked(&asked);
    }
    /* The order was withdrawn. */
    struct view_order order;
    size_t slot;
    assert_false(view_take_order(stage.view, &slot, &order));
    stage.view->is_over = true;
    for (size_t i = 0; i < ARRAY_LEN(questions); i++) {
        ask_at_start(&asked, &stage, questions[i].request);
        expect_error(&asked, ENDED);
        end_asked(&asked);
    }
    assert_int_equal(stage.view->readers, 0);
    end(&stage);
}

/* An old snapshot is better than none: `at_ms` tells of when it is. */
static void test_old_figures_are_told_when_no_others_come(void **state)
{
    struct stage stage;
    struct asked asked;
    (void)state;

    open_view(&stage);
    stage.view->now = view_snapshot_new();
    stage.view->now->at_ms = 7;
    stage.view->turn = 2;
    ask_at_start(&asked, &stage, GET("/hosts.json"));
    assert_true(asked.exchange.reply.again_us > START_US);
    ask_again(&asked, START_US + PATIENCE_US);
    assert_int_equal(asked.exchange.reply.again_us, 0);
    assert_int_equal(asked.exchange.reply.status, 200);
    assert_true(str_starts(asked.exchange.reply.body, STR("{\"at_ms\":7,")));
    end_asked(&asked);
    end(&stage);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_is_ill_when_the_crawler_thread_is_silent),
        cmocka_unit_test(test_refuses_orders_beyond_its_places),
        cmocka_unit_test(test_without_anything_to_tell_it_is_unavailable),
        cmocka_unit_test(test_old_figures_are_told_when_no_others_come),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
