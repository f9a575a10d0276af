/* A member of a fleet: what one machine decides about its place among the
 * others. It is pure: the time is an argument, and what the machine has to do
 * comes out as values.
 *
 *     member_join(&member, &options, &joined, incarnation, asked_ms);
 *     for each commit:
 *         member_compose(&member, &state, &commit, arena);
 *         the engine counts it, at the n-th attempt
 *         member_answer(&member, &answer, &times, &todo, arena)
 *
 * Nobody leads. Every machine reads the same snapshot after each commit and
 * draws its own conclusions:
 *
 *   - Its share is the number of partitions by that of the machines that are
 *     alive, rounded up. With less, it claims free ones, half of what it lacks
 *     at a time. With more, it drains some: no new fetches, and when nothing is
 *     in flight it gives them up.
 *   - Its lease begins anew when it sends a commit that counts. Before the end
 *     of the lease it stops by itself, by its own clock. It keeps what it
 *     knows: if its next commit counts after all, nobody has taken over, and it
 *     goes on when every host has rested for a whole pause.
 *   - It declares another dead that it has seen in the same batch for longer
 *     than a lease, by its own clock. No clock is compared with another's. A
 *     while in which it saw nothing itself does not count: perhaps the engine
 *     was away, and nobody could commit.
 *   - An address that hosts of several machines share is leased, too: it wants
 *     those that its hosts wait for, and gives up what others want.
 *   - If every partition has an owner that is alive, all mail that was sent was
 *     taken, and every machine knows the smallest depth that is open in it,
 *     then the smallest of all is the level of the crawl; and if nothing is
 *     open, the crawl is finished. That stays true once it is true: a target
 *     comes from a target that is open, or from mail under way.
 *
 * Invariant: `ours` are the partitions that the engine says are ours, up to the
 * commit that is under way; `ready` of them are loaded; `draining` of those
 * will be given up; `leaving` are given up by the commit under way. Strictly
 * one commit is under way.
 */
#ifndef FLEET_MEMBER_H
#define FLEET_MEMBER_H

#include "fleet/engine.h"
#include "fleet/part.h"

struct member_options {
    uint32_t partitions;
    bool by_level;      /* breadth-first: levels count */
    uint64_t lease_ms;  /* at least 1000 */
    uint64_t pages_max; /* UINT64_MAX: no limit */
    uint64_t random;    /* any number, another one on each machine */
};

enum {
    MEMBER_WATCH_ALL = 50,
    MEMBER_WATCHED = 3,
    MEMBER_GRANT_MAX = 1000,
    MEMBER_MAILS_PER_S = 20000,
};

/* The last sign of life of another machine. */
struct member_watch {
    uint32_t node;
    bool seen; /* in the last snapshot */
    uint64_t incarnation, batch;
    uint64_t since_ms; /* it was visible then, or earlier: without the whiles
                        * in which we saw nothing */
};

struct member {
    struct member_options options;
    uint32_t node;
    uint64_t incarnation, batch; /* the last that counted */
    uint64_t mails;              /* given a `seq` in this incarnation */
    uint64_t sent, taken;        /* since the crawl began */
    uint64_t pages_granted;
    struct part_set ours, ready, draining, leaving;
    uint32_t *epoch;  /* by partition */
    uint32_t *wanted; /* partitions to claim with the next commit */
    size_t wants;
    struct fleet_mail_key *took; /* to be deleted with the next commit */
    size_t tooks, took_room;
    struct member_watch *watch;
    size_t watches, watch_room;
    uint64_t polled_ms;  /* the last snapshot */
    uint32_t alive;      /* machines */
    uint64_t pages_left; /* nobody has reserved them */
    uint32_t level;      /* nothing deeper may be fetched */
    bool has_lapsed;     /* its lease has, and no commit counted since */
    bool is_leaving;     /* it gives up all it has */
    bool has_left;
};

/* The engine has answered a join that was sent at `asked_ms`. All partitions
 * that it gave are ours and have to be loaded. */
void member_join(struct member *member, const struct member_options *options,
                 const struct fleet_joined *joined, uint64_t incarnation,
                 uint64_t asked_ms);
void member_release(struct member *member);

/* --- questions ----------------------------------------------------------- */

