/* Shared by the files of the archivist; nobody else includes this. */
#ifndef CRAWLER_ARCHIVIST_INTERNAL_H
#define CRAWLER_ARCHIVIST_INTERNAL_H

#include "crawler/archive_copies.h"
#include "crawler/archivist.h"
#include "crawler/payloads.h"

enum {
    /* of a file, with ".open" */
    ARCHIVE_NAME_MAX = ARCHIVE_NAME_LEN + sizeof(ARCHIVE_OPEN_SUFFIX) - 1,
    ARCHIVE_BUFFER = 1 << 20,
};

/* A file of the archive. */
struct archive_file {
    char name[ARCHIVE_NAME_MAX + 1]; /* without ".open" */
    uint64_t length; /* of all its records, also of those in the buffer */
    bool is_open;    /* it has ".open" behind its name */
};

/* How far the archive has come: all files before number `file` are complete,
 * and that one has so many bytes. */
struct archive_end {
    uint32_t file; /* 0: there is none yet */
    uint64_t length;
};

struct archivist {
    const struct archive_options *options;
    int archive_fd; /* of the directory; -1: not opened yet */
    bool made_dir;
    bool is_usable; /* a resume has found nothing wrong */
    bool failed;    /* a write has; `why` is its errno */
    int why;

    struct archive_file *file; /* file[0] has number 1 */
    size_t files, file_room;
    size_t first_open; /* all files before this index have their names */
    uint32_t serial;   /* of the next name */
    uint64_t captures;

    int fd; /* of the last file; -1: it is complete */
    struct buf buffer;
    uint64_t written;             /* the last file without the buffer */
    struct archive_copies copies; /* of what `written` counts */
    bool leaves_copies;           /* somebody else writes them */
    bool is_empty;                /* it has only its warcinfo */
    struct buf revisit;

    struct archive_end *closed; /* one for each batch not yet committed */
    size_t batches, batch_room;
    struct archive_end committed;

    struct payloads payloads;
    struct original_reader *reader;
    int read_fd; /* of an earlier file, */
    uint32_t read_file;
};

/* archivist_files.c */

/* Open the directory, and make it if there is none. False with errno. */
bool archive_open_dir(struct archivist *archivist);

/* Begin a new file under a name that nobody has. False with errno. */
bool archive_create(struct archivist *archivist, uint64_t wall_ms);

/* "NAME" or "NAME.open", as it is called now. */
const char *archive_path(const struct archive_file *file,
                         char path[ARCHIVE_NAME_MAX + 1]);

/* Take the ".open" away. */
bool archive_complete(struct archivist *archivist, struct archive_file *file);

struct archive_file *archive_add(struct archivist *archivist);

#endif
