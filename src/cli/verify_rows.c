#include <stdlib.h>

#include "base/hash.h"
#include "base/mem.h"
#include "cli/verify.h"
#include "frontier/target.h"
#include "page/outcome.h"

/* Numbers are given without gaps, so they are indices. */
enum { NUMBER_SLACK = 1000 };

struct str verify_url_text(struct verify *verify, uint64_t number)
{
    struct store_url row;

    return store_find_url(verify->store, number, &row) ? row.url
                                                       : STR("(unknown)");
}

static bool begin(void *user, uint64_t urls, uint64_t last_number)
{
    struct verify *verify = user;

    if (last_number > urls + NUMBER_SLACK || last_number >= UINT32_MAX)
        return false;
    verify->urls = urls;
    verify->last_number = last_number;
    verify->url = mem_array(last_number + 1, sizeof(*verify->url));
    verify->page = mem_array(urls + 1, sizeof(*verify->page));
    return true;
}

static bool read_setting(void *user, const struct store_setting *row)
{
    struct verify *verify = user;

    if (str_eq(row->name, STR("count.saved")))
        return str_to_u64(row->value, &verify->saved);
    if (str_eq(row->name, STR("count.bytes")))
        return str_to_u64(row->value, &verify->saved_bytes);
    if (str_eq(row->name, STR("per_host")))
        return str_to_u64(row->value, &verify->per_host);
    if (str_eq(row->name, STR("state")))
        verify->unclean = str_eq(row->value, STR("running")) ||
                          str_eq(row->value, STR("failed"));
    return true;
}

/* The URL that a row belongs to, or NULL where there can be none. */
static struct verify_url *url_of(struct verify *verify, uint64_t number,
                                 const char *what)
{
    if (number && number <= verify->last_number)
        return &verify->url[number];
    findings_add(&verify->findings, FINDING_RECORD,
                 "a %s belongs to number %llu, which is no URL", what,
                 (unsigned long long)number);
    return NULL;
}

/* --- times -------------------------------------------------------------- */

static uint32_t u32(uint64_t value)
{
    return value < UINT32_MAX ? (uint32_t)value : UINT32_MAX;
}

static void note_times(struct verify *verify, uint64_t start_ms,
                       uint64_t end_ms, uint64_t pause_ms, uint32_t host,
                       uint64_t number)
{
    const struct pause_fetch fetch = {
        .start_ms = start_ms,
        .ms = end_ms > start_ms ? u32(end_ms - start_ms) : 0,
        .pause_ms = u32(pause_ms),
        .host = host,
        .number = (uint32_t)number,
    };

    pauses_add(&verify->pauses, &fetch);
}

/* "example.org:8080" of a URL as the crawler writes it: as it stands there,
 * because that is what hosts are told apart by. */
static struct str host_of(struct str url)
{
    size_t colon = str_find(url, ':');
    struct str rest = str_skip(url, colon + 3 < url.len ? colon + 3 : url.len);
    struct str authority = str_first(rest, str_find(rest, '/'));
    struct str_pair user = str_cut(authority, '@');

    return user.tail.ptr ? user.tail : authority;
}

/* It may have been asked for on another host than whose it is. */
static bool read_robots(void *user, const struct store_robots *row)
{
    struct verify *verify = user;
    struct str host = host_of(row->url);

    if (!host.len)
        return false;
    note_times(verify, row->start_ms, row->end_ms, row->pause_ms,
               pauses_host(&verify->pauses, host), 0);
    return true;
}

/* --- what became of URLs ------------------------------------------------ */

static bool read_change(void *user, const struct store_change *row)
{
    struct verify_url *url = url_of(user, row->number, "change");

    if (!url)
        return true;
    url->flags |= VERIFY_CHANGED;
    url->depth = row->depth;
    url->referrer = row->referrer;
    return true;
}

static void note_over(struct verify *verify, struct verify_url *url,
                      uint64_t number)
{
    struct str text;

    if (url->flags & VERIFY_OVER) {
        text = verify_url_text(verify, number);
        findings_add(&verify->findings, FINDING_RECORD,
                     "it has ended more than once: %.*s", (int)text.len,
                     text.ptr);
    }
    url->flags |= VERIFY_OVER;
}

static void note_page(struct verify *verify, struct verify_url *url,
                      const struct store_fetch *row)
{
    unsigned id = (unsigned)row->page;

    verify->pages++;
    verify->bytes += row->size;
    if (row->outcome != FETCHED || row->due_ms)
        findings_add(&verify->findings, FINDING_RECORD,
                     "page %u: it is recorded as one that was not fetched", id);
    if (row->page > verify->urls) {
        findings_add(&verify->findings, FINDING_NUMBER,
                     "page %u: there are not that many URLs", id);
        return;
    }
    struct verify_page *page = &verify->page[row->page];
    if (row->page > verify->last_page)
        verify->last_page = row->page;
    if (page->number)
        findings_add(&verify->findings, FINDING_NUMBER,
                     "page %u: it is recorded twice", id);
    else if (url->page)
        findings_add(&verify->findings, FINDING_NUMBER,
                     "page %u: its URL is that of page %u", id,
                     (unsigned)url->page);
    page->number = (uint32_t)row->number;
    page->size = row->size;
    page->digest = row->digest;
    url->page = row->page;
}

