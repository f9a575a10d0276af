/* What the files of the frontier share; nobody else includes this. */
#ifndef FRONTIER_INTERNAL_H
#define FRONTIER_INTERNAL_H

#include "ds/hashtable.h"
#include "frontier/frontier.h"
#include "frontier/host.h"
#include "frontier/level.h"
#include "frontier/seen.h"

/* What has changed since it was last told. */
struct changes {
    struct target **target;
    size_t targets, target_room;
    struct domain **domain;
    size_t domains, domain_room;
    struct host **host;
    size_t hosts, host_room;
};

/* Names that are looked up at once, in all and of a domain: enough to keep a
 * resolver busy, and not all of it with one whose servers do not answer. */
enum { RESOLVING_MAX = 1000, RESOLVING_PER_DOMAIN = 8 };

/* Linked by `newer`. */
struct host_line {
    struct host *first, *last;
};

struct frontier {
    struct frontier_options options;
    const struct ranks *ranks;
    struct hashtable targets; /* queued and retrying, by fingerprint */
    struct hashtable hosts;   /* remembered, by the hash of the name */
    struct hashtable domains; /* ever seen */
    struct hashtable addresses;
    struct arena domain_arena;
    struct heap ready;   /* domains */
    struct heap waiting; /* hosts */
    struct heap retries; /* active domains with targets that wait for that */
    struct heap resting; /* addresses */
    struct heap open;    /* addresses that may be asked, with hosts parked */
    struct host *idle_oldest, *idle_newest;
    size_t idle_count;
    uint64_t now_ms;    /* when something was last taken */
    size_t rules_bytes; /* of large rules, and these by their age */
    struct host_robots *rules_oldest, *rules_newest;
    struct seen answered[2]; /* hosts that had, before a resume; by https */
    size_t resolving; /* names that are being looked up, and their domains */
    struct domain *resolving_of[RESOLVING_MAX];
    struct host_line unresolved; /* hosts that wait for that */
    struct host_line crowded;    /* of domains that have enough of them */
    struct host *errand_host;    /* one whose errand is under way, or NULL */
    struct levels levels;
    struct seen hosts_seen;
    struct frontier_counts counts; /* what is not counted elsewhere */
    uint64_t next_age;
    struct changes changes;
    struct spill *spill; /* NULL: all is in memory */
    size_t queued_bytes; /* of memory, for what is queued */
    size_t queued_domains;
    size_t shelved;
    struct shelf newcomers; /* domains of which nothing was fetched yet */
    struct heap shelves;    /* of domains, that with the lowest depth first */
    uint64_t turn;          /* of opening them */
    uint64_t refills;
    struct hashtable lowered; /* what is nearer than it is thought there */
    struct shelf *lowered_shelves;
    uint32_t lowered_depth; /* the smallest of them */
    struct seen *seen;      /* or NULL; marked: on a shelf */
    struct buf record;      /* for one of them */
    int trouble;            /* an errno */
};

/* frontier/rules.c: the rules of hosts, which may take so much memory together.
 * Those that were asked for first go, and are asked for again when needed. The
 * rules are taken. */
void rules_set(struct frontier *frontier, struct host_robots *robots,
               struct robots *rules);
void rules_drop(struct frontier *frontier, struct host_robots *robots);

/* frontier/directory.c: finding and forgetting hosts, domains, addresses. */
struct host *host_for(struct frontier *frontier, const struct url *url);
struct host *host_known(const struct frontier *frontier, const struct url *url);
void count_host(struct frontier *frontier, const struct url *url); /* as seen */
void remember_answer(struct frontier *frontier, const struct url *url);
struct domain *domain_known(const struct frontier *frontier,
                            const struct url *url); /* or NULL */
struct domain *domain_named(struct frontier *frontier, struct str name);
struct domain *domain_for(struct frontier *frontier, const struct url *url);
void host_move_to(struct frontier *frontier, struct host *host,
                  const struct ip *ip);
void idle_put(struct frontier *frontier, struct host *host);
void idle_remove(struct frontier *frontier, struct host *host);
/* Forget idle hosts beyond the limit whose pause is over. */
void idle_trim(struct frontier *frontier, uint64_t now_ms);
void address_free_unused(struct frontier *frontier, struct address *address);

/* frontier/overflow.c: what is queued, in memory and beyond. */
void queue_put(struct frontier *frontier, struct target *target);
void queue_remove(struct frontier *frontier, struct target *target);
void count_queued(struct frontier *frontier); /* for the high-water marks */
/* Put it onto a shelf, if that is where it belongs. */
bool overflow_put(struct frontier *frontier, const struct offer *offer,
                  struct queued *queued);
/* It was found again, and is not in memory; see frontier_found_again. */
bool overflow_lower(struct frontier *frontier, const struct offer *offer);
/* After something of the host left the queue: some more. */
void overflow_refill(struct frontier *frontier, struct host *host,
                     uint64_t now_ms);
/* Nothing can be taken, perhaps because all that is in memory has to wait: true
 * where something was put back there that need not. */
bool overflow_open(struct frontier *frontier, uint64_t now_ms);
/* In breadth-first order: the lowest that is on a shelf, or may be. */
uint32_t overflow_depth(const struct frontier *frontier);
void overflow_release(struct frontier *frontier);

