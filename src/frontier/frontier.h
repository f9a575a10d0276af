/* The frontier: targets that wait for their turn, in the order and at the
 * pace of the rules. Pure logic: the time comes in as an argument.
 *
 * Three levels of heaps, each ordered by its best member: a host's queue of
 * targets, a domain's hosts that may be asked now, the domains that may be
 * asked now. A host that may not be asked yet is in none of them but in the
 * heap of waiting hosts by time: politeness is where a host stands, not a
 * check that somebody could forget. Three rules hold at once: the pause of a
 * host, the pause of the address that serves it, and the number of fetches
 * that a host, its address and its domain may have in flight.
 *
 * ORDER_BFS: smaller depth first, then older. No target of depth d+1 comes
 * out while one of depth d is queued, retrying or in flight, so a depth is
 * always the shortest distance from the seeds.
 *
 * ORDER_PRIORITY: the highest score first, then the oldest, where
 *     score = max(0, 10 - 0.1 * crawled(domain))
 *           + 1 * found(url) + 0.01 * found(domain)
 * in integers of hundredths. Two terms belong to the domain, so that a change
 * of one moves one entry of one heap, never all URLs of the domain.
 */
#ifndef FRONTIER_FRONTIER_H
#define FRONTIER_FRONTIER_H

#include "frontier/address.h"
#include "frontier/seen.h"
#include "frontier/target.h"
#include "robots/robots.h"
#include "url/domain.h"
#include "url/url.h"

struct frontier;

enum order { ORDER_BFS, ORDER_PRIORITY };

/* A breadth-first crawl has the source document's constant score of 2. */
enum { FRONTIER_BFS_SCORE = 200 };

struct frontier_options {
    enum order order;
    uint64_t delay_ms;       /* pause of a host, from the end of a fetch */
    uint64_t ip_delay_ms;    /* pause of an address */
    uint32_t per_host;       /* fetches in flight per host, per domain and, with
                              * `resolve`, per address */
    uint64_t max_per_domain; /* fetches of a domain in all; 0: no limit */
    uint32_t host_tries;     /* failures in a row that make a host dead;
                              * 0: never */
    uint32_t idle_hosts_max; /* remembered with nothing queued; 0: all */
    bool resolve;            /* look names up before anything else */
    bool robots;             /* ask for robots.txt and obey it */
    bool report_changes;     /* keep lists for frontier_next_changed etc. */
    uint64_t queue_bytes;    /* of memory for what is queued, the rest is put
                              * into a file; 0: all in memory */
    int queue_dir_fd;        /* where that file is */
    uint64_t hash_seed;      /* for host and domain names */
    const struct domains *domains;
};

struct frontier *frontier_new(const struct frontier_options *options);
void frontier_free(struct frontier *frontier);

/* The set that everything is in before it is put: its marks are for what waits
 * in the file, in breadth-first order. */
void frontier_use_seen(struct frontier *frontier, struct seen *seen);

/* --- in ---------------------------------------------------------------- */

/* A URL as it is offered. */
struct offer {
    const struct url *url;
    struct str domain;    /* the registrable one, if known: a look-up less */
    uint64_t fingerprint; /* url_fingerprint() */
    uint32_t depth;       /* that the page would have */
    uint32_t referrer_id; /* page where it was found, 0 for a seed */
    uint32_t found;       /* in a page: 1; a seed: 0 */
    uint64_t via;         /* number of the target that redirected here, or 0 */
    uint8_t redirects;    /* hops that led here */
    enum target_kind kind;
};

/* A URL in scope was found in a page, whatever becomes of it: its domain is
 * a little more important. */
void frontier_count_found(struct frontier *frontier, const struct url *url);

/* ACCEPT, or why this URL need not be queued: its domain has had all its
 * fetches, its host is dead, its robots.txt is known and forbids it (then
 * `*line` is the line). */
enum verdict frontier_precheck(const struct frontier *frontier,
                               const struct url *url, unsigned *line);

/* Why the host of this URL was given up, as frontier_note was told. */
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
 * up, and takes a smaller depth with its referrer. What waits in the file does
 * so only in breadth-first order, and only with a set that has its marks. Then
 * true where nothing else tells of it: who remembers has to remember the offer
 * itself. */
