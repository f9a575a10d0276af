/* The server of http/ with real sockets: where it listens, how many it lets
 * in, and that one client does not hold up another. */
#include <errno.h>
#include <fcntl.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>

#include "base/clock.h"
#include "http/server.h"

enum { MAX_CONNECTIONS = 3, PATIENCE_US = 60 * 1000 * 1000 };

static void answer(void *self, struct http_exchange *exchange, uint64_t now_us)
{
    (void)self;
    (void)now_us;
    exchange->reply.body = exchange->local_addr;
}

static const struct http_service service = {
    .limits = {.request = {.max_head = 1000, .max_body = 1000},
               .max_scratch = 1000,
               .max_connections = MAX_CONNECTIONS},
    .handler = {.answer = answer},
};

static struct http_server *start(const char *where)
{
    const char *problem = NULL;
    struct http_server *server = http_server_new(&service);

    assert_non_null(server);
    if (!http_server_listen(server, str_of(where), &problem))
        fail_msg("%s: %s", where, problem);
    return server;
}

static int connect_to(struct str text)
{
    struct http_address address;
    const char *problem = NULL;

    assert_true(http_address_parse(text, &address, &problem));
    int fd = socket(address.any.sa_family, SOCK_STREAM, 0);
    assert_true(fd >= 0);
    assert_int_equal(0, connect(fd, &address.any,
                                address.any.sa_family == AF_UNIX
                                    ? sizeof(address.local)
                                    : sizeof(address.v4)));
    assert_int_equal(0, fcntl(fd, F_SETFL, O_NONBLOCK));
    return fd;
}

/* Serve until the client has bytes or the end; how many bytes. */
static ssize_t receive(struct http_server *server, int client, char *bytes,
                       size_t room)
{
    uint64_t until_us = clock_mono_us() + PATIENCE_US;

    while (clock_mono_us() < until_us) {
        http_server_step(server, clock_mono_us() + 1000);
        ssize_t n = recv(client, bytes, room, 0);
        if (n >= 0 || errno != EAGAIN)
            return n < 0 ? 0 : n;
    }
    fail_msg("no answer came");
    return -1;
}

static void say(int client, struct str text)
{
    assert_int_equal(text.len, send(client, text.ptr, text.len, MSG_NOSIGNAL));
}

static void check_answer(struct http_server *server, struct str address)
{
    char bytes[1000];
    int client = connect_to(address);

    http_server_step(server, 0);
    say(client, STR("GET / HTTP/1.1\r\nHost: a\r\n\r\n"));
    ssize_t n = receive(server, client, bytes, sizeof(bytes));
    struct str got = {bytes, (size_t)n};
    assert_true(str_starts(got, STR("HTTP/1.1 200 OK\r\n")));
    assert_true(str_ends(got, address));
    close(client);
}

static void loopback(void **state)
{
    struct http_server *server = start("127.0.0.1:0");
    const char *problem = NULL;

    (void)state;
    assert_true(http_server_listen(server, STR("127.9.8.7:0"), &problem));
    check_answer(server, http_server_address(server, 0));
    check_answer(server, http_server_address(server, 1));
    assert_int_equal(0, http_server_address(server, 2).len);
    /* An address in use is an error, not the end. */
    assert_false(
        http_server_listen(server, http_server_address(server, 0), &problem));
    assert_non_null(problem);
    http_server_free(server);
}

static void unix_socket(void **state)
{
    char path[100], where[120];
    const char *folder = getenv("TMPDIR"), *problem = NULL;
    struct stat info;

    (void)state;
    snprintf(path, sizeof(path), "%s/http-%ld", folder ? folder : "/tmp",
             (long)getpid());
    snprintf(where, sizeof(where), "unix:%s", path);
    struct http_server *server = start(where);
    assert_int_equal(0, stat(path, &info));
    assert_int_equal(0600, info.st_mode & 0777);
    check_answer(server, str_of(where));

    struct http_server *second = http_server_new(&service);
    assert_false(http_server_listen(second, str_of(where), &problem));
    http_server_free(second);
    assert_int_equal(0, stat(path, &info)); /* the first one's file stays */
    http_server_free(server);
    assert_int_equal(-1, stat(path, &info));
}

