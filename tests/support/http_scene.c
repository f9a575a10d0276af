#include "support/http_scene.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <sys/socket.h>
#include <unistd.h>

#include <cmocka.h>

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

    if (!exchange->user) {
        scene->answered++;
        exchange->user = calloc(1, 1);
    }
    reply->type = STR("");
    buf_put(&exchange->scratch, path);
    reply->body = buf_str(&exchange->scratch);
    if (str_eq(path, STR("/echo")))
        reply->body = exchange->request.body;
    if (str_eq(path, STR("/large")))
        reply->body = scene->large;
    if (str_eq(path, STR("/late")))
        reply->not_before_us = now_us + SECOND_US;
    if (str_eq(path, STR("/again"))) {
        char *times = exchange->user;
        reply->status = 503;
        reply->again_us = ++*times < 3 ? now_us + SECOND_US : 0;
    }
    if (str_eq(path, STR("/none")))
        reply->status = 204;
    if (str_eq(path, STR("/file"))) {
        reply->body = STR("-");
        reply->file_fd = scene->file_fd;
        reply->file_from = scene->file_from;
        reply->file_len = scene->file_len;
    }
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
    scene->last_error = exchange->error;
    scene->last_sent = exchange->body_sent;
    free(exchange->user);
}

void scene_open(struct scene *scene)
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

void scene_close(struct scene *scene)
{
    http_conn_release(&scene->conn);
    close(scene->client);
    buf_release(&scene->got);
    assert_int_equal(scene->answered + (scene->last_error != HTTP_NO_ERROR),
                     scene->ended);
}

void scene_run(struct scene *scene)
{
    scene->conn.readable = true;
    http_conn_run(&scene->conn, scene->now_us);
}

void scene_run_after(struct scene *scene, uint64_t us)
{
    scene->now_us += us;
    scene_run(scene);
}

void scene_say(struct scene *scene, const char *text)
{
    assert_int_equal(strlen(text),
                     send(scene->client, text, strlen(text), MSG_NOSIGNAL));
}

void scene_take(struct scene *scene)
{
    char bytes[65536];
    ssize_t n;

    while ((n = recv(scene->client, bytes, sizeof(bytes), 0)) > 0)
        assert_true(buf_put(&scene->got, (struct str){bytes, (size_t)n}));
    scene->at_end = n == 0;
}

bool scene_has(const struct scene *scene, const char *text)
{
    return scene->got.len &&
           memmem(scene->got.ptr, scene->got.len, text, strlen(text));
}

void scene_expect(struct scene *scene, const char *text)
{
    scene_take(scene);
    if (!str_eq(str_of(text), buf_str(&scene->got)))
        fail_msg("expected '%s', got '%.*s'", text, (int)scene->got.len,
                 scene->got.ptr);
    buf_clear(&scene->got);
}
