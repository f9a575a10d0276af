/* Which page leads where. */
#include "testserver/web.h"
#include "testserver/web_random.h"

enum {
    CHILDREN = 8, /* of a page in its host's tree, of a host in the web's */
    HOST_LINK_PAGES = 8, /* the first pages of a host lead to other hosts */
    MONTHS = 9999 * 12,
};

struct web_traits web_traits(const struct web *web, uint32_t host, uint64_t n)
{
    const struct web_options *options = &web->options;
    uint64_t state = web_key(web, FOR_TRAITS, host, n);
    struct web_traits traits = {
        .slow = web_chance(web_draw(&state), options->slow),
        .flaky = web_chance(web_draw(&state), options->flaky),
        .limited = web_chance(web_draw(&state), options->limited),
        .gzip = web_chance(web_draw(&state), options->gzip),
        .noindex = web_chance(web_draw(&state), options->noindex),
    };

    traits.limited = traits.limited && !traits.flaky;
    traits.size =
        (uint32_t)web_heavy_tail(&state, options->size, 64 * options->size);
    return traits;
}

/* --- random links ------------------------------------------------------ */

/* A host, more often one of the first: a power law with exponent 2/3. */
static uint32_t draw_host(const struct web *web, uint64_t *state)
{
    uint64_t draw = web_draw(state);

    if (web->options.skew_percent)
        draw = web_below(web_below(draw, draw), draw);
    return (uint32_t)web_below(draw, web->options.hosts);
}

/* A page of it, more often one of the first: exponent 1/2. */
static struct web_target draw_page(const struct web *web, uint32_t host,
                                   uint64_t *state)
{
    uint64_t draw = web_draw(state);

    return (struct web_target){
        .kind = WEB_PAGE,
        .host = host,
        .n = web_below(web_below(draw, draw), web_pages(web, host)),
    };
}

/* A kind of URL by the shares; most are pages. */
static enum web_kind draw_kind(const struct web *web, uint64_t draw)
{
    const struct web_options *options = &web->options;
    const struct {
        enum web_kind kind;
        uint64_t share;
    } kinds[] = {
        {WEB_BROKEN, options->broken},
        {WEB_REDIRECT, options->redirects},
        {WEB_ERROR, options->errors},
        {WEB_FILE, options->files},
    };

    draw >>= 32;
    for (size_t i = 0; i < ARRAY_LEN(kinds); i++) {
        if (draw < kinds[i].share)
            return kinds[i].kind;
        draw -= kinds[i].share;
    }
    return WEB_PAGE;
}

static struct web_target draw_link(const struct web *web, uint32_t from,
                                   uint64_t *state)
{
    enum { OTHER_HOST_ONE_IN = 4 };
    uint64_t draw = web_draw(state);
    uint32_t host = draw % OTHER_HOST_ONE_IN ? from : draw_host(web, state);
    enum web_kind kind = draw_kind(web, draw);
    uint64_t count = web_count(web, host, kind);
    struct web_target target = {.kind = kind, .host = host};

    if (kind == WEB_PAGE || !count)
        target = draw_page(web, host, state);
    else
        target.n = web_below(web_draw(state), count);
    target.nofollow = web_chance(web_draw(state), web->options.nofollow);
    return target;
}

/* --- the trees --------------------------------------------------------- */

static size_t put_children(const struct web *web, const struct web_target *from,
                           struct web_target *out)
{
    uint64_t pages = web_pages(web, from->host);
    size_t count = 0;

    for (uint64_t i = 1; i <= CHILDREN; i++) {
        uint64_t child = from->n * CHILDREN + i;
        if (child < pages)
            out[count++] = (struct web_target){
                .kind = WEB_PAGE, .host = from->host, .n = child};
    }
    return count;
}

/* Hosts below this one whose link is on this page. */
static size_t put_child_hosts(const struct web *web,
                              const struct web_target *from,
                              struct web_target *out)
{
    uint64_t pages = web_pages(web, from->host);
    size_t count = 0;

