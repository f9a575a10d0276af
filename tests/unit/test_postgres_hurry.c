/* A thread that has something else to do does not wait for a server that took
 * the connection and says nothing more. */
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include <arpa/inet.h>
#include <pthread.h>
#include <sys/socket.h>
#include <unistd.h>

#include "base/clock.h"
#include "fleet/engine_postgres.h"

/* What PostgreSQL says when it lets somebody in: the login is good, two
 * settings, ready. */
static const char welcome[] = "R\0\0\0\x08\0\0\0\0"
                              "S\0\0\0\x18server_version\00015.0\0"
                              "S\0\0\0\x17in_hot_standby\0off\0"
                              "S\0\0\0\x26"
                              "default_transaction_read_only\0off\0"
                              "Z\0\0\0\x05I";

struct server {
    int listener;
    pthread_t thread;
};

static void *serve(void *user)
{
    const struct server *server = user;
    int connection = accept(server->listener, NULL, NULL);
    char bytes[4096];

    /* The first bytes are its name; then its statements, until it is gone. */
    if (recv(connection, bytes, sizeof(bytes), 0) > 0 &&
        send(connection, welcome, sizeof(welcome) - 1, 0) > 0)
        while (recv(connection, bytes, sizeof(bytes), 0) > 0)
            ;
    close(connection);
    return NULL;
}

static struct fleet_engine *start(struct server *server)
{
    struct sockaddr_in address = {.sin_family = AF_INET};
    socklen_t len = sizeof(address);
    char url[120];

    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    server->listener = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    assert_int_equal(bind(server->listener, (struct sockaddr *)&address, len),
                     0);
    assert_int_equal(listen(server->listener, 1), 0);
    getsockname(server->listener, (struct sockaddr *)&address, &len);
    assert_int_equal(pthread_create(&server->thread, NULL, serve, server), 0);
    snprintf(url, sizeof(url),
             "postgres://crawl@127.0.0.1:%u/crawl?sslmode=disable&"
             "gssencmode=disable&connect_timeout=60",
             ntohs(address.sin_port));
    return engine_postgres_new(url, "crawl");
}

static bool has_looks_left(void *user)
{
    unsigned *looks = user;

    return *looks && --*looks;
}

static bool no_segment(void *user, const struct fleet_segment *segment,
                       uint32_t node, uint64_t batch)
{
    (void)user, (void)segment, (void)node, (void)batch;
    return false;
}

static void a_call_ends_when_there_is_no_time_to_wait(void **state)
{
    unsigned looks = 4;
    struct server server;
    struct fleet_error error;
    struct fleet_engine *engine = start(&server);

    (void)state;
    engine_postgres_hurry(engine, has_looks_left, &looks);
    uint64_t began_ms = clock_mono_ms();
    assert_int_equal(engine->type->load(engine, 0, no_segment, NULL, &error),
                     FLEET_AWAY);
    assert_string_equal(error.text, "there is no time to wait for it");
    assert_int_equal(looks, 0);
    /* It did wait, from look to look. */
    assert_true(clock_mono_ms() - began_ms >= 200);
    pthread_join(server.thread, NULL);
    /* Nor is there time for another connection. */
    assert_int_equal(engine->type->load(engine, 0, no_segment, NULL, &error),
                     FLEET_AWAY);
    assert_string_equal(error.text, "there is no time to connect");
    engine->type->close(engine);
    close(server.listener);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_call_ends_when_there_is_no_time_to_wait),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
