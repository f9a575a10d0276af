#include "base/hash.h"
#include "base/mem.h"
#include "frontier/target.h"
#include "frontier/verdict.h"
#include "page/outcome.h"
#include "report/verify_internal.h"

struct str verify_url_text(struct verify *verify, uint64_t number)
{
    struct store_url row;

    return store_find_url(verify->store, number, &row) ? row.url
                                                       : STR("(unknown)");
}

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

/* So that the counters are of the same moment as the rows. */
static bool read_setting(void *user, const struct store_setting *row)
{
    struct verify *verify = user;

    return facts_add_setting(&verify->facts, row);
}

/* A row belongs to this URL. False if there can be none of that number. */
static bool mention(struct verify *verify, uint64_t number, const char *what)
{
    if (number <= verify->last_number) {
        verify->url[number].flags |= VERIFY_MENTIONED;
        return true;
    }
    findings_add(&verify->findings, FINDING_RECORD,
                 "a %s belongs to number %llu, which is no URL", what,
                 (unsigned long long)number);
    return false;
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

/* --- rows of URLs ------------------------------------------------------- */

static bool read_change(void *user, const struct store_change *row)
{
    mention(user, row->number, "change");
    return true;
}

static bool read_refusal(void *user, const struct store_refusal *row)
{
    mention(user, row->number, "refusal");
    return true;
}

static void note_page(struct verify *verify, const struct store_fetch *row)
{
    unsigned id = (unsigned)row->page;

    verify->pages++;
    verify->bytes += row->size;
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
    note_times(verify, row->start_ms, row->end_ms, row->pause_ms, 0,
               row->number);
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

static void check_page(struct verify *verify, const struct url_record *url)
{
    struct str text = url->row->url;

    /* Other contradictions are told of by check_ends. */
    if (url->end != URL_SAVED && url->ends <= 1 && url->row->verdict == ACCEPT)
        findings_add(&verify->findings, FINDING_RECORD,
                     "page %u: it is recorded as one that was not fetched",
                     (unsigned)url->page);
    if (!seen_add(&verify->page_urls, hash64(text, verify->seed)))
        findings_add(&verify->findings, FINDING_NUMBER,
                     "page %u: its URL is that of another page, %.*s",
                     (unsigned)url->page, (int)text.len, text.ptr);
    if (url->page <= verify->last_page)
        verify_page_file(verify, url->page, text, url->depth);
}

/* Do the rows of a URL contradict each other? */
static void check_ends(struct verify *verify, const struct url_record *url)
{
    struct str text = url->row->url;
    bool refused_at_once = url->row->verdict != ACCEPT;

    if (url->ends > 1)
        findings_add(&verify->findings, FINDING_RECORD,
                     "it has ended more than once: %.*s", (int)text.len,
                     text.ptr);
    if (refused_at_once && (url->fetches || (url->ended && url->verdict)))
        findings_add(&verify->findings, FINDING_RECORD,
                     "it was refused, and yet more is recorded of it: %.*s",
                     (int)text.len, text.ptr);
    if (url->end == URL_SAVED && !url->page && url->row->kind == TARGET_PAGE)
        findings_add(&verify->findings, FINDING_RECORD,
                     "it was fetched, but it is no page: %.*s", (int)text.len,
                     text.ptr);
}

static bool read_url(void *user, const struct url_record *record)
{
    struct verify *verify = user;
    const struct store_url *row = record->row;
    struct verify_url *url = &verify->url[row->number];

    url->flags |= VERIFY_KNOWN;
    if (row->kind == TARGET_PAGE)
        url->flags |= VERIFY_PAGE;
    if (record->fetches && record->outcome == NOINDEX)
        url->flags |= VERIFY_NOINDEX;
    url->depth = record->depth;
    url->referrer = record->referrer;
    url->page = record->page;
    if (record->fetches)
        url->host = pauses_host(&verify->pauses, row->host);
    if (row->via && row->kind == TARGET_PAGE)
        check_redirect(verify, row);
    check_ends(verify, record);
    if (record->page)
        check_page(verify, record);
    return true;
}

/* --- all of them -------------------------------------------------------- */

static void check_counter(struct verify *verify, enum fact fact, uint64_t count,
                          const char *what)
{
    if (verify->facts.number[fact] != count)
        findings_add(&verify->findings, FINDING_RECORD,
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
            findings_add(&verify->findings, FINDING_NUMBER,
                         "page %u: it is not recorded, but later ones are",
                         (unsigned)id);
        else if (page && page != id)
            findings_add(&verify->findings, FINDING_NUMBER,
                         "page %u: its URL is that of page %u", (unsigned)id,
                         (unsigned)page);
    }
}

static void check_mentioned(struct verify *verify)
{
    for (uint64_t number = 1; number <= verify->last_number; number++)
        if (verify->url[number].flags == VERIFY_MENTIONED)
            findings_add(&verify->findings, FINDING_RECORD,
                         "rows belong to number %llu, which is no URL",
                         (unsigned long long)number);
}

static void find_hosts(struct verify *verify)
{
    for (size_t i = 0; i < verify->pauses.count; i++) {
        struct pause_fetch *fetch = &verify->pauses.fetch[i];
        if (fetch->number)
            fetch->host = verify->url[fetch->number].host;
    }
}

/* Digests are left to store_check, which tells of all that do not fit: here
 * they would end the reading at the first. */
bool verify_rows(struct verify *verify, struct store_error *error)
{
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
            },
        .pages = true,
        .begin = begin,
        .url = read_url,
    };

    if (!store_fold(verify->store, 0, &reader, error))
        return false;
    check_counter(verify, FACT_SAVED, verify->pages, "pages");
    check_counter(verify, FACT_SAVED_BYTES, verify->bytes, "bytes");
    check_numbers(verify);
    check_mentioned(verify);
    find_hosts(verify);
    return true;
}
