/* The encoding that a page declares, found before there is a decoder for it.
 *
 * Browsers read a page up to its declaration with their tokenizer, so this
 * does too: a meta element that starts in the first 1024 bytes counts wherever
 * it is (the standard has a prescan for them, 13.2.3.2), and beyond them one
 * counts while the head is open (there the standard changes the encoding while
 * it parses, 13.2.3.5). One inside of a comment, a script, a style or a title
 * is none. Where no element declares anything, an XML declaration counts.
 */
#include "html/charset_internal.h"
#include "html/tag.h"
#include "html/tokenizer.h"
#include "html/tree.h"

enum { PRESCAN_LEN = 1024 };

/* ---- a meta element ---------------------------------------------------- */

/* What is left of the bytes; every step takes from the front. */
struct scan {
    struct str rest;
};

static void skip(struct scan *scan, size_t n)
{
    scan->rest = str_skip(scan->rest, n < scan->rest.len ? n : scan->rest.len);
}

static void skip_space(struct scan *scan)
{
    while (scan->rest.len && ascii_is_space(scan->rest.ptr[0]))
        skip(scan, 1);
}

/* "Extracting a character encoding from a meta element": the label in a
 * content attribute, or NULL. */
static const struct charset *of_content(struct str s)
{
    while (s.len) {
        if (!str_starts_nocase(s, STR("charset"))) {
            s = str_skip(s, 1);
            continue;
        }
        struct scan scan = {str_skip(s, strlen("charset"))};
        skip_space(&scan);
        s = scan.rest;
        if (!s.len || s.ptr[0] != '=')
            continue;
        skip(&scan, 1);
        skip_space(&scan);
        s = scan.rest;
        if (s.len && (s.ptr[0] == '"' || s.ptr[0] == '\'')) {
            struct str label = str_skip(s, 1);
            size_t len = str_find(label, s.ptr[0]);
            return len < label.len ? charset_find(str_first(label, len)) : NULL;
        }
        size_t len = 0;
        while (len < s.len && !ascii_is_space(s.ptr[len]) && s.ptr[len] != ';')
            len++;
        return charset_find(str_first(s, len));
    }
    return NULL;
}

/* What a meta element has said so far. */
struct meta {
    bool seen_http_equiv, seen_content, seen_charset; /* the first counts */
    bool got_pragma;
    enum { PRAGMA_UNKNOWN, PRAGMA_NEEDED, PRAGMA_NOT_NEEDED } need_pragma;
    const struct charset *charset;
};

static void note_attribute(struct meta *meta, struct str name, struct str value)
{
    if (str_eq_nocase(name, STR("http-equiv"))) {
        if (!meta->seen_http_equiv)
            meta->got_pragma = str_eq_nocase(value, STR("content-type"));
        meta->seen_http_equiv = true;
    } else if (str_eq_nocase(name, STR("content"))) {
        const struct charset *charset = of_content(value);
        if (!meta->seen_content && !meta->seen_charset && charset) {
            meta->charset = charset;
            meta->need_pragma = PRAGMA_NEEDED;
        }
        meta->seen_content = true;
    } else if (str_eq_nocase(name, STR("charset"))) {
        if (!meta->seen_charset) {
            meta->charset = charset_find(value);
            meta->need_pragma = PRAGMA_NOT_NEEDED;
        }
        meta->seen_charset = true;
    }
}

/* A page whose declaration could be read is not UTF-16, whatever it says. */
static const struct charset *not_utf_16(const struct charset *charset)
{
    bool utf_16 =
        charset->kind == KIND_UTF_16BE || charset->kind == KIND_UTF_16LE;

    return utf_16 ? CHARSET_UTF_8 : charset;
}

/* An encoding is hardly ever named with a character reference in it. */
static void note_raw_attribute(struct meta *meta, const struct html_attr *attr)
{
    struct buf value;

    if (html_text_is_plain(attr->value, HTML_TEXT_VALUE)) {
        note_attribute(meta, attr->name, attr->value);
        return;
    }
    buf_init(&value, 3 * attr->value.len);
    html_text_put(&value, attr->value, HTML_TEXT_VALUE);
    note_attribute(meta, attr->name, buf_str(&value));
    buf_release(&value);
}

/* NULL where the element declares nothing. */
static const struct charset *of_meta(const struct html_token *tag)
{
    struct meta meta = {0};
    struct html_attrs attrs = html_attrs(tag);
    struct html_attr attr;

    while (html_attrs_next(&attrs, &attr))
        note_raw_attribute(&meta, &attr);
    if (!meta.charset || meta.need_pragma == PRAGMA_UNKNOWN ||
        (meta.need_pragma == PRAGMA_NEEDED && !meta.got_pragma))
        return NULL;
    if (meta.charset->kind == KIND_X_USER_DEFINED)
        return CHARSET_WINDOWS_1252;
    return not_utf_16(meta.charset);
}

