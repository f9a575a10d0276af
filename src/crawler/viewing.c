#include "crawler/viewing.h"

#include <assert.h>
#include <stdlib.h>

#include "base/clock.h"
#include "base/mem.h"
#include "crawler/fleet.h"
#include "crawler/record_codes.h"
#include "frontier/listing.h"

/* A page or a failure, as it is noted. */
struct noted {
    uint32_t number, depth, status;
    uint64_t bytes, fetch_ms, at_ms;
    struct buf url; /* its memory is used again */
};

struct viewing {
    struct view *view;
    bool is_called;     /* an order waits, or a snapshot is wanted */
    uint64_t posted_ms; /* the last snapshot; 0: none */
    struct host_listing listing;
    struct noted page[SNAPSHOT_PAGES]; /* a ring of the last ones */
    size_t pages;                      /* noted so far */
    struct noted error[OUTCOMES];      /* the latest of each kind */
    struct view_histogram fetch_times;
};

struct viewing *viewing_new(struct view *view)
{
    if (!view)
        return NULL;
    struct viewing *viewing = NEW(struct viewing);
    viewing->view = view;
    for (size_t i = 0; i < SNAPSHOT_PAGES; i++)
        buf_init(&viewing->page[i].url, URL_LEN_MAX);
    for (size_t i = 0; i < OUTCOMES; i++)
        buf_init(&viewing->error[i].url, URL_LEN_MAX);
    return viewing;
}

void viewing_free(struct viewing *viewing)
{
    if (!viewing)
        return;
    for (size_t i = 0; i < SNAPSHOT_PAGES; i++)
        buf_release(&viewing->page[i].url);
    for (size_t i = 0; i < OUTCOMES; i++)
        buf_release(&viewing->error[i].url);
    free(viewing);
}

/* --- noting -----------------------------------------------------------------
 */

uint64_t viewing_due_ms(const struct viewing *viewing, uint64_t now_ms)
{
    return viewing ? view_due_ms(viewing->view, viewing->posted_ms, now_ms)
                   : UINT64_MAX;
}

static bool is_watched(const struct viewing *viewing, uint64_t now_ms)
{
    return viewing_due_ms(viewing, now_ms) != UINT64_MAX;
}

static void note(struct noted *noted, const struct webpage *page,
                 uint32_t number)
{
    struct buf url = noted->url;

    buf_clear(&url);
    buf_put(&url, page->url);
    *noted = (struct noted){
        .number = number,
        .depth = page->depth,
        .status = (uint32_t)page->exchange.status,
        .bytes = page->exchange.body_len,
        .fetch_ms = exchange_ms(&page->exchange),
        .at_ms = page->exchange.end_ms,
        .url = url,
    };
}

/* A host may have no robots.txt, but its pages fail where it cannot be asked
 * for one. Sitemaps and requisites are not counted among the failures. */
static bool is_failure(const struct webpage *page)
{
    if (page->kind == WEBPAGE_ROBOTS && page->outcome == HTTP_CLIENT_ERROR)
        return false;
    return (page->kind == WEBPAGE_HTML || page->kind == WEBPAGE_ROBOTS) &&
           outcome_end(page->outcome) == URL_FAILED;
}

void viewing_note_fetch(struct viewing *viewing, const struct webpage *page)
{
    if (!viewing)
        return;
    view_histogram_add(&viewing->fetch_times, exchange_ms(&page->exchange));
    if (is_failure(page))
        note(&viewing->error[page->outcome], page, 0);
}

void viewing_note_page(struct viewing *viewing, const struct webpage *page,
                       uint32_t number, uint64_t now_ms)
{
    if (viewing && number && is_watched(viewing, now_ms))
        note(&viewing->page[viewing->pages++ % SNAPSHOT_PAGES], page, number);
}

/* --- a snapshot -------------------------------------------------------------
 */

