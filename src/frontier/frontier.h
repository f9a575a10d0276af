/* The frontier: targets that wait for their turn, in the order and at the
 * pace of the rules. Pure logic: the time comes in as an argument.
 *
 * It is made of five parts (frontier/parts.h), each with a header that states
 * its invariant:
 *     ranking     which of two targets goes first
 *     queue       the targets of every host, in memory and beyond it on disk
 *     politeness  hosts, domains, addresses: who may be asked, and when
 *     host setup  name look-up and robots.txt before a host's first page
 *     changes     what the record of the crawl must be told
 * frontier.c lets them work together.
 *
 * A target comes out by way of three levels of heaps, each ordered by its best
 * member: a host's targets, a domain's hosts that may be asked now, the domains
 * that may be asked now. A host that may not be asked yet is in none of them:
 * politeness is where a host stands, not a check that somebody could forget.
 *
 * The order is exact among the hosts that may be asked now. Hosts that share an
 * address take turns. If a host's turn comes while its address is in use or
 * resting, it joins the queue of the address. It is asked when it is the first
 * there and the address is free.
 *
 * RANKING_BFS: smaller depth first, then older. No target of depth d+1 comes
 * out while one of depth d is queued, retrying or in flight, so a depth is
 * always the shortest distance from the seeds. But a host that has to rest for
 * minutes is left behind: no depth waits for it, and its own targets come out
 * when it may be asked, the smallest depth first. What they link may have been
 * done at a greater depth by then (frontier_has_left_behind).
 *
 * Requisites go before pages: what a page needs is fetched soon after it. They
 * lead to no page, so no depth waits for them; and the cap of a domain does not
 * count for them.
 *
 * RANKING_PRIORITY: the highest score first, then the oldest, where
 *     score = max(0, 10 - 0.1 * crawled(domain))
 *           + 1 * found(url) + 0.01 * found(domain)
 * in integers of hundredths. Two terms belong to the domain, so that a change
 * of one moves one entry of one heap, never all URLs of the domain.
 */
#ifndef FRONTIER_FRONTIER_H
#define FRONTIER_FRONTIER_H

#include "frontier/address.h"
#include "frontier/frontier_options.h"
#include "frontier/seen.h"
#include "frontier/target.h"
#include "web/domain.h"
#include "web/robots.h"
#include "web/url.h"

struct frontier;

/* A breadth-first crawl has the source document's constant score of 2. */
enum { FRONTIER_BFS_SCORE = 200 };

/* In a fleet (options.partitions) a frontier holds the targets of some
 * partitions; frontier/frontier_partition.c has the functions for that. */
struct frontier *frontier_new(const struct frontier_options *options);
void frontier_free(struct frontier *frontier);

/* The sets of URLs seen, one of each partition: every URL is there before it is
 * put. Their flag is the frontier's: the URL is queued on disk. They are
 * `stride` bytes apart. */
void frontier_use_seen(struct frontier *frontier, struct seen *seen,
                       size_t stride);

/* Sets of fingerprints of URLs that need no fetch when their turn comes: as
 * whatever they were offered, and as requisites. They come out refused as
 * DUPLICATE. */
void frontier_use_known(struct frontier *frontier, const struct seen *all,
                        const struct seen *requisites);

/* --- in ---------------------------------------------------------------- */

/* A URL as it is offered. */
struct offer {
    const struct url *url;
    struct str domain;    /* the registrable one, if known: a look-up less */
    uint64_t fingerprint; /* url_fingerprint() */
    uint32_t depth;       /* that the page would have */
    uint32_t referrer_id; /* page where it was found, 0 for a seed */
    uint32_t found;       /* in a page: 1; a seed: 0 */
    uint16_t referrer_machine; /* of a fleet, which has that page; 0: this one,
                                * or there is no such page */
    uint64_t via;      /* number of the target that redirected here, or 0 */
    uint8_t redirects; /* hops that led here */
    enum target_kind kind;
    uint8_t nesting; /* enum requisite_nesting */
    bool is_named; /* a seed that the user named: web/filter.h does not count */
};

/* A URL in scope was found in `count` pages, whatever becomes of it: its domain
 * is a little more important. */
void frontier_count_found(struct frontier *frontier, const struct url *url,
                          uint32_t count);

/* ACCEPT, or why this URL need not be queued: its domain has had all its
 * fetches, its host is dead, its robots.txt is known and forbids it (then
 * `*line` is the line). */
enum verdict frontier_precheck(const struct frontier *frontier,
                               enum target_kind kind, const struct url *url,
                               unsigned *line);

