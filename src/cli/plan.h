/* From options and arguments to a crawl: everything that can be wrong with
 * them is found here, before anything is written. */
#ifndef CLI_PLAN_H
#define CLI_PLAN_H

#include "cli/crawl_record.h"
#include "cli/options.h"
#include "crawler/crawler.h"
#include "page/bodies.h"
#include "page/pagefiles.h"

/* The CS50 playground: what is internal where nothing else is said. */
#define COURSE_PREFIX    "http://cs50tse.cs.dartmouth.edu/tse/"
#define COURSE_DEPTH_MAX 10

/* What is to be done in the page directory. */
enum action {
    ACTION_START,  /* a new crawl; what an old one left goes with its first page
                    */
    ACTION_RESUME, /* go on */
    ACTION_NONE,   /* it is finished */
};

struct plan {
    struct crawl_options crawl;
    enum action action;
    struct crawl_record record; /* of the page directory */
    const char *store_name;
    struct store_batch new_facts; /* of a crawl that goes on */
    struct store *store;
    struct arena arena;
    struct domains *domains;
    struct scope *scope;
    struct trusted_origins origins;
    const char *user_agent; /* unless a header of the user's replaces it */
    struct body_budget body_budget;
    struct page_link *seeds;
    size_t seed_count, seed_room;
    size_t named_seeds; /* the first ones: named by the user */
    struct pagedir dir;
    struct pagefiles files; /* in it */
    struct logr log;
};

/* Is it the course's contract, where nothing else is said? */
bool plan_is_course(const struct options *options);

/* The course's contract has no robots.txt. */
bool plan_obeys_robots(const struct options *options);

/* What a seed makes internal; SCOPE_KINDS: nothing, only --internal does. */
enum scope_kind plan_scope_kind(const struct options *options);

/* Status 0, or another (EXIT_USAGE mostly) after one line on standard error.
 * In either case release the plan. */
int plan_make(struct plan *plan, const struct options *options);

/* The plan of a crawl of which only questions are asked: what it may fetch, in
 * which order, within which limits. `options` are the remembered ones, `record`
 * is taken. No directory is opened. Status as above. */
int plan_recall(struct plan *plan, const struct options *options,
                struct crawl_record *record);
void plan_release(struct plan *plan);

#endif
