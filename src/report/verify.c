#include "report/report.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/escape.h"
#include "base/hashtable.h"
#include "base/mem.h"
#include "base/words.h"
#include "frontier/target.h"
#include "frontier/verdict.h"
#include "page/outcome.h"
#include "report/verify_internal.h"

/* --- findings ----------------------------------------------------------- */

enum { SHOWN_MAX = 100 };

static const char *const finding_names[] = {
    [FAULT_FILE] = "page files", [FAULT_NUMBER] = "page numbers",
    [FAULT_DEPTH] = "depths",    [FAULT_PAUSE] = "pauses",
    [FAULT_RECORD] = "records",  [FAULT_ARCHIVE] = "of the archive",
};

void verify_found(struct verify *verify, enum fault kind, const char *format,
                  ...)
{
    va_list args;

    if (verify->found[kind]++ >= SHOWN_MAX)
        return;
    va_start(args, format);
    terminal_vline(stdout, format, args);
    va_end(args);
}

/* Print how many more there are than were shown. True if there are none. */
static bool found_nothing(const struct verify *verify)
{
    uint64_t all = 0;

    for (size_t kind = 0; kind < ARRAY_LEN(verify->found); kind++) {
        all += verify->found[kind];
        if (verify->found[kind] > SHOWN_MAX)
            printf("and %llu more %s\n",
                   (unsigned long long)verify->found[kind] - SHOWN_MAX,
                   finding_names[kind]);
    }
    return !all;
}

/* --- rows of the crawl and of hosts --------------------------------------- */

static bool begin(void *user, uint64_t urls, uint64_t last_number)
{
    struct verify *verify = user;

    if (last_number >= UINT32_MAX)
        return false;
    verify->urls = urls;
    verify->last_number = last_number;
    verify->url = mem_array(last_number + 1, sizeof(*verify->url));
    verify->page = mem_array(urls + 1, sizeof(*verify->page));
    return true;
}

/* Read here, so that the counters are of the same moment as the rows. */
static bool read_setting(void *user, const struct store_setting *row)
{
    struct verify *verify = user;

    return facts_add_setting(&verify->facts, row);
}

/* Note that a row belongs to this URL. False if no URL can have that number. */
static bool mention(struct verify *verify, uint64_t number, const char *what)
{
    if (number <= verify->last_number) {
        verify->url[number].flags |= VERIFY_MENTIONED;
        return true;
    }
    verify_found(verify, FAULT_RECORD,
                 "a %s belongs to number %llu, which is no URL", what,
                 (unsigned long long)number);
    return false;
}

/* "example.org:8080" of a URL as the crawler writes it: two hosts differ if
 * this text does. */
static struct str host_of(struct str url)
{
    size_t colon = str_find(url, ':');
    struct str rest = str_skip(url, colon + 3 < url.len ? colon + 3 : url.len);
    struct str authority = str_first(rest, str_find(rest, '/'));
    struct str_pair user = str_cut(authority, '@');

    return user.tail.ptr ? user.tail : authority;
}

/* After a redirect it was fetched from another host than the one it is for. */
static bool read_robots(void *user, const struct store_robots *row)
{
    struct verify *verify = user;
    struct str host = host_of(row->url);

    if (!host.len)
        return false;
    if (row->start_ms)
        verify_add_fetch(verify, row->start_ms, row->end_ms, row->pause_ms, 0,
                         verify_host(verify, host));
    return true;
}

/* --- rows of URLs ------------------------------------------------------- */

static bool read_change(void *user, const struct store_change *row)
{
    mention(user, row->number, "change");
    return true;
}

static bool read_order(void *user, const struct store_hand_order *row)
{
    struct verify *verify = user;

    if (!hand_orders_add(&verify->orders, row))
        verify_found(verify, FAULT_RECORD,
                     "order %llu: it is none, or not the next one",
                     (unsigned long long)row->number);
    return true;
}

/* Check that each URL refused by hand has an order that refuses it. */
static void check_order(struct verify *verify, const struct url_record *url)
{
    if (url->verdict == BY_HAND &&
        !hand_orders_refusing(&verify->orders, url->row->url, url->row->host,
                              UINT64_MAX))
        verify_found(verify, FAULT_RECORD,
                     "it was refused by hand, but by no order: %.*s",
                     STR_ARGS(url->row->url));
}

static bool read_refusal(void *user, const struct store_refusal *row)
{
    mention(user, row->number, "refusal");
    return true;
}

