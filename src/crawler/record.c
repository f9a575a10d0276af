#include "crawler/record.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "base/mem.h"
#include "crawler/committer.h"
#include "crawler/counters.h"
#include "crawler/fleet.h"
#include "page/head_lines.h"
#include "store/facts.h"
#include "web/html.h"

enum {
    /* A batch is closed early when it has this much. */
    BATCH_FETCHES_MAX = 500,
    BATCH_BYTES_MAX = 8 << 20,
    /* A slow disk holds up a crawl when this much is not committed. So a kill
     * loses at most three thousand fetches, and those in flight. */
    UNCOMMITTED_FETCHES_MAX = 3000,
    UNCOMMITTED_BYTES_MAX = 32 << 20,
    UNCOMMITTED_BATCHES_MAX = 64,
};

struct record {
    const struct crawl_options *options;
    struct frontier *frontier;
    struct committer *committer;
    struct archivist *archivist; /* NULL: the crawl has no archive */
    struct store_batch open;     /* being filled */
    bool at_once;                /* close it at the next tick */
    uint32_t fetches;            /* that ended, in the open batch */
    uint64_t closed_ms;          /* when the last batch was closed */
    int64_t wall_less_ms;        /* wall clock minus monotonic clock */
};

struct record *record_new(const struct crawl_options *options,
                          struct frontier *frontier,
                          struct archivist *archivist, uint64_t now_ms,
                          struct store_error *error)
{
    struct committer *committer =
        committer_start(options->store, options->worker.saver,
                        archivist_leave_copies(archivist), error);

    if (!committer)
        return NULL;
    struct record *record = NEW(struct record);
    record->options = options;
    record->frontier = frontier;
    record->committer = committer;
    record->archivist = archivist;
    record->closed_ms = now_ms;
    record->wall_less_ms = (int64_t)clock_wall_at(now_ms) - (int64_t)now_ms;
    store_batch_init(&record->open);
    return record;
}

void record_free(struct record *record)
{
    if (!record)
        return;
    committer_free(record->committer);
    store_batch_release(&record->open);
    free(record);
}

/* The wall clock, as if nobody had set it since the crawl began: otherwise a
 * pause could look shorter than it was. */
static uint64_t wall(const struct record *record, uint64_t mono_ms)
{
    return (uint64_t)((int64_t)mono_ms + record->wall_less_ms);
}

/* --- events ------------------------------------------------------------- */

/* The domain as a part of the URL. The frontier knows the domain of a URL that
 * it has queued; for others the list of public suffixes is asked. */
static struct str domain_part(const struct record *record,
                              const struct url *url,
                              const struct queued *queued)
{
    struct str host = url_host(url);

    if (!queued)
        return domain_of_host(record->options->frontier.domains, host);
    host = domain_trim_dot(host);
    return str_skip(host, host.len - queued->domain.len);
}

void record_judged(struct record *record, const struct judged *judged)
{
    if (!record)
        return;
    const struct offer *offer = judged->offer;
    const struct url *url = offer->url;
    const struct store_url row = {
        .number = judged->number,
        .url = url->href,
        .host = url_host_port(url),
        .domain = domain_part(record, url, judged->queued),
        .depth = offer->depth,
        .referrer = offer->referrer_id,
        .found = offer->found,
        .kind = (uint8_t)offer->kind,
        .verdict = (uint8_t)judged->verdict,
        .redirects = offer->redirects,
        .line = judged->line,
        .via = offer->via,
        .nesting = offer->nesting,
        .referrer_machine = offer->referrer_machine,
    };

    store_add_url(&record->open, &row);
}

void record_withdrawal(struct record *record, uint64_t number, uint64_t now_ms)
{
    if (!record)
        return;
    const struct store_refusal row = {
        .number = number,
        .verdict = ACCEPT,
        .at_ms = wall(record, now_ms),
    };

    store_add_refusal(&record->open, &row);
}

void record_nearer(struct record *record, const struct store_change *row)
{
    if (record)
        store_add_change(&record->open, row);
}

static void add_change(struct record *record, const struct target *target)
{
    const struct store_change row = {
        .number = target->number,
        .depth = target->depth,
        .referrer = target->referrer_id,
        .found = target->found,
        .referrer_machine = target->referrer_machine,
    };

    store_add_change(&record->open, &row);
}

/* The frontier forgets a target that is done, so its last change is recorded
 * now, not when the batch is closed. */
static void add_last_change(struct record *record, const struct target *target)
{
    if (target->changed_at)
        add_change(record, target);
}

/* A server said when to come back, which a kill must not make us forget. */
static void keep_retry_after(struct record *record, const struct webpage *page)
{
    bool refused =
        page->outcome == HTTP_TOO_MANY || page->outcome == HTTP_SERVER_ERROR;

    if (refused && page->exchange.retry_after_ms)
        record_at_once(record);
}

