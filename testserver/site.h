/* A site described by a text table: paths and how each is answered.
 *
 * The language is in docs/playground.md. A site is read and checked once, and
 * only looked up after that; nothing but the counters of `times` changes.
 */
#ifndef TESTSERVER_SITE_H
#define TESTSERVER_SITE_H

#include "base/hashtable.h"
#include "base/mem.h"
#include "testserver/reply.h"

enum { SITE_PROBLEM = 200 };

/* How the fetch of an entry's URL must end (hostile.h). */
struct site_expectation {
    struct str outcome; /* empty: nothing is expected */
    uint32_t kind;      /* a number from the list of kinds */
    struct str url;
    bool is_linked; /* from the index page, not only from another entry */
};

struct site_entry {
    struct str method;               /* empty: any */
    struct str host;                 /* empty: any */
    struct str path;                 /* with the query if the entry has one */
    bool is_prefix;                  /* it ended in "*" */
    struct str when_name, when_text; /* a header that the request must have */
    uint64_t times_left;             /* UINT64_MAX: for ever */
    struct reply reply;
    struct site_expectation expectation;

    uint32_t order;          /* in the file: the first that fits answers */
    struct site_entry *next; /* in the file */
    struct site_entry *next_alike; /* of the same path, or a prefix */
};

struct site {
    struct arena arena;
    struct site_entry *first;
    struct hashtable by_path;
    struct site_entry *prefixes;
};

/* Read a site from `text`; files it names are in `dir`. NULL and "line N: why"
 * in `problem` if it has a mistake. */
struct site *site_parse(struct str text, const char *dir,
                        char problem[SITE_PROBLEM]);
void site_free(struct site *site);

/* Read a site from a file; files it names are beside it. */
struct site *site_read(const char *path, char problem[SITE_PROBLEM]);

/* The entry that answers, with its `times` counted down; NULL if none does. */
const struct site_entry *site_find(struct site *site,
                                   const struct http_request *request);

/* A source that serves the site in a file. */
bool site_source(const char *path, struct source *source,
                 char problem[SITE_PROBLEM]);

#endif