/* As a killed program leaves it. */
static void leave_socket(const char *path)
{
    struct sockaddr_un local = {.sun_family = AF_UNIX};
    int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);

    snprintf(local.sun_path, sizeof(local.sun_path), "%s", path);
    assert_int_equal(0, bind(fd, (struct sockaddr *)&local, sizeof(local)));
    close(fd);
}

static void check_in_use(const char *where)
{
    struct http_server *server = http_server_new(&service);
    const char *problem = NULL;

    assert_false(http_server_listen(server, str_of(where), &problem));
    assert_string_equal("Address already in use", problem);
    http_server_free(server);
}

static void abandoned_unix_socket(void **state)
{
    char path[100], where[120];
    const char *folder = getenv("TMPDIR");
    struct stat info;

    (void)state;
    snprintf(path, sizeof(path), "%s/left-%ld", folder ? folder : "/tmp",
             (long)getpid());
    snprintf(where, sizeof(where), "unix:%s", path);
    leave_socket(path);
    struct http_server *server = start(where);
    assert_int_equal(0, stat(path, &info));
    assert_int_equal(0600, info.st_mode & 0777);
    check_answer(server, str_of(where));
    http_server_free(server);

    /* What is no socket stays, and so does somebody else's. */
    FILE *file = fopen(path, "w");
    assert_non_null(file);
    fclose(file);
    check_in_use(where);
    assert_int_equal(0, unlink(path));
    leave_socket(path);
    if (!geteuid()) {
        assert_int_equal(0, chown(path, 1, 1));
        check_in_use(where);
    }
    assert_int_equal(0, unlink(path));
}

#define TEN "0123456789"

static void refused_addresses(void **state)
{
    static const char *const rows[] = {
        "0.0.0.0:80",
        "126.255.255.255:80",
        "128.0.0.0:80",
        "[::]:80",
        "[::2]:80",
        "[::ffff:127.0.0.1]:80",
        "localhost:80",
        "127.0.0.1",
        "127.1:80",
        "127.0.0.1:65536",
        "127.0.0.1:",
        "unix:",
        "",
        "unix:" TEN TEN TEN TEN TEN TEN TEN TEN TEN TEN "12345678",
    };
    struct http_server *server = http_server_new(&service);

    (void)state;
    for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
        const char *problem = NULL;

        if (http_server_listen(server, str_of(rows[i]), &problem))
            fail_msg("listens on %s", rows[i]);
        assert_non_null(problem);
    }
    assert_int_equal(0, http_server_address(server, 0).len);
    http_server_free(server);
}

/* The fourth of three is closed; when one leaves there is room again. */
static void connection_limit(void **state)
{
    struct http_server *server = start("127.0.0.1:0");
    struct str address = http_server_address(server, 0);
    int client[MAX_CONNECTIONS];
    char bytes[1000];

    (void)state;
    for (size_t i = 0; i < MAX_CONNECTIONS; i++) {
        client[i] = connect_to(address);
        /* A slow client: it holds up none of the others. */
        http_server_step(server, 0);
        say(client[i], STR("GET / HTTP/1.1\r\n"));
    }
    int fourth = connect_to(address);
    assert_int_equal(0, receive(server, fourth, bytes, sizeof(bytes)));
    close(fourth);

    say(client[1], STR("Host: a\r\n\r\n"));
    assert_true(receive(server, client[1], bytes, sizeof(bytes)) > 0);
    shutdown(client[1], SHUT_WR);
    assert_int_equal(0, receive(server, client[1], bytes, sizeof(bytes)));
    check_answer(server, address);
    for (size_t i = 0; i < MAX_CONNECTIONS; i++)
        close(client[i]);
    http_server_free(server);
}

static void stop(void **state)
{
    struct http_server *server = start("127.0.0.1:0");
    int pipe_fd[2];

    (void)state;
    assert_int_equal(0, pipe(pipe_fd));
    assert_true(http_server_stop_on(server, pipe_fd[0]));
    assert_true(http_server_step(server, 0));
    assert_int_equal(1, write(pipe_fd[1], "x", 1));
    assert_false(http_server_step(server, clock_mono_us() + PATIENCE_US));
    close(pipe_fd[0]);
    close(pipe_fd[1]);
    http_server_free(server);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(loopback),
        cmocka_unit_test(unix_socket),
        cmocka_unit_test(abandoned_unix_socket),
        cmocka_unit_test(refused_addresses),
        cmocka_unit_test(connection_limit),
        cmocka_unit_test(stop),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
