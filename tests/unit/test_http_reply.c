/* A connection of http/: sending replies, whatever the client and the handler
 * do meanwhile. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

#include <cmocka.h>

#include "support/http_scene.h"

/* A client that asks and does not read: cut after three seconds without
 * progress, not before. */
static void reader_does_not_read(void **state)
{
    struct scene scene;
    char *bytes = calloc(1, 4 << 20);

    (void)state;
    scene_open(&scene);
    scene.large = (struct str){bytes, 4 << 20};
    scene_say(&scene, GET("/large"));
    scene_run(&scene);
    assert_int_equal(HTTP_CONN_SENDING, scene.conn.state);
    assert_int_equal(scene.now_us + 3 * SECOND_US, scene.conn.wake_us);

    scene_run_after(&scene, 2 * SECOND_US);
    scene_take(&scene);
    scene_run(&scene); /* progress: it has time again */
    scene_run_after(&scene, 3 * SECOND_US - 1);
    assert_int_equal(HTTP_CONN_SENDING, scene.conn.state);
    scene_run_after(&scene, 1);
    assert_int_equal(HTTP_CONN_OVER, scene.conn.state);
    assert_int_equal(1, scene.ended);
    assert_true(scene.last_sent > 0 && scene.last_sent < 4 << 20);
    assert_true(scene.conn.staged.room < 100000);
    scene_close(&scene);
    free(bytes);
}

static void large_is_whole(void **state)
{
    struct scene scene;
    char *bytes = malloc(4 << 20);

    (void)state;
    for (size_t i = 0; i < 4 << 20; i++)
        bytes[i] = (char)(i * 7 / 3);
    scene_open(&scene);
    scene.large = (struct str){bytes, 4 << 20};
    scene_say(&scene, GET("/large"));
    for (int i = 0; i < 10000 && !scene.ended; i++) {
        scene_run(&scene);
        scene_take(&scene);
    }
    assert_int_equal(1, scene.ended);
    assert_int_equal(HTTP_CONN_READING, scene.conn.state);
    assert_int_equal(4 << 20, scene.last_sent);
    assert_true(str_ends(buf_str(&scene.got), scene.large));
    scene_close(&scene);
    free(bytes);
}

static void delayed(void **state)
{
    struct scene scene;

    (void)state;
    scene_open(&scene);
    scene_say(&scene, GET("/late"));
    scene_run(&scene);
    assert_int_equal(HTTP_CONN_DELAYED, scene.conn.state);
    assert_int_equal(scene.now_us + SECOND_US, scene.conn.wake_us);
    scene_run_after(&scene, SECOND_US - 1);
    scene_expect(&scene, "");
    assert_int_equal(0, scene.sendings);
    scene_run_after(&scene, 1);
    scene_expect(&scene, "HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\n/late");
    assert_int_equal(1, scene.sendings);

    scene_say(&scene, GET("/late"));
    scene_run(&scene);
    scene_close(&scene); /* the exchange ends, and nothing of it was sent */
    assert_int_equal(2, scene.ended);
    assert_int_equal(0, scene.last_sent);
    assert_int_equal(1, scene.sendings);
}

/* Nothing is sent before the handler has a reply, not even the status. */
static void asked_again(void **state)
{
    struct scene scene;

    (void)state;
    scene_open(&scene);
    scene_say(&scene, GET("/again") GET("/a"));
    scene_run(&scene);
    assert_int_equal(HTTP_CONN_DELAYED, scene.conn.state);
    assert_int_equal(scene.now_us + SECOND_US, scene.conn.wake_us);
    scene_run_after(&scene, SECOND_US);
    assert_int_equal(scene.now_us + SECOND_US, scene.conn.wake_us);
    scene_run_after(&scene, SECOND_US - 1);
    scene_expect(&scene, "");
    assert_int_equal(0, scene.sendings);
    scene_run_after(&scene, 1);
    scene_expect(&scene, "HTTP/1.1 503 Service Unavailable\r\n"
                         "Content-Length: 6\r\n\r\n/again"
                         "HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\n/a");
    assert_int_equal(2, scene.ended);

    scene_say(&scene, GET("/again"));
    scene_run(&scene);
    scene_close(&scene); /* the exchange ends without a reply */
    assert_int_equal(3, scene.ended);
}

