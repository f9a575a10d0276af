/* Shared by all commands: finding the command, reading its options, --help,
 * --version, and the line that says what is wrong. */
#ifndef CLI_USAGE_H
#define CLI_USAGE_H

#include <stdbool.h>
#include <stdlib.h>

enum { EXIT_USAGE = 2 };

/* Run the command that the words behind the program's name ask for. Returns the
 * exit status. */
struct arguments;
int usage_run(const struct arguments *arguments);

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

/* Open the record in a page directory, with the rules of its crawl, and let
 * `use` read it; `use` returns a status, or -1 if report->error says why the
 * record cannot be read. A record without links is refused. The status, after
 * one line if it is not that of `use`. */
struct report;
struct plan;
int record_use(const char *dir_path,
               int (*use)(struct report *report, struct plan *plan, void *user),
               void *user);

/* Write the package of a crawl to a file, whose name is for messages only; the
 * status as above. */
int record_package_to(const char *dir_path, int fd, const char *name);

/* cli/command_report.c: what is wrong with a site. */
int command_report(const struct options *options);

/* cli/check_external.c: ask for the pages of other sites that it links to,
 * through the proxy of the options given `now`, if there is one. Before all
 * else: must it be given, because the recorded one had a password? */
struct findings;
struct list;
int check_external(struct findings *findings, const struct plan *recorded,
                   const struct list *now);
int check_external_proxy(const struct plan *recorded, const struct list *now);

/* Formats that are made of a record, or of WARC files. */
int command_export(const struct options *options);

/* cli/command_export_pages.c: its part for --format pages. */
int command_export_pages(const struct options *options);
int command_export_archives(const struct options *options);

/* The records of WARC files. */
int command_warc(const struct options *options);

/* cli/command_live.c: orders to a running crawl, and its figures. */
int command_ctl(const struct options *options);
int command_watch(const struct options *options);

/* cli/command_fleet.c: commands of a fleet, whose engine is an argument. */
int command_fleet_status(const struct options *options);
int command_fleet_pause(const struct options *options);
int command_fleet_continue(const struct options *options);
int command_fleet_stop(const struct options *options);
int command_fleet_lost(const struct options *options);
int command_fleet_add(const struct options *options);

/* cli/command_completion.c: how a shell completes the words of a command. */
int command_completion(const struct options *options);

/* The name of a command by its number, from 1, with the bits of its options
 * (enum command) and what it does; NULL after the last. */
const char *usage_command(size_t number, unsigned *command, const char **help);

/* cli/command_serve.c: a recorded crawl behind a proxy. */
int command_serve(const struct options *options);

#endif
