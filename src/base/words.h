/* Figures in words, for people. They come by value, as arguments of a printf:
 *
 *     printf("saved %s", words_bytes(12300).text);
 */
#ifndef BASE_WORDS_H
#define BASE_WORDS_H

#include "base/buf.h"

struct words {
    char text[80];
};

/* "2024-05-06 07:08:09 UTC" */
struct words words_time(uint64_t wall_ms);

/* The same and, if it is still to come, how far away: ", in 12 min 5 s". */
struct words words_when(uint64_t wall_ms, uint64_t now_wall_ms);

/* "0.8 s", "12 min 5 s", "3 h 1 min" */
struct words words_duration(uint64_t ms);

/* "1:02:03", "12:05", "0:07": hours if there are any, minutes, seconds. */
struct words words_elapsed(uint64_t ms);

/* "12.3 KB" */
struct words words_bytes(uint64_t bytes);

/* "1 page", "2 pages" */
struct words words_count(uint64_t count, const char *what);

/* A path that a shell takes for one word, and no command for an option. */
void words_put_path(struct buf *out, struct str path);

#endif
