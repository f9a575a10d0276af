/* `crawler why`, asked of another process: it reads the record, which this one
 * must not do while it crawls. Private to view/. */
#ifndef VIEW_WHY_PROCESS_H
#define VIEW_WHY_PROCESS_H

#include <sys/types.h>

#include "base/buf.h"

enum { WHY_TEXT_MAX = 64 << 10, WHY_TIME_MAX_S = 30 };

struct why_process {
    pid_t pid; /* 0: none */
    int fd;    /* its output */
    uint64_t until_us;
};

/* False with errno. */
bool why_start(struct why_process *why, const char *directory, const char *url,
               uint64_t now_us);

/* Append what it has said so far; true when that was all: it has ended, or took
 * too long, or said too much. */
bool why_read(struct why_process *why, struct buf *out, uint64_t now_us);

/* End it, if it is still there. */
void why_end(struct why_process *why);

#endif
