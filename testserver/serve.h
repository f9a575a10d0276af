/* The sources behind an HTTP server (http/server.h), and the record. */
#ifndef TESTSERVER_SERVE_H
#define TESTSERVER_SERVE_H

#include "http/server.h"
#include "testserver/record.h"
#include "testserver/reply.h"

struct serve {
    const struct source *sources; /* the first that knows an answer gives it */
    size_t source_count;
    struct record *record;

    struct http_service service;
    struct http_server *server;
};

/* Make the server; false with errno. */
bool serve_init(struct serve *serve);
void serve_release(struct serve *serve);

/* Listen on "ADDR:PORT", "[ADDR]:PORT", "unix:PATH" or a range
 * "127.0.1.1-100:PORT", which is one port on many addresses. Port 0 is any
 * free one. False if it cannot be done, with the reason in `problem`. */
bool serve_listen(struct serve *serve, struct str where, const char **problem);

/* Serve until `stop_fd` is readable or the clock has passed `deadline_us`
 * (CLOCK_MONOTONIC; 0 is never). The record is complete after. */
void serve_run(struct serve *serve, int stop_fd, uint64_t deadline_us);

#endif
