#include "page/pagescanner.h"

#include <netinet/in.h>

#include "base/str.h"
#include "page/mime.h"
#include "page/private_address.h"
#include "page/robots_tag.h"
#include "page/sitemap.h"
#include "web/css.h"
#include "web/domain.h"
#include "web/html.h"
#include "web/normalize.h"
#include "web/url.h"

enum err pagescanner_link(struct page_link *link, struct arena *arena,
                          struct str href, const struct url *base,
                          const struct url_query_encoder *encoder,
                          const struct scan_options *options)
{
    *link = (struct page_link){0};
    enum err err = url_parse(&link->url, arena, href, base, encoder);
    if (err)
        return err;
    /* Before the fingerprint: a stranger who writes twenty passwords into links
     * to another's host must not make us try them, nor have us keep them. In
     * the course's form a URL with a login is not internal. */
    if (!options->course)
        login_drop(&link->url, arena);
    if (options->strip)
        query_strip(options->strip, &link->url, arena);
    if (options->course)
        link->not_html_name = !course_normalize(&link->url, arena);
    link->fingerprint = url_fingerprint(&link->url, options->fingerprint_seed);
    return ERR_NONE;
}

/* HTML ignores a base element with one of these schemes. */
static bool is_forbidden_base(struct str href)
{
    href = url_trim(href);
    return str_starts_nocase(href, STR("data:")) ||
           str_starts_nocase(href, STR("javascript:"));
}

/* The base of the page's references: the page's URL, or the URL of its base
 * element. NULL if there is neither, or if the base has another scheme, so that
 * no relative reference leads to the web. */
static const struct url *find_base(const struct url *own, struct url *base,
                                   struct webpage *page,
                                   const struct html_info *info)
{
    if (!info->base.ptr || is_forbidden_base(info->base))
        return own;
    switch (url_parse(base, &page->arena, info->base, own, NULL)) {
    case ERR_NONE:
        return base;
    case ERR_URL_SCHEME:
        return NULL;
    default:
        return own;
    }
}

/* By the HTML standard; other link elements name what the page needs. */
static bool is_hyperlink(struct str rel)
{
    static const struct str words[] = {
        STR_INIT("alternate"), STR_INIT("author"),
        STR_INIT("canonical"), STR_INIT("help"),
        STR_INIT("license"),   STR_INIT("next"),
        STR_INIT("prev"),      STR_INIT("privacy-policy"),
        STR_INIT("search"),    STR_INIT("terms-of-service"),
    };
    bool found = false;

    for (size_t i = 0; i < ARRAY_LEN(words) && !found; i++)
        found = rel_has(rel, words[i]);
    return found && !rel_has(rel, STR("stylesheet"));
}

/* How the references of a page are resolved. */
struct link_context {
    const struct scan_options *options;
    const struct url *base;
    const struct url_query_encoder *encoder; /* NULL: UTF-8 */
    bool needs_url; /* the page's URL is not known, and is needed */
};

/* For a report on the site. A URL that is too long may be a good one. */
static void keep_bad_link(struct webpage *page, const struct html_link *html,
                          enum err err)
{
    struct page_links *links = &page->links;

    if (err == ERR_URL_TOO_LONG || links->bad_count == PAGE_BAD_MAX)
        return;
    struct str href =
        arena_copy(&page->arena, str_first(url_trim(html->href), URL_LEN_MAX));
    if (!links->bad_link)
        links->bad_link =
            arena_new(&page->arena, PAGE_BAD_MAX * sizeof(*links->bad_link));
    links->bad_link[links->bad_count++] = (struct page_link){
        .url.href = str_of(login_hide(&page->arena, href.ptr)),
        .html = html,
    };
}