static bool read_fetch(void *user, const struct store_fetch *row)
{
    struct verify *verify = user;
    struct verify_url *url = url_of(verify, row->number, "fetch");

    if (!url)
        return true;
    url->flags |= VERIFY_FETCHED;
    if (row->outcome == NOINDEX)
        url->flags |= VERIFY_NOINDEX;
    if (!row->due_ms)
        note_over(verify, url, row->number);
    if (row->page)
        note_page(verify, url, row);
    note_times(verify, row->start_ms, row->end_ms, row->pause_ms, 0,
               row->number);
    return true;
}

static bool read_refusal(void *user, const struct store_refusal *row)
{
    struct verify_url *url = url_of(user, row->number, "refusal");

    if (url)
        note_over(user, url, row->number);
    return true;
}

/* --- URLs --------------------------------------------------------------- */

static void check_redirect(struct verify *verify, const struct store_url *row)
{
    const struct verify_url *via = row->via < row->number
                                       ? &verify->url[row->via]
                                       : &(struct verify_url){0};

    if (!(via->flags & VERIFY_KNOWN))
        findings_add(&verify->findings, FINDING_RECORD,
                     "what redirected there is not known: %.*s",
                     (int)row->url.len, row->url.ptr);
    else if (via->depth != row->depth)
        findings_add(&verify->findings, FINDING_DEPTH,
                     "depth %u, but what redirected there has %u: %.*s",
                     (unsigned)row->depth, (unsigned)via->depth,
                     (int)row->url.len, row->url.ptr);
}

static void check_page(struct verify *verify, const struct verify_url *url,
                       const struct store_url *row)
{
    if (!seen_add(&verify->page_urls, hash64(row->url, verify->seed)))
        findings_add(&verify->findings, FINDING_NUMBER,
                     "page %u: its URL is that of another page, %.*s",
                     (unsigned)url->page, (int)row->url.len, row->url.ptr);
    verify_page_file(verify, url->page, row->url, url->depth);
}

static bool read_url(void *user, const struct store_url *row)
{
    struct verify *verify = user;
    struct verify_url *url = &verify->url[row->number];

    url->flags |= VERIFY_KNOWN;
    if (row->kind == TARGET_PAGE)
        url->flags |= VERIFY_PAGE;
    if (!(url->flags & VERIFY_CHANGED)) {
        url->depth = row->depth;
        url->referrer = row->referrer;
    }
    if (row->via && row->kind == TARGET_PAGE)
        check_redirect(verify, row);
    if (row->verdict != ACCEPT && url->flags & (VERIFY_FETCHED | VERIFY_OVER))
        findings_add(&verify->findings, FINDING_RECORD,
                     "it was refused, and yet more is recorded of it: %.*s",
                     (int)row->url.len, row->url.ptr);
    if (url->flags & VERIFY_FETCHED)
        url->host = pauses_host(&verify->pauses, row->host);
    if (url->page)
        check_page(verify, url, row);
    return true;
}

/* --- all of them -------------------------------------------------------- */

static void check_counters(struct verify *verify)
{
    if (verify->saved != verify->pages)
        findings_add(&verify->findings, FINDING_RECORD,
                     "%llu pages are counted, but %llu are recorded",
                     (unsigned long long)verify->saved,
                     (unsigned long long)verify->pages);
    if (verify->saved_bytes != verify->bytes)
        findings_add(&verify->findings, FINDING_RECORD,
                     "%llu bytes are counted, but %llu are recorded",
                     (unsigned long long)verify->saved_bytes,
                     (unsigned long long)verify->bytes);
}

static void check_holes(struct verify *verify)
{
    for (uint32_t id = 1; id <= verify->last_page; id++)
        if (!verify->page[id].number)
            findings_add(&verify->findings, FINDING_NUMBER,
                         "page %u: it is not recorded, but later ones are",
                         (unsigned)id);
}

static void check_orphans(struct verify *verify)
{
    for (uint64_t number = 1; number <= verify->last_number; number++) {
        uint8_t flags = verify->url[number].flags;
        if (flags && !(flags & VERIFY_KNOWN))
            findings_add(&verify->findings, FINDING_RECORD,
                         "a %s belongs to number %llu, which is no URL",
                         flags & VERIFY_FETCHED   ? "fetch"
                         : flags & VERIFY_CHANGED ? "change"
                                                  : "refusal",
                         (unsigned long long)number);
    }
}

static void find_hosts(struct verify *verify)
{
    for (size_t i = 0; i < verify->pauses.count; i++) {
        struct pause_fetch *fetch = &verify->pauses.fetch[i];
        if (fetch->number)
            fetch->host = verify->url[fetch->number].host;
    }
}

bool verify_rows(struct verify *verify, struct store_error *error)
{
    const struct store_reader reader = {
        .user = verify,
        .begin = begin,
        .setting = read_setting,
        .robots = read_robots,
        .change = read_change,
        .fetch = read_fetch,
        .refusal = read_refusal,
        .url = read_url,
    };

    if (!store_load(verify->store, &reader, error))
        return false;
    check_counters(verify);
    check_holes(verify);
    check_orphans(verify);
    find_hosts(verify);
    return true;
}
