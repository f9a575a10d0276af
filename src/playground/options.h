/* The options of the playground, from one table. */
#ifndef PLAYGROUND_OPTIONS_H
#define PLAYGROUND_OPTIONS_H

#include <stdio.h>

#include "base/str.h"

enum { OPTIONS_MAX_LIST = 64 };

struct option_list {
    const char *item[OPTIONS_MAX_LIST];
    size_t count;
};

struct options {
    struct option_list listen, root, site;
    bool letters;
    uint64_t lifetime_us;
    const char *record;
    bool record_headers;
    bool outlive_parent;
    bool help;
};

/* False with a sentence in `problem` (a static buffer is not used: room for
 * OPTIONS_PROBLEM bytes is the caller's). */
enum { OPTIONS_PROBLEM = 200 };
bool options_parse(int argc, char **argv, struct options *options,
                   char problem[OPTIONS_PROBLEM]);

void options_help(FILE *out);

/* "250ms", "10s", "5m", "2h"; a bare number is seconds. */
bool options_duration(struct str text, uint64_t *us);

#endif
