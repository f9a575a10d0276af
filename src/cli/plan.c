#include "cli/plan.h"

#include <assert.h>
#include <stdlib.h>
#include <sys/random.h>
#include <sys/resource.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/escape.h"
#include "cli/filtering.h"
#include "cli/usage.h"

/* --- scope ------------------------------------------------------------- */

bool plan_is_course(const struct plan *plan)
{
    const struct options *options = plan->options;

    return !options->internal.count && !options->scope && !options->search;
}

enum scope_kind plan_scope_kind(const struct plan *plan)
{
    const struct options *options = plan->options;

    if (options->scope)
        return (enum scope_kind)(options->scope - 1);
    return options->search && !options->internal.count ? SCOPE_ANY
                                                       : SCOPE_KINDS;
}

bool plan_obeys_robots(const struct plan *plan)
{
    return plan->options->robots ? plan->options->robots == 1
                                 : !plan_is_course(plan);
}

const struct url *plan_start(const struct plan *plan, size_t i)
{
    if (plan->seed_count)
        return i < plan->seed_count ? &plan->seeds[i].url : NULL;
    return i < plan->options->sitemap.count ? &plan->sitemaps[i] : NULL;
}

int plan_url(struct plan *plan, const char *option, const char *text,
             struct url *url)
{
    enum err err = url_parse(url, &plan->arena, str_of(text), NULL, NULL);

    if (err)
        return complain("%s '%s': %s", option, login_hide(&plan->arena, text),
                        err_message(err));
    origins_add(&plan->origins, url);
    return 0;
}

static int plan_scope(struct plan *plan)
{
    static const char *const course[] = {COURSE_PREFIX, NULL};
    const char *const *text =
        plan_is_course(plan) ? course : plan->options->internal.item;
    struct url prefix;
    int status = 0;

    for (; *text && !status; text++)
        if (!(status = plan_url(plan, "--internal", *text, &prefix)))
            scope_add_prefix(plan->scope, &prefix);
    return status;
}

static int plan_filter(struct plan *plan)
{
    int status = filtering_make(plan->options, &plan->filter, &plan->strip);

    plan->crawl.filter = plan->filter;
    plan->crawl.worker.scan.strip = plan->strip;
    return status;
}

/* --- limits ------------------------------------------------------------ */

static int plan_depth(struct plan *plan, const char *text)
{
    uint64_t max = plan_is_course(plan) ? COURSE_DEPTH_MAX : UINT32_MAX - 1;
    uint64_t depth;

    if (!str_to_u64(str_of(text), &depth) || depth > max)
        return complain("maxDepth must be an integer from 0 to %llu, not '%s'",
                        (unsigned long long)max,
                        login_hide(&plan->arena, text));
    plan->crawl.max_depth = (uint32_t)depth;
    return 0;
}

/* Which depths of earlier runs count. */
static void plan_depths(struct plan *plan)
{
    const struct options *options = plan->options;
    const uint64_t *fact = plan->record.facts.number;
    struct crawl_options *crawl = &plan->crawl;
    bool goes_on = plan->action == ACTION_RESUME;

    /* Without a record, or in a fleet, nothing is relaxed. */
    crawl->keep_depths = crawl->frontier.ranking != RANKING_BFS &&
                         !options->state && !options->fleet;
    crawl->deepen_from = UINT32_MAX;
    if (!goes_on)
        return;
    if (fact[FACT_KEEPS_DEPTHS] || options->max_depth || options->seed.count)
        crawl->keep_depths = true;
    if (options->max_depth)
        crawl->deepen_from = (uint32_t)fact[FACT_DEPTH];
    else
        crawl->deepen_last = fact[FACT_DEEPEN_LAST];
    /* The links of an earlier limit may still have to be offered. */
    if (fact[FACT_DEEPEN_FROM] &&
        fact[FACT_DEEPEN_FROM] - 1 < crawl->deepen_from)
        crawl->deepen_from = (uint32_t)fact[FACT_DEEPEN_FROM] - 1;
}