static void add_link(struct webpage *page, const struct html_link *html,
                     const struct link_context *context)
{
    struct page_links *links = &page->links;
    bool follows = html_link_is_followed(html->kind);
    struct page_link *link = follows ? &links->link[links->count]
                                     : &links->aside[links->aside_count];
    enum err err =
        pagescanner_link(link, &page->arena, html->href, context->base,
                         context->encoder, context->options);

    link->html = html;
    link->nofollow = context->options->robots_agent.len &&
                     rel_has(html->rel, STR("nofollow"));
    if (!err)
        ++*(follows ? &links->count : &links->aside_count);
    else if (err == ERR_URL_RELATIVE)
        links->baseless += follows && context->needs_url;
    else if (err != ERR_URL_SCHEME)
        links->bad += follows;
    if (err && err != ERR_URL_RELATIVE && context->options->want_content &&
        (err != ERR_URL_SCHEME || url_mistake(html->href)))
        keep_bad_link(page, html, err);
}

/* The standard reads the header as Latin-1; this is its UTF-8. */
static struct str utf8_of_latin1(struct str s, struct arena *arena)
{
    char *start = arena_reserve(arena, 2 * s.len), *to = start;

    for (size_t i = 0; i < s.len; i++)
        to += utf8_put(to, (unsigned char)s.ptr[i]);
    arena_commit(arena, (size_t)(to - start));
    return str_between(start, to);
}

/* A Refresh header comes before the page, so the page's base element and
 * charset do not count for it. */
static void add_refresh(struct webpage *page, const struct url *own,
                        const struct scan_options *options)
{
    const struct link_context context = {.options = options, .base = own};
    struct str url = html_refresh_url(page->exchange.refresh);

    if (!url.ptr)
        return;
    struct html_link *html = arena_new(&page->arena, sizeof(*html));
    *html = (struct html_link){.kind = HTML_REFRESH,
                               .href = utf8_of_latin1(url, &page->arena)};
    add_link(page, html, &context);
}

/* That of a Link header; see add_refresh. */
static void add_canonical(struct webpage *page, const struct url *own,
                          const struct scan_options *options)
{
    const struct link_context context = {.options = options, .base = own};

    if (!page->exchange.canonical.ptr)
        return;
    struct html_link *html = arena_new(&page->arena, sizeof(*html));
    *html = (struct html_link){
        .kind = HTML_LINK,
        .href = utf8_of_latin1(page->exchange.canonical, &page->arena),
        .rel = STR("canonical"),
    };
    add_link(page, html, &context);
}

/* Links that are not followed, for a report on the site. */
static void add_aside(struct webpage *page, const struct html_links *html,
                      const struct url *own, const struct link_context *context)
{
    size_t count = page->exchange.canonical.ptr != NULL;
    size_t used = page->arena.used;

    for (size_t i = 0; i < html->count; i++)
        count += !html_link_is_followed(html->link[i].kind);
    page->links.aside =
        arena_new(&page->arena, count * sizeof(struct page_link));
    add_canonical(page, own, context->options);
    for (size_t i = 0;
         i < html->count && page->arena.used - used <= PAGE_LINK_BYTES_MAX; i++)
        if (html->link[i].kind == HTML_FORM ||
            (html->link[i].kind == HTML_LINK &&
             is_hyperlink(html->link[i].rel)))
            add_link(page, &html->link[i], context);
}

static void add_links(struct webpage *page, const struct html_links *html,
                      const struct link_context *context)
{
    struct page_links *links = &page->links;
    size_t used = page->arena.used;

    links->beyond = html->beyond;
    for (size_t i = 0; i < html->count; i++) {
        if (page->arena.used - used > PAGE_LINK_BYTES_MAX) {
            links->beyond += html->count - i;
            break;
        }
        if (html_link_is_followed(html->link[i].kind))
            add_link(page, &html->link[i], context);
    }
}

/* A requisite is not a page, so neither nofollow nor the course's rules count
 * for it, and it is fetched by the URL that a browser would ask for. */
static void add_requisite(struct webpage *page,
                          const struct html_requisite *named,
                          const struct link_context *context)
{
    struct page_links *requisites = &page->requisites;
    struct page_link *link = &requisites->link[requisites->count];
    struct scan_options plain = *context->options;

    plain.course = false;
    plain.strip = NULL;
    if (pagescanner_link(link, &page->arena, named->href, context->base,
                         context->encoder, &plain))
        return;
    link->link_too = named->kind == HTML_REQUISITE_FRAME;
    link->document = link->link_too || named->kind == HTML_REQUISITE_OBJECT;
    requisites->count++;
}

