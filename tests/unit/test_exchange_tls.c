/* The TLS version and cipher suite of an exchange. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <netinet/in.h>
#include <openssl/ssl.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <sys/socket.h>
#include <unistd.h>

#include "page/bodies.h"
#include "page/pagefetcher.h"
#include "support/tls_certificate.h"

struct tls_case {
    int version;
    const char *suites_1_3, *ciphers_1_2; /* or NULL */
    unsigned wishes;
    /* expected */
    const char *version_name, *suite_name;
};

static const struct tls_case cases[] = {
    {TLS1_3_VERSION, "TLS_AES_128_GCM_SHA256", NULL, WISH_TLS, "tls/1.3",
     "TLS_AES_128_GCM_SHA256"},
    {TLS1_3_VERSION, "TLS_CHACHA20_POLY1305_SHA256", NULL, WISH_TLS, "tls/1.3",
     "TLS_CHACHA20_POLY1305_SHA256"},
    {TLS1_2_VERSION, NULL, "ECDHE-ECDSA-AES256-GCM-SHA384", WISH_TLS, "tls/1.2",
     "TLS_ECDHE_ECDSA_WITH_AES_256_GCM_SHA384"},
    {TLS1_3_VERSION, NULL, NULL, 0, NULL, NULL},
};

/* --- a server on a thread of its own, for one connection with two requests -
 */

struct server {
    pthread_t thread;
    SSL_CTX *tls;
    int listener;
};

static void *serve(void *user)
{
    static const char reply[] = "HTTP/1.1 200 OK\r\nContent-Type: text/html\r\n"
                                "Content-Length: 1\r\n\r\nx";
    struct server *server = user;
    char request[4096];
    int fd = accept(server->listener, NULL, NULL);
    SSL *tls = SSL_new(server->tls);

    SSL_set_fd(tls, fd);
    if (SSL_accept(tls) == 1)
        for (int i = 0; i < 2; i++)
            if (SSL_read(tls, request, sizeof(request)) > 0)
                SSL_write(tls, reply, sizeof(reply) - 1);
    SSL_free(tls);
    close(fd);
    return NULL;
}

static uint16_t server_start(struct server *server, const struct tls_case *c)
{
    struct sockaddr_in address = {.sin_family = AF_INET};
    socklen_t len = sizeof(address);

    server->tls = SSL_CTX_new(TLS_server_method());
    tls_certificate_use(server->tls);
    SSL_CTX_set_max_proto_version(server->tls, c->version);
    if (c->suites_1_3)
        assert_true(SSL_CTX_set_ciphersuites(server->tls, c->suites_1_3));
    if (c->ciphers_1_2)
        assert_true(SSL_CTX_set_cipher_list(server->tls, c->ciphers_1_2));
    server->listener = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    assert_int_equal(bind(server->listener, (struct sockaddr *)&address, len),
                     0);
    assert_int_equal(listen(server->listener, 1), 0);
    getsockname(server->listener, (struct sockaddr *)&address, &len);
    assert_int_equal(pthread_create(&server->thread, NULL, serve, server), 0);
    return ntohs(address.sin_port);
}

static void server_stop(struct server *server)
{
    pthread_join(server->thread, NULL);
    close(server->listener);
    SSL_CTX_free(server->tls);
}

/* --- the fetches -----------------------------------------------------------
 */

static void expect_text(const char *got, const char *expected)
{
    if (expected && got)
        assert_string_equal(got, expected);
    else
        assert_true(!expected && !got);
}

/* The second time by the connection that is open: it has no handshake. */
static void fetch_twice(uint16_t port, const struct tls_case *c)
{
    struct trusted_origins origins;
    struct body_budget budget;
    const struct fetch_options options = {
        .user_agent = "test",
        .timeout_ms = 60 * 1000,
        .max_size = 1 << 20,
        .body_budget = &budget,
        .keep_connections = 1,
        .insecure = true,
        .allow_private = true,
        .wishes = c->wishes,
        .origins = &origins,
    };
    struct webpage page;
    char url[64];

    snprintf(url, sizeof(url), "https://127.0.0.1:%u/", (unsigned)port);
    body_budget_init(&budget, 1 << 20);
    origins_init(&origins);
    webpage_init(&page);
    struct pagefetcher *fetcher = pagefetcher_new(&options);
    for (int i = 0; i < 2; i++) {
        webpage_ask(&page, str_of(url), 0, false);
        page.is_host_needed = true;
        pagefetcher_start(fetcher, &page);
        while (!pagefetcher_take(fetcher))
            pagefetcher_wait(fetcher, -1);
        assert_int_equal(page.outcome, FETCHED);
        pagefetcher_give_back(fetcher, &page);
        expect_text(page.exchange.tls_version, c->version_name);
        expect_text(page.exchange.cipher_suite, c->suite_name);
    }
    pagefetcher_free(fetcher);
    webpage_release(&page);
    origins_release(&origins);
    body_budget_release(&budget);
}

static void version_and_suite_are_told(void **state)
{
    (void)state;
    for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
        struct server server;

        fetch_twice(server_start(&server, &cases[i]), &cases[i]);
        server_stop(&server);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(version_and_suite_are_told),
    };

    signal(SIGPIPE, SIG_IGN);
    if (!pagefetcher_setup())
        return 1;
    int failed = cmocka_run_group_tests(tests, NULL, NULL);
    pagefetcher_teardown();
    return failed;
}