static uint64_t random_seed(void)
{
    uint64_t seed;

    if (getrandom(&seed, sizeof(seed), 0) != sizeof(seed))
        seed = clock_wall_ms();
    return seed;
}

static uint32_t core_count(void)
{
    long cores = sysconf(_SC_NPROCESSORS_ONLN);

    return cores < 1 ? 1 : cores > 64 ? 64 : (uint32_t)cores;
}

/* Connections that are being closed take up to a second for that. */
enum {
    ENDING_CONNECTIONS = 512,
    OTHER_FILES = 64,
    OTHER_FILES_OF_FEW = 40, /* few fetches in flight look up few names */
    FEW = 16,
    KEEP_LEAST = 8,
    SPOOLS_MAX = 32, /* large bodies on their way to the disk */
};

static uint32_t ending_max(const struct crawl_options *crawl)
{
    return crawl->fetches_max < ENDING_CONNECTIONS ? crawl->fetches_max
                                                   : ENDING_CONNECTIONS;
}

/* A large record has a file of its own, and a descriptor of its archive. */
static rlim_t spool_files(const struct crawl_options *crawl)
{
    const struct spools *spools = crawl->worker.fetch.spools;

    return spools ? 2 * (rlim_t)spools->max : 0;
}

/* Open files of all threads, without the idle connections. */
static rlim_t files_needed(const struct crawl_options *crawl)
{
    return (rlim_t)crawl->fetches_max +
           (rlim_t)crawl->threads * ending_max(crawl) + spool_files(crawl) +
           (crawl->fetches_max > FEW ? OTHER_FILES : OTHER_FILES_OF_FEW);
}

/* Idle connections may take half of the files that are left, and a 64th of the
 * machine's memory. */
static uint64_t keep_by_default(const struct crawl_options *crawl)
{
    enum { MOST = 10000, BYTES_EACH = 25 << 10, SHARE = 64 };
    rlim_t need = files_needed(crawl);
    long pages = sysconf(_SC_PHYS_PAGES), page_size = sysconf(_SC_PAGESIZE);
    uint64_t keep = MOST;
    struct rlimit limit;

    if (pages > 0 && page_size > 0) {
        uint64_t room =
            (uint64_t)pages * (uint64_t)page_size / SHARE / BYTES_EACH;
        keep = room < keep ? room : keep;
    }
    if (!getrlimit(RLIMIT_NOFILE, &limit)) {
        uint64_t room = limit.rlim_max > need ? (limit.rlim_max - need) / 2 : 0;
        keep = room < keep ? room : keep;
    }
    return keep < KEEP_LEAST ? KEEP_LEAST : keep;
}

/* Where few files may be open, what the user did not ask for gives way: first
 * the threads, then the fetches in flight. */
static void fit_files(struct crawl_options *crawl,
                      const struct options *options)
{
    bool is_given = option_is_given(&options->given, "keep-connections");
    rlim_t keep = is_given ? options->keep_connections : KEEP_LEAST;
    struct rlimit limit;

    if (getrlimit(RLIMIT_NOFILE, &limit))
        return;
    if (!options->threads && files_needed(crawl) + keep > limit.rlim_max)
        crawl->threads = 1;
    if (option_is_given(&options->given, "workers"))
        return;
    while (crawl->fetches_max > crawl->threads &&
           files_needed(crawl) + keep > limit.rlim_max)
        crawl->fetches_max--;
    crawl->frontier.doubtful_max = crawl->fetches_max - crawl->fetches_max / 4;
}

/* The connections of each thread. In a crawl of one host, or a few, one thread
 * may have all fetches. */
static void plan_connections(struct crawl_options *crawl,
                             const struct options *options)
{
    bool is_given = option_is_given(&options->given, "keep-connections");
    uint64_t keep =
        is_given ? options->keep_connections : keep_by_default(crawl);

    crawl->worker.fetch.keep_connections =
        (uint32_t)((keep + crawl->threads - 1) / crawl->threads);
    crawl->worker.fetch.connections_max = crawl->worker.fetch.keep_connections +
                                          crawl->fetches_max +
                                          ending_max(crawl);
}

