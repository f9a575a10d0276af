/* Replay: the captures of a collection behind an HTTP proxy.
 *
 * A proxy answers requests for every origin, so a browser shows recorded pages
 * under their own URLs, and nothing in them is rewritten. Requests come in the
 * absolute form or through a CONNECT (replay/tunnel.h). A URL that was not
 * recorded is answered with 404; nothing is ever fetched.
 *
 *     struct replay *replay = replay_new(collection);
 *     if (replay_listen(replay, 8080, &problem))
 *         replay_run(replay, signals);
 *     replay_free(replay);
 *
 * Requests in the origin form are for our own pages (replay/own_pages.h). Their
 * Host must be the address where the server listens: a page of the live web
 * whose host name leads to 127.0.0.1 must not read the archive.
 *
 * The caller ignores SIGPIPE: libssl writes to sockets that clients close.
 */
#ifndef REPLAY_REPLAY_H
#define REPLAY_REPLAY_H

#include "archive/collection.h"
#include "http/conn.h"
#include "replay/own_pages.h"

struct replay;

/* The collection must outlive it. NULL if no certificate authority could be
 * made. */
struct replay *replay_new(struct collection *collection);
void replay_free(struct replay *replay);

/* Its limits and its handler: replay_listen serves them, and tests run one
 * connection with a clock of their own (http/conn.h). */
const struct http_service *replay_service(const struct replay *replay);

/* Listen on a port of 127.0.0.1, 0 for any free one. False with a sentence in
 * `problem`. */
bool replay_listen(struct replay *replay, unsigned port, const char **problem);

/* Where it listens: "127.0.0.1:8080". */
struct str replay_address(const struct replay *replay);

/* Serve until `stop_fd` is readable. False with errno if that cannot be
 * watched.
 */
bool replay_run(struct replay *replay, int stop_fd);

/* The caller may add seeds and the package. */
struct own_pages *replay_own_pages(struct replay *replay);

/* List the first pages of the collection at "/". */
void replay_list_first_pages(struct replay *replay);

#endif
