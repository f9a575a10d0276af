#include "cli/explain.h"

#include "cli/usage.h"

enum { LINE_MAX_LEN = 8 * 1024, URL_REPEATED = 200 };

/* Would the URL be in scope with this --scope? */
static bool is_in(const struct plan *plan, enum scope_kind kind,
                  const struct url *url)
{
    struct scope *scope = scope_new(plan->domains);
    const struct url *start;

    for (size_t i = 0; (start = plan_start(plan, i)); i++)
        scope_add_seed(scope, kind, start);
    bool inside = scope_contains(scope, url);
    scope_free(scope);
    return inside;
}

/* The narrowest --scope that the URL is in. */
static const char *scope_for(const struct plan *plan, const struct url *url)
{
    enum scope_kind kind = SCOPE_PREFIX;

    while (kind < SCOPE_ANY && !is_in(plan, kind, url))
        kind++;
    return scope_kind_name(kind);
}

static void put_scope(struct buf *out, const struct plan *plan, struct str text,
                      bool redirect)
{
    struct arena arena;
    struct url url;

    arena_init(&arena);
    if (!url_parse(&url, &arena, text, NULL, NULL)) {
        buf_put(out, STR("; "));
        if (redirect && text.len <= URL_REPEATED &&
            plan_scope_kind(plan) != SCOPE_KINDS)
            buf_printf(out, "start from %.*s, or ", (int)text.len, text.ptr);
        buf_printf(out, "use --scope %s%s", scope_for(plan, &url),
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
                     const struct reason *reason)
{
    bool redirect = reason->kind == REASON_REDIRECT;

    if (is_asked_by_site(reason))
        buf_put(out, STR("; --robots ignore is for a site of your own"));
    else if (redirect && reason->verdict == TOO_MANY_REDIRECTS)
        buf_put(out, STR("; --max-redirects allows more"));
    else if (reason->verdict == EXTERNAL)
        put_scope(out, plan, redirect ? reason->target : reason->url, redirect);
}

static void put_reason(struct buf *out, const struct plan *plan,
                       const struct reason *reason)
{
    unsigned long long total = reasons_total(plan->crawl.reasons);

    buf_put(out, STR(": "));
    if (reason->count < total)
        buf_printf(out, "%llu of %llu URLs such as ",
                   (unsigned long long)reason->count, total);
    else if (total > 1)
        buf_printf(out, "all %llu URLs such as ", total);
    reason_put(out, reason);
    put_help(out, plan, reason);
}

void explain_nothing(const struct plan *plan, const struct stats *stats)
{
    const struct reason *reason = reasons_main(plan->crawl.reasons);
    enum outcome outcome = stats_main_failure(stats);
    struct buf line;

    buf_init(&line, LINE_MAX_LEN);
    if (reason)
        put_reason(&line, plan, reason);
    else if (outcome != OUTCOMES) /* of an earlier run: no URL is known */
        buf_printf(&line, ": %s", outcome_text(outcome));
    complain("not a single page could be fetched%s", buf_cstr(&line));
    buf_release(&line);
}
