/* Shared by all commands: finding the command, reading its options, --help,
 * --version, and the line that says what is wrong. */
#ifndef CLI_USAGE_H
#define CLI_USAGE_H

#include <stdbool.h>
#include <stdlib.h>

enum { EXIT_USAGE = 2 };

/* Run the command that the words after the program's name ask for. Returns the
 * exit status. */
int usage_run(int argc, char *const argv[]);

/* One line on standard error, after the program's name. Returns EXIT_USAGE. */
int complain(const char *format, ...) __attribute__((format(printf, 1, 2)));

/* The same if it is not the user's mistake: EXIT_FAILURE. */
#define complain_failure(...) (complain(__VA_ARGS__), EXIT_FAILURE)

/* The commands. Each gets as many arguments as its row in cli/usage.c says, and
 * returns the exit status; standard output is flushed after it. */
struct options;
int command_crawl(const struct options *options);

/* cli/command_input.c: they read a file or standard input as a crawl would. */
int command_url(const struct options *options);
int command_links(const struct options *options);
int command_robots(const struct options *options);

/* status, why, verify and export, which read the record of a crawl. */
int command_record(const struct options *options);

/* --wacz: package the crawl that has ended; status 0, or another after one line
 * on standard error. The name of the package, in `arena`; it is in archive/. */
struct arena;
int record_package(const char *dir_path, bool is_quiet);
const char *record_package_name(const char *dir_path, struct arena *arena);
bool record_has_package(const char *dir_path);

/* Write the package of a crawl to a file, whose name is for messages only; the
 * status as above. */
int record_package_to(const char *dir_path, int fd, const char *name);

/* Formats that are made of a record, or of WARC files. */
int command_export(const struct options *options);

/* cli/export_pages.c: its part for --format pages. */
int command_export_pages(const struct options *options);

/* The records of WARC files. */
int command_warc(const struct options *options);

/* cli/command_serve.c: a recorded crawl behind a proxy. */
int command_serve(const struct options *options);

#endif
