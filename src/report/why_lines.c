#include "report/why_lines.h"

#include <stdio.h>

#include "base/terminal.h"
#include "report/words.h"

/* How much of a line of robots.txt is shown; it may be long. */
enum { RULE_SHOWN = 200 };

/* --- lines -------------------------------------------------------------- */

void why_say(struct why *why, const char *label)
{
    terminal_line(stdout, "  %-9s %s", label, buf_cstr(&why->line));
    buf_clear(&why->line);
}

static void put_host(struct why *why)
{
    buf_put(&why->line, url_host_port(&why->known.url));
}

void why_put_when(struct why *why, uint64_t wall_ms)
{
    words_put_time(&why->line, wall_ms);
    if (wall_ms <= why->report->wall_ms)
        return;
    buf_put(&why->line, STR(", in "));
    words_put_duration(&why->line, wall_ms - why->report->wall_ms);
}

/* --- the rule ----------------------------------------------------------- */

static void say_robots_line(struct why *why, unsigned number)
{
    const struct host_record *host = &why->host;
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
    why_say(why, "rule");
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
    why_say(why, "host");
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
    why_say(why, "robots");
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
    why_say(why, "cap");
}

void why_say_rule(struct why *why, enum verdict verdict, uint32_t depth,
                  unsigned line)
{
    const struct report *report = why->report;

    switch (verdict) {
    case EXTERNAL:
        buf_put(&why->line, str_of(report->scope_text));
        why_say(why, "scope");
        break;
    case TOO_DEEP:
        buf_printf(&why->line, "%u, maxDepth is %u", (unsigned)depth,
                   (unsigned)report->max_depth);
        why_say(why, "depth");
        break;
    case TOO_MANY_REDIRECTS:
        buf_printf(&why->line, "--max-redirects was %u",
                   (unsigned)report->max_redirects);
        why_say(why, "limit");
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

/* --- what would be ------------------------------------------------------ */

/* ACCEPT, or a verdict that holds whoever links to it. */
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
    return host_record_allows(&why->host, url, report->scan.robots_agent, line)
               ? ACCEPT
               : ROBOTS_REFUSED;
}

static bool needs_robots(const struct why *why)
{
    return why->report->scan.robots_agent.len &&
           (!why->host.has_rules ||
            why->host.rules.until_ms <= why->report->wall_ms);
}

bool why_say_never_seen(struct why *why, struct store_error *error)
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
    why_say_rule(why, verdict, 0, number);
    if (verdict == ACCEPT && max_depth && needs_robots(why)) {
        put_host(why);
        buf_put(line, STR(" would be asked for its robots.txt first"));
        why_say(why, "robots");
    }
    return true;
}

/* --- what is to be ------------------------------------------------------ */

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
        uint64_t before = url_index_before(&why->index, why->details[0].number);
        buf_printf(line,
                   "%.2f as all, smaller depths and older ones first; %llu "
                   "before it",
                   hundredths(score), (unsigned long long)before);
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
    why_say(why, "score");
}

static void say_earliest(struct why *why, const struct target *target)
{
    const struct report *report = why->report;
    uint64_t due_ms = frontier_due_ms(target);

    if (due_ms > report->now_ms)
        why_put_when(why, due_ms - report->now_ms + report->wall_ms);
    else
        buf_put(&why->line, STR("now"));
    why_say(why, "earliest");
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
    why_say(why, "waits");
}

static void say_turn(struct why *why)
{
    unsigned number = 0;
    enum verdict verdict = precheck(why, &number);

    if (verdict == ACCEPT)
        return;
    buf_printf(&why->line, "it would be refused: %s", verdict_text(verdict));
    why_say(why, "turn");
    why_say_rule(why, verdict, 0, number);
}

bool why_say_queued(struct why *why, struct store_error *error)
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
        why_say(why, "crawl");
    }
    return true;
}
