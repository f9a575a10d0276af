#include "report/report.h"

#include <stdio.h>

#include "base/terminal.h"
#include "report/details.h"
#include "report/words.h"

/* A line of robots.txt may be long, a chain of redirects too. */
enum { LINE_MAX_LEN = 64 * 1024, RULE_SHOWN = 200, HOPS_SHOWN = 10 };

struct why {
    struct report *report;
    struct page_link asked; /* as a link of the crawl */
    struct page_link known; /* the spelling that the crawl knows, if it does */
    uint64_t number;        /* of the URL; 0: it was never seen, */
    struct url_details url; /* else all of it */
    struct url_neighbours neighbours;
    struct host_details host;
    struct arena arena;
    struct buf line;
};

/* --- lines -------------------------------------------------------------- */

static void say(struct why *why, const char *label)
{
    terminal_line(stdout, "  %-9s %s", label, buf_cstr(&why->line));
    buf_clear(&why->line);
}

static void put_host(struct why *why)
{
    buf_put(&why->line, url_host_port(&why->known.url));
}

/* --- the rule ----------------------------------------------------------- */

static void say_robots_line(struct why *why, unsigned number)
{
    const struct host_details *host = &why->host;
    struct buf *line = &why->line;
    struct buf text;

    if (!host->has_rules)
        return;
    buf_init(&text, ROBOTS_SIZE_MAX);
    robots_line(host->rules.text, number, &text);
    buf_printf(line, "line %u of %.*s: %.*s%s", number,
               (int)host->rules.url.len, host->rules.url.ptr,
               (int)str_first(buf_str(&text), RULE_SHOWN).len, buf_cstr(&text),
               text.len > RULE_SHOWN ? "..." : "");
    buf_release(&text);
    say(why, "rule");
}

static void say_trouble(struct why *why)
{
    const struct store_host *trouble = &why->host.trouble;
    unsigned times =
        trouble->failures > trouble->mute ? trouble->failures : trouble->mute;
    unsigned of_scheme = why->known.url.https ? GIVEN_UP_HTTPS : GIVEN_UP_HTTP;

    if (!why->host.troubled)
        return;
    put_host(why);
    if (trouble->given_up & GIVEN_UP_HOST)
        buf_put(&why->line, STR(" was given up"));
    else if (trouble->given_up & of_scheme)
        buf_printf(&why->line, " was given up for %s",
                   why->known.url.https ? "https" : "http");
    else
        buf_put(&why->line,
                trouble->backoffs ? STR(" backs off") : STR(" is in trouble"));
    if (times)
        buf_printf(&why->line, ", %u times in a row", times);
    buf_printf(&why->line, "; last: %s",
               outcome_text((enum outcome)trouble->outcome));
    say(why, "host");
}

static void say_robots_failure(struct why *why)
{
    const struct store_robots *failure = &why->host.failure;
    const struct outcome_details details = {.status = (int)failure->status};
    struct buf *line = &why->line;

    if (!why->host.rules_failed)
        return;
    buf_printf(line, "%.*s: ", (int)failure->url.len, failure->url.ptr);
    outcome_put(line, (enum outcome)failure->outcome, &details);
    say(why, "robots");
}

static void say_cap(struct why *why)
{
    const struct url *url = &why->known.url;
    struct str name = domain_of_host(why->report->domains, url_host(url));
    struct domain_counts counts =
        frontier_domain_counts(why->report->validator.frontier, url);

    buf_printf(&why->line, "%.*s has had %u fetches, --max-per-domain was %llu",
               (int)name.len, name.ptr, (unsigned)counts.crawled,
               (unsigned long long)why->report->frontier.max_per_domain);
    say(why, "cap");
}

/* The reason for a verdict. `depth` is of the URL, `line` of robots.txt. For
 * DOMAIN_CAP the report must be loaded. */
