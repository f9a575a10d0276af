/* A connection of http/: reading requests, their order, and limits of time. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/socket.h>

#include <cmocka.h>

#include "support/http_scene.h"

static void keep_alive(void **state)
{
    struct scene scene;

    (void)state;
    scene_open(&scene);
    for (int i = 0; i < 3; i++) {
        scene_say(&scene, GET("/a"));
        scene_run(&scene);
        scene_expect(&scene, "HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\n/a");
        assert_int_equal(HTTP_CONN_READING, scene.conn.state);
    }
    assert_int_equal(3, scene.ended);
    assert_int_equal(2, scene.last_sent);
    scene_say(&scene, "GET /b HTTP/1.0\r\n\r\n");
    scene_run(&scene);
    scene_expect(&scene, "HTTP/1.1 200 OK\r\nContent-Length: 2\r\n"
                         "Connection: close\r\n\r\n/b");
    assert_true(scene.at_end);
    assert_int_equal(HTTP_CONN_DRAINING, scene.conn.state);
    scene_run_after(&scene, SECOND_US - 1);
    assert_int_equal(HTTP_CONN_DRAINING, scene.conn.state);
    scene_run_after(&scene, 1);
    assert_int_equal(HTTP_CONN_OVER, scene.conn.state);
    scene_close(&scene);
}

static void pipelining(void **state)
{
    struct scene scene;

    (void)state;
    scene_open(&scene);
    scene_say(&scene,
              GET("/a") GET("/b") "HEAD /c HTTP/1.1\r\nHost: a\r\n\r\n"
                                  "POST /echo HTTP/1.1\r\nHost: a\r\n"
                                  "Content-Length: 3\r\n\r\nabcGET /no");
    scene_run(&scene);
    scene_expect(&scene, "HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\n/a"
                         "HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\n/b"
                         "HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\n"
                         "HTTP/1.1 200 OK\r\nContent-Length: 3\r\n\r\nabc");
    scene_say(&scene, "ne HTTP/1.1\r\nHost: a\r\n\r\n");
    scene_run(&scene);
    scene_expect(&scene, "HTTP/1.1 204 No Content\r\n\r\n");
    scene_close(&scene);
}

/* A client that has sent very many requests does not keep out the others. */
static void takes_turns(void **state)
{
    enum { MANY = 300 };
    struct scene scene;

    (void)state;
    scene_open(&scene);
    for (int i = 0; i < MANY; i++)
        buf_put(&scene.got, STR(GET("/a")));
    scene_say(&scene, buf_cstr(&scene.got));
    scene_run(&scene);
    assert_true(scene.answered < MANY);
    for (int i = 0; i < MANY && scene.answered < MANY; i++) {
        scene_take(&scene);
        assert_true(scene.conn.wake_us > scene.now_us);
        scene.now_us = scene.conn.wake_us;
        http_conn_run(&scene.conn, scene.now_us);
    }
    assert_int_equal(MANY, scene.answered);
    scene_close(&scene);
}

static void refused(void **state)
{
    static const struct {
        const char *text, *status;
        enum http_error error;
    } rows[] = {
        {"nonsense\r\n", "HTTP/1.1 400 Bad Request\r\n", HTTP_BAD_LINE},
        {"PUT / HTTP/1.1\r\n", "HTTP/1.1 501 Not Implemented\r\n",
         HTTP_UNKNOWN_METHOD},
        {"POST / HTTP/1.0\r\nContent-Length: 100001\r\n\r\n",
         "HTTP/1.1 413 Content Too Large\r\n", HTTP_BODY_TOO_LARGE},
    };

    (void)state;
    for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
        struct scene scene;

        scene_open(&scene);
        scene_say(&scene, rows[i].text);
        scene_say(&scene, GET("/never"));
        scene_run(&scene);
        scene_take(&scene);
        if (!str_starts(buf_str(&scene.got), str_of(rows[i].status)))
            fail_msg("%s: %.*s", rows[i].text, (int)scene.got.len,
                     scene.got.ptr);
        assert_true(scene_has(&scene, "Connection: close\r\n"));
        assert_true(scene.at_end);
        assert_int_equal(0, scene.answered);
        assert_int_equal(1, scene.ended);
        assert_int_equal(rows[i].error, scene.last_error);
        scene_close(&scene);
    }
}