static void add_requisites(struct webpage *page, const struct html_links *html,
                           const struct link_context *context)
{
    size_t used = page->arena.used;

    if (!html->requisites)
        return;
    page->requisites.link =
        arena_new(&page->arena, html->requisites * sizeof(struct page_link));
    page->requisites.beyond = html->requisites_beyond;
    for (size_t i = 0; i < html->requisites; i++) {
        if (page->arena.used - used > PAGE_LINK_BYTES_MAX) {
            page->requisites.beyond += html->requisites - i;
            break;
        }
        add_requisite(page, &html->requisite[i], context);
    }
}

/* Can there be mixed content in it? */
static bool is_https(struct webpage *page)
{
    const struct url *own = webpage_url_parts(page);

    return own && own->https;
}

static void scan(struct html_links *html, struct webpage *page,
                 const struct scan_options *options)
{
    bool want_mixed = options->want_content && is_https(page);
    const struct html_scan_options html_options = {
        .http_charset = str_of(page->exchange.charset_label),
        .agent = options->robots_agent,
        .want_text = options->want_text,
        .is_xhtml = mime_is_xhtml(str_of(page->exchange.mime)),
        .want_requisites = page->want_requisites || want_mixed,
        .want_title = options->want_title,
        .want_ids = options->want_content,
        .want_forms = options->want_content,
    };

    html_scan(html, &page->arena, page->exchange.body, &html_options);
    page->title = html->info.title;
    if (options->robots_agent.len) {
        page->noindex |= html->info.noindex;
        page->nofollow |= html->info.nofollow;
        page->noarchive |= html->info.noarchive;
    }
}

/* Does a browser load it from a page of https although it has http? It does if
 * it comes from the machine itself. */
static bool is_of_browser(struct str host)
{
    struct sockaddr_storage address;

    if (!address_of_literal(host, &address)) {
        host = domain_trim_dot(host);
        return str_eq(host, STR("localhost")) ||
               str_ends(host, STR(".localhost"));
    }
    if (address.ss_family == AF_INET6)
        return IN6_IS_ADDR_LOOPBACK(
            &((struct sockaddr_in6 *)&address)->sin6_addr);
    return ntohl(((struct sockaddr_in *)&address)->sin_addr.s_addr) >> 24 ==
           IN_LOOPBACKNET;
}

/* The requisites of http, if the page has https. A relative reference has the
 * scheme of its base. */
static void add_mixed(struct webpage *page, const struct html_links *html,
                      const struct link_context *context)
{
    struct page_content *content = &page->content;
    struct page_link link;

    for (size_t i = 0; i < html->requisites; i++) {
        const struct html_requisite *named = &html->requisite[i];
        if (context->base && context->base->https &&
            !str_starts_nocase(str_trim(named->href), STR("http:")))
            continue;
        if (content->mixed_count == PAGE_MIXED_MAX) {
            content->mixed_beyond++;
            continue;
        }
        if (pagescanner_link(&link, &page->arena, named->href, context->base,
                             context->encoder, &(struct scan_options){0}) ||
            link.url.https || is_of_browser(url_host(&link.url)))
            continue;
        if (!content->mixed)
            content->mixed = arena_new(
                &page->arena, PAGE_MIXED_MAX * sizeof(*content->mixed));
        content->mixed[content->mixed_count++] =
            (struct page_mixed){named->kind, link.url.href};
    }
}

static void add_content(struct webpage *page, const struct html_links *html,
                        const struct link_context *context)
{
    const struct html_info *info = &html->info;
    bool has_mixed =
        is_https(page) && !info->upgrades_http && !page->exchange.upgrades_http;

    page->content = (struct page_content){
        .is_known = true,
        .ids = info->ids,
        .ids_beyond = info->ids_beyond,
        .mixed_beyond = has_mixed ? html->requisites_beyond : 0,
    };
    if (html->requisites && has_mixed)
        add_mixed(page, html, context);
}

