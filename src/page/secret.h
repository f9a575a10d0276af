/* Headers that may prove who we are: they go only to origins that the user
 * named (page/trusted_origins.h), and are never written down. Nobody knows all
 * of them (X-Api-Key, X-Auth-Token, ...), so every header is one that is not
 * known to be harmless. */
#ifndef PAGE_SECRET_H
#define PAGE_SECRET_H

#include "base/str.h"

/* The name of "Name: value" where the value is nobody's business, otherwise
 * empty. */
struct str secret_header(struct str header);

#endif
