/* A certificate authority for one run of `crawler serve`.
 *
 * A client that asks for https gets a certificate for the name that it asks
 * for, signed by this authority. The private keys are made at the start and
 * stay in memory, so nobody can use the authority's certificate afterwards.
 */
#ifndef REPLAY_CERTIFICATE_AUTHORITY_H
#define REPLAY_CERTIFICATE_AUTHORITY_H

#include <openssl/types.h>

#include "base/str.h"

struct certificate_authority;

/* NULL if libcrypto fails. */
struct certificate_authority *certificate_authority_new(void);
void certificate_authority_free(struct certificate_authority *authority);

/* Its certificate, for those who want to trust it. */
struct str
certificate_authority_pem(const struct certificate_authority *authority);

/* Is this the certificate of an authority, of this run or another, and nothing
 * else? */
bool certificate_authority_made(struct str pem);

/* Is this a name or an address that a certificate can be for? "example.org",
 * "192.0.2.1", "[2001:db8::1]". */
bool certificate_authority_can_sign(struct str host);

/* The server's side of a TLS connection on a non-blocking socket. NULL if the
 * host has no certificate or libssl fails. */
SSL *certificate_authority_accept(struct certificate_authority *authority,
                                  struct str host, int fd);

#endif
