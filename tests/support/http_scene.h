/* A connection of http/ and its client over a pair of sockets, with a clock
 * that the test turns by hand.
 *
 * The handler answers with the path as the body, but for these paths: /echo
 * (the request's body), /large, /late (after a second), /again (there is no
 * reply yet; 503 when it is asked for the third time, a second later each),
 * /none (204), /file and those that begin with /stream (three pieces, a second
 * apart).
 */
#ifndef SUPPORT_HTTP_SCENE_H
#define SUPPORT_HTTP_SCENE_H

#include "http/conn.h"

#define GET(path) "GET " path " HTTP/1.1\r\nHost: a\r\n\r\n"

enum { SECOND_US = 1000 * 1000, START_US = 77 * SECOND_US };

/* A server with one client, and what its handler saw. */
struct scene {
    struct http_service service;
    struct http_conn conn;
    int client;
    uint64_t now_us;
    struct buf got; /* what the client has read */
    bool at_end;    /* ... and then the end */

    unsigned answered, ended, sendings;
    enum http_error last_error;
    uint64_t last_sent;
    struct str large; /* the body of /large */
    unsigned pieces;  /* that a stream has given */
    uint64_t stream_wake_us;
    int file_fd; /* of /file, after a "-" */
    uint64_t file_from, file_len;
    enum http_pull stream_end;
};

/* A new connection, at START_US. */
void scene_open(struct scene *scene);

/* Release all; every request must have ended by then. */
void scene_close(struct scene *scene);

/* Run the connection as if it were readable. */
void scene_run(struct scene *scene);

/* The same, when so much time has passed. */
void scene_run_after(struct scene *scene, uint64_t us);

/* The client sends. */
void scene_say(struct scene *scene, const char *text);

/* The client reads what is there, into `got`. */
void scene_take(struct scene *scene);

/* Is `text` in the bytes that the client has read? */
bool scene_has(const struct scene *scene, const char *text);

/* The client reads exactly `text`. */
void scene_expect(struct scene *scene, const char *text);

#endif
