#include "cli/scope_text.h"

#include <assert.h>

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
    if (names->count == NAMES_SHOWN) {
        names->more = true;
        return;
    }
    names->shown[names->count++] = name;
    buf_printf(names->out, "%s%.*s", names->count > 1 ? ", " : "",
               (int)name.len, name.ptr);
}

static struct str directory_of(const struct url *url)
{
    size_t end = url->path_end;

    while (url->href.ptr[end - 1] != '/')
        end--;
    return str_first(url->href, end);
}

/* The part of a seed that a rule of this kind takes; see url/scope.h. */
static struct str name_of(const struct plan *plan, enum scope_kind kind,
                          const struct url *seed)
{
    switch (kind) {
    case SCOPE_PREFIX:
        return directory_of(seed);
    case SCOPE_HOST:
        return url_host_port(seed);
    case SCOPE_DOMAIN:
        return domain_of_host(plan->domains, url_host(seed));
    case SCOPE_ANY:
    case SCOPE_KINDS:
        break;
    }
    return (struct str){0};
}

/* Without seeds the sitemaps count, as in cli/seeds.c. */
static void put_names(const struct plan *plan, const struct options *options,
                      enum scope_kind kind, struct names *names)
{
    const struct list *sitemaps = &options->sitemap;
    struct arena arena;
    struct url url;

    for (size_t i = 0; i < plan->seed_count && !names->more; i++)
        put_name(names, name_of(plan, kind, &plan->seeds[i].url));
    arena_init(&arena);
    for (size_t i = 0; !plan->seed_count && i < sitemaps->count; i++)
        if (!url_parse(&url, &arena, str_of(sitemaps->item[i]), NULL, NULL))
            put_name(names, name_of(plan, kind, &url));
    if (names->more)
        buf_put(names->out, STR(" and others"));
    arena_release(&arena);
}

static void put_prefixes(const struct options *options, struct buf *out)
{
    struct names names = {.out = out};

    if (plan_is_course(options))
        put_name(&names, STR(COURSE_PREFIX));
    for (size_t i = 0; i < options->internal.count; i++)
        put_name(&names, str_of(options->internal.item[i]));
    if (names.more)
        buf_put(out, STR(" and others"));
}

static void put_scope(const struct plan *plan, const struct options *options,
                      struct buf *out)
{
    static const char *const what[] = {
        [SCOPE_PREFIX] = "what begins with ",
        [SCOPE_HOST] = "the host ",
        [SCOPE_DOMAIN] = "the domain ",
        [SCOPE_ANY] = "everything",
    };
    enum scope_kind kind = plan_scope_kind(options);
    struct names names = {.out = out};

    static_assert(ARRAY_LEN(what) == SCOPE_KINDS, "every kind has its words");
    if (plan_is_course(options) || options->internal.count) {
        buf_put(out, STR("what begins with "));
        put_prefixes(options, out);
        if (kind != SCOPE_KINDS)
            buf_put(out, STR("; "));
    }
    if (kind == SCOPE_KINDS)
        return;
    buf_put(out, str_of(what[kind]));
    if (kind != SCOPE_ANY)
        put_names(plan, options, kind, &names);
}

const char *scope_text(const struct plan *plan, const struct options *options,
                       struct arena *arena)
{
    struct buf out;

    buf_init(&out, TEXT_MAX);
    put_scope(plan, options, &out);
    const char *text = arena_copy(arena, buf_str(&out)).ptr;
    buf_release(&out);
    return text;
}
