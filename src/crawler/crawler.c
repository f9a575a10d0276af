#include "crawler/crawler.h"

#include <errno.h>
#include <string.h>

#include "base/clock.h"
#include "crawler/crawler_thread.h"
#include "crawler/fleet.h"
#include "crawler/relax.h"
#include "crawler/viewing.h"
#include "web/partition.h"

static bool begin_crawl(struct crawler *crawler,
                        const struct crawl_options *options,
                        struct stats *stats);
static void offer_seeds(struct crawler *crawler);
static void start_fetches(struct crawler *crawler);
static void handle_results(struct crawler *crawler);
static enum crawl_end finish(struct crawler *crawler);

enum crawl_end crawler_run(const struct crawl_options *options,
                           struct stats *stats)
{
    struct crawler crawler;

    if (!begin_crawl(&crawler, options, stats))
        return CRAWL_FAILED;
    if (options->resume)
        restore_crawl(&crawler);
    begin_record(&crawler);
    relax_deepen(&crawler, crawler.last_number); /* a greater maxDepth */
    fleet_begin(&crawler); /* our partitions, if this is one machine of many */
    listen_to_validator(&crawler); /* to count and record each URL judged */
    offer_seeds(&crawler);         /* seeds -> validator -> frontier */
    retry_failed(&crawler);        /* and URLs that failed in earlier runs */
    while (!is_over(&crawler)) {
        relax_go_on(&crawler);      /* URLs that were found nearer */
        start_fetches(&crawler);    /* frontier -> workers */
        wait_for_results(&crawler); /* workers: fetch, scan, save */
        handle_results(&crawler);   /* links found -> validator -> frontier */
        commit_if_due(&crawler);    /* pages and rows become durable */
        fleet_exchange(&crawler);   /* links to and from other machines */
    }
    return finish(&crawler);
}

static bool begin_crawl(struct crawler *crawler,
                        const struct crawl_options *options,
                        struct stats *stats)
{
    uint64_t now_ms = clock_mono_ms();

    *crawler = (struct crawler){
        .options = options,
        .workers = workers_start(options->threads, options->fetches_max,
                                 &options->worker),
        .archivist = archivist_new(options->archive),
        .viewing = viewing_new(options->view),
        .stats = stats,
        .start_ms = now_ms,
        .now_ms = now_ms,
        .random = options->frontier.hash_seed | 1,
    };
    if (!crawler->workers) {
        fail_crawl(crawler, "cannot start a worker: %s", strerror(errno));
        archivist_free(crawler->archivist);
        viewing_free(crawler->viewing);
        return false;
    }
    if (options->frontier.resolve)
        crawler->resolver = resolver_start(
            &(struct resolver_options){
                .origins = options->worker.fetch.origins,
                .dns_servers = options->dns_servers,
                .hosts_file = "/etc/hosts",
                .hash_seed = options->frontier.hash_seed,
            },
            workers_inbox(crawler->workers));
    validator_init(&crawler->validator, options->scope, options->max_depth,
                   &options->frontier);
    crawler->validator.filter = options->filter;
    seen_init(&crawler->pages_kept);
    seen_init(&crawler->settled);
    if (options->requisites)
        frontier_use_known(crawler->validator.frontier, &crawler->settled,
                           &crawler->pages_kept);
    seen_init(&crawler->seed_urls);
    canonical_init(crawler);
    redirecting_init(crawler);
    relax_init(crawler);
    if (options->keep_depths)
        validator_keep_depths(&crawler->validator);
    note_seeds(crawler);
    options->log->out.wait = wait_for_reader;
    options->log->out.user = crawler;
    return true;
}

/* After a resume the validator has seen the seeds already: they are duplicates.
 */
