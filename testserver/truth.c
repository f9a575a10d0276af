#include "testserver/truth.h"

#include <stdlib.h>

#include "base/mem.h"

struct queue {
    struct web_target *item;
    size_t count, room;
};

struct walk {
    const struct web *web;
    const struct truth_options *options;
    truth_fn *found;
    void *context;
    uint64_t *first_url;    /* number of each host's first finite URL */
    uint32_t *depth_of;     /* of each finite URL, by its number */
    struct queue now, next; /* of this depth and of the one after it */
    uint32_t depth;
    struct buf url;
    struct buf prefix[TRUTH_MAX_STARTS];
};

static void put(struct queue *queue, struct web_target target)
{
    queue->item = mem_grow(queue->item, queue->count, &queue->room,
                           sizeof(queue->item[0]));
    queue->item[queue->count++] = target;
}

/* --- URLs as numbers --------------------------------------------------- */

static const enum web_kind finite[] = {WEB_PAGE, WEB_REDIRECT, WEB_BROKEN,
                                       WEB_ERROR, WEB_FILE};

static uint64_t count_of(const struct web *web, uint32_t host,
                         enum web_kind kind)
{
    return kind == WEB_PAGE ? web_pages(web, host) : web_count(web, host, kind);
}

static void number_urls(struct walk *walk)
{
    uint64_t hosts = walk->web->options.hosts, total = 0;

    walk->first_url = mem_array(hosts, sizeof(uint64_t));
    for (uint32_t host = 0; host < hosts; host++) {
        walk->first_url[host] = total;
        for (size_t i = 0; i < ARRAY_LEN(finite); i++)
            total += count_of(walk->web, host, finite[i]);
    }
    walk->depth_of = mem_array(total, sizeof(uint32_t));
    /* UINT32_MAX: not seen. */
    memset(walk->depth_of, 0xff, total * sizeof(uint32_t));
}

/* Where the depth of a URL is kept; NULL for a trap, which has no end. */
static uint32_t *depth_of(struct walk *walk, const struct web_target *target)
{
    uint64_t number = walk->first_url[target->host] + target->n;

    for (size_t i = 0; i < ARRAY_LEN(finite); i++) {
        if (finite[i] == target->kind)
            return &walk->depth_of[number];
        number += count_of(walk->web, target->host, finite[i]);
    }
    return NULL;
}

/* --- scope ------------------------------------------------------------- */

static bool in_scope(struct walk *walk, const struct web_target *target)
{
    const struct truth_options *options = walk->options;

    for (size_t i = 0; i < options->start_count; i++) {
        uint32_t host = options->start[i].host;

        switch (options->scope) {
        case SCOPE_ANY:
            return true;
        case SCOPE_DOMAIN:
            if (web_domain(host) == web_domain(target->host))
                return true;
            break;
        case SCOPE_HOST:
            if (host == target->host)
                return true;
            break;
        case SCOPE_PREFIX:
            buf_clear(&walk->url);
            web_put_url(walk->web, target, &walk->url);
            if (str_starts(buf_str(&walk->url), buf_str(&walk->prefix[i])))
                return true;
            break;
        }
    }
    return false;
}

/* The directory of each start: up to the last slash of its path. */
static void note_prefixes(struct walk *walk)
{
    for (size_t i = 0; i < walk->options->start_count; i++) {
        struct buf *prefix = &walk->prefix[i];

        buf_init(prefix, 1 << 20);
        web_put_url(walk->web, &walk->options->start[i], prefix);
        prefix->len = str_find(buf_str(prefix), '?');
        while (prefix->len && prefix->ptr[prefix->len - 1] != '/')
            prefix->len--;
    }
}

/* --- the walk ---------------------------------------------------------- */

static void tell(struct walk *walk, const struct web_target *target,
                 const char *kind, bool is_found)
{
    if (!is_found && !walk->options->all)
        return;
    buf_clear(&walk->url);
    web_put_url(walk->web, target, &walk->url);
    walk->found(walk->context, walk->depth, buf_str(&walk->url), kind);
}

/* A link or a redirect led to a URL. A URL that waits for the next depth may be
 * found at this depth by a redirect: then it is queued twice, and ignored the
 * second time. */
static void offer(struct walk *walk, const struct web_target *target,
                  uint32_t depth)
{
    uint32_t *known = depth_of(walk, target);

    if (target->nofollow || !in_scope(walk, target))
        return;
    if (known && *known <= depth)
        return;
    if (known)
        *known = depth;
    put(depth == walk->depth ? &walk->now : &walk->next, *target);
}