static struct str target_of(const struct webpage *page)
{
    if (page->outcome == REDIRECTED && page->links.count)
        return page->links.link[0].url.href;
    if (page->outcome == CANONICAL)
        return page->canonical->url.href;
    return (struct str){0};
}

/* The URL that the page names as its own, if it is another one. */
static struct str canonical_of(const struct job *job)
{
    const struct page_link *canonical = job->page.canonical;

    return canonical && canonical->fingerprint != job->target->fingerprint
               ? canonical->url.href
               : (struct str){0};
}

/* Blanks at the end of a reference are no part of it. An id longer than
 * HTML_ID_MAX does not count, so its fragment names no part. */
static struct str fragment_to_keep(struct str fragment)
{
    while (fragment.len && (unsigned char)fragment.ptr[fragment.len - 1] <= ' ')
        fragment.len--;
    return fragment.len > HTML_ID_MAX ? STR("") : fragment;
}

void record_fetch(struct record *record, const struct job *job,
                  uint32_t page_id, uint64_t wait_ms, uint64_t pause_ms)
{
    if (!record)
        return;
    const struct webpage *page = &job->page;
    struct arena arena;
    arena_init(&arena);
    const struct store_fetch row = {
        .number = job->target->number,
        .page = page_id,
        .status = (uint32_t)page->exchange.status,
        .outcome = (uint8_t)page->outcome,
        .mime = str_of(page->exchange.mime),
        .size = page->exchange.body_len,
        .digest = page_id ? page->digest : 0,
        .start_ms = wall(record, page->exchange.start_ms),
        .end_ms = wall(record, page->exchange.end_ms),
        .pause_ms = pause_ms,
        .due_ms = wait_ms ? wall(record, page->exchange.end_ms + wait_ms) : 0,
        .target = target_of(page),
        .fragment = record->options->worker.scan.want_content
                        ? fragment_to_keep(page->fragment)
                        : (struct str){0},
        .noarchive = record->archivist && page->noarchive,
        .settled = page->is_settled,
        .title = page_id ? page->title : (struct str){0},
        .canonical = page_id ? canonical_of(job) : (struct str){0},
        .depth = page->depth + 1,
        .head =
            page_id ? head_lines_of(&page->exchange, &arena) : (struct str){0},
    };

    store_add_fetch(&record->open, &row);
    arena_release(&arena);
    if (record->options->ledger)
        store_add_fetched_url(&record->open, target_url(job->target),
                              job->target->depth);
    if (!wait_ms)
        add_last_change(record, job->target);
    record->fetches++;
    keep_retry_after(record, page);
}

void record_refusal(struct record *record, const struct target *target,
                    uint64_t now_ms)
{
    if (!record)
        return;
    const struct store_refusal row = {
        .number = target->number,
        .verdict = target->verdict,
        .outcome = target->last_outcome,
        .line = target->robots_line,
        .at_ms = wall(record, now_ms),
    };

    store_add_refusal(&record->open, &row);
    add_last_change(record, target);
}

void record_robots(struct record *record, const struct job *job,
                   struct str host, uint64_t known_ms, uint64_t pause_ms)
{
    if (!record)
        return;
    const struct webpage *page = &job->page;
    const struct store_robots row = {
        .host = host,
        .url = page->url,
        .https = frontier_robots_is_https(job->target),
        .known = known_ms > 0,
        .outcome = (uint8_t)page->outcome,
        .status = (uint32_t)page->exchange.status,
        /* Whoever fetched it has a row with the times. */
        .start_ms = job->is_told ? 0 : wall(record, page->exchange.start_ms),
        .end_ms = job->is_told ? 0 : wall(record, page->exchange.end_ms),
        .pause_ms = job->is_told ? 0 : pause_ms,
        .until_ms =
            known_ms ? wall(record, page->exchange.end_ms + known_ms) : 0,
        .text = page->robots_text,
    };

    store_add_robots(&record->open, &row);
    record->fetches++;
    keep_retry_after(record, page);
}

void record_capture(struct record *record, const struct kept_rows *rows)
{
    if (!record)
        return;
    if (rows->file.number)
        store_add_archive(&record->open, &rows->file);
    store_add_capture(&record->open, &rows->capture);
}

void record_order(struct record *record, const struct store_hand_order *row)
{
    if (!record)
        return;
    store_add_hand_order(&record->open, row);
    record_at_once(record);
}

