#include "crawler/resume_internal.h"

#include <stdlib.h>

#include "base/mem.h"
#include "crawler/counters.h"
#include "crawler/retry.h"
#include "store/fold.h"
#include "web/normalize.h"
#include "web/partition.h"

/* Times of a URL that are still to come, by the monotonic clock; 0: none. */
struct times {
    uint64_t due_ms;   /* when it may be tried again */
    uint64_t clock_ms; /* when the pause of its host ends */
};

/* --- time --------------------------------------------------------------- */

/* Both clocks are cut to milliseconds, when a time is written and when it is
 * read: a pause that goes on must not be shorter for that. */
enum { CUT_MS = 2 };

uint64_t resume_future(const struct loader *loader, uint64_t wall_ms,
                       uint64_t max_ms)
{
    const struct resume_options *options = loader->options;

    if (wall_ms <= options->wall_ms || !max_ms)
        return 0;
    uint64_t wait_ms = wall_ms - options->wall_ms + CUT_MS;
    return options->now_ms + (wait_ms < max_ms ? wait_ms : max_ms);
}

void resume_note_last_fetch(struct loader *loader, uint64_t wall_ms)
{
    const struct resume_options *options = loader->options;
    uint64_t ago = wall_ms < options->wall_ms ? options->wall_ms - wall_ms : 0;

    if (ago < options->now_ms &&
        loader->resumed->last_ms < options->now_ms - ago)
        loader->resumed->last_ms = options->now_ms - ago;
}

/* --- fetches ------------------------------------------------------------ */

static bool begin_load(void *user, uint64_t urls, uint64_t last_number)
{
    struct loader *loader = user;

    (void)urls;
    loader->base = partition_number(partition_of_number(last_number), 0);
    loader->last_number = last_number;
    loader->resumed->last_number = last_number;
    loader->answered = mem_array((last_number - loader->base) / 8 + 1, 1);
    if (loader->options->pages_kept)
        loader->noarchive = mem_array((last_number - loader->base) / 8 + 1, 1);
    if (loader->options->settled)
        loader->settled = mem_array((last_number - loader->base) / 8 + 1, 1);
    frontier_restore_number(loader->validator->frontier, last_number);
    return true;
}

/* Can a URL of the slice have this number? */
static bool is_number(const struct loader *loader, uint64_t number)
{
    return number >= loader->base && number <= loader->last_number;
}

static void set_bit(const struct loader *loader, uint8_t *bits, uint64_t number)
{
    number -= loader->base;
    bits[number / 8] |= (uint8_t)(1u << (number % 8));
}

static bool has_bit(const struct loader *loader, const uint8_t *bits,
                    uint64_t number)
{
    number -= loader->base;
    return bits[number / 8] >> (number % 8) & 1;
}

/* The same rule as note_health in crawler/handle_fetch.c. */
static bool server_answered(const struct store_fetch *row)
{
    enum outcome outcome = (enum outcome)row->outcome;

    return row->status ||
           (outcome != ABANDONED && !retry_is_worthwhile(outcome));
}

/* NULL: the URL has none. Usually all times are over and the table is empty. */
static struct times *times_of(const struct loader *loader, uint64_t number)
{
    return loader->times_of.count ? hashtable_get(&loader->times_of, number)
                                  : NULL;
}

static void note_times_of(struct loader *loader, const struct store_fetch *row)
{
    uint64_t wait_ms =
        row->due_ms > row->end_ms ? row->due_ms - row->end_ms : 0;
    const struct times now = {
        .due_ms = resume_future(loader, row->due_ms, wait_ms),
        .clock_ms =
            resume_future(loader, row->end_ms + row->pause_ms, row->pause_ms),
    };
    struct times *times = times_of(loader, row->number);

    if (!times && (now.due_ms || now.clock_ms)) {
        times = arena_new(&loader->times, sizeof(*times));
        hashtable_put(&loader->times_of, row->number, times);
    }
    if (times)
        *times = now;
}

static bool load_change(void *user, const struct store_change *row)
{
    const struct loader *loader = user;

    return is_number(loader, row->number);
}

/* The last one counts; the page may have been fetched again. */
static void note_canonical(struct loader *loader, const struct store_fetch *row)
{
    if (!loader->options->saved_urls || row->outcome != CANONICAL ||
        hashtable_get(&loader->named, row->number))
        return;
    hashtable_put(&loader->named, row->number,
                  (void *)arena_copy(&loader->texts, row->target).ptr);
}

