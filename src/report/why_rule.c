/* Why a URL was refused: the rule, and where it stands. */
#include "base/escape.h"
#include "report/hand_orders.h"
#include "report/why_internal.h"

/* A line of robots.txt may be long. */
enum { RULE_SHOWN = 200 };

static void say_robots_line(const struct why *why, unsigned number)
{
    const struct store_robots *rules = &why->host.rules;
    struct buf text;

    if (!why->host.has_rules)
        return;
    buf_init(&text, ROBOTS_SIZE_MAX);
    robots_line(rules->text, number, &text);
    struct str shown = str_first(buf_str(&text), RULE_SHOWN);
    terminal_line(stdout, "  rule      line %u of %.*s: %.*s%s", number,
                  STR_ARGS(rules->url), STR_ARGS(shown),
                  text.len > shown.len ? "..." : "");
    buf_release(&text);
}

/* How the host is: given up, in whole or for a scheme, or in trouble. */
static const char *trouble_text(const struct store_host *trouble, bool https)
{
    if (trouble->given_up & GIVEN_UP_HOST)
        return "was given up";
    if (trouble->given_up & (https ? GIVEN_UP_HTTPS : GIVEN_UP_HTTP))
        return https ? "was given up for https" : "was given up for http";
    return trouble->backoffs ? "backs off" : "is in trouble";
}

static void say_trouble(struct why *why)
{
    const struct store_host *trouble = &why->host.trouble;
    unsigned times =
        trouble->failures > trouble->mute ? trouble->failures : trouble->mute;

    if (!why->host.troubled)
        return;
    buf_printf(&why->line, "%.*s %s", STR_ARGS(why->host_name),
               trouble_text(trouble, why->known.url.https));
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

    if (!why->host.rules_failed)
        return;
    buf_printf(&why->line, "%.*s: ", STR_ARGS(failure->url));
    outcome_put(&why->line, (enum outcome)failure->outcome, &details);
    why_say(why, "robots");
}

static void say_cap(const struct why *why)
{
    const struct report *report = why->report;
    const struct url *url = &why->known.url;
    struct str name = domain_of_host(report->domains, url_host(url));
    struct domain_counts counts =
        frontier_domain_counts(report->validator.frontier, url);

    terminal_line(stdout,
                  "  cap       %.*s has had %u fetches, --max-per-domain was "
                  "%llu",
                  STR_ARGS(name), (unsigned)counts.crawled,
                  (unsigned long long)report->frontier.max_per_domain);
}

void why_say_filter(const struct why *why)
{
    struct filter *filter = why->report->filter;

    if (!filter)
        return;
    struct filter_answer answer = filter_judge(filter, why->known.url.href);
    if (answer.pattern.ptr)
        terminal_line(stdout, "  rule      %s '%.*s'%s",
                      filter_option(answer.kind), STR_ARGS(answer.pattern),
                      answer.verdict == FILTER_UNDECIDED
                          ? " cannot be decided within its limits"
                          : "");
}

void why_say_rule(struct why *why, enum verdict verdict, uint32_t depth,
                  unsigned line)
{
    struct report *report = why->report;

    switch (verdict) {
    case EXTERNAL:
        scope_describe(report->scope, &why->line);
        why_say(why, "scope");
        break;
    case TOO_DEEP:
        terminal_line(stdout, "  depth     %u, maxDepth is %u", (unsigned)depth,
                      (unsigned)report->max_depth);
        break;
    case TOO_MANY_REDIRECTS:
        terminal_line(stdout, "  limit     --max-redirects was %u",
                      (unsigned)report->max_redirects);
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
    case EXCLUDED:
    case RULE_LIMIT:
        why_say_filter(why);
        break;
    case BY_HAND:
        hand_orders_print(report, &why->known.url,
                          why->url.record.refused_late ? why->url.refusal.at_ms
                                                       : UINT64_MAX);
        break;
    default:
        break;
    }
}
