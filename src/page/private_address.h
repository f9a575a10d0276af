/* Which addresses a crawl may connect to.
 *
 * A page from the outside must not make the crawler talk to the machines
 * around it, so private, loopback and other special addresses are refused
 * for hosts that the user did not name. The check is on the address that is
 * about to be connected to, after name resolution, on every hop.
 */
#ifndef PAGE_PRIVATE_ADDRESS_H
#define PAGE_PRIVATE_ADDRESS_H

#include <sys/socket.h>

#include "base/str.h"

/* Not a public unicast address, or one that embeds such an IPv4 address. */
bool address_is_private(const struct sockaddr *address);

/* Does a connection to `address` reach this listener of our own, whether it is
 * written as IPv4, mapped into IPv6, or as 0.0.0.0? */
bool address_leads_to(const struct sockaddr *address,
                      const struct sockaddr *listener);

/* The address of a URL's host that is a literal ("127.0.0.1", "[::1]").
 * False where it is a name. */
bool address_of_literal(struct str host, struct sockaddr_storage *address);

/* Does the name mean this machine, whatever the DNS says (RFC 6761)? */
bool address_is_local_name(struct str host);

#endif
