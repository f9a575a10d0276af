#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include <netinet/in.h>
#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

#include "base/str.h"
#include "page/connections.h"

enum { PAIRS = 4, NOW_MS = 1000 * 1000 };

/* Sockets that stand for connections: ours and the server's end. */
struct pairs {
    struct connections connections;
    int own[PAIRS], server[PAIRS];
};

static void set_up(struct pairs *pairs, size_t idle_max,
                   const uint64_t origin[PAIRS])
{
    connections_init(&pairs->connections, idle_max);
    for (int i = 0; i < PAIRS; i++) {
        int fd[2];

        assert_int_equal(socketpair(AF_UNIX, SOCK_STREAM, 0, fd), 0);
        pairs->own[i] = fd[0];
        pairs->server[i] = fd[1];
        connections_opened(&pairs->connections, fd[0], origin[i],
                           (struct connection_way){0});
        connections_take(&pairs->connections, fd[0], &pairs->own[i]);
    }
}

static void rest(struct pairs *pairs, int i, bool is_needed, uint64_t now_ms)
{
    connections_rest(&pairs->connections, pairs->own[i], &pairs->own[i],
                     is_needed, now_ms);
}

static void tear_down(struct pairs *pairs)
{
    connections_release(&pairs->connections);
    for (int i = 0; i < PAIRS; i++) {
        close(pairs->own[i]);
        close(pairs->server[i]);
    }
}

/* Those that are ending are shut: nobody here closes them in another way. */
static unsigned expire(struct pairs *pairs, uint64_t now_ms)
{
    struct connection_way way;
    uint64_t origin;
    unsigned count = 0;
    int fd;

    connections_expire(&pairs->connections, now_ms);
    while ((fd = connections_next_ending(&pairs->connections, &origin, &way)) >=
           0) {
        connections_shut(&pairs->connections, fd);
        count++;
    }
    return count;
}

/* Would libcurl find it dead? */
static bool is_shut(const struct pairs *pairs, int i)
{
    char byte;

    return recv(pairs->own[i], &byte, 1, MSG_PEEK | MSG_DONTWAIT) == 0;
}

/* 's' where a connection is shut, in order; else '-'. */
static void assert_shut(const struct pairs *pairs, const char *expected)
{
    char shut[PAIRS + 1] = {0};

    for (int i = 0; i < PAIRS; i++)
        shut[i] = is_shut(pairs, i) ? 's' : '-';
    assert_string_equal(shut, expected);
}

static const uint64_t different[PAIRS] = {1, 2, 3, 4};

static void closes_by_time(void **state)
{
    struct pairs pairs;

    (void)state;
    set_up(&pairs, 10, different);
    rest(&pairs, 0, false, NOW_MS);
    rest(&pairs, 1, true, NOW_MS);
    rest(&pairs, 2, false, NOW_MS + 1);
    assert_int_equal(connections_due_ms(&pairs.connections),
                     NOW_MS + CONNECTION_SPARE_MS);
    expire(&pairs, NOW_MS + CONNECTION_SPARE_MS - 1);
    assert_shut(&pairs, "----");
    expire(&pairs, NOW_MS + CONNECTION_SPARE_MS);
    assert_shut(&pairs, "s---");
    expire(&pairs, NOW_MS + CONNECTION_NEEDED_MS - 1);
    assert_shut(&pairs, "s-s-");
    assert_int_equal(connections_due_ms(&pairs.connections),
                     NOW_MS + CONNECTION_NEEDED_MS);
    expire(&pairs, NOW_MS + CONNECTION_NEEDED_MS);
    assert_shut(&pairs, "sss-");
    assert_true(connections_due_ms(&pairs.connections) == UINT64_MAX);
    tear_down(&pairs);
}

/* A connection that is ending is to be closed at once, with the way to it,
 * unless it is used again or closed before. */