static bool load_fetch(void *user, const struct store_fetch *row)
{
    struct loader *loader = user;

    if (!is_number(loader, row->number))
        return false;
    if (server_answered(row))
        set_bit(loader, loader->answered, row->number);
    if (loader->noarchive && row->page && row->noarchive)
        set_bit(loader, loader->noarchive, row->number);
    if (loader->settled && row->settled)
        set_bit(loader, loader->settled, row->number);
    note_times_of(loader, row);
    note_canonical(loader, row);
    if (row->page > loader->resumed->last_page)
        loader->resumed->last_page = row->page;
    resume_note_last_fetch(loader, row->end_ms);
    return true;
}

static bool load_refusal(void *user, const struct store_refusal *row)
{
    const struct loader *loader = user;

    return is_number(loader, row->number);
}

/* --- URLs --------------------------------------------------------------- */

/* Only the course's form keeps a default port. */
bool resume_parse_url(struct arena *arena, struct str text, struct url *url)
{
    if (url_parse(url, arena, text, NULL, NULL))
        return false;
    if (!str_eq(url->href, text))
        course_normalize(url, arena);
    return str_eq(url->href, text);
}

bool resume_parse(struct loader *loader, struct str text, struct url *url)
{
    arena_clear(&loader->arena);
    return resume_parse_url(&loader->arena, text, url);
}

static struct offer offer_of(const struct url_record *record,
                             const struct url *url, uint64_t fingerprint)
{
    const struct store_url *row = record->row;

    return (struct offer){
        .url = url,
        .domain = row->domain,
        .fingerprint = fingerprint,
        .depth = record->depth,
        .referrer_id = record->referrer,
        .referrer_machine = (uint16_t)record->referrer_machine,
        .found = record->found,
        .redirects = row->redirects,
        .kind = (enum target_kind)row->kind,
        .nesting = row->nesting,
    };
}

static void restore_target(struct loader *loader,
                           const struct url_record *record,
                           const struct url *url, uint64_t fingerprint)
{
    struct frontier *frontier = loader->validator->frontier;
    const struct store_url *row = record->row;
    const struct times none = {0};
    const struct times *times = times_of(loader, row->number);
    const struct offer offer = offer_of(record, url, fingerprint);

    times = times ? times : &none;
    const struct target_history past = {
        .number = row->number,
        .tries = record->tries,
        .due_ms = times->due_ms,
    };
    if (record->end == URL_QUEUED)
        frontier_restore(frontier, &offer, &past, loader->options->now_ms);
    if (times->clock_ms)
        frontier_restore_clock(frontier, url, times->clock_ms,
                               loader->options->now_ms);
}

/* A shorter path was found to a URL whose queue was on disk, or that was done.
 */
static void found_again(struct loader *loader, const struct store_url *row,
                        const struct url *url, uint64_t fingerprint)
{
    const struct offer offer = {
        .url = url,
        .fingerprint = fingerprint,
        .depth = row->depth,
        .referrer_id = row->referrer,
        .referrer_machine = (uint16_t)row->referrer_machine,
    };

    validator_restore_found(loader->validator, &offer);
}

/* Can the host belong to the domain? The domain is taken from the record,
 * because computing it again takes longer than all the rest of a resume. */
static bool is_domain_of(struct str domain, const struct url *url)
{
    struct str host = domain_trim_dot(url_host(url));

    return domain.len && str_ends(host, domain) &&
           (domain.len == host.len ||
            host.ptr[host.len - domain.len - 1] == '.');
}

static void count_url(struct loader *loader, const struct url_record *record,
                      uint64_t fingerprint)
{
    const struct store_url *row = record->row;
    struct stats *stats = &loader->resumed->stats;

    if (row->kind == TARGET_REQUISITE) {
        stats->requisite_ends[record->end]++;
    } else if (row->kind == TARGET_SITEMAP) {
        loader->resumed->sitemaps +=
            row->verdict == ACCEPT && !row->via && record->end != URL_NONE;
    } else {
        stats->ends[record->end]++;
        if (record->end == URL_SAVED && loader->options->saved_urls)
            seen_add(loader->options->saved_urls, fingerprint);
        if (record->end == URL_SAVED && loader->noarchive &&
            !has_bit(loader, loader->noarchive, row->number))
            seen_add(loader->options->pages_kept, fingerprint);
    }
}