static const char *files_advice(const struct options *options)
{
    return option_is_given(&options->given, "workers") ||
                   option_is_given(&options->given, "threads")
               ? "use fewer workers and threads, or keep fewer connections"
           : option_is_given(&options->given, "keep-connections")
               ? "keep fewer connections"
               : "raise that limit";
}

/* Allow enough open files. Look-ups are among the others: a thousand at a time
 * need a dozen sockets for each name server that is in use. */
static int plan_files(const struct plan *plan)
{
    const struct crawl_options *crawl = &plan->crawl;
    rlim_t keep = (rlim_t)crawl->worker.fetch.keep_connections * crawl->threads;
    rlim_t own = crawl->threads *
                 pagefetcher_files(crawl->worker.fetch.keep_connections);
    rlim_t need = files_needed(crawl) + keep + own;
    struct rlimit limit;

    if (getrlimit(RLIMIT_NOFILE, &limit) || limit.rlim_cur >= need)
        return 0;
    limit.rlim_cur = limit.rlim_max < need ? limit.rlim_max : need;
    if (limit.rlim_cur < need || setrlimit(RLIMIT_NOFILE, &limit))
        return complain(
            "--workers %u with --threads %u and --keep-connections %llu "
            "may need %llu open files, and ulimit -n allows %llu; %s",
            (unsigned)crawl->fetches_max, (unsigned)crawl->threads,
            (unsigned long long)keep, (unsigned long long)need,
            (unsigned long long)limit.rlim_cur, files_advice(plan->options));
    return 0;
}

enum {
    SEARCH_MAX_PER_DOMAIN = 50,
    IDLE_HOSTS_MAX = 10000,
    LEAVE_BEHIND_MS = 3 * 60 * 1000,
};

/* 0: no cap. */
static uint64_t max_per_domain(const struct options *options)
{
    if (options->max_per_domain != OPTION_NONE)
        return options->max_per_domain;
    return options->search &&
                   !option_is_given(&options->given, "max-per-domain")
               ? SEARCH_MAX_PER_DOMAIN
               : 0;
}

/* Out of an archive every page comes at once, and the same again. */
static void plan_no_pauses(struct frontier_options *frontier)
{
    frontier->delay_ms = frontier->ip_delay_ms = 0;
    frontier->has_no_pauses = true;
    frontier->host_tries = 1;
    frontier->resolve = false;
}

static void plan_frontier(struct plan *plan)
{
    const struct options *options = plan->options;
    uint64_t ip_delay_ms = options->ip_delay_ms != UINT64_MAX
                               ? options->ip_delay_ms
                               : options->delay_ms / 5;
    enum ranking_kind ranking =
        options->search ? RANKING_PRIORITY : RANKING_BFS;
    bool proxied = fetching_is_proxied(options);

    /* Behind a proxy there is one address, the proxy's, and the proxy looks
     * names up. Else names are looked up first, also without a pause: an
     * address has at most --per-host fetches in flight. */
    plan->crawl.frontier = (struct frontier_options){
        .ranking =
            options->order ? (enum ranking_kind)(options->order - 1) : ranking,
        .leave_behind_ms =
            options->state || options->fleet ? 0 : LEAVE_BEHIND_MS,
        .delay_ms = options->delay_ms,
        .ip_delay_ms = proxied ? 0 : ip_delay_ms,
        .per_host = (uint32_t)options->per_host,
        .doubtful_max = (uint32_t)(options->workers - options->workers / 4),
        .max_per_domain = max_per_domain(options),
        .host_tries = (uint32_t)options->retries + 1,
        .idle_hosts_max = IDLE_HOSTS_MAX,
        .resolve = !proxied,
        .robots = plan->crawl.worker.robots_agent.len > 0,
        .report_changes = !options->state,
        .hash_seed = random_seed(),
        .domains = plan->domains,
    };
    if (options->from)
        plan_no_pauses(&plan->crawl.frontier);
}

