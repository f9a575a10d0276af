/* Signals as events: the program reads them from a descriptor, and no handler
 * runs. */
#ifndef CLI_SIGNALS_H
#define CLI_SIGNALS_H

#include <signal.h>

/* Block SIGINT, SIGTERM and those in `more`, and ignore SIGPIPE: a closed pipe
 * or socket shows as a failed write. The descriptor to read them from; -1 with
 * errno. */
int signals_open(const int *more, int count);

#endif
