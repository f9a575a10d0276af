/* Verdicts and outcomes are numbers in the record. The program that creates a
 * record writes their names into it, and how a URL ends with each, so that
 * other programs can read it. */
#ifndef STORE_CODES_H
#define STORE_CODES_H

/* How a URL ends: the one definition that every figure uses. */
enum url_end {
    URL_QUEUED,     /* not ended: it waits, is in flight, or will be retried */
    URL_SAVED,      /* as a page */
    URL_REDIRECTED, /* to another URL */
    URL_NOT_KEPT,   /* it answered, and was left out by choice: its own, or
                     * ours */
    URL_FAILED,     /* its fetches failed, or its host was given up */
    URL_REFUSED,    /* a rule said no */
    URL_OUTSIDE,    /* out of scope: the rest of the web, counted apart */
    URL_NONE,       /* no URL of its own: a duplicate, an end taken back */
    URL_ENDS,
};

/* "queued", "saved", "not_kept", ... */
const char *url_end_name(enum url_end end);

/* What a capture is. */
enum capture_kind { CAPTURE_RESPONSE, CAPTURE_REVISIT };

struct store_code {
    const char *name;
    enum url_end end;
};

struct store_codes {
    const struct store_code *verdict, *outcome;
    unsigned verdicts, outcomes;
};

#endif
