/* The files of a collection: WARC files, and those in WACZ files. A few of them
 * are open at a time. */
#ifndef ARCHIVE_COLLECTION_FILES_H
#define ARCHIVE_COLLECTION_FILES_H

#include "archive/collection.h"

enum { COLLECTION_OPEN_MAX = 8 };

struct collection_file {
    char *path;
    uint64_t from, len; /* the part of it; `len` 0: to its end */
    uint32_t source;    /* which of the paths that were added it belongs to */
    bool is_elsewhere;  /* of another archive: only originals are read */
};

struct collection_open {
    uint32_t file;
    int fd;
    struct warc_reader *reader; /* NULL: none */
    uint64_t used;              /* a larger number is later */
};

struct collection_files {
    struct collection_file *file;
    size_t count, room;
    struct collection_open open[COLLECTION_OPEN_MAX];
    uint64_t uses;
    uint32_t source; /* of files that are added now */
};

struct collection_listener {
    collection_note *note; /* may be NULL */
    void *note_user;
    /* Every record. */
    void (*each)(void *user, uint32_t file, const struct warc_record *record);
    void *each_user;
};

void collection_files_init(struct collection_files *files);
void collection_files_release(struct collection_files *files);

bool collection_files_add_wacz(struct collection_files *files, const char *path,
                               const struct collection_listener *listener,
                               struct collection_error *error);
bool collection_files_add_path(struct collection_files *files, const char *path,
                               const struct collection_listener *listener,
                               struct collection_error *error);

/* The number of a file of another archive, which is added once. */
uint32_t collection_files_elsewhere(struct collection_files *files,
                                    const char *path);

/* Read a file through. `*is_warc` is false if there is something in it, but no
 * record; the listener is not told of that. False with errno. */
bool collection_files_read(struct collection_files *files, uint32_t file,
                           const struct collection_listener *listener,
                           bool *is_warc);

/* A reader of the file, valid until the next call; NULL with errno. */
struct warc_reader *collection_files_reader(struct collection_files *files,
                                            uint32_t file);

/* --- for collection_wacz.c ------------------------------------------------ */

/* Read it through; the listener is told also if it is no WARC file. False with
 * errno. */
bool collection_files_take(struct collection_files *files, uint32_t file,
                           const struct collection_listener *listener);

/* A part of a file; its number is returned. */
uint32_t collection_files_put(struct collection_files *files, const char *path,
                              uint64_t from, uint64_t len);
bool collection_files_is_warc(struct str name);
void collection_files_note(const struct collection_listener *listener,
                           const char *path, uint64_t at, const char *what);
bool collection_files_fail(struct collection_error *error, const char *path,
                           const char *why); /* false */

#endif