static void streams(void **state)
{
    static const struct {
        const char *path;
        enum http_pull end;
        const char *expected; /* after the status line, and after all pauses */
        bool closes;
        enum http_body_end how;
    } rows[] = {
        {"/stream", HTTP_PULL_END, "Content-Length: 12\r\n\r\nabcdabcdabcd",
         false, HTTP_BODY_WHOLE},
        {"/stream-chunked", HTTP_PULL_END,
         "Transfer-Encoding: chunked\r\n\r\n"
         "4\r\nabcd\r\n4\r\nabcd\r\n4\r\nabcd\r\n0\r\n\r\n",
         false, HTTP_BODY_WHOLE},
        {"/stream-open", HTTP_PULL_END, "Connection: close\r\n\r\nabcdabcdabcd",
         true, HTTP_BODY_WHOLE},
        {"/stream-long", HTTP_PULL_END, "Content-Length: 10\r\n\r\nabcdabcdab",
         false, HTTP_BODY_WHOLE},
        {"/stream-short", HTTP_PULL_END,
         "Content-Length: 20\r\n\r\nabcdabcdabcd", true, HTTP_BODY_CUT},
        {"/stream", HTTP_PULL_CUT, "Content-Length: 12\r\n\r\nabcdabcdabcd",
         true, HTTP_BODY_CUT},
        {"/stream-chunked", HTTP_PULL_RESET,
         "Transfer-Encoding: chunked\r\n\r\n"
         "4\r\nabcd\r\n4\r\nabcd\r\n4\r\nabcd\r\n",
         true, HTTP_BODY_RESET},
    };

    (void)state;
    for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
        struct scene scene;
        char text[200];

        scene_open(&scene);
        scene.stream_end = rows[i].end;
        snprintf(text, sizeof(text), "GET %s HTTP/1.1\r\nHost: a\r\n\r\n",
                 rows[i].path);
        scene_say(&scene, text);
        scene_run(&scene);
        assert_int_equal(1, scene.pieces);
        assert_int_equal(scene.now_us + SECOND_US, scene.conn.wake_us);
        scene_run_after(&scene, SECOND_US);
        scene_run_after(&scene, SECOND_US);
        snprintf(text, sizeof(text), "HTTP/1.1 200 OK\r\n%s", rows[i].expected);
        scene_expect(&scene, text);
        assert_int_equal(1, scene.ended);
        assert_int_equal(rows[i].how, scene.conn.end);
        assert_int_equal(rows[i].closes, scene.conn.state != HTTP_CONN_READING);
        scene_close(&scene);
    }
}

/* A client of HTTP/1.0 knows no chunks. */
static void chunks_for_1_0(void **state)
{
    struct scene scene;

    (void)state;
    scene_open(&scene);
    scene_say(&scene, "GET /stream-chunked HTTP/1.0\r\n"
                      "Connection: keep-alive\r\n\r\n");
    scene_run(&scene);
    scene_run_after(&scene, SECOND_US);
    scene_run_after(&scene, SECOND_US);
    scene_expect(&scene,
                 "HTTP/1.1 200 OK\r\nConnection: close\r\n\r\nabcdabcdabcd");
    assert_true(scene.at_end);
    scene_close(&scene);
}

/* Four bytes from the middle of a file; and a file that is shorter than was
 * announced, which ends the connection. */
static void files(void **state)
{
    static const struct {
        uint64_t from, len;
        const char *expected;
        bool complete;
    } rows[] = {
        {0, 10, "HTTP/1.1 200 OK\r\nContent-Length: 11\r\n\r\n-0123456789",
         true},
        {3, 4, "HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\n-3456", true},
        {8, 4, "HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\n-89", false},
    };

    (void)state;
    for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
        struct scene scene;

        scene_open(&scene);
        scene.file_fd = memfd_create("file", MFD_CLOEXEC);
        assert_int_equal(10, write(scene.file_fd, "0123456789", 10));
        scene.file_from = rows[i].from;
        scene.file_len = rows[i].len;
        scene_say(&scene, GET("/file"));
        scene_run(&scene);
        scene_expect(&scene, rows[i].expected);
        assert_int_equal(rows[i].complete ? HTTP_CONN_READING : HTTP_CONN_OVER,
                         scene.conn.state);
        scene_close(&scene);
    }
}

static void header_lines(void **state)
{
    struct buf out;

    (void)state;
    buf_init(&out, 20);
    assert_true(http_put_header(&out, STR("A"), STR("b c")));
    assert_false(http_put_header(&out, STR("A"), STR("b\r\nSet-Cookie: c")));
    assert_false(http_put_header(&out, STR("A\n"), STR("b")));
    assert_false(http_put_header(&out, STR("A"), STR("012345678901234567")));
    assert_true(str_eq(STR("A: b c\r\n"), buf_str(&out)));
    buf_release(&out);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(reader_does_not_read),
        cmocka_unit_test(large_is_whole),
        cmocka_unit_test(delayed),
        cmocka_unit_test(asked_again),
        cmocka_unit_test(streams),
        cmocka_unit_test(chunks_for_1_0),
        cmocka_unit_test(files),
        cmocka_unit_test(header_lines),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
