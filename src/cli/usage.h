/* What all commands share: reading options, --help, --version, and the line
 * that says what is wrong. */
#ifndef CLI_USAGE_H
#define CLI_USAGE_H

#include "cli/options.h"

enum { EXIT_USAGE = 2 };

/* One line on standard error, prefixed with the program's name. Returns
 * EXIT_USAGE. */
int complain(const char *format, ...) __attribute__((format(printf, 1, 2)));

/* Parse the words; answer --help and --version here, complain about what is
 * wrong, else run. Returns the exit status. */
int usage_run(enum command command, int argc, char *const argv[],
              int (*run)(const struct options *options));

/* The status, or 1 where what was printed could not be written. */
int usage_flush(int status);

#endif
