/* A pagefetcher and a server on loopback, both played by one thread:
 *
 *     loopback_listen(&loopback);
 *     ... change loopback.options ...
 *     loopback_start(&loopback);
 *     loopback_ask(&loopback, WEBPAGE_HTML, "");
 *     loopback_serve(&loopback, STR("HTTP/1.1 200 OK\r\n..."));
 *     page = loopback_finish(&loopback);
 *     ... page->exchange ...
 *     loopback_give_back(&loopback);
 *     loopback_release(&loopback);
 */
#ifndef TESTS_SUPPORT_LOOPBACK_H
#define TESTS_SUPPORT_LOOPBACK_H

#include "base/buf.h"
#include "page/bodies.h"
#include "page/pagefetcher.h"

enum { LOOPBACK_BODY_MAX = 64 * 1024 };

struct loopback {
    struct fetch_options options;
    struct body_budget budget;
    struct trusted_origins origins;
    struct pagefetcher *fetcher;
    struct webpage page;
    struct webpage *done; /* it has ended; with us until given back */
    char url[4096];
    uint16_t port;
    int listener, server; /* server: the connection, or -1 */
    struct buf asked;     /* the last request, as the server got it */
};

void loopback_listen(struct loopback *loopback);
void loopback_start(struct loopback *loopback);
void loopback_release(struct loopback *loopback);

/* Let the fetcher work for a moment. */
void loopback_get_on(struct loopback *loopback);

/* Ask for http://127.0.0.1:PORT/ and the path, by the connection that is open
 * or else a new one, and wait until the server has the request; or for any URL.
 */
void loopback_ask(struct loopback *loopback, enum webpage_kind kind,
                  const char *path);
void loopback_ask_url(struct loopback *loopback, enum webpage_kind kind,
                      const char *url);

/* The same where the fetcher may give up before. False if it did. */
bool loopback_try(struct loopback *loopback, enum webpage_kind kind,
                  const char *path);

/* The server closes the connection and waits for another request. */
void loopback_ask_again(struct loopback *loopback);

/* Send the bytes, or as many as the fetcher takes before it ends. */
void loopback_serve(struct loopback *loopback, struct str bytes);

/* The server closes the connection. */
void loopback_hang_up(struct loopback *loopback);

struct webpage *loopback_finish(struct loopback *loopback);
void loopback_give_back(struct loopback *loopback);

#endif
