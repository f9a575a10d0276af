/* From options and arguments to a crawl: everything that can be wrong with
 * them is found here, before anything is written. */
#ifndef CLI_PLAN_H
#define CLI_PLAN_H

#include "cli/crawl_record.h"
#include "crawler/crawler.h"
#include "page/bodies.h"
#include "page/pagefiles.h"

/* The CS50 playground: it is internal if no option says otherwise. */
#define COURSE_PREFIX    "http://cs50tse.cs.dartmouth.edu/tse/"
#define COURSE_DEPTH_MAX 10

/* What is to be done in the page directory. */
enum action {
    ACTION_START,  /* begin; an old crawl is removed with the first page */
    ACTION_RESUME, /* go on with the crawl that is there */
    ACTION_NONE,   /* that crawl is finished */
};

struct plan {
    const struct options *options;
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
    struct trust trust;
    struct page_link *seeds;
    size_t seed_count, seed_room;
    size_t named_seeds;   /* how many of them, the first ones, the user named */
    struct url *sitemaps; /* the URLs of --sitemap */
    struct pagedir dir;
    struct pagefiles files; /* in it */
    struct logr log;
};

/* Is it the course's contract? It is if no option says otherwise. */
bool plan_is_course(const struct plan *plan);

/* The course's contract has no robots.txt. */
bool plan_obeys_robots(const struct plan *plan);

/* How far the scope goes around each start; SCOPE_KINDS: only --internal
 * counts. */
enum scope_kind plan_scope_kind(const struct plan *plan);

/* The URLs that the scope is made of: the seeds or, without any, the sitemaps.
 * NULL after the last. */
const struct url *plan_start(const struct plan *plan, size_t i);

/* Parse an absolute URL that an option names, and trust its origin. Status as
 * below. */
int plan_url(struct plan *plan, const char *option, const char *text,
             struct url *url);

/* Plan the crawl that the options ask for; they must outlive the plan. Status
 * 0, or another (EXIT_USAGE mostly) after one line on standard error. In either
 * case release the plan. */
int plan_make(struct plan *plan, const struct options *options);

/* Plan for a report: what the recorded crawl may fetch, in which order, within
 * which limits. The options are the remembered ones, `record` is taken. No
 * directory is opened. Status as above. */
int plan_recall(struct plan *plan, const struct options *options,
                struct crawl_record *record);
void plan_release(struct plan *plan);

#endif
