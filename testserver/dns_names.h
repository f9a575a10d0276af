/* The names of the playground's name server that are answered in a way of their
 * own: a text table, whose language is in docs/playground.md. */
#ifndef TESTSERVER_DNS_NAMES_H
#define TESTSERVER_DNS_NAMES_H

#include <netinet/in.h>

#include "base/mem.h"
#include "testserver/dns_message.h"

enum {
    DNS_NAMES_PROBLEM = 200,
    DNS_ADDRESSES_MAX = 256, /* of an entry */
    DNS_TTL_S = 300,         /* where none is given */
};

/* How a question is answered. */
struct dns_entry {
    struct dns_entry *next;
    struct str name;        /* empty: every name */
    bool is_suffix;         /* "*.example.org": all names that end so */
    uint64_t times_left[2]; /* for A, for others; UINT64_MAX: for ever */
    struct in6_addr address[DNS_ADDRESSES_MAX];
    size_t count;
    const char *cname; /* NULL: none */
    uint32_t ttl_s;
    uint64_t delay_us; /* on top of the server's */
    enum dns_rcode rcode;
    bool drop;      /* no answer at all */
    bool truncated; /* over UDP; all is there over TCP */
    bool garbage;   /* bytes that are no reply, after the id */
    bool wrong_id;
};

struct dns_names {
    struct arena arena;
    struct dns_entry *first;
};

/* Read the table. False and "line N: why" in `problem` if it has a mistake;
 * release it all the same. */
bool dns_names_parse(struct dns_names *names, struct str text,
                     char problem[DNS_NAMES_PROBLEM]);
bool dns_names_read(struct dns_names *names, const char *path,
                    char problem[DNS_NAMES_PROBLEM]);
void dns_names_release(struct dns_names *names);

/* The first entry that fits, with its `times` for this type counted down; NULL
 * if none does. */
const struct dns_entry *dns_names_find(struct dns_names *names,
                                       const char *name, uint16_t type);

#endif