static void say_rule(struct why *why, enum verdict verdict, uint32_t depth,
                     unsigned line)
{
    const struct report *report = why->report;

    switch (verdict) {
    case EXTERNAL:
        scope_describe(report->scope, &why->line);
        say(why, "scope");
        break;
    case TOO_DEEP:
        buf_printf(&why->line, "%u, maxDepth is %u", (unsigned)depth,
                   (unsigned)report->max_depth);
        say(why, "depth");
        break;
    case TOO_MANY_REDIRECTS:
        buf_printf(&why->line, "--max-redirects was %u",
                   (unsigned)report->max_redirects);
        say(why, "limit");
        break;
    case DOMAIN_CAP:
        say_cap(why);
        break;
    case ROBOTS_REFUSED:
        say_robots_line(why, line);
        break;
    case ROBOTS_UNKNOWN:
        say_robots_failure(why);
        say_trouble(why);
        break;
    case HOST_DEAD:
        say_trouble(why);
        break;
    default:
        break;
    }
}

/* --- a URL that was never seen ------------------------------------------ */

/* What would become of the URL, whichever page links to it. */
static enum verdict precheck(const struct why *why, unsigned *line)
{
    const struct report *report = why->report;
    const struct url *url = &why->known.url;
    uint64_t cap = report->frontier.max_per_domain;
    enum verdict verdict =
        why->known.not_html_name
            ? NOT_HTML_NAME
            : validator_precheck(&report->validator, url, line);

    if (verdict != ACCEPT)
        return verdict;
    if (cap &&
        frontier_domain_counts(report->validator.frontier, url).crawled >= cap)
        return DOMAIN_CAP;
    /* The frontier forgets rules that are old; here they are good enough. */
    return host_details_allows(&why->host, url, report->scan.robots_agent, line)
               ? ACCEPT
               : ROBOTS_REFUSED;
}

static bool needs_robots(const struct why *why)
{
    return why->report->scan.robots_agent.len &&
           (!why->host.has_rules ||
            why->host.rules.until_ms <= why->report->wall_ms);
}

static bool say_never_seen(struct why *why, struct store_error *error)
{
    uint32_t max_depth = why->report->max_depth;
    struct buf *line = &why->line;
    unsigned number = 0;

    if (!report_load(why->report, error))
        return false;
    enum verdict verdict = precheck(why, &number);
    buf_put(&why->line, why->known.url.href);
    buf_put(line, STR(" was never seen; would be "));
    if (verdict != ACCEPT)
        buf_printf(line, "refused: %s", verdict_text(verdict));
    else if (max_depth)
        buf_printf(line, "queued if a page of depth %u or less linked to it",
                   (unsigned)max_depth - 1);
    else
        buf_put(line, STR("refused: only the seeds are fetched (maxDepth 0)"));
    terminal_line(stdout, "%s", buf_cstr(line));
    buf_clear(line);
    say_rule(why, verdict, 0, number);
    if (verdict == ACCEPT && max_depth && needs_robots(why)) {
        put_host(why);
        buf_put(line, STR(" would be asked for its robots.txt first"));
        say(why, "robots");
    }
    return true;
}

/* --- a queued URL -------------------------------------------------------- */

static double hundredths(uint64_t score)
{
    return (double)score / 100;
}

static void say_score(struct why *why, const struct target *target)
{
    const struct frontier *frontier = why->report->validator.frontier;
    uint64_t score = frontier_score(frontier, target);
    struct domain_counts counts =
        frontier_domain_counts(frontier, &why->known.url);
    struct str domain = frontier_domain_name(target);
    struct buf *line = &why->line;

    if (why->report->frontier.order == ORDER_BFS) {
        buf_printf(line,
                   "%.2f as all; smaller depths go first, then older URLs; "
                   "%llu before it",
                   hundredths(score),
                   (unsigned long long)why->neighbours.before);
    } else {
        uint64_t of_url = (uint64_t)target->found * 100;
        buf_printf(line,
                   "%.2f = %.2f (%.*s: %u fetched) + %.2f (found %u time%s) "
                   "+ %.2f (%u links to %.*s)",
                   hundredths(score), hundredths(score - of_url - counts.found),
                   (int)domain.len, domain.ptr, (unsigned)counts.crawled,
                   hundredths(of_url), (unsigned)target->found,
                   target->found == 1 ? "" : "s", hundredths(counts.found),
                   (unsigned)counts.found, (int)domain.len, domain.ptr);
    }
    say(why, "score");
}

