/* The validator: the crawler thread's judgement. Every URL that anybody wants
 * fetched passes here, and only here is it decided; what is accepted goes to
 * the frontier. It owns all URL state and is used by one thread.
 *
 * The checks, in order, each with its verdict: scope (EXTERNAL), depth
 * (TOO_DEEP), in a fleet the owner (ELSEWHERE: it is on its way to the machine
 * that has its domain, which judges the rest), already seen (DUPLICATE), the
 * user's rules (EXCLUDED, RULE_LIMIT; pages only, and not for seeds that the
 * user named), the domain's cap (DOMAIN_CAP), a dead host (HOST_DEAD),
 * robots.txt where it is known already (ROBOTS_REFUSED; else that is checked
 * when its turn comes). Whoever parsed the URL has checked that it is one.
 */
#ifndef FRONTIER_VALIDATOR_H
#define FRONTIER_VALIDATOR_H

#include "base/hashtable.h"
#include "frontier/frontier.h"
#include "frontier/seen.h"
#include "frontier/verdict.h"
#include "web/filter.h"
#include "web/scope.h"

/* A URL that was judged for the first time. */
struct judged {
    uint64_t number;
    const struct offer *offer;
    enum verdict verdict;
    const struct queued *queued; /* NULL if it was refused */
    unsigned line;               /* of robots.txt, that refused it */
};

/* For the record of URLs. A DUPLICATE is reported only if the record must know
 * it: frontier_found_again returned true, or the URL is no longer queued and
 * was offered at a smaller depth than ever before (validator_keep_depths). */
struct validator_listener {
    void *user;
    void (*judged)(void *user, const struct judged *judged);
    /* A URL that was refused for how it was found has now been judged by
     * itself, under another number. */
    void (*withdrawn)(void *user, enum target_kind kind, uint64_t number);
    bool outside; /* report URLs outside the scope, too */
};

/* In a fleet: URLs of partitions that another machine owns are sent there. */
struct validator_post {
    void *user;
    bool (*owns)(void *user, uint32_t part);
    void (*send)(void *user, uint32_t part, const struct offer *offer);
};

/* The URLs of a partition that were judged; `refused` and `withheld` are of the
 * URLs that were found in its pages. */
struct validator_part {
    struct seen seen;
    struct seen refused; /* reported, refused for their text (BASIS_URL) */
    struct hashtable withheld; /* the numbers of those refused for how they were
                                * found (BASIS_LINK), by fingerprint */
};

struct validator {
    const struct scope *scope;
    struct filter *filter; /* borrowed; NULL: there are no rules */
    uint32_t max_depth;
    bool keeps_depths;
    uint32_t source_part; /* of the page whose links are offered */
    uint32_t parts;
    struct validator_part *part;
    struct validator_listener listener;
    struct validator_post post; /* all NULL: this is the only machine */
    struct frontier *frontier;  /* owned */
};

void validator_init(struct validator *validator, const struct scope *scope,
                    uint32_t max_depth, const struct frontier_options *options);
void validator_release(struct validator *validator);

/* This fingerprint will be offered soon; only for speed. */
static inline void validator_expect(const struct validator *validator,
                                    uint64_t fingerprint)
{
    if (validator->parts == 1)
        seen_prefetch(&validator->part->seen, fingerprint);
}

bool validator_has_seen(const struct validator *validator,
                        const struct url *url, uint64_t fingerprint);

/* Forget the partition, in the frontier too: see frontier_drop_part. */
void validator_drop_part(struct validator *validator, uint32_t part,
                         uint64_t now_ms);

enum verdict validator_offer(struct validator *validator,
                             const struct offer *offer, uint64_t now_ms);

/* From now on know the depth of every URL that left the queue, so that one that
 * is offered at a smaller depth afterwards is found out: its own links must be
 * offered again (crawler/relax.c). */
void validator_keep_depths(struct validator *validator);

/* How often that happened. */
uint64_t validator_lowered(const struct validator *validator);

/* The smallest depth at which a URL was offered that left the queue;
 * UINT32_MAX: not known. */
uint32_t validator_depth(const struct validator *validator,
                         const struct offer *offer);

/* Queue a URL that has ended: it is wanted after all. Nothing is judged. */
void validator_offer_again(struct validator *validator,
                           const struct offer *offer, uint64_t now_ms);

/* The caller refuses the URL: report it and remember it. */
void validator_refuse(struct validator *validator, const struct offer *offer,
                      enum verdict verdict);

/* It was judged before this program began, under this number. False if it was
 * restored already. */
bool validator_restore(struct validator *validator, uint64_t fingerprint,
                       enum verdict verdict, uint64_t number);

/* It was fetched at this depth, or offered again at a smaller one, before this
 * program began. */
void validator_restore_depth(struct validator *validator,
                             const struct offer *offer);
void validator_restore_found(struct validator *validator,
                             const struct offer *offer);

/* The verdict that validator_offer would give a URL that was not seen before,
 * wherever it was found; nothing changes. */
enum verdict validator_precheck(const struct validator *validator,
                                const struct url *url, unsigned *line);

/* `from` answered with a redirect to the offered URL. It is judged like a link,
 * with one exception: a URL with the key of `from` itself, only written
 * differently, is fetched, or the page would be lost. More than `max_hops`
 * redirects in a row are refused. */
enum verdict validator_offer_redirect(struct validator *validator,
                                      const struct target *from,
                                      const struct offer *offer,
                                      uint32_t max_hops, uint64_t now_ms);

#endif
