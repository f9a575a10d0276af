#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <netinet/in.h>
#include <openssl/ssl.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>
#include <sys/socket.h>
#include <unistd.h>

#include "page/bodies.h"
#include "page/pagefetcher.h"
#include "support/tls_certificate.h"

/* A server on a thread of its own that sends part of a page, and then messages
 * of TLS that carry no data, until it is told to end. */
struct server {
    pthread_t thread;
    SSL_CTX *tls;
    int listener;
    atomic_bool is_over;
    bool with_key_updates; /* otherwise tickets */
};

static bool flood(SSL *tls, bool with_key_updates)
{
    int good = with_key_updates
                   ? SSL_key_update(tls, SSL_KEY_UPDATE_NOT_REQUESTED)
                   : SSL_new_session_ticket(tls);

    return good == 1 && SSL_do_handshake(tls) == 1;
}

static void *serve(void *user)
{
    static const char reply[] = "HTTP/1.1 200 OK\r\n"
                                "Content-Type: text/html\r\n\r\n<p>text";
    struct server *server = user;
    char request[4096];
    int fd = accept(server->listener, NULL, NULL);
    SSL *tls = SSL_new(server->tls);

    SSL_set_fd(tls, fd);
    if (SSL_accept(tls) == 1 && SSL_read(tls, request, sizeof(request)) > 0 &&
        SSL_write(tls, reply, sizeof(reply) - 1) > 0)
        while (!server->is_over && flood(tls, server->with_key_updates))
            ;
    SSL_free(tls);
    close(fd);
    return NULL;
}

static uint16_t server_start(struct server *server)
{
    struct sockaddr_in address = {.sin_family = AF_INET};
    socklen_t len = sizeof(address);

    server->tls = SSL_CTX_new(TLS_server_method());
    tls_certificate_use(server->tls);
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
    server->is_over = true;
    pthread_join(server->thread, NULL);
    close(server->listener);
    SSL_CTX_free(server->tls);
}

static enum outcome fetch(uint16_t port, enum webpage_kind kind)
{
    enum { HOUR_MS = 3600 * 1000 };
    struct trusted_origins origins;
    struct body_budget budget;
    const struct fetch_options options = {
        .user_agent = "test",
        .timeout_ms = HOUR_MS,
        .max_size = 1 << 20,
        .body_budget = &budget,
        .keep_connections = 1,
        .insecure = true,
        .allow_private = true,
        .origins = &origins,
    };
    struct webpage page;
    char url[64];

    snprintf(url, sizeof(url), "https://127.0.0.1:%u/", (unsigned)port);
    body_budget_init(&budget, 1 << 20);
    origins_init(&origins);
    webpage_init(&page);
    webpage_ask(&page, str_of(url), 0, false);
    page.kind = kind;
    struct pagefetcher *fetcher = pagefetcher_new(&options);
    pagefetcher_start(fetcher, &page);
    while (!pagefetcher_take(fetcher))
        pagefetcher_wait(fetcher, -1);
    enum outcome outcome = page.outcome;
    pagefetcher_give_back(fetcher, &page);
    pagefetcher_free(fetcher);
    webpage_release(&page);
    origins_release(&origins);
    body_budget_release(&budget);
    return outcome;
}

/* Without a length the page would seem to end where the connection does. How
 * much OpenSSL gets at once is up to chance: so several times. */
static void a_flood_of_tls_messages_ends_the_page(void **state)
{
    static const enum webpage_kind kinds[] = {WEBPAGE_HTML, WEBPAGE_ROBOTS,
                                              WEBPAGE_SITEMAP};
    enum { TIMES = 5 };

    (void)state;
    for (size_t i = 0; i < TIMES * 2 * ARRAY_LEN(kinds); i++) {
        struct server server = {.with_key_updates = i % 2};
        uint16_t port = server_start(&server);

        assert_int_equal(fetch(port, kinds[i / 2 % ARRAY_LEN(kinds)]),
                         CONNECTION_LOST);
        server_stop(&server);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_flood_of_tls_messages_ends_the_page),
    };

    signal(SIGPIPE, SIG_IGN);
    if (!pagefetcher_setup())
        return 1;
    int failed = cmocka_run_group_tests(tests, NULL, NULL);
    pagefetcher_teardown();
    return failed;
}
