#include "crawler/relax.h"

#include <stdlib.h>

#include "base/clock.h"
#include "base/hashtable.h"
#include "base/mem.h"
#include "crawler/resume.h"
#include "page/head_lines.h"
#include "store/fold.h"
#include "web/normalize.h"
#include "web/partition.h"

enum {
    /* A round holds so many bytes of URLs; the next one takes the others. */
    ROUND_BYTES_MAX = 32 << 20,

    /* A crawl that has to wait for so long takes the time for a round. */
    IDLE_MS = 30 * 1000,
};

/* A URL with a depth in the record that is greater than the smallest at which
 * it was offered. */
struct relaxed {
    struct url url;
    uint64_t fingerprint, number;
    uint32_t depth, referrer; /* from now on */
    uint32_t old_depth, found;
    uint16_t referrer_machine;
    enum url_end end;
    enum outcome outcome;
    uint32_t page;
    uint8_t redirects;
    bool is_read;       /* it came back, and was read for links */
    bool is_older;      /* a later row of this URL says what became of it */
    struct saved saved; /* of its last fetch */
    struct str target;
    uint64_t start_ms;
    struct relaxed *same_payload; /* the next revisit of the same capture */
};

struct relax {
    struct arena arena;
    struct relaxed **item;
    size_t count, room, next; /* those before `next` were begun */
    struct hashtable by_fingerprint, by_number;
    /* For pages that the archive alone has: by the hash of the URL's text, by
     * the capture that has the payload of a revisit; and the names of files. */
    struct hashtable by_text, by_capture, file;
    struct arena scratch; /* of the row that is read */
    uint64_t lowered;     /* validator_lowered, when the round began */
    bool is_incomplete;   /* the round left some out */
    /* Links at an old limit of depth are still to be offered: of URLs up to
     * this number; 0: there are none. */
    uint64_t deepen_last;
    uint64_t deepened;  /* rounds so far have those up to this number */
    bool is_deepening;  /* this round has some */
    unsigned in_flight; /* pages that are scanned again */
};

void relax_init(struct crawler *crawler)
{
    struct relax *relax = NEW(struct relax);

    arena_init(&relax->arena);
    arena_init(&relax->scratch);
    crawler->relax = relax;
}

static void end_round(struct relax *relax)
{
    struct hashtable *const table[] = {
        &relax->by_fingerprint, &relax->by_number, &relax->by_text,
        &relax->by_capture,     &relax->file,
    };

    for (size_t i = 0; i < ARRAY_LEN(table); i++) {
        hashtable_release(table[i]);
        hashtable_init(table[i]);
    }
    arena_release(&relax->arena);
    arena_init(&relax->arena);
    relax->count = relax->next = 0;
}

void relax_release(struct crawler *crawler)
{
    struct relax *relax = crawler->relax;

    end_round(relax);
    arena_release(&relax->arena);
    arena_release(&relax->scratch);
    free(relax->item);
    free(relax);
}

void relax_deepen(struct crawler *crawler, uint64_t last)
{
    const struct crawl_options *options = crawler->options;

    if (options->deepen_from == UINT32_MAX)
        return;
    if (options->deepen_last)
        last = options->deepen_last;
    crawler->relax->deepen_last = last;
    record_fact(crawler->record, FACT_DEEPEN_FROM, options->deepen_from + 1);
    record_fact(crawler->record, FACT_DEEPEN_LAST, last);
}

/* --- when ---------------------------------------------------------------- */

static bool has_more(const struct relax *relax)
{
    return relax->next < relax->count;
}

static bool is_noticed(const struct crawler *crawler)
{
    const struct relax *relax = crawler->relax;

    return crawler->record &&
           (relax->is_incomplete || relax->deepen_last ||
            validator_lowered(&crawler->validator) != relax->lowered);
}

bool relax_is_in_flight(const struct crawler *crawler)
{
    return crawler->relax->in_flight > 0;
}

bool relax_is_open(const struct crawler *crawler)
{
    return relax_is_in_flight(crawler) || has_more(crawler->relax) ||
           is_noticed(crawler);
}

