/* Politeness: hosts, domains and addresses; who may be asked, and when.
 *
 * Invariant: every host stands in exactly one place (enum host_standing), and a
 * host that may not be asked now is in no heap of ready ones. Three rules hold
 * at once: the pause of a host, the pause of the address that serves it, and
 * the number of fetches that a host, its address and its domain may have in
 * flight.
 *
 * Hosts that share an address take turns. A host whose turn in the order has
 * come, but whose address is in use or rests, goes to the end of the queue of
 * that address. When the address is free the first of its queue is asked,
 * before all ready hosts: it was the best of them when it came. If its domain
 * has enough in flight by then, or a smaller depth is open, it goes back to the
 * ready ones. At most
 * ADDRESS_QUEUE_MAX hosts of a domain are in such queues, so a domain with
 * thousands of hosts neither keeps others from their address nor moves all of
 * its hosts when one of its fetches ends.
 *
 * A domain is prompt if its last fetch of a page ended without a time-out, else
 * it is doubtful: new, or a tarpit. Doubtful domains together have at most
 * `doubtful_max` fetches in flight, so that tarpits never hold the places of
 * all workers. Ready domains of either kind are in a heap of their own.
 *
 * It knows no formula of a score, no robots.txt rules and no disk. Private to
 * src/frontier/.
 */
#ifndef FRONTIER_POLITENESS_H
#define FRONTIER_POLITENESS_H

#include "base/hashtable.h"
#include "frontier/by_hand.h"
#include "frontier/frontier.h"
#include "frontier/host.h"

enum { ADDRESS_QUEUE_MAX = 16 };

/* An address that is held and not known here any more: it is given back, but
 * not before this time. */
struct unused_address {
    struct ip ip;
    uint64_t from_ms;
};

/* Leases of addresses, in a fleet. Invariant: `listed` are the addresses about
 * which something is to be decided with the next commit: those that somebody
 * waits for and that are not held, and those that are held and wanted by
 * another machine. */
struct address_leases {
    TAILQ_HEAD(address_list, address) listed;
    size_t listed_count;
    struct unused_address *unused;
    size_t unused_count, unused_room;
    bool has_news; /* one that was never asked for, or can be given up now */
};

struct politeness {
    const struct frontier_options *options;
    const struct ranking *ranking;
    uint64_t now_ms;          /* of the last call of the frontier */
    struct hashtable hosts;   /* remembered, by the hash of the name */
    struct hashtable domains; /* ever seen */
    struct hashtable addresses;
    struct arena domain_arena;
    struct heap ready[2];      /* domains that may be asked now; by is_prompt */
    struct heap unresolved[2]; /* the same, with names to look up */
    struct heap waiting;       /* hosts, by next_ms */
    struct heap resting;       /* addresses, by next_ms */
    struct heap open;          /* addresses that may be asked, with a queue */
    uint64_t turns;            /* given in queues of addresses */
    uint32_t doubtful;         /* fetches in flight from doubtful domains */
    struct host *idle_oldest, *idle_newest;
    size_t idle_count, dead_count;
    size_t standing[HOST_STANDINGS]; /* hosts; not OCCUPIED and IDLE */
    size_t backing_off;              /* of the WAITING ones */
    struct address_leases leases;
    struct by_hand by_hand;
    struct seen hosts_seen;
    struct seen answered[2]; /* hosts that had, before a resume; by https */
    bool *frozen;            /* by partition; NULL: none is */
    uint64_t *new_rest_ms;   /* by partition: a host that is met for the first
                              * time is not asked before; NULL: no such time */
};

void politeness_init(struct politeness *politeness,
                     const struct frontier_options *options,
                     const struct ranking *ranking);
void politeness_release(struct politeness *politeness);

/* --- politeness.c: where a host stands ---------------------------------- */

bool politeness_is_capped(const struct politeness *politeness,
                          const struct domain *domain);
/* Does the cap of its domain refuse this target? Robots.txt and requisites are
 * exempt. */
bool politeness_is_beyond_cap(const struct politeness *politeness,
                              const struct target *target);
/* Is its domain capped, or its host given up? Then no pause holds it. */
bool politeness_is_to_refuse(const struct politeness *politeness,
                             const struct target *target);

/* Call it after every change of a host's queue, clock, setup or fetches in
 * flight; it places the domain, too. */
void politeness_place(struct politeness *politeness, struct host *host);
/* Call it after a change of a domain's score. */
void politeness_place_domain(struct politeness *politeness,
                             struct domain *domain);

/* Did a fetch from the domain end without a time-out? */
void politeness_set_prompt(struct politeness *politeness, struct domain *domain,
                           bool is_prompt);

void politeness_fetch_started(struct politeness *politeness, struct host *host);
/* The pause is the longer of `delay_ms` and `wait_ms`. If `wait_ms` is longer,
 * the host counts as backing off. */
