/* Addresses: several hosts may be one machine, and it is the machine that a
 * polite crawler must not tire. An address has so many fetches in flight and
 * rests after each; hosts that come up meanwhile wait in its queue. */
#ifndef FRONTIER_ADDRESS_H
#define FRONTIER_ADDRESS_H

#include <stdbool.h>
#include <stdint.h>

#include "ds/heap.h"

/* IPv6, or IPv4 mapped into it. */
struct ip {
    uint8_t byte[16];
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
};

#endif
