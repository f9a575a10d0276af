/* Why a link is queued or not: a closed list, each with a word for the log
 * (at most nine characters) and a text for people. Records hold the numbers: a
 * new verdict goes to the end. */
#ifndef FRONTIER_VERDICT_H
#define FRONTIER_VERDICT_H

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
    ELSEWHERE,
    EXCLUDED,
    RULE_LIMIT,
    BY_HAND,
    NOT_FOLLOWED,
    VERDICTS,
};

/* A verdict depends on one of these. */
enum verdict_basis {
    BASIS_PAGE, /* the page's host, domain or rules: it is final */
    BASIS_URL,  /* the text of the URL alone: the same for every link to it */
    BASIS_LINK, /* how it was found: another link may get another verdict */
};
enum verdict_basis verdict_basis(enum verdict verdict);

const char *verdict_word(enum verdict verdict); /* "Added", "IgnDupl", ... */
const char *verdict_name(enum verdict verdict); /* "accept", "duplicate" */
const char *verdict_text(enum verdict verdict); /* "seen before" */

#endif
