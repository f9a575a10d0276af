#include "web/html.h"

#include <assert.h>

#include "web/block.h"
#include "web/found.h"
#include "web/xml.h"

struct scanner {
    struct arena *arena;
    const struct charset *charset; /* of the bytes; NULL if valid UTF-8 */
    struct html_tokenizer tokenizer;
    struct html_tree tree;

    struct html_found found;
    size_t head_links, head_requisites; /* those before the body */
    bool wants_requisites, wants_content;
    const struct html_filter *only; /* the tags of interest in the body */

    struct buf decoded, meaning; /* scratch */
};

/* ---- values ------------------------------------------------------------- */

/* Nothing to decode, in any charset: the usual case. */
static bool is_plain_ascii(const struct scanner *scanner, struct str s)
{
    const char *at = s.ptr, *end = s.ptr + s.len;

    for (; at < end; at += BLOCK_LEN) {
        struct block block = block_load(at, scanner->tokenizer.end);
        uint32_t special = block_not_ascii(block) | block_equal(block, '&') |
                           block_equal(block, '\r') | block_equal(block, '\0');
        if (special && at + block_first(special) < end)
            return false;
    }
    return true;
}

/* `raw` in UTF-8 with its references decoded, good until the next call. */
static struct str meaning_of(struct scanner *scanner, struct str raw,
                             enum html_text kind)
{
    if (scanner->charset) {
        buf_clear(&scanner->decoded);
        charset_decode(scanner->charset, raw, &scanner->decoded);
        raw = buf_str(&scanner->decoded);
    }
    if (html_text_is_plain(raw, kind))
        return raw;
    buf_clear(&scanner->meaning);
    html_text_put(&scanner->meaning, raw, kind);
    return buf_str(&scanner->meaning);
}

/* The decoded value of an attribute, good as long as the page and the arena. */
static inline struct str value_of(struct scanner *scanner, struct str raw)
{
    if (!raw.len || is_plain_ascii(scanner, raw))
        return raw;
    return arena_copy(scanner->arena,
                      meaning_of(scanner, raw, HTML_TEXT_VALUE));
}

/* ---- tags --------------------------------------------------------------- */

/* The values of the attributes with these names, of two with the same name the
 * first; {NULL, 0} where there is none. */
static inline void read_values(struct scanner *scanner,
                               const struct html_token *token,
                               const struct str *names, struct str *value,
                               size_t count)
{
    struct html_attrs attrs = html_attrs(token);
    struct html_attr attr;

    memset(value, 0, count * sizeof(*value));
    while (html_attrs_next(&attrs, &attr))
        for (size_t i = 0; i < count; i++)
            if (html_is_name(attr.name, names[i]) && !value[i].ptr)
                value[i] = value_of(scanner, attr.value);
}

static void element(struct scanner *scanner, enum html_tag tag,
                    const struct html_token *token)
{
    const struct str *names = html_found_attrs(tag);
    struct str value[HTML_FOUND_ATTRS];

    if (!names)
        return;
    read_values(scanner, token, names, value, HTML_FOUND_ATTRS);
    if (!value[0].ptr && html_tree_is_foreign(&scanner->tree))
        value[0] = value[2]; /* xlink:href of SVG */
    html_found_element(&scanner->found, tag, value);
}

/* The text that follows the start tag of a style or title element. Reading
 * ahead leaves the tokenizer where it is. */
static struct str text_ahead(struct scanner *scanner)
{
    struct html_tokenizer ahead = scanner->tokenizer;
    struct html_token token;

    ahead.only = NULL;
    html_next(&ahead, &token);
    struct str text = token.text;
    if (!is_plain_ascii(scanner, text))
        text = arena_copy(scanner->arena,
                          meaning_of(scanner, text, token.text_kind));
    return text;
}

