/* Registrable domains by the public suffix list: "www.example.co.uk" belongs
 * to "example.co.uk". */
#ifndef WEB_DOMAIN_H
#define WEB_DOMAIN_H

#include "base/str.h"

/* The list, loaded: the newer of the system's file and libpsl's own copy.
 * Threads may share it. */
struct domains;

struct domains *domains_new(void);
void domains_free(struct domains *domains);

/* Which list it is, in words that differ where lists differ. */
enum { DOMAINS_DIGEST_LEN = 31 };
void domains_digest(const struct domains *domains,
                    char digest[DOMAINS_DIGEST_LEN + 1]);

/* The registrable domain of `host`, which is the host of a struct url; the
 * result is a slice of it, without a dot at the end. A host that has none is
 * its own domain: an IP address, a single label, a public suffix. */
struct str domain_of_host(const struct domains *domains, struct str host);

/* Is it a public suffix, such as "co.uk", or a single label? */
bool domain_is_public_suffix(const struct domains *domains, struct str name);

/* Without the dot that an absolute name may end with; of "a.." none is taken,
 * it would not become a name. */
struct str domain_trim_dot(struct str host);

#endif
