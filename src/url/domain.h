/* Registrable domains by the public suffix list: "www.example.co.uk" belongs
 * to "example.co.uk". */
#ifndef URL_DOMAIN_H
#define URL_DOMAIN_H

#include "base/str.h"

/* The list, loaded: the newer of the system's file and libpsl's own copy.
 * Threads may share it. */
struct domains;

struct domains *domains_new(void);
void domains_free(struct domains *domains);

/* The registrable domain of `host`, which is the host of a struct url; the
 * result is a slice of it, without a dot at the end. A host that has none is
 * its own domain: an IP address, a single label, a public suffix. */
struct str domain_of_host(const struct domains *domains, struct str host);

/* Without the dot that an absolute name may end with; of "a.." none is taken,
 * it would not become a name. */
struct str domain_trim_dot(struct str host);

#endif
