#include "report/why.h"

#include <stdio.h>

#include "base/terminal.h"
#include "report/why_lines.h"
#include "report/words.h"

enum { LINE_MAX_LEN = 64 * 1024 };

/* --- one sentence ------------------------------------------------------- */

static enum verdict verdict_of(const struct url_details *url)
{
    return (enum verdict)url->record.verdict;
}

/* Of robots.txt, that refused it. */
static unsigned line_of(const struct url_details *url)
{
    return url->record.refused_late ? url->refusal.line : url->row.line;
}

static bool is_done(const struct url_details *url)
{
    return url->record.fetches && url->record.ended;
}

/* A fetch that we cut short ourselves is no try. */
static bool is_retried(const struct why *why, const struct url_details *url)
{
    const struct store_codes *codes = store_codes(why->report->store);

    return url->record.fetches && !url->record.ended &&
           codes->outcome[url->record.outcome].end != URL_QUEUED;
}

static void put_end(struct buf *line, const struct store_fetch *fetch)
{
    const struct outcome_details details = {
        .status = (int)fetch->status,
        .mime = fetch->mime,
    };

    outcome_put(line, (enum outcome)fetch->outcome, &details);
}

static void put_outcome(struct why *why, const struct url_details *url)
{
    enum outcome outcome = (enum outcome)url->fetch.outcome;
    struct buf *line = &why->line;

    switch (outcome) {
    case FETCHED:
        if (url->fetch.page)
            buf_printf(line, "was fetched as page %u at depth %u",
                       (unsigned)url->fetch.page, (unsigned)url->record.depth);
        else
            buf_put(line, STR("was read as a sitemap"));
        return;
    case REDIRECTED:
        buf_printf(line, "was redirected to %.*s", (int)url->fetch.target.len,
                   url->fetch.target.ptr);
        return;
    case NOT_HTML:
    case NOINDEX:
    case NOT_SITEMAP:
        buf_put(line, STR("was fetched and not kept: "));
        break;
    default:
        buf_put(line, STR("could not be fetched: "));
    }
    put_end(line, &url->fetch);
}

static void put_answer(struct why *why, const struct url_details *url)
{
    enum verdict verdict = verdict_of(url);
    struct buf *line = &why->line;

    buf_put(&why->line, url->row.url);
    buf_put_char(line, ' ');
    if (verdict != ACCEPT) {
        buf_printf(line, "%s: %s",
                   url->record.end == URL_FAILED ? "could not be fetched"
                                                 : "was refused",
                   verdict_text(verdict));
    } else if (is_done(url)) {
        put_outcome(why, url);
    } else if (is_retried(why, url)) {
        buf_put(line, STR("is to be tried again at "));
        words_put_when(line, url->fetch.due_ms, why->report->wall_ms);
    } else {
        buf_printf(line, "is queued at depth %u", (unsigned)url->record.depth);
    }
}

/* --- where it comes from ------------------------------------------------ */

static struct url_details *details_of(struct why *why, uint64_t number)
{
    for (size_t i = 0; i < why->count; i++)
        if (why->details[i].number == number)
            return &why->details[i];
    return NULL;
}

static bool is_seed(const struct why *why, struct str url)
{
    const struct facts *facts = why->report->facts;

    for (size_t i = 0; i < facts->seeds; i++)
        if (str_eq(facts->seed[i].url, url))
            return true;
    return false;
}

static void say_found(struct why *why, const struct url_details *url)
{
    uint64_t number = url_index_page(&why->index, url->record.referrer);
    const struct url_details *page = number ? details_of(why, number) : NULL;
    struct buf *line = &why->line;

    if (url->row.kind == TARGET_SITEMAP)
        buf_put(line, STR("as a sitemap"));
    else if (is_seed(why, url->row.url))
        buf_put(line, STR("as a seed"));
    else if (url->record.referrer)
        buf_printf(line, "on page %u%s%.*s", (unsigned)url->record.referrer,
                   page ? ", " : "", page ? (int)page->row.url.len : 0,
                   page ? page->row.url.ptr : "");
    else if (url->row.via)
        buf_put(line, STR("by a redirect from a seed"));
    else
        buf_put(line, url->record.depth ? STR("on a page that was not kept")
                                        : STR("in a sitemap"));
    if (url->record.found > 1)
        buf_printf(line, "; %u times in all", (unsigned)url->record.found);
    why_say(why, "found");
}