/* Inside a trap only links that lead deeper into it are new. */
static bool leads_back(const struct web_target *from,
                       const struct web_target *to)
{
    if (to->kind != WEB_CALENDAR || from->kind != WEB_CALENDAR)
        return false;
    return (from->n > WEB_CALENDAR_DOOR && to->n < from->n) ||
           (from->n < WEB_CALENDAR_DOOR && to->n > from->n);
}

static void look_into(struct walk *walk, const struct web_target *from)
{
    struct web_target links[WEB_MAX_LINKS];

    if (walk->depth >= walk->options->depth)
        return;
    size_t count = web_links(walk->web, from, links);
    for (size_t i = 0; i < count; i++)
        if (!leads_back(from, &links[i]))
            offer(walk, &links[i], walk->depth + 1);
}

static void visit_page(struct walk *walk, const struct web_target *page)
{
    struct web_traits traits = web_traits(walk->web, page->host, page->n);

    if (traits.noindex)
        tell(walk, page, "noindex", false);
    else
        tell(walk, page,
             traits.flaky     ? "flaky"
             : traits.limited ? "limited"
                              : "page",
             true);
    look_into(walk, page);
}

static void visit(struct walk *walk, const struct web_target *target)
{
    struct web_target to;

    if (!walk->options->ignore_robots && !web_allows(walk->web, target)) {
        tell(walk, target, "disallowed", false);
        return;
    }
    switch (target->kind) {
    case WEB_PAGE:
        visit_page(walk, target);
        break;
    case WEB_CALENDAR:
    case WEB_GROWING:
    case WEB_SESSION:
        tell(walk, target, "page", true);
        look_into(walk, target);
        break;
    case WEB_REDIRECT:
        tell(walk, target, "redirect", false);
        to = web_redirect(walk->web, target);
        offer(walk, &to, walk->depth);
        break;
    case WEB_BROKEN:
        tell(walk, target, "broken", false);
        break;
    case WEB_ERROR:
        tell(walk, target, "error", false);
        break;
    case WEB_FILE:
        tell(walk, target, "file", false);
        break;
    case WEB_NOTHING:
    case WEB_ROBOTS:
        break;
    }
}

static void visit_depth(struct walk *walk)
{
    /* Redirects add to the queue while it is walked. */
    for (size_t i = 0; i < walk->now.count; i++) {
        struct web_target target = walk->now.item[i];
        const uint32_t *depth = depth_of(walk, &target);

        if (!depth || *depth == walk->depth)
            visit(walk, &target);
    }
}

void truth(const struct web *web, const struct truth_options *options,
           truth_fn *found, void *context)
{
    struct walk walk = {
        .web = web, .options = options, .found = found, .context = context};

    number_urls(&walk);
    note_prefixes(&walk);
    buf_init(&walk.url, 1 << 20);
    for (size_t i = 0; i < options->start_count; i++)
        offer(&walk, &options->start[i], 0);
    while (walk.now.count) {
        visit_depth(&walk);

        struct queue done = walk.now;
        walk.now = walk.next;
        walk.next = done;
        walk.next.count = 0;
        walk.depth++;
    }
    for (size_t i = 0; i < options->start_count; i++)
        buf_release(&walk.prefix[i]);
    buf_release(&walk.url);
    free(walk.now.item);
    free(walk.next.item);
    free(walk.first_url);
    free(walk.depth_of);
}

/* --- what users write -------------------------------------------------- */

bool truth_parse_scope(struct str name, enum truth_scope *scope)
{
    static const struct str names[] = {
        [SCOPE_ANY] = STR_INIT("any"),
        [SCOPE_DOMAIN] = STR_INIT("domain"),
        [SCOPE_HOST] = STR_INIT("host"),
        [SCOPE_PREFIX] = STR_INIT("prefix"),
    };

    for (size_t i = 0; i < ARRAY_LEN(names); i++) {
        if (str_eq(names[i], name)) {
            *scope = (enum truth_scope)i;
            return true;
        }
    }
    return false;
}

bool truth_parse_url(const struct web *web, struct str url,
                     struct web_target *target)
{
    uint32_t host = 0;

    if (!str_starts(url, STR("http://")))
        return false;
    url = str_skip(url, 7);
    size_t host_len = str_find(url, '/');
    if (!web_find_host(web, str_first(url, host_len), &host))
        return false;
    *target = web_find(web, host, str_skip(url, host_len));
    return target->kind != WEB_NOTHING;
}
