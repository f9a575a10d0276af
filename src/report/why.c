#include "report/report.h"

#include <stdio.h>

#include "base/escape.h"
#include "base/words.h"
#include "report/hand_orders.h"
#include "report/why_internal.h"

/* A chain of redirects may be long. */
enum { LINE_MAX_LEN = 64 * 1024, HOPS_SHOWN = 10 };

void why_say(struct why *why, const char *label)
{
    terminal_line(stdout, "  %-9s %s", label, buf_cstr(&why->line));
    buf_clear(&why->line);
}

/* --- a URL that was never seen ------------------------------------------ */

static enum target_kind kind_of(const struct why *why)
{
    return (enum target_kind)why->url.row.kind;
}

/* The verdict that the URL would get, whichever page links to it. Scope and
 * caps do not count for requisites. */
static enum verdict precheck(const struct why *why, unsigned *line)
{
    const struct report *report = why->report;
    const struct url *url = &why->known.url;
    bool is_requisite = kind_of(why) == TARGET_REQUISITE;
    uint64_t cap = is_requisite ? 0 : report->frontier.max_per_domain;
    enum verdict verdict =
        is_requisite ? frontier_precheck(report->validator.frontier,
                                         TARGET_REQUISITE, url, line)
        : why->known.not_html_name
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

static bool say_never_seen(struct why *why)
{
    unsigned max_depth = why->report->max_depth;
    struct str url = why->known.url.href;
    unsigned number = 0;

    if (!report_load(why->report))
        return false;
    enum verdict verdict = precheck(why, &number);
    if (verdict == ACCEPT && max_depth)
        terminal_line(stdout,
                      "%.*s was never seen; would be queued if a page of depth "
                      "%u or less linked to it",
                      STR_ARGS(url), max_depth - 1);
    else
        terminal_line(
            stdout, "%.*s was never seen; would be refused: %s", STR_ARGS(url),
            verdict == ACCEPT ? "only the seeds are fetched (maxDepth 0)"
                              : verdict_text(verdict));
    why_say_rule(why, verdict, 0, number);
    if (verdict == ACCEPT)
        why_say_filter(why);
    if (verdict == ACCEPT && max_depth && needs_robots(why))
        terminal_line(stdout,
                      "  robots    %.*s would be asked for its robots.txt "
                      "first",
                      STR_ARGS(why->host_name));
    return true;
}

/* --- a queued URL -------------------------------------------------------- */

static double hundredths(uint64_t score)
{
    return (double)score / 100;
}

static void say_score(const struct why *why, const struct target *target)
{
    const struct frontier *frontier = why->report->validator.frontier;
    uint64_t score = frontier_score(frontier, target);
    uint64_t of_url = (uint64_t)target->found * 100;
    struct domain_counts counts =
        frontier_domain_counts(frontier, &why->known.url);
    struct str domain = frontier_domain_name(target);

    if (why->report->frontier.ranking == RANKING_BFS)
        terminal_line(stdout,
                      "  score     %.2f as all; smaller depths go first, then "
                      "older URLs; %llu before it%s",
                      hundredths(score), (unsigned long long)why->url.before,
                      why->report->turn_to ? " in its partition" : "");
    else
        terminal_line(
            stdout,
            "  score     %.2f = %.2f (%.*s: %u fetched) + %.2f "
            "(found %s) + %.2f (%u links to %.*s)",
            hundredths(score), hundredths(score - of_url - counts.found),
            STR_ARGS(domain), (unsigned)counts.crawled, hundredths(of_url),
            words_count(target->found, "time").text, hundredths(counts.found),
            (unsigned)counts.found, STR_ARGS(domain));
}

static void say_earliest(const struct why *why, uint64_t due_ms)
{
    const struct report *report = why->report;
    uint64_t wall_ms = due_ms - report->now_ms + report->wall_ms;

    terminal_line(stdout, "  earliest  %s",
                  due_ms > report->now_ms
                      ? words_when(wall_ms, report->wall_ms).text
                      : "now");
}

static void say_waits(struct why *why, const struct target *target)
{
    const struct report *report = why->report;
    const struct store_host *trouble = &why->host.trouble;
    uint64_t due_ms = frontier_due_ms(target);
    bool due = due_ms <= report->now_ms;
    struct str host = why->host_name;
    struct buf *line = &why->line;

    if (due && needs_robots(why))
        buf_printf(line, "for the robots.txt of %.*s", STR_ARGS(host));
    else if (due)
        buf_put(line, STR("for its turn"));
    else if (target->state == TARGET_RETRYING && target->due_ms == due_ms)
        buf_put(line, STR("to be tried again"));
    else if (why->host.troubled && trouble->until_ms > report->wall_ms)
        buf_printf(line, "%.*s %s: %s", STR_ARGS(host),
                   trouble->backoffs ? "backs off" : "is in trouble",
                   outcome_text((enum outcome)trouble->outcome));
    else
        buf_printf(
            line, "for the pause of %.*s%s", STR_ARGS(host),
            frontier_is_left_behind(target)
                ? ", which is so long that the other hosts go on without "
                  "it"
                : "");
    why_say(why, "waits");
}

static void say_turn(struct why *why)
{
    unsigned number = 0;
    enum verdict verdict = precheck(why, &number);

    if (verdict == ACCEPT)
        return;
    terminal_line(stdout, "  turn      it would be refused: %s",
                  verdict_text(verdict));
    why_say_rule(why, verdict, 0, number);
}

static bool say_queued(struct why *why)
{
    struct report *report = why->report;

    report_turn_to(report, &why->known.url);
    if (!report_load(report))
        return false;
    const struct target *target =
        frontier_find(report->validator.frontier,
                      target_fingerprint(kind_of(why), why->known.fingerprint));
    if (target) {
        say_score(why, target);
        say_earliest(why, frontier_due_ms(target));
        say_waits(why, target);
        say_turn(why);
    }
    if (report_can_go_on(report)) {
        buf_put(&why->line, STR("is not running; "));
        report_put_resume(report, &why->line);
        buf_put(&why->line, STR(" goes on"));
        why_say(why, "crawl");
    }
    return true;
}

/* --- how it ended -------------------------------------------------------- */

static enum verdict verdict_of(const struct url_details *url)
{
    return (enum verdict)url->record.verdict;
}

/* The line of robots.txt that refused it, or 0. */
static unsigned line_of(const struct url_details *url)
{
    return url->record.refused_late ? url->refusal.line : url->row.line;
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
    const struct store_fetch *fetch = &url->fetch;
    struct buf *line = &why->line;

    switch ((enum outcome)fetch->outcome) {
    case FETCHED:
        if (fetch->page)
            buf_printf(line, "was fetched as page %s at depth %u",
                       report_page(why->report, fetch->page).text,
                       (unsigned)url->record.depth);
        if (fetch->page && fetch->depth &&
            fetch->depth - 1 != url->record.depth)
            buf_printf(line, ", and its file has depth %u",
                       (unsigned)fetch->depth - 1);
        if (!fetch->page)
            buf_put(line, url->row.kind == TARGET_REQUISITE
                              ? STR("was fetched as a requisite")
                              : STR("was read as a sitemap"));
        return;
    case CANONICAL:
        buf_printf(line, "was fetched and not saved: it names %.*s as its own",
                   STR_ARGS(fetch->target));
        return;
    case REDIRECTED:
        buf_printf(line, "was redirected to %.*s", STR_ARGS(fetch->target));
        return;
    case NOT_HTML:
        buf_put(line, fetch->settled
                          ? STR("was fetched for the archive alone: ")
                          : STR("was fetched and not kept: "));
        break;
    default:
        buf_put(line,
                url->record.end == URL_NOT_KEPT || fetch->outcome == NOT_SITEMAP
                    ? STR("was fetched and not kept: ")
                    : STR("could not be fetched: "));
    }
    put_end(line, fetch);
}

static void put_answer(struct why *why, const struct url_details *url)
{
    enum verdict verdict = verdict_of(url);
    struct buf *line = &why->line;

    buf_printf(line, "%.*s ", STR_ARGS(url->row.url));
    if (verdict != ACCEPT)
        buf_printf(line, "%s: %s",
                   url->record.end == URL_FAILED ? "could not be fetched"
                                                 : "was refused",
                   verdict_text(verdict));
    else if (url->record.fetches && url->record.ended)
        put_outcome(why, url);
    else if (is_retried(why, url))
        buf_printf(line, "is to be tried again at %s",
                   words_when(url->fetch.due_ms, why->report->wall_ms).text);
    else
        buf_printf(line, "is queued%s at depth %u",
                   url->row.kind == TARGET_REQUISITE ? " as a requisite" : "",
                   (unsigned)url->record.depth);
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
    struct str url = why->url.referrer_url;

    buf_printf(&why->line, "on page %s%s%.*s",
               report_page(why->report, why->url.record.referrer).text,
               url.len ? ", " : "", STR_ARGS(url));
}

static void say_found(struct why *why)
{
    const struct url_details *url = &why->url;
    struct buf *line = &why->line;
    uint64_t seed_ms;
    bool is_requisite = kind_of(why) == TARGET_REQUISITE;

    if (is_requisite)
        buf_put(line, STR("as a requisite, "));
    if (kind_of(why) == TARGET_SITEMAP)
        buf_put(line, STR("as a sitemap"));
    else if (!is_requisite && is_seed(why, url->row.url))
        buf_put(line, STR("as a seed"));
    else if (url->record.referrer)
        put_referrer(why);
    else if (!is_requisite && url->row.via && !url->record.depth)
        buf_put(line, STR("by a redirect from a seed"));
    else if (!is_requisite &&
             (seed_ms = hand_orders_seed_ms(why->report, url->row.url)))
        buf_printf(line, "as a seed, by hand at %s", words_time(seed_ms).text);
    else
        buf_put(line, report_nowhere(why->report,
                                     is_requisite ? 1 : url->record.depth));
    if (url->record.found > 1)
        buf_printf(line, "; %u times in all", (unsigned)url->record.found);
    why_say(why, "found");
}

/* The redirects that led here, the last first. */
static void say_before(const struct why *why)
{
    struct store_url from = why->url.row;

    for (int i = 0;
         from.via && from.via != why->url.row.number && i < HOPS_SHOWN; i++) {
        if (!store_find_url(why->report->store, from.via, &from))
            return;
        terminal_line(stdout, "  %-9s %.*s", i ? "before" : "from",
                      STR_ARGS(from.url));
    }
}

/* The URLs that it was redirected to, one after the other. */
static bool say_after(struct why *why)
{
    struct report *report = why->report;
    struct str target = why->url.fetch.target;
    struct url from = why->known.url;
    struct url_details to;
    struct page_link link;

    for (int i = 0; target.len && i < HOPS_SHOWN; i++) {
        if (pagescanner_link(&link, &why->arena, target, NULL, NULL,
                             &report->scan))
            return true;
        if (!url_details_read(&to, report, &link, &from, &why->arena))
            return false;
        if (!to.row.number || to.row.number == why->url.row.number)
            return true;
        put_answer(why, &to);
        why_say(why, "then");
        target = to.fetch.target;
        from = link.url;
    }
    return true;
}

/* --- the last fetch ------------------------------------------------------ */

static void say_fetch(struct why *why)
{
    const struct url_details *url = &why->url;
    const struct store_fetch *last = &url->fetch;
    uint64_t took_ms =
        last->end_ms > last->start_ms ? last->end_ms - last->start_ms : 0;
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
            buf_printf(line, ", %.*s", STR_ARGS(last->mime));
        if (last->page ||
            (url->row.kind == TARGET_REQUISITE && last->outcome == FETCHED))
            buf_printf(line, ", %llu bytes", (unsigned long long)last->size);
        why_say(why, "answer");
    }
    if (last->noarchive) {
        buf_put(line, STR("not kept: it asks not to be archived (noarchive)"));
        why_say(why, "archive");
    }
    buf_printf(line, "%s, took %s", words_time(last->start_ms).text,
               words_duration(took_ms).text);
    if (url->record.fetches > 1)
        buf_printf(line, "; %u tries", (unsigned)url->record.fetches);
    why_say(why, "fetched");
}

