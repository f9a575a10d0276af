/* The answer to "which addresses has this host name?" */
#ifndef NAMES_NAME_ANSWER_H
#define NAMES_NAME_ANSWER_H

#include <netinet/in.h>
#include <stdbool.h>
#include <stdint.h>

#include "base/str.h"

enum {
    NAME_LEN_MAX = 253, /* RFC 1035, without the dot at the end */
    /* A name may have hundreds of addresses; more than these are not used. */
    NAME_ADDRESSES_MAX = 16,
};

enum name_result {
    NAME_FOUND,   /* it has addresses */
    NAME_UNKNOWN, /* there is no such name, or it has no address */
    NAME_FAILED,  /* no name server gave an answer that can be used */
};

struct name_answer {
    enum name_result result;
    uint32_t ttl_s; /* as the name server said */
    unsigned count;
    struct in6_addr address[NAME_ADDRESSES_MAX]; /* IPv4 ones are mapped */
};

/* Add an address, unless it is there or there are too many. */
void name_answer_add(struct name_answer *answer,
                     const struct in6_addr *address);
void name_answer_add_v4(struct name_answer *answer,
                        const struct in_addr *address);

/* Put the addresses into the order in which they are tried. With a route for
 * IPv6 the two kinds take turns, IPv6 first (RFC 8305); without, IPv4 comes
 * first. Within a kind the order stays. */
void name_answer_sort(struct name_answer *answer, bool has_ipv6);

/* A name as it is looked up and remembered: small letters, no dot at the end.
 * False if it cannot be a host name. */
bool name_normalize(struct str name, char out[NAME_LEN_MAX + 1], size_t *len);

#endif
