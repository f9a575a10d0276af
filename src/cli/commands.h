/* The commands: what each does with its options. The row of a command in
 * cli/usage.c says how many arguments it gets. They return the exit status;
 * usage_run() flushes standard output after them. */
#ifndef CLI_COMMANDS_H
#define CLI_COMMANDS_H

#include "cli/options.h"

/* cli/command_crawl.c */
int command_crawl(const struct options *options);

/* cli/command_input.c: they read a file or standard input as a crawl would. */
int command_url(const struct options *options);
int command_links(const struct options *options);
int command_robots(const struct options *options);

/* cli/command_record.c: they read the record of a crawl. */
int command_status(const struct options *options);
int command_why(const struct options *options);
int command_verify(const struct options *options);
int command_export(const struct options *options);

#endif
