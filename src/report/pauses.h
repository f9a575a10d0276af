/* Was a host ever asked before its pause was over? The recorded times of all
 * that was fetched from it tell: pages, sitemaps and robots.txt alike.
 *
 * A crawl keeps this rule: a fetch begins when fewer than `per_host` are in
 * flight and all pauses that it knows of are over. It may not know yet that a
 * fetch has ended, but then that one counts as in flight. So at any start fewer
 * than `per_host` of the fetches before it have not had their pause.
 */
#ifndef REPORT_PAUSES_H
#define REPORT_PAUSES_H

#include "base/arena.h"
#include "ds/hashtable.h"

/* A fetch; its host may become known later. There is one for every fetch, so it
 * is small. */
struct pause_fetch {
    uint64_t start_ms;
    uint32_t ms;       /* how long it took */
    uint32_t pause_ms; /* that the host is given after it */
    uint32_t number;   /* of the URL, to find the host by; 0: it is known */
    const struct str *host; /* pauses_host; NULL: it is not known */
};

struct findings;

struct pauses {
    struct pause_fetch *fetch;
    size_t count, room;
    struct hashtable hosts; /* their names */
    struct arena arena;
    uint64_t seed;
};

void pauses_init(struct pauses *pauses, uint64_t seed);
void pauses_release(struct pauses *pauses);

/* The one copy of a host's name, "example.org:8080", which stands for it. */
const struct str *pauses_host(struct pauses *pauses, struct str name);

void pauses_add(struct pauses *pauses, const struct pause_fetch *fetch);

/* Sort and check them. Fetches without a host are left out. */
void pauses_check(struct pauses *pauses, uint32_t per_host,
                  struct findings *findings);

#endif
