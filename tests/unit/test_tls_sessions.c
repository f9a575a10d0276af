#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "page/tls_sessions.h"

enum { NOW = 1000 * 1000 };

/* A session of this version that could be resumed, named by one byte. */
static SSL_SESSION *new_session(int version, unsigned char name)
{
    SSL_SESSION *session = SSL_SESSION_new();

    assert_non_null(session);
    assert_int_equal(SSL_SESSION_set_protocol_version(session, version), 1);
    assert_int_equal(SSL_SESSION_set1_id(session, &name, 1), 1);
    return session;
}

/* The name of the session that would be resumed; 0: none. */
static unsigned char taken(struct tls_sessions *sessions, const char *host,
                           uint16_t port, time_t now)
{
    SSL_SESSION *session = tls_sessions_take(sessions, str_of(host), port, now);
    unsigned len;

    if (!session)
        return 0;
    unsigned char name = SSL_SESSION_get_id(session, &len)[0];
    SSL_SESSION_free(session);
    return name;
}

static void put(struct tls_sessions *sessions, const char *host, uint16_t port,
                int version, unsigned char name)
{
    tls_sessions_put(sessions, str_of(host), port, new_session(version, name),
                     NOW + 10);
}

static void belongs_to_one_origin(void **state)
{
    static const struct {
        const char *host;
        uint16_t port;
    } others[] = {
        {"a.test", 444}, {"a.test", 0},  {"b.test", 443}, {"a.test.", 443},
        {"A.test", 443}, {"a.tes", 443}, {"", 443},       {"www.a.test", 443},
    };
    struct tls_sessions sessions;

    (void)state;
    tls_sessions_init(&sessions, true);
    put(&sessions, "a.test", 443, TLS1_2_VERSION, 'x');
    for (size_t i = 0; i < ARRAY_LEN(others); i++)
        assert_int_equal(taken(&sessions, others[i].host, others[i].port, NOW),
                         0);
    assert_int_equal(taken(&sessions, "a.test", 443, NOW), 'x');
    tls_sessions_release(&sessions);
}

static void ticket_of_tls_1_3_is_used_once(void **state)
{
    struct tls_sessions sessions;

    (void)state;
    tls_sessions_init(&sessions, true);
    put(&sessions, "old.test", 443, TLS1_2_VERSION, 'o');
    put(&sessions, "new.test", 443, TLS1_3_VERSION, 'm');
    put(&sessions, "new.test", 443, TLS1_3_VERSION, 'n');
    for (int i = 0; i < 3; i++)
        assert_int_equal(taken(&sessions, "old.test", 443, NOW), 'o');
    assert_int_equal(taken(&sessions, "new.test", 443, NOW), 'n');
    assert_int_equal(taken(&sessions, "new.test", 443, NOW), 'm');
    assert_int_equal(taken(&sessions, "new.test", 443, NOW), 0);
    assert_int_equal(sessions.count, 1);
    tls_sessions_release(&sessions);
}

static void expires_and_is_forgotten(void **state)
{
    struct tls_sessions sessions;

    (void)state;
    tls_sessions_init(&sessions, true);
    put(&sessions, "a.test", 443, TLS1_2_VERSION, 'a');
    put(&sessions, "b.test", 443, TLS1_2_VERSION, 'b');
    assert_int_equal(taken(&sessions, "a.test", 443, NOW + 9), 'a');
    assert_int_equal(taken(&sessions, "a.test", 443, NOW + 10), 0);
    assert_int_equal(sessions.count, 1);
    tls_sessions_forget(&sessions, STR("b.test"), 444);
    assert_int_equal(taken(&sessions, "b.test", 443, NOW), 'b');
    tls_sessions_forget(&sessions, STR("b.test"), 443);
    assert_int_equal(taken(&sessions, "b.test", 443, NOW), 0);
    assert_int_equal(sessions.count, 0);
    assert_int_equal(sessions.origins.count, 0);
    tls_sessions_release(&sessions);
}

static void is_bounded(void **state)
{
    struct tls_sessions sessions;

    (void)state;
    tls_sessions_init(&sessions, true);
    sessions.max = 3;
    for (unsigned char name = 'a'; name <= 'e'; name++)
        put(&sessions, "one.test", 443, TLS1_3_VERSION, name);
    assert_int_equal(sessions.count, TLS_SESSIONS_PER_ORIGIN);
    for (uint16_t port = 1; port <= 10; port++)
        put(&sessions, "many.test", port, TLS1_2_VERSION, 'm');
    assert_int_equal(sessions.count, 3);
    assert_int_equal(sessions.origins.count, 3);
    assert_int_equal(taken(&sessions, "one.test", 443, NOW), 0);
    assert_int_equal(taken(&sessions, "many.test", 7, NOW), 0);
    assert_int_equal(taken(&sessions, "many.test", 8, NOW), 'm');
    tls_sessions_release(&sessions);
}

static void new_trust_drops_all(void **state)
{
    struct tls_sessions sessions;
    SSL_CTX *ctx[3];

    (void)state;
    tls_sessions_init(&sessions, true);
    for (size_t i = 0; i < ARRAY_LEN(ctx); i++)
        ctx[i] = SSL_CTX_new(TLS_client_method());
    tls_sessions_use(&sessions, ctx[0], STR("a.test"), 443, 1);
    put(&sessions, "a.test", 443, TLS1_2_VERSION, 'a');
    tls_sessions_use(&sessions, ctx[1], STR("b.test"), 443, 1);
    assert_int_equal(sessions.count, 1);
    tls_sessions_use(&sessions, ctx[2], STR("b.test"), 443, 2);
    assert_int_equal(sessions.count, 0);
    for (size_t i = 0; i < ARRAY_LEN(ctx); i++)
        SSL_CTX_free(ctx[i]);
    tls_sessions_release(&sessions);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(belongs_to_one_origin),
        cmocka_unit_test(ticket_of_tls_1_3_is_used_once),
        cmocka_unit_test(expires_and_is_forgotten),
        cmocka_unit_test(is_bounded),
        cmocka_unit_test(new_trust_drops_all),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
