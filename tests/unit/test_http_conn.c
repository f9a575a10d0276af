/* A connection of http/ over a pair of sockets, with a clock that the test
 * turns by hand. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/socket.h>
#include <unistd.h>

#include <cmocka.h>

#include "http/conn.h"

enum { SECOND_US = 1000 * 1000, START_US = 77 * SECOND_US };

/* A server with one client, and what its handler saw. */
struct scene {
    struct http_service service;
    struct http_conn conn;
    int client;
    uint64_t now_us;
    struct buf got; /* what the client has read */
    bool at_end;    /* ... and then the end */

    unsigned answered, ended, complete, sendings;
    enum http_error last_error;
    uint64_t last_sent;
    struct str large; /* the body of /large */
    unsigned pieces;  /* that a stream has given */
    uint64_t stream_wake_us;
    enum http_pull stream_end;
};

static enum http_pull pull(void *self, uint64_t now_us,
                           struct http_piece *piece)
{
    struct scene *scene = self;

    if (scene->pieces == 3)
        return scene->stream_end;
    if (now_us < scene->stream_wake_us) {
        piece->wake_us = scene->stream_wake_us;
        return HTTP_PULL_WAIT;
    }
    scene->pieces++;
    piece->bytes = STR("abcd");
    scene->stream_wake_us = now_us + SECOND_US;
    return HTTP_PULL_BYTES;
}

static void answer(void *self, struct http_exchange *exchange, uint64_t now_us)
{
    struct scene *scene = self;
    struct str path = exchange->request.path;
    struct http_reply *reply = &exchange->reply;

    scene->answered++;
    exchange->user = malloc(1);
    reply->type = STR("");
    buf_put(&exchange->scratch, path);
    reply->body = buf_str(&exchange->scratch);
    if (str_eq(path, STR("/echo")))
        reply->body = exchange->request.body;
    if (str_eq(path, STR("/large")))
        reply->body = scene->large;
    if (str_eq(path, STR("/late")))
        reply->not_before_us = now_us + SECOND_US;
    if (str_eq(path, STR("/none")))
        reply->status = 204;
    if (str_starts(path, STR("/stream"))) {
        reply->stream = (struct http_stream){pull, scene, 12};
        if (str_eq(path, STR("/stream-chunked")))
            reply->framing = HTTP_CHUNKED;
        if (str_eq(path, STR("/stream-open")))
            reply->stream.len = HTTP_LEN_UNKNOWN;
        if (str_eq(path, STR("/stream-long")))
            reply->stream.len = 10;
        if (str_eq(path, STR("/stream-short")))
            reply->stream.len = 20;
    }
}

static void sending(void *self, struct http_exchange *exchange)
{
    struct scene *scene = self;

    (void)exchange;
    scene->sendings++;
}

static void ended(void *self, struct http_exchange *exchange)
{
    struct scene *scene = self;

    scene->ended++;
    scene->complete += exchange->complete;
    scene->last_error = exchange->error;
    scene->last_sent = exchange->body_sent;
    free(exchange->user);
}

static void open_scene(struct scene *scene)
{
    int pair[2];

    *scene = (struct scene){.now_us = START_US, .stream_end = HTTP_PULL_END};
    scene->service = (struct http_service){
        .limits =
            {
                .request = {.max_head = 1000, .max_body = 100000},
                .max_scratch = 1000,
                .idle_us = 10 * SECOND_US,
                .request_us = 5 * SECOND_US,
                .stall_us = 3 * SECOND_US,
            },
        .handler =
            {
                .self = scene,
                .answer = answer,
                .sending = sending,
                .ended = ended,
            },
    };
    assert_int_equal(0,
                     socketpair(AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK, 0, pair));
    scene->client = pair[1];
    buf_init(&scene->got, 1 << 24);
    http_conn_init(&scene->conn, pair[0], 1, STR("test"), &scene->service,
                   scene->now_us);
}

static void close_scene(struct scene *scene)
{
    http_conn_release(&scene->conn);
    close(scene->client);
    buf_release(&scene->got);
    assert_int_equal(scene->answered + (scene->last_error != HTTP_NO_ERROR),
                     scene->ended);
}

static void run(struct scene *scene)
{
    scene->conn.readable = true;
    http_conn_run(&scene->conn, scene->now_us);
}

static void run_after(struct scene *scene, uint64_t us)
{
    scene->now_us += us;
    run(scene);
}