static void offer_seeds(struct crawler *crawler)
{
    const struct crawl_options *options = crawler->options;

    /* The seeds of a fleet come as mail. */
    if (options->fleet)
        return;
    for (size_t i = 0; i < options->seed_count; i++) {
        const struct page_link *seed = &options->seeds[i];
        const struct offer offer = {
            .url = &seed->url,
            .fingerprint = seed->fingerprint,
            .is_named = seed->named,
        };
        validator_offer(&crawler->validator, &offer, crawler->now_ms);
    }
    for (const char *const *url = options->sitemaps; url && *url; url++)
        offer_sitemap(crawler, str_of(*url), NULL, 0);
    record_at_once(crawler->record); /* `crawler status` shows the seeds */
}

/* --- fetches and results ------------------------------------------------ */

/* Nothing is left to fetch from the host: its connection need not stay. */
static void release_host(struct crawler *crawler, const struct target *target)
{
    struct host_work work = frontier_host_work(target);
    const struct url url = target_url_parts(target);

    if (work.worker && !work.has_more)
        workers_need_host(
            crawler->workers, work.worker - 1u,
            pagefetcher_origin(&crawler->options->worker.fetch, &url), false);
}

/* The target may not be fetched after all; target->verdict says why. */
static void drop_refused(struct crawler *crawler, struct target *target)
{
    logr_refused(crawler->options->log, target, clock_wall_ms());
    note_refused(crawler, target);
    release_host(crawler, target);
    frontier_drop(crawler->validator.frontier, target, crawler->now_ms);
}

static void look_up(struct crawler *crawler, struct target *target)
{
    struct job *job = workers_lookup(crawler->workers, target);

    crawler->resolving++;
    job->tried_before = frontier_failures(target) > 0;
    resolver_ask(crawler->resolver, job);
}

/* From now on URLs may be found nearer than they were fetched. */
static void note_left_behind(struct crawler *crawler)
{
    if (crawler->validator.keeps_depths ||
        !frontier_has_left_behind(crawler->validator.frontier))
        return;
    validator_keep_depths(&crawler->validator);
    record_fact(crawler->record, FACT_KEEPS_DEPTHS, 1);
}

static struct target *next_target(struct crawler *crawler)
{
    struct frontier *frontier = crawler->validator.frontier;

    note_left_behind(crawler);
    if (!may_fetch_more(crawler))
        return NULL;
    frontier_hold_pages(frontier, has_enough_pages(crawler));
    return frontier_take(frontier, crawler->now_ms);
}

static void fetch(struct crawler *crawler, struct target *target)
{
    const struct page_wishes wishes = wishes_for(crawler, target);

    crawler->requisites_in_flight += target->kind == TARGET_REQUISITE;
    canonical_fetch_starts(crawler, target);
    workers_fetch(crawler->workers, target, &wishes);
}

static void start_fetches(struct crawler *crawler)
{
    struct target *target;

    while ((target = next_target(crawler))) {
        if (target->verdict != ACCEPT) {
            drop_refused(crawler, target);
            /* A host that was given up may have a million targets. */
            check_time_and_signals(crawler, clock_mono_ms());
        } else if (target->kind == TARGET_RESOLVE) {
            look_up(crawler, target);
        } else {
            fetch(crawler, target);
        }
    }
    check_queue(crawler);
    workers_send(crawler->workers);
}

static void handle_target(struct crawler *crawler, struct job *job)
{
    switch ((enum target_kind)job->target->kind) {
    case TARGET_REQUISITE:
        crawler->requisites_in_flight--;
        handle_fetch(crawler, job);
        break;
    case TARGET_PAGE:
    case TARGET_SITEMAP:
        canonical_fetch_ended(crawler, job->target);
        handle_fetch(crawler, job);
        break;
    case TARGET_RESOLVE:
        handle_lookup(crawler, job);
        break;
    case TARGET_ROBOTS:
        handle_robots(crawler, job);
        break;
    }
}

/* Handling the job frees its target. The exchange is kept after that: so its
 * row is in the same batch as that of the fetch. */
static void handle_job(struct crawler *crawler, struct job *job)
{
    bool is_lookup = job->target->kind == TARGET_RESOLVE;

    crawler->validator.source_part = partition_of_number(job->target->number);
    if (crawler->archivist && !is_lookup)
        webpage_own_url(&job->page);
    handle_target(crawler, job);
    if (crawler->archivist && !is_lookup)
        keep_exchange(crawler, &job->page);
}

