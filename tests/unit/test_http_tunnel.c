/* A connection of http/ after a CONNECT: its bytes go through a transport. The
 * one here turns every letter round, so that no byte can pass it by. */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <sys/socket.h>

#include <cmocka.h>

#include "support/http_scene.h"

#define CONNECT "CONNECT a:443 HTTP/1.1\r\nHost: a:443\r\n\r\n"
#define OPENED  "HTTP/1.1 200 OK\r\n\r\n"

enum { TURN = 1, PIECE = 1000 };

struct turned {
    int fd;
    bool refuses;  /* the tunnel cannot be opened */
    bool is_stuck; /* it can do nothing before the socket is writable */
    unsigned finished, released;
    struct scene scene;
    void (*answer)(void *self, struct http_exchange *exchange, uint64_t now_us);
};

static ssize_t stuck(void)
{
    errno = EAGAIN;
    return -1;
}

static void turn(char *bytes, size_t len)
{
    for (size_t i = 0; i < len; i++)
        bytes[i] ^= TURN;
}

/* Few bytes at a time, as a transport of records gives. */
static ssize_t receive(void *self, void *to, size_t room)
{
    struct turned *turned = self;

    if (turned->is_stuck)
        return stuck();
    ssize_t n = recv(turned->fd, to, room < 7 ? room : 7, 0);
    if (n > 0)
        turn(to, (size_t)n);
    return n;
}

static ssize_t give(void *self, const void *from, size_t len)
{
    struct turned *turned = self;
    char bytes[PIECE];

    len = len < PIECE ? len : PIECE;
    memcpy(bytes, from, len);
    turn(bytes, len);
    return send(turned->fd, bytes, len, MSG_NOSIGNAL);
}

static void finish(void *self)
{
    struct turned *turned = self;

    turned->finished++;
}

static void release(void *self)
{
    struct turned *turned = self;

    turned->released++;
}

static bool open_tunnel(void *self, const struct http_exchange *exchange,
                        int fd, struct http_transport *transport)
{
    struct turned *turned = self;

    assert_true(str_eq(exchange->request.authority, STR("a:443")));
    turned->fd = fd;
    *transport =
        (struct http_transport){turned, receive, give, NULL, finish, release};
    return !turned->refuses;
}

static void answer(void *self, struct http_exchange *exchange, uint64_t now_us)
{
    struct turned *turned = self;

    turned->answer(&turned->scene, exchange, now_us);
    exchange->reply.opens_tunnel =
        str_eq(exchange->request.method, STR("CONNECT"));
}

/* The scene's handler counts; `self` of all its functions is ours now. */
static void ended(void *self, struct http_exchange *exchange)
{
    struct turned *turned = self;

    turned->scene.ended++;
    free(exchange->user);
}

static void open_scene(struct turned *turned)
{
    struct scene *scene = &turned->scene;

    *turned = (struct turned){0};
    scene_open(scene);
    turned->answer = scene->service.handler.answer;
    scene->service.limits.request.takes_connect = true;
    scene->service.handler = (struct http_handler){
        .self = turned,
        .answer = answer,
        .open_tunnel = open_tunnel,
        .ended = ended,
    };
}

static void connect_through(struct turned *turned)
{
    open_scene(turned);
    scene_say(&turned->scene, CONNECT);
    scene_run(&turned->scene);
    scene_expect(&turned->scene, OPENED);
    assert_ptr_equal(turned, turned->scene.conn.exchange.tunnel);
    assert_int_equal(HTTP_CONN_READING, turned->scene.conn.state);
}

static void say(struct turned *turned, const char *text)
{
    char bytes[1000];
    size_t len = strlen(text);

    memcpy(bytes, text, len + 1);
    turn(bytes, len);
    scene_say(&turned->scene, bytes);
}

static void expect(struct turned *turned, const char *text)
{
    scene_take(&turned->scene);
    turn(turned->scene.got.ptr, turned->scene.got.len);
    scene_expect(&turned->scene, text);
}