static bool may_go_on(const struct crawler *crawler)
{
    return !is_stopping(crawler) && !crawler->paused &&
           !record_holds(crawler->record) &&
           !outlet_is_full(&crawler->options->log->out) &&
           workers_has_room(crawler->workers);
}

/* Is nothing to be done but to wait? */
static bool is_idle(const struct crawler *crawler)
{
    const struct frontier *frontier = crawler->validator.frontier;
    struct frontier_counts counts = frontier_counts(frontier);

    return !counts.in_flight &&
           (!counts.queued || crawler->relax->deepen_last ||
            frontier_idle(frontier, crawler->now_ms).wake_ms >
                crawler->now_ms + IDLE_MS);
}

static bool may_begin(const struct crawler *crawler)
{
    return is_noticed(crawler) && !relax_is_in_flight(crawler) &&
           is_idle(crawler);
}

bool relax_is_due(const struct crawler *crawler)
{
    return may_go_on(crawler) &&
           (has_more(crawler->relax) ||
            (may_begin(crawler) && record_is_settled(crawler->record)));
}

/* --- what: a round reads the record --------------------------------------- */

/* It came back and its links were offered, though it was not saved. */
static bool is_read(enum outcome outcome)
{
    return outcome == NOINDEX || outcome == NOARCHIVE || outcome == CANONICAL;
}

/* Of several rows of a URL that has been fetched again the saved one counts,
 * else the last. The others only get the depth. */
static void put_item(struct relax *relax, struct relaxed *item)
{
    struct relaxed *other =
        hashtable_take(&relax->by_fingerprint, item->fingerprint);

    if (other && other->page && !item->page) {
        item->is_older = true;
        hashtable_put(&relax->by_fingerprint, item->fingerprint, other);
    } else {
        if (other)
            other->is_older = true;
        hashtable_put(&relax->by_fingerprint, item->fingerprint, item);
    }
    hashtable_put(&relax->by_number, item->number, item);
    relax->item =
        mem_grow(relax->item, relax->count, &relax->room, sizeof(void *));
    relax->item[relax->count++] = item;
}

static bool is_at_old_limit(const struct crawler *crawler,
                            const struct url_record *record)
{
    const struct relax *relax = crawler->relax;

    return record->row->number <= relax->deepen_last &&
           record->row->number > relax->deepened &&
           record->depth >= crawler->options->deepen_from &&
           (record->page || is_read((enum outcome)record->outcome));
}

/* A row says where the shorter path comes from. */
static void take_path(const struct relax *relax, const struct store_url *row,
                      uint64_t fingerprint)
{
    struct relaxed *item = hashtable_get(&relax->by_fingerprint, fingerprint);

    if (!item || item->depth != row->depth)
        return;
    item->referrer = row->referrer;
    item->referrer_machine = (uint16_t)row->referrer_machine;
}

static bool read_url(void *user, const struct url_record *record)
{
    struct crawler *crawler = user;
    struct relax *relax = crawler->relax;
    const struct store_url *row = record->row;
    struct url url;

    if (row->kind != TARGET_PAGE ||
        (row->verdict != ACCEPT && row->verdict != DUPLICATE) ||
        (row->verdict == ACCEPT && (!record->ended || record->end == URL_NONE)))
        return true;
    arena_clear(&relax->scratch);
    if (!resume_parse_url(&relax->scratch, row->url, &url))
        return false;
    const struct offer offer = {
        .url = &url,
        .domain = row->domain,
        .fingerprint = url_fingerprint(
            &url, crawler->options->worker.scan.fingerprint_seed),
    };
    if (row->verdict == DUPLICATE) {
        take_path(relax, row, offer.fingerprint);
        return true;
    }
    uint32_t depth = validator_depth(&crawler->validator, &offer);
    if (depth >= record->depth && !is_at_old_limit(crawler, record))
        return true;
    if (relax->arena.used > ROUND_BYTES_MAX) {
        relax->is_incomplete = true;
        return true;
    }
    if (depth >= record->depth)
        relax->deepened = row->number;
    struct relaxed *item = arena_new(&relax->arena, sizeof(*item));
    *item = (struct relaxed){
        .url = url,
        .fingerprint = offer.fingerprint,
        .number = row->number,
        .depth = depth < record->depth ? depth : record->depth,
        .old_depth = record->depth,
        .referrer = record->referrer,
        .referrer_machine = (uint16_t)record->referrer_machine,
        .found = record->found,
        .end = record->end,
        .outcome = (enum outcome)record->outcome,
        .page = record->page,
        .redirects = row->redirects,
        .is_read = record->fetches && !record->refused_late,
    };
    item->url.href = arena_copy(&relax->arena, url.href);
    put_item(relax, item);
    return true;
}

