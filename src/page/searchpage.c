#include "page/searchpage.h"

#include "base/buf.h"
#include "page/robots_tag.h"
#include "web/charset.h"
#include "web/tokenizer.h"
#include "web/tree.h"

#define ENGINE "duckduckgo.com"

/* An element that is open, told from others only by its name: enough for
 * pages that are written by a program. */
struct scope {
    struct str name;
    size_t depth; /* of elements with that name; 0: not inside */
};

struct reader {
    struct searchpage *page;
    struct arena *arena;
    const struct url *base;
    struct html_tokenizer tokenizer;
    struct scope web, ad, foreign;
    bool takes_any; /* every link that leads away, whatever its class */
    bool is_known;  /* the page looks like one of the two forms */
    bool is_challenge;

    struct arena scratch; /* of one link */
    struct buf href, target;
};

/* ---- elements ---------------------------------------------------------- */

/* The raw value, with a pointer if the tag has that attribute. */
static struct str attribute(const struct html_token *tag, struct str name)
{
    struct html_attrs attrs = html_attrs(tag);
    struct html_attr attr;

    while (html_attrs_next(&attrs, &attr))
        if (str_eq_nocase(attr.name, name))
            return attr.value.ptr ? attr.value : STR("");
    return (struct str){0};
}

static bool is_challenge(struct str words)
{
    for (size_t i = 0; i < words.len; i++)
        if ((!i || ascii_is_space(words.ptr[i - 1])) &&
            str_starts(str_skip(words, i), STR("anomaly-modal")))
            return true;
    return rel_has(words, STR("challenge-form"));
}

static void scope_start(struct scope *scope, const struct html_token *tag,
                        bool opens)
{
    bool is_same = scope->depth && str_eq_nocase(scope->name, tag->name);

    /* A row ends where the next one starts: its end tag may be missing. */
    if (is_same && str_eq_nocase(tag->name, STR("tr")))
        scope->depth = 0;
    if (scope->depth)
        scope->depth += is_same;
    else if (opens)
        *scope = (struct scope){tag->name, 1};
}

static void scope_end(struct scope *scope, const struct html_token *tag)
{
    if (scope->depth && str_eq_nocase(scope->name, tag->name))
        scope->depth--;
}

/* ---- hosts ------------------------------------------------------------- */

/* "example.org" and "www.example.org". */
static bool is_at_or_below(struct str host, struct str domain)
{
    return str_ends(host, domain) &&
           (host.len == domain.len ||
            host.ptr[host.len - domain.len - 1] == '.');
}

/* The engine's own, whose /l/ and /y.js are not results. */
static bool is_engine(const struct reader *reader, const struct url *url)
{
    struct str host = url_host(url);

    return is_at_or_below(host, STR(ENGINE)) ||
           str_eq(host, url_host(reader->base));
}

static bool leads_away(const struct reader *reader, const struct url *url)
{
    struct str host = url_host(url), own = url_host(reader->base);

    return !is_at_or_below(host, STR(ENGINE)) && !is_at_or_below(host, own) &&
           !is_at_or_below(own, host);
}

/* ---- links ------------------------------------------------------------- */

/* Append a value of a query decoded. */
static bool put_decoded(struct buf *out, struct str value)
{
    for (size_t i = 0; i < value.len; i++) {
        char c = value.ptr[i] == '+' ? ' ' : value.ptr[i];
        if (c == '%' && i + 2 < value.len && hex_value(value.ptr[i + 1]) >= 0 &&
            hex_value(value.ptr[i + 2]) >= 0) {
            c = (char)(hex_value(value.ptr[i + 1]) << 4 |
                       hex_value(value.ptr[i + 2]));
            i += 2;
        }
        if (!buf_put_char(out, c))
            return false;
    }
    return true;
}

/* The engine's redirect gives way to its target. False if that is bad; other
 * URLs stay what they are. */
static bool follow_redirect(struct reader *reader, struct url *url)
{
    struct str path = url_path(url);
    struct str query = url_query(url);

    if (!is_engine(reader, url) ||
        (!str_eq(path, STR("/l/")) && !str_eq(path, STR("/l"))))
        return true;
    while (query.len) {
        struct str_pair parts = str_cut(query, '&');
        struct str_pair parameter = str_cut(parts.head, '=');

        query = parts.tail;
        if (!str_eq(parameter.head, STR("uddg")))
            continue;
        buf_clear(&reader->target);
        return put_decoded(&reader->target, parameter.tail) &&
               !url_parse(url, &reader->scratch, buf_str(&reader->target), NULL,
                          NULL);
    }
    return true;
}

static void add_link(struct reader *reader, struct str href)
{
    struct searchpage *page = reader->page;

    for (size_t i = 0; i < page->count; i++)
        if (str_eq(page->link[i], href))
            return;
    page->link[page->count++] = arena_copy(reader->arena, href);
}

static bool parse(struct reader *reader, struct url *url, struct str raw)
{
    arena_clear(&reader->scratch);
    buf_clear(&reader->href);
    html_text_put(&reader->href, raw, HTML_TEXT_VALUE);
    return !url_parse(url, &reader->scratch, buf_str(&reader->href),
                      reader->base, NULL);
}

static bool is_ad(const struct reader *reader, const struct url *url)
{
    return reader->ad.depth ||
           (is_engine(reader, url) && str_eq(url_path(url), STR("/y.js")));
}