void politeness_fetch_ended(struct politeness *politeness, struct host *host,
                            uint64_t ended_ms, uint64_t delay_ms,
                            uint64_t wait_ms);
/* A target of the host is neither queued nor fetched: it is being refused. */
void politeness_refusal_started(struct politeness *politeness,
                                struct host *host);
void politeness_refusal_ended(struct politeness *politeness, struct host *host);

static inline void politeness_rest_until(struct host *host, uint64_t time_ms)
{
    if (host->next_ms < time_ms)
        host->next_ms = time_ms;
}

/* May the ready host be asked at once? If not, it goes to the queue of its
 * address. */
bool politeness_may_ask_address(struct politeness *politeness,
                                struct host *host);

/* The best target of the host whose turn it is at its address, or NULL. */
struct target *politeness_first_in_queues(struct politeness *politeness);
/* The host cannot use its turn: it goes back to the ready ones. */
void politeness_lose_turn(struct politeness *politeness, struct host *host);
/* The best target of all ready hosts that have a place, or NULL; with
 * `may_look_up` also of those whose names must be looked up. */
struct target *politeness_first_ready(const struct politeness *politeness,
                                      bool may_look_up);

/* The address is not asked before `time_ms`. */
void politeness_rest_address(struct politeness *politeness,
                             struct address *address, uint64_t time_ms);
/* Call it after every change of its queue, its fetches in flight, its rest or
 * its lease. */
void politeness_place_address(struct politeness *politeness,
                              struct address *address);

/* The pauses that have ended. */
void politeness_release_due(struct politeness *politeness);
/* The domain is capped: its hosts need not wait to be refused. */
void politeness_release_domain(struct politeness *politeness,
                               struct domain *domain);

/* --- address_lease.c: leases of addresses, in a fleet --------------------- */

void address_leases_init(struct address_leases *leases);
void address_leases_release(struct address_leases *leases);
/* May a fetch begin there, as far as its lease goes? */
bool address_is_ours(const struct politeness *politeness,
                     const struct address *address);
/* Its queue, its fetches in flight or its lease has changed. */
void address_lease_note(struct politeness *politeness, struct address *address);
/* A host that waits for an address that is not held, or NULL. */
const struct host *
address_lease_first_host(const struct politeness *politeness);
/* It is about to be forgotten. */
void address_lease_forget(struct politeness *politeness,
                          struct address *address);

/* --- hosts.c: finding and forgetting ------------------------------------- */

/* The key under which the host is known, or would be. */
uint64_t host_key(const struct politeness *politeness, const struct url *url);
struct host *host_for(struct politeness *politeness, const struct url *url);
struct host *host_known(const struct politeness *politeness,
                        const struct url *url); /* or NULL */
void host_count_seen(struct politeness *politeness, const struct url *url);
/* There is a server for this scheme, whenever the host is met. */
void host_remember_answer(struct politeness *politeness, const struct url *url);
struct domain *domain_known(const struct politeness *politeness,
                            const struct url *url); /* or NULL */
struct domain *domain_named(struct politeness *politeness, struct str name);
struct domain *domain_for(struct politeness *politeness, const struct url *url);
void host_move_to(struct politeness *politeness, struct host *host,
                  const struct ip *ip);
struct address *address_known(const struct politeness *politeness,
                              const struct ip *ip); /* or NULL */
void address_free_unused(struct politeness *politeness,
                         struct address *address);

/* Idle hosts in the order in which they may be forgotten. */
void idle_put(struct politeness *politeness, struct host *host);
void idle_remove(struct politeness *politeness, struct host *host);
void host_forget(struct politeness *politeness, struct host *host); /* idle */

/* --- trouble.c: hosts that do not answer --------------------------------- */

/* Each returns true if the host's health has changed. */
bool trouble_note(struct politeness *politeness, struct host *host, bool https,
                  enum host_health health, uint8_t outcome);
bool trouble_note_error(struct politeness *politeness, struct host *host,
                        bool https, uint8_t outcome, uint64_t ended_ms);

/* The host was silent; true if that was too often. */
bool trouble_note_silence(struct politeness *politeness, struct host *host,
                          bool https, uint8_t outcome);
/* The same for its name, which was not found. */
bool trouble_note_failed_lookup(struct politeness *politeness,
                                struct host *host, uint8_t outcome);
/* Give up the host, or only this scheme if the other one has answered. */
void trouble_give_up(struct politeness *politeness, struct host *host,
                     bool https, bool by_robots, uint8_t outcome);
void trouble_restore(struct politeness *politeness, struct host *host,
                     const struct host_state *state);
uint8_t trouble_failures(const struct host *host); /* the longest row */
uint8_t trouble_given_up(const struct host *host); /* enum given_up */

#endif