static void say(struct scene *scene, const char *text)
{
    assert_int_equal(strlen(text),
                     send(scene->client, text, strlen(text), MSG_NOSIGNAL));
}

static void take(struct scene *scene)
{
    char bytes[65536];
    ssize_t n;

    while ((n = recv(scene->client, bytes, sizeof(bytes), 0)) > 0)
        assert_true(buf_put(&scene->got, (struct str){bytes, (size_t)n}));
    scene->at_end = n == 0;
}

static bool has(const struct scene *scene, const char *text)
{
    return scene->got.len &&
           memmem(scene->got.ptr, scene->got.len, text, strlen(text));
}

static void expect(struct scene *scene, const char *text)
{
    take(scene);
    if (!str_eq(str_of(text), buf_str(&scene->got)))
        fail_msg("expected '%s', got '%.*s'", text, (int)scene->got.len,
                 scene->got.ptr);
    buf_clear(&scene->got);
}

#define GET(path) "GET " path " HTTP/1.1\r\nHost: a\r\n\r\n"

static void keep_alive(void **state)
{
    struct scene scene;

    (void)state;
    open_scene(&scene);
    for (int i = 0; i < 3; i++) {
        say(&scene, GET("/a"));
        run(&scene);
        expect(&scene, "HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\n/a");
        assert_int_equal(HTTP_CONN_READING, scene.conn.state);
    }
    assert_int_equal(3, scene.complete);
    assert_int_equal(2, scene.last_sent);
    say(&scene, "GET /b HTTP/1.0\r\n\r\n");
    run(&scene);
    expect(&scene, "HTTP/1.1 200 OK\r\nContent-Length: 2\r\n"
                   "Connection: close\r\n\r\n/b");
    assert_true(scene.at_end);
    assert_int_equal(HTTP_CONN_DRAINING, scene.conn.state);
    run_after(&scene, SECOND_US - 1);
    assert_int_equal(HTTP_CONN_DRAINING, scene.conn.state);
    run_after(&scene, 1);
    assert_int_equal(HTTP_CONN_OVER, scene.conn.state);
    close_scene(&scene);
}

static void pipelining(void **state)
{
    struct scene scene;

    (void)state;
    open_scene(&scene);
    say(&scene, GET("/a") GET("/b") "HEAD /c HTTP/1.1\r\nHost: a\r\n\r\n"
                                    "POST /echo HTTP/1.1\r\nHost: a\r\n"
                                    "Content-Length: 3\r\n\r\nabcGET /no");
    run(&scene);
    expect(&scene, "HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\n/a"
                   "HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\n/b"
                   "HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\n"
                   "HTTP/1.1 200 OK\r\nContent-Length: 3\r\n\r\nabc");
    say(&scene, "ne HTTP/1.1\r\nHost: a\r\n\r\n");
    run(&scene);
    expect(&scene, "HTTP/1.1 204 No Content\r\n\r\n");
    close_scene(&scene);
}

/* A client that has sent very many requests does not keep out the others. */
static void takes_turns(void **state)
{
    enum { MANY = 300 };
    struct scene scene;

    (void)state;
    open_scene(&scene);
    for (int i = 0; i < MANY; i++)
        buf_put(&scene.got, STR(GET("/a")));
    say(&scene, buf_cstr(&scene.got));
    run(&scene);
    assert_true(scene.answered < MANY);
    for (int i = 0; i < MANY && scene.answered < MANY; i++) {
        take(&scene);
        assert_true(scene.conn.wake_us > scene.now_us);
        scene.now_us = scene.conn.wake_us;
        http_conn_run(&scene.conn, scene.now_us);
    }
    assert_int_equal(MANY, scene.answered);
    close_scene(&scene);
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

        open_scene(&scene);
        say(&scene, rows[i].text);
        say(&scene, GET("/never"));
        run(&scene);
        take(&scene);
        if (!str_starts(buf_str(&scene.got), str_of(rows[i].status)))
            fail_msg("%s: %.*s", rows[i].text, (int)scene.got.len,
                     scene.got.ptr);
        assert_true(has(&scene, "Connection: close\r\n"));
        assert_true(scene.at_end);
        assert_int_equal(0, scene.answered);
        assert_int_equal(1, scene.ended);
        assert_int_equal(rows[i].error, scene.last_error);
        close_scene(&scene);
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
    open_scene(&scene);
    scene.service.handler.refuse = say_nothing;
    say(&scene, "nonsense\r\n");
    run(&scene);
    expect(&scene, "");
    run_after(&scene, SECOND_US);
    expect(&scene, "HTTP/1.1 400 Bad Request\r\nContent-Type: text/html\r\n"
                   "Content-Length: 2\r\nConnection: close\r\n\r\nno");
    close_scene(&scene);
}

