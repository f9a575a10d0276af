/* Figures in words, for people. */
#ifndef REPORT_WORDS_H
#define REPORT_WORDS_H

#include "base/buf.h"

/* "2024-05-06 07:08:09 UTC" */
void words_put_time(struct buf *out, uint64_t wall_ms);

/* The same and, if it is still to come, how far away: ", in 12 min 5 s". */
void words_put_when(struct buf *out, uint64_t wall_ms, uint64_t now_wall_ms);

/* "0.8 s", "12 min 5 s", "3 h 1 min" */
void words_put_duration(struct buf *out, uint64_t ms);

/* "12.3 KB" */
void words_put_bytes(struct buf *out, uint64_t bytes);

/* "1 page", "2 pages" */
void words_put_count(struct buf *out, uint64_t count, const char *what);

/* A path that a shell takes for one word, and no command for an option. */
void words_put_path(struct buf *out, struct str path);

#endif