/* From the monotonic clock to the wall clock; 0 stays 0. */
static uint64_t wall(const struct view_snapshot *snapshot, uint64_t mono_ms)
{
    return mono_ms ? snapshot->at_ms + mono_ms - snapshot->mono_ms : 0;
}

static void fill_figures(struct view_snapshot *snapshot,
                         struct crawler *crawler)
{
    const struct stats *stats = crawler->stats;
    const struct frontier_counts counts =
        frontier_counts(crawler->validator.frontier);
    uint64_t max_pages = crawler->options->max_pages;

    snapshot->pages = stats->saved;
    snapshot->bytes = stats->bytes;
    snapshot->failures = stats->ends[URL_FAILED];
    snapshot->not_kept = stats->ends[URL_NOT_KEPT];
    snapshot->fetched = stats->ends[URL_SAVED] + stats->ends[URL_REDIRECTED] +
                        stats->ends[URL_NOT_KEPT] + stats->ends[URL_FAILED];
    snapshot->found =
        snapshot->fetched + stats->ends[URL_REFUSED] + stats->ends[URL_QUEUED];
    snapshot->retries = stats->retries;
    snapshot->elapsed_ms = stats->elapsed_ms;
    snapshot->busy_ms = stats->busy_ms;
    snapshot->pause_ms = stats->pause_ms;
    snapshot->idle_ms = stats->idle_ms;
    snapshot->queued_disk = counts.on_disk;
    snapshot->queued_memory = counts.queued - counts.on_disk;
    snapshot->in_flight = counts.in_flight;
    snapshot->pages_left = max_pages == UINT64_MAX    ? UINT64_MAX
                           : max_pages > stats->saved ? max_pages - stats->saved
                                                      : 0;
    snapshot->slowest_ms =
        frontier_slowest_ms(crawler->validator.frontier, &crawler->slowest);
    snapshot->robots_fetched = stats->robots;
    snapshot->last_page = pagesaver_last(crawler->options->worker.saver);
    view_count_all(&snapshot->domains, "known", counts.domains);
    view_count_all(&snapshot->domains, "crawled", counts.domains_crawled);
    view_count_all(&snapshot->domains, "capped", counts.domains_capped);
    view_count_all(&snapshot->hosts, "known", counts.hosts);
    view_count_all(&snapshot->hosts, "given_up", counts.hosts_dead);
}

static void fill_counts(struct view_snapshot *snapshot,
                        const struct stats *stats)
{
    for (int i = 0; i < URL_OUTSIDE; i++)
        view_count_all(&snapshot->urls, url_end_name((enum url_end)i),
                       stats->ends[i]);
    for (int i = 0; i < OUTCOMES; i++)
        view_count(&snapshot->outcomes, outcome_name((enum outcome)i),
                   stats->outcome[i]);
    for (int i = 0; i < VERDICTS; i++)
        view_count(&snapshot->links, verdict_name((enum verdict)i),
                   stats->links.verdict[i]);
    for (unsigned i = 0;
         i < STATS_STATUS_MAX && snapshot->status_count < SNAPSHOT_STATUSES;
         i++)
        if (stats->status[i])
            snapshot->statuses[snapshot->status_count++] =
                (struct view_status){i, stats->status[i]};
}

static void fill_next(struct view_snapshot *snapshot,
                      const struct frontier *frontier)
{
    struct idle idle = frontier_idle(frontier, snapshot->mono_ms);

    if (idle.reason != IDLE_NOT && idle.until_ms != UINT64_MAX)
        snapshot->next_fetch_ms = wall(snapshot, idle.until_ms);
}

/* --- hosts ------------------------------------------------------------------
 */