bool frontier_found_again(struct frontier *frontier, const struct offer *offer);

/* --- out --------------------------------------------------------------- */

/* The target whose turn it is, in flight from here on, or NULL. Its `verdict`
 * is ACCEPT, or why it is not to be fetched after all: then frontier_drop
 * it. */
struct target *frontier_take(struct frontier *frontier, uint64_t now_ms);
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

/* The fetch has ended (at `now_ms`): the host's pause begins, the target is
 * freed. Or the host has to rest for `wait_ms`, where that is longer. */
void frontier_done(struct frontier *frontier, struct target *target,
                   uint64_t now_ms, uint64_t wait_ms);

/* The fetch has ended and must be tried again after `wait_ms`; with
 * `whole_host` the host's other targets wait as long. */
void frontier_again(struct frontier *frontier, struct target *target,
                    uint64_t now_ms, uint64_t wait_ms, bool whole_host);

/* Before either: did the host answer at all? After `host_tries` times in a
 * row that it did not, or FRONTIER_NO_REPLY_MAX that it was mute or busy, it is
 * dead: its targets come out refused, with the last `cause`, a number of the
 * caller's. */
void frontier_note(struct frontier *frontier, struct target *target,
                   enum host_health health, uint8_t cause);

/* The same where the host answered that something failed in it (5xx). That
 * may be this page's fault alone. But after FRONTIER_ERRORS_MAX answers of that
 * kind in a row the host backs off, until it gives another answer: the caller
 * makes it rest, longer each time. If it has backed off for an hour and still
 * gives no other answer, it is dead. */
enum { FRONTIER_ERRORS_MAX = 10, FRONTIER_BACKOFF_MAX_MS = 3600 * 1000 };
void frontier_note_error(struct frontier *frontier, struct target *target,
                         uint8_t cause, uint64_t now_ms);

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
                     struct robots *rules, uint64_t now_ms);

/* The end of either errand, but in vain: nothing of the host may be fetched,
 * try again after `wait_ms`. Counts like a silent host; with `for_good` there
 * will be no other try. */
void frontier_setup_failed(struct frontier *frontier, struct target *target,
                           uint64_t now_ms, uint64_t wait_ms, uint8_t cause,
                           bool for_good);

/* The end of either errand, because the crawl ends: it says nothing of the
 * host. */
void frontier_setup_stopped(struct frontier *frontier, struct target *target,
                            uint64_t now_ms);

/* Whose rules a TARGET_ROBOTS is for, and for which of its schemes. */
struct str frontier_robots_host(const struct target *errand);
bool frontier_robots_is_https(const struct target *errand);

/* How often the host of this errand was silent in a row, so far. */
unsigned frontier_failures(const struct target *errand);

/* The end of a TARGET_ROBOTS, but it moved: ask for this URL when its host may
 * be asked; the rules will be those of the host that was asked first. `from` is
 * freed. False where it has moved too often: then nothing has happened. */
bool frontier_robots_moved(struct frontier *frontier, struct target *from,
                           const struct url *url, uint64_t now_ms);

/* --- to remember it ---------------------------------------------------- */

/* A target's `age` is its number; this is the next one, for whatever else
 * needs a number of its own. */
uint64_t frontier_next_number(struct frontier *frontier);

/* The pause that the target's host is given after a fetch. */
uint64_t frontier_delay_ms(const struct frontier *frontier,
                           const struct target *target);

/* The same after a TARGET_ROBOTS that brought these rules. */
uint64_t frontier_robots_delay_ms(const struct frontier *frontier,
                                  const struct target *target,
                                  const struct robots *rules);

/* A target that was queued before and has been found again since it was last
 * told, then the next; NULL at the end. Only its depth, referrer and `found`
 * can have changed. */
const struct target *frontier_next_changed(struct frontier *frontier);

/* Domains that were mentioned since they were last told. */
bool frontier_next_mentioned(struct frontier *frontier, struct str *name,
                             uint32_t *found);

