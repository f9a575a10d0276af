/* Reading what the look-inside commands are given. */
#ifndef CLI_INPUT_H
#define CLI_INPUT_H

#include <stdio.h>

#include "base/buf.h"

/* All of a file ('-' is standard input). False with errno. */
bool input_read(const char *name, struct buf *out);

/* Each line of standard input, without its newline. False with errno where
 * it could not be read to the end. */
bool input_lines(void (*each)(void *user, struct str line), void *user);

#endif
