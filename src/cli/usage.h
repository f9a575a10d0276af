/* What all commands share: finding the command, reading its options, --help,
 * --version, and the line that says what is wrong. */
#ifndef CLI_USAGE_H
#define CLI_USAGE_H

enum { EXIT_USAGE = 2 };

/* Run the command that the words after the program's name ask for. Returns the
 * exit status. */
int usage_run(int argc, char *const argv[]);

/* One line on standard error, after the program's name. Returns EXIT_USAGE. */
int complain(const char *format, ...) __attribute__((format(printf, 1, 2)));

#endif