/* The rows of fetches stand before those of URLs, so they are read after. */
static bool read_fetch(void *user, const struct store_fetch *row)
{
    struct relax *relax = ((struct crawler *)user)->relax;
    struct relaxed *item = hashtable_get(&relax->by_number, row->number);

    if (!item)
        return true;
    item->start_ms = row->start_ms;
    item->target = arena_copy(&relax->arena, row->target);
    item->saved = (struct saved){
        .page = row->page,
        .size = row->size,
        .digest = row->digest,
        .mime = arena_copy(&relax->arena, row->mime),
        .head = !row->depth     ? HEAD_LINES_UNKNOWN
                : row->head.ptr ? arena_copy(&relax->arena, row->head)
                                : (struct str){0},
    };
    return true;
}

static bool read_file(void *user, const struct store_archive *row)
{
    struct relax *relax = ((struct crawler *)user)->relax;

    if (!hashtable_get(&relax->file, row->number))
        hashtable_put(&relax->file, row->number,
                      (void *)arena_copy(&relax->arena, row->name).ptr);
    return true;
}

static void take_place(const struct relax *relax, struct relaxed *item,
                       const struct store_capture *row)
{
    const char *file = hashtable_get(&relax->file, row->archive);

    if (file && row->kind == CAPTURE_RESPONSE)
        item->saved.archived =
            (struct archived_page){.file = str_of(file), .at = row->at};
}

/* Rows of fetches and of captures take the wall clock each by itself. */
static bool is_same_time(uint64_t a_ms, uint64_t b_ms)
{
    enum { APART_MS = 5 };

    return a_ms < b_ms ? b_ms - a_ms < APART_MS : a_ms - b_ms < APART_MS;
}

static bool read_capture(void *user, const struct store_capture *row)
{
    struct relax *relax = ((struct crawler *)user)->relax;
    struct relaxed *item = hashtable_get(&relax->by_text, hash64(row->url, 0));

    if (!item || !is_same_time(item->start_ms, row->start_ms))
        return true;
    take_place(relax, item, row);
    if (row->kind == CAPTURE_REVISIT && row->refers) {
        item->same_payload = hashtable_take(&relax->by_capture, row->refers);
        hashtable_put(&relax->by_capture, row->refers, item);
    }
    return true;
}

/* The payload of a revisit is in a capture before it. Several pages may have
 * the same one. */
static bool read_original(void *user, const struct store_capture *row)
{
    struct relax *relax = ((struct crawler *)user)->relax;
    struct relaxed *item = hashtable_get(&relax->by_capture, row->number);

    for (; item; item = item->same_payload)
        take_place(relax, item, row);
    return true;
}

/* Where the pages are in the archive, if that alone has them. */
static bool find_captures(struct crawler *crawler, struct store *store,
                          unsigned slice, struct store_error *error)
{
    struct relax *relax = crawler->relax;
    const struct store_reader captures = {
        .user = crawler,
        .unchecked = true,
        .archive = read_file,
        .capture = read_capture,
    };
    const struct store_reader originals = {
        .user = crawler,
        .unchecked = true,
        .capture = read_original,
    };

    for (size_t i = 0; i < relax->count; i++) {
        uint64_t key = hash64(relax->item[i]->url.href, 0);
        if (relax->item[i]->page && !hashtable_get(&relax->by_text, key))
            hashtable_put(&relax->by_text, key, relax->item[i]);
    }
    return store_load(store, slice, &captures, error) &&
           (!relax->by_capture.count ||
            store_load(store, slice, &originals, error));
}

