/* The value of --dns-servers: name servers as the user writes them. */
#ifndef NAMES_DNS_SERVERS_H
#define NAMES_DNS_SERVERS_H

#include "base/buf.h"

enum { DNS_SERVERS_MAX = 16 };

/* "ADDR[,ADDR]..." where ADDR is an IPv4 or IPv6 address, with a port as in
 * 127.0.0.1:5353 and [::1]:5353, else 53. Writes the form that dns_new takes:
 * every server with its port. False if the text is not so. */
bool dns_servers_parse(struct str text, struct buf *out);

#endif