static void note_page(struct verify *verify, const struct store_fetch *row)
{
    verify->pages++;
    verify->bytes += row->size;
    if (row->page > verify->urls) {
        verify_found(verify, FAULT_NUMBER,
                     "page %s: there are not that many URLs",
                     PAGE_NAME(verify, row->page));
        return;
    }
    struct verify_page *page = &verify->page[row->page];
    if (row->page > verify->last_page)
        verify->last_page = row->page;
    if (page->number)
        verify_found(verify, FAULT_NUMBER, "page %s: it is recorded twice",
                     PAGE_NAME(verify, row->page));
    *page = (struct verify_page){
        .size = row->size,
        .digest = row->digest,
        .number = (uint32_t)row->number,
    };
}

static bool read_fetch(void *user, const struct store_fetch *row)
{
    struct verify *verify = user;

    if (!mention(verify, row->number, "fetch"))
        return true;
    if (row->page)
        note_page(verify, row);
    verify->url[row->number].fetched_depth = row->depth;
    verify->left_out += row->page && row->noarchive;
    verify_add_fetch(verify, row->start_ms, row->end_ms, row->pause_ms,
                     (uint32_t)row->number, NULL);
    return true;
}

/* --- URLs --------------------------------------------------------------- */

bool verify_has_files(const struct verify *verify)
{
    const struct facts_list *options = &verify->facts.options;

    for (size_t i = 0; i < options->count; i++)
        if (!strcmp(options->item[i], "save=archive"))
            return false;
    return true;
}

/* Is the file of this page here? Of a fleet only those of one machine are. */
static bool has_file(const struct verify *verify, uint32_t page)
{
    const struct report_machine *own = verify->report->own;

    return verify->dir && verify_has_files(verify) &&
           (!own || (page > own->pages_before &&
                     page - own->pages_before <= own->pages));
}

static void check_page(struct verify *verify, const struct url_record *url)
{
    struct str text = url->row->url;

    /* Other contradictions are reported by check_ends. */
    if (url->end != URL_SAVED && url->ends <= 1 && url->row->verdict == ACCEPT)
        verify_found(verify, FAULT_RECORD,
                     "page %s: it is recorded as one that was not fetched",
                     PAGE_NAME(verify, url->page));
    if (!seen_add(&verify->page_urls, hash64(text, verify->seed)))
        verify_found(verify, FAULT_NUMBER,
                     "page %s: its URL is that of another page, %.*s",
                     PAGE_NAME(verify, url->page), STR_ARGS(text));
    if (url->page <= verify->last_page && has_file(verify, url->page))
        verify_page_file(verify, url->page, text,
                         verify->url[url->row->number].fetched_depth);
}

/* Do the rows of a URL contradict each other? */
static void check_ends(struct verify *verify, const struct url_record *url)
{
    const struct store_url *row = url->row;

    if (url->ends > 1)
        verify_found(verify, FAULT_RECORD, "it has ended more than once: %.*s",
                     STR_ARGS(row->url));
    if (row->verdict != ACCEPT &&
        (url->fetches || (url->ended && url->verdict)))
        verify_found(verify, FAULT_RECORD,
                     "it was refused, and yet more is recorded of it: %.*s",
                     STR_ARGS(row->url));
    if (url->end == URL_SAVED && !url->page && row->kind == TARGET_PAGE)
        verify_found(verify, FAULT_RECORD,
                     "it was fetched, but it is no page: %.*s",
                     STR_ARGS(row->url));
}

static bool read_url(void *user, const struct url_record *record)
{
    struct verify *verify = user;
    const struct store_url *row = record->row;
    struct verify_url *url = &verify->url[row->number];

    url->flags |= VERIFY_KNOWN;
    if (row->kind == TARGET_PAGE)
        url->flags |= VERIFY_PAGE;
    if (record->fetches &&
        (record->outcome == NOINDEX || record->outcome == NOARCHIVE ||
         record->outcome == CANONICAL))
        url->flags |= VERIFY_NO_NUMBER;
    if (row->verdict == ACCEPT && record->end != URL_NONE)
        url->flags |= VERIFY_LIVE;
    /* Records of earlier versions do not say it. */
    url->fetched_depth =
        url->fetched_depth ? url->fetched_depth - 1 : record->depth;
    if (record->depth > url->fetched_depth)
        verify_found(verify, FAULT_DEPTH,
                     "depth %u, but it was fetched at depth %u: %.*s",
                     record->depth, url->fetched_depth, STR_ARGS(row->url));
    url->depth = record->depth;
    url->referrer = record->referrer;
    url->page = record->page;
    if (record->fetches)
        url->host = verify_host(verify, row->host);
    url->via = row->kind == TARGET_PAGE ? (uint32_t)row->via : 0;
    url->first_depth = row->depth;
    check_ends(verify, record);
    check_order(verify, record);
    if (record->page)
        check_page(verify, record);
    return true;
}

/* --- rows of the archive ------------------------------------------------ */

static bool read_archive(void *user, const struct store_archive *row)
{
    return verify_archive_file(user, row);
}

