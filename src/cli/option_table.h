/* The table behind cli/options.h. Private to src/cli/. */
#ifndef CLI_OPTION_TABLE_H
#define CLI_OPTION_TABLE_H

#include "cli/options.h"

enum option_type {
    OPTION_FLAG,
    OPTION_COUNT,    /* a whole number */
    OPTION_DURATION, /* milliseconds */
    OPTION_SIZE,     /* bytes */
    OPTION_TEXT,
    OPTION_LIST,   /* may be given again */
    OPTION_CHOICE, /* one of `choices`, stored as its number */
};

/* Whose an option is where several machines crawl together: what a machine that
 * joins does with it. Secrets are the machine's own: the engine has none. */
enum option_owner {
    OF_NO_CRAWL, /* only other commands have it */
    OF_CRAWL,   /* taken from the crawl if it is left out; another is refused */
    OF_COMMAND, /* it names a file: every machine must be given the same */
    OF_EITHER,  /* taken from the crawl if it is left out; another is the
                 * machine's own, and is said */
    OF_MACHINE, /* the machine's own; never taken from the crawl */
};

/* In the order in which a row reads best, whatever the padding. */
// NOLINTNEXTLINE(clang-analyzer-optin.performance.Padding)
struct option_row {
    const char *name;
    char letter; /* or 0 */
    enum option_type type;
    size_t at; /* offset in struct options */
    enum command commands;
    const char *group;
    const char *argument; /* as help names it; NULL for a flag */
    const char *initial;  /* the default, as the user would type it */
    uint64_t min, max;
    bool may_be_none;    /* "none" lifts this limit: OPTION_NONE, */
    bool none_is_max;    /* or the largest value: it guards against servers */
    const char *choices; /* "a|b|c" */
    bool fixed;     /* once the crawl has begun: a resume must not change it */
    bool ordered;   /* the order of these options counts: a resume keeps it */
    bool display;   /* changes only what a run shows: not kept by a resume */
    bool lapses;    /* if the same command again does not have it */
    bool has_login; /* a URL: a name and password in it are taken out */
    bool is_path;   /* recorded from the root: a resume may be elsewhere */
    const char *instead; /* it is given once: what to do instead of twice */
    bool never_recorded; /* not even that it was given */
    bool is_secret;      /* its value is hidden from the list of processes */
    enum option_owner owner;
    const char *help;
};

extern const struct option_row option_table[];
extern const size_t option_count;

/* The option of a crawl that was given as "name" or "name=value", or NULL. */
const struct option_row *option_row_of(const char *given);

#endif