/* The outcome for which the host of this URL was given up: see frontier_note.
 */
uint8_t frontier_last_outcome(const struct frontier *frontier,
                              const struct url *url);

/* Queue a URL under its fingerprint, which must not be queued already. Its
 * number counts from 1 and grows; the name of its domain stays. */
struct queued {
    uint64_t number;
    struct str domain;
};
struct queued frontier_put(struct frontier *frontier, const struct offer *offer,
                           uint64_t now_ms);

/* A URL that was seen before is offered again. If it is still queued it moves
 * up, and takes a smaller depth with its referrer. A URL that is queued on disk
 * does so only in breadth-first order, and only with a set of URLs seen. Then
 * true: no later call reports it, so the caller must record the offer. */
bool frontier_found_again(struct frontier *frontier, const struct offer *offer);

/* --- out --------------------------------------------------------------- */

/* The target whose turn it is, in flight from here on, or NULL. Its `verdict`
 * is ACCEPT, or why it is not to be fetched after all: then frontier_drop
 * it. */
struct target *frontier_take(struct frontier *frontier, uint64_t now_ms);

/* From now on only requisites are taken, with what their hosts need first; or
 * everything again. */
void frontier_hold_pages(struct frontier *frontier, bool hold);

void frontier_drop(struct frontier *frontier, struct target *target,
                   uint64_t now_ms);

/* --- done -------------------------------------------------------------- */

enum { FRONTIER_NO_REPLY_MAX = 10 };

/* How the fetch went, for the host's sake. */
enum host_health {
    HOST_ANSWERED, /* whatever it said */
    HOST_NO_REPLY, /* it took the connection, and said nothing */
    HOST_BUSY,     /* it said that it has no time */
    HOST_SILENT,   /* no answer: the address or the host is in trouble */
};

/* The fetch has ended: the host's pause begins, the target is freed.
 * `ended_ms`, here and below, is a time at which the fetch is certainly over;
 * it may be ahead of the clock. Or the host has to rest for `wait_ms`, where
 * that is longer. */
void frontier_done(struct frontier *frontier, struct target *target,
                   uint64_t ended_ms, uint64_t wait_ms);

/* The fetch has ended and must be tried again after `wait_ms`; with
 * `whole_host` the host's other targets wait as long. */
void frontier_again(struct frontier *frontier, struct target *target,
                    uint64_t ended_ms, uint64_t wait_ms, bool whole_host);

/* The fetch was ended early, by us: it is made again, and was no try. */
void frontier_abandoned(struct frontier *frontier, struct target *target,
                        uint64_t ended_ms);

/* Before either: did the host answer at all? After `host_tries` times in a
 * row that it did not, or FRONTIER_NO_REPLY_MAX that it sent no reply or was
 * busy, it is dead: its targets come out refused, with the last `outcome`, a
 * number of the caller's. */
void frontier_note(struct frontier *frontier, struct target *target,
                   enum host_health health, uint8_t outcome);

/* A fetch failed with this outcome and will be tried again, and the host rests
 * meanwhile: for people who ask why. */
void frontier_note_rest(struct target *target, uint8_t outcome);

/* The same where the host answered that something failed in it (5xx). That
 * may be this page's fault alone. But after FRONTIER_ERRORS_MAX answers of that
 * kind in a row the host backs off, until it gives another answer: the caller
 * makes it rest, longer each time. If it has backed off for an hour and still
 * gives no other answer, it is dead. */
enum { FRONTIER_ERRORS_MAX = 10, FRONTIER_BACKOFF_MAX_MS = 3600 * 1000 };
void frontier_note_error(struct frontier *frontier, struct target *target,
                         uint8_t outcome, uint64_t ended_ms);

/* Before either: did the fetch end without a time-out? If not, it held a place
 * for nothing; see `doubtful_max`. */
void frontier_note_prompt(struct frontier *frontier,
                          const struct target *target, bool is_prompt);

/* How often in a row the target's host has had to back off for that, this time
 * included, 7 at most; 0: it does not have to. */
enum { FRONTIER_BACKOFFS_MAX = 7 };
unsigned frontier_backoffs(const struct target *target);

/* The end of a TARGET_RESOLVE, which is freed: the host's address. */
void frontier_resolved(struct frontier *frontier, struct target *target,
                       const struct ip *ip, uint64_t now_ms);

/* How long a robots.txt counts. */
enum { FRONTIER_ROBOTS_KEPT_MS = 24 * 3600 * 1000 };

/* The end of a TARGET_ROBOTS, which is freed. `rules` are taken; NULL: all
 * is allowed. */