static void ending_ones_are_told(void **state)
{
    struct pairs pairs;
    struct connection_way way = {strdup("http://a"), strdup("::240.0.0.1:80")};
    uint64_t origin;

    (void)state;
    set_up(&pairs, 10, different);
    connections_closed(&pairs.connections, pairs.own[0]);
    connections_opened(&pairs.connections, pairs.own[0], 9, way);
    connections_take(&pairs.connections, pairs.own[0], &pairs.own[0]);
    for (int i = 0; i < 3; i++)
        rest(&pairs, i, false, NOW_MS);
    connections_expire(&pairs.connections, NOW_MS + CONNECTION_SPARE_MS);
    assert_int_equal(connections_due_ms(&pairs.connections), 0);
    connections_take(&pairs.connections, pairs.own[1], &pairs.own[1]);
    connections_closed(&pairs.connections, pairs.own[2]);
    assert_int_equal(connections_next_ending(&pairs.connections, &origin, &way),
                     pairs.own[0]);
    assert_int_equal(origin, 9);
    assert_string_equal(way.url, "http://a");
    assert_string_equal(way.rule, "::240.0.0.1:80");
    assert_int_equal(connections_next_ending(&pairs.connections, &origin, &way),
                     -1);
    /* Somebody got it all the same. */
    connections_take(&pairs.connections, pairs.own[0], &pairs.own[0]);
    connections_shut(&pairs.connections, pairs.own[0]);
    assert_shut(&pairs, "----");
    tear_down(&pairs);
}

static void closes_what_is_too_many(void **state)
{
    /* Which are needed, how many may stay, and which go. All come to rest in
     * order. */
    static const struct {
        const char *needed;
        size_t idle_max;
        const char *shut;
    } cases[] = {
        {"nnnn", 4, "----"}, {"nnnn", 3, "s---"}, {"nnnn", 0, "ssss"},
        {"nn-n", 3, "--s-"}, {"-n-n", 3, "s---"}, {"nn--", 1, "s-ss"},
        {"----", 2, "ss--"},
    };

    (void)state;
    for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
        struct pairs pairs;

        set_up(&pairs, cases[i].idle_max, different);
        for (int j = 0; j < PAIRS; j++)
            rest(&pairs, j, cases[i].needed[j] == 'n', NOW_MS + (uint64_t)j);
        expire(&pairs, NOW_MS + PAIRS);
        assert_shut(&pairs, cases[i].shut);
        tear_down(&pairs);
    }
}

static void last_fetch_of_host_gives_up_all(void **state)
{
    static const uint64_t origin[PAIRS] = {7, 7, 8, 7};
    struct pairs pairs;

    (void)state;
    set_up(&pairs, 10, origin);
    rest(&pairs, 0, true, NOW_MS);
    rest(&pairs, 2, true, NOW_MS);
    rest(&pairs, 1, false, NOW_MS);
    expire(&pairs, NOW_MS + CONNECTION_SPARE_MS);
    assert_shut(&pairs, "ss--");
    tear_down(&pairs);
}

static void need_changes(void **state)
{
    struct pairs pairs;

    (void)state;
    set_up(&pairs, 10, different);
    rest(&pairs, 0, false, NOW_MS);
    rest(&pairs, 1, true, NOW_MS);
    connections_need(&pairs.connections, different[0], true, NOW_MS);
    connections_need(&pairs.connections, different[1], false, NOW_MS);
    connections_need(&pairs.connections, 99, true, NOW_MS);
    expire(&pairs, NOW_MS + CONNECTION_SPARE_MS);
    assert_shut(&pairs, "-s--");
    tear_down(&pairs);
}

static void one_in_use_stays(void **state)
{
    struct pairs pairs;
    int other;

    (void)state;
    set_up(&pairs, 0, different);
    rest(&pairs, 0, false, NOW_MS);
    connections_take(&pairs.connections, pairs.own[0], &other);
    /* Not the one who has it now. */
    rest(&pairs, 0, false, NOW_MS);
    expire(&pairs, NOW_MS + CONNECTION_NEEDED_MS);
    assert_shut(&pairs, "----");
    connections_rest(&pairs.connections, pairs.own[0], &other, true, NOW_MS);
    expire(&pairs, NOW_MS);
    assert_shut(&pairs, "s---");
    tear_down(&pairs);
}

