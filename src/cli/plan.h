/* From options and arguments to a crawl: everything that can be wrong with
 * them is found here, before anything is written. */
#ifndef CLI_PLAN_H
#define CLI_PLAN_H

#include "cli/options.h"
#include "crawler/crawler.h"

/* The CS50 playground: what is internal where nothing else is said. */
#define COURSE_PREFIX    "http://cs50tse.cs.dartmouth.edu/tse/"
#define COURSE_DEPTH_MAX 10

struct plan {
    struct crawl_options crawl;
    struct arena arena;
    struct domains *domains;
    struct scope *scope;
    struct named named;
    struct page_link seed;
    struct pagedir dir;
    struct logr log;
};

/* Status 0, or EXIT_USAGE after one line on standard error. In either case
 * release the plan. */
int plan_make(struct plan *plan, const struct options *options);
void plan_release(struct plan *plan);

#endif