static void say_earliest(struct why *why, const struct target *target)
{
    const struct report *report = why->report;
    uint64_t due_ms = frontier_due_ms(target);

    if (due_ms > report->now_ms)
        words_put_when(&why->line, due_ms - report->now_ms + report->wall_ms,
                       report->wall_ms);
    else
        buf_put(&why->line, STR("now"));
    say(why, "earliest");
}

static void say_waits(struct why *why, const struct target *target)
{
    const struct report *report = why->report;
    const struct store_host *trouble = &why->host.trouble;
    struct buf *line = &why->line;
    bool due = frontier_due_ms(target) <= report->now_ms;

    if (due && needs_robots(why)) {
        buf_put(line, STR("for the robots.txt of "));
        put_host(why);
    } else if (due) {
        buf_put(line, STR("for its turn"));
    } else if (target->state == TARGET_RETRYING &&
               target->due_ms == frontier_due_ms(target)) {
        buf_put(line, STR("to be tried again"));
    } else if (why->host.troubled && trouble->until_ms > report->wall_ms) {
        put_host(why);
        buf_printf(line, " %s: %s",
                   trouble->backoffs ? "backs off" : "is in trouble",
                   outcome_text((enum outcome)trouble->outcome));
    } else {
        buf_put(line, STR("for the pause of "));
        put_host(why);
    }
    say(why, "waits");
}

static void say_turn(struct why *why)
{
    unsigned number = 0;
    enum verdict verdict = precheck(why, &number);

    if (verdict == ACCEPT)
        return;
    buf_printf(&why->line, "it would be refused: %s", verdict_text(verdict));
    say(why, "turn");
    say_rule(why, verdict, 0, number);
}

static bool say_queued(struct why *why, struct store_error *error)
{
    if (!report_load(why->report, error))
        return false;
    const struct target *target =
        frontier_find(why->report->validator.frontier, why->known.fingerprint);
    if (target) {
        say_score(why, target);
        say_earliest(why, target);
        say_waits(why, target);
        say_turn(why);
    }
    if (report_can_go_on(why->report)) {
        buf_put(&why->line, STR("is not running; "));
        report_put_resume(why->report, &why->line);
        buf_put(&why->line, STR(" goes on"));
        say(why, "crawl");
    }
    return true;
}

/* --- what became of it ---------------------------------------------------- */

static enum verdict verdict_of(const struct url_details *url)
{
    return (enum verdict)url->record.verdict;
}

/* The line of robots.txt that refused it, or 0. */
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

static bool is_seed(const struct why *why, struct str url)
{
    const struct facts *facts = why->report->facts;

    for (size_t i = 0; i < facts->seeds; i++)
        if (str_eq(facts->seed[i].url, url))
            return true;
    return false;
}

static void put_referrer(struct why *why)
{
    struct store_url page;

    buf_printf(&why->line, "on page %u", (unsigned)why->url.record.referrer);
    if (store_find_url(why->report->store, why->neighbours.page, &page))
        buf_printf(&why->line, ", %.*s", (int)page.url.len, page.url.ptr);
}

static void say_found(struct why *why)
{
    const struct url_details *url = &why->url;
    struct buf *line = &why->line;

    if (url->row.kind == TARGET_SITEMAP)
        buf_put(line, STR("as a sitemap"));
    else if (is_seed(why, url->row.url))
        buf_put(line, STR("as a seed"));
    else if (url->record.referrer)
        put_referrer(why);
    else if (url->row.via)
        buf_put(line, STR("by a redirect from a seed"));
    else
        buf_put(line, url->record.depth ? STR("on a page that was not kept")
                                        : STR("in a sitemap"));
    if (url->record.found > 1)
        buf_printf(line, "; %u times in all", (unsigned)url->record.found);
    say(why, "found");
}