/* libcurl closed the socket without a word, and its number is another's. */
static void leaves_other_files_alone(void **state)
{
    struct pairs pairs;

    (void)state;
    set_up(&pairs, 0, different);
    rest(&pairs, 0, true, NOW_MS);
    assert_int_equal(dup2(pairs.own[3], pairs.own[0]), pairs.own[0]);
    expire(&pairs, NOW_MS);
    assert_shut(&pairs, "----");
    tear_down(&pairs);
}

/* libcurl would take a connection with something to read for alive. */
static void closes_what_has_stray_bytes(void **state)
{
    static char bytes[100 * 1000];
    static const size_t counts[PAIRS] = {1, 1000, sizeof(bytes), 0};
    SSL_CTX *ctx = SSL_CTX_new(TLS_client_method());
    SSL *ssl = SSL_new(ctx);
    struct pairs pairs;

    (void)state;
    set_up(&pairs, 0, different);
    for (int i = 0; i < PAIRS; i++) {
        assert_int_equal(write(pairs.server[i], bytes, counts[i]), counts[i]);
        connections_secured(&pairs.connections, pairs.own[i], ssl);
        rest(&pairs, i, false, NOW_MS);
    }
    expire(&pairs, NOW_MS);
    for (int i = 0; i < PAIRS; i++) {
        struct pollfd fd = {.fd = pairs.own[i], .events = POLLIN};

        assert_int_equal(poll(&fd, 1, 0), 1);
        assert_int_equal(!(fd.revents & POLLHUP), counts[i] == 0);
    }
    tear_down(&pairs);
    SSL_free(ssl);
    SSL_CTX_free(ctx);
}

static uint16_t port_of(int fd)
{
    struct sockaddr_in own;
    socklen_t len = sizeof(own);

    assert_int_equal(getsockname(fd, (struct sockaddr *)&own, &len), 0);
    return ntohs(own.sin_port);
}

static void is_found_by_its_port(void **state)
{
    enum { COUNT = 4, ORIGIN = 7 };
    struct connections connections;
    struct sockaddr_in address = {.sin_family = AF_INET,
                                  .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
    socklen_t len = sizeof(address);
    int server = socket(AF_INET, SOCK_STREAM, 0), own[COUNT], user;

    (void)state;
    assert_int_equal(bind(server, (struct sockaddr *)&address, len), 0);
    assert_int_equal(listen(server, COUNT), 0);
    assert_int_equal(getsockname(server, (struct sockaddr *)&address, &len), 0);
    connections_init(&connections, COUNT);
    for (int i = 0; i < COUNT; i++) {
        own[i] = socket(AF_INET, SOCK_STREAM, 0);
        assert_int_equal(connect(own[i], (struct sockaddr *)&address, len), 0);
        connections_opened(&connections, own[i], i == 3 ? 8 : ORIGIN,
                           (struct connection_way){0});
        connections_take(&connections, own[i], &own[i]);
        if (i) /* the first is in use */
            connections_rest(&connections, own[i], &own[i], true, NOW_MS);
    }
    for (int i = 0; i < COUNT; i++) {
        bool is_ours = i == 1 || i == 2;

        assert_int_equal(
            connections_take_at(&connections, ORIGIN, port_of(own[i]), &user),
            is_ours ? own[i] : -1);
        assert_ptr_equal(connections_user(&connections, own[i]), is_ours ? &user
                                                                 : i == 0
                                                                     ? &own[0]
                                                                     : NULL);
    }
    assert_int_equal(
        connections_take_at(&connections, 9, port_of(own[3]), &user), -1);
    connections_release(&connections);
    for (int i = 0; i < COUNT; i++)
        close(own[i]);
    close(server);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(closes_by_time),
        cmocka_unit_test(ending_ones_are_told),
        cmocka_unit_test(closes_what_is_too_many),
        cmocka_unit_test(last_fetch_of_host_gives_up_all),
        cmocka_unit_test(need_changes),
        cmocka_unit_test(one_in_use_stays),
        cmocka_unit_test(leaves_other_files_alone),
        cmocka_unit_test(closes_what_has_stray_bytes),
        cmocka_unit_test(is_found_by_its_port),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