/* What of a host is given up: bits. Records hold them. */
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

/* Hosts whose health has changed since it was last told. */
bool frontier_next_troubled(struct frontier *frontier,
                            struct host_state *state);

/* --- to remember it again ---------------------------------------------- */

/* As frontier_put, with the number that it had, the fetches it has had, and
 * the time of the next one if it is to be tried again (else 0). */
struct target_history {
    uint64_t number;
    uint8_t tries;
    uint64_t due_ms;
};
void frontier_restore(struct frontier *frontier, const struct offer *offer,
                      const struct target_history *past, uint64_t now_ms);

/* All numbers up to this one are taken. */
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

/* What the domain of a URL has had. */
struct domain_counts {
    uint32_t crawled; /* fetches */
    uint32_t found;   /* links to it in pages; counted in ORDER_PRIORITY */
};
struct domain_counts frontier_domain_counts(const struct frontier *frontier,
                                            const struct url *url);

/* --- about ------------------------------------------------------------- */

/* Numbers only, so that they may be kept when the frontier is gone. */
struct frontier_counts {
    size_t queued;         /* waiting for their turn, retries included */
    size_t on_disk;        /* of them: in the file */
    size_t in_flight;      /* taken and not done */
    size_t setups;         /* of them: hosts that are looked up or asked for
                            * their robots.txt */
    size_t hosts, domains; /* seen */
    size_t domains_crawled, domains_capped, hosts_dead;
    size_t queued_max, on_disk_max; /* high-water marks */
};
struct frontier_counts frontier_counts(const struct frontier *frontier);

/* One of the errands that are under way. The name is the frontier's, until
 * the errand ends. */
struct host_in_setup {
    struct str host; /* empty where there is none */
    bool is_robots;  /* and not the look-up of its name */
};
struct host_in_setup frontier_host_in_setup(const struct frontier *frontier);

/* 0, or why the file of the queue cannot be read any more, an errno: what was
 * in it is lost to this frontier, but not to who remembers what was queued. */
int frontier_trouble(const struct frontier *frontier);

/* Bytes held for hosts and domains, names included. */
size_t frontier_domain_bytes(const struct frontier *frontier);

/* Why nothing can be taken at `now_ms`, for people and for the next look. */
enum idle_reason {
    IDLE_NOT,     /* something can be taken */
    IDLE_EMPTY,   /* nothing queued */
    IDLE_PAUSE,   /* until `until_ms` for the pause of `host` */
    IDLE_BACKOFF, /* until `until_ms`: `host` was in trouble */
    IDLE_RETRY,   /* until `until_ms` to try a URL of `host` again */
    IDLE_FLIGHT,  /* what is in flight must end first */
};
struct idle {
    enum idle_reason reason;
    uint64_t until_ms; /* UINT64_MAX: no time will change it */
    struct str host;
    uint8_t last_outcome; /* of IDLE_BACKOFF: see frontier_note */
    uint64_t wake_ms;     /* look again then; never later than `until_ms` */
};
struct idle frontier_idle(const struct frontier *frontier, uint64_t now_ms);

/* The host's name, "example.org" or "example.org:8080", and its address if
 * that was looked up, else NULL. */
struct str frontier_host_name(const struct target *target);
struct str frontier_domain_name(const struct target *target);
const struct ip *frontier_host_ip(const struct target *target);

/* The work of the host of a target that is in flight. */
struct host_work {
    uint32_t in_flight; /* with this target */
    bool has_more;      /* something else of the host is queued */
    uint16_t worker;    /* that was last set; 0: none */
};
struct host_work frontier_host_work(const struct target *target);

/* Is anything of the host with this name (frontier_host_name) queued? */
bool frontier_has_queued(const struct frontier *frontier, struct str host);

/* Note with the host which worker has its connection, a number of the caller's.
 * It is forgotten with the host. */
void frontier_set_worker(struct target *target, uint16_t worker);

/* Of a TARGET_RESOLVE: which of the addresses is wanted, 0 for the first. It
 * goes on beyond the last one: then it is the first one's turn again. */
unsigned frontier_address_turn(const struct target *target);

#endif
