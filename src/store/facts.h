/* What is known of the crawl as a whole: the settings of its record. Each has
 * its name here and nowhere else. */
#ifndef STORE_FACTS_H
#define STORE_FACTS_H

#include "store/store.h"

/* How the crawl ended, or "running". */
enum crawl_state {
    STATE_RUNNING, /* or killed while it was */
    STATE_FINISHED,
    STATE_NOTHING,     /* finished without a single page */
    STATE_INTERRUPTED, /* by a signal, or by crawler ctl */
    STATE_MAX_PAGES,
    STATE_MAX_TIME,
    STATE_FAILED, /* something could not be written */
    STATE_MAX_BYTES,
    STATES,
};

enum fact {
    FACT_STATE,
    FACT_PROGRAM,    /* name and version of the program that began it */
    FACT_DEPTH,      /* the greatest depth */
    FACT_STARTED_MS, /* wall clock */
    FACT_COMMITTED_MS,
    FACT_ENDED_MS,
    FACT_COURSE_FORM,     /* 1: begun with the three arguments alone */
    FACT_OLD_PAGES,       /* the last page left of the crawl before; 0: none */
    FACT_PER_HOST,        /* the greatest --per-host that it ever ran with */
    FACT_ENV_PROXY,       /* 1: --proxy env, and the environment named one */
    FACT_SAVED,           /* pages; a counter (crawler/counters.h) */
    FACT_SAVED_BYTES,     /* a counter too */
    FACT_REQUISITE_BYTES, /* and this */
    FACT_MAY_RECOVER,     /* URLs that --retry-failed would ask again for */
    FACT_ID,              /* of the crawl: 32 random bits; 0: it has none */
    FACT_KEEPS_DEPTHS,    /* 1: breadth-first, but no longer level by level */
    FACT_DEEPEN_FROM, /* 1 + the old limit of depth: links of pages there are
                       * still to be offered; 0: there are none */
    FACT_DEEPEN_LAST, /* ... of URLs up to this number */
    FACTS,
};

struct facts_seed {
    struct str url;
    bool named; /* by the user, not by a search */
};

struct facts_list {
    const char **item;
    size_t count, room;
};

/* Settings that only the record in the page directory of a fleet's machine has:
 * it says which machine that is, and nothing of the crawl. */
#define FLEET_SETTING_DIRECTORY "fleet.directory"
#define FLEET_SETTING_ENGINE    "fleet.engine"

struct facts {
    struct arena arena;
    enum crawl_state state;
    bool is_machine;           /* it is such a record */
    struct str engine;         /* if so: the engine, without a password */
    uint64_t number[FACTS];    /* of those that are numbers; 0: not known */
    struct facts_list options; /* as given: "name" or "name=value"; in order */
    struct facts_list logins;  /* origins that were given a name and password */
    struct facts_list moved;   /* URLs that seeds redirected to, and the scope
                                * with them */
    struct facts_seed *seed;
    size_t seeds, seed_room;
};

/* Read the settings and the seeds. False with `error`. Release the facts in
 * either case. */
bool facts_read(struct facts *facts, struct store *store,
                struct store_error *error);
void facts_release(struct facts *facts);

/* For a load that reads other rows too, so that all are of the same moment.
 * False if the row cannot be valid. */
void facts_init(struct facts *facts);
bool facts_add_setting(struct facts *facts, const struct store_setting *row);

/* "running", "max-pages", ... */
const char *crawl_state_name(enum crawl_state state);

/* Is the crawl at its end, with nothing left to fetch? */
bool facts_is_over(const struct facts *facts);

/* Was the crawl killed? Then there may be pages that are not in the record. */
bool facts_is_unclean(const struct facts *facts);

/* Into a batch. */
void facts_put_state(struct store_batch *batch, enum crawl_state state);
void facts_put_number(struct store_batch *batch, enum fact fact,
                      uint64_t value);
void facts_put_text(struct store_batch *batch, enum fact fact,
                    struct str value);
/* Option `number` of the crawl, from 0; an empty text takes it back. */
void facts_put_option(struct store_batch *batch, size_t number,
                      struct str text);
/* An origin that is given a name and password, which are not kept. */
void facts_put_login(struct store_batch *batch, size_t number,
                     struct str origin);
/* A URL that a seed redirected to, and the scope with it. */
void facts_put_moved(struct store_batch *batch, size_t number, struct str url);
/* A counter under a name of its own, "outcome.fetched". */
void facts_put_counter(struct store_batch *batch, struct str name,
                       uint64_t value);

#endif
