#include "support/loopback.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <netinet/in.h>
#include <stdio.h>
#include <sys/socket.h>
#include <unistd.h>

enum { WAIT_MS = 10, REQUEST_MAX = 1 << 20 };

void loopback_listen(struct loopback *loopback)
{
    struct sockaddr_in address = {.sin_family = AF_INET};
    socklen_t len = sizeof(address);

    memset(loopback, 0, sizeof(*loopback));
    loopback->server = -1;
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    loopback->listener =
        socket(AF_INET, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
    assert_int_equal(bind(loopback->listener, (struct sockaddr *)&address, len),
                     0);
    assert_int_equal(listen(loopback->listener, 1), 0);
    getsockname(loopback->listener, (struct sockaddr *)&address, &len);
    loopback->port = ntohs(address.sin_port);

    body_budget_init(&loopback->budget, LOOPBACK_BODY_MAX);
    origins_init(&loopback->origins);
    buf_init(&loopback->asked, REQUEST_MAX);
    webpage_init(&loopback->page);
    loopback->options = (struct fetch_options){
        .user_agent = "test",
        .timeout_ms = 60 * 1000,
        .max_size = LOOPBACK_BODY_MAX,
        .keep_connections = 8,
        .allow_private = true,
        .origins = &loopback->origins,
        .body_budget = &loopback->budget,
    };
}

void loopback_start(struct loopback *loopback)
{
    loopback->fetcher = pagefetcher_new(&loopback->options);
}

void loopback_release(struct loopback *loopback)
{
    loopback_hang_up(loopback);
    close(loopback->listener);
    pagefetcher_free(loopback->fetcher);
    webpage_release(&loopback->page);
    origins_release(&loopback->origins);
    buf_release(&loopback->asked);
    body_budget_release(&loopback->budget);
}

void loopback_get_on(struct loopback *loopback)
{
    if (loopback->done)
        return;
    pagefetcher_wait(loopback->fetcher, WAIT_MS);
    loopback->done = pagefetcher_take(loopback->fetcher);
}

static void accept_one(struct loopback *loopback)
{
    while (loopback->server < 0 && !loopback->done) {
        loopback_get_on(loopback);
        loopback->server =
            accept4(loopback->listener, NULL, NULL, SOCK_CLOEXEC);
    }
}

/* To the end of its head: it has no body. */
static void receive(struct loopback *loopback)
{
    buf_clear(&loopback->asked);
    while (!loopback->done &&
           !str_ends(buf_str(&loopback->asked), STR("\r\n\r\n"))) {
        char bytes[4096];
        ssize_t len =
            recv(loopback->server, bytes, sizeof(bytes), MSG_DONTWAIT);

        if (len > 0)
            buf_put(&loopback->asked, (struct str){bytes, (size_t)len});
        else
            loopback_get_on(loopback);
    }
}

static void ask(struct loopback *loopback, enum webpage_kind kind,
                const char *url)
{
    assert_null(loopback->done);
    webpage_ask(&loopback->page, str_of(url), 0, true);
    loopback->page.kind = kind;
    pagefetcher_start(loopback->fetcher, &loopback->page);
    accept_one(loopback);
    receive(loopback);
}

void loopback_ask_url(struct loopback *loopback, enum webpage_kind kind,
                      const char *url)
{
    ask(loopback, kind, url);
    assert_null(loopback->done);
}

bool loopback_try(struct loopback *loopback, enum webpage_kind kind,
                  const char *path)
{
    snprintf(loopback->url, sizeof(loopback->url), "http://127.0.0.1:%u/%s",
             loopback->port, path);
    ask(loopback, kind, loopback->url);
    return !loopback->done;
}

void loopback_ask(struct loopback *loopback, enum webpage_kind kind,
                  const char *path)
{
    assert_true(loopback_try(loopback, kind, path));
}

void loopback_ask_again(struct loopback *loopback)
{
    loopback_hang_up(loopback);
    accept_one(loopback);
    receive(loopback);
    assert_null(loopback->done);
}

void loopback_serve(struct loopback *loopback, struct str bytes)
{
    while (bytes.len && !loopback->done) {
        ssize_t len = send(loopback->server, bytes.ptr, bytes.len,
                           MSG_NOSIGNAL | MSG_DONTWAIT);

        if (len > 0)
            bytes = str_skip(bytes, (size_t)len);
        else
            loopback_get_on(loopback); /* it reads, or it has cut us off */
    }
}

void loopback_hang_up(struct loopback *loopback)
{
    if (loopback->server >= 0)
        close(loopback->server);
    loopback->server = -1;
}

struct webpage *loopback_finish(struct loopback *loopback)
{
    while (!loopback->done)
        loopback_get_on(loopback);
    return loopback->done;
}

void loopback_give_back(struct loopback *loopback)
{
    pagefetcher_give_back(loopback->fetcher, loopback->done);
    loopback->done = NULL;
}
