/* How a fetch ended: a closed list, each with a word for the log (at most nine
 * characters), a name for the JSON log and the statistics, and a text for
 * people. State files hold the numbers: a new one goes to the end. */
#ifndef PAGE_OUTCOME_H
#define PAGE_OUTCOME_H

#include "base/buf.h"

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
    NO_DNS,            /* there is no such name, or it has no address */
    PRIVATE_ADDRESS,
    NOT_CONNECTED, /* no route, or another trouble of the network */
    TLS_FAILED,    /* in a way that none of the TLS_ below names */
    TIMED_OUT,     /* after there was a connection */
    CONNECTION_LOST,
    BAD_HTTP,     /* what came is not HTTP, or its headers have no end */
    BAD_ENCODING, /* the content coding is unknown or broken */
    ABANDONED,    /* the crawl was told to stop at once */
    NOT_SAVED,    /* the page file could not be written */
    NOT_SITEMAP,  /* a sitemap was asked for, and this is none */
    CONNECTION_REFUSED,
    CONNECT_TIMED_OUT, /* before there was a connection */
    TLS_PROTOCOL,      /* the handshake failed */
    TLS_NAME,          /* the certificate is for another host */
    TLS_ISSUER,        /* nobody we trust has signed the certificate */
    TLS_SELF_SIGNED,
    TLS_EXPIRED,
    TLS_NOT_YET_VALID,
    DNS_FAILED,     /* no name server has answered: see NO_DNS */
    NOARCHIVE,      /* a page that asks not to be archived, where the archive is
                     * all that is saved */
    NOT_IN_ARCHIVE, /* which the pages come from instead of the web */
    CANONICAL,      /* a page that names another URL as its own (--canonical) */
    OUTCOMES,
};

const char *outcome_word(enum outcome outcome);
const char *outcome_name(enum outcome outcome);
const char *outcome_text(enum outcome outcome);

/* Would any fetch from the host have ended like this? */
bool outcome_is_of_host(enum outcome outcome);

/* What else is known of an answer; all of it may be missing. The texts are the
 * server's. */
struct outcome_details {
    int status;                 /* of HTTP; 0: none */
    struct str mime;            /* as served */
    struct str certificate_for; /* the names in a certificate */
    struct str proxy_at_fault;  /* not the server: it was not reached */
};

/* Append the text with the details that belong to it: "404 Not Found", "not an
 * HTML page but image/png". It is one line, safe for a terminal. */
void outcome_put(struct buf *out, enum outcome outcome,
                 const struct outcome_details *details);

#endif
