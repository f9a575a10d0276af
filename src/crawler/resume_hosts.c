#include "crawler/resume_internal.h"

#include <stdio.h>

#include "frontier/by_hand.h"
#include "web/filter.h"

/* Rows of hosts and domains, and of orders, which are about hosts and patterns.
 */

/* The longest wait of a host in trouble. If the clock was set back, nothing
 * waits longer than it would have waited from the beginning. */
enum { TROUBLE_MAX_MS = 3600 * 1000 };

static bool parse_with(struct loader *loader, const char *scheme,
                       struct str name, struct url *url)
{
    char text[URL_LEN_MAX + 32];

    if (name.len > URL_LEN_MAX)
        return false;
    int len = snprintf(text, sizeof(text), "%s://%.*s/", scheme, (int)name.len,
                       name.ptr);
    return resume_parse(loader, (struct str){text, (size_t)len}, url);
}

/* "example.org:80" is a host of https, and only of that. */
static bool parse_name(struct loader *loader, bool https, struct str name,
                       struct url *url)
{
    return parse_with(loader, https ? "https" : "http", name, url) ||
           parse_with(loader, https ? "http" : "https", name, url);
}

bool resume_load_domain(void *user, const struct store_domain *row)
{
    struct loader *loader = user;
    struct url url;

    if (!parse_name(loader, false, row->name, &url))
        return true; /* no host can have this domain */
    frontier_restore_found(loader->validator->frontier, &url, row->found);
    return true;
}

bool resume_load_host(void *user, const struct store_host *row)
{
    struct loader *loader = user;
    const struct host_state state = {
        .failures = row->failures,
        .no_reply_count = row->mute,
        .given_up = row->given_up,
        .backoffs = row->backoffs,
        .last_outcome = row->outcome,
        .next_ms = resume_future(loader, row->until_ms, TROUBLE_MAX_MS),
    };
    struct url url;

    if (row->outcome >= OUTCOMES || !parse_name(loader, false, row->name, &url))
        return false;
    frontier_restore_host(loader->validator->frontier, &url, &state,
                          loader->options->now_ms);
    return true;
}

bool resume_load_robots(void *user, const struct store_robots *row)
{
    struct loader *loader = user;
    const struct resume_options *options = loader->options;
    struct frontier *frontier = loader->validator->frontier;
    uint64_t until_ms =
        resume_future(loader, row->until_ms, FRONTIER_ROBOTS_KEPT_MS);
    uint64_t clock_ms =
        resume_future(loader, row->end_ms + row->pause_ms, row->pause_ms);
    struct url url;

    resume_note_last_fetch(loader, row->end_ms);
    if (clock_ms) {
        if (!resume_parse(loader, row->url, &url))
            return false;
        frontier_restore_clock(frontier, &url, clock_ms, options->now_ms);
    }
    if (!row->known || !until_ms || !options->robots_agent.len)
        return true;
    if (!parse_name(loader, row->https, row->host, &url))
        return false;
    frontier_restore_robots(
        frontier, &url,
        row->text.ptr ? robots_new(row->text, options->robots_agent) : NULL,
        until_ms, options->now_ms);
    return true;
}

/* The host's own rows tell what a retry did to it. */
bool resume_load_order(void *user, const struct store_hand_order *row)
{
    struct loader *loader = user;
    struct frontier *frontier = loader->validator->frontier;
    uint64_t now_ms = loader->options->now_ms;
    bool is_drop = row->kind == ORDER_DROP;
    struct url url;

    if (row->kind == ORDER_NONE || row->kind >= ORDER_KINDS)
        return false;
    if (row->kind == ORDER_DELAY || is_drop || row->kind == ORDER_RETRY) {
        if (!parse_name(loader, false, row->text, &url))
            return false;
        if (row->kind == ORDER_DELAY)
            frontier_set_delay(frontier, &url,
                               row->usual ? BY_HAND_NO_DELAY : row->delay_ms,
                               now_ms);
        else
            frontier_set_dropped(frontier, &url, is_drop, now_ms);
    } else if (row->kind == ORDER_EXCLUDE || row->kind == ORDER_ALLOW) {
        size_t at;
        if (!row->text.ptr || glob_fault(row->text, &at))
            return false;
        frontier_add_pattern(frontier, row->text, row->kind == ORDER_ALLOW);
    }
    if (loader->options->rules)
        hand_rules_add(loader->options->rules, row);
    return true;
}