static bool read_capture(void *user, const struct store_capture *row)
{
    return verify_archive_capture(user, row);
}

/* --- numbers and counts ------------------------------------------------- */

static void check_counter(struct verify *verify, enum fact fact, uint64_t count,
                          const char *what)
{
    if (verify->facts.number[fact] != count)
        verify_found(verify, FAULT_RECORD,
                     "%llu %s are counted, but %llu are recorded",
                     (unsigned long long)verify->facts.number[fact], what,
                     (unsigned long long)count);
}

static void check_numbers(struct verify *verify)
{
    for (uint32_t id = 1; id <= verify->last_page; id++) {
        uint32_t number = verify->page[id].number;
        uint32_t page = verify->url[number].page;
        if (!number)
            verify_found(verify, FAULT_NUMBER,
                         "page %s: it is not recorded, but later ones are",
                         PAGE_NAME(verify, id));
        else if (page && page != id)
            verify_found(verify, FAULT_NUMBER,
                         "page %s: its URL is that of page %s",
                         PAGE_NAME(verify, id), PAGE_NAME(verify, page));
    }
}

static void check_mentioned(struct verify *verify)
{
    for (uint64_t number = 1; number <= verify->last_number; number++)
        if (verify->url[number].flags == VERIFY_MENTIONED)
            verify_found(verify, FAULT_RECORD,
                         "rows belong to number %llu, which is no URL",
                         (unsigned long long)number);
}

/* store_check reports all digests that do not fit; here the first would end the
 * reading, so they are not looked at. */
static bool check_rows(struct verify *verify)
{
    struct report *report = verify->report;
    const struct fold_reader reader = {
        .rows =
            {
                .user = verify,
                .unchecked = true,
                .setting = read_setting,
                .robots = read_robots,
                .change = read_change,
                .fetch = read_fetch,
                .refusal = read_refusal,
                .hand_order = read_order,
                .archive = verify->dir ? read_archive : NULL,
                .capture = verify->dir ? read_capture : NULL,
            },
        .pages = true,
        .begin = begin,
        .url = read_url,
    };

    if (!store_fold(report->store, 0, &reader, &report->error))
        return false;
    check_counter(verify, FACT_SAVED, verify->pages, "pages");
    check_counter(verify, FACT_SAVED_BYTES, verify->bytes, "bytes");
    check_numbers(verify);
    check_mentioned(verify);
    return true;
}

/* --- depths ------------------------------------------------------------- */

/* The depth of a URL is one more than that of the page where it was found. The
 * target of a redirect has the depth of the URL that redirects
 * (check_redirect), and counts as found on the same page, so the rule holds for
 * it too.
 *
 * A page may be found nearer after it was fetched. When the crawl has finished,
 * that has been handed on to all URLs that were fetched; until then, and to
 * those that were refused at once, a depth may be one more than any depth that
 * the page has had (crawler/relax.h).
 *
 * A page that asks not to be indexed, or archived, may have no number: its
 * links have a depth, but no page where they were found. There must be such a
 * page one level up. In a fleet it may be any page there: a machine does not
 * know the pages of others. */

static bool has_flags(const struct verify_url *url, uint8_t flags)
{
    return (url->flags & flags) == flags;
}

static uint64_t depth_key(const struct verify *verify, uint32_t depth)
{
    return hash64((struct str){(const char *)&depth, sizeof(depth)},
                  verify->seed);
}

/* A URL that redirects is older than its target, except in copies of a fleet's
 * record, in which numbers tell no order. */
static void check_redirect(struct verify *verify, uint64_t number)
{
    const struct verify_url *url = &verify->url[number];
    bool can_be = url->via < number ||
                  (verify->report->machines && url->via <= verify->last_number);
    const struct verify_url *via =
        can_be ? &verify->url[url->via] : &(struct verify_url){0};
    struct store_url row;

    if (has_flags(via, VERIFY_KNOWN) && url->first_depth >= via->depth &&
        url->first_depth <= via->fetched_depth)
        return;
    if (!store_find_url(verify->report->store, number, &row))
        row.url = STR("(unknown)");
    if (!has_flags(via, VERIFY_KNOWN))
        verify_found(verify, FAULT_RECORD,
                     "what redirected there is not known: %.*s",
                     STR_ARGS(row.url));
    else
        verify_found(verify, FAULT_DEPTH,
                     "depth %u, but what redirected there has %u: %.*s",
                     url->first_depth, via->depth, STR_ARGS(row.url));
}

/* Can a URL of this depth have been found on the page? */
static bool fits(const struct verify *verify, const struct verify_url *url,
                 const struct verify_url *page)
{
    bool is_exact = has_flags(url, VERIFY_LIVE) &&
                    url->depth < SEEN_DEPTH_MAX &&
                    verify->facts.state == STATE_FINISHED;

    return url->depth > page->depth &&
           url->depth - 1 <= (is_exact ? page->depth : page->fetched_depth);
}