static void requests_in_a_tunnel(void **state)
{
    struct turned turned;

    (void)state;
    connect_through(&turned);
    for (int i = 0; i < 2; i++) {
        say(&turned, GET("/a"));
        http_conn_ready(&turned.scene.conn, true);
        http_conn_run(&turned.scene.conn, turned.scene.now_us);
        expect(&turned, "HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\n/a");
    }
    say(&turned, "GET /b HTTP/1.0\r\n\r\n");
    scene_run(&turned.scene);
    expect(&turned, "HTTP/1.1 200 OK\r\nContent-Length: 2\r\n"
                    "Connection: close\r\n\r\n/b");
    assert_int_equal(1, turned.finished);
    assert_int_equal(HTTP_CONN_DRAINING, turned.scene.conn.state);
    scene_close(&turned.scene);
    assert_int_equal(1, turned.released);
    assert_int_equal(4, turned.scene.ended);
}

/* More than the kernel takes at once. */
static void large_reply(void **state)
{
    enum { LEN = 3 << 20 };
    struct turned turned;
    char *large = malloc(LEN);

    (void)state;
    memset(large, 'x', LEN);
    connect_through(&turned);
    turned.scene.large = (struct str){large, LEN};
    say(&turned, GET("/large"));
    scene_run(&turned.scene);
    assert_int_equal(HTTP_CONN_SENDING, turned.scene.conn.state);
    while (turned.scene.conn.state == HTTP_CONN_SENDING) {
        scene_take(&turned.scene);
        scene_run_after(&turned.scene, 1);
    }
    scene_take(&turned.scene);
    assert_true(turned.scene.got.len > LEN);
    turn(turned.scene.got.ptr, turned.scene.got.len);
    assert_memory_equal(turned.scene.got.ptr + turned.scene.got.len - LEN,
                        large, LEN);
    free(large);
    scene_close(&turned.scene);
}

/* A transport may wait for the socket to be writable in order to read. */
static void reading_waits_for_writing(void **state)
{
    struct turned turned;

    (void)state;
    connect_through(&turned);
    turned.is_stuck = true;
    say(&turned, GET("/a"));
    scene_run(&turned.scene);
    expect(&turned, "");
    turned.is_stuck = false;
    http_conn_ready(&turned.scene.conn, false);
    http_conn_run(&turned.scene.conn, turned.scene.now_us);
    expect(&turned, "HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\n/a");
    scene_close(&turned.scene);
}

/* The limits of time hold before the first byte of a request has come. */
static void silence_in_a_tunnel(void **state)
{
    struct turned turned;

    (void)state;
    connect_through(&turned);
    scene_run_after(&turned.scene, 10 * SECOND_US - 1);
    assert_int_equal(HTTP_CONN_READING, turned.scene.conn.state);
    scene_run_after(&turned.scene, 1);
    assert_int_equal(HTTP_CONN_OVER, turned.scene.conn.state);
    scene_close(&turned.scene);
    assert_int_equal(1, turned.released);
}

/* HTTP/1.0 closes after a reply, but not a tunnel. */
static void connect_of_http_1_0(void **state)
{
    struct turned turned;

    (void)state;
    open_scene(&turned);
    scene_say(&turned.scene, "CONNECT a:443 HTTP/1.0\r\n\r\n");
    scene_run(&turned.scene);
    scene_expect(&turned.scene, OPENED);
    assert_int_equal(HTTP_CONN_READING, turned.scene.conn.state);
    scene_close(&turned.scene);
}

/* No tunnel: the handler cannot, the client did not wait, or is in one. */
static void refused_tunnels(void **state)
{
    struct turned turned;

    (void)state;
    open_scene(&turned);
    turned.refuses = true;
    scene_say(&turned.scene, CONNECT);
    scene_run(&turned.scene);
    assert_int_equal(HTTP_CONN_DRAINING, turned.scene.conn.state);
    scene_close(&turned.scene);

    open_scene(&turned);
    scene_say(&turned.scene, CONNECT "\x16");
    scene_run(&turned.scene);
    assert_int_equal(HTTP_CONN_DRAINING, turned.scene.conn.state);
    assert_null(turned.scene.conn.exchange.tunnel);
    scene_close(&turned.scene);

    connect_through(&turned);
    say(&turned, CONNECT);
    scene_run(&turned.scene);
    assert_int_equal(HTTP_CONN_DRAINING, turned.scene.conn.state);
    scene_close(&turned.scene);
    assert_int_equal(1, turned.released);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(requests_in_a_tunnel),
        cmocka_unit_test(large_reply),
        cmocka_unit_test(reading_waits_for_writing),
        cmocka_unit_test(silence_in_a_tunnel),
        cmocka_unit_test(connect_of_http_1_0),
        cmocka_unit_test(refused_tunnels),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
