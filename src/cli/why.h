/* What the answers of `crawler why` are made of: the rule behind a verdict,
 * what would become of a URL, what a queued one waits for. Each prints lines.
 */
#ifndef CLI_WHY_H
#define CLI_WHY_H

#include "cli/ask.h"
#include "cli/evidence.h"
#include "cli/history.h"

enum {
    HOPS_SHOWN = 10,
    FATES_MAX = 2 + 2 * HOPS_SHOWN,
};

struct why {
    struct ask *ask;
    struct history history;
    struct page_link asked;      /* as a link of the crawl */
    struct page_link judged;     /* the spelling that it knows, where it does */
    struct fate fate[FATES_MAX]; /* the first: of the one that is asked for */
    size_t fates;
    struct evidence evidence; /* on its host */
    struct buf line;
};

/* "  label     the line so far", which is empty then. */
void why_say(struct why *why, const char *label);

/* A time of the wall clock, and how far away it is. */
void why_put_when(struct why *why, uint64_t wall_ms);

/* What a verdict is founded on. `depth` is of the URL, `line` of robots.txt.
 * For DOMAIN_CAP the crawl must be loaded. */
void why_say_rule(struct why *why, enum verdict verdict, uint32_t depth,
                  unsigned line);

/* The whole answer for a URL that the crawl has not met, and the rest of it for
 * one that is queued. Status 0, or another after one line on standard error. */
int why_say_never_seen(struct why *why);
int why_say_queued(struct why *why);

#endif
