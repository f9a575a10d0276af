/* The server: listening sockets, one epoll loop, timers.
 *
 *     struct http_service service = {limits, {&self, answer}};
 *     struct http_server *server = http_server_new(&service);
 *     http_server_listen(server, STR("127.0.0.1:0"), &problem);
 *     while (http_server_step(server, until_us))
 *         ...
 *     http_server_free(server);
 *
 * One thread; a server belongs to the thread that runs it. It prints nothing
 * and has no global state. Loopback addresses and Unix sockets are all that it
 * ever listens on.
 */
#ifndef HTTP_SERVER_H
#define HTTP_SERVER_H

#include <netinet/in.h>
#include <sys/un.h>

#include "http/conn.h"

enum { HTTP_MAX_LISTENERS = 16384 };

struct http_server;

/* `service` and what it points to must outlive the server. NULL with errno. */
struct http_server *http_server_new(const struct http_service *service);

/* Close everything; exchanges that are under way end. */
void http_server_free(struct http_server *server);

/* Listen on "127.0.0.1:PORT", "[::1]:PORT" or "unix:PATH". Port 0 is any free
 * one. False if it cannot be done, with the reason in `problem`. */
bool http_server_listen(struct http_server *server, struct str where,
                        const char **problem);

/* "127.0.0.1:8080" of the listener, from 0; empty past the last. */
struct str http_server_address(const struct http_server *server, size_t index);

/* From now on http_server_step returns false when `fd` is readable. */
bool http_server_stop_on(struct http_server *server, int fd);

/* Serve what is due; wait for it until `until_us` (CLOCK_MONOTONIC; 0: do not
 * wait), and for a minute at most. False when it is told to stop. */
bool http_server_step(struct http_server *server, uint64_t until_us);

/* Close all connections, not the listeners. */
void http_server_drop_all(struct http_server *server);

/* For a program with a loop of its own: call http_server_step(server, 0) when
 * this descriptor is readable, and at the time of http_server_wake_us (0:
 * none). */
int http_server_fd(const struct http_server *server);
uint64_t http_server_wake_us(const struct http_server *server);

/* --- addresses ------------------------------------------------------------ */

enum { HTTP_ADDRESS_TEXT = 128 };

/* Where to listen. */
struct http_address {
    union {
        struct sockaddr any;
        struct sockaddr_in v4;
        struct sockaddr_in6 v6;
        struct sockaddr_un local;
    };
};

/* "127.0.0.1:80", "[::1]:80" or "unix:PATH". False if it is not one of these
 * or not loopback, with a sentence in `problem`. */
bool http_address_parse(struct str text, struct http_address *address,
                        const char **problem);

/* As it is parsed: "127.0.0.1:80" */
void http_address_format(const struct http_address *address,
                         char out[HTTP_ADDRESS_TEXT]);

#endif