static void take_link(struct reader *reader, struct str href)
{
    struct url url;

    if (!parse(reader, &url, href) || !follow_redirect(reader, &url))
        return;
    if (reader->takes_any ? leads_away(reader, &url) : !is_ad(reader, &url))
        add_link(reader, url.href);
}

/* ---- the page ---------------------------------------------------------- */

/* A form of the engine that asks for another search: on every page of it. */
static bool is_search_form(struct reader *reader, struct str action)
{
    struct url url;

    if (!action.len || !parse(reader, &url, action))
        return false;

    struct str path = url_path(&url);
    return str_eq(path, STR("/html/")) || str_eq(path, STR("/html")) ||
           str_eq(path, STR("/lite/")) || str_eq(path, STR("/lite"));
}

static bool is_known(struct reader *reader, const struct html_token *tag,
                     struct str class)
{
    static const struct str classes[] = {
        STR_INIT("web-result"),  STR_INIT("result__a"),
        STR_INIT("no-results"),  STR_INIT("result--no-result"),
        STR_INIT("result-link"), STR_INIT("result-snippet"),
        STR_INIT("result--ad"),  STR_INIT("result-sponsored"),
    };

    for (size_t i = 0; i < ARRAY_LEN(classes); i++)
        if (rel_has(class, classes[i]))
            return true;
    return str_eq_nocase(tag->name, STR("form")) &&
           is_search_form(reader, attribute(tag, STR("action")));
}

/* In a page of the engine: is this `a` a result, or an ad that looks like one?
 */
static bool is_result(const struct reader *reader, struct str class)
{
    return rel_has(class, STR("result-link")) ||
           (rel_has(class, STR("result__a")) &&
            (reader->web.depth || reader->ad.depth));
}

static void start_tag(struct reader *reader, const struct html_token *token)
{
    enum html_tag tag = html_tag_find(token->name);
    struct str class = attribute(token, STR("class"));
    struct str href = attribute(token, STR("href"));
    bool can_open = !(html_tags[tag].flags & TAG_IS_VOID);

    if (is_challenge(class) || is_challenge(attribute(token, STR("id"))))
        reader->is_challenge = true;
    reader->is_known = reader->is_known || is_known(reader, token, class);

    scope_start(&reader->web, token,
                can_open && rel_has(class, STR("web-result")));
    scope_start(&reader->ad, token,
                can_open && (rel_has(class, STR("result--ad")) ||
                             rel_has(class, STR("result-sponsored"))));
    scope_start(&reader->foreign, token,
                (tag == TAG_SVG || tag == TAG_MATH) &&
                    !html_is_self_closing(token));

    if (tag == TAG_A && href.ptr &&
        (reader->takes_any || is_result(reader, class)))
        take_link(reader, href);
    if (!reader->foreign.depth)
        html_tokenizer_enter(&reader->tokenizer, html_tree_state(tag),
                             token->name);
}

static void read_tokens(struct reader *reader, struct str html)
{
    struct html_token token;

    reader->web = reader->ad = reader->foreign = (struct scope){0};
    html_tokenizer_init(&reader->tokenizer, html);
    while (html_next(&reader->tokenizer, &token) && !reader->is_challenge &&
           reader->page->count < SEARCHPAGE_LINKS_MAX) {
        if (token.type == HTML_TOKEN_START_TAG) {
            start_tag(reader, &token);
        } else if (token.type == HTML_TOKEN_END_TAG) {
            scope_end(&reader->web, &token);
            scope_end(&reader->ad, &token);
            scope_end(&reader->foreign, &token);
        }
    }
}

/* The page as UTF-8: in `decoded` if it is not that already. */
static struct str decode(const struct searchpage_answer *answer,
                         struct buf *decoded)
{
    size_t bom_len = 0;
    const struct charset *charset =
        charset_sniff(answer->body, answer->http_charset, false, &bom_len);
    struct str html = str_skip(answer->body, bom_len);

    if (charset != CHARSET_UTF_8) {
        charset_decode(charset, html, decoded);
        html = buf_str(decoded);
    }
    return html.len ? html : STR(""); /* never NULL */
}

static void read_page(struct reader *reader, struct str html)
{
    struct searchpage *page = reader->page;

    page->link =
        arena_new(reader->arena, SEARCHPAGE_LINKS_MAX * sizeof(*page->link));
    read_tokens(reader, html);
    if (!reader->is_challenge && !reader->is_known) {
        reader->takes_any = true;
        read_tokens(reader, html);
    }
    if (reader->is_challenge) {
        page->kind = SEARCH_BLOCKED;
        page->count = 0;
    } else if (page->count) {
        page->kind = SEARCH_RESULTS;
    }
}

void searchpage_read(struct searchpage *page, struct arena *arena,
                     const struct searchpage_answer *answer)
{
    struct reader reader = {
        .page = page,
        .arena = arena,
        .base = answer->base,
    };
    struct buf decoded;

    *page = (struct searchpage){.kind = SEARCH_NO_RESULTS};
    if (answer->status == 202 || answer->status == 403 ||
        answer->status == 429) {
        page->kind = SEARCH_BLOCKED;
        return;
    }

    buf_init(&decoded, 3 * answer->body.len + 16);
    struct str html = decode(answer, &decoded);
    arena_init(&reader.scratch);
    buf_init(&reader.href, 3 * html.len + 16);
    buf_init(&reader.target, URL_LEN_MAX);
    read_page(&reader, html);
    buf_release(&reader.target);
    buf_release(&reader.href);
    arena_release(&reader.scratch);
    buf_release(&decoded);
}