static void head_too_large(void **state)
{
    struct scene scene;

    (void)state;
    open_scene(&scene);
    say(&scene, "GET / HTTP/1.1\r\nX: ");
    for (int i = 0; i < 2000; i++) {
        say(&scene, "x");
        run(&scene);
    }
    take(&scene);
    assert_true(str_starts(buf_str(&scene.got), STR("HTTP/1.1 431 ")));
    assert_true(scene.conn.in.len <= 1000);
    close_scene(&scene);
}

/* A head that comes byte by byte has five seconds from its first byte. */
static void slow_head(void **state)
{
    struct scene scene;

    (void)state;
    open_scene(&scene);
    run_after(&scene, 9 * SECOND_US);
    assert_int_equal(HTTP_CONN_READING, scene.conn.state);
    for (int i = 0; i < 5; i++) {
        say(&scene, "G");
        run(&scene);
        assert_int_equal(START_US + 14 * SECOND_US, scene.conn.wake_us);
        scene.now_us += SECOND_US;
    }
    run(&scene);
    take(&scene);
    assert_true(str_starts(buf_str(&scene.got),
                           STR("HTTP/1.1 408 Request Timeout\r\n")));
    assert_true(scene.at_end);
    assert_int_equal(HTTP_TOO_SLOW, scene.last_error);
    close_scene(&scene);
}

static void slow_body(void **state)
{
    struct scene scene;

    (void)state;
    open_scene(&scene);
    say(&scene, "POST / HTTP/1.0\r\nContent-Length: 9\r\n\r\n1234");
    run(&scene);
    run_after(&scene, 5 * SECOND_US - 1);
    assert_int_equal(HTTP_CONN_READING, scene.conn.state);
    run_after(&scene, 1);
    assert_int_equal(HTTP_TOO_SLOW, scene.last_error);
    close_scene(&scene);
}

/* Without a request the connection is closed without an answer. */
static void idle(void **state)
{
    struct scene scene;

    (void)state;
    open_scene(&scene);
    say(&scene, GET("/a"));
    run_after(&scene, 9 * SECOND_US);
    buf_clear(&scene.got);
    run_after(&scene, 10 * SECOND_US - 1);
    assert_int_equal(HTTP_CONN_READING, scene.conn.state);
    run_after(&scene, 1);
    assert_int_equal(HTTP_CONN_OVER, scene.conn.state);
    assert_int_equal(1, scene.ended);
    close_scene(&scene);
}

static void client_leaves(void **state)
{
    struct scene scene;

    (void)state;
    open_scene(&scene);
    say(&scene, "GET / HT");
    run(&scene);
    shutdown(scene.client, SHUT_WR);
    run(&scene);
    assert_int_equal(HTTP_CONN_OVER, scene.conn.state);
    assert_int_equal(0, scene.ended);
    close_scene(&scene);
}

/* A client that asks and does not read: cut after three seconds without
 * progress, not before. */
static void reader_does_not_read(void **state)
{
    struct scene scene;
    char *bytes = calloc(1, 4 << 20);

    (void)state;
    open_scene(&scene);
    scene.large = (struct str){bytes, 4 << 20};
    say(&scene, GET("/large"));
    run(&scene);
    assert_int_equal(HTTP_CONN_SENDING, scene.conn.state);
    assert_int_equal(scene.now_us + 3 * SECOND_US, scene.conn.wake_us);

    run_after(&scene, 2 * SECOND_US);
    take(&scene);
    run(&scene); /* progress: it has time again */
    run_after(&scene, 3 * SECOND_US - 1);
    assert_int_equal(HTTP_CONN_SENDING, scene.conn.state);
    run_after(&scene, 1);
    assert_int_equal(HTTP_CONN_OVER, scene.conn.state);
    assert_int_equal(1, scene.ended);
    assert_int_equal(0, scene.complete);
    assert_true(scene.last_sent > 0 && scene.last_sent < 4 << 20);
    assert_true(scene.conn.staged.room < 100000);
    close_scene(&scene);
    free(bytes);
}

