/* The playground's name server: UDP and TCP on one port of 127.0.0.1, in a
 * thread of its own.
 *
 * Every name leads to the playground, but for those that a table answers
 * otherwise (testserver/dns_names.h). Hosts of the synthetic web are spread
 * over the addresses of the first --listen, as `playground connect-to` does.
 * Replies may be late and may be lost; every query is recorded.
 */
#ifndef TESTSERVER_DNS_H
#define TESTSERVER_DNS_H

#include "testserver/web.h"

struct dns_options {
    uint64_t port;      /* 0: any free one */
    uint64_t delay_ms;  /* before each reply over UDP */
    uint64_t loss;      /* share of the queries over UDP without a reply */
    const char *names;  /* a table, or NULL */
    const char *record; /* a file for the record, or NULL */
    struct web_options web;
    const char *listen; /* where the playground is, as of address_parse */
};

enum { DNS_PROBLEM = 256 };

struct dns_server;

/* NULL with a sentence in `problem`. */
struct dns_server *dns_server_start(const struct dns_options *options,
                                    char problem[DNS_PROBLEM]);

/* The record is complete after. NULL is fine. */
void dns_server_stop(struct dns_server *server);

uint16_t dns_server_port(const struct dns_server *server);

#endif
