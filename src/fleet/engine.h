/* The engine of a fleet: the one place that all machines of a crawl share. It
 * keeps the journal, the mail between machines, who owns which partition, and
 * whose lease counts. This header is a contract; fleet/engine_postgres.c keeps
 * it with PostgreSQL, tests/support/engine_fake.c in memory.
 *
 * A commit is one atomic write: journal, mail, mail that was taken, partitions
 * given up and claimed, counters, and the renewal of the lease, all or nothing.
 * The number of the commit (`batch`) is the fence. The engine counts a commit
 * only if its batch is the one after the last that it knows of this
 * incarnation, and the machine is alive. So each commit counts once, however
 * often it is sent; a machine that was declared dead can write nothing; and an
 * engine that lost its last seconds is found out.
 *
 * Results of every call:
 *   COUNTED  it is done, and durable.
 *   FENCED   it is not done, and never will be: this incarnation has no say any
 *            more. Drop all state and join anew.
 *   AWAY     nobody knows: no connection, or no answer. Make the same call with
 *            the same arguments again, after a little while; every call may be
 *            made twice and counts once.
 *   REFUSED  it is not done and trying again will not help; `error` says why.
 *
 * Arguments are borrowed for the call. Answers live in the arena that the
 * caller passes. An engine is used by one thread at a time. Payloads are opaque
 * bytes here: fleet/mail.h says what is in a mail, store/pack.h in a segment.
 */
#ifndef FLEET_ENGINE_H
#define FLEET_ENGINE_H

#include "base/mem.h"
#include "base/str.h"

enum fleet_result { FLEET_COUNTED, FLEET_FENCED, FLEET_AWAY, FLEET_REFUSED };

/* For people: why a call was refused, or what is wrong with the engine. */
struct fleet_error {
    char text[300];
};

enum {
    FLEET_PARTITIONS_MAX = 4096,
    FLEET_MACHINES_MAX = UINT16_MAX, /* that a crawl may have had */
    FLEET_NO_OWNER = 0,              /* machines count from 1 */
    FLEET_SEEDS = 0,             /* the sender of the mails that hold seeds */
    FLEET_LOWEST_UNKNOWN = -1,   /* a partition is not loaded yet */
    FLEET_LOWEST_NONE = 1 << 30, /* no target is open */
    FLEET_MAILS_MAX = 200,       /* in one answer */
};

/* --- what the engine holds ---------------------------------------------- */

enum fleet_state { FLEET_RUNNING, FLEET_FINISHED };
enum fleet_wish { FLEET_RUN, FLEET_PAUSE, FLEET_STOP }; /* the user's */

/* The crawl: one row. All but the last group are fixed when it begins. */
struct fleet_crawl {
    struct str uuid;
    uint32_t format;     /* of segments and mails, and of the rules of URLs */
    uint32_t partitions; /* 1 to FLEET_PARTITIONS_MAX */
    uint64_t seed;       /* of the partition function: fleet/part.h */
    struct str suffixes; /* digest of the public suffix list */
    uint64_t pages_max;  /* UINT64_MAX: no limit */
    uint64_t began_ms;   /* Unix time by the engine's clock; filled in by it */

    enum fleet_state state;
    enum fleet_wish wish;
    uint32_t level;       /* breadth-first: nothing deeper is fetched */
    uint64_t additions;   /* how often seeds were added */
    uint64_t pages_given; /* reserved by machines, of `pages_max` */
};

enum fleet_node_state { FLEET_ALIVE, FLEET_LEFT, FLEET_DEAD };

/* A machine: one page directory. */
struct fleet_node {
    uint32_t node;        /* from 1; FLEET_SEEDS stands for who adds seeds */
    uint64_t incarnation; /* random, of one run of the process; not 0 */
    uint64_t batch;       /* its last commit; 0: joined, none yet */
    uint32_t joins;       /* how often it has joined */
    enum fleet_node_state state;
    int32_t lowest;       /* smallest depth that is open, or FLEET_LOWEST_… */
    uint64_t sent, taken; /* mails, since the crawl began */
    uint64_t pages;       /* saved in its directory */
    uint64_t pages_granted; /* that it may save, with those that it has saved */
    bool pages_lost;        /* its page files are gone */
    uint64_t renewed_ms;    /* when its last commit was, by the engine's clock:
                             * for people, no lease depends on it */
    struct str name;        /* for people */
    struct str directory;   /* identifies the page directory, see fleet_join */
    struct str figures;     /* opaque: counters for reports */
};