void record_link(struct record *record, const struct job *job, uint32_t page_id,
                 const struct page_link *link, enum verdict verdict)
{
    /* A page that had given way was read before, and its links are known. */
    if (!record || !record->options->links || job->target->nesting == PAGE_KEPT)
        return;
    const struct store_link row = {
        .page = page_id,
        .verdict = (uint8_t)verdict,
        .url = link->url.href,
        .text = link->html ? link->html->text : (struct str){0},
        .rel = link->html ? link->html->rel : (struct str){0},
        .fragment = link->html
                        ? fragment_to_keep(html_fragment(link->html->href))
                        : (struct str){0},
        .kind = link->html ? (uint8_t)(1 + link->html->kind) : 0,
        .source = page_id ? 0 : job->target->number,
    };

    store_add_link(&record->open, &row);
}

void record_moved(struct record *record, size_t number, struct str url)
{
    if (record)
        facts_put_moved(&record->open, number, url);
}

void record_content(struct record *record, uint32_t page_id,
                    const struct page_content *content)
{
    if (!record || !content->is_known)
        return;
    const struct store_content row = {
        .page = page_id,
        .ids = content->ids,
        .ids_beyond = (uint32_t)content->ids_beyond,
        .mixed_beyond = (uint32_t)content->mixed_beyond,
    };

    store_add_content(&record->open, &row);
    for (size_t i = 0; i < content->mixed_count; i++) {
        const struct store_mixed mixed = {
            .page = page_id,
            .kind = (uint8_t)content->mixed[i].kind,
            .url = content->mixed[i].url,
        };
        store_add_mixed(&record->open, &mixed);
    }
}

void record_facts(struct record *record, const struct store_batch *facts)
{
    const struct store_rows *rows = &facts->rows[ROW_setting];
    const struct store_setting *setting = rows->item;

    for (size_t i = 0; record && i < rows->count; i++)
        store_add_setting(&record->open, &setting[i]);
    rows = &facts->rows[ROW_seed];
    const struct store_seed *seed = rows->item;
    for (size_t i = 0; record && i < rows->count; i++)
        store_add_seed(&record->open, &seed[i]);
}

void record_fact(struct record *record, enum fact fact, uint64_t number)
{
    if (record)
        facts_put_number(&record->open, fact, number);
}

void record_old_pages(struct record *record, uint32_t last)
{
    record_fact(record, FACT_OLD_PAGES, last);
}

void record_at_once(struct record *record)
{
    if (record)
        record->at_once = true;
}

bool record_is_settled(const struct record *record)
{
    return !store_batch_count(&record->open) &&
           !committer_uncommitted(record->committer).batches;
}

/* --- commits ------------------------------------------------------------ */

static void add_changes(struct record *record)
{
    const struct target *target;
    struct host_state host;
    struct store_domain domain;

    while ((target = frontier_next_changed(record->frontier)))
        add_change(record, target);
    while (frontier_next_troubled(record->frontier, &host)) {
        const struct store_host row = {
            .name = host.name,
            .failures = host.failures,
            .mute = host.no_reply_count,
            .given_up = host.given_up,
            .backoffs = host.backoffs,
            .outcome = host.last_outcome,
            .until_ms = host.next_ms ? wall(record, host.next_ms) : 0,
        };
        store_add_host(&record->open, &row);
    }
    while (
        frontier_next_mentioned(record->frontier, &domain.name, &domain.found))
        store_add_domain(&record->open, &domain);
}

static void add_counter(void *user, struct str name, uint64_t value)
{
    facts_put_counter(user, name, value);
}

static bool is_empty(const struct record *record)
{
    return !store_batch_count(&record->open);
}

/* How long to wait from one batch to the next. */
static uint64_t every_ms(const struct record *record)
{
    const struct crawl_options *options = record->options;

    return options->fleet
               ? fleet_interval_ms(options->fleet, options->save_every_ms)
               : options->save_every_ms;
}

/* In a large fleet batches come more seldom, and may be larger. */
static bool is_full(const struct record *record)
{
    uint64_t seconds = record->options->fleet ? every_ms(record) / 1000 : 1;

    if (!seconds)
        seconds = 1;
    return record->fetches >= BATCH_FETCHES_MAX * seconds ||
           store_batch_bytes(&record->open) >= BATCH_BYTES_MAX * seconds;
}

/* May one more batch wait for the disk? */
static bool has_room(const struct record *record)
{
    size_t batches = committer_uncommitted(record->committer).batches;

    /* A machine of a fleet knows where it stands only after each, when it has
     * drawn its conclusions from the answer. */
    if (record->options->fleet)
        return !batches && !fleet_is_under_way(record->options->fleet);
    return batches < UNCOMMITTED_BATCHES_MAX;
}

/* Has what waits for the disk, in closed batches and in the open one, reached
 * the limit of what a kill may lose? */