void frontier_robots(struct frontier *frontier, struct target *target,
                     struct robots *rules, uint64_t ended_ms);

/* The end of either, but in vain: nothing of the host may be fetched, try again
 * after `wait_ms`. Counts like a silent host; with `for_good` there
 * will be no other try. */
void frontier_setup_failed(struct frontier *frontier, struct target *target,
                           uint64_t ended_ms, uint64_t wait_ms, uint8_t outcome,
                           bool for_good);

/* The end of either, because the crawl ends: it says nothing of the host. */
void frontier_setup_stopped(struct frontier *frontier, struct target *target,
                            uint64_t ended_ms);

/* The host whose rules a TARGET_ROBOTS fetches, its partition, and for which
 * scheme; and the host that is asked. */
struct str frontier_robots_host(const struct target *step);
uint32_t frontier_robots_part(const struct frontier *frontier,
                              const struct target *step);
struct str frontier_robots_asks(const struct target *step);
bool frontier_robots_is_https(const struct target *step);

/* How often the host that is being set up was silent in a row, so far. */
unsigned frontier_failures(const struct target *step);

/* The end of a TARGET_ROBOTS, but it moved: ask for this URL when its host may
 * be asked; the rules will be those of the host that was asked first. `from` is
 * freed. False where it has moved too often: then nothing has happened. */
bool frontier_robots_moved(struct frontier *frontier, struct target *from,
                           const struct url *url, uint64_t ended_ms);

/* --- robots.txt of other machines ------------------------------------------
 * In a fleet it may have moved to a host that another machine has. That one is
 * asked to fetch it, so that all pauses hold, and tells what came. */

/* Instead of frontier_robots_moved: the setup of the host that was asked first
 * waits, and the next function goes on with it. `from` is freed. */
void frontier_robots_elsewhere(struct frontier *frontier, struct target *from,
                               uint64_t ended_ms);

/* The other machine has told. The target is not in flight; it ends as one that
 * was fetched here does. `asker` is the robots.txt that was asked for first,
 * `url` the one that was fetched. NULL: nobody waits for it. */
struct target *frontier_robots_told(struct frontier *frontier,
                                    const struct url *asker,
                                    const struct url *url, uint8_t redirects);

/* Another machine asks for this URL on behalf of its host, the guest. */
enum robots_asked {
    ROBOTS_ASKED_NOW,
    ROBOTS_ASKED_LATER,  /* another step for that guest is under way */
    ROBOTS_ASKED_IN_VAIN /* the host of the URL was given up, for `*outcome` */
};
enum robots_asked frontier_robots_asked(struct frontier *frontier,
                                        const struct url *asker,
                                        const struct url *url,
                                        uint8_t *outcome);
bool frontier_robots_is_guest(const struct target *target);

/* The end of a guest's target, which is freed: the machine that asked judges
 * it. The host that was asked rests for `wait_ms`, where that is longer than
 * its pause. */
void frontier_robots_answered(struct frontier *frontier, struct target *target,
                              uint64_t ended_ms, uint64_t wait_ms);

/* Was a host left behind? From then on depths must be kept
 * (validator_keep_depths). All that left the queue before has a depth that
 * nothing of such a host can undercut. */
bool frontier_has_left_behind(const struct frontier *frontier);
bool frontier_is_left_behind(const struct target *target); /* its host */

/* --- for the record ---------------------------------------------------- */

/* Take the next number for a URL of the partition (0 without a fleet), for one
 * that is recorded and becomes no target. */
uint64_t frontier_next_number(struct frontier *frontier, uint32_t part);

/* The pause that the target's host is given after a fetch. */
uint64_t frontier_delay_ms(const struct frontier *frontier,
                           const struct target *target);

/* The same after a TARGET_ROBOTS that brought these rules. */
uint64_t frontier_robots_delay_ms(const struct frontier *frontier,
                                  const struct target *target,
                                  const struct robots *rules);

/* A queued target that has been found again since it was last reported, then
 * the next; NULL at the end. Only its depth, referrer and `found` can have
 * changed. */
const struct target *frontier_next_changed(struct frontier *frontier);

/* Domains that were found in pages since they were last reported. */
bool frontier_next_mentioned(struct frontier *frontier, struct str *name,
                             uint32_t *found);

/* The parts of a host that are given up, as bits. Records hold them. */
enum given_up {
    GIVEN_UP_SILENT = 1, /* the whole host */
    GIVEN_UP_ROBOTS = 2, /* the whole host, because of its robots.txt */
    GIVEN_UP_HOST = GIVEN_UP_SILENT | GIVEN_UP_ROBOTS,
    GIVEN_UP_HTTP = 4,  /* only its pages of http: there is one of https */
    GIVEN_UP_HTTPS = 8, /* the other way round */
    GIVEN_UP_SCHEME_ROBOTS = 16, /* these pages because of a robots.txt */
};