/* The worker keeps the connection of a host that has more to fetch. Tell it if
 * that has changed since the fetch began. */
static void update_need(struct crawler *crawler, const struct job *job,
                        uint64_t host_key)
{
    bool is_needed = frontier_has_queued(crawler->validator.frontier, host_key);

    if (is_needed != job->page.is_host_needed)
        workers_need_host(crawler->workers, job->worker, job->page.origin,
                          is_needed);
}

static void handle_results(struct crawler *crawler)
{
    struct job *job;

    while ((job = workers_take(crawler->workers))) {
        if (job->kind == JOB_SCAN) {
            relax_handle(crawler, job);
            workers_put_back(crawler->workers, job);
            check_time_and_signals(crawler, clock_mono_ms());
            continue;
        }
        /* Handling the job frees its target. */
        uint64_t host_key = frontier_host_work(job->target).host_key;

        wait_for_rate(crawler, job);
        handle_job(crawler, job);
        update_need(crawler, job, host_key);
        workers_put_back(crawler->workers, job);
        /* A page with many links takes a while, and so do many pages. */
        check_time_and_signals(crawler, clock_mono_ms());
        if (record_is_full(crawler->record))
            commit_if_due(crawler);
    }
}

/* --- the end ------------------------------------------------------------ */

static enum crawl_end how_it_ended(const struct crawler *crawler)
{
    const struct fleet *fleet = crawler->options->fleet;

    if (crawler->is_unread)
        return CRAWL_UNREAD;
    if (crawler->failed)
        return CRAWL_FAILED;
    if (fleet_has_to_rejoin(fleet))
        return CRAWL_REJOIN;
    if (fleet)
        return fleet_is_finished(fleet) ? CRAWL_FINISHED : CRAWL_STOPPED;
    if (crawler->signals || relax_is_open(crawler) ||
        frontier_counts(crawler->validator.frontier).queued)
        return CRAWL_STOPPED;
    return crawler->stats->saved ? CRAWL_FINISHED : CRAWL_NOTHING;
}

static void drop_look_up(void *user, struct target *target)
{
    struct crawler *crawler = user;

    crawler->resolving--;
    frontier_setup_stopped(crawler->validator.frontier, target,
                           crawler->now_ms);
}

static void end_resolver(struct crawler *crawler)
{
    resolver_free(crawler->resolver, drop_look_up, crawler);
    if (crawler->resolving)
        handle_results(crawler); /* look-ups that ended before */
}

static enum crawl_end finish(struct crawler *crawler)
{
    struct stats *stats = crawler->stats;

    end_log(crawler);
    enum crawl_end end = how_it_ended(crawler);
    note_time(crawler, clock_mono_ms());
    end_record(crawler, end);
    if (crawler->failed && !crawler->is_unread)
        end = CRAWL_FAILED;
    else if (fleet_has_to_rejoin(crawler->options->fleet))
        end = CRAWL_REJOIN;
    stats->counts = frontier_counts(crawler->validator.frontier);
    viewing_end(crawler);
    viewing_free(crawler->viewing);
    crawler->options->log->out.wait = NULL;
    end_resolver(crawler);
    logr_flush(crawler->options->log); /* of look-ups that were dropped */
    workers_free(crawler->workers);
    /* The committer may still wait for the engine: the process starts again as
     * it is. */
    if (end == CRAWL_REJOIN)
        return end;
    record_free(crawler->record);
    archivist_free(crawler->archivist);
    validator_release(&crawler->validator);
    seen_release(&crawler->pages_kept);
    seen_release(&crawler->settled);
    seen_release(&crawler->seed_urls);
    canonical_release(crawler);
    redirecting_release(crawler);
    hand_rules_release(&crawler->rules);
    part_ends_release(crawler);
    relax_release(crawler);
    return end;
}
