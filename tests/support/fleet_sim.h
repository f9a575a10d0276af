/* A fleet in one process: machines with a real validator, frontier, member and
 * outbox, an engine in memory, a web whose pages are a function of their
 * number, and a clock that only the test moves. Everything follows from the
 * seed. */
#ifndef TESTS_SUPPORT_FLEET_SIM_H
#define TESTS_SUPPORT_FLEET_SIM_H

#include "fleet/mail.h"
#include "fleet/member.h"
#include "frontier/validator.h"
#include "support/engine_fake.h"
#include "support/random.h"

enum {
    SIM_PARTS = 16,
    SIM_MACHINES = 4,
    SIM_PAGES = 400,
    SIM_DOMAINS = 24,
    SIM_HOSTS = 2, /* of a domain */
    SIM_LINKS = 5,
    SIM_FLIGHTS = 5,
    SIM_LEASE_MS = 3000,
    SIM_DELAY_MS = 300,
    SIM_ADDRESSES = 6, /* of all hosts, where addresses count */
    SIM_IP_DELAY_MS = 100,
    SIM_STEP_MS = 20,
};

/* Machines that keep the protocol only in part: each must be found out. */
enum sim_mutant {
    SIM_SOUND,
    SIM_NO_FENCE,         /* the engine counts commits of the dead */
    SIM_NO_MAIL_COUNTERS, /* mail under way does not hold up the end */
    SIM_NO_DEADLINE,      /* a machine fetches on when its lease is over */
    SIM_NO_LOOK,          /* after a lost answer the commit counts twice */
    SIM_NO_HOLDER,        /* an address is everybody's */
    SIM_NO_REST,          /* one whose holder is gone is asked at once */
    SIM_NO_REST_AFTER,    /* nor does a host rest after an outage */
    SIM_HASTY,            /* a machine that saw nothing itself for a while
                           * declares others dead */
    SIM_MUTANTS,
};

struct flight {
    struct target *target;
    uint64_t end_ms;
    uint32_t page;
};

/* A call that is under way. */
struct pending {
    bool is_under_way, is_done;
    uint64_t first_ms, sent_ms, effect_ms, answer_ms;
    struct fleet_commit commit;
    struct fleet_answer answer;
    enum fleet_result result;
    struct arena arena; /* of the commit and its answers */
};

struct sim;

struct machine {
    struct sim *sim;
    uint32_t index;
    bool is_running; /* the process exists */
    bool has_joined;
    bool ended; /* it saw the end of the crawl */
    uint64_t stopped_until_ms, start_ms;
    uint64_t joined_ms, renewed_ms; /* its lease */
    uint64_t back_ms; /* when it had that again, after an outage */
    uint64_t hold_ms; /* no fetch before */
    uint64_t incarnation;
    struct fake_link link;
    struct validator validator;
    struct member member;
    struct outbox *outbox;
    struct flight flight[SIM_FLIGHTS];
    unsigned flights;
    struct buf rows[SIM_PARTS];
    uint64_t pages;
    uint64_t commit_ms; /* when the last one was composed */
    bool commit_soon;
    struct pending pending;
    struct arena arena; /* of URLs that are offered, cleared */
};

/* What the servers see. */
struct served {
    uint64_t busy_until_ms, requests;
};

struct sim {
    struct random random;
    enum ranking_kind ranking;
    enum sim_mutant mutant;
    uint64_t now_ms, next_incarnation;
    struct fake fake;
    struct machine machine[SIM_MACHINES];
    struct domains *domains;
    struct scope *scope;
    uint32_t depth[SIM_PAGES]; /* the truth; UINT32_MAX: not reached */
    struct served host[SIM_DOMAINS][SIM_HOSTS], domain[SIM_DOMAINS];
    struct served address[SIM_ADDRESSES];
    bool has_addresses;
    bool was_set_back;
    uint64_t cut_until_ms[SIM_MACHINES], saved_ms, set_back_ms;
    uint64_t away_until_ms; /* the engine, for all */
    unsigned faults, lost_answers, outages;
    unsigned requests;
    char wrong[200]; /* the first thing that was wrong; empty: nothing */
};

struct sim_options {
    uint64_t seed;
    enum ranking_kind ranking;
    bool faults, set_back;
    bool outages;   /* of the engine, and without `faults` nothing else */
    bool addresses; /* hosts share some, and their pauses count */
    enum sim_mutant mutant;
};

/* Run a crawl to its end. Empty if all is as it should be, else what was
 * wrong. */
void sim_run(struct sim *sim, const struct sim_options *options);
void sim_release(struct sim *sim);

/* --- fleet_web.c: the pages, and the judgement -------------------------- */

/* Its links; a redirect has one, and leads to the same depth. */
unsigned fleet_web_links(uint32_t page, uint32_t link[SIM_LINKS]);
bool fleet_web_is_redirect(uint32_t page);
uint32_t fleet_web_domain(uint32_t page);
uint32_t fleet_web_host(uint32_t page);
uint32_t fleet_web_address(uint32_t domain, uint32_t host);
struct str fleet_web_url(uint32_t page, struct arena *arena);
uint32_t fleet_web_page(struct str url);
void fleet_web_depths(uint32_t depth[SIM_PAGES]);

void sim_fail(struct sim *sim, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

/* A request begins, and would end at `end_ms`; it ended earlier. */
void sim_request(struct machine *machine, uint32_t page, uint64_t end_ms);
void sim_cut_short(struct sim *sim, uint32_t page);

/* When all is over. */
void sim_judge(struct sim *sim);
void sim_judge_outages(struct sim *sim);

/* --- fleet_addresses.c --------------------------------------------------- */

/* The next page; names are looked up on the way. */
struct target *machine_take(struct machine *machine);
void machine_add_addresses(struct machine *machine, struct member_state *state);
void machine_take_addresses(struct machine *machine,
                            const struct fleet_snapshot *snapshot);

/* --- fleet_machine.c ----------------------------------------------------- */

void machine_start(struct machine *machine);
void machine_kill(struct machine *machine);
void machine_tick(struct machine *machine);

#endif
