/* Headers that may prove who we are: they go only to origins that the user
 * named (page/trusted_origins.h) and are never recorded. Nobody knows all of
 * them (X-Api-Key, X-Auth-Token, ...), so a header is secret unless it is known
 * to be harmless. */
#ifndef PAGE_SECRET_H
#define PAGE_SECRET_H

#include "base/buf.h"
#include "base/str.h"

/* The name of "Name: value" if the header is secret, otherwise empty. */
struct str secret_header(struct str header);

/* Take the secret lines out of a request's head, and return it; empty if it is
 * not whole. */
struct str secret_leave_out(struct buf *head);

#endif