static const char *const wait_names[HOST_WAITS] = {
    [WAIT_FETCHING] = "fetching", [WAIT_TURN] = "ready",
    [WAIT_PAUSE] = "pause",       [WAIT_BACKOFF] = "backoff",
    [WAIT_RETRY] = "retry",       [WAIT_LOOKUP] = "lookup",
    [WAIT_ROBOTS] = "robots",     [WAIT_ADDRESS] = "address",
    [WAIT_DOMAIN] = "domain",     [WAIT_DOMAIN_CAP] = "cap",
    [WAIT_GIVEN_UP] = "given_up", [WAIT_DROPPED] = "dropped",
    [WAIT_NOTHING] = "idle",
};

static void fill_host_counts(struct view_snapshot *snapshot,
                             const struct frontier *frontier)
{
    const struct host_counts counts = frontier_host_counts(frontier);
    struct view_counts *hosts = &snapshot->hosts;

    view_count_all(hosts, "fetching", counts.fetching);
    view_count_all(hosts, "ready", counts.ready);
    view_count_all(hosts, "pause", counts.pause);
    view_count_all(hosts, "backoff", counts.backoff);
    view_count_all(hosts, "lookup", counts.lookup);
    view_count_all(hosts, "address", counts.address);
    view_count_all(hosts, "idle", counts.idle);
}

static void fill_hosts(struct view_snapshot *snapshot, struct viewing *viewing,
                       const struct frontier *frontier)
{
    struct host_shown shown[LISTING_HOSTS];

    static_assert((int)LISTING_HOSTS <= (int)SNAPSHOT_HOSTS,
                  "they have a place");
    snapshot->host_count =
        frontier_list_hosts(frontier, &viewing->listing, shown);
    for (size_t i = 0; i < snapshot->host_count; i++) {
        const struct host_shown *host = &shown[i];
        enum outcome outcome = (enum outcome)host->last_outcome;
        bool has_trouble = host->has_trouble && outcome != FETCHED;
        snapshot->host[i] = (struct view_host){
            .name = arena_copy(&snapshot->arena, host->name),
            .domain = arena_copy(&snapshot->arena, host->domain),
            .waits = wait_names[host->wait],
            .until_ms = wall(snapshot, host->until_ms),
            .outcome = has_trouble ? outcome_name(outcome) : NULL,
            .trouble = has_trouble ? outcome_text(outcome) : NULL,
            .delay_by = host->delay_of_robots ? "robots"
                        : host->delay_by_hand ? "hand"
                                              : "options",
            .queued = host->queued,
            .in_flight = host->in_flight,
            .delay_ms = host->delay_ms,
            .shared_with = host->shared_with,
        };
    }
}

/* --- pages and failures -----------------------------------------------------
 */

static void fill_pages(struct view_snapshot *snapshot,
                       const struct viewing *viewing)
{
    size_t count =
        viewing->pages < SNAPSHOT_PAGES ? viewing->pages : SNAPSHOT_PAGES;

    for (size_t i = viewing->pages - count; i < viewing->pages; i++) {
        const struct noted *noted = &viewing->page[i % SNAPSHOT_PAGES];
        snapshot->page[snapshot->page_count++] = (struct view_page){
            .number = noted->number,
            .url = arena_copy(&snapshot->arena, buf_str(&noted->url)),
            .depth = noted->depth,
            .status = noted->status,
            .bytes = noted->bytes,
            .fetch_ms = noted->fetch_ms,
            .at_ms = wall(snapshot, noted->at_ms),
        };
    }
}

/* The most frequent first. */
static void add_error(struct view_snapshot *snapshot,
                      const struct view_error *error)
{
    size_t at = snapshot->error_count++;

    for (; at && snapshot->error[at - 1].count < error->count; at--)
        snapshot->error[at] = snapshot->error[at - 1];
    snapshot->error[at] = *error;
}