    if (pages > HOST_LINK_PAGES)
        pages = HOST_LINK_PAGES;
    for (uint64_t i = 1; from->n < pages && i <= CHILDREN; i++) {
        uint64_t child = (uint64_t)from->host * CHILDREN + i;
        if (child >= web->options.hosts)
            break;
        if (web_key(web, FOR_HOST_LINK, (uint32_t)child, 0) % pages == from->n)
            out[count++] =
                (struct web_target){.kind = WEB_PAGE, .host = (uint32_t)child};
    }
    return count;
}

/* --- traps ------------------------------------------------------------- */

/* The door to the host's trap, if it has one. */
static size_t put_trap(const struct web *web, uint32_t host,
                       struct web_target *out)
{
    static const enum web_kind traps[] = {WEB_CALENDAR, WEB_GROWING,
                                          WEB_SESSION};
    uint64_t key = web_key(web, FOR_TRAP, host, 0);

    if (!web_chance(key, web->options.traps))
        return 0;
    *out = (struct web_target){.kind = traps[key % ARRAY_LEN(traps)],
                               .host = host};
    if (out->kind == WEB_CALENDAR)
        out->n = WEB_CALENDAR_DOOR;
    if (out->kind == WEB_SESSION)
        out->n = web_mix(key);
    return 1;
}

/* Links inside a trap: to the root, and deeper into the trap. */
static size_t trap_links(const struct web_target *from, struct web_target *out)
{
    size_t count = 0;
    struct web_target next = *from;

    out[count++] = (struct web_target){.kind = WEB_PAGE, .host = from->host};
    switch (from->kind) {
    case WEB_CALENDAR:
        next.n = from->n - 1;
        if (from->n > 0)
            out[count++] = next;
        next.n = from->n + 1;
        if (next.n < MONTHS)
            out[count++] = next;
        break;
    case WEB_GROWING:
        next.n = from->n + 1;
        out[count++] = next;
        break;
    case WEB_SESSION:
        next.n = web_mix(from->n);
        out[count++] = next;
        break;
    default:
        break;
    }
    return count;
}

/* --- all together ------------------------------------------------------ */

size_t web_links(const struct web *web, const struct web_target *from,
                 struct web_target out[WEB_MAX_LINKS])
{
    uint64_t state = web_key(web, FOR_LINKS, from->host, from->n);
    size_t count = 0;

    if (from->kind != WEB_PAGE)
        return trap_links(from, out);
    if (from->n)
        out[count++] =
            (struct web_target){.kind = WEB_PAGE, .host = from->host};
    count += put_children(web, from, out + count);
    count += put_child_hosts(web, from, out + count);
    if (!from->n)
        count += put_trap(web, from->host, out + count);

    uint64_t random =
        web_heavy_tail(&state, web->options.links, WEB_MAX_RANDOM_LINKS);
    for (uint64_t i = 0; i < random; i++)
        out[count++] = draw_link(web, from->host, &state);
    return count;
}

struct web_target web_redirect(const struct web *web,
                               const struct web_target *from)
{
    enum { LOOP_ONE_IN = 64, CHAIN_ONE_IN = 8, AWAY_ONE_IN = 6 };
    uint64_t state = web_key(web, FOR_REDIRECT, from->host, from->n);
    uint64_t draw = web_draw(&state);
    struct web_target next = *from;

    if (draw % LOOP_ONE_IN == 0)
        return next; /* to itself */
    next.n++;
    /* Only the even ones: no chain is longer than two. */
    if ((draw >> 8) % CHAIN_ONE_IN == 0 && next.n % 2 == 1 &&
        next.n < web_count(web, from->host, WEB_REDIRECT))
        return next;
    if ((draw >> 16) % AWAY_ONE_IN == 0)
        return draw_page(web, draw_host(web, &state), &state);
    return draw_page(web, from->host, &state);
}
