/* Figures in words: as people are told them, and as they type them.
 *
 * What is told comes by value, as arguments of a printf:
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

/* --- values of options ---------------------------------------------------- */

/* Whole strings, strictly read, and written the same way where a message names
 * one. */

/* "500ms", "10s", "1.5s", "2m", "2h", "7d", "0"; a bare number is seconds. */
bool value_duration_ms(struct str text, uint64_t *ms);

/* "1000", "64K", "16M", "2G", powers of 1024. */
bool value_size(struct str text, uint64_t *bytes);

/* In the largest unit that needs no fraction: "24h" and not "86400000ms", "2G"
 * and not "2147483648". The text is read back as the same value. */
void value_put_duration(struct buf *out, uint64_t ms);
void value_put_size(struct buf *out, uint64_t bytes);

#endif