static bool read_slice(struct crawler *crawler, struct store *store,
                       unsigned slice, struct store_error *error)
{
    const struct fold_reader urls = {
        .rows = {.user = crawler, .unchecked = true},
        .pages = true,
        .url = read_url,
    };
    const struct store_reader fetches = {
        .user = crawler,
        .unchecked = true,
        .fetch = read_fetch,
    };
    size_t before = crawler->relax->count;

    if (!store_fold(store, slice, &urls, error))
        return false;
    return crawler->relax->count == before ||
           (store_load(store, slice, &fetches, error) &&
            (!crawler->options->worker.archive_only ||
             find_captures(crawler, store, slice, error)));
}

static int compare_depths(const void *a, const void *b)
{
    const struct relaxed *one = *(const struct relaxed *const *)a;
    const struct relaxed *other = *(const struct relaxed *const *)b;

    if (one->depth != other->depth)
        return one->depth < other->depth ? -1 : 1;
    return one->number < other->number ? -1 : one->number > other->number;
}

/* All that was noticed is in the record by now. */
static void begin_round(struct crawler *crawler)
{
    struct relax *relax = crawler->relax;
    struct store *store = crawler->options->store;
    struct store_error error;
    bool good = true;

    end_round(relax);
    relax->is_incomplete = false;
    relax->lowered = validator_lowered(&crawler->validator);
    store_watch(store, is_told_to_stop, crawler);
    for (unsigned slice = 0; good && slice < store_slices(store); slice++)
        good = read_slice(crawler, store, slice, &error);
    store_watch(store, NULL, NULL);
    if (!good) {
        if (!crawler->signals)
            fail_to_write(crawler, &error);
        end_round(relax);
        return;
    }
    relax->is_deepening = relax->deepen_last > 0;
    if (relax->count)
        qsort(relax->item, relax->count, sizeof(struct relaxed *),
              compare_depths);
    note_time(crawler, clock_mono_ms());
}

/* --- a crawl that went level by level ------------------------------------- */

static bool learn_depth(void *user, const struct url_record *record)
{
    struct crawler *crawler = user;
    const struct store_url *row = record->row;
    struct arena *scratch = &crawler->relax->scratch;
    struct url url;

    if (row->kind != TARGET_PAGE || row->verdict != ACCEPT || !record->ended ||
        record->end == URL_NONE)
        return true;
    arena_clear(scratch);
    if (!resume_parse_url(scratch, row->url, &url))
        return false;
    const struct offer offer = {
        .url = &url,
        .domain = row->domain,
        .fingerprint = url_fingerprint(
            &url, crawler->options->worker.scan.fingerprint_seed),
        .depth = record->depth,
    };
    validator_restore_depth(&crawler->validator, &offer);
    return true;
}

void relax_learn_depths(struct crawler *crawler)
{
    const struct fold_reader reader = {
        .rows = {.user = crawler, .unchecked = true},
        .url = learn_depth,
    };
    struct store_error error;

    if (crawler->validator.keeps_depths || !crawler->record ||
        crawler->options->fleet || crawler->failed)
        return;
    validator_keep_depths(&crawler->validator);
    record_fact(crawler->record, FACT_KEEPS_DEPTHS, 1);
    if (!record_commit(crawler->record, crawler->stats, crawler->now_ms,
                       &error) ||
        !store_fold(crawler->options->store, 0, &reader, &error))
        fail_to_write(crawler, &error);
}

/* --- a URL ---------------------------------------------------------------- */

/* Its links are offered, in the same batch. */
static void finish_item(struct crawler *crawler, const struct relaxed *item)
{
    if (item->depth < item->old_depth)
        record_nearer(crawler->record,
                      &(struct store_change){
                          .number = item->number,
                          .depth = item->depth,
                          .referrer = item->referrer,
                          .found = item->found,
                          .referrer_machine = item->referrer_machine,
                      });
    if (item->page)
        stats_move_page(crawler->stats, item->old_depth, item->depth);
}