/* frontier/remember.c: what has changed and is not told yet. */
void changed_target(struct frontier *frontier, struct target *target);
void changed_domain(struct frontier *frontier, struct domain *domain);
void changed_host(struct frontier *frontier, struct host *host);
void forget_changed_target(struct frontier *frontier, struct target *target);
void forget_changed_host(struct frontier *frontier, struct host *host);
void changes_release(struct changes *changes);

/* frontier/place.c: where a host stands. */
bool domain_is_capped(const struct frontier *frontier,
                      const struct domain *domain);
void place_domain(struct frontier *frontier, struct domain *domain);
/* One more of what the score of a domain counts; `counter` is a field of it.
 * The domain is to be placed after. */
void count_in_score(struct frontier *frontier, struct domain *domain,
                    uint32_t *counter);
/* It has just had its last fetch: whatever of it waits is to be refused. */
void release_capped(struct frontier *frontier, struct domain *domain,
                    uint64_t now_ms);
void place_host(struct frontier *frontier, struct host *host, uint64_t now_ms);
bool address_is_free(const struct frontier *frontier, const struct host *host,
                     uint64_t now_ms);
/* Out of all queues; `host->newer` is for a list of those parked there. */
void park(struct frontier *frontier, struct host *host);
struct host *unpark(struct frontier *frontier, struct host *host,
                    uint64_t now_ms); /* the next of the list */
void park_host(struct frontier *frontier, struct host *host);
void release_due(struct frontier *frontier, uint64_t now_ms);
/* The best target of those that no rule holds back, its host READY; or NULL. */
struct target *first_ready(struct frontier *frontier, uint64_t now_ms);
/* The target goes back to its queue when its time, due_ms, has come. */
void put_retry(struct frontier *frontier, struct target *target);

/* frontier/lot.c: hosts that are parked with an address. */
bool lot_put(struct frontier *frontier, struct host *host); /* false: full */
void lot_remove(struct frontier *frontier, struct host *host);
void lot_moved(struct frontier *frontier, struct host *host);
/* The domain may be asked, or not: its lots count, or not. */
void lots_place(struct frontier *frontier, const struct domain *domain,
                bool belong);
/* Around a change of the domain's score. */
void lots_lift(struct frontier *frontier, const struct domain *domain);
void lots_settle(struct frontier *frontier, const struct domain *domain);
void lots_free(struct domain *domain);
/* Call it after every change of the lots, the flights or the rest. */
void place_address(struct frontier *frontier, struct address *address);

/* frontier/frontier.c: a fetch from the host begins, has ended. */
void take_off(struct frontier *frontier, struct target *target,
              uint64_t now_ms);
void land(struct frontier *frontier, struct target *target, uint64_t wait_ms,
          uint64_t now_ms);
uint64_t host_delay_ms(const struct frontier *frontier,
                       const struct host *host);

/* In breadth-first order: is no smaller depth open? */
bool is_its_level(const struct frontier *frontier, const struct target *target);
/* The host, or where the other of http and https has answered only this one;
 * `by_robots` where its robots.txt is why. */
void give_up(struct frontier *frontier, struct host *host, bool https,
             bool by_robots, uint8_t cause);
/* True if it was silent too often. */
bool note_silence(struct frontier *frontier, struct host *host, bool https,
                  uint8_t cause);
struct target *target_new(struct frontier *frontier, const struct offer *offer,
                          uint64_t number);
struct queued put_numbered(struct frontier *frontier, const struct offer *offer,
                           uint64_t number, uint64_t now_ms);
void enqueue(struct frontier *frontier, struct target *target, uint64_t now_ms);
void dequeue(struct frontier *frontier, struct target *target);

/* frontier/backoff.c: the host gave a good answer, which ends a row of 5xx. */
void end_errors(struct frontier *frontier, struct host *host);
/* It was in the middle of such a row before a resume. */
void restore_backoffs(struct host *host, unsigned backoffs, uint64_t now_ms);

/* frontier/errand.c: what must be done before a page of the host is fetched;
 * NULL where nothing must. */
struct target *next_errand(struct frontier *frontier, struct host *host,
                           const struct target *page, uint64_t now_ms);
/* Its name must be looked up, but that many are that it has to wait. */
bool park_unresolved(struct frontier *frontier, struct host *host);
/* It does not answer: before the next fetch its name is looked up again, for
 * another address. */
void try_next_address(struct host *host);
/* As many as may be looked up now, those that have waited longest. */
void unpark_unresolved(struct frontier *frontier, uint64_t now_ms);
/* A robots.txt that moved, whose turn it is: true where it must not be asked
 * for because its host is given up; it is freed then. */
bool drop_moved(struct frontier *frontier, struct target *target,
                uint64_t now_ms);
/* What its robots.txt says, at the target's turn. Rules that take long to read
 * cost everybody's time, so their host rests ten times as long: a hostile file
 * slows down its own host, no other. When a URL is found, such rules are not
 * asked at all. */
enum verdict precheck_robots(const struct frontier *frontier, struct host *host,
                             bool https, struct str path, unsigned *line);
enum verdict robots_verdict(struct host *host, bool https, struct str path,
                            unsigned *line, uint64_t now_ms);

#endif
