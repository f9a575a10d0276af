/* Which URLs are wanted, and which parts of them: --include, --exclude,
 * --exclude-from, --strip-query. The status is 0, or EXIT_USAGE after one line
 * on standard error. */
#ifndef CLI_FILTERING_H
#define CLI_FILTERING_H

#include "cli/options.h"
#include "web/filter.h"
#include "web/normalize.h"

/* Put the lines of every --exclude-from in its place among the options as
 * given, each as an --exclude: then the record of a crawl has the patterns, and
 * a resume does not need the file. */
int filtering_read_files(struct options *options);

bool filtering_has_rules(const struct options *options);

/* Make what the options ask for; NULL where they ask for nothing. The caller
 * frees both in any case. */
int filtering_make(const struct options *options, struct filter **filter,
                   struct query_keys **strip);

#endif
