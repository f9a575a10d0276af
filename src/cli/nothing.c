#include "cli/nothing.h"

#include "cli/seeds.h"
#include "cli/usage.h"

enum { LINE_MAX_LEN = 8 * 1024, URL_REPEATED = 200 };

/* --- what would help ---------------------------------------------------- */

/* Would the URL be in scope with this --scope? */
static bool is_in(const struct plan *plan, const struct options *options,
                  enum scope_kind kind, const struct url *url)
{
    struct scope *scope = scope_new(plan->domains);

    for (size_t i = 0; i < plan->seed_count; i++)
        scope_add_seed(scope, kind, &plan->seeds[i].url);
    if (!plan->seed_count)
        seeds_add_sitemaps_to(scope, kind, options);
    bool inside = scope_contains(scope, url);
    scope_free(scope);
    return inside;
}

/* The narrowest --scope that the URL is in. */
static const char *scope_for(const struct plan *plan,
                             const struct options *options,
                             const struct url *url)
{
    enum scope_kind kind = SCOPE_PREFIX;

    while (kind < SCOPE_ANY && !is_in(plan, options, kind, url))
        kind++;
    return scope_kind_name(kind);
}

static void put_scope(struct buf *out, const struct plan *plan,
                      const struct options *options, struct str text,
                      bool redirect)
{
    struct arena arena;
    struct url url;

    arena_init(&arena);
    if (!url_parse(&url, &arena, text, NULL, NULL)) {
        buf_put(out, STR("; "));
        if (redirect && text.len <= URL_REPEATED &&
            plan_scope_kind(options) != SCOPE_KINDS)
            buf_printf(out, "start from %.*s, or ", (int)text.len, text.ptr);
        buf_printf(out, "use --scope %s%s", scope_for(plan, options, &url),
                   redirect ? " to follow it" : "");
    }
    arena_release(&arena);
}

static bool is_asked_by_site(const struct reason *reason)
{
    switch (reason->kind) {
    case REASON_NO_ROBOTS:
        return true;
    case REASON_VERDICT:
        return reason->verdict == ROBOTS_REFUSED;
    case REASON_OUTCOME:
        return reason->outcome == NOINDEX;
    default:
        return false;
    }
}

static void put_help(struct buf *out, const struct plan *plan,
                     const struct options *options, const struct reason *reason)
{
    bool redirect = reason->kind == REASON_REDIRECT;

    if (is_asked_by_site(reason))
        buf_put(out, STR("; --robots ignore is for a site of your own"));
    else if (redirect && reason->verdict == TOO_MANY_REDIRECTS)
        buf_put(out, STR("; --max-redirects allows more"));
    else if (reason->verdict == EXTERNAL)
        put_scope(out, plan, options, redirect ? reason->target : reason->url,
                  redirect);
}

/* --- the line ----------------------------------------------------------- */

static void put_reason(struct buf *out, const struct plan *plan,
                       const struct options *options,
                       const struct reason *reason)
{
    uint64_t total = reasons_total(plan->crawl.reasons);

    buf_put(out, STR(": "));
    if (reason->count < total)
        buf_printf(out, "%llu of %llu URLs such as ",
                   (unsigned long long)reason->count,
                   (unsigned long long)total);
    else if (total > 1)
        buf_printf(out, "all %llu URLs such as ", (unsigned long long)total);
    reason_put(out, reason);
    put_help(out, plan, options, reason);
}

/* What ended before this program began has no example. */
static void put_former(struct buf *out, const struct stats *stats)
{
    enum outcome outcome = stats_main_failure(stats);

    if (outcome != OUTCOMES)
        buf_printf(out, ": %s", outcome_text(outcome));
}

void nothing_tell(const struct plan *plan, const struct options *options,
                  const struct stats *stats)
{
    const struct reason *reason = reasons_main(plan->crawl.reasons);
    struct buf line;

    buf_init(&line, LINE_MAX_LEN);
    if (reason)
        put_reason(&line, plan, options, reason);
    else
        put_former(&line, stats);
    complain("not a single page could be fetched%s", buf_cstr(&line));
    buf_release(&line);
}
