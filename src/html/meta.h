/* The meaning of meta elements, and of headers that do the same.
 * All values are decoded already.
 */
#ifndef HTML_META_H
#define HTML_META_H

#include "base/str.h"

/* The URL in the content of <meta http-equiv=refresh>, or of a Refresh header
 * ("5; url=next.html"), by the standard's shared declarative refresh steps.
 * {NULL, 0} where the content is no refresh or one of the page itself. */
struct str html_refresh_url(struct str content);

/* Add what the content of <meta name=robots> forbids ("noindex, nofollow",
 * "none" for both, "noarchive"); what it allows takes nothing back. */
void html_robots_rules(struct str content, bool *noindex, bool *nofollow,
                       bool *noarchive);

/* Does the content of <meta http-equiv=content-security-policy>, or of such a
 * header, have browsers ask for https where the page names http
 * (upgrade-insecure-requests)? */
bool html_policy_upgrades(struct str policy);

#endif
