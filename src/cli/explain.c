#include "cli/explain.h"

#include <assert.h>

#include "cli/usage.h"

enum { LINE_MAX_LEN = 8 * 1024, URL_REPEATED = 200 };

/* --- the scope ------------------------------------------------------------ */

/* A few names are enough to see what is meant. */
enum { NAMES_SHOWN = 5, TEXT_MAX = 64 * 1024 };

struct names {
    struct buf *out;
    struct str shown[NAMES_SHOWN];
    size_t count;
    bool more;
};

static void put_name(struct names *names, struct str name)
{
    for (size_t i = 0; i < names->count; i++)
        if (str_eq(names->shown[i], name))
            return;
    if (names->count < NAMES_SHOWN) {
        names->shown[names->count++] = name;
        buf_printf(names->out, "%s%.*s", names->count > 1 ? ", " : "",
                   (int)name.len, name.ptr);
    } else if (!names->more) {
        names->more = true;
        buf_put(names->out, STR(" and others"));
    }
}

/* The part of a URL that a scope of this kind is made of; see url/scope.h. */
static struct str name_of(const struct plan *plan, enum scope_kind kind,
                          const struct url *url)
{
    size_t end = url->path_end;

    switch (kind) {
    case SCOPE_PREFIX:
        while (url->href.ptr[end - 1] != '/')
            end--;
        return str_first(url->href, end);
    case SCOPE_HOST:
        return url_host_port(url);
    default:
        return domain_of_host(plan->domains, url_host(url));
    }
}

static void put_prefixes(const struct plan *plan, struct buf *out)
{
    const struct list *internal = &plan->options->internal;
    struct names names = {.out = out};

    buf_put(out, STR("what begins with "));
    if (plan_is_course(plan))
        put_name(&names, STR(COURSE_PREFIX));
    for (size_t i = 0; i < internal->count; i++)
        put_name(&names, str_of(internal->item[i]));
}

static void put_starts(const struct plan *plan, enum scope_kind kind,
                       struct buf *out)
{
    static const char *const what[] = {
        [SCOPE_PREFIX] = "what begins with ",
        [SCOPE_HOST] = "the host ",
        [SCOPE_DOMAIN] = "the domain ",
        [SCOPE_ANY] = "everything",
    };
    struct names names = {.out = out};
    const struct url *url;

    static_assert(ARRAY_LEN(what) == SCOPE_KINDS, "every kind has its words");
    buf_printf(out, "%s%s", out->len ? "; " : "", what[kind]);
    for (size_t i = 0;
         kind != SCOPE_ANY && !names.more && (url = plan_start(plan, i)); i++)
        put_name(&names, name_of(plan, kind, url));
}

const char *explain_scope(const struct plan *plan, struct arena *arena)
{
    enum scope_kind kind = plan_scope_kind(plan);
    struct buf out;

    buf_init(&out, TEXT_MAX);
    if (plan_is_course(plan) || plan->options->internal.count)
        put_prefixes(plan, &out);
    if (kind != SCOPE_KINDS)
        put_starts(plan, kind, &out);
    const char *text = arena_copy(arena, buf_str(&out)).ptr;
    buf_release(&out);
    return text;
}

/* --- not a single page --------------------------------------------------- */

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
