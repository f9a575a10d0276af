#include "cli/why.h"

#include <stdio.h>

#include "cli/usage.h"

/* How much of a line of robots.txt is shown; it may be long. */
enum { RULE_SHOWN = 200 };

/* --- lines -------------------------------------------------------------- */

/* "  label     the line so far" */
void why_say(struct why *why, const char *label)
{
    usage_line(stdout, "  %-9s %s", label, buf_cstr(&why->line));
    buf_clear(&why->line);
}

static void put_host(struct why *why)
{
    const struct url *url = &why->judged.url;

    buf_put(&why->line, str_between(url->href.ptr + url->host_start,
                                    url->href.ptr + url->path_start));
}

/* A time of the wall clock, and how far away it is. */
void why_put_when(struct why *why, uint64_t wall_ms)
{
    ask_put_time(&why->line, wall_ms);
    if (wall_ms <= why->ask->wall_ms)
        return;
    buf_put(&why->line, STR(", in "));
    ask_put_duration(&why->line, wall_ms - why->ask->wall_ms);
}

/* --- the rule ----------------------------------------------------------- */

static void say_robots_line(struct why *why, unsigned number)
{
    const struct evidence *evidence = &why->evidence;
    struct buf *line = &why->line;
    struct buf text;

    if (!evidence->has_rules)
        return;
    buf_init(&text, ROBOTS_SIZE_MAX);
    robots_line(evidence->rules.text, number, &text);
    buf_printf(line, "line %u of %.*s: %.*s%s", number,
               (int)evidence->rules.url.len, evidence->rules.url.ptr,
               (int)str_first(buf_str(&text), RULE_SHOWN).len, buf_cstr(&text),
               text.len > RULE_SHOWN ? "..." : "");
    buf_release(&text);
    why_say(why, "rule");
}

static void say_trouble(struct why *why)
{
    const struct store_host *trouble = &why->evidence.trouble;
    unsigned times =
        trouble->failures > trouble->mute ? trouble->failures : trouble->mute;
    unsigned of_scheme = why->judged.url.https ? GIVEN_UP_HTTPS : GIVEN_UP_HTTP;

    if (!why->evidence.troubled)
        return;
    put_host(why);
    if (trouble->given_up & GIVEN_UP_HOST)
        buf_put(&why->line, STR(" was given up"));
    else if (trouble->given_up & of_scheme)
        buf_printf(&why->line, " was given up for %s",
                   why->judged.url.https ? "https" : "http");
    else
        buf_put(&why->line, STR(" is in trouble"));
    if (times)
        buf_printf(&why->line, ", %u times in a row", times);
    buf_printf(&why->line, "; last: %s",
               outcome_text((enum outcome)trouble->outcome));
    why_say(why, "host");
}

static void say_robots_failure(struct why *why)
{
    const struct store_robots *failure = &why->evidence.failure;
    const struct outcome_details details = {.status = (int)failure->status};
    struct buf *line = &why->line;

    if (!why->evidence.rules_failed)
        return;
    buf_printf(line, "%.*s: ", (int)failure->url.len, failure->url.ptr);
    outcome_put(line, (enum outcome)failure->outcome, &details);
    why_say(why, "robots");
}

static void say_cap(struct why *why)
{
    const struct url *url = &why->judged.url;
    struct str name = domain_of_host(why->ask->plan.domains, url_host(url));
    struct domain_counts counts =
        frontier_domain_counts(why->ask->validator.frontier, url);

    buf_printf(
        &why->line, "%.*s has had %u fetches, --max-per-domain was %llu",
        (int)name.len, name.ptr, (unsigned)counts.crawled,
        (unsigned long long)why->ask->plan.crawl.frontier.max_per_domain);
    why_say(why, "cap");
}