/* The redirects that led here, the last first. */
static void say_before(struct why *why, const struct url_details *url)
{
    uint64_t number = url_index_via(&why->index, url->number);

    for (int i = 0; number && i < HOPS_SHOWN; i++) {
        const struct url_details *from = details_of(why, number);
        if (!from || from == url)
            return;
        buf_put(&why->line, from->row.url);
        why_say(why, i ? "before" : "from");
        number = url_index_via(&why->index, number);
    }
}

/* Where it led, hop by hop. */
static void say_after(struct why *why, const struct url_details *url)
{
    uint64_t number = url_index_target(&why->index, url->number);

    for (int i = 0; number && i < HOPS_SHOWN; i++) {
        const struct url_details *to = details_of(why, number);
        if (!to || to == url)
            return;
        put_answer(why, to);
        why_say(why, "then");
        number = url_index_target(&why->index, number);
    }
}

/* --- what came back ----------------------------------------------------- */

static void say_fetch(struct why *why, const struct url_details *url)
{
    const struct store_fetch *last = &url->fetch;
    struct buf *line = &why->line;

    if (!url->record.fetches)
        return;
    if (is_retried(why, url) || verdict_of(url) != ACCEPT) {
        put_end(line, last);
        why_say(why, "last");
    }
    if (last->status) {
        buf_printf(line, "status %u", (unsigned)last->status);
        if (last->mime.len)
            buf_printf(line, ", %.*s", (int)last->mime.len, last->mime.ptr);
        if (last->page)
            buf_printf(line, ", %llu bytes", (unsigned long long)last->size);
        why_say(why, "answer");
    }
    words_put_time(line, last->start_ms);
    buf_put(line, STR(", took "));
    words_put_duration(line, last->end_ms > last->start_ms
                                 ? last->end_ms - last->start_ms
                                 : 0);
    if (url->record.fetches > 1)
        buf_printf(line, "; %u tries", (unsigned)url->record.fetches);
    why_say(why, "fetched");
}

/* --- all of it ---------------------------------------------------------- */

static bool say_known(struct why *why, struct store_error *error)
{
    const struct url_details *url = &why->details[0];
    enum verdict verdict = verdict_of(url);

    if (verdict == DOMAIN_CAP && !report_load(why->report, error))
        return false;
    if (!str_eq(why->asked.url.href, url->row.url))
        terminal_line(stdout, "%.*s is a duplicate: another spelling of %.*s",
                      (int)why->asked.url.href.len, why->asked.url.href.ptr,
                      (int)url->row.url.len, url->row.url.ptr);
    put_answer(why, url);
    terminal_line(stdout, "%s", buf_cstr(&why->line));
    buf_clear(&why->line);
    if (verdict != ACCEPT)
        why_say_rule(why, verdict, url->record.depth, line_of(url));
    say_found(why, url);
    say_before(why, url);
    say_fetch(why, url);
    say_after(why, url);
    return url->record.end != URL_QUEUED || why_say_queued(why, error);
}

static void want(struct why *why, uint64_t number)
{
    if (number && why->count < DETAILS_MAX && !details_of(why, number))
        why->details[why->count++].number = number;
}

/* All whose rows are needed for the answer. */
static void want_all(struct why *why, uint64_t number)
{
    const struct url_index *index = &why->index;
    uint64_t before = number, after = number;

    want(why, number);
    want(why, url_index_page(index, url_index_referrer(index, number)));
    for (int i = 0; i < HOPS_SHOWN; i++) {
        want(why, before = url_index_via(index, before));
        want(why, after = url_index_target(index, after));
    }
}

static bool gather(struct why *why, struct store_error *error)
{
    const struct scan_options *scan = &why->report->scan;
    struct store *store = why->report->store;
    const struct url_details *url = &why->details[0];
    uint64_t number;

    if (!url_index_read(&why->index, store, scan, error))
        return false;
    number = url_index_find(&why->index, &why->asked);
    if (number) {
        want_all(why, number);
        if (!url_index_fill(&why->index, store, why->details, why->count,
                            error))
            return false;
        if (pagescanner_link(&why->known, &why->arena, url->row.url, NULL, NULL,
                             scan))
            why->known = why->asked;
    }
    return host_record_read(&why->host, store, &why->known.url,
                            scan->robots_agent, line_of(url), error);
}

bool why_print(struct report *report, const struct page_link *link,
               struct store_error *error)
{
    struct why why = {.report = report, .asked = *link, .known = *link};

    buf_init(&why.line, LINE_MAX_LEN);
    arena_init(&why.arena);
    bool good =
        gather(&why, error) &&
        (why.count ? say_known(&why, error) : why_say_never_seen(&why, error));
    buf_release(&why.line);
    arena_release(&why.arena);
    host_record_release(&why.host);
    url_index_release(&why.index);
    return good;
}