/* The redirects that led here, the last first. */
static void say_before(struct why *why)
{
    struct store_url from = why->url.row;

    for (int i = 0; from.via && from.via != why->number && i < HOPS_SHOWN;
         i++) {
        if (!store_find_url(why->report->store, from.via, &from))
            return;
        buf_put(&why->line, from.url);
        say(why, i ? "before" : "from");
    }
}

/* The URLs that it was redirected to, one after the other. */
static bool say_after(struct why *why, struct store_error *error)
{
    const struct scan_options *scan = &why->report->scan;
    struct store *store = why->report->store;
    struct str target = why->url.fetch.target;
    struct url_details to;
    struct page_link link;
    uint64_t number;

    for (int i = 0; target.len && i < HOPS_SHOWN; i++) {
        if (pagescanner_link(&link, &why->arena, target, NULL, NULL, scan))
            return true;
        if (!url_find(store, &link, scan, &number, error))
            return false;
        if (!number || number == why->number)
            return true;
        if (!url_details_read(&to, number, store, &why->arena, error))
            return false;
        put_answer(why, &to);
        say(why, "then");
        target = to.fetch.target;
    }
    return true;
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
        say(why, "last");
    }
    if (last->status) {
        buf_printf(line, "status %u", (unsigned)last->status);
        if (last->mime.len)
            buf_printf(line, ", %.*s", (int)last->mime.len, last->mime.ptr);
        if (last->page)
            buf_printf(line, ", %llu bytes", (unsigned long long)last->size);
        say(why, "answer");
    }
    words_put_time(line, last->start_ms);
    buf_put(line, STR(", took "));
    words_put_duration(line, last->end_ms > last->start_ms
                                 ? last->end_ms - last->start_ms
                                 : 0);
    if (url->record.fetches > 1)
        buf_printf(line, "; %u tries", (unsigned)url->record.fetches);
    say(why, "fetched");
}

/* --- all of it ---------------------------------------------------------- */

static bool say_known(struct why *why, struct store_error *error)
{
    const struct url_details *url = &why->url;
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
        say_rule(why, verdict, url->record.depth, line_of(url));
    say_found(why);
    say_before(why);
    say_fetch(why, url);
    return say_after(why, error) &&
           (url->record.end != URL_QUEUED || say_queued(why, error));
}

static bool read_known(struct why *why, struct store_error *error)
{
    struct store *store = why->report->store;
    struct url_details *url = &why->url;

    if (!url_details_read(url, why->number, store, &why->arena, error) ||
        !url_neighbours_read(&why->neighbours, &url->record, store, error))
        return false;
    if (pagescanner_link(&why->known, &why->arena, url->row.url, NULL, NULL,
                         &why->report->scan))
        why->known = why->asked;
    return true;
}

/* Read what is known of the URL, and of its host. */
static bool read_all(struct why *why, struct store_error *error)
{
    const struct scan_options *scan = &why->report->scan;
    struct store *store = why->report->store;

    return url_find(store, &why->asked, scan, &why->number, error) &&
           (!why->number || read_known(why, error)) &&
           host_details_read(&why->host, store, &why->known.url,
                             scan->robots_agent, line_of(&why->url),
                             &why->arena, error);
}

bool why_print(struct report *report, const struct page_link *link,
               struct store_error *error)
{
    struct why why = {.report = report, .asked = *link, .known = *link};

    buf_init(&why.line, LINE_MAX_LEN);
    arena_init(&why.arena);
    bool good =
        read_all(&why, error) &&
        (why.number ? say_known(&why, error) : say_never_seen(&why, error));
    buf_release(&why.line);
    arena_release(&why.arena);
    return good;
}