static void large_is_whole(void **state)
{
    struct scene scene;
    char *bytes = malloc(4 << 20);

    (void)state;
    for (size_t i = 0; i < 4 << 20; i++)
        bytes[i] = (char)(i * 7 / 3);
    open_scene(&scene);
    scene.large = (struct str){bytes, 4 << 20};
    say(&scene, GET("/large"));
    for (int i = 0; i < 10000 && !scene.ended; i++) {
        run(&scene);
        take(&scene);
    }
    assert_int_equal(1, scene.complete);
    assert_int_equal(4 << 20, scene.last_sent);
    assert_true(str_ends(buf_str(&scene.got), scene.large));
    close_scene(&scene);
    free(bytes);
}

static void delayed(void **state)
{
    struct scene scene;

    (void)state;
    open_scene(&scene);
    say(&scene, GET("/late"));
    run(&scene);
    assert_int_equal(HTTP_CONN_DELAYED, scene.conn.state);
    assert_int_equal(scene.now_us + SECOND_US, scene.conn.wake_us);
    run_after(&scene, SECOND_US - 1);
    expect(&scene, "");
    assert_int_equal(0, scene.sendings);
    run_after(&scene, 1);
    expect(&scene, "HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\n/late");
    assert_int_equal(1, scene.sendings);

    say(&scene, GET("/late"));
    run(&scene);
    close_scene(&scene); /* the exchange ends, not complete */
    assert_int_equal(2, scene.ended);
    assert_int_equal(1, scene.complete);
}

static void streams(void **state)
{
    static const struct {
        const char *path;
        enum http_pull end;
        const char *expected; /* after the status line, and after all pauses */
        bool closes, complete;
    } rows[] = {
        {"/stream", HTTP_PULL_END, "Content-Length: 12\r\n\r\nabcdabcdabcd",
         false, true},
        {"/stream-chunked", HTTP_PULL_END,
         "Transfer-Encoding: chunked\r\n\r\n"
         "4\r\nabcd\r\n4\r\nabcd\r\n4\r\nabcd\r\n0\r\n\r\n",
         false, true},
        {"/stream-open", HTTP_PULL_END, "Connection: close\r\n\r\nabcdabcdabcd",
         true, true},
        {"/stream-long", HTTP_PULL_END, "Content-Length: 10\r\n\r\nabcdabcdab",
         false, true},
        {"/stream-short", HTTP_PULL_END,
         "Content-Length: 20\r\n\r\nabcdabcdabcd", true, false},
        {"/stream", HTTP_PULL_CUT, "Content-Length: 12\r\n\r\nabcdabcdabcd",
         true, false},
        {"/stream-chunked", HTTP_PULL_RESET,
         "Transfer-Encoding: chunked\r\n\r\n"
         "4\r\nabcd\r\n4\r\nabcd\r\n4\r\nabcd\r\n",
         true, false},
    };

    (void)state;
    for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
        struct scene scene;
        char text[200];

        open_scene(&scene);
        scene.stream_end = rows[i].end;
        snprintf(text, sizeof(text), "GET %s HTTP/1.1\r\nHost: a\r\n\r\n",
                 rows[i].path);
        say(&scene, text);
        run(&scene);
        assert_int_equal(1, scene.pieces);
        assert_int_equal(scene.now_us + SECOND_US, scene.conn.wake_us);
        run_after(&scene, SECOND_US);
        run_after(&scene, SECOND_US);
        snprintf(text, sizeof(text), "HTTP/1.1 200 OK\r\n%s", rows[i].expected);
        expect(&scene, text);
        assert_int_equal(1, scene.ended);
        assert_int_equal(rows[i].complete, scene.complete);
        assert_int_equal(rows[i].closes, scene.conn.state != HTTP_CONN_READING);
        close_scene(&scene);
    }
}

/* A client of HTTP/1.0 knows no chunks. */
static void chunks_for_1_0(void **state)
{
    struct scene scene;

    (void)state;
    open_scene(&scene);
    say(&scene, "GET /stream-chunked HTTP/1.0\r\n"
                "Connection: keep-alive\r\n\r\n");
    run(&scene);
    run_after(&scene, SECOND_US);
    run_after(&scene, SECOND_US);
    expect(&scene, "HTTP/1.1 200 OK\r\nConnection: close\r\n\r\nabcdabcdabcd");
    assert_true(scene.at_end);
    close_scene(&scene);
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
        cmocka_unit_test(reader_does_not_read),
        cmocka_unit_test(large_is_whole),
        cmocka_unit_test(delayed),
        cmocka_unit_test(streams),
        cmocka_unit_test(chunks_for_1_0),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
