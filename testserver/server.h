/* The server: listening sockets, one epoll loop, timers, the record.
 *
 *     struct server *server = server_new(&service);
 *     server_listen(server, STR("127.0.0.1:0"), &problem);
 *     server_run(server, stop_fd, deadline_us);
 *     server_free(server);
 *
 * One thread; a server belongs to the thread that runs it. Only loopback
 * addresses are ever bound.
 */
#ifndef TESTSERVER_SERVER_H
#define TESTSERVER_SERVER_H

#include "testserver/conn.h"

enum { SERVER_MAX_LISTENERS = 16384 };

struct server;

/* The service and what it points to must outlive the server. */
struct server *server_new(const struct service *service);
void server_free(struct server *server);

/* Bind "ADDR:PORT", "[ADDR]:PORT" or a range "127.0.1.1-100:PORT", which is
 * one port on many addresses. Port 0 is any free one. False if it cannot be
 * done, with the reason in `problem`. */
bool server_listen(struct server *server, struct str where,
                   const char **problem);

/* "127.0.0.1:8080" of the listener, from 0; empty past the last. */
struct str server_address(const struct server *server, size_t index);
uint16_t server_port(const struct server *server, size_t index);

/* Serve until `stop_fd` is readable or the clock has passed `deadline_us`
 * (CLOCK_MONOTONIC; 0 is never). The record is complete after. */
void server_run(struct server *server, int stop_fd, uint64_t deadline_us);

#endif
