#include "crawler/record.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "base/mem.h"
#include "crawler/counters.h"
#include "crawler/syncer.h"

enum {
    /* At most a thousand pages are done but not safe: those of the batch that
     * waits for the disk, and those of the next one. */
    BATCH_PAGES_MAX = 500,
    BATCH_BYTES_MAX = 16 << 20,
};

struct record {
    struct record_options options;
    struct frontier *frontier;
    struct syncer *syncer;
    struct store_batch open;   /* being filled */
    struct store_batch closed; /* waits for the page files */
    bool syncing;
    bool broken; /* a batch is lost, so what comes after makes no sense */
    bool at_once;
    uint32_t pages;       /* in the open one */
    uint64_t closed_ms;   /* when the last one was */
    int64_t wall_less_ms; /* wall clock minus monotonic clock */
};

struct record *record_new(const struct record_options *options,
                          struct frontier *frontier, uint64_t now_ms)
{
    if (!options->store)
        return NULL;
    struct record *record = NEW(struct record);

    record->options = *options;
    record->frontier = frontier;
    record->syncer = syncer_start(options->saver);
    record->closed_ms = now_ms;
    record->wall_less_ms = (int64_t)clock_wall_at(now_ms) - (int64_t)now_ms;
    store_batch_init(&record->open);
    store_batch_init(&record->closed);
    return record;
}

void record_free(struct record *record)
{
    if (!record)
        return;
    syncer_free(record->syncer);
    store_batch_release(&record->open);
    store_batch_release(&record->closed);
    free(record);
}

/* The wall clock as it was when the crawl began, so that a clock that is set
 * in the middle makes no pause look shorter than it was. */
static uint64_t wall(const struct record *record, uint64_t mono_ms)
{
    return (uint64_t)((int64_t)mono_ms + record->wall_less_ms);
}

/* --- events ------------------------------------------------------------- */

/* The end of the host's name in the URL. The frontier knows the domain of what
 * it has queued; for the rest the list of suffixes is asked. */
static struct str domain_part(const struct record *record,
                              const struct url *url,
                              const struct queued *queued)
{
    struct str host = url_host(url);

    if (!queued)
        return domain_of_host(record->options.domains, host);
    host = domain_trim_dot(host);
    return str_skip(host, host.len - queued->domain.len);
}

void record_judged(void *user, const struct offer *offer,
                   const struct queued *queued, enum verdict verdict,
                   unsigned line)
{
    struct record *record = user;
    const struct url *url = offer->url;
    const struct store_url row = {
        .number =
            queued ? queued->number : frontier_next_number(record->frontier),
        .url = url->href,
        .host = str_between(url->href.ptr + url->host_start,
                            url->href.ptr + url->path_start),
        .domain = domain_part(record, url, queued),
        .depth = offer->depth,
        .referrer = offer->referrer_id,
        .found = offer->found,
        .kind = (uint8_t)offer->kind,
        .verdict = (uint8_t)verdict,
        .redirects = offer->redirects,
        .line = line,
        .via = offer->via,
    };

    store_add_url(&record->open, &row);
}

static void add_change(struct record *record, const struct target *target)
{
    const struct store_change row = {
        .number = target->age,
        .depth = target->depth,
        .referrer = target->referrer_id,
        .found = target->found,
    };

    store_add_change(&record->open, &row);
}

/* What is done is in no list of changes when the batch is closed. */
static void add_last_change(struct record *record, const struct target *target)
{
    if (target->changed_at)
        add_change(record, target);
}

void record_fetch(struct record *record, const struct job *job,
                  uint32_t page_id, uint64_t wait_ms, uint64_t pause_ms)
{
    if (!record)
        return;
    const struct webpage *page = &job->page;
    const struct store_fetch row = {
        .number = job->target->age,
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
        .target = page->outcome == REDIRECTED && page->links.count
                      ? page->links.link[0].url.href
                      : (struct str){0},
    };

    store_add_fetch(&record->open, &row);
    if (!wait_ms)
        add_last_change(record, job->target);
    record->pages += page_id > 0;
}

