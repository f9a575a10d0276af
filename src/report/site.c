#include "report/site.h"

#include <assert.h>
#include <stdlib.h>

#include "base/hashtable.h"
#include "base/mem.h"
#include "page/mime.h"
#include "web/normalize.h"

/* --- answers ------------------------------------------------------------- */

// clang-format off
static const uint8_t judgement_of[] = {
    [FETCHED] = LINK_GOOD,            [REDIRECTED] = LINK_GOOD,
    [EMPTY_BODY] = LINK_GOOD,         [NOT_HTML] = LINK_GOOD,
    [TOO_LARGE] = LINK_GOOD,          [NOINDEX] = LINK_GOOD,
    [NOARCHIVE] = LINK_GOOD,          [NOT_SITEMAP] = LINK_GOOD,
    [NOT_SAVED] = LINK_GOOD,          [HTTP_CLIENT_ERROR] = LINK_BROKEN,
    [HTTP_SERVER_ERROR] = LINK_BROKEN, [BAD_REDIRECT] = LINK_BROKEN,
    [NO_DNS] = LINK_BROKEN,           [CONNECTION_REFUSED] = LINK_BROKEN,
    [BAD_HTTP] = LINK_BROKEN,         [TLS_FAILED] = LINK_BROKEN,
    [TLS_PROTOCOL] = LINK_BROKEN,     [TLS_NAME] = LINK_BROKEN,
    [TLS_ISSUER] = LINK_BROKEN,       [TLS_SELF_SIGNED] = LINK_BROKEN,
    [TLS_EXPIRED] = LINK_BROKEN,      [TLS_NOT_YET_VALID] = LINK_BROKEN,
    [HTTP_TOO_MANY] = LINK_UNKNOWN,   [HTTP_OTHER] = LINK_UNKNOWN,
    [PRIVATE_ADDRESS] = LINK_UNKNOWN, [NOT_CONNECTED] = LINK_UNKNOWN,
    [TIMED_OUT] = LINK_UNKNOWN,       [CONNECT_TIMED_OUT] = LINK_UNKNOWN,
    [CONNECTION_LOST] = LINK_UNKNOWN, [BAD_ENCODING] = LINK_UNKNOWN,
    [ABANDONED] = LINK_UNKNOWN,       [DNS_FAILED] = LINK_UNKNOWN,
    [NOT_IN_ARCHIVE] = LINK_UNKNOWN,  [CANONICAL] = LINK_GOOD,
};
// clang-format on
static_assert(sizeof(judgement_of) == OUTCOMES, "every outcome is judged");

/* These say who asks and when, not whether the page is there. */
static bool is_about_asker(unsigned status)
{
    return status == 401 || status == 403 || status == 407 || status == 408 ||
           status == 425 || status == 429 || status == 451 || status == 503;
}

enum link_judgement judge_answer(enum outcome outcome, unsigned status)
{
    if ((unsigned)outcome >= OUTCOMES || is_about_asker(status))
        return LINK_UNKNOWN;
    return (enum link_judgement)judgement_of[outcome];
}

bool site_lacks_robots(const struct site_url *url)
{
    return url->verdict == ROBOTS_UNKNOWN &&
           !outcome_is_of_host((enum outcome)url->outcome);
}

bool site_is_no_html(const struct site_url *url)
{
    return url->flags & SITE_NOT_HTML ||
           (url->end == URL_NOT_KEPT && url->outcome == NOT_HTML) ||
           (url->end == URL_REFUSED && url->verdict == NOT_HTML_NAME);
}

bool site_is_empty(const struct site_url *url)
{
    return url->end == URL_FAILED && url->outcome == EMPTY_BODY;
}

bool site_is_beyond_redirects(const struct site *site, uint64_t number)
{
    const struct site_url *url = &site->url[number];

    return url->end == URL_REFUSED && url->verdict == TOO_MANY_REDIRECTS &&
           site->report->max_redirects;
}

enum link_judgement site_judge(const struct site *site, uint64_t number)
{
    const struct site_url *url = &site->url[number];

    if (site_is_beyond_redirects(site, number))
        return LINK_BROKEN;
    if (url->end != URL_FAILED)
        return LINK_GOOD;
    return site_lacks_robots(url) || url->flags & SITE_UNASKED
               ? LINK_UNKNOWN
               : judge_answer((enum outcome)url->outcome, url->status);
}

/* --- texts ---------------------------------------------------------------- */

static void texts_init(struct site_texts *texts)
{
    hashtable_init(&texts->by_number);
    arena_init(&texts->arena);
    texts->bytes_max = 16 << 20;
}

static void texts_release(struct site_texts *texts)
{
    hashtable_release(&texts->by_number);
    arena_release(&texts->arena);
}