struct fleet_part {
    uint32_t owner; /* FLEET_NO_OWNER: free */
    uint32_t epoch; /* one more with each change of the owner */
};

/* A mail has this name for ever: `seq` is unique for its sender, also over
 * incarnations, and also if the engine is set back (fleet/member.h). */
struct fleet_mail_key {
    uint32_t part, sender;
    uint64_t seq;
};

struct fleet_mail {
    struct fleet_mail_key key;
    struct str payload;
};

/* A lease of an address: one machine at a time may ask it. It ends when its
 * holder gives it up, after the last pause there, or is not alive any more in
 * that incarnation. */
struct fleet_address {
    struct str ip; /* 16 bytes, as in frontier/address.h */
    bool wanted;   /* by another machine, too */
    bool rests;    /* it was taken from a machine that is gone, which may have
                    * asked it last: a whole pause must go by first */
};

/* All of one moment. `crawl`, `node` and `part` are one consistent snapshot:
 * the end of the crawl is decided by it. */
struct fleet_snapshot {
    uint64_t engine_ms; /* Unix time by the engine's clock */
    struct fleet_crawl crawl;
    const struct fleet_node
        *node; /* sorted by number; dead and gone ones too */
    size_t nodes;
    const struct fleet_part *part; /* crawl.partitions of them, by number */
    const struct fleet_mail *mail; /* of the asker's partitions; the first */
    size_t mails;                  /* FLEET_MAILS_MAX by (part, sender, seq) */
    size_t mails_waiting;          /* of all partitions; only from `look` */
    /* Of those that the asker holds: what another wants, and, in the answer to
     * a commit, what it wanted. */
    const struct fleet_address *address;
    size_t addresses;
};

/* --- arguments ----------------------------------------------------------- */

/* Begin the crawl, unless somebody has begun it. */
struct fleet_begin {
    struct fleet_crawl crawl;      /* the fixed fields */
    const struct fleet_mail *seed; /* sender FLEET_SEEDS, `seq` from 1 */
    size_t seeds;
    const struct fleet_segment *segment; /* of the crawl's own journal */
    size_t segments;
};

/* A machine is known by `directory`: a text that is random, made once and kept
 * in its page directory. Whoever comes with it again gets the same number, and
 * the partitions that are still its own, under a new epoch. The caller makes
 * sure that no other process uses that directory. After it the machine is
 * alive, in batch 0, and its lowest depth is unknown. The call counts once for
 * each incarnation. REFUSED if FLEET_MACHINES_MAX have joined before. */
struct fleet_join {
    struct str name, directory;
    uint64_t incarnation;
};

struct fleet_owned {
    uint32_t part, epoch;
};

struct fleet_joined {
    uint32_t node;
    uint32_t epoch; /* of the machine's own journal: one more with each join */
    uint64_t sent, taken, pages, pages_granted;
    const struct fleet_owned *part; /* to be loaded now */
    size_t parts;
    struct fleet_snapshot snapshot; /* without mail */
};

/* Rows of one partition. Beyond the partitions there are journals that nobody
 * owns: number `partitions` is the crawl's own (settings, seeds; written when
 * it begins), `partitions + node` a machine's own. */
struct fleet_segment {
    uint32_t part, epoch;
    uint32_t piece; /* 0, 1, …: a partition's rows of a commit may be cut */
    struct str payload;
};

/* An ended fetch as a row for people (the ledger). */
struct fleet_fetched {
    uint32_t part;
    uint64_t number; /* of the URL, within its partition */
    uint64_t page;   /* its number in the directory; 0: no page */
    uint64_t at_ms, ms;
    uint32_t status, depth;
    uint64_t size, digest;
    struct str outcome, mime, url, target;
};

struct fleet_commit {
    uint32_t node;
    uint64_t incarnation, batch;
    enum fleet_node_state state; /* FLEET_ALIVE, or FLEET_LEFT: the last one */
    int32_t lowest;
    uint64_t sent, taken, pages; /* with what this commit holds */
    int64_t pages_wanted;        /* reserve so many more, or give back */
    struct str figures;

