/* A password that is typed. */
#ifndef CLI_PASSWORD_H
#define CLI_PASSWORD_H

#include "base/buf.h"

/* Ask on the terminal of the process for the password of `name`, without
 * showing it, and append it. False if there is no terminal, or if the user
 * types Ctrl-C or Ctrl-D. */
bool password_ask(const char *name, struct buf *out);

#endif