/* How a host is. */
struct host_state {
    struct str name;
    uint8_t failures, no_reply_count; /* in a row */
    uint8_t given_up;                 /* enum given_up */
    uint8_t backoffs;     /* how often it has backed off, one after another */
    uint8_t last_outcome; /* of what is given up, else of the last trouble */
    uint64_t next_ms;     /* not to be asked before */
};

/* Hosts whose health has changed since it was last reported. */
bool frontier_next_troubled(struct frontier *frontier,
                            struct host_state *state);

/* --- back from the record ---------------------------------------------- */

/* As frontier_put, with the number that it had, the fetches it has had, and
 * the time of the next one if it is to be tried again (else 0). */
struct target_history {
    uint64_t number;
    uint8_t tries;
    uint64_t due_ms;
};
void frontier_restore(struct frontier *frontier, const struct offer *offer,
                      const struct target_history *past, uint64_t now_ms);

/* All numbers of its partition up to this one are taken. */
void frontier_restore_number(struct frontier *frontier, uint64_t number);

/* Fetches that the domain of this name has had. */
void frontier_restore_fetches(struct frontier *frontier, struct str name,
                              uint32_t fetches, uint64_t now_ms);

/* How often the domain of this URL was found in pages. */
void frontier_restore_found(struct frontier *frontier, const struct url *url,
                            uint32_t found);

/* The host of this URL is not to be asked before. */
void frontier_restore_clock(struct frontier *frontier, const struct url *url,
                            uint64_t next_ms, uint64_t now_ms);
void frontier_restore_host(struct frontier *frontier, const struct url *url,
                           const struct host_state *state, uint64_t now_ms);

/* There is a server at this URL's host, for its scheme. */
void frontier_restore_answered(struct frontier *frontier,
                               const struct url *url);

/* `rules` are taken. */
void frontier_restore_robots(struct frontier *frontier, const struct url *url,
                             struct robots *rules, uint64_t until_ms,
                             uint64_t now_ms);

/* Nobody knows when the hosts were last asked: all rest first. */
void frontier_rest_all(struct frontier *frontier, uint64_t now_ms);

/* A queued target by its fingerprint, or NULL (also for one that waits in the
 * file); its score in hundredths, and when it may be fetched at the earliest.
 */
const struct target *frontier_find(const struct frontier *frontier,
                                   uint64_t fingerprint);
uint64_t frontier_score(const struct frontier *frontier,
                        const struct target *target);
uint64_t frontier_due_ms(const struct target *target);

/* Counts of a URL's domain. */
struct domain_counts {
    uint32_t crawled; /* fetches */
    uint32_t found;   /* links to it in pages; counted in RANKING_PRIORITY */
};
struct domain_counts frontier_domain_counts(const struct frontier *frontier,
                                            const struct url *url);

/* --- in a fleet --------------------------------------------------------- */

/* The partition of a URL; 0 but in a fleet. `domain` is its registrable domain
 * if that is known, or empty. */
uint32_t frontier_part_of(const struct frontier *frontier,
                          const struct url *url, struct str domain);

/* In breadth-first order nothing deeper than this is taken; UINT32_MAX at
 * first. */
void frontier_set_level(struct frontier *frontier, uint32_t level);

/* The smallest depth that is open: queued, retrying or in flight.
 * FRONTIER_OPEN: only such as open no depth; UINT32_MAX: nothing is open. */
enum { FRONTIER_OPEN = (1 << 30) - 1 };
uint32_t frontier_lowest(const struct frontier *frontier);

/* From now on no fetch of the partition begins; those in flight go on. Or they
 * may begin again. */
void frontier_freeze_part(struct frontier *frontier, uint32_t part,
                          bool freeze);

/* Is anything of the partition in flight? */
bool frontier_part_is_busy(const struct frontier *frontier, uint32_t part);

/* Forget the partition, of which nothing may be in flight, and what has changed
 * in it must have been reported. It is not frozen after. */
void frontier_drop_part(struct frontier *frontier, uint32_t part,
                        uint64_t now_ms);

/* Every host of these partitions rests for a whole pause: somebody else may
 * have asked it a moment ago. That may also be a host that the record does not
 * know yet, because the fetch was not committed: it rests when it is met.
 * `part` is by number. Many at once, because all hosts are looked at. */
