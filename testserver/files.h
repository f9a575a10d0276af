/* A directory of files, served for any host.
 *
 * The path is percent-decoded; the query does not matter. index.html stands
 * for its directory, a directory without its slash is redirected. No path
 * leads out of the directory by "..", but symbolic links in it are
 * followed: whoever chooses the directory chooses them too.
 */
#ifndef TESTSERVER_FILES_H
#define TESTSERVER_FILES_H

#include "testserver/reply.h"

/* False and errno if the directory cannot be opened. */
bool files_source(const char *root, struct source *source);

/* The MIME type by the extension of a name. */
struct str files_type(struct str name);

/* Decode the path and drop the leading slash, "." for the root, into `out`.
 * False for a path that leads out, has a NUL or a broken escape, or is too
 * long. `out` is NUL-terminated. */
bool files_decode_path(struct str path, char *out, size_t room);

#endif