static void plan_limits(struct plan *plan)
{
    const struct options *options = plan->options;
    struct crawl_options *crawl = &plan->crawl;

    crawl->max_redirects = (uint32_t)options->max_redirects;
    crawl->retries = options->from ? 0 : (uint32_t)options->retries;
    crawl->fetches_max = (uint32_t)options->workers;
    crawl->threads =
        options->threads ? (uint32_t)options->threads : core_count();
    if (crawl->threads > crawl->fetches_max)
        crawl->threads = crawl->fetches_max;
    assert(crawl->threads); /* the least of --workers is 1 */
    fit_files(crawl, options);
    plan_connections(crawl, options);
    crawl->retry_failed = options->retry_failed;
    plan_depths(plan);
    crawl->max_pages = options->max_pages;
    crawl->max_bytes = options->max_bytes;
    crawl->max_time_ms = options->max_time_ms;
    crawl->limit_rate = options->from ? OPTION_NONE : options->limit_rate;
    crawl->links = options->links && !options->state;
    crawl->save_every_ms = options->save_every_ms;
    crawl->worker.want_digests = !options->state;
    crawl->worker.scan.want_text = crawl->links;
    crawl->worker.scan.want_content = crawl->links;
    crawl->worker.scan.want_title |= crawl->links;
    crawl->sitemaps = options->sitemap.item;
    crawl->robots_sitemaps = options->sitemaps;
    crawl->requisites = options->requisites;
    crawl->canonical = options->canonical;
    crawl->canonical_bytes_max = CANONICAL_BYTES_MAX;
    crawl->worker.scan.want_canonical = options->canonical || crawl->links;
}

/* The course's log is its contract. A user who gives options and sees the
 * progress line needs no log. */
static enum log_kind default_log(const struct options *options)
{
    bool is_course_form = !options->given.count && !options->user;

    if (is_course_form || (options->verbose && !options->search))
        return LOG_TSE;
    return terminal_can_redraw(STDOUT_FILENO) &&
                   terminal_can_redraw(STDERR_FILENO)
               ? LOG_NONE
               : LOG_PAGES;
}

static void plan_log(struct plan *plan)
{
    const struct options *options = plan->options;
    enum log_kind kind =
        options->log ? (enum log_kind)(options->log - 1) : default_log(options);

    logr_init(&plan->log, STDOUT_FILENO, options->quiet ? LOG_NONE : kind,
              options->verbose && !options->quiet, plan->crawl.worker.saver);
    plan->log.quiet = options->quiet;
    plan->log.archives = plan->crawl.archive != NULL;
    plan->numbers.keeps_urls = plan->log.kind == LOG_JSON;
    plan->crawl.log = &plan->log;
}

/* The memory for large pages in flight, of all threads together. */
enum { BODY_MEMORY = 96 << 20 };

/* One page may always be fetched to its end; the rest is the budget for the
 * others. */
static size_t body_budget(uint64_t largest)
{
    return largest < BODY_MEMORY ? (size_t)(BODY_MEMORY - largest) : 0;
}

static void plan_init(struct plan *plan, const struct options *options)
{
    *plan = (struct plan){
        .options = options,
        .dir.fd = -1,
        .crawl.signal_fd = -1,
    };
    pagefiles_init(&plan->files, &plan->dir);
    pagenumbers_init(&plan->numbers, &plan->dir);
    plan->crawl.worker.saver = &plan->files;
    arena_init(&plan->arena);
    arena_init(&plan->fleet.arena);
    origins_init(&plan->origins);
    netrc_init(&plan->netrc);
    trust_init(&plan->trust, NULL);
    pthread_mutex_init(&plan->from.lock, NULL);
    /* Out of an archive comes one page at a time: it never has to wait. */
    body_budget_init(&plan->body_budget, options->from
                                             ? SIZE_MAX / 2
                                             : body_budget(options->max_size));
    plan->domains = domains_new();
    plan->scope = scope_new(plan->domains);
    plan->crawl.scope = plan->scope;
    plan->crawl.scope_kind = plan_scope_kind(plan);
    plan->crawl.worker.scan = (struct scan_options){
        .fingerprint_seed = random_seed(),
        .course = plan_is_course(plan),
    };
}

