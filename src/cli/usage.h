/* What all commands share: reading options, --help, --version. */
#ifndef CLI_USAGE_H
#define CLI_USAGE_H

#include "cli/options.h"

/* Parse the words; answer --help and --version here, complain about what is
 * wrong, else run. Returns the exit status. */
int usage_run(enum command command, int argc, char *const argv[],
              int (*run)(const struct options *options));

/* The status, or 1 where what was printed could not be written. */
int usage_flush(int status);

#endif
