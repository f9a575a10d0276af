/* Messages of the DNS (RFC 1035), as far as a name server for tests needs them:
 * one question in, addresses and aliases out. */
#ifndef TESTSERVER_DNS_MESSAGE_H
#define TESTSERVER_DNS_MESSAGE_H

#include <netinet/in.h>

#include "base/buf.h"

enum {
    DNS_MESSAGE_MAX = 65535,
    DNS_NAME_MAX = 255,
    DNS_TYPE_A = 1,
    DNS_TYPE_CNAME = 5,
    DNS_TYPE_AAAA = 28,
    DNS_FLAG_ANSWER = 0x8180, /* a response; recursion desired, available */
    DNS_FLAG_TRUNCATED = 0x0200,
};

enum dns_rcode {
    DNS_NOERROR = 0,
    DNS_FORMERR = 1,
    DNS_SERVFAIL = 2,
    DNS_NXDOMAIN = 3,
    DNS_NOTIMP = 4,
    DNS_REFUSED = 5,
};

struct dns_query {
    uint16_t id, type;
    char name[DNS_NAME_MAX + 1]; /* with dots, small letters */
    struct str question;         /* its bytes, to be repeated in the reply */
};

/* False if the bytes are no question that can be answered. */
bool dns_query_parse(struct str bytes, struct dns_query *query);

/* A reply begins with the question; then come records. */
void dns_reply_begin(struct buf *out, const struct dns_query *query,
                     unsigned flags);
void dns_reply_add_cname(struct buf *out, const char *name, uint32_t ttl_s,
                         const char *target);
void dns_reply_add_address(struct buf *out, const char *name, uint32_t ttl_s,
                           const struct in6_addr *address);

#endif