/* ---- the head ---------------------------------------------------------- */

struct head {
    bool is_over;
    bool in_noscript; /* which is text to a browser that runs scripts */
};

static bool is_blank(struct str text)
{
    for (size_t i = 0; i < text.len; i++)
        if (!ascii_is_space(text.ptr[i]))
            return false;
    return true;
}

/* A template may stand in a head, but browsers look no further. */
static void start_in_head(struct head *head, enum html_tag tag)
{
    if (head->in_noscript)
        return;
    if (tag == TAG_NOSCRIPT)
        head->in_noscript = true;
    else if (tag == TAG_TEMPLATE || !(html_tags[tag].flags & TAG_IN_HEAD))
        head->is_over = true;
}

static void end_in_head(struct head *head, enum html_tag tag)
{
    if (tag == TAG_NOSCRIPT)
        head->in_noscript = false;
    else if (!head->in_noscript && (tag == TAG_HEAD || tag == TAG_BODY ||
                                    tag == TAG_HTML || tag == TAG_BR))
        head->is_over = true;
}

static void note_token(struct head *head, const struct html_token *token,
                       enum html_tag tag)
{
    if (token->text_kind == HTML_TEXT_DATA && !head->in_noscript &&
        !is_blank(token->text))
        head->is_over = true;
    if (token->type == HTML_TOKEN_START_TAG)
        start_in_head(head, tag);
    if (token->type == HTML_TOKEN_END_TAG)
        end_in_head(head, tag);
}

static const struct charset *of_markup(struct str page)
{
    struct html_tokenizer tokenizer;
    struct html_token token;
    struct head head = {0};

    html_tokenizer_init(&tokenizer, page);
    while (html_next(&tokenizer, &token)) {
        bool is_start = token.type == HTML_TOKEN_START_TAG;
        bool is_tag = is_start || token.type == HTML_TOKEN_END_TAG;
        enum html_tag tag = is_tag ? html_tag_find(token.name) : TAG_OTHER;
        const char *at = is_tag ? token.name.ptr - 1 : tokenizer.at;
        bool is_early = at - page.ptr < PRESCAN_LEN;

        note_token(&head, &token, tag);
        if (head.is_over && !is_early)
            return NULL;
        if (is_start && tag == TAG_META && (is_early || !head.in_noscript)) {
            const struct charset *charset = of_meta(&token);
            if (charset)
                return charset;
        }
        if (is_start)
            html_tokenizer_enter(&tokenizer, html_tree_state(tag), token.name);
    }
    return NULL;
}

/* ---- an XML declaration ------------------------------------------------ */

static bool skip_controls(struct scan *scan)
{
    while (scan->rest.len && (unsigned char)scan->rest.ptr[0] <= ' ')
        skip(scan, 1);
    return scan->rest.len > 0;
}

/* The standard's "get an XML encoding". */
static const struct charset *of_xml_declaration(struct str body)
{
    size_t end = str_find(body, '>');
    struct scan scan = {str_first(body, end)};

    if (!str_starts(body, STR("<?xml")) || end == body.len)
        return NULL;
    while (scan.rest.len && !str_starts(scan.rest, STR("encoding")))
        skip(&scan, 1);
    skip(&scan, strlen("encoding"));
    if (!skip_controls(&scan) || scan.rest.ptr[0] != '=')
        return NULL;
    skip(&scan, 1);
    if (!skip_controls(&scan))
        return NULL;

    char quote = scan.rest.ptr[0];
    if (quote != '"' && quote != '\'')
        return NULL;
    skip(&scan, 1);

    struct str label = str_first(scan.rest, str_find(scan.rest, quote));
    if (label.len == scan.rest.len)
        return NULL;
    for (size_t i = 0; i < label.len; i++)
        if ((unsigned char)label.ptr[i] <= ' ')
            return NULL;

    const struct charset *charset = charset_find(label);
    return charset ? not_utf_16(charset) : NULL;
}

/* Every second byte is 0, so no declaration can be read as ASCII. */
static const struct charset *of_utf_16(struct str page)
{
    if (str_starts(page, STR("<\0?\0x\0")))
        return CHARSET_UTF_16LE;
    if (str_starts(page, STR("\0<\0?\0x")))
        return CHARSET_UTF_16BE;
    return NULL;
}

const struct charset *charset_declared_in_xml(struct str page)
{
    const struct charset *charset = of_utf_16(page);

    return charset ? charset : of_xml_declaration(str_first(page, PRESCAN_LEN));
}

const struct charset *charset_declared(struct str page)
{
    const struct charset *charset = of_utf_16(page);

    /* Most declarations are in the first bytes, and the tokenizer looks ahead
     * as far as there is something. */
    if (!charset && page.len)
        charset = of_markup(str_first(page, PRESCAN_LEN));
    if (!charset && page.len > PRESCAN_LEN)
        charset = of_markup(page);
    return charset ? charset : charset_declared_in_xml(page);
}