static void requisites(struct scanner *scanner, enum html_tag tag,
                       enum html_namespace namespace,
                       const struct html_token *token)
{
    bool is_svg = namespace == HTML_IN_SVG;
    const struct str *names = html_requisite_attrs(tag, is_svg);
    struct str attrs = token->rest;

    if ((!is_svg && namespace != HTML_IN_HTML) ||
        (tag == TAG_FRAME && html_tree_is_plain(&scanner->tree)))
        return;
    /* A style attribute without parens names nothing; one that has a character
     * reference may have them all the same. */
    if (attrs.len && (names[1].len || memchr(attrs.ptr, '(', attrs.len) ||
                      memchr(attrs.ptr, '&', attrs.len))) {
        struct str value[HTML_REQUISITE_ATTRS];
        read_values(scanner, token, names, value, HTML_REQUISITE_ATTRS);
        html_requisite_element(&scanner->found, tag, is_svg, value);
    }
    if (tag == TAG_STYLE)
        html_requisite_css(&scanner->found, text_ahead(scanner), CSS_SHEET);
}

/* The names that a fragment can have, and the title. */
static void content(struct scanner *scanner, enum html_tag tag,
                    enum html_namespace namespace,
                    const struct html_token *token)
{
    struct html_found *found = &scanner->found;
    struct html_attrs attrs = html_attrs(token);
    struct html_attr attr;
    bool has_id = false, has_name = tag != TAG_A || namespace != HTML_IN_HTML;

    while (found->options->want_ids && html_attrs_next(&attrs, &attr)) {
        bool *has = html_is_name(attr.name, STR("id"))     ? &has_id
                    : html_is_name(attr.name, STR("name")) ? &has_name
                                                           : NULL;
        if (has && !*has)
            html_found_id(found, value_of(scanner, attr.value));
        if (has)
            *has = true;
    }
    if (tag == TAG_TITLE && namespace == HTML_IN_HTML &&
        html_found_needs_title(found)) {
        html_found_title(found, text_ahead(scanner));
        scanner->wants_content = found->options->want_ids;
    }
}

/* Tell the tree of the tag, and drop the links of a body that it replaces. */
static enum html_namespace start_in_tree(struct scanner *scanner,
                                         enum html_tag tag,
                                         const struct html_token *token)
{
    struct html_tree *tree = &scanner->tree;
    enum html_phase before = tree->phase;
    enum html_namespace namespace = html_tree_start(tree, tag, token);

    if (before == HTML_BEFORE_BODY) {
        scanner->head_links = scanner->found.count;
        scanner->head_requisites = scanner->found.requisites;
    }
    /* A frameset replaces the body. */
    if (before < HTML_FRAMESET && tree->phase == HTML_FRAMESET)
        html_found_cut(&scanner->found, scanner->head_links,
                       scanner->head_requisites);
    scanner->tokenizer.has_cdata = html_tree_is_foreign(tree);
    return namespace;
}

/* The namespace of the element that begins. */
static enum html_namespace start_element(struct scanner *scanner,
                                         enum html_tag tag,
                                         const struct html_token *token)
{
    bool is_watched = html_tags[tag].flags & TAG_IS_WATCHED;

    if (!is_watched && html_tree_is_plain(&scanner->tree)) {
        if (tag == TAG_FORM)
            element(scanner, tag, token);
        return HTML_IN_HTML;
    }

    enum html_namespace namespace = start_in_tree(scanner, tag, token);
    bool is_inert = scanner->tree.templates > 0;
    /* Pages that have frames but forgot the frameset around them: to a browser
     * they are empty, but what they link to is clear. */
    bool lacks_frameset = scanner->tree.phase == HTML_BODY_START &&
                          !scanner->tree.count && !is_inert;

    if (tag == TAG_A && !is_inert)
        html_found_end_text(&scanner->found);
    if ((tag == TAG_A && !is_inert && namespace == HTML_IN_SVG) ||
        (tag == TAG_FRAME && lacks_frameset))
        element(scanner, tag, token);
    if (namespace != HTML_IN_HTML)
        return namespace;
    if (!is_inert)
        element(scanner, tag, token);
    html_tokenizer_enter(&scanner->tokenizer, html_tree_state(tag),
                         token->name);
    return namespace;
}

static void start_tag(struct scanner *scanner, const struct html_token *token)
{
    enum html_tag tag = html_tag_find(token->name);
    enum html_namespace namespace = start_element(scanner, tag, token);

    if (scanner->wants_requisites && !scanner->tree.templates)
        requisites(scanner, tag, namespace, token);
    if (scanner->wants_content && !scanner->tree.templates)
        content(scanner, tag, namespace, token);
}

