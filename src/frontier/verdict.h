/* Why a link is queued or not: a closed list, each with a word for the log
 * (at most nine characters) and a text for people. */
#ifndef FRONTIER_VERDICT_H
#define FRONTIER_VERDICT_H

#include <stdbool.h>

enum verdict {
    ACCEPT,
    BAD_URL,
    NOT_HTML_NAME,
    EXTERNAL,
    TOO_DEEP,
    DUPLICATE,
    TOO_MANY_REDIRECTS,
    NOFOLLOW,
    DOMAIN_CAP,
    ROBOTS_REFUSED,
    ROBOTS_UNKNOWN,
    HOST_DEAD,
    TOO_MANY_LINKS,
    VERDICTS,
};

/* Is it about the link, its depth or its page, and not about the URL? Then the
 * same URL may be queued when it is found elsewhere. */
bool verdict_is_of_link(enum verdict verdict);

/* A URL that is not queued has failed where we could not reach its host or its
 * robots.txt. Otherwise a rule refused it. */
bool verdict_is_failure(enum verdict verdict);

const char *verdict_word(enum verdict verdict); /* "Added", "IgnDupl", ... */
const char *verdict_name(enum verdict verdict); /* "accept", "duplicate" */
const char *verdict_text(enum verdict verdict); /* "seen before" */

#endif
