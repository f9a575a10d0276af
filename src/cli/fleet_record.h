/* The record of a crawl at postgres://, for the commands that read records. It
 * is copied into a file first (fleet/fleet_copy.h): then everything that can be
 * said of a page directory can be said of a fleet.
 *
 * The functions return status 0, or another after one line on standard error:
 * EXIT_USAGE if there is no such crawl or no such engine, 1 if it cannot be
 * read. */
#ifndef CLI_FLEET_RECORD_H
#define CLI_FLEET_RECORD_H

#include "base/arena.h"
#include "report/report.h"

struct options;

/* Open the copy of a fleet's record to be read: store, machines and what else a
 * report needs, but for the rules of the crawl. `options` name the engine and
 * the crawl. The copy is in a temporary directory that is gone already. */
int fleet_record_open(struct report *report, const struct options *options,
                      struct arena *arena);

/* Find the machine whose page directory this is. */
int fleet_record_find_machine(struct report *report, const char *dir_path,
                              struct arena *arena);

/* --format sqlite: the copy is the file of --output. */
int fleet_record_export(const struct options *options);

#endif