/* What the verdict is founded on. */
void why_say_rule(struct why *why, enum verdict verdict, uint32_t depth,
                  unsigned line)
{
    const struct crawl_options *crawl = &why->ask->plan.crawl;

    switch (verdict) {
    case EXTERNAL:
        ask_put_scope(why->ask, &why->line);
        why_say(why, "scope");
        break;
    case TOO_DEEP:
        buf_printf(&why->line, "%u, maxDepth is %u", (unsigned)depth,
                   (unsigned)crawl->max_depth);
        why_say(why, "depth");
        break;
    case TOO_MANY_REDIRECTS:
        buf_printf(&why->line, "--max-redirects was %u",
                   (unsigned)crawl->max_redirects);
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

/* What is known to refuse it, whoever links to it. */
static enum verdict foresee(const struct why *why, unsigned *line)
{
    const struct ask *ask = why->ask;
    const struct url *url = &why->judged.url;
    uint64_t cap = ask->plan.crawl.frontier.max_per_domain;
    enum verdict verdict = why->judged.not_html_name
                               ? NOT_HTML_NAME
                               : validator_foresee(&ask->validator, url, line);

    if (verdict != ACCEPT)
        return verdict;
    if (cap &&
        frontier_domain_counts(ask->validator.frontier, url).crawled >= cap)
        return DOMAIN_CAP;
    /* The frontier forgets rules that are old; here they are good enough. */
    return evidence_allows(&why->evidence, url,
                           ask->plan.crawl.hand.robots_agent, line)
               ? ACCEPT
               : ROBOTS_REFUSED;
}

static bool needs_robots(const struct why *why)
{
    return why->ask->plan.crawl.hand.robots_agent.len &&
           (!why->evidence.has_rules ||
            why->evidence.rules.until_ms <= why->ask->wall_ms);
}

int why_say_never_seen(struct why *why)
{
    uint32_t max_depth = why->ask->plan.crawl.max_depth;
    struct buf *line = &why->line;
    unsigned number = 0;
    int status = ask_load(why->ask);

    if (status)
        return status;
    enum verdict verdict = foresee(why, &number);
    buf_put(&why->line, why->judged.url.href);
    buf_put(line, STR(" was never seen; would be "));
    if (verdict != ACCEPT)
        buf_printf(line, "refused: %s", verdict_text(verdict));
    else if (max_depth)
        buf_printf(line, "queued if a page of depth %u or less linked to it",
                   (unsigned)max_depth - 1);
    else
        buf_put(line, STR("refused: only the seeds are fetched (maxDepth 0)"));
    usage_line(stdout, "%s", buf_cstr(line));
    buf_clear(line);
    why_say_rule(why, verdict, 0, number);
    if (verdict == ACCEPT && max_depth && needs_robots(why)) {
        put_host(why);
        buf_put(line, STR(" would be asked for its robots.txt first"));
        why_say(why, "robots");
    }
    return 0;
}

/* --- what is to be ------------------------------------------------------ */

static double hundredths(uint64_t score)
{
    return (double)score / 100;
}

static void say_score(struct why *why, const struct target *target)
{
    const struct frontier *frontier = why->ask->validator.frontier;
    uint64_t score = frontier_score(frontier, target);
    struct domain_counts counts =
        frontier_domain_counts(frontier, &why->judged.url);
    struct str domain = frontier_domain_name(target);
    struct buf *line = &why->line;

    if (why->ask->plan.crawl.frontier.order == ORDER_BFS) {
        uint64_t before = history_before(&why->history, why->fate[0].number);
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
    const struct ask *ask = why->ask;
    uint64_t due_ms = frontier_due_ms(target);

    if (due_ms > ask->now_ms)
        why_put_when(why, due_ms - ask->now_ms + ask->wall_ms);
    else
        buf_put(&why->line, STR("now"));
    why_say(why, "earliest");
}

static void say_waits(struct why *why, const struct target *target)
{
    const struct ask *ask = why->ask;
    const struct store_host *trouble = &why->evidence.trouble;
    struct buf *line = &why->line;
    bool due = frontier_due_ms(target) <= ask->now_ms;

    if (due && needs_robots(why)) {
        buf_put(line, STR("for the robots.txt of "));
        put_host(why);
    } else if (due) {
        buf_put(line, STR("for its turn"));
    } else if (target->state == TARGET_RETRYING &&
               target->due_ms == frontier_due_ms(target)) {
        buf_put(line, STR("to be tried again"));
    } else if (why->evidence.troubled && trouble->until_ms > ask->wall_ms) {
        put_host(why);
        buf_printf(line, " is in trouble: %s",
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
    enum verdict verdict = foresee(why, &number);

    if (verdict == ACCEPT)
        return;
    buf_printf(&why->line, "it would be refused: %s", verdict_text(verdict));
    why_say(why, "turn");
    why_say_rule(why, verdict, 0, number);
}

int why_say_queued(struct why *why)
{
    int status = ask_load(why->ask);

    if (status)
        return status;
    const struct target *target =
        frontier_find(why->ask->validator.frontier, why->judged.fingerprint);
    if (target) {
        say_score(why, target);
        say_earliest(why, target);
        say_waits(why, target);
        say_turn(why);
    }
    if (ask_state_is_open(ask_state(why->ask))) {
        buf_printf(&why->line, "is not running; crawler --resume %s goes on",
                   why->ask->dir_path);
        why_say(why, "crawl");
    }
    return 0;
}
