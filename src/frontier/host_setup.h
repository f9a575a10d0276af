/* Host setup: the name of a host is looked up and its robots.txt is fetched
 * before the first of its pages; the rules are kept.
 *
 * Invariant: a host has at most one step of its setup under way, and while it
 * has one no page of it is fetched. At most LOOKUPS_MAX names are looked up at
 * once, and at most LOOKUPS_PER_DOMAIN of a domain, so that a domain whose name
 * servers do not answer leaves the resolver to others.
 *
 * It knows no order and no disk. Private to src/frontier/.
 */
#ifndef FRONTIER_HOST_SETUP_H
#define FRONTIER_HOST_SETUP_H

#include "frontier/frontier_options.h"
#include "frontier/rules.h"
#include "frontier/target.h"

enum { LOOKUPS_MAX = 1000, LOOKUPS_PER_DOMAIN = 8 };

/* Its part of a host. */
struct host_setup {
    bool resolved;
    bool under_way;    /* the look-up of its name, or its robots.txt */
    bool robots_https; /* robots.txt is asked for on behalf of https pages */
    /* Of a fleet: it moved to a host of another machine, which is asked for it;
     * or the host is another machine's, which has asked us for it. */
    bool is_elsewhere, is_guest;
    uint8_t address_turn; /* which address of its name: the next one each time
                           * that one did not answer */
    struct host_robots robots[2]; /* by target_is_https */
};

struct setups {
    bool robots;       /* robots.txt is asked for */
    size_t under_way;  /* hosts */
    size_t lookups;    /* of them: of their names */
    struct host *last; /* that began, or NULL; for people */
    struct rules rules;
};

void setups_init(struct setups *setups, const struct frontier_options *options);

static inline bool setups_may_look_up(const struct setups *setups)
{
    return setups->lookups < LOOKUPS_MAX;
}

/* The target that looks up the name of the host of this page. */
struct target *setup_begin_lookup(struct setups *setups,
                                  const struct target *page);
void setup_end_lookup(struct setups *setups, struct host *host);

/* A robots.txt is asked for, on behalf of pages of this scheme. */
void setup_begin(struct setups *setups, struct host *host, bool https);

/* The target that fetches robots.txt for this page; NULL if it is known. */
struct target *setup_begin_robots(struct setups *setups,
                                  const struct target *page, uint64_t now_ms);

/* The look-up or the robots.txt has ended. Do not call it for a robots.txt that
 * moved. */
void setup_end(struct setups *setups, struct host *host);

/* The host whose setup this target is a step of. It may not be the one that is
 * asked: robots.txt may have moved. */
struct host *setup_host(const struct target *step);
/* Is it on behalf of https pages? A name is looked up for both. */
bool setup_is_for_https(const struct target *step);

void setup_set_rules(struct setups *setups, struct host *host, bool https,
                     struct robots *rules, uint64_t until_ms);
void setup_forget(struct setups *setups, struct host *host);

/* The host did not answer: before the next fetch its name is looked up again,
 * for another address. */
void setup_try_next_address(struct host *host);

/* The longer of `delay_ms` and the crawl delay of the host's robots.txt, with
 * `rules` in place of those of `replaced`, if that is not NULL. */
uint64_t setup_delay_ms(const struct host *host, uint64_t delay_ms,
                        const struct host_robots *replaced,
                        const struct robots *rules);

/* What robots.txt says of a path, at the target's turn. Rules that take long to
 * read cost everybody's time, so their host has to rest for `*rest_ms`, ten
 * times as long: a hostile file slows down its own host, no other. */
enum verdict setup_verdict(struct host *host, bool https, struct str path,
                           unsigned *line, uint64_t *rest_ms);

/* The same when a URL is found; ACCEPT if it is not known or takes long. */
enum verdict setup_precheck(struct host *host, bool https, struct str path,
                            unsigned *line, uint64_t now_ms);

#endif
