/* IP addresses in hosts, as the URL standard reads and writes them.
 * Private to url/. */
#ifndef URL_IP_H
#define URL_IP_H

#include <arpa/inet.h>

#include "base/str.h"

/* The longest texts, with a NUL that is not counted. */
enum { IPV4_TEXT_MAX = INET_ADDRSTRLEN, IPV6_TEXT_MAX = INET6_ADDRSTRLEN };

/* Whether the last label is a number, decimal or hexadecimal: then the host
 * is an IPv4 address or nothing. */
bool ipv4_is_meant(struct str host);

/* The address in any of the forms browsers take: "0x7f.1" is 127.0.0.1. */
bool ipv4_parse(struct str host, uint32_t *address);
size_t ipv4_write(char to[static IPV4_TEXT_MAX], uint32_t address);

/* Without the brackets. */
bool ipv6_parse(struct str text, struct in6_addr *address);
size_t ipv6_write(char to[static IPV6_TEXT_MAX],
                  const struct in6_addr *address);

#endif
