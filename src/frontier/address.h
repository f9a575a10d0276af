/* Addresses: several hosts may be one machine, and it is the machine that a
 * polite crawler must not tire. An address has one fetch in flight and rests
 * after it; hosts that come up meanwhile are parked with it. */
#ifndef FRONTIER_ADDRESS_H
#define FRONTIER_ADDRESS_H

#include <stdbool.h>
#include <stdint.h>

#include "ds/heap.h"

/* IPv6, or IPv4 mapped into it. */
struct ip {
    uint8_t byte[16];
};

struct host;

struct address {
    struct heap_node node; /* among those that rest, by next_ms */
    uint32_t in_flight;
    uint32_t hosts; /* that are at it */
    uint64_t next_ms;
    uint64_t key;
    struct host *parked; /* until the rest is over */
};

#endif
