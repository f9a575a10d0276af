#include "base/clock.h"
#include "crawler/crawler_thread.h"
#include "crawler/fleet.h"
#include "crawler/resume.h"

/* The steps that make the crawl durable, and bring it back on a resume. */

void begin_record(struct crawler *crawler)
{
    const struct crawl_options *options = crawler->options;
    struct store_error error;

    /* Never add rows to a record that could not be read. */
    if (!options->store || crawler->failed)
        return;
    crawler->record = record_new(options, crawler->validator.frontier,
                                 crawler->archivist, crawler->now_ms, &error);
    if (!crawler->record) {
        fail_to_write(crawler, &error);
    } else if (options->new_facts) {
        record_facts(crawler->record, options->new_facts);
        record_old_pages(crawler->record,
                         pagesaver_holds_old(options->worker.saver));
        if (!record_begin_commit(crawler->record, crawler->stats,
                                 crawler->now_ms, &error))
            fail_to_write(crawler, &error);
        /* Pages that the engine does not know are dropped by a machine that
         * joins. */
        crawler->awaits_record = !options->fleet;
    }
    if (crawler->record)
        end_old_pause(crawler);
}

/* --- resume ------------------------------------------------------------- */

void rest_all_hosts(struct crawler *crawler)
{
    const struct frontier_options *options = &crawler->options->frontier;
    uint64_t pause_ms = options->delay_ms > options->ip_delay_ms
                            ? options->delay_ms
                            : options->ip_delay_ms;
    /* The clock is cut to milliseconds. */
    uint64_t until_ms = crawler->now_ms + (pause_ms ? pause_ms + 1 : 0);

    if (crawler->hold_ms < until_ms)
        crawler->hold_ms = until_ms;
    frontier_rest_all(crawler->validator.frontier, crawler->now_ms);
}

/* After a kill, fetches since the last commit are unknown, so every host gets a
 * whole pause first. Pauses of addresses are not recorded, so the whole crawl
 * waits one such pause after its last fetch. */
static void rest_first(struct crawler *crawler, const struct resumed *resumed)
{
    if (crawler->options->resume_unclean)
        rest_all_hosts(crawler);
    else if (resumed->last_ms)
        crawler->hold_ms =
            resumed->last_ms + crawler->options->frontier.ip_delay_ms;
}

void restore_crawl(struct crawler *crawler)
{
    const struct crawl_options *options = crawler->options;
    const struct resume_options resume = {
        .fingerprint_seed = options->worker.scan.fingerprint_seed,
        .robots_agent = options->worker.robots_agent,
        .now_ms = crawler->now_ms,
        .wall_ms = clock_wall_at(crawler->now_ms),
        .pages_kept = options->requisites ? &crawler->pages_kept : NULL,
        .settled = options->requisites ? &crawler->settled : NULL,
        .saved_urls = options->canonical ? &crawler->saved_urls : NULL,
        .gave_way = restore_gave_way,
        .redirecting =
            options->worker.fetch.cookies ? restore_redirecting : NULL,
        .failed = options->retry_failed ? restore_failed : NULL,
        .user = crawler,
        .archivist = crawler->archivist,
        .rules = &crawler->rules,
    };
    char problem[ARCHIVIST_PROBLEM_MAX];
    struct resumed resumed = {0};
    struct store_error error;

    if (options->retry_failed)
        failed_init(crawler);
    store_watch(options->store, is_told_to_stop, crawler);
    /* The partitions of a fleet are loaded one by one: fleet_begin. */
    bool good = options->fleet
                    ? resume_load_slice(options->store, 0, &crawler->validator,
                                        &resume, &resumed, &error)
                    : resume_load(options->store, &crawler->validator, &resume,
                                  &resumed, &error);
    store_watch(options->store, NULL, NULL);
    if (!good && crawler->signals) {
        crawler->failed = crawler->is_unread = true;
        return;
    }
    if (options->fleet)
        resumed.last_page = pagesaver_last(options->worker.saver);
    if (good && resumed.last_page != pagesaver_last(options->worker.saver)) {
        good = store_fail(&error, STORE_DAMAGED,
                          "its last page is %u, but %u pages are counted",
                          (unsigned)resumed.last_page,
                          (unsigned)pagesaver_last(options->worker.saver));
    }
    if (!good) {
        fail_crawl(crawler, "cannot read the state in %s: %s",
                   crawler->options->record_label, error.text);
        return;
    }
    if (!archivist_resume(crawler->archivist, problem)) {
        fail_crawl(crawler, "cannot go on with the archive in %s: %s",
                   options->dir_path, problem);
        return;
    }
    pagesaver_resume(options->worker.saver, resumed.last_page,
                     options->resume_unclean);
    *crawler->stats = resumed.stats;
    if (options->frontier.has_no_pauses)
        crawler->stats->may_recover = 0; /* an archive: see ends.c */
    stats_settle_time(crawler->stats);
    crawler->sitemaps = resumed.sitemaps;
    crawler->last_number = resumed.last_number;
    rest_first(crawler, &resumed);
}