static void texts_drop(struct site_texts *texts, uint64_t number)
{
    hashtable_take(&texts->by_number, number);
}

static void texts_put(struct site_texts *texts, uint64_t number,
                      struct str text)
{
    if (texts->arena.used + text.len > texts->bytes_max)
        return;
    struct str *kept = arena_new(&texts->arena, sizeof(*kept));
    *kept = arena_copy(&texts->arena, text);
    hashtable_put(&texts->by_number, number, kept);
}

/* --- the table ----------------------------------------------------------- */

void site_init(struct site *site, struct report *report)
{
    *site = (struct site){.report = report};
    hashtable_init(&site->by_fingerprint);
    hashtable_init(&site->answered);
    texts_init(&site->fragments);
    texts_init(&site->targets);
    arena_init(&site->arena);
}

void site_release(struct site *site)
{
    free(site->url);
    free(site->page);
    free(site->unasked);
    hashtable_release(&site->by_fingerprint);
    hashtable_release(&site->answered);
    texts_release(&site->fragments);
    texts_release(&site->targets);
    arena_release(&site->arena);
}

void site_begin(struct site *site, uint64_t last_number)
{
    site->last_number = last_number;
    site->url = mem_array(last_number + 1, sizeof(*site->url));
}

/* The URL is valid until the next call. */
static bool parse(struct site *site, struct str text, struct url *url)
{
    arena_clear(&site->arena);
    return !url_parse(url, &site->arena, text, NULL, NULL);
}

static bool is_outside(const struct site *site, const struct url *url)
{
    const struct scope *scope = site->report->scope;

    return scope && !scope_contains(scope, url);
}

bool site_is_outside(struct site *site, struct str text)
{
    struct url url;

    return parse(site, text, &url) && is_outside(site, &url);
}

/* 0 for what is no URL; a fingerprint that is 0 counts as 1. */
static uint64_t fingerprint(struct site *site, struct str text)
{
    struct url url;

    if (!parse(site, text, &url))
        return 0;
    uint64_t value = url_fingerprint(&url, site->report->scan.fingerprint_seed);
    return value ? value : 1;
}

static void add_page(struct site *site, uint32_t page, uint64_t number)
{
    while (site->pages <= page) {
        site->page = mem_grow(site->page, site->pages, &site->page_room,
                              sizeof(*site->page));
        site->page[site->pages++] = 0;
    }
    site->page[page] = number;
}

static void note_fragment(struct site *site, const struct store_fetch *row)
{
    uint16_t *flags = &site->url[row->number].flags;

    texts_drop(&site->fragments, row->number); /* of a fetch before */
    *flags &= (uint16_t)~SITE_FRAGMENT;
    if (!row->fragment.ptr)
        return;
    *flags |= SITE_FRAGMENT;
    texts_put(&site->fragments, row->number, row->fragment);
}

/* The table of URLs has the targets in the scope. */
static void note_target(struct site *site, const struct store_fetch *row)
{
    texts_drop(&site->targets, row->number); /* of a fetch before */
    if (row->outcome == REDIRECTED && site_is_outside(site, row->target))
        texts_put(&site->targets, row->number, row->target);
}

/* Pages have the numbers 1, 2, ..., each with a URL of its own. */
bool site_add_fetch(struct site *site, const struct store_fetch *row)
{
    if (row->number > site->last_number || row->page > site->last_number)
        return false;
    struct site_url *url = &site->url[row->number];
    url->status = (uint16_t)row->status;
    url->outcome = row->outcome;
    url->page = row->page;
    bool leads_on = row->outcome == REDIRECTED || row->outcome == CANONICAL;
    url->to = leads_on && row->target.len ? fingerprint(site, row->target) : 0;
    note_fragment(site, row);
    note_target(site, row);
    if (!row->page)
        return true;
    add_page(site, row->page, row->number);
    if (row->mime.len && mime_verdict(row->mime) == MIME_OTHER)
        url->flags |= SITE_NOT_HTML;
    if (!row->title.ptr)
        url->flags |= SITE_NO_TITLE;
    else if (!row->title.len)
        url->flags |= SITE_EMPTY_TITLE;
    return true;
}

bool site_add_refusal(struct site *site, const struct store_refusal *row)
{
    if (row->number > site->last_number)
        return false;
    struct site_url *url = &site->url[row->number];
    url->line = row->line;
    if (row->verdict == HOST_DEAD ||
        outcome_is_of_host((enum outcome)row->outcome))
        url->outcome = row->outcome;
    return true;
}

/* A URL may have been refused for one link and taken for another. */
static bool is_better(const struct site *site, uint64_t number, uint64_t old)
{
    return site->url[old].end == URL_REFUSED ||
           site->url[number].end != URL_REFUSED;
}

