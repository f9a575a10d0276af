/* By hand: what a user orders while the crawl runs, on top of its rules.
 *
 * Invariant: an order for a host counts also after the host was forgotten and
 * is met again; the table remembers it. Of the patterns that match a URL the
 * latest counts. A URL that is refused by hand has the verdict BY_HAND, when it
 * is found or when its turn comes.
 */
#ifndef FRONTIER_BY_HAND_H
#define FRONTIER_BY_HAND_H

#include "base/hashtable.h"
#include "frontier/frontier.h"

enum { BY_HAND_MAX = 1000 }; /* hosts, and patterns */
#define BY_HAND_NO_DELAY UINT64_MAX

struct hand_host {
    uint64_t delay_ms; /* or BY_HAND_NO_DELAY */
    bool dropped;
};

struct hand_pattern {
    bool allows;
    struct str text; /* owned */
};

struct by_hand {
    struct hashtable hosts; /* struct hand_host, by the key of the host */
    struct hand_pattern *pattern;
    size_t pattern_count, pattern_room;
};

/* The host is that of the URL. Each is false where there are too many orders.
 *
 * Its pause from now on, BY_HAND_NO_DELAY: as the options say. A longer delay
 * that its robots.txt asks for counts all the same. A pause that is under way
 * becomes as short as the new one. */
bool frontier_set_delay(struct frontier *frontier, const struct url *url,
                        uint64_t delay_ms, uint64_t now_ms);

/* Its URLs come out refused, at once; or not any more. */
bool frontier_set_dropped(struct frontier *frontier, const struct url *url,
                          bool dropped, uint64_t now_ms);

/* A host that was given up may be asked again, when its pause is over. */
void frontier_revive_host(struct frontier *frontier, const struct url *url,
                          uint64_t now_ms);

/* Forget the host's trouble, and try again at once what waits for that. */
void frontier_forget_trouble(struct frontier *frontier, const struct url *url,
                             uint64_t now_ms);

/* URLs that match the glob are refused, or let through again. An order takes
 * back an earlier one of the other kind for the same pattern. */
bool frontier_add_pattern(struct frontier *frontier, struct str pattern,
                          bool allows);

/* --- private to src/frontier/ ------------------------------------------- */

void by_hand_init(struct by_hand *hand);
void by_hand_release(struct by_hand *hand);
/* The orders for the host with this key, or NULL. */
const struct hand_host *by_hand_host(const struct by_hand *hand, uint64_t key);
bool by_hand_refuses(const struct by_hand *hand, struct str url);

#endif