void check_queue(struct crawler *crawler)
{
    int trouble = frontier_trouble(crawler->validator.frontier);

    if (trouble && !crawler->failed)
        fail_crawl(crawler, "cannot read the queue's file in %s: %s",
                   crawler->options->dir_path, strerror(trouble));
}

void commit_if_due(struct crawler *crawler)
{
    struct store_error error;

    flush_archive_if_due(crawler);
    if (!crawler->failed && !fleet_has_to_rejoin(crawler->options->fleet) &&
        !record_tick(crawler->record, crawler->stats, crawler->now_ms,
                     &error) &&
        !fleet_is_fenced(crawler))
        fail_to_write(crawler, &error);
}

/* Call it before old page files are removed. It replaces the record of the old
 * crawl and makes durable which pages are old. */
static bool replace_old_crawl(struct crawler *crawler)
{
    const struct crawl_options *options = crawler->options;
    struct store_error error;
    bool good = true;

    if (options->emptied_record)
        good = store_leave_empty(options->emptied_record, &error);
    else if (options->replaces && !crawler->stats->saved)
        good = record_replace_old(crawler->record, &error);
    else if (pagesaver_holds_old(options->worker.saver))
        good = record_commit(crawler->record, crawler->stats, crawler->now_ms,
                             &error);
    if (!good)
        fail_to_write(crawler, &error);
    else if (!crawler->stats->saved)
        archive_remove_old(options->dir_fd, options->old_archive);
    return good;
}

/* The record of a crawl that goes on must say that it runs before there is a
 * page: after a kill, pages beyond a record that says "stopped" are unknown
 * files. The disk may take its time for that while the first pages are fetched.
 */
static bool wait_for_record(struct crawler *crawler)
{
    struct store_error error;

    if (crawler->awaits_record && !record_wait(crawler->record, &error)) {
        if (!fleet_is_fenced(crawler))
            fail_to_write(crawler, &error);
        return false;
    }
    crawler->awaits_record = false;
    return true;
}

bool may_save(struct crawler *crawler)
{
    bool replaces = pagesaver_holds_old(crawler->options->worker.saver) ||
                    !crawler->stats->saved;

    return wait_for_record(crawler) &&
           (!replaces || replace_old_crawl(crawler));
}

static enum crawl_state state_after(const struct crawler *crawler,
                                    enum crawl_end end)
{
    switch (end) {
    case CRAWL_FINISHED:
        return STATE_FINISHED;
    case CRAWL_FAILED:
        return STATE_FAILED;
    case CRAWL_NOTHING:
        return STATE_NOTHING;
    case CRAWL_STOPPED:
    case CRAWL_UNREAD:
    case CRAWL_REJOIN:
        break;
    }
    if (crawler->signals || fleet_is_stopped(crawler->options->fleet))
        return STATE_INTERRUPTED;
    if (crawler->stats->saved >= crawler->options->max_pages)
        return STATE_MAX_PAGES;
    return crawler->stats->bytes >= crawler->options->max_bytes
               ? STATE_MAX_BYTES
               : STATE_MAX_TIME;
}

/* Before the last batch of a machine the one before it must have counted, also
 * where the crawl failed. */
static bool leave_fleet(struct crawler *crawler)
{
    struct fleet *fleet = crawler->options->fleet;
    struct store_error error;

    if (!fleet)
        return true;
    fleet_leave(fleet);
    if (!record_wait(crawler->record, &error)) {
        if (!crawler->failed && !fleet_is_fenced(crawler))
            fail_to_write(crawler, &error);
        return false;
    }
    fleet_exchange(crawler);
    return !fleet_has_to_rejoin(fleet);
}

void end_record(struct crawler *crawler, enum crawl_end end)
{
    struct pagesaver *saver = crawler->options->worker.saver;
    struct store_error error;

    if (end == CRAWL_REJOIN)
        return;
    crawler->stats->state = state_after(crawler, end);
    if (!leave_fleet(crawler))
        return;
    /* A finished crawl leaves no old page files behind its own. */
    if (end == CRAWL_FINISHED && pagesaver_holds_old(saver) &&
        replace_old_crawl(crawler)) {
        pagesaver_drop_old(saver);
        record_old_pages(crawler->record, 0);
    }
    if (!crawler->options->fleet)
        end_archive(crawler);
    if (!record_end(crawler->record, crawler->stats, crawler->stats->state,
                    crawler->now_ms, &error) &&
        !crawler->failed)
        fail_to_write(crawler, &error);
    if (crawler->options->fleet)
        end_archive(crawler);
}