static void put(struct site *site, uint64_t key, uint64_t number)
{
    struct hashtable *table = &site->by_fingerprint;
    uint64_t old = (uintptr_t)hashtable_get(table, key);

    if (old && !is_better(site, number, old))
        return;
    if (old)
        hashtable_take(table, key);
    // NOLINTNEXTLINE(performance-no-int-to-ptr) ; it is a number, never 0
    hashtable_put(table, key, (void *)(uintptr_t)number);
}

/* Has its host answered, or was that given up before this URL's turn came? */
static void note_host(struct site *site, const struct store_url *row)
{
    const struct site_url *url = &site->url[row->number];
    uint64_t host = hash64(row->host, 0);

    if (url->verdict == HOST_DEAD) {
        site->unasked = mem_grow(site->unasked, site->unasked_count,
                                 &site->unasked_room, sizeof(*site->unasked));
        site->unasked[site->unasked_count++] =
            (struct site_unasked){row->number, host};
    } else if (url->status && !hashtable_get(&site->answered, host)) {
        hashtable_put(&site->answered, host, site);
    }
}

void site_settle(struct site *site)
{
    for (size_t i = 0; i < site->unasked_count; i++) {
        const struct site_unasked *unasked = &site->unasked[i];
        if (hashtable_get(&site->answered, unasked->host))
            site->url[unasked->number].flags |= SITE_UNASKED;
    }
    site->unasked_count = 0;
}

bool site_add_url(struct site *site, const struct url_record *record)
{
    const struct store_url *row = record->row;

    if (row->number > site->last_number)
        return false;
    struct site_url *url = &site->url[row->number];
    url->end = (uint8_t)record->end;
    url->verdict = record->verdict;
    if (!url->line)
        url->line = row->line;
    note_host(site, row);
    if (row->kind == TARGET_PAGE)
        url->flags |= SITE_PAGE;
    /* The crawl may have had another reason first: nofollow. */
    if (row->kind == TARGET_PAGE && record->end == URL_REFUSED &&
        site_is_outside(site, row->url))
        url->end = URL_OUTSIDE;
    if (row->kind != TARGET_PAGE || url->end == URL_OUTSIDE ||
        url->end == URL_NONE)
        return true;
    uint64_t key = fingerprint(site, row->url);
    if (key)
        put(site, key, row->number);
    return true;
}

static uint64_t find(const struct site *site, uint64_t key)
{
    return key ? (uintptr_t)hashtable_get(&site->by_fingerprint, key) : 0;
}

uint64_t site_find(struct site *site, struct str url)
{
    return find(site, fingerprint(site, url));
}

struct str site_url_text(struct site *site, uint64_t number)
{
    struct store_url row;

    return number && store_find_url(site->report->store, number, &row)
               ? row.url
               : STR("");
}

struct str site_page_text(struct site *site, uint32_t page)
{
    return site_url_text(site, page < site->pages ? site->page[page] : 0);
}

/* --- redirects ----------------------------------------------------------- */

/* A page that gave way to its canonical URL ends like a redirect, but whoever
 * follows a link to it gets the page. */
static bool is_redirect(const struct site_url *url)
{
    return url->end == URL_REDIRECTED && url->outcome != CANONICAL;
}

uint64_t site_next(const struct site *site, uint64_t number)
{
    const struct site_url *url = &site->url[number];

    return is_redirect(url) ? find(site, url->to) : 0;
}

uint64_t site_canonical(const struct site *site, uint64_t number)
{
    const struct site_url *url = &site->url[number];

    return url->end == URL_REDIRECTED && url->outcome == CANONICAL
               ? find(site, url->to)
               : 0;
}

static bool is_among(const uint64_t *seen, unsigned count, uint64_t number)
{
    for (unsigned i = 0; i < count; i++)
        if (seen[i] == number)
            return true;
    return false;
}

struct site_path site_follow(const struct site *site, uint64_t number)
{
    unsigned status = site->url[number].status;
    struct site_path path = {.last = number,
                             .is_permanent = status == 301 || status == 308};
    uint64_t seen[SITE_HOPS_MAX + 1];

    while (path.last && is_redirect(&site->url[path.last])) {
        if (path.hops == SITE_HOPS_MAX ||
            is_among(seen, path.hops, path.last)) {
            path.is_loop = true;
            break;
        }
        seen[path.hops++] = path.last;
        if (site->url[path.last].flags & SITE_FRAGMENT)
            path.fragment = path.last;
        path.way_out = path.last;
        path.last = site_next(site, path.last);
    }
    if (path.last)
        path.way_out = 0;
    return path;
}

const struct str *site_fragment(const struct site *site, uint64_t number)
{
    return hashtable_get(&site->fragments.by_number, number);
}

const struct str *site_target(const struct site *site, uint64_t number)
{
    return hashtable_get(&site->targets.by_number, number);
}
