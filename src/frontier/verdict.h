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

const char *verdict_word(enum verdict verdict); /* "Added", "IgnDupl", ... */
const char *verdict_name(enum verdict verdict); /* "accept", "duplicate" */
const char *verdict_text(enum verdict verdict); /* "seen before" */

/* Does it hold for the page wherever it is found? If not, another link to it
 * may be judged otherwise. */
bool verdict_is_final(enum verdict verdict);

#endif