/* --- all of it ---------------------------------------------------------- */

static bool say_known(struct why *why)
{
    const struct url_details *url = &why->url;
    enum verdict verdict = verdict_of(url);

    if (verdict == DOMAIN_CAP && !report_load(why->report))
        return false;
    if (!str_eq(why->asked.url.href, url->row.url))
        terminal_line(stdout, "%.*s is a duplicate: another spelling of %.*s",
                      STR_ARGS(why->asked.url.href), STR_ARGS(url->row.url));
    put_answer(why, url);
    terminal_line(stdout, "%s", buf_cstr(&why->line));
    buf_clear(&why->line);
    if (verdict != ACCEPT)
        why_say_rule(why, verdict, url->record.depth, line_of(url));
    say_found(why);
    say_before(why);
    say_fetch(why);
    return say_after(why) && (url->record.end != URL_QUEUED || say_queued(why));
}

/* Read what is known of the host of the URL. */
static bool read_host(struct why *why)
{
    const struct url_details *url = &why->url;

    if (!url->row.number ||
        pagescanner_link(&why->known, &why->arena, url->row.url, NULL, NULL,
                         &why->report->scan))
        why->known = why->asked;
    why->host_name = url_host_port(&why->known.url);
    return host_details_read(&why->host, why->report, &why->known.url,
                             line_of(url), &why->arena);
}

bool why_print(struct report *report, const struct page_link *link,
               const struct url_details *details)
{
    struct why why = {.report = report, .asked = *link, .url = *details};

    buf_init(&why.line, LINE_MAX_LEN);
    arena_init(&why.arena);
    bool good = read_host(&why) &&
                (why.url.row.number ? say_known(&why) : say_never_seen(&why));
    buf_release(&why.line);
    arena_release(&why.arena);
    return good;
}