/* That of the first link element, else that of the header, which comes before
 * the page: its base element and charset do not count for it. */
static void find_canonical(struct webpage *page, const struct html_links *html,
                           const struct link_context *context)
{
    const struct link_context of_header = {.options = context->options,
                                           .base = webpage_url_parts(page)};
    struct str href = page->exchange.canonical;
    struct page_link *link = arena_new(&page->arena, sizeof(*link));

    if (href.ptr)
        href = utf8_of_latin1(href, &page->arena);
    const struct link_context *of_href = &of_header;
    for (size_t i = 0; i < html->count; i++)
        if (html->link[i].kind == HTML_LINK &&
            rel_has(html->link[i].rel, STR("canonical"))) {
            href = html->link[i].href;
            of_href = context;
            break;
        }
    if (href.ptr && !pagescanner_link(link, &page->arena, href, of_href->base,
                                      of_href->encoder, context->options))
        page->canonical = link;
}

void pagescanner_scan(struct webpage *page, const struct scan_options *options)
{
    struct html_links html;
    struct url of_element;

    scan(&html, page, options);
    bool has_links = page->want_links &&
                     (html.count || page->exchange.refresh.ptr ||
                      (options->want_content && page->exchange.canonical.ptr));
    if (!has_links && !html.requisites && !options->want_content &&
        !options->want_canonical)
        return;

    const struct url *own = webpage_url_parts(page);
    const struct url_query_encoder encoder = {charset_encode_query,
                                              (void *)html.info.charset};
    const struct url *base = find_base(own, &of_element, page, &html.info);
    const struct link_context context = {
        .options = options,
        .base = base,
        .encoder = html.info.charset == CHARSET_UTF_8 ? NULL : &encoder,
        /* With a base of another scheme the page's URL would not help. */
        .needs_url = !base && !page->url.len &&
                     url_parse(&of_element, &page->arena, html.info.base, NULL,
                               NULL) != ERR_URL_SCHEME,
    };
    if (options->want_content)
        add_content(page, &html, &context);
    if (options->want_canonical)
        find_canonical(page, &html, &context);
    if (page->want_requisites)
        add_requisites(page, &html, &context);
    if (!has_links)
        return;
    page->links.link =
        arena_new(&page->arena, (1 + html.count) * sizeof(struct page_link));
    add_refresh(page, own, options);
    add_links(page, &html, &context);
    if (options->want_content)
        add_aside(page, &html, own, &context);
}

/* Up to the limits of a page. */
static void scan_css(struct webpage *page, const struct scan_options *options)
{
    const struct link_context context = {.options = options,
                                         .base = webpage_url_parts(page)};
    struct page_links *requisites = &page->requisites;
    struct css css;
    struct str url;
    size_t room = 0, used = page->arena.used;

    if (!context.base)
        return;
    css_init(&css, &page->arena, page->exchange.body, CSS_SHEET);
    while (css_next(&css, &url))
        room += room < HTML_REQUISITES_MAX;
    requisites->link = arena_new(&page->arena, room * sizeof(struct page_link));
    css_init(&css, &page->arena, page->exchange.body, CSS_SHEET);
    while (css_next(&css, &url)) {
        const struct html_requisite named = {.kind = HTML_REQUISITE_CSS,
                                             .href = url};
        if (!html_requisite_is_fetched(url))
            continue;
        if (requisites->count == room ||
            page->arena.used - used > PAGE_LINK_BYTES_MAX)
            requisites->beyond++;
        else
            add_requisite(page, &named, &context);
    }
}

void pagescanner_requisite(struct webpage *page,
                           const struct scan_options *options)
{
    if (!webpage_names_more(page))
        return;
    if (str_eq_nocase(str_of(page->exchange.mime), STR("text/css")))
        scan_css(page, options);
    else
        pagescanner_scan(page, options);
}