    const struct fleet_segment *segment;
    size_t segments;
    const struct fleet_mail *mail; /* sender is `node` */
    size_t mails;
    const struct fleet_mail_key
        *took; /* deleted; if one is not there: FENCED */
    size_t tooks;
    const struct fleet_fetched *fetched;
    size_t fetches;
    const uint32_t *give_up; /* partitions; if one is not ours: FENCED */
    size_t give_ups;
    const uint32_t *claim; /* those that are free become ours */
    size_t claims;
    /* Addresses, sorted. One that nobody holds becomes ours; of any other its
     * holder is told. What is released is free after that. */
    const struct str *want;
    size_t wants;
    const struct str *release;
    size_t releases;
};

struct fleet_answer {
    bool had_counted; /* an earlier call of this commit counted */
    const struct fleet_owned *claimed; /* of the claims, what is ours now */
    size_t claims;
    struct fleet_snapshot snapshot; /* read after the commit counted */
};

/* One segment of a partition's journal, in the order of (epoch, batch, piece).
 * False ends the load, which is REFUSED then. */
typedef bool fleet_segment_fn(void *user, const struct fleet_segment *segment,
                              uint32_t node, uint64_t batch);

/* `node` has not renewed its lease: it is dead if it is still in this
 * incarnation and batch, and its partitions are free, and the
 * pages that it had reserved and not saved are given back. COUNTED also if the
 * machine had renewed its lease: then nothing changes. */
struct fleet_bury {
    uint32_t node;
    uint64_t incarnation, batch;
};

enum fleet_verb {
    FLEET_DO_FINISH, /* if it is running and `additions` are as given */
    FLEET_DO_RAISE,  /* the level to `level`, if it is lower */
    FLEET_DO_WISH,   /* `wish` */
    FLEET_DO_ADD,    /* seeds: mails of FLEET_SEEDS. The state is FLEET_RUNNING
                      * again, `additions` one more; `token` makes it count
                      * once. The engine gives `seq` itself. */
    FLEET_DO_LOSE,   /* the page files of `node` are gone: its pages do not
                      * count any more, and `directory` is no machine's. REFUSED
                      * while it is alive. All that are alive are fenced, but
                      * keep their partitions, and load them anew: rows of the
                      * pages that are lost are no rows then. The state is
                      * FLEET_RUNNING again, `additions` one more. */
};

struct fleet_command {
    enum fleet_verb verb;
    uint64_t additions;
    uint32_t level;
    enum fleet_wish wish;
    uint64_t token; /* random; not 0 */
    const struct fleet_mail *seed;
    size_t seeds;
    uint32_t node;
};

/* --- the calls ------------------------------------------------------------ */

struct fleet_engine;

struct fleet_engine_type {
    /* The crawl as it is in the engine after: whoever did not begin it compares
     * the fixed fields. `begun`: it was this call. */
    enum fleet_result (*begin)(struct fleet_engine *engine,
                               const struct fleet_begin *begin,
                               struct fleet_crawl *crawl, bool *begun,
                               struct arena *arena, struct fleet_error *error);
    enum fleet_result (*join)(struct fleet_engine *engine,
                              const struct fleet_join *join,
                              struct fleet_joined *joined, struct arena *arena,
                              struct fleet_error *error);
    enum fleet_result (*commit)(struct fleet_engine *engine,
                                const struct fleet_commit *commit,
                                struct fleet_answer *answer,
                                struct arena *arena, struct fleet_error *error);
    /* A snapshot for `node`; 0: for nobody, as reports want it. REFUSED if
     * there is no crawl. */
    enum fleet_result (*look)(struct fleet_engine *engine, uint32_t node,
                              struct fleet_snapshot *snapshot,
                              struct arena *arena, struct fleet_error *error);
    /* After AWAY the caller begins anew: segments may come twice over two
     * calls, never within one. */
    enum fleet_result (*load)(struct fleet_engine *engine, uint32_t part,
                              fleet_segment_fn *segment, void *user,
                              struct fleet_error *error);
    /* The URL of a page, by the ledger: for reports. Empty if it is not there:
     * the ledger may be switched off. */
    enum fleet_result (*find_page)(struct fleet_engine *engine, uint32_t node,
                                   uint64_t page, struct str *url,
                                   struct arena *arena,
                                   struct fleet_error *error);
    enum fleet_result (*bury)(struct fleet_engine *engine,
                              const struct fleet_bury *bury,
                              struct fleet_error *error);
    enum fleet_result (*command)(struct fleet_engine *engine,
                                 const struct fleet_command *command,
                                 struct fleet_error *error);
    void (*close)(struct fleet_engine *engine);
};

/* The first member of every engine's own struct. */
struct fleet_engine {
    const struct fleet_engine_type *type;
};

#endif