static void end_tag(struct scanner *scanner, const struct html_token *token)
{
    enum html_tag tag = html_tag_find(token->name);

    if (tag == TAG_A && scanner->tree.templates == 0)
        html_found_end_text(&scanner->found);
    html_tree_end(&scanner->tree, tag, token);
    scanner->tokenizer.has_cdata = html_tree_is_foreign(&scanner->tree);
}

static void add_text(struct scanner *scanner, const struct html_token *token)
{
    if (scanner->tree.templates || (token->text_kind != HTML_TEXT_DATA &&
                                    token->text_kind != HTML_TEXT_CDATA))
        return;

    struct str text = token->text;
    if (!is_plain_ascii(scanner, text))
        text = meaning_of(scanner, text, token->text_kind);
    html_found_text(&scanner->found, text);
}

/* ---- the page ----------------------------------------------------------- */

static void scan_tokens(struct scanner *scanner)
{
    struct html_token token;
    bool has_more;

    do {
        bool is_plain = html_tree_is_plain(&scanner->tree);
        scanner->tokenizer.only =
            is_plain && !scanner->found.is_in_a ? scanner->only : NULL;
        has_more = html_next(&scanner->tokenizer, &token);
        if (!is_plain && token.text.len)
            html_tree_text(&scanner->tree, &token);
        if (scanner->found.is_in_a && token.text.len)
            add_text(scanner, &token);
        if (token.type == HTML_TOKEN_START_TAG)
            start_tag(scanner, &token);
        if (token.type == HTML_TOKEN_END_TAG)
            end_tag(scanner, &token);
    } while (has_more);
}

/* Pages in UTF-16 or ISO-2022-JP have no ASCII markup: decode them first. */
static struct str decode_page(struct scanner *scanner, struct str html)
{
    struct buf page;

    buf_init(&page, CHARSET_GROWTH_MAX * html.len);
    charset_decode(scanner->charset, html, &page);
    struct str copy = arena_copy(scanner->arena, buf_str(&page));
    buf_release(&page);
    scanner->charset = NULL;
    return copy;
}

static void scan_html(struct html_links *links, struct arena *arena,
                      struct str html, const struct html_scan_options *options)
{
    struct scanner scanner; /* large: not all of it is cleared */
    size_t bom_len;

    links->info.charset =
        charset_sniff(html, options->http_charset, false, &bom_len);
    html = str_skip(html, bom_len);

    scanner.arena = arena;
    scanner.charset = links->info.charset;
    scanner.head_links = scanner.head_requisites = 0;
    scanner.wants_requisites = options->want_requisites;
    scanner.wants_content = options->want_title || options->want_ids;
    scanner.only = options->want_requisites || options->want_ids
                       ? &html_all_tags
                       : &html_watched;
    html_found_init(&scanner.found, links, arena, options);
    html_tree_init(&scanner.tree);
    if (!charset_is_markup_safe(scanner.charset))
        html = decode_page(&scanner, html);
    html_tokenizer_init(&scanner.tokenizer, html);
    buf_init(&scanner.decoded, CHARSET_GROWTH_MAX * html.len);
    /* Three times what is decoded (html_text_put). */
    buf_init(&scanner.meaning, 3 * CHARSET_GROWTH_MAX * html.len);

    scan_tokens(&scanner);

    html_found_finish(&scanner.found);
    buf_release(&scanner.decoded);
    buf_release(&scanner.meaning);
}

void html_scan(struct html_links *links, struct arena *arena, struct str html,
               const struct html_scan_options *options)
{
    if (!html.ptr)
        html = STR("");
    *links = (struct html_links){0};
    if (options->is_xhtml)
        xhtml_scan(links, arena, html, options);
    else
        scan_html(links, arena, html, options);
}

/* ---- kinds -------------------------------------------------------------- */

const char *html_link_kind_name(enum html_link_kind kind)
{
    static const char *const names[] = {
        [HTML_A] = "a",
        [HTML_AREA] = "area",
        [HTML_FRAME] = "frame",
        [HTML_IFRAME] = "iframe",
        [HTML_REFRESH] = "refresh",
        [HTML_LINK] = "link",
        [HTML_FORM] = "form",
    };
    static_assert(ARRAY_LEN(names) == HTML_LINK_KINDS, "every kind has a name");

    return (unsigned)kind < HTML_LINK_KINDS ? names[kind] : "unknown";
}

