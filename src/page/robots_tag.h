/* X-Robots-Tag: what a header asks of robots for this one answer. */
#ifndef PAGE_ROBOTS_TAG_H
#define PAGE_ROBOTS_TAG_H

#include "base/str.h"

/* Set the flags that one header's value asks for ("noindex, nofollow",
 * "none" for both, "noarchive", "mybot: noindex"): for all robots, or for
 * `agent`. A flag that is set stays set. */
void robots_tag_read(struct str value, struct str agent, bool *noindex,
                     bool *nofollow, bool *noarchive);

/* Does a link's rel ("noopener nofollow") have this token? */
bool rel_has(struct str rel, struct str token);

#endif
