/* How a fetch ended: a closed list, each with a word for the log (at most nine
 * characters), a name for the JSON log and the statistics, and a text for
 * people. State files hold the numbers: a new one goes to the end. */
#ifndef PAGE_OUTCOME_H
#define PAGE_OUTCOME_H

enum outcome {
    FETCHED, /* status 200, an HTML page with a body */
    REDIRECTED,
    EMPTY_BODY,
    NOT_HTML,
    TOO_LARGE,
    NOINDEX,           /* a page that asks not to be kept */
    HTTP_CLIENT_ERROR, /* 4xx */
    HTTP_TOO_MANY,     /* 429 */
    HTTP_SERVER_ERROR, /* 5xx */
    HTTP_OTHER,        /* any status that is neither of these nor 200 */
    BAD_REDIRECT,      /* without a Location that leads anywhere */
    NO_DNS,
    PRIVATE_ADDRESS,
    NOT_CONNECTED,
    TLS_FAILED,
    TIMED_OUT,
    CONNECTION_LOST,
    BAD_HTTP,     /* what came is not HTTP, or its headers have no end */
    BAD_ENCODING, /* the content coding is unknown or broken */
    ABANDONED,    /* the crawl was told to stop at once */
    NOT_SAVED,    /* the page file could not be written */
    NOT_SITEMAP,  /* a sitemap was asked for, and this is none */
    OUTCOMES,
};

const char *outcome_word(enum outcome outcome);
const char *outcome_name(enum outcome outcome);
const char *outcome_text(enum outcome outcome);

#endif