const char *html_requisite_kind_name(enum html_requisite_kind kind)
{
    static const char *const names[] = {
        [HTML_REQUISITE_STYLESHEET] = "stylesheet",
        [HTML_REQUISITE_CSS] = "css",
        [HTML_REQUISITE_IMAGE] = "image",
        [HTML_REQUISITE_SCRIPT] = "script",
        [HTML_REQUISITE_ICON] = "icon",
        [HTML_REQUISITE_MEDIA] = "media",
        [HTML_REQUISITE_PRELOAD] = "preload",
        [HTML_REQUISITE_MANIFEST] = "manifest",
        [HTML_REQUISITE_OBJECT] = "object",
        [HTML_REQUISITE_FRAME] = "frame",
    };
    static_assert(ARRAY_LEN(names) == HTML_REQUISITE_KINDS,
                  "every kind has a name");

    return (unsigned)kind < HTML_REQUISITE_KINDS ? names[kind] : "unknown";
}

/* ---- the meaning of values ---------------------------------------------- */

static bool starts_with_any(struct str s, const char *chars)
{
    return s.len && s.ptr[0] && strchr(chars, s.ptr[0]);
}

/* After the time: "url=", or its lack, and quotes are optional. */
static struct str refresh_target(struct str s)
{
    struct str url = s;

    if (str_starts_nocase(s, STR("u"))) {
        if (!str_starts_nocase(s, STR("url")))
            return url;
        s = str_trim_start(str_skip(s, 3));
        if (!str_starts(s, STR("=")))
            return url;
        s = str_trim_start(str_skip(s, 1));
    }
    if (!starts_with_any(s, "'\""))
        return s;

    char quote = s.ptr[0];
    s = str_skip(s, 1);
    return str_first(s, str_find(s, quote));
}

struct str html_refresh_url(struct str content)
{
    struct str none = {NULL, 0};
    struct str s = str_trim_start(content);

    if (!s.len || !(ascii_is_digit(s.ptr[0]) || s.ptr[0] == '.'))
        return none;
    while (s.len && (ascii_is_digit(s.ptr[0]) || s.ptr[0] == '.'))
        s = str_skip(s, 1);
    if (!s.len || !(starts_with_any(s, ";,") || ascii_is_space(s.ptr[0])))
        return none;
    s = str_trim_start(s);
    if (starts_with_any(s, ";,"))
        s = str_trim_start(str_skip(s, 1));
    return s.len ? refresh_target(s) : none;
}

void html_robots_rules(struct str content, bool *noindex, bool *nofollow,
                       bool *noarchive)
{
    while (content.len) {
        size_t len = 0;
        while (len < content.len && content.ptr[len] != ',' &&
               !ascii_is_space(content.ptr[len]))
            len++;

        struct str rule = str_first(content, len);
        bool is_none = str_eq_nocase(rule, STR("none"));
        if (is_none || str_eq_nocase(rule, STR("noindex")))
            *noindex = true;
        if (is_none || str_eq_nocase(rule, STR("nofollow")))
            *nofollow = true;
        if (str_eq_nocase(rule, STR("noarchive")))
            *noarchive = true;
        content = str_skip(content, len < content.len ? len + 1 : len);
    }
}

bool html_policy_upgrades(struct str policy)
{
    static const struct str wanted = STR_INIT("upgrade-insecure-requests");

    while (policy.len) {
        size_t len = 0;
        while (len < policy.len && policy.ptr[len] != ';' &&
               policy.ptr[len] != ',')
            len++;

        struct str directive = str_trim(str_first(policy, len));
        size_t name = 0;
        while (name < directive.len && !ascii_is_space(directive.ptr[name]))
            name++;
        if (str_eq_nocase(str_first(directive, name), wanted))
            return true;
        policy = str_skip(policy, len < policy.len ? len + 1 : len);
    }
    return false;
}

struct str html_fragment(struct str href)
{
    size_t hash = str_find(href, '#');

    return hash < href.len ? str_skip(href, hash + 1) : (struct str){0};
}

bool html_requisite_is_fetched(struct str href)
{
    struct str text = str_trim(href);

    return text.len && text.ptr[0] != '#' &&
           !str_starts_nocase(text, STR("data:"));
}
