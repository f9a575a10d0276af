/* The HTML of the synthetic web, and its robots.txt. */
#include "testserver/web_random.h"
#include "testserver/web_source.h"

/* Some `len` bytes of the filler. */
static struct str some_text(struct str filler, uint64_t draw, size_t len)
{
    if (len > filler.len / 2)
        len = filler.len / 2;
    return (struct str){filler.ptr + web_below(draw, filler.len - len), len};
}

/* How many "../" lead from a path to the root. */
static size_t ups(struct str path)
{
    size_t slashes = 0;

    path = str_cut(path, '?').head;
    for (size_t i = 0; i < path.len; i++)
        slashes += path.ptr[i] == '/';
    return slashes - 1;
}

/* A link may be spelled in many ways; all of these mean the same. */
static void put_href(const struct web *web, const struct web_target *from,
                     size_t from_ups, const struct web_target *to,
                     uint64_t draw, struct buf *out)
{
    enum { FULL, NO_SCHEME, FRAGMENT, RELATIVE, SPELLINGS = 8 };
    uint64_t spelling = draw % SPELLINGS;

    if (spelling == FULL || (to->host != from->host && spelling != NO_SCHEME)) {
        web_put_url(web, to, out);
    } else if (spelling == NO_SCHEME) {
        buf_put(out, STR("//"));
        web_put_host(web, to->host, out);
        web_put_path(web, to, out);
    } else if (spelling == RELATIVE && to->kind == WEB_PAGE && to->n) {
        for (size_t i = 0; i < from_ups; i++)
            buf_put(out, STR("../"));
        size_t slash = out->len;
        web_put_path(web, to, out);
        memmove(out->ptr + slash, out->ptr + slash + 1, out->len - slash - 1);
        out->len--;
    } else {
        web_put_path(web, to, out);
    }
    if (spelling == FRAGMENT)
        buf_put(out, STR("#part"));
}

static void put_link(const struct web *web, const struct web_target *from,
                     size_t from_ups, const struct web_target *to,
                     struct str filler, uint64_t draw, struct buf *out)
{
    enum { ANCHOR = 20 };

    buf_put(out, STR("\n<a href=\""));
    put_href(web, from, from_ups, to, draw, out);
    buf_put(out, to->nofollow ? STR("\" rel=\"nofollow\">") : STR("\">"));
    buf_put(out, some_text(filler, draw, ANCHOR));
    buf_put(out, STR("</a>\n"));
}

static void put_head(const struct web *web, const struct web_target *target,
                     bool noindex, struct buf *out)
{
    buf_put(out, STR("<!DOCTYPE html>\n<html>\n<head>\n<title>"));
    web_put_url(web, target, out);
    buf_put(out, STR("</title>\n"));
    if (noindex)
        buf_put(out, STR("<meta name=\"robots\" content=\"noindex\">\n"));
    buf_put(out, STR("</head>\n<body>\n"));
}

void web_put_page(const struct web *web, const struct web_target *target,
                  struct str filler, struct buf *out)
{
    enum { TRAP_SIZE = 1000, LINK_SIZE = 80 };
    struct web_target links[WEB_MAX_LINKS];
    size_t count = web_links(web, target, links);
    uint64_t state = web_key(web, FOR_TEXT, target->host, target->n);
    struct web_traits traits = {.size = TRAP_SIZE};
    struct buf path;

    if (target->kind == WEB_PAGE)
        traits = web_traits(web, target->host, target->n);
    buf_init(&path, 64 * 1024);
    web_put_path(web, target, &path);
    size_t from_ups = ups(buf_str(&path));
    buf_release(&path);

    put_head(web, target, traits.noindex, out);
    /* The text between two links; one more after the last. */
    size_t used = out->len + count * LINK_SIZE;
    size_t gap = traits.size > used ? (traits.size - used) / (count + 1) : 0;
    for (size_t i = 0; i < count; i++) {
        buf_put(out, some_text(filler, web_draw(&state), gap));
        put_link(web, target, from_ups, &links[i], filler, web_draw(&state),
                 out);
    }
    buf_put(out, some_text(filler, web_draw(&state), gap));
    buf_put(out, STR("\n</body>\n</html>\n"));
}

void web_put_robots(const struct web *web, uint32_t host, struct buf *out)
{
    unsigned section = 0;
    enum web_rules rules = web_rules(web, host, &section);

    buf_put(out, STR("User-agent: *\n"));
    switch (rules) {
    case WEB_NO_RULES:
        buf_put(out, STR("Disallow:\n"));
        break;
    case WEB_NO_SECTION:
        buf_printf(out, "Disallow: /s%u/\n", section);
        break;
    case WEB_NO_SECTION_BUT:
        buf_printf(out, "Disallow: /s%u/\nAllow: /s%u/p1\n", section, section);
        break;
    case WEB_NO_SECTION_HTML:
        buf_printf(out, "Disallow: /s%u/*.html$\n", section);
        break;
    case WEB_CLOSED:
        buf_put(out, STR("Disallow: /\n"));
        break;
    }
    if (rules != WEB_NO_RULES && web->options.crawl_delay_s) {
        buf_put(out, STR("Crawl-delay: "));
        buf_put_number(out, web->options.crawl_delay_s);
        buf_put_char(out, '\n');
    }
}