/* `unsaved` has the depths of pages without a number. */
static void check_depth(struct verify *verify, uint64_t number,
                        const struct seen *unsaved)
{
    const struct verify_url *url = &verify->url[number];
    unsigned depth = (unsigned)url->depth, id = (unsigned)url->referrer;
    uint32_t page = id <= verify->last_page ? verify->page[id].number : 0;
    struct store_url row;

    if (id ? page && fits(verify, url, &verify->url[page])
           : !depth || seen_has(unsaved, depth_key(verify, depth - 1)))
        return;
    if (!store_find_url(verify->report->store, number, &row))
        row.url = STR("(unknown)");
    if (!id)
        verify_found(verify, FAULT_DEPTH,
                     "depth %u, but it was found on no page: %.*s", depth,
                     STR_ARGS(row.url));
    else if (page)
        verify_found(verify, FAULT_DEPTH,
                     "depth %u, but page %s, where it was found, has %u: %.*s",
                     depth, PAGE_NAME(verify, id), verify->url[page].depth,
                     STR_ARGS(row.url));
    else
        verify_found(verify, FAULT_DEPTH,
                     "it was found on page %s, which is not recorded: %.*s",
                     PAGE_NAME(verify, id), STR_ARGS(row.url));
}

static void check_depths(struct verify *verify)
{
    struct seen unsaved;

    seen_init(&unsaved);
    for (uint64_t number = 1; number <= verify->last_number; number++)
        if (has_flags(&verify->url[number], VERIFY_KNOWN | VERIFY_NO_NUMBER) ||
            (verify->report->has_lost_referrers && verify->url[number].page))
            seen_add(&unsaved, depth_key(verify, verify->url[number].depth));
    for (uint64_t number = 1; number <= verify->last_number; number++) {
        if (has_flags(&verify->url[number], VERIFY_KNOWN | VERIFY_PAGE))
            check_depth(verify, number, &unsaved);
        if (verify->url[number].via)
            check_redirect(verify, number);
    }
    seen_release(&unsaved);
}

/* --- all of it ---------------------------------------------------------- */

enum { PER_HOST_MAX = 1000 };

static void verify_init(struct verify *verify, struct report *report,
                        const struct pagedir *dir, uint64_t seed)
{
    *verify = (struct verify){.report = report, .dir = dir, .seed = seed};
    facts_init(&verify->facts);
    verify->facts.number[FACT_PER_HOST] = 1;
    hashtable_init(&verify->hosts);
    arena_init(&verify->arena);
    hand_orders_init(&verify->orders);
    seen_init(&verify->page_urls);
}

static void verify_release(struct verify *verify)
{
    free(verify->url);
    free(verify->page);
    facts_release(&verify->facts);
    free(verify->fetch);
    hashtable_release(&verify->hosts);
    arena_release(&verify->arena);
    hand_orders_release(&verify->orders);
    seen_release(&verify->page_urls);
    verify_archive_free(verify->archive);
}

static void add_record_finding(void *user, const char *text)
{
    struct verify *verify = user;

    verify_found(verify, FAULT_RECORD, "%s", text);
}

static bool check_all(struct verify *verify)
{
    struct report *report = verify->report;

    if (!store_check(report->store, add_record_finding, verify,
                     &report->error) ||
        !check_rows(verify))
        return false;
    uint64_t per_host = verify->facts.number[FACT_PER_HOST];
    if (verify->dir) {
        verify_unknown_files(verify);
        verify_archive_end(verify);
    }
    check_depths(verify);
    if (per_host && per_host <= PER_HOST_MAX)
        verify_pauses(verify, (uint32_t)per_host);
    return true;
}

static void print_clean(const struct verify *verify)
{
    printf("verified: %s, %s, %s, %s, ",
           words_count(verify->pages, "page").text,
           words_count(verify->bytes, "byte").text,
           words_count(verify->urls, "URL").text,
           words_count(verify->hosts.count, "host").text);
    if (verify_archives(verify))
        printf("%s in %s, ",
               words_count(verify_captures(verify), "exchange").text,
               words_count(verify_archives(verify), "WARC file").text);
    printf("all as recorded\n");
    unsigned additions = store_additions(verify->report->store);
    if (additions)
        printf(
            "the record also has %s of somebody else: tables, views, indexes\n",
            words_count(additions, "object").text);
}

bool verify_print(struct report *report, const struct pagedir *dir,
                  uint64_t seed, bool *clean)
{
    struct verify verify;

    verify_init(&verify, report, dir, seed);
    bool good = check_all(&verify);
    *clean = found_nothing(&verify) && good;
    if (*clean)
        print_clean(&verify);
    verify_release(&verify);
    return good;
}
