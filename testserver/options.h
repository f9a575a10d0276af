/* The options of the playground and of its commands, from one table. */
#ifndef TESTSERVER_OPTIONS_H
#define TESTSERVER_OPTIONS_H

#include <stdio.h>

#include "testserver/web.h"

enum { OPTIONS_MAX_LIST = 256, OPTIONS_PROBLEM = 200 };

struct option_list {
    const char *item[OPTIONS_MAX_LIST];
    size_t count;
};

enum command {
    COMMAND_SERVE = 1, /* no command was named */
    COMMAND_TRUTH = 2,
    COMMAND_HOSTS = 4,
    COMMAND_CONNECT_TO = 8,
    COMMAND_OUTCOMES = 16,
};

struct options {
    enum command command;
    bool help;

    struct option_list listen, root, site, site_alone;
    const char *hostile;
    bool letters;
    uint64_t lifetime_ms;
    const char *record;
    bool record_headers;
    bool outlive_parent;

    const char *dns; /* the port, or NULL: no name server */
    const char *dns_names, *dns_record;
    uint64_t dns_delay_ms, dns_loss;

    struct web_options web;

    struct option_list start;
    const char *scope;
    uint64_t depth;
    bool ignore_robots;
    bool all;
};

/* False with a sentence in `problem`. */
bool play_parse(int argc, char **argv, struct options *options,
                char problem[OPTIONS_PROBLEM]);

void play_help(FILE *out);

/* "0.02" or "2%" as a part of WEB_ALL. */
bool play_share(struct str text, uint64_t *share);

#endif
