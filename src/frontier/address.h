/* Addresses: several hosts may be one machine, and it is the machine that a
 * polite crawler must not tire. An address has so many fetches in flight and
 * rests after each; hosts that come up meanwhile wait in its queue. */
#ifndef FRONTIER_ADDRESS_H
#define FRONTIER_ADDRESS_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/queue.h>

#include "base/heap.h"

/* IPv6, or IPv4 mapped into it. */
struct ip {
    uint8_t byte[16];
};

/* In a fleet: may this machine ask it? Only address_lease.c changes it. */
struct address_lease {
    TAILQ_ENTRY(address) link; /* of struct address_leases, if it is listed */
    bool is_listed;
    bool is_held;        /* by this machine */
    bool was_asked_for;  /* since it was last given up */
    bool is_wanted;      /* held, and another machine wants it ... */
    uint64_t wanted_ms;  /* ... since this time */
    bool is_closing;     /* held, but no fetch may begin any more */
    uint64_t ask_for_ms; /* not held: not to be asked for before */
};

struct address {
    struct heap_node node; /* among the resting ones, by next_ms, or among the
                            * open ones, by the first host in the queue */
    bool rests;
    uint32_t in_flight;
    uint32_t hosts; /* at this address */
    uint64_t next_ms;
    uint64_t key;
    struct heap queue; /* of hosts, by turn; breadth-first by depth before */
    struct ip ip;
    struct address_lease lease;
};

#endif
