/* Looking at a crawl that is recorded in a directory. */
#ifndef CLI_RECORDED_H
#define CLI_RECORDED_H

#include "store/store.h"

/* Its state, to read, also beside a crawl at work. NULL after one line, with
 * the exit status. */
struct store *recorded_open(const char *dir_path, int *status);

/* Reading it has failed: one line. The exit status. */
int recorded_failed(const char *dir_path, const struct store_error *error);

#endif
