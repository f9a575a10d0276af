/* One connection: read a request, ask the sources, play the reply, again.
 *
 * A state machine that does as much as it can without waiting and then says
 * what it waits for; the server (server.h) calls it again when that has come.
 * It never blocks.
 */
#ifndef TESTSERVER_CONN_H
#define TESTSERVER_CONN_H

#include "testserver/record.h"
#include "testserver/reply.h"

enum conn_state {
    CONN_READING,  /* for the head of a request */
    CONN_DELAYED,  /* the request is in, the answer must wait */
    CONN_SENDING,  /* the answer */
    CONN_DRAINING, /* all is sent; the client closes first */
    CONN_OVER,     /* to be released */
};

/* What all connections share. */
struct service {
    const struct source *sources;
    size_t source_count;
    struct record *record;
};

struct conn {
    int fd;
    uint64_t id;
    struct str local_addr;
    enum conn_state state;
    bool readable;    /* there may be bytes to read */
    uint64_t wake_us; /* call again then; 0: only when the fd is ready */

    struct buf in;
    size_t in_at; /* where the current request begins */
    struct request request;

    struct reply reply;
    struct buf scratch; /* of the source, for this reply */
    struct buf staged;  /* bytes on their way, sent before `direct` */
    size_t staged_at;
    struct str direct; /* of the body, sent without a copy */
    uint64_t file_now; /* of the file, sent after that */
    bool loaded;       /* some of the body is in these three */
    size_t part;       /* the place in the body: which part, */
    uint64_t round;    /* which repetition of it, */
    size_t offset;     /* which byte of that */
    uint64_t body_left, body_sent;
    bool ended; /* all of it has been loaded */
    uint64_t next_drip_us;
    uint64_t start_us;
    uint64_t sent_us; /* when the last write began; 0: none yet */
};

/* Take over `fd`, a connected non-blocking socket. */
void conn_init(struct conn *conn, int fd, uint64_t id, struct str local_addr);

/* Close and free all; a reply that was under way is recorded as cut. */
void conn_release(struct conn *conn, const struct service *service);

/* Go on as far as possible; see `state` and `wake_us` for what comes next. */
void conn_run(struct conn *conn, const struct service *service);

#endif