static void say_nothing(void *self, struct http_exchange *exchange,
                        uint64_t now_us)
{
    (void)self;
    assert_int_equal(HTTP_BAD_LINE, exchange->error);
    assert_true(str_starts(exchange->request.all, STR("nonsense")));
    exchange->reply.not_before_us = now_us + SECOND_US;
    exchange->reply.body = STR("no");
}

static void handler_refuses(void **state)
{
    struct scene scene;

    (void)state;
    scene_open(&scene);
    scene.service.handler.refuse = say_nothing;
    scene_say(&scene, "nonsense\r\n");
    scene_run(&scene);
    scene_expect(&scene, "");
    scene_run_after(&scene, SECOND_US);
    scene_expect(&scene,
                 "HTTP/1.1 400 Bad Request\r\nContent-Type: text/html\r\n"
                 "Content-Length: 2\r\nConnection: close\r\n\r\nno");
    scene_close(&scene);
}

static void head_too_large(void **state)
{
    struct scene scene;

    (void)state;
    scene_open(&scene);
    scene_say(&scene, "GET / HTTP/1.1\r\nX: ");
    for (int i = 0; i < 2000; i++) {
        scene_say(&scene, "x");
        scene_run(&scene);
    }
    scene_take(&scene);
    assert_true(str_starts(buf_str(&scene.got), STR("HTTP/1.1 431 ")));
    assert_true(scene.conn.in.len <= 1000);
    scene_close(&scene);
}

/* A head that comes byte by byte has five seconds from its first byte. */
static void slow_head(void **state)
{
    struct scene scene;

    (void)state;
    scene_open(&scene);
    scene_run_after(&scene, 9 * SECOND_US);
    assert_int_equal(HTTP_CONN_READING, scene.conn.state);
    for (int i = 0; i < 5; i++) {
        scene_say(&scene, "G");
        scene_run(&scene);
        assert_int_equal(START_US + 14 * SECOND_US, scene.conn.wake_us);
        scene.now_us += SECOND_US;
    }
    scene_run(&scene);
    scene_take(&scene);
    assert_true(str_starts(buf_str(&scene.got),
                           STR("HTTP/1.1 408 Request Timeout\r\n")));
    assert_true(scene.at_end);
    assert_int_equal(HTTP_TOO_SLOW, scene.last_error);
    scene_close(&scene);
}

static void slow_body(void **state)
{
    struct scene scene;

    (void)state;
    scene_open(&scene);
    scene_say(&scene, "POST / HTTP/1.0\r\nContent-Length: 9\r\n\r\n1234");
    scene_run(&scene);
    scene_run_after(&scene, 5 * SECOND_US - 1);
    assert_int_equal(HTTP_CONN_READING, scene.conn.state);
    scene_run_after(&scene, 1);
    assert_int_equal(HTTP_TOO_SLOW, scene.last_error);
    scene_close(&scene);
}

/* Without a request the connection is closed without an answer. */
static void idle(void **state)
{
    struct scene scene;

    (void)state;
    scene_open(&scene);
    scene_say(&scene, GET("/a"));
    scene_run_after(&scene, 9 * SECOND_US);
    buf_clear(&scene.got);
    scene_run_after(&scene, 10 * SECOND_US - 1);
    assert_int_equal(HTTP_CONN_READING, scene.conn.state);
    scene_run_after(&scene, 1);
    assert_int_equal(HTTP_CONN_OVER, scene.conn.state);
    assert_int_equal(1, scene.ended);
    scene_close(&scene);
}

static void client_leaves(void **state)
{
    struct scene scene;

    (void)state;
    scene_open(&scene);
    scene_say(&scene, "GET / HT");
    scene_run(&scene);
    shutdown(scene.client, SHUT_WR);
    scene_run(&scene);
    assert_int_equal(HTTP_CONN_OVER, scene.conn.state);
    assert_int_equal(0, scene.ended);
    scene_close(&scene);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(keep_alive),
        cmocka_unit_test(pipelining),
        cmocka_unit_test(takes_turns),
        cmocka_unit_test(refused),
        cmocka_unit_test(handler_refuses),
        cmocka_unit_test(head_too_large),
        cmocka_unit_test(slow_head),
        cmocka_unit_test(slow_body),
        cmocka_unit_test(idle),
        cmocka_unit_test(client_leaves),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
