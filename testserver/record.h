/* The record of all requests: one line each, for tests to judge by.
 *
 * Tab separated, one header line first; the columns are the fields of struct
 * record_line in order. Control characters, tabs and backslashes are written
 * as \xHH (\t, \r, \n, \\), an empty text as "-". Lines are buffered:
 * the caller runs record_flush at least every RECORD_FLUSH_US.
 */
#ifndef TESTSERVER_RECORD_H
#define TESTSERVER_RECORD_H

#include "base/buf.h"

enum { RECORD_FLUSH_US = 20 * 1000 };

struct record_line {
    uint64_t start_us; /* when the request was complete; CLOCK_MONOTONIC */
    uint64_t end_us;   /* when the last write of the reply began */
    uint64_t conn;     /* number of the connection, from 1 */
    struct str local_addr;
    struct str host;
    struct str method;
    struct str path; /* with the query */
    unsigned status; /* 0: the connection ended before a status was sent */
    uint64_t bytes;  /* of the body, without the framing */
    struct str user_agent;
    struct str request; /* the whole request, only with `headers` */
};

struct record {
    int fd; /* -1: nothing is recorded */
    bool headers;
    struct buf buf;
};

/* Start a record in `path`, which is emptied; NULL records nothing. False
 * and errno if the file cannot be written. */
bool record_open(struct record *record, const char *path, bool headers);

void record_put(struct record *record, const struct record_line *line);

static inline bool record_is_dirty(const struct record *record)
{
    return record->buf.len > 0;
}

/* False and errno if it could not be written in full. */
bool record_flush(struct record *record);

/* Flush and close. */
bool record_close(struct record *record);

#endif