/* As handle_page.c does it for the first time; but nothing is counted. */
static void follow_redirect(struct crawler *crawler, const struct relaxed *item)
{
    struct url url;

    arena_clear(&crawler->relax->scratch);
    if (!resume_parse_url(&crawler->relax->scratch, item->target, &url))
        return;
    struct target *from = target_new(NULL, TARGET_PAGE, &item->url);
    const struct offer offer = {
        .url = &url,
        .fingerprint = url_fingerprint(
            &url, crawler->options->worker.scan.fingerprint_seed),
        .depth = item->depth,
        .referrer_id = item->referrer,
        .referrer_machine = item->referrer_machine,
        .via = item->number,
    };

    from->fingerprint = item->fingerprint;
    from->redirects = item->redirects;
    if (offer.fingerprint != item->fingerprint)
        validator_offer_redirect(&crawler->validator, from, &offer,
                                 crawler->options->max_redirects,
                                 crawler->now_ms);
    target_free(from);
}

/* Nobody has its bytes: it is asked for again, under a new number. */
static void fetch_again(struct crawler *crawler, const struct relaxed *item)
{
    const struct offer offer = {
        .url = &item->url,
        .fingerprint = item->fingerprint,
        .depth = item->depth,
        .referrer_id = item->referrer,
        .referrer_machine = item->referrer_machine,
        .found = item->found,
    };

    crawler->stats->fetched_again++;
    note_read_withdrawn(crawler, item->number, item->outcome);
    validator_offer_again(&crawler->validator, &offer, crawler->now_ms);
}

static void scan_again(struct crawler *crawler, struct relaxed *item)
{
    struct job *job = workers_scan_again(crawler->workers, &item->url,
                                         item->depth, &item->saved);

    job->relaxed = item;
    crawler->relax->in_flight++;
}

static void begin_item(struct crawler *crawler, struct relaxed *item)
{
    bool leads_on = !item->is_older && item->is_read &&
                    (item->depth < crawler->options->max_depth ||
                     item->outcome == REDIRECTED);

    crawler->validator.source_part = partition_of_number(item->number);
    if (leads_on && item->page) {
        scan_again(crawler, item);
        return;
    }
    if (leads_on && is_read(item->outcome)) {
        fetch_again(crawler, item);
        return;
    }
    if (leads_on && item->outcome == REDIRECTED)
        follow_redirect(crawler, item);
    finish_item(crawler, item);
}

/* All links at the old limit have been offered, in batches before this one. */
static void end_deepening(struct crawler *crawler)
{
    struct relax *relax = crawler->relax;

    relax->is_deepening = false;
    relax->deepen_last = 0;
    record_fact(crawler->record, FACT_DEEPEN_FROM, 0);
}

void relax_go_on(struct crawler *crawler)
{
    struct relax *relax = crawler->relax;

    if (relax->is_deepening && !relax->is_incomplete && !has_more(relax) &&
        !relax->in_flight)
        end_deepening(crawler);
    if (!has_more(relax) && may_begin(crawler))
        record_at_once(crawler->record); /* the round reads it */
    if (!relax_is_due(crawler))
        return;
    if (!has_more(relax))
        begin_round(crawler);
    while (has_more(relax) && may_go_on(crawler)) {
        begin_item(crawler, relax->item[relax->next++]);
        check_time_and_signals(crawler, clock_mono_ms());
        if (record_is_full(crawler->record))
            commit_if_due(crawler);
    }
    workers_send(crawler->workers);
}

void relax_handle(struct crawler *crawler, struct job *job)
{
    const struct relaxed *item = job->relaxed;
    const struct page_links *links = &job->page.links;

    crawler->relax->in_flight--;
    crawler->validator.source_part = partition_of_number(item->number);
    if (job->page.outcome != FETCHED)
        logr_note(crawler->options->log,
                  "page %u cannot be read again, so what it links keeps its "
                  "depth: %.*s",
                  (unsigned)item->page, STR_ARGS(item->url.href));
    for (size_t i = 0; i < links->count; i++) {
        const struct page_link *link = &links->link[i];
        const struct offer offer = {
            .url = &link->url,
            .fingerprint = link->fingerprint,
            .depth = item->depth + 1,
            .referrer_id = item->page,
        };
        offer_link(crawler, &job->page, link, &offer);
    }
    crawler->stats->scanned_again++;
    finish_item(crawler, item);
}
