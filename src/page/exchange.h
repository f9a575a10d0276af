/* An exchange: one request and its response, as they went over the wire.
 *
 * The pagefetcher fills in one exchange for every page it fetches. Nobody
 * changes it after that: the scanner, the saver, the log and the record read
 * what they need. Their results are in the webpage around it.
 *
 * Facts stay: how it ended, the status, the times, what the head says.
 *
 * Bytes belong to the fetcher. They are valid from pagefetcher_take to
 * pagefetcher_give_back; at any other time every slice of them is empty. Some
 * are kept only on request (enum exchange_wish); without a wish nothing is
 * copied.
 *
 *   request_head   The last request that was sent, from the request line to
 *                  the empty line, as it was sent but without the lines that
 *                  are secret (page/secret.h). A proxy's CONNECT is no part of
 *                  it.
 *   response_head  From the status line to the empty line, as it came: folded
 *                  lines, bare line feeds, repeated names. Whole or empty. If
 * the crawl keeps cookies, it has no Set-Cookie lines. A 1xx response before
 * it, a proxy's answer to CONNECT and the trailers after the body are no part
 * of it. body_as_sent   The body without its chunks, in its content coding.
 *   spooled        The same in a file, if the body is too large for memory and
 *                  nobody has to read it: it is no HTML. Else NULL. Then both
 *                  other bodies are empty.
 *   body           The same without its content coding. Empty if the coding
 *                  could not be undone, and if the status is not 200: such a
 *                  body is no page.
 *   peer           The address of the server, as text; empty with a proxy.
 *
 * The names of the TLS version and cipher suite, on request too, are constants.
 *
 * `end` says whether the bodies are whole. The outcome does not: the body of a
 * 404 may have been cut, and so may a robots.txt that counts.
 */
#ifndef PAGE_EXCHANGE_H
#define PAGE_EXCHANGE_H

#include "base/str.h"
#include "page/coding.h"
#include "page/outcome.h"

struct spool;

enum { MIME_MAX = 127, CHARSET_LABEL_MAX = 63, LANGUAGE_MAX = 63 };

/* How a response ended. */
enum response_end {
    RESPONSE_NONE,          /* not even a status line came */
    RESPONSE_WHOLE,         /* it came to its own end */
    RESPONSE_CUT_BY_SIZE,   /* it was larger than our limit */
    RESPONSE_CUT_BY_TIME,   /* it took longer than our limit */
    RESPONSE_CUT_BY_SERVER, /* the connection broke */
    RESPONSE_CUT_BY_US,     /* we wanted no more of it */
};

/* Bytes that are kept only on request. */
enum exchange_wish {
    WISH_REQUEST_HEAD = 1,
    WISH_RESPONSE_HEAD = 2,
    WISH_PEER = 4,
    WISH_EVERY_BODY = 8, /* also if it is no page: of another status or type,
                          * in a coding that nobody knows, larger than the
                          * limit (then up to it) */
    WISH_TLS = 16,       /* version and cipher suite */
};

struct exchange {
    /* facts */
    enum outcome outcome;
    enum response_end end;
    int status;                 /* of the last status line; 0: none came */
    struct str proxy_at_fault;  /* without its password; in the page's arena */
    struct str certificate_for; /* of TLS_NAME, if it is known; in the
                                 * webpage's arena, as the two below */
    char mime[MIME_MAX + 1];
    char charset_label[CHARSET_LABEL_MAX + 1];
    struct str location;  /* of a redirect, as served */
    struct str refresh;   /* the Refresh header, as served */
    struct str canonical; /* a Link header with rel=canonical names it */
    struct str language;  /* the Content-Language header, as served */
    /* X-Robots-Tag says so, if that is obeyed */
    bool noindex, nofollow, noarchive;
    bool upgrades_http;       /* html_policy_upgrades says so of a header */
    struct codings codings;   /* of the body */
    bool is_coding_unknown;   /* there is another one */
    const char *tls_version;  /* "tls/1.3"; NULL: no TLS, or not asked for */
    const char *cipher_suite; /* "TLS_AES_128_GCM_SHA256"; the same */
    bool is_other_type;       /* it is wanted, but is no HTML (--types) */
    uint64_t cookies_sent;    /* the hash of cookies_put; 0: none */
    uint64_t retry_after_ms;
    uint64_t start_ms, end_ms;
    size_t body_len; /* of `body`, or of `spooled` */
    size_t received; /* bytes of heads and body, in its content coding */

    /* bytes */
    struct str request_head, response_head;
    struct str body_as_sent, body;
    const struct spool *spooled;
    struct str peer;
};

static inline uint64_t exchange_ms(const struct exchange *exchange)
{
    return exchange->end_ms - exchange->start_ms;
}

#endif