/* --- all of it --------------------------------------------------------- */

/* seedURL may be left out if the seeds come from elsewhere. */
static int check_count(const struct options *options)
{
    bool other_seeds = options->search || options->seeds ||
                       options->sitemap.count || options->remembered;

    if (options->argument_count == 3 ||
        (other_seeds && options->argument_count == 2))
        return 0;
    return complain("expected %s arguments, %sseedURL%s pageDirectory "
                    "maxDepth, not %zu; see crawler --help",
                    other_seeds ? "two or three" : "three",
                    other_seeds ? "[" : "", other_seeds ? "]" : "",
                    options->argument_count);
}

/* Combinations in which one option has no effect. */
static int check_pairs(struct plan *plan)
{
    const struct options *options = plan->options;
    bool obeys_robots = plan_obeys_robots(plan);

    if (options->remembered)
        return 0;
    if (options->sitemaps && !obeys_robots)
        return complain("--sitemaps needs robots.txt, which this crawl does "
                        "not read; use --robots obey, or --sitemap");
    if (options->robots_agent && !obeys_robots)
        return complain("--robots-agent needs robots.txt, which this crawl "
                        "does not read; use --robots obey");
    if (options->links && options->state)
        return complain("--links are remembered in the state; they need "
                        "--state file");
    if (options->state && option_is_given(&options->given, "save-every"))
        return complain("--save-every is for the state; it needs --state file");
    if (fetching_is_proxied(options) && options->dns_servers)
        return complain("--dns-servers has no effect with --proxy: the proxy "
                        "looks names up");
    if (!options->search && option_is_given(&options->given, "search-url"))
        return complain("--search-url needs --search");
    int status = live_check(plan);
    return status ? status : archiving_check(plan);
}

/* The record has the origins that were given a name and password, but neither
 * name nor password. A resume needs them again. A report needs only the
 * origins, since a login changes how URLs are compared. */
static int plan_recorded_logins(struct plan *plan, bool report)
{
    const struct list *recorded = &plan->record.logins;
    const struct login unknown = {STR_INIT(""), STR_INIT("")};
    struct url url;

    for (size_t i = 0; i < recorded->count; i++) {
        struct str origin = str_of(recorded->item[i]);
        if (url_parse(&url, &plan->arena, origin, NULL, NULL))
            continue;
        if (report)
            origins_add_login(&plan->origins, &url, &unknown);
        else if (!origins_login(&plan->origins, &url))
            return complain("the crawl had a name and password for %s, which "
                            "are not kept; give them again: with --user "
                            "NAME:PASSWORD, or in the URL as before",
                            origin.ptr);
    }
    return 0;
}

static int plan_seeds(struct plan *plan)
{
    const struct options *options = plan->options;
    int status = seeds_check(plan);

    if (!status && plan->options->seeds && !plan->options->remembered)
        status = seeds_add_file(plan);
    plan->named_seeds = plan->seed_count;
    if (!status)
        status = plan->options->fleet ? fleet_decide(plan) : state_decide(plan);
    if (status)
        return status;
    if (plan->action == ACTION_RESUME) {
        seeds_add_record(plan);
        plan->seeds_before = plan->seed_count;
        status = plan_recorded_logins(plan, false);
        for (size_t i = 0; i < options->seed.count && !status; i++) {
            plan->is_begun = true;
            status = seeds_add_argument(plan, options->seed.item[i]);
        }
    } else if (plan->action != ACTION_NONE && plan->options->search) {
        status = seeds_add_search(plan);
    }
    seeds_scope_of_sitemaps(plan);
    return status;
}

/* Only what is no HTML goes there. */
static void plan_spools(struct plan *plan)
{
    struct fetch_options *fetch = &plan->crawl.worker.fetch;

    if (!plan->crawl.archive && !fetch->types.count)
        return;
    plan->spools.dir_fd = plan->dir.fd;
    plan->spools.max = SPOOLS_MAX;
    fetch->spools = &plan->spools;
}

