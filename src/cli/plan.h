/* From options and arguments to a crawl: everything that can be wrong with
 * them is found here, before anything is written. */
#ifndef CLI_PLAN_H
#define CLI_PLAN_H

#include "cli/crawl_record.h"
#include "cli/fleet_plan.h"
#include "cli/netrc.h"
#include "crawler/crawler.h"
#include "crawler/dedup.h"
#include "http/server.h"
#include "page/bodies.h"
#include "page/cookies.h"
#include "page/page_archive.h"
#include "page/pagefiles.h"
#include "page/pagenumbers.h"
#include "page/pagerecorder.h"
#include "page/proxies.h"

/* The CS50 playground: it is internal if no option says otherwise. */
#define COURSE_PREFIX    "http://cs50tse.cs.dartmouth.edu/tse/"
#define COURSE_DEPTH_MAX 10

/* The work to do in the page directory. */
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
    struct filter *filter;    /* NULL: no rules */
    struct query_keys *strip; /* NULL: none */
    struct trusted_origins origins;
    const char *user_agent; /* unless a header of the user's replaces it */
    struct body_budget body_budget;
    struct spools spools; /* for large bodies */
    struct trust trust;
    struct cookies *cookies;  /* or NULL */
    struct proxies proxies;   /* of the environment, with --proxy env */
    const char *user;         /* NAME:PASSWORD of --user, or NULL */
    struct netrc netrc;       /* with --netrc */
    struct page_archive from; /* with --from */
    struct page_link *seeds;
    size_t seed_count, seed_room;
    bool is_begun;        /* the crawl is: a new seed does not change its scope,
                           * and must be in it */
    size_t seeds_before;  /* how many of them the crawl had when it stopped */
    size_t named_seeds;   /* how many of them, the first ones, the user named */
    struct url *sitemaps; /* the URLs of --sitemap */
    struct pagedir dir;
    const char *made_dir;       /* by --create; or NULL */
    struct pagesaver files;     /* in it, */
    struct pagenumbers numbers; /* or numbers without files */
    uint32_t id;                /* of a crawl that begins, FACT_ID */
    struct archive_options archive;
    struct pagerecorder recorder;
    struct dedup *dedup;
    struct logr log;
    struct view *view;               /* while it can be watched, or NULL */
    struct str *view_seeds;          /* for it */
    struct http_address own_address; /* where it listens */
    struct fleet_plan fleet;         /* with --fleet */
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

/* Plan a crawl of nothing but these URLs, of any host, that keeps a record and
 * no page file, in the directory that the options have as an argument. Nobody
 * named the URLs, so that no private address is asked for one. Status as above.
 */
int plan_check(struct plan *plan, const struct options *options,
               const struct str *url, size_t count);
void plan_release(struct plan *plan);

/* --- the parts of a plan --------------------------------------------------
 *
 * Only plan.c and the files of the parts call these. The status is 0, or an
 * exit status after one line on standard error. */

/* cli/fetching.c: what is sent, through which proxy, whom we trust.
 *
 * First the User-Agent, and the product token in it that names our rules of
 * robots.txt; then the names and passwords of options, before any seed is
 * added; then the rest. */
int fetching_plan_agent(struct plan *plan);
int fetching_plan_logins(struct plan *plan);
int fetching_plan(struct plan *plan);

/* May a proxy be asked? Then it looks names up. */
bool fetching_is_proxied(const struct options *options);

/* With --proxy env: does the environment name one, or none? */
bool fetching_has_env_proxy(const struct plan *plan);
bool fetching_lacks_env_proxy(const struct plan *plan);

/* The User-Agent that is sent. */
struct str fetching_user_agent(const struct plan *plan);

/* cli/cookie_files.c: read the cookies that the crawl begins with; find out,
 * once its directory is open, what would fail at its end; write them when it
 * has stopped. */
int cookie_files_plan(struct plan *plan);
int cookie_files_check(struct plan *plan);
int cookie_files_save(struct plan *plan);

/* cli/archiving.c: the archive of the crawl.
 *
 * First find what is wrong with the options; then, when the page directory is
 * open and its record is read, plan the archive. */
int archiving_check(struct plan *plan);
int archiving_plan(struct plan *plan);
void archiving_release(struct plan *plan);

/* The crawl of a fleet is finished, and this machine was perhaps killed before:
 * its archive ends with what counts. */
int archiving_settle(struct plan *plan);

/* A new crawl replaces one that has an archive: its files go with it. */
void archiving_note_old(struct plan *plan);

/* cli/seeds.c: the argument, a file, a web search, the record. Each adds to the
 * plan's seeds and to its scope.
 *
 * Find what is wrong with --seeds, --search-url and --sitemap before any of
 * them is used, and trust the origins of the latter two. */
int seeds_check(struct plan *plan);
int seeds_plan_sitemaps(struct plan *plan); /* the same for --sitemap alone */

int seeds_add_argument(struct plan *plan, const char *url);

/* One URL a line, '#' comments; a bad line is reported with its number and
 * skipped. */
int seeds_add_file(struct plan *plan);

/* cli/search.c: the result links of a search page (page/searchpage.h). Blocked,
 * not reachable and no results are three messages with CRAWL_NOTHING. */
int seeds_add_search(struct plan *plan);

/* A search result: its origin is not trusted. It is left out if it is not
 * internal. */
void seeds_add_result(struct plan *plan, struct str url);

/* Add the seeds of the record that the user did not name again, and to the
 * scope what seeds redirected to. */
void seeds_add_record(struct plan *plan);

/* If there are no seeds, make the scope of the URLs of the sitemaps. */
void seeds_scope_of_sitemaps(struct plan *plan);

/* cli/from.c: read the archive that pages come from. After fetching_plan. */
int from_plan(struct plan *plan);

/* cli/live.c: showing the crawl while it runs (view/view.h).
 *
 * Find what is wrong with --listen; then, when all is planned, listen, and say
 * where. The status is as above. After the crawl, or where it did not begin,
 * close it. */
int live_check(struct plan *plan);
int live_open(struct plan *plan);
void live_close(struct plan *plan);

/* cli/state.c: the page directory before a crawl. Is there a crawl to go on
 * with, or one to replace?
 *
 * Open and lock the directory. */
int state_open_directory(struct plan *plan, const char *path);

/* Is it that directory, or the one of the archive in it, by whatever name? */
bool state_is_own_directory(const struct plan *plan, const char *path);

/* Is it a name that the crawl may use there? The file need not be there. */
bool state_owns_file(struct plan *plan, const char *path);

/* The crawl is not run: remove the directory if it was made for it. */
void state_take_back(const struct plan *plan);

/* Read its record and set plan->action. The seeds that the user names must be
 * known, unless the options are remembered ones. */
int state_decide(struct plan *plan);

/* A crawl through a proxy of the environment must not become a direct one
 * unawares: does the environment name one still? */
int state_check_proxy(const struct plan *plan);

/* Open it and decide, for a crawl that is over: nothing is fetched any more, so
 * that passwords and files for that are not missed. */
int state_open_finished(struct plan *plan, const char *path);

/* Create or open the record: nothing was written before. False after one line.
 * The command calls this once the plan is made. */
bool state_begin(struct plan *plan);

/* For cli/fleet_plan.c: a difference from the recorded crawl, for people, or
 * NULL; the first rows of a new crawl; what is new about one that goes on. */
const char *state_difference(struct plan *plan);
void state_put_first_rows(struct plan *plan, struct store_batch *first);
void state_put_new_facts(struct plan *plan);

#endif