void record_refusal(struct record *record, const struct target *target,
                    uint64_t now_ms)
{
    if (!record)
        return;
    const struct store_refusal row = {
        .number = target->age,
        .verdict = target->verdict,
        .outcome = target->cause,
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
        .start_ms = wall(record, page->exchange.start_ms),
        .end_ms = wall(record, page->exchange.end_ms),
        .pause_ms = pause_ms,
        .until_ms =
            known_ms ? wall(record, page->exchange.end_ms + known_ms) : 0,
        .text = page->robots_text,
    };

    store_add_robots(&record->open, &row);
}

void record_link(struct record *record, uint32_t page_id,
                 const struct page_link *link, enum verdict verdict)
{
    if (!record || !record->options.links)
        return;
    const struct store_link row = {
        .page = page_id,
        .verdict = (uint8_t)verdict,
        .url = link->url.href,
        .text = link->html ? link->html->text : (struct str){0},
        .rel = link->html ? link->html->rel : (struct str){0},
    };

    store_add_link(&record->open, &row);
}

void record_at_once(struct record *record)
{
    if (record)
        record->at_once = true;
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
            .mute = host.mute,
            .given_up = host.given_up,
            .outcome = host.cause,
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
    store_add_number(user, name, value);
}

static bool commit(struct record *record, struct store_error *error)
{
    bool good = store_commit(record->options.store, &record->closed, error);

    store_batch_clear(&record->closed);
    record->broken = !good;
    return good;
}

/* The closed batch is committed once the page files are safe. */
static bool finish_commit(struct record *record, bool wait,
                          struct store_error *error)
{
    int why;

    if (!record->syncing || !syncer_is_done(record->syncer, wait, &why))
        return true;
    record->syncing = false;
    if (!why)
        return commit(record, error);
    record->broken = true;
    *error = (struct store_error){.status = STORE_FAILED};
    snprintf(error->text, sizeof(error->text), "%s", strerror(why));
    return false;
}

static bool close_batch(struct record *record, const struct stats *stats,
                        uint64_t now_ms, struct store_error *error)
{
    struct store_batch closed = record->closed;

    add_changes(record);
    stats_each(stats, add_counter, &record->open);
    store_add_number(&record->open, STR("committed_ms"), wall(record, now_ms));
    record->closed = record->open;
    record->open = closed;
    record->closed_ms = now_ms;
    bool has_pages = record->pages > 0;
    record->pages = 0;
    record->at_once = false;
    if (!has_pages)
        return commit(record, error);
    record->syncing = true;
    syncer_begin(record->syncer);
    return true;
}

static bool is_empty(const struct record *record)
{
    return !store_batch_count(&record->open);
}

bool record_is_full(const struct record *record)
{
    return record && (record->pages >= BATCH_PAGES_MAX ||
                      store_batch_bytes(&record->open) >= BATCH_BYTES_MAX);
}

uint64_t record_due_ms(const struct record *record)
{
    if (!record || record->broken || record->syncing || is_empty(record))
        return UINT64_MAX;
    return record->at_once ? 0
                           : record->closed_ms + record->options.save_every_ms;
}

int record_fd(const struct record *record)
{
    return record && record->syncing ? syncer_fd(record->syncer) : -1;
}

bool record_tick(struct record *record, const struct stats *stats,
                 uint64_t now_ms, struct store_error *error)
{
    if (!record || record->broken)
        return true;
    /* A disk that cannot keep up is waited for. */
    if (!finish_commit(record, record_is_full(record), error))
        return false;
    if (record->syncing || is_empty(record) ||
        (!record_is_full(record) && now_ms < record_due_ms(record)))
        return true;
    return close_batch(record, stats, now_ms, error);
}

bool record_end(struct record *record, const struct stats *stats,
                const char *state, uint64_t now_ms, struct store_error *error)
{
    if (!record || record->broken)
        return true;
    if (!finish_commit(record, true, error))
        return false;
    store_add_setting(&record->open, STR("state"), str_of(state));
    store_add_number(&record->open, STR("ended_ms"), wall(record, now_ms));
    return close_batch(record, stats, now_ms, error) &&
           finish_commit(record, true, error);
}
