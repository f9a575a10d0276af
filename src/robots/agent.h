/* The product token: the name under which robots.txt knows a crawler.
 *
 * RFC 9309 2.2.1: it is letters, '-' and '_', and should be part of the
 * User-Agent that is sent, so that who reads a server's log knows which name to
 * write into robots.txt. */
#ifndef ROBOTS_AGENT_H
#define ROBOTS_AGENT_H

#include "base/str.h"

/* Letters, '-' and '_', at least one. */
bool robots_is_token(struct str text);

/* The token of a User-Agent: the name of its first product, "mybot" of
 * "mybot/1.0 (+http://mybot.example/)"; or, of a crawler that calls itself
 * compatible with a browser, the name after that word: "mybot" of "Mozilla/5.0
 * (compatible; mybot/1.0; +http://mybot.example/)". A part of `user_agent`;
 * empty where that name is no token. */
struct str robots_token_of(struct str user_agent);

#endif
