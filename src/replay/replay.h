/* Replay: the captures of a collection behind an HTTP proxy.
 *
 * A proxy answers requests for every origin, so a browser shows recorded pages
 * under their own URLs, and nothing in them is rewritten. Requests come in the
 * absolute form or through a CONNECT (replay/tunnel.h). A URL that was not
 * recorded is answered with 404; nothing is ever fetched.
 *
 *     struct replay *replay = replay_new(collection);
 *     struct http_server *server = http_server_new(replay_service(replay));
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

const struct http_service *replay_service(const struct replay *replay);

/* The caller may add seeds and the package. */
struct own_pages *replay_own_pages(struct replay *replay);

/* List the first pages of the collection at "/". */
void replay_list_first_pages(struct replay *replay);

#endif
