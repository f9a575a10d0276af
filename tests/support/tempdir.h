/* A directory for the files of one test, gone after it. */
#ifndef TESTS_SUPPORT_TEMPDIR_H
#define TESTS_SUPPORT_TEMPDIR_H

#include <stdio.h>

#include "base/buf.h"

struct tempdir {
    char path[64];
    int fd;
};

/* Under $TMPDIR or /tmp. Ends the program where it cannot be made. */
void tempdir_make(struct tempdir *dir);

/* With all that is in it. */
void tempdir_remove(struct tempdir *dir);

/* For cmocka: `*state` is a tempdir. */
int tempdir_setup(void **state);
int tempdir_teardown(void **state);

void tempdir_write(const struct tempdir *dir, const char *name,
                   struct str bytes);
void tempdir_mkdir(const struct tempdir *dir, const char *name);

/* Append the file's bytes to `out`; false where there is no such file. */
bool tempdir_read(const struct tempdir *dir, const char *name, struct buf *out);

/* The file must have these bytes. */
void tempdir_expect(const struct tempdir *dir, const char *name,
                    struct str expected);

/* The names in it, sorted, with a blank after each: "1 2 .crawler ". The next
 * call on this thread overwrites it. */
const char *tempdir_list(const struct tempdir *dir);

#endif