static bool has_too_much(const struct record *record)
{
    struct uncommitted uncommitted = committer_uncommitted(record->committer);

    return uncommitted.fetches + record->fetches >= UNCOMMITTED_FETCHES_MAX ||
           uncommitted.bytes + store_batch_bytes(&record->open) >=
               UNCOMMITTED_BYTES_MAX;
}

/* Records of the archive are in their file before their rows are handed over.
 * False with `error` if that cannot be. */
static bool complete_batch(struct record *record, const struct stats *stats,
                           uint64_t now_ms, struct store_error *error)
{
    if (!archivist_flush(record->archivist))
        return store_fail(error, STORE_FAILED, "the archive: %s",
                          archivist_strerror(errno));
    archivist_batch_closed(record->archivist);
    if (record->archivist)
        pagesaver_changed(record->options->worker.saver);
    add_changes(record);
    stats_each(stats, add_counter, &record->open);
    facts_put_number(&record->open, FACT_MAY_RECOVER, stats->may_recover);
    facts_put_number(&record->open, FACT_COMMITTED_MS, wall(record, now_ms));
    if (record->options->fleet)
        fleet_compose(record->options->fleet, record->frontier, stats->saved);
    return true;
}

/* False with `error`: then nothing is handed over. */
static bool close_batch(struct record *record, const struct stats *stats,
                        uint64_t now_ms, struct store_error *error)
{
    if (!complete_batch(record, stats, now_ms, error))
        return false;
    committer_put(record->committer, &record->open, record->fetches);
    record->closed_ms = now_ms;
    record->fetches = 0;
    record->at_once = false;
    return true;
}

/* After good reports of the committer. */
static void note_committed(struct record *record)
{
    archivist_committed(record->archivist,
                        committer_uncommitted(record->committer).batches);
}

static bool finish_commits(struct record *record, struct store_error *error)
{
    if (!committer_finish(record->committer, error))
        return false;
    note_committed(record);
    return true;
}

struct view_histogram record_commit_times(const struct record *record)
{
    return record ? committer_times(record->committer)
                  : (struct view_histogram){0};
}

bool record_is_full(const struct record *record)
{
    return record && is_full(record) && has_room(record);
}

bool record_holds(const struct record *record)
{
    return record &&
           (has_too_much(record) || (is_full(record) && !has_room(record)));
}

/* An empty batch is closed too: it fetches mail and renews the lease. */
static uint64_t fleet_due_ms(const struct record *record)
{
    const struct crawl_options *options = record->options;

    if (!has_room(record))
        return UINT64_MAX;
    if (is_full(record))
        return 0;
    uint64_t wait_ms = every_ms(record);
    if (frontier_has_address_news(record->frontier) &&
        wait_ms > FLEET_ADDRESS_MS)
        wait_ms = FLEET_ADDRESS_MS;
    if (fleet_is_urgent(options->fleet))
        wait_ms = FLEET_URGENT_MS;
    return record->closed_ms + wait_ms;
}

uint64_t record_due_ms(const struct record *record)
{
    if (record && record->options->fleet)
        return fleet_due_ms(record);
    if (!record || is_empty(record) || !has_room(record))
        return UINT64_MAX;
    return record->at_once || is_full(record)
               ? 0
               : record->closed_ms + record->options->save_every_ms;
}

int record_fd(const struct record *record)
{
    return record ? committer_fd(record->committer) : -1;
}

bool record_tick(struct record *record, const struct stats *stats,
                 uint64_t now_ms, struct store_error *error)
{
    if (!record)
        return true;
    if (!committer_listen(record->committer, error))
        return false;
    note_committed(record);
    return now_ms < record_due_ms(record) ||
           close_batch(record, stats, now_ms, error);
}

bool record_begin_commit(struct record *record, const struct stats *stats,
                         uint64_t now_ms, struct store_error *error)
{
    return !record || close_batch(record, stats, now_ms, error);
}

bool record_wait(struct record *record, struct store_error *error)
{
    return !record || finish_commits(record, error);
}

bool record_commit(struct record *record, const struct stats *stats,
                   uint64_t now_ms, struct store_error *error)
{
    return record_begin_commit(record, stats, now_ms, error) &&
           record_wait(record, error);
}

bool record_replace_old(struct record *record, struct store_error *error)
{
    return !record || committer_replace_old(record->committer, error);
}

bool record_end(struct record *record, const struct stats *stats,
                enum crawl_state state, uint64_t now_ms,
                struct store_error *error)
{
    if (!record)
        return true;
    facts_put_state(&record->open, state);
    facts_put_number(&record->open, FACT_ENDED_MS, wall(record, now_ms));
    bool good = complete_batch(record, stats, now_ms, error) &&
                committer_end(record->committer, &record->open, error);
    if (good)
        note_committed(record);
    return good;
}