static void fill_errors(struct view_snapshot *snapshot,
                        const struct viewing *viewing,
                        const struct stats *stats)
{
    static_assert((int)OUTCOMES <= (int)SNAPSHOT_NAMED, "they have a place");
    for (int i = 0; i < OUTCOMES; i++) {
        const struct noted *noted = &viewing->error[i];
        enum outcome outcome = (enum outcome)i;
        if (!stats->outcome[i] || outcome_end(outcome) != URL_FAILED)
            continue;
        add_error(snapshot,
                  &(struct view_error){
                      .outcome = outcome_name(outcome),
                      .says = outcome_text(outcome),
                      .count = stats->outcome[i],
                      .url = arena_copy(&snapshot->arena, buf_str(&noted->url)),
                      .status = noted->status,
                      .at_ms = wall(snapshot, noted->at_ms),
                  });
    }
}

/* --- orders -----------------------------------------------------------------
 */

/* The latest, if there are too many. */
static void fill_rules(struct view_snapshot *snapshot,
                       const struct hand_rules *rules)
{
    size_t first =
        rules->count > SNAPSHOT_RULES ? rules->count - SNAPSHOT_RULES : 0;

    for (size_t i = first; i < rules->count; i++) {
        const struct hand_rule *rule = &rules->rule[i];
        bool is_pattern =
            rule->kind == ORDER_EXCLUDE || rule->kind == ORDER_ALLOW;
        struct str text = arena_copy(&snapshot->arena, rule->text);
        snapshot->rule[snapshot->rule_count++] = (struct view_rule){
            .number = rule->number,
            .at_ms = rule->at_ms,
            .order = view_order_name(rule->kind),
            .host = is_pattern ? STR("") : text,
            .pattern = is_pattern ? text : STR(""),
            .delay_ms = rule->delay_ms,
        };
    }
}

/* --- all of it --------------------------------------------------------------
 */

static enum view_state state_of(const struct crawler *crawler)
{
    if (is_stopping(crawler))
        return VIEW_STOPPING;
    return crawler->paused || fleet_is_paused(crawler->options->fleet)
               ? VIEW_PAUSED
               : VIEW_RUNNING;
}

static void post(struct crawler *crawler, enum view_state state)
{
    struct viewing *viewing = crawler->viewing;
    const struct frontier *frontier = crawler->validator.frontier;
    struct view_snapshot *snapshot = view_begin(viewing->view);

    snapshot->mono_ms = crawler->now_ms;
    snapshot->at_ms = clock_wall_at(crawler->now_ms);
    snapshot->state = state;
    snapshot->fleet_is_paused = fleet_is_paused(crawler->options->fleet);
    fill_figures(snapshot, crawler);
    fill_counts(snapshot, crawler->stats);
    fill_next(snapshot, frontier);
    fill_host_counts(snapshot, frontier);
    fill_hosts(snapshot, viewing, frontier);
    fill_pages(snapshot, viewing);
    fill_errors(snapshot, viewing, crawler->stats);
    fill_rules(snapshot, &crawler->rules);
    snapshot->fetch_times = viewing->fetch_times;
    snapshot->commit_times = record_commit_times(crawler->record);
    viewing->posted_ms = crawler->now_ms;
    view_post(viewing->view, snapshot);
}

void viewing_call(struct viewing *viewing)
{
    viewing->is_called = true;
}

void viewing_tend(struct crawler *crawler)
{
    struct viewing *viewing = crawler->viewing;
    struct order_answer answer[VIEW_ORDERS_MAX];
    size_t orders = 0;

    if (!viewing)
        return;
    /* This is asked for every page: it costs no call of the system unless
     * somebody is there. */
    if (viewing->is_called) {
        view_clear_fd(viewing->view);
        viewing->is_called = false;
        orders = take_orders(crawler, answer);
    }
    /* The first shows the start, which rates are counted from. */
    if (orders || !viewing->posted_ms ||
        crawler->now_ms >= viewing_due_ms(viewing, crawler->now_ms))
        post(crawler, state_of(crawler));
    answer_orders(crawler, answer, orders);
}

void viewing_end(struct crawler *crawler)
{
    if (crawler->viewing && is_watched(crawler->viewing, crawler->now_ms))
        post(crawler, VIEW_ENDED);
}
