/* The hosts that matter most, for people who watch the crawl: where each stands
 * and what it waits for.
 *
 * A call looks at LISTING_LOOKED_AT hosts at most, however many there are: at
 * those it listed the time before, and at the next ones of the table. So a
 * crawl of a million hosts pays no more for it than one of a thousand, and a
 * host that has come to matter is listed after a few calls.
 */
#ifndef FRONTIER_LISTING_H
#define FRONTIER_LISTING_H

#include "frontier/frontier.h"

enum { LISTING_HOSTS = 50, LISTING_LOOKED_AT = 4096 };

/* Why a host is not asked right now. */
enum host_wait {
    WAIT_FETCHING,   /* it is */
    WAIT_TURN,       /* it may be asked, but others go before it */
    WAIT_PAUSE,      /* until `until_ms` */
    WAIT_BACKOFF,    /* until `until_ms`: it was in trouble */
    WAIT_RETRY,      /* all that is left is tried again later */
    WAIT_LOOKUP,     /* of its name */
    WAIT_ROBOTS,     /* its robots.txt was asked for */
    WAIT_ADDRESS,    /* its address is in use or rests */
    WAIT_DOMAIN,     /* its domain has enough fetches in flight */
    WAIT_DOMAIN_CAP, /* its domain has had all its fetches */
    WAIT_GIVEN_UP,
    WAIT_DROPPED, /* by hand */
    WAIT_NOTHING, /* nothing is queued */
    HOST_WAITS,
};

struct host_shown {
    struct str name, domain; /* until the frontier changes */
    enum host_wait wait;
    uint32_t in_flight;
    uint64_t until_ms; /* 0: not known */
    uint64_t queued;   /* in memory, on disk and to be tried again */
    uint64_t delay_ms;
    uint32_t shared_with; /* other hosts at its address */
    bool delay_of_robots; /* the delay is that of its robots.txt */
    bool delay_by_hand;
    bool has_trouble;
    uint8_t last_outcome; /* of its last trouble, if it has any */
};

/* Kept by the caller between two calls; all 0 at first. */
struct host_listing {
    uint64_t key[LISTING_HOSTS];
    size_t count;
    size_t at; /* where the table is looked at next */
};

/* Those in trouble first, then those with the most to fetch, then those that
 * were given up. The number of hosts in `shown`. */
size_t frontier_list_hosts(const struct frontier *frontier,
                           struct host_listing *listing,
                           struct host_shown shown[LISTING_HOSTS]);

/* The time that the slowest host needs for what it has queued: a pause for each
 * URL, or for as many as may be asked for at once. A call looks at some hosts,
 * as above, and remembers the slowest that it has met; `slowest` is all 0 at
 * first. */
struct slowest_host {
    uint64_t key;
    size_t at;
};
uint64_t frontier_slowest_ms(const struct frontier *frontier,
                             struct slowest_host *slowest);

/* How many of the hosts that are remembered stand where. */
struct host_counts {
    size_t fetching, ready, pause, backoff, lookup, address, idle;
};
struct host_counts frontier_host_counts(const struct frontier *frontier);

#endif
