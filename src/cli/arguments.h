/* The words that the program was started with. Every user of the machine can
 * read them in the list of processes, so the program works on a copy, and
 * overwrites what is secret in the words that others see. A program that starts
 * itself again hands its copy over in a file without a name, so that others see
 * nothing then, either.
 */
#ifndef CLI_ARGUMENTS_H
#define CLI_ARGUMENTS_H

#include "base/buf.h"

struct arguments {
    int count;
    char **words; /* a copy, NULL at the end */
    char **shown; /* what others see */
    struct buf text;
};

/* Take a copy of all words, or what was handed over. In `argv` the values of
 * secret options and the logins of URLs are "*" from now on, and if there was
 * one, no other program of the user may look into this process, and it leaves
 * no core file. */
void arguments_take(struct arguments *arguments, int argc, char *argv[]);
void arguments_release(struct arguments *arguments);

/* Start the program again with the same words; but `part` of one of them, if it
 * is not empty, has become `now`. Returns only where that fails, with errno. */
void arguments_start_again(const struct arguments *arguments, struct str part,
                           struct str now);

#endif
