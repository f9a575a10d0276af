/* --fleet: a crawl whose record is in an engine that machines share
 * (fleet/engine.h). The page directory has only a small file that tells which
 * machine of which crawl it is. */
#ifndef CLI_FLEET_PLAN_H
#define CLI_FLEET_PLAN_H

#include "fleet/engine.h"

struct crawl_record;
struct fleet;
struct plan;
struct options;
struct store;
struct store_error;
struct store_codes;
struct domains;

enum { FLEET_KEY_LEN = 32 };

struct fleet_plan {
    struct fleet_engine *engine; /* NULL: the crawl is not in a fleet, or the
                                  * store has it */
    const char *label;           /* the engine without a password */
    struct arena arena;
    struct fleet_crawl crawl; /* as it is in the engine; uuid.len 0: none */
    char directory[FLEET_KEY_LEN + 1]; /* identifies the page directory */
    bool is_known;                     /* it is in the directory already */
    uint64_t begun_ms; /* when it was first a machine, by the wall clock */
    uint64_t joins;    /* of processes in this very directory; 0: not known */
    /* As it was planned: its number, 0 if it has none, and how many pages of
     * the directory count. */
    uint32_t node, pages;
    uint64_t incarnation;
    struct fleet_joined joined;
    uint64_t joined_ms;        /* when that was sent, by clock_boot_ms */
    struct fleet_engine *side; /* of the crawler thread */
    struct store *loader;      /* likewise: it reads partitions */
    struct fleet *fleet;
    int early_end; /* the exit status if there is nothing to do here */
};

/* Are the URL of an engine and the name of a crawl valid? `*label` is the URL
 * without a password, in `arena`. Status as in cli/plan.h. */
int fleet_check_engine(const char *url, const char *name, const char **label,
                       struct arena *arena);

/* Say why the engine did not do what it was asked. Status as in cli/plan.h; 0
 * if it did. */
int fleet_explain(enum fleet_result result, const char *label, const char *why);

/* Find what is wrong with --fleet and its options, as cli/plan.h says. */
int fleet_check(struct plan *plan);

/* Is the crawl in the engine? Then set `*is_whole`: `whole` has the options of
 * this machine and, of those that it leaves out, the crawl's (enum option_owner
 * in cli/option_table.h). Otherwise `options` are complete. An option that is
 * not as the crawl's and must be is refused; one that may differ is said.
 * Status as in cli/plan.h; release `whole` in either case. */
int fleet_whole_options(struct options *whole, const struct options *options,
                        bool *is_whole);

/* Read what the crawl was begun with. False with `error`. Release the record in
 * either case. */
bool fleet_read_crawl(struct crawl_record *record,
                      const struct options *options,
                      const struct fleet_plan *fleet,
                      struct store_error *error);

/* Decide what to do in the page directory. Asks the engine; writes nothing. */
int fleet_decide(struct plan *plan);

/* Begin the crawl or join it, and open the store. False: the program ends with
 * `early_end`; if that is a failure, after one line. */
bool fleet_begin_crawl(struct plan *plan);

/* The machine has to join anew: when the engine can be reached, the program
 * starts again with the same words. What is in the engine counts, and what this
 * process still holds does not. It comes back only with an exit status. */
int fleet_rejoin(struct plan *plan);

/* Tries of a call while the engine is away. All 0: none yet. */
struct fleet_tries {
    int count;
    uint64_t next_ms; /* when it is said again that it is waited for */
};
/* Call it before each call of the engine: after a try that found the engine
 * away it waits a little. A machine that is new gives up after some tries,
 * because the URL may be wrong; a machine of the crawl waits for as long as it
 * takes, and says so, a line a minute. */
bool fleet_may_try(const struct fleet_plan *fleet, struct fleet_tries *tries,
                   const struct fleet_error *why);

/* Look at the engine in this way. */
enum fleet_result fleet_look(const struct fleet_plan *fleet,
                             struct fleet_snapshot *snapshot,
                             struct arena *arena, struct fleet_error *why);
void fleet_release(struct plan *plan);

/* Which machine of which crawl a page directory is; empty: of none. Status as
 * in cli/plan.h. */
struct fleet_marker {
    struct str crawl, directory;
    uint64_t begun_ms; /* since when, by its own wall clock */
    struct str place;  /* where the directory was when it was written */
    uint64_t
        joins; /* of that machine, with that of the process that wrote it */
};
int fleet_read_marker(const char *store_name, const char *dir_path,
                      struct fleet_marker *marker, struct arena *arena);

/* The place of the page directory: this run of this machine's kernel, and the
 * directory there. A copy is elsewhere. */
enum { FLEET_PLACE_MAX = 128 };
void fleet_put_place(const struct plan *plan, char place[FLEET_PLACE_MAX]);

/* Write the marker before the machine joins: a machine that is killed in
 * between comes back under the same number. False after one line. */
bool fleet_write_marker(struct plan *plan);

/* May this process join as the machine that the directory is? A copy of the
 * directory (a cloned machine, a restored backup) may be at work elsewhere: it
 * is if its commits go on. Who has this very directory, and is the last to
 * have joined, need not wait: the lock says that the process before is gone.
 * False, after one line or a signal, with `early_end`. */
bool fleet_may_join(struct plan *plan);

/* Can this program read the crawl? Status as in cli/plan.h. */
int fleet_check_readable(const struct fleet_crawl *crawl, const char *label);

/* Does its record tell the machines of referrers? */
bool fleet_has_referrers(const struct fleet_crawl *crawl);

/* Can it go on with it, too? With `domains` also: does it deal out domains in
 * the same way? Status as in cli/plan.h. */
int fleet_check_rules(const struct fleet_crawl *crawl, const char *label,
                      const struct domains *domains);

uint64_t fleet_random_number(void); /* never 0 */

/* The machine that is this directory; NULL: there is none. */
const struct fleet_node *fleet_find_node(const struct fleet_snapshot *snapshot,
                                         struct str directory);

/* The record of a crawl at postgres://, for reports; the URL and the name are
 * valid. NULL with `error`. */
struct store *fleet_open_record(const char *url, const char *name,
                                const struct store_codes *codes,
                                struct store_error *error);

/* The same, with the pages and captures of one machine alone. */
struct store *fleet_open_machine(const char *url, const char *name,
                                 const struct fleet_crawl *crawl, uint32_t node,
                                 const struct store_codes *codes);

#endif