/* The rest of the reference is in the link's URL. */
static struct str fragment_with_hash(struct str href)
{
    return str_skip(href, str_find(href, '#'));
}

static void keep_texts(struct page_link *link, size_t count,
                       struct arena *arena)
{
    for (size_t i = 0; i < count; i++) {
        const struct html_link *html = link[i].html;
        struct html_link *kept = arena_new(arena, sizeof(*kept));
        *kept = (struct html_link){
            .kind = html->kind,
            .href = arena_copy(arena, fragment_with_hash(html->href)),
            .rel = arena_copy(arena, html->rel),
            .text = arena_copy(arena, html->text),
        };
        link[i].html = kept;
    }
}

void pagescanner_keep_texts(struct webpage *page)
{
    keep_texts(page->links.link, page->links.count, &page->arena);
    keep_texts(page->links.bad_link, page->links.bad_count, &page->arena);
    keep_texts(page->links.aside, page->links.aside_count, &page->arena);
}

/* A header has no charset. Bytes beyond ASCII go back to the server as they
 * came, as browsers do; for UTF-8 that is what the parser would do anyway. */
static struct str escape_beyond_ascii(struct str s, struct arena *arena)
{
    static const char digits[] = "0123456789ABCDEF";
    char *start = arena_reserve(arena, 3 * s.len), *to = start;

    for (size_t i = 0; i < s.len; i++) {
        unsigned char c = (unsigned char)s.ptr[i];
        if (c < 0x80) {
            *to++ = (char)c;
        } else {
            *to++ = '%';
            *to++ = digits[c >> 4];
            *to++ = digits[c & 15];
        }
    }
    arena_commit(arena, (size_t)(to - start));
    return str_between(start, to);
}

void pagescanner_follow(struct webpage *page,
                        const struct scan_options *options)
{
    struct page_link *link = arena_new(&page->arena, sizeof(*link));
    struct str to = escape_beyond_ascii(page->exchange.location, &page->arena);
    const struct url *own = webpage_url_parts(page);

    if (!own || pagescanner_link(link, &page->arena, to, own, NULL, options)) {
        page->outcome = BAD_REDIRECT;
        return;
    }
    /* The server wants to see the keys that were taken out. */
    if (options->strip && str_eq(link->url.href, own->href)) {
        struct scan_options whole = *options;
        whole.strip = NULL;
        if (pagescanner_link(link, &page->arena, to, own, NULL, &whole))
            page->outcome = BAD_REDIRECT;
    }
    page->links = (struct page_links){.link = link, .count = 1};
    page->fragment = html_fragment(to);
}

/* Entries count even if the sitemap is cut off or broken after them. Without
 * any entry the file counts as read only if it is a sitemap. */
static enum outcome outcome_of(const struct sitemap *sitemap)
{
    if (sitemap->count)
        return FETCHED;
    if (sitemap->end == SITEMAP_TOO_LARGE)
        return TOO_LARGE;
    return sitemap->form == SITEMAP_NONE || sitemap->end == SITEMAP_REFUSED
               ? NOT_SITEMAP
               : FETCHED;
}

void pagescanner_sitemap(struct webpage *page,
                         const struct scan_options *options)
{
    struct page_links *links = &page->links;
    struct sitemap sitemap;
    const struct url *base = webpage_url_parts(page);

    if (!base)
        return;
    sitemap_read(&sitemap, &page->arena, page->exchange.body);
    page->outcome = outcome_of(&sitemap);
    links->link =
        arena_new(&page->arena, sitemap.count * sizeof(struct page_link));
    size_t used = page->arena.used;
    for (size_t i = 0; i < sitemap.count; i++) {
        struct page_link *link = &links->link[links->count];
        if (page->arena.used - used > PAGE_LINK_BYTES_MAX) {
            links->beyond = sitemap.count - i;
            break;
        }
        if (pagescanner_link(link, &page->arena, sitemap.entry[i].loc, base,
                             NULL, options)) {
            links->bad++;
            continue;
        }
        link->sitemap = sitemap.entry[i].is_sitemap;
        links->count++;
    }
}
