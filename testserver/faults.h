/* Bodies that come in parts, slowly, or not to their end: a stream (http/
 * reply.h) that plays the faults of a reply. */
#ifndef TESTSERVER_FAULTS_H
#define TESTSERVER_FAULTS_H

#include "testserver/reply.h"

struct faults {
    struct reply reply;
    struct body_part whole; /* the only part of a reply without parts */
    size_t part;            /* the place in the body: which part, */
    uint64_t round;         /* which repetition of it, */
    size_t offset;          /* which byte of that */
    uint64_t left;          /* bytes up to the end, or to the cut */
    uint64_t drip_left;     /* bytes before the next pause */
    uint64_t next_drip_us;  /* when that pause is over */
};

/* Make `faults->reply.http` what the connection must send. `faults` must stay
 * until the exchange has ended. */
void faults_begin(struct faults *faults);

#endif
