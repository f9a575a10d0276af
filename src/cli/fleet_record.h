/* The record of a crawl at postgres://, for the commands that read records. It
 * is copied into a file first (fleet/fleet_copy.h): then everything that can be
 * said of a page directory can be said of a fleet. Only `why` reads it in
 * place: it needs a partition or two.
 *
 * The functions return status 0, or another after one line on standard error:
 * EXIT_USAGE if there is no such crawl or no such engine, 1 if it cannot be
 * read. */
#ifndef CLI_FLEET_RECORD_H
#define CLI_FLEET_RECORD_H

#include "base/mem.h"
#include "report/report.h"

struct options;

/* Open the copy of a fleet's record to be read: store, machines and what else a
 * report needs, but for the rules of the crawl. `options` name the engine and
 * the crawl. The copy is in a temporary directory that is gone already. */
int fleet_record_open(struct report *report, const struct options *options,
                      struct arena *arena);

/* The same without the copy: the report's store has the settings of the crawl
 * and, after report_turn_to, one partition. What is shown is of the moment of
 * this call. */
int fleet_record_open_in_place(struct report *report,
                               const struct options *options,
                               struct arena *arena);

/* Make the copy after all, of the same moment, and go on with that. */
int fleet_record_copy(struct report *report, struct arena *arena);

/* What a frontier must know to hold a partition that is read in place. */
void fleet_record_partition(const struct report *report,
                            struct frontier_options *options);

/* Find the machine whose page directory this is. */
int fleet_record_find_machine(struct report *report, const char *dir_path,
                              struct arena *arena);

/* --format sqlite: the copy is the file of --output. */
int fleet_record_export(const struct options *options);

#endif
