/* The view as a whole, without a crawl: a crawler thread that has fallen
 * silent, and orders that nobody takes. The rest is in tests/cli/view*.bats. */
#include "view/view.h"

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

static void begin(struct stage *stage)
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

/* The status of the answer, when all of it has come: the head comes before the
 * crawler thread has said anything. */
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

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_is_ill_when_the_crawler_thread_is_silent),
        cmocka_unit_test(test_refuses_orders_beyond_its_places),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
