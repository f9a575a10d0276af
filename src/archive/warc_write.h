/* Records of WARC/1.1, finished: one gzip member each, or plain at level -1.
 *
 * An exchange becomes a pair of records, a response and its request. Any thread
 * can make a pair, because nothing in it depends on where it will stand. Where
 * the same payload is in the archive already, a revisit takes the place of the
 * response; it has the same id, so the request does not change.
 *
 * That is also why no record has a WARC-Warcinfo-ID: who makes it does not know
 * its file. By the standard the warcinfo before it in the file applies.
 */
#ifndef ARCHIVE_WARC_WRITE_H
#define ARCHIVE_WARC_WRITE_H

#include "archive/digest.h"
#include "base/buf.h"
#include "base/spool.h"

enum { WARC_ID_LEN = 9 + 36 }; /* "urn:uuid:" and a UUID */

/* What is the same for all records of a crawl. */
struct warc_style {
    enum digest_kind digest;
    int level;           /* of gzip, 0 to 12; -1: no compression at all */
    uint64_t id_seed[2]; /* random, another one for every run of the program:
                          * ids are made of it and a counter */
};

enum warc_cut {
    WARC_WHOLE,
    WARC_CUT_BY_LENGTH,
    WARC_CUT_BY_TIME,
    WARC_CUT_BY_DISCONNECT,
    WARC_CUT_FOR_NO_REASON, /* "unspecified" */
};

/* An exchange that is to be kept. */
struct warc_exchange {
    struct str url;
    uint64_t date_ms;            /* when the fetch began, since 1970 */
    struct str peer;             /* an address; empty: not known */
    const char *tls_version;     /* "tls/1.3", or NULL */
    const char *cipher_suite;    /* "TLS_AES_128_GCM_SHA256", or NULL */
    struct str request_head;     /* without secrets; empty: no request record */
    struct str response_head;    /* as it came */
    struct str body;             /* without chunks */
    const struct spool *spooled; /* not NULL: it is there, not in `body` */
    bool coding_undone;          /* `body` is without its content coding too */
    bool is_dense; /* `body` is compressed: store it as it is. A short body is
                    * stored so in any case */
    enum warc_cut cut;
    bool is_page; /* it was saved as a page, at this depth: WARC-Page-Depth
                   * says so to who makes page files out of the archive */
    uint32_t depth;
};

/* The finished records of an exchange, and what a revisit needs. */
struct warc_pair {
    struct buf response, request; /* the request may be empty */
    struct spool *spooled; /* not NULL: the response is there, not in memory */
    struct buf head;       /* of the response, as it is kept */
    struct buf connection; /* fields: the URL, the peer, protocols, the depth */
    char id[WARC_ID_LEN + 1]; /* of the response */
    char payload_digest[DIGEST_TEXT_MAX + 1];
    uint64_t payload_len;
    uint64_t date_ms;
    enum warc_cut cut;
};

/* The record that has the payload of a revisit. */
struct warc_original {
    struct str id; /* or empty */
    struct str url;
    uint64_t date_ms;
};

void warc_pair_init(struct warc_pair *pair);
void warc_pair_release(struct warc_pair *pair);

/* `counter` is another number for every exchange of the crawl; ids of one
 * counter are never those of another. False with errno: a spool cannot be read
 * or written. The pair must be released also then. */
bool warc_pair_make(struct warc_pair *pair, const struct warc_style *style,
                    const struct warc_exchange *exchange, uint64_t counter);

/* The memory that it holds. */
size_t warc_pair_bytes(const struct warc_pair *pair);

/* Append a revisit that takes the place of the pair's response. */
void warc_put_revisit(struct buf *out, const struct warc_style *style,
                      const struct warc_pair *pair,
                      const struct warc_original *original);

/* Append the warcinfo record with which a file begins. `fields` are lines
 * "name: value", each with its CR LF. */
void warc_put_info(struct buf *out, const struct warc_style *style,
                   struct str file_name, uint64_t date_ms, struct str fields,
                   uint64_t counter);

#endif