/* A page gave way to another URL, which may still fail. */
static void load_gave_way(struct loader *loader,
                          const struct url_record *record,
                          const struct url *url, uint64_t fingerprint)
{
    const struct resume_options *options = loader->options;
    const char *named = hashtable_get(&loader->named, record->row->number);
    const struct offer offer = {
        .url = url,
        .fingerprint = fingerprint,
        .found = record->found,
    };
    struct url canonical;

    if (named &&
        !url_parse(&canonical, &loader->arena, str_of(named), NULL, NULL))
        options->gave_way(
            options->user,
            url_fingerprint(&canonical, options->fingerprint_seed), &offer);
}

/* A page that gave way in vain has a second row: it is fetched again. So has
 * one that a redirect led back to with other cookies, and one that redirects to
 * another spelling of its own URL. */
static bool is_again(const struct store_url *row)
{
    return row->kind == TARGET_PAGE &&
           (row->nesting == PAGE_KEPT || row->nesting == PAGE_AGAIN ||
            row->redirects);
}

static bool is_fetched_again(const struct loader *loader,
                             const struct store_url *row, uint64_t fingerprint)
{
    return is_again(row) &&
           !frontier_find(loader->validator->frontier, fingerprint);
}

static void load_redirecting(const struct loader *loader,
                             const struct url_record *record,
                             uint64_t fingerprint, bool is_second)
{
    const struct resume_options *options = loader->options;
    const struct store_url *row = record->row;
    bool came_back =
        is_again(row) && row->nesting == PAGE_AGAIN && record->end != URL_NONE;
    bool redirects = row->kind == TARGET_PAGE &&
                     record->end == URL_REDIRECTED &&
                     !hashtable_get(&loader->named, row->number);

    if (options->redirecting && (redirects || came_back || is_second))
        options->redirecting(options->user, fingerprint, came_back, !redirects);
}

/* Did it fail in a way that may pass? The row of a URL whose host had been
 * given up before does not tell why; nor does that of one whose last fetch we
 * cut short ourselves. */
static bool may_recover(const struct loader *loader,
                        const struct url_record *record, const struct url *url)
{
    enum outcome outcome = (enum outcome)record->outcome;

    if (record->end != URL_FAILED)
        return false;
    if (record->row->verdict != ACCEPT)
        outcome = (enum outcome)frontier_last_outcome(
            loader->validator->frontier, url);
    return retry_is_worthwhile(outcome) || outcome == FETCHED ||
           outcome == ABANDONED;
}

/* The outcome that a failure was counted with: of its last fetch, or that for
 * which its host was given up. FETCHED: it is not known. */
static enum outcome counted_as(const struct loader *loader,
                               const struct url_record *record,
                               const struct url *url)
{
    uint8_t of_host = frontier_last_outcome(loader->validator->frontier, url);

    return (enum outcome)(
        record->verdict != ACCEPT && of_host ? of_host : record->outcome);
}

/* The new row says where the URL was found as the old one did, unless a shorter
 * path was found since. A seed and a URL that a sitemap lists stay such. */
static void load_failed(const struct loader *loader,
                        const struct url_record *record, const struct url *url,
                        uint64_t fingerprint)
{
    const struct resume_options *options = loader->options;
    const struct store_url *row = record->row;

    if (!may_recover(loader, record, url))
        return;
    loader->resumed->stats.may_recover++;
    if (!options->failed)
        return;
    struct offer offer = offer_of(record, url, fingerprint);
    if (record->depth == row->depth) {
        offer.via = row->via;
        offer.referrer_id = row->referrer;
    }
    offer.found = row->found ? record->found : 0;
    options->failed(options->user, &offer, row->number,
                    counted_as(loader, record, url));
}

