/* Mail: links to URLs of partitions that another machine owns, and questions
 * for a robots.txt there, with their answers.
 *
 *     outbox_put(outbox, part, &entry);           for each link, as it is found
 *     outbox_seal(outbox, &sealed, arena);        its mails, for a commit
 *     mail_read(payload, &at, &entry)             at the receiver, one by one
 *
 * Links to one URL are one entry while they wait for a commit: the smallest
 * depth, with the page where it was found, and the sum of `found`. In
 * breadth-first order only a depth that is smaller than before is worth a mail,
 * so what was sent is remembered, for some time, and not sent again.
 *
 * A link travels as text. Scope, depth and nofollow were judged by the sender;
 * the receiver parses it and offers it to its validator.
 *
 * The robots.txt of a host may have moved to a host of another machine. Then
 * that one is asked to fetch it, and tells what came (crawler/fleet_robots.h).
 */
#ifndef FLEET_MAIL_H
#define FLEET_MAIL_H

#include "base/buf.h"
#include "base/mem.h"
#include "fleet/engine.h"
#include "frontier/target.h"
#include "web/domain.h"

enum {
    MAIL_BYTES_MAX = 256 * 1024,     /* of one mail, but for its last entry */
    MAIL_TEXT_MAX = 512 * 1024,      /* of a robots.txt */
    OUTBOX_BYTES_MAX = 16 << 20,     /* more than this: wait for a commit */
    OUTBOX_REMEMBERED_MAX = 1 << 20, /* URLs that were sent */
};

/* Beside the kinds of links. */
enum { MAIL_ROBOTS_ASKED = TARGET_ROBOTS, MAIL_ROBOTS_TOLD };

struct mail_entry {
    struct str url; /* of MAIL_ROBOTS_*: to be fetched, or that was */
    uint32_t depth, found;
    uint32_t node, page; /* where it was found: machine, its page; 0: a seed */
    uint64_t via;        /* number of the target that redirected here, or 0 */
    uint8_t redirects;
    uint8_t kind;    /* enum target_kind: a page, a sitemap or a requisite; or
                      * MAIL_ROBOTS_* */
    uint8_t nesting; /* enum requisite_nesting */
    bool is_named;   /* a seed that the user named */

    /* of MAIL_ROBOTS_*: whose rules they will be, "https://example.org/..." */
    struct str asker;
    /* of MAIL_ROBOTS_TOLD: how it ended */
    uint8_t outcome; /* enum outcome */
    uint32_t status;
    uint64_t retry_after_ms;
    struct str text; /* the rules, or where it moved to; {NULL, 0}: neither */
};

struct outbox;

struct outbox *outbox_new(uint32_t partitions, bool by_level, uint64_t seed);
void outbox_free(struct outbox *outbox);

/* The text is copied. */
void outbox_put(struct outbox *outbox, uint32_t part,
                const struct mail_entry *entry);

/* A question for a robots.txt, or the answer; the texts are copied. Each is an
 * entry, however often it was sent before. */
void outbox_put_robots(struct outbox *outbox, uint32_t part,
                       const struct mail_entry *entry);

/* A seed, or a sitemap that the user named; a seed may come from a search. */
void outbox_put_seed(struct outbox *outbox, const struct url *url,
                     enum target_kind kind, bool is_named,
                     const struct domains *domains, uint64_t partition_seed);

size_t outbox_count(const struct outbox *outbox); /* of entries */
/* Does somebody wait for an entry about a robots.txt? */
bool outbox_is_urgent(const struct outbox *outbox);
/* Too much waits: find no more before the next commit. */
bool outbox_is_full(const struct outbox *outbox);

/* Move everything into mails, in `arena`; the caller fills in sender and `seq`.
 * The outbox is empty after. */
struct fleet_mail *outbox_seal(struct outbox *outbox, struct arena *arena,
                               size_t *count);

/* One entry as a payload of its own, or a part of it: at the end of `out`. */
void mail_write(struct buf *out, const struct mail_entry *entry);

/* The entry at `*at`, which moves on; its text is a slice of the payload. False
 * at the end, and where the rest is no entry: then `*at` is not the length. */
bool mail_read(struct str payload, size_t *at, struct mail_entry *entry);

#endif
