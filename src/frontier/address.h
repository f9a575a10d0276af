/* Addresses: several hosts may be one machine, and it is the machine that a
 * polite crawler must not tire. An address has so many fetches in flight and
 * rests after each; hosts that come up meanwhile are parked with it, in lots:
 * frontier/lot.c. */
#ifndef FRONTIER_ADDRESS_H
#define FRONTIER_ADDRESS_H

#include <stdbool.h>
#include <stdint.h>

#include "ds/heap.h"

/* IPv6, or IPv4 mapped into it. */
struct ip {
    uint8_t byte[16];
};

struct domain;
struct host;

struct address {
    struct heap_node node; /* among those that rest, by next_ms, or those that
                            * are open, by the best that is parked there */
    bool rests;
    uint32_t in_flight;
    uint32_t hosts; /* that are at it */
    uint64_t next_ms;
    uint64_t key;
    struct heap lots;   /* of domains that may be asked */
    struct host *crowd; /* parked in no lot, until the rest is over */
};

/* The hosts of one domain that are parked with one address. */
struct lot {
    struct heap_node node; /* in its address, while its domain may be asked */
    struct heap hosts;     /* never empty */
    struct address *address;
    struct domain *domain;
    struct lot *next; /* of the domain */
};

#endif
