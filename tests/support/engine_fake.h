/* The engine of a fleet in memory (fleet/engine.h), with faults: calls that do
 * not reach it, answers that are lost after the call counted, and an engine
 * that is set back to an earlier moment. And with mutants: an engine that keeps
 * the contract only in part, for which a test must fail. */
#ifndef TESTS_SUPPORT_ENGINE_FAKE_H
#define TESTS_SUPPORT_ENGINE_FAKE_H

#include "fleet/engine.h"

enum { FAKE_NODES_MAX = 32, FAKE_PARTS_MAX = 64, FAKE_ADDRESSES_MAX = 32 };

struct fake_mail {
    struct fleet_mail mail;
    bool deleted;
};

struct fake_row { /* of the journal */
    struct fleet_segment segment;
    uint32_t node;
    uint64_t batch;
};

struct fake_address {
    char ip[16];
    uint32_t node;
    uint64_t incarnation;
    bool wanted, rests;
};

/* Everything that is set back. Payloads are in the arena of the engine. */
struct fake_state {
    bool begun;
    struct fleet_crawl crawl;
    struct fleet_node node[FAKE_NODES_MAX];
    uint32_t join_epoch[FAKE_NODES_MAX];
    size_t nodes;
    struct fleet_part part[FAKE_PARTS_MAX];
    struct fake_address address[FAKE_ADDRESSES_MAX];
    size_t addresses;
    struct fake_mail *mail;
    size_t mails;
    struct fake_row *row;
    size_t rows;
    uint64_t last_token;
};

struct fake {
    struct arena arena;
    struct fake_state now, saved;
    uint64_t time_ms;        /* of its clock; set by the caller */
    unsigned finishes;       /* how often the crawl was finished */
    unsigned counted_before; /* commits that were sent again in vain */
    unsigned fenced, buried;
    unsigned handed_over, taken_over; /* addresses */
    unsigned loads[FAKE_PARTS_MAX];   /* by partition */
    /* mutants */
    bool has_no_fence;
    bool counts_again; /* it does not look at the batch of a commit that is sent
                        * again */
    bool grants_all;   /* addresses that others hold, too */
    bool forgets_rest; /* of addresses whose holder is gone */
};

void fake_init(struct fake *fake);
void fake_release(struct fake *fake);
void fake_save(struct fake *fake);
void fake_set_back(struct fake *fake); /* to the moment of fake_save */

/* The connection of one machine. */
struct fake_link {
    struct fleet_engine engine; /* first */
    struct fake *fake;
    bool is_cut;
    bool loses_answer; /* the next one; then it is false again */
};

/* --- between the files of the engine ------------------------------------- */

struct fleet_node *fake_find_node(struct fake_state *state, uint32_t number);
void fake_apply_addresses(struct fake *fake, const struct fleet_commit *commit);
void fake_read_addresses(const struct fake *fake,
                         const struct fleet_commit *commit,
                         struct fleet_snapshot *snapshot, struct arena *arena);

/* ------------------------------------------------------------------------- */

void fake_connect(struct fake_link *link, struct fake *fake);

#endif