void frontier_rest_parts(struct frontier *frontier, const bool *part,
                         uint64_t now_ms);

/* --- leases of addresses, in a fleet ------------------------------------ */

/* With `ip_hold_ms` an address is asked only while this machine holds it. With
 * each commit, in this order: the addresses that are given up, which are not
 * held from now on; and those that hosts here wait for and that are not held.
 * At most `max`, the number is returned; the rest comes with the next commit.
 */
size_t frontier_give_up_addresses(struct frontier *frontier, uint64_t now_ms,
                                  struct ip *ip, size_t max);
size_t frontier_wanted_addresses(struct frontier *frontier, uint64_t now_ms,
                                 struct ip *ip, size_t max);

/* Should the next commit be soon, for the sake of an address? */
bool frontier_has_address_news(const struct frontier *frontier);

/* Its answer: this machine holds the address. With `rests` it is asked after a
 * whole pause: another may have asked it a moment ago. `now_ms` must not be
 * before the answer came. */
void frontier_address_granted(struct frontier *frontier, const struct ip *ip,
                              bool rests, uint64_t now_ms);

/* It holds the address, and another machine wants it. It is given up as soon as
 * no host waits for it, or after `ip_hold_ms`: then no fetch begins there,
 * those in flight end, and the last pause. */
void frontier_address_wanted(struct frontier *frontier, const struct ip *ip,
                             uint64_t now_ms);

/* --- its state --------------------------------------------------------- */

/* Numbers only, so that they may be kept when the frontier is gone. */
struct frontier_counts {
    size_t queued;         /* waiting for their turn, retries included */
    size_t on_disk;        /* of them: in the file */
    size_t in_flight;      /* taken and not done */
    size_t setups;         /* of them: hosts that are looked up or asked for
                            * their robots.txt */
    size_t hosts, domains; /* seen */
    size_t domains_crawled, domains_capped, hosts_dead;
    size_t queued_max, on_disk_max; /* the most so far */
};
struct frontier_counts frontier_counts(const struct frontier *frontier);

/* One of the hosts that are being set up. The name is good until that ends. */
struct host_in_setup {
    struct str host; /* empty where there is none */
    bool is_robots;  /* and not the look-up of its name */
};
struct host_in_setup frontier_host_in_setup(const struct frontier *frontier);

/* 0, or the errno for which the file of the queue cannot be read any more: its
 * URLs are lost to this frontier, but not to the record. */
int frontier_trouble(const struct frontier *frontier);

/* Why nothing can be taken at `now_ms`, for people and for the next look. */
enum idle_reason {
    IDLE_NOT,     /* something can be taken */
    IDLE_EMPTY,   /* nothing queued */
    IDLE_PAUSE,   /* until `until_ms` for the pause of `host` */
    IDLE_BACKOFF, /* until `until_ms`: `host` was in trouble */
    IDLE_RETRY,   /* until `until_ms` to try a URL of `host` again */
    IDLE_FLIGHT,  /* what is in flight must end first */
    IDLE_ADDRESS, /* another machine of the fleet has the address of `host` */
};
struct idle {
    enum idle_reason reason;
    uint64_t until_ms; /* UINT64_MAX: no time will change it */
    struct str host;
    bool is_left_behind;  /* IDLE_PAUSE: no other host waits for this one */
    uint8_t last_outcome; /* of IDLE_BACKOFF: see frontier_note */
    uint64_t wake_ms;     /* look again then; never later than `until_ms` */
};
struct idle frontier_idle(const struct frontier *frontier, uint64_t now_ms);

/* The name of its domain; its host's address if that was looked up, else
 * NULL. */
struct str frontier_domain_name(const struct target *target);
const struct ip *frontier_host_ip(const struct target *target);

/* The work of the host of a target that is in flight. */
struct host_work {
    uint64_t host_key;  /* for frontier_has_queued */
    uint32_t in_flight; /* with this target */
    bool has_more;      /* something else of the host is queued */
    uint16_t worker;    /* that was last set; 0: none */
};
struct host_work frontier_host_work(const struct target *target);

/* Is anything of the host with this key queued? */
bool frontier_has_queued(const struct frontier *frontier, uint64_t host_key);

/* Note with the host which worker has its connection, a number of the caller's.
 * It is forgotten with the host. */
void frontier_set_worker(struct target *target, uint16_t worker);

/* Of a TARGET_RESOLVE: which of the addresses is wanted, 0 for the first. It
 * goes on beyond the last one: then it is the first one's turn again. */
unsigned frontier_address_turn(const struct target *target);

#endif
