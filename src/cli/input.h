/* Reading files that the user names; '-' is standard input. */
#ifndef CLI_INPUT_H
#define CLI_INPUT_H

#include "base/buf.h"

/* All of a file. False with errno. */
bool input_read(const char *name, struct buf *out);

/* Each line, without its newline. False with errno if the file could not be
 * read to its end. */
bool input_lines(const char *name, void (*each)(void *user, struct str line),
                 void *user);

#endif
