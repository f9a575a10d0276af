/* A file that appears under its name when it is complete, or not at all.
 *
 *     struct output_file out;
 *     if ((status = output_open(&out, path, OUTPUT_NEW)))
 *         return status;
 *     ... write to out.fd ...
 *     status = output_close(&out, good ? 0 : 1);
 *
 * Until then it has no name where the file system can do that, so that nothing
 * is left when the program is killed. */
#ifndef CLI_OUTPUT_FILE_H
#define CLI_OUTPUT_FILE_H

#include <stdbool.h>

enum output_mode {
    OUTPUT_NEW,     /* a file of that name must not be there, nor may a crawl
                     * use the name */
    OUTPUT_REPLACE, /* it replaces one; never a device, pipe or link, and never
                     * a file of a crawl */
    OUTPUT_INTO,    /* the same, but a device or a pipe is written into as it
                     * is, and so is what a link in /dev leads to */
    OUTPUT_OWN,     /* it replaces one, and is of the crawl itself */
};

struct output_file {
    int fd;
    const char *path;
    enum output_mode mode;
    char *temp;     /* its name until it is complete; NULL: none */
    bool is_direct; /* it was there before and has its name already */
};

/* Can a file have this name? Status 0, or another after one line on standard
 * error. output_open asks that first. */
int output_check(const char *path, enum output_mode mode);

/* Status as above. */
int output_open(struct output_file *out, const char *path,
                enum output_mode mode);
/* With status 0 the file gets its name, else it is gone. Returns the status, or
 * that of a failure to name it. */
int output_close(struct output_file *out, int status);
void output_discard(struct output_file *out);

#endif