/* A lease: it counts from the time at which the commit that renewed it was
 * sent. Some time before its end no fetch begins any more, and a little later
 * those in flight are abandoned and no request is sent. Any thread may ask. */
struct lease {
    uint64_t renewed_ms, length_ms;
};
/* Of a machine that sent its join and, later, the last commit that counted at
 * these times. Of a commit: when the attempt was made that counted; if that is
 * not known (had_counted), when the first one was. 0: none yet. */
struct lease lease_since(uint64_t joined_ms, uint64_t renewed_ms,
                         uint64_t length_ms);
bool lease_may_go_on(struct lease lease, uint64_t now_ms);

/* May a fetch begin? No, too, from LEASE_LAPSED to LEASE_BACK. */
bool member_may_fetch(const struct member *member, struct lease lease,
                      uint64_t now_ms);

/* For so long an address is kept that another machine wants: a third of a
 * lease, 10 s of 30. */
uint64_t member_hold_ms(uint64_t lease_ms);

/* May URLs of the partition be judged here? */
bool member_owns(const struct member *member, uint32_t part);

/* Has nobody had the partition before, so that no host of it was asked? */
bool member_is_first_owner(const struct member *member, uint32_t part);

/* How long to wait from one commit to the next, where `every_ms` is wanted: so
 * long that all machines together send no more than MEMBER_MAILS_PER_S; at most
 * a sixth of the lease. */
uint64_t member_interval_ms(const struct member *member, uint64_t every_ms);

/* --- events -------------------------------------------------------------- */

enum lease_news {
    LEASE_NO_NEWS,
    LEASE_LAPSED, /* it is nearly over: abandon what is in flight */
    LEASE_BACK,   /* a commit counted after that: every host and address rests
                   * for a whole pause, then it goes on */
};

/* Has the lease changed since the last call? */
enum lease_news member_look_at_lease(struct member *member, struct lease lease,
                                     uint64_t now_ms);

void member_loaded(struct member *member, uint32_t part);
void member_take(struct member *member, const struct fleet_mail_key *key);
/* Give up everything; no new partitions. */
void member_leave(struct member *member);

/* The state of the machine when a commit is composed. */
struct member_state {
    int32_t lowest; /* frontier_lowest, of all it has after this commit; or
                     * FLEET_LOWEST_NONE */
    uint64_t pages; /* saved */
    uint64_t pages_in_flight;
    bool wants_pages;        /* it has pages to fetch */
    struct fleet_mail *mail; /* sender and `seq` are filled in */
    size_t mails;
    struct str *want; /* addresses that hosts here wait for */
    size_t wants;
    struct str *release; /* addresses that are given up */
    size_t releases;
};

/* The draining partitions of which `is_busy` says that nothing is in flight are
 * given up with the next commit: from now on member_owns says no. The set is
 * `leaving`. Call it before the rows of the commit are collected. */
void member_settle(struct member *member,
                   bool (*is_busy)(void *user, uint32_t part), void *user);

/* Fill in all of the commit but segments, ledger and figures. Addresses are
 * sorted, so that two commits never wait for each other. */
void member_compose(struct member *member, const struct member_state *state,
                    struct fleet_commit *commit, struct arena *arena);

struct member_times {
    uint64_t asked_ms; /* when the attempt was made that brought the snapshot */
    uint64_t now_ms;   /* when that was here */
};

struct member_todo {
    const uint32_t *drop; /* partitions that were given up: forget them */
    size_t drops;
    const struct fleet_owned *load; /* claimed: load them */
    size_t loads;
    const uint32_t *drain; /* freeze them */
    size_t drains;
    const struct fleet_bury *bury; /* dead machines */
    size_t buries;
    struct fleet_command command;
    bool has_command; /* to finish the crawl, or to raise its level */
    bool finished;    /* the crawl is */
    bool paused;      /* by the user: start no fetches */
    bool stopped;     /* by the user: leave */
    bool left;        /* this machine has */
};

/* The commit under way counted. False: this machine has no say any more, as
 * after FLEET_FENCED. */
bool member_answer(struct member *member, const struct fleet_commit *commit,
                   const struct fleet_answer *answer,
                   const struct member_times *times, struct member_todo *todo,
                   struct arena *arena);

#endif