static int make(struct plan *plan, const struct options *options)
{
    const char *const *argument = options->argument;
    int status;

    if ((status = check_count(options)) || (status = check_pairs(plan)) ||
        (status = fleet_check(plan)) || (status = plan_filter(plan)) ||
        (status = fetching_plan_agent(plan)))
        return status;
    const char *seed = options->argument_count == 3 ? *argument++ : NULL;
    if ((status = plan_scope(plan)) || (status = fetching_plan_logins(plan)) ||
        (status = seed ? seeds_add_argument(plan, seed) : 0) ||
        (status = fetching_plan(plan)) ||
        (status = state_open_directory(plan, argument[0])) ||
        (status = cookie_files_check(plan)) ||
        (status = plan_depth(plan, argument[1])) ||
        (status = from_plan(plan)) || (status = plan_seeds(plan)))
        return status;
    plan_frontier(plan);
    plan->id = (uint32_t)random_seed();
    if ((status = archiving_plan(plan)))
        return status;
    plan_spools(plan);
    plan_limits(plan);
    plan_log(plan);
    plan->crawl.seeds = plan->seeds;
    plan->crawl.seed_count = plan->seed_count;
    return plan_files(plan);
}

int plan_make(struct plan *plan, const struct options *options)
{
    plan_init(plan, options);
    int status = options->is_over
                     ? state_open_finished(plan, options->argument[0])
                     : make(plan, options);
    if (status)
        state_take_back(plan);
    return status;
}

int plan_recall(struct plan *plan, const struct options *options,
                struct crawl_record *record)
{
    int status;

    plan_init(plan, options);
    plan->record = *record;
    *record = (struct crawl_record){0};
    if ((status = plan_filter(plan)) ||
        (status = plan_recorded_logins(plan, true)) ||
        (status = fetching_plan_agent(plan)) || (status = plan_scope(plan)) ||
        (status = plan_depth(plan, options->argument[1])) ||
        (status = seeds_plan_sitemaps(plan)))
        return status;
    seeds_add_record(plan);
    seeds_scope_of_sitemaps(plan);
    plan_frontier(plan);
    plan_limits(plan);
    plan->crawl.frontier.report_changes = false;
    plan->crawl.frontier.idle_hosts_max = 0;
    return 0;
}

static int make_check(struct plan *plan, const struct options *options,
                      const struct str *url, size_t count)
{
    int status;

    if ((status = fetching_plan_agent(plan)) || (status = plan_scope(plan)) ||
        (status = fetching_plan(plan)) ||
        (status = state_open_directory(plan, options->argument[0])) ||
        (status = plan_depth(plan, options->argument[1])) ||
        (status = state_decide(plan)))
        return status;
    for (size_t i = 0; i < count; i++)
        seeds_add_result(plan, url[i]);
    plan_frontier(plan);
    plan_limits(plan);
    plan->crawl.worker.saver = &plan->numbers.saver;
    plan->crawl.worker.scan.want_content = true; /* of bodies that are wanted */
    plan_log(plan);
    plan->crawl.seeds = plan->seeds;
    plan->crawl.seed_count = plan->seed_count;
    return plan_files(plan);
}

int plan_check(struct plan *plan, const struct options *options,
               const struct str *url, size_t count)
{
    plan_init(plan, options);
    return make_check(plan, options, url, count);
}

void plan_release(struct plan *plan)
{
    fleet_release(plan);
    store_close(plan->store);
    crawl_record_release(&plan->record);
    store_batch_release(&plan->new_facts);
    if (plan->dir.fd >= 0)
        pagedir_close(&plan->dir);
    logr_release(&plan->log);
    archiving_release(plan);
    free(plan->seeds);
    scope_free(plan->scope);
    filter_free(plan->filter);
    query_keys_free(plan->strip);
    domains_free(plan->domains);
    origins_release(&plan->origins);
    body_budget_release(&plan->body_budget);
    trust_release(&plan->trust);
    cookies_free(plan->cookies);
    netrc_release(&plan->netrc);
    collection_free(plan->from.collection);
    pthread_mutex_destroy(&plan->from.lock);
    arena_release(&plan->arena);
}
