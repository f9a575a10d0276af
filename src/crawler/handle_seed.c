#include "crawler/crawler_thread.h"

/* A seed that redirects to another host of its registrable domain, or from http
 * to https, takes the scope along: users type example.org and mean the site
 * that answers, wherever its owner has put it. The scope grows by what it would
 * have had if the crawl had started there. The record has these URLs, so that
 * a resume and `crawler why` have the same scope. */

static bool can_move(const struct crawler *crawler)
{
    enum scope_kind kind = crawler->options->scope_kind;

    return kind == SCOPE_PREFIX || kind == SCOPE_HOST;
}

void note_seeds(struct crawler *crawler)
{
    const struct crawl_options *options = crawler->options;

    if (!can_move(crawler))
        return;
    for (size_t i = 0; i < options->seed_count; i++)
        seen_add(&crawler->seed_urls, options->seeds[i].fingerprint);
    for (size_t i = 0; i < options->moved_count; i++)
        seen_add(&crawler->seed_urls, options->moved[i].fingerprint);
    crawler->moved = options->moved_count;
}

bool is_wanted(const struct crawler *crawler, const struct url *url)
{
    struct filter *filter = crawler->options->filter;

    return !filter ||
           filter_judge(filter, url->href).verdict == FILTER_INCLUDED;
}

void move_scope(struct crawler *crawler, const struct target *from,
                const struct page_link *to)
{
    const struct crawl_options *options = crawler->options;
    struct url old = target_url_parts(from);

    if (!can_move(crawler) || from->redirects >= options->max_redirects ||
        !seen_has(&crawler->seed_urls, from->fingerprint) ||
        !is_wanted(crawler, &to->url))
        return;
    bool inside = scope_contains(options->scope, &to->url);
    if (!inside && !scope_may_move(options->scope, &old, &to->url))
        return;
    /* Its own redirects count as the seed's, also after a resume. */
    seen_add(&crawler->seed_urls, to->fingerprint);
    record_moved(crawler->record, crawler->moved++, to->url.href);
    if (inside)
        return;
    scope_add_seed(options->scope, options->scope_kind, &to->url);
    logr_note(options->log,
              "%.*s redirects to %.*s: the scope is now also the %s of that",
              STR_ARGS(old.href), STR_ARGS(to->url.href),
              options->scope_kind == SCOPE_HOST ? "host" : "directory");
}