static bool load_url(void *user, const struct url_record *record)
{
    struct loader *loader = user;
    const struct store_url *row = record->row;
    struct frontier *frontier = loader->validator->frontier;
    struct url url;

    /* A URL of depth d is found over d others, which have smaller numbers, if
     * they are all in this slice. */
    if (row->kind > TARGET_REQUISITE || row->nesting > NESTING_LAST ||
        row->referrer_machine > UINT16_MAX ||
        record->referrer_machine > UINT16_MAX ||
        (loader->is_whole &&
         (row->depth > row->number || record->depth > row->number)) ||
        !resume_parse(loader, row->url, &url) ||
        !is_domain_of(row->domain, &url))
        return false;
    uint64_t of_url = url_fingerprint(&url, loader->options->fingerprint_seed);
    uint64_t fingerprint =
        target_fingerprint((enum target_kind)row->kind, of_url);
    if (loader->settled && has_bit(loader, loader->settled, row->number))
        seen_add(loader->options->settled, of_url);
    count_url(loader, record, fingerprint);
    if (row->verdict == DUPLICATE) {
        found_again(loader, row, &url, fingerprint);
        return true;
    }
    load_failed(loader, record, &url, fingerprint);
    /* A state that was tampered with may have a URL twice. One that was
     * withdrawn has another row; one that was known at its turn has not. */
    bool is_new = (record->end == URL_NONE && record->verdict != DUPLICATE) ||
                  validator_restore(loader->validator, fingerprint,
                                    (enum verdict)row->verdict, row->number);
    if (row->verdict != ACCEPT ||
        (!is_new && !is_fetched_again(loader, row, fingerprint)))
        return true;
    if (record->end != URL_QUEUED && record->end != URL_NONE) {
        const struct offer offer = offer_of(record, &url, fingerprint);
        validator_restore_depth(loader->validator, &offer);
    }
    load_redirecting(loader, record, fingerprint, !is_new);
    if (loader->named.count)
        load_gave_way(loader, record, &url, fingerprint);
    if (row->kind == TARGET_PAGE && record->fetches)
        frontier_restore_fetches(frontier, row->domain, record->fetches,
                                 loader->options->now_ms);
    if (has_bit(loader, loader->answered, row->number))
        frontier_restore_answered(frontier, &url);
    restore_target(loader, record, &url, fingerprint);
    return true;
}

static bool load_setting(void *user, const struct store_setting *row)
{
    struct loader *loader = user;
    uint64_t value;

    if (str_to_u64(row->value, &value))
        stats_set(&loader->resumed->stats, row->name, value);
    return true;
}

/* --- the archive -------------------------------------------------------- */

static bool load_archive(void *user, const struct store_archive *row)
{
    const struct loader *loader = user;

    return archivist_add_file(loader->options->archivist, row);
}

static bool load_capture(void *user, const struct store_capture *row)
{
    const struct loader *loader = user;

    return archivist_add_capture(loader->options->archivist, row);
}

static bool load_slice(struct loader *loader, struct store *store,
                       unsigned slice, struct store_error *error)
{
    bool has_archive = loader->options->archivist;
    const struct fold_reader reader = {
        .rows =
            {
                .user = loader,
                .archive = has_archive ? load_archive : NULL,
                .capture = has_archive ? load_capture : NULL,
                .setting = load_setting,
                .domain = resume_load_domain,
                .robots = resume_load_robots,
                .host = resume_load_host,
                .hand_order = resume_load_order,
                .change = load_change,
                .fetch = load_fetch,
                .refusal = load_refusal,
            },
        .begin = begin_load,
        .url = load_url,
    };

    arena_init(&loader->arena);
    arena_init(&loader->times);
    hashtable_init(&loader->times_of);
    arena_init(&loader->texts);
    hashtable_init(&loader->named);
    bool good = store_fold(store, slice, &reader, error);
    hashtable_release(&loader->times_of);
    hashtable_release(&loader->named);
    arena_release(&loader->texts);
    arena_release(&loader->times);
    arena_release(&loader->arena);
    free(loader->answered);
    free(loader->noarchive);
    free(loader->settled);
    return good;
}

bool resume_load_slice(struct store *store, unsigned slice,
                       struct validator *validator,
                       const struct resume_options *options,
                       struct resumed *resumed, struct store_error *error)
{
    struct loader loader = {
        .options = options,
        .validator = validator,
        .resumed = resumed,
        .is_whole = store_slices(store) == 1 && !options->is_copy,
    };

    return load_slice(&loader, store, slice, error);
}

bool resume_load(struct store *store, struct validator *validator,
                 const struct resume_options *options, struct resumed *resumed,
                 struct store_error *error)
{
    bool good = true;

    *resumed = (struct resumed){0};
    for (unsigned slice = 0; slice < store_slices(store) && good; slice++)
        good =
            resume_load_slice(store, slice, validator, options, resumed, error);
    return good;
}
