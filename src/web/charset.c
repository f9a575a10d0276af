#include "web/charset.h"

#include <stdlib.h>

#include "base/mem.h"
#include "web/tree.h"

// clang-format off
#include "web/charset_table.inc"
// clang-format on

const struct charset *const CHARSET_UTF_8 = &charsets[UTF_8];
const struct charset *const CHARSET_WINDOWS_1252 = &charsets[WINDOWS_1252];

static int compare_label(const void *wanted, const void *label)
{
    return strcmp(wanted, label);
}

const struct charset *charset_find(struct str label)
{
    char wanted[LABEL_LEN_MAX + 1] = {0};

    label = str_trim(label);
    if (label.len > LABEL_LEN_MAX || str_find(label, '\0') < label.len)
        return NULL;
    for (size_t i = 0; i < label.len; i++)
        wanted[i] = ascii_lower(label.ptr[i]);

    const struct label *found = bsearch(wanted, labels, ARRAY_LEN(labels),
                                        sizeof(labels[0]), compare_label);
    return found ? &charsets[found->id] : NULL;
}

bool charset_is_markup_safe(const struct charset *charset)
{
    switch (charset->kind) {
    case KIND_UTF_16BE:
    case KIND_UTF_16LE:
    case KIND_ISO_2022_JP:
    case KIND_REPLACEMENT:
        return false;
    default:
        /* Trail bytes of the others start at '0', or at '@' without digits:
         * neither '<', '>', '&', '=', '/', quotes nor blanks are among
         * them, and a lead byte before one of those does not swallow it. */
        return true;
    }
}

/* Cut one parameter off the front of `rest` ("name=value", after the ';').
 * A quoted value ends at its second quote; labels have no backslashes, so
 * escapes are not undone. */
static struct str_pair next_parameter(struct str *rest)
{
    size_t name_len = 0;

    while (name_len < rest->len && rest->ptr[name_len] != ';' &&
           rest->ptr[name_len] != '=')
        name_len++;

    struct str_pair parameter = {.head = str_trim(str_first(*rest, name_len))};
    *rest = str_skip(*rest, name_len);
    if (rest->len && rest->ptr[0] == '=') {
        *rest = str_skip(*rest, 1);
        if (rest->len && rest->ptr[0] == '"') {
            *rest = str_skip(*rest, 1);
            parameter.tail = str_first(*rest, str_find(*rest, '"'));
            *rest = str_skip(*rest, parameter.tail.len);
        } else {
            parameter.tail = str_trim(str_first(*rest, str_find(*rest, ';')));
        }
    }
    *rest = str_cut(*rest, ';').tail;
    return parameter;
}

struct str charset_of_content_type(struct str value)
{
    struct str rest = str_cut(value, ';').tail;

    while (rest.len) {
        struct str_pair parameter = next_parameter(&rest);
        if (parameter.tail.len && str_eq_nocase(parameter.head, STR("charset")))
            return parameter.tail;
    }
    return (struct str){0};
}

/* ---- what a page declares -----------------------------------------------
 *
 * Browsers read a page up to its declaration with their tokenizer, before there
 * is a decoder for it, so this does too: a meta element that starts in the
 * first 1024 bytes counts wherever it is (the standard has a prescan for them,
 * 13.2.3.2), and beyond them one counts while the head is open (there the
 * standard changes the encoding while it parses, 13.2.3.5). A meta element
 * inside of a comment, a script, a style or a title does not count. An XML
 * declaration counts if no element declares anything.
 */

enum { PRESCAN_LEN = 1024 };

/* A page whose declaration could be read is not UTF-16, whatever it says. */
static const struct charset *not_utf_16(const struct charset *charset)
{
    bool is_utf_16 = charset && (charset->kind == KIND_UTF_16BE ||
                                 charset->kind == KIND_UTF_16LE);

    return is_utf_16 ? CHARSET_UTF_8 : charset;
}

/* The text of a value in quotes, which `s` starts with; {NULL, 0} where a quote
 * is missing. */
static struct str in_quotes(struct str s)
{
    if (!s.len || (s.ptr[0] != '"' && s.ptr[0] != '\''))
        return (struct str){NULL, 0};

    struct str text = str_skip(s, 1);
    size_t len = str_find(text, s.ptr[0]);
    return len < text.len ? str_first(text, len) : (struct str){NULL, 0};
}

/* ---- a meta element ----------------------------------------------------- */

/* "Extracting a character encoding from a meta element": the label in a
 * content attribute, or NULL. */
static const struct charset *of_content(struct str s)
{
    for (; s.len; s = str_skip(s, 1)) {
        if (!str_starts_nocase(s, STR("charset")))
            continue;
        struct str rest = str_trim_start(str_skip(s, strlen("charset")));
        if (!str_starts(rest, STR("=")))
            continue;
        rest = str_trim_start(str_skip(rest, 1));
        if (str_starts(rest, STR("\"")) || str_starts(rest, STR("'")))
            return charset_find(in_quotes(rest));
        size_t len = 0;
        while (len < rest.len && !ascii_is_space(rest.ptr[len]) &&
               rest.ptr[len] != ';')
            len++;
        return charset_find(str_first(rest, len));
    }
    return NULL;
}

/* An encoding is hardly ever named with a character reference in it. */
static struct str text_of(struct arena *arena, struct str raw)
{
    if (html_text_is_plain(raw, HTML_TEXT_VALUE))
        return raw;

    size_t room = 3 * raw.len;
    struct buf text = {
        .ptr = arena_new(arena, room), .room = room, .cap = room};
    html_text_put(&text, raw, HTML_TEXT_VALUE);
    return buf_str(&text);
}

/* NULL where the element declares nothing. */
static const struct charset *of_meta(const struct html_token *tag)
{
    enum { HTTP_EQUIV, CONTENT, CHARSET, ATTRS };
    static const struct str names[ATTRS] = {
        STR_INIT("http-equiv"), STR_INIT("content"), STR_INIT("charset")};
    const struct charset *charset = NULL;
    struct str value[ATTRS] = {0};
    struct html_attrs attrs = html_attrs(tag);
    struct html_attr attr;
    struct arena arena;

    arena_init(&arena);
    while (html_attrs_next(&attrs, &attr))
        for (size_t i = 0; i < ATTRS; i++)
            if (!value[i].ptr && str_eq_nocase(attr.name, names[i]))
                value[i] = text_of(&arena, attr.value);
    if (value[CHARSET].ptr)
        charset = charset_find(value[CHARSET]);
    else if (str_eq_nocase(value[HTTP_EQUIV], STR("content-type")))
        charset = of_content(value[CONTENT]);
    arena_release(&arena);
    if (charset && charset->kind == KIND_X_USER_DEFINED)
        return CHARSET_WINDOWS_1252;
    return not_utf_16(charset);
}

/* ---- the head ----------------------------------------------------------- */

struct head {
    bool is_over;
    bool in_noscript; /* which is text to a browser that runs scripts */
};

static void note_token(struct head *head, const struct html_token *token,
                       enum html_tag tag)
{
    bool is_in_head = html_tags[tag].flags & TAG_IN_HEAD;

    if (head->in_noscript) {
        if (token->type == HTML_TOKEN_END_TAG && tag == TAG_NOSCRIPT)
            head->in_noscript = false;
        return;
    }
    if (token->text_kind == HTML_TEXT_DATA && str_trim_start(token->text).len)
        head->is_over = true;
    /* A template may stand in a head, but browsers look no further. */
    if (token->type == HTML_TOKEN_START_TAG && tag == TAG_NOSCRIPT)
        head->in_noscript = true;
    else if (token->type == HTML_TOKEN_START_TAG &&
             (tag == TAG_TEMPLATE || !is_in_head))
        head->is_over = true;
    if (token->type == HTML_TOKEN_END_TAG &&
        (tag == TAG_HEAD || tag == TAG_BODY || tag == TAG_HTML ||
         tag == TAG_BR))
        head->is_over = true;
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

/* ---- an XML declaration ------------------------------------------------- */

static struct str skip_controls(struct str s)
{
    while (s.len && (unsigned char)s.ptr[0] <= ' ')
        s = str_skip(s, 1);
    return s;
}

/* The standard's "get an XML encoding". */
static const struct charset *of_xml_declaration(struct str body)
{
    static const struct str word = STR_INIT("encoding");
    size_t end = str_find(body, '>');

    if (!str_starts(body, STR("<?xml")) || end == body.len)
        return NULL;
    const char *at = memmem(body.ptr, end, word.ptr, word.len);
    if (!at)
        return NULL;
    struct str rest = skip_controls(str_between(at + word.len, body.ptr + end));
    if (!str_starts(rest, STR("=")))
        return NULL;

    struct str label = in_quotes(skip_controls(str_skip(rest, 1)));
    return str_trim(label).len == label.len ? not_utf_16(charset_find(label))
                                            : NULL;
}

/* Every second byte is 0, so no declaration can be read as ASCII. */
static const struct charset *of_utf_16(struct str page)
{
    if (str_starts(page, STR("<\0?\0x\0")))
        return &charsets[UTF_16LE];
    if (str_starts(page, STR("\0<\0?\0x")))
        return &charsets[UTF_16BE];
    return NULL;
}

static const struct charset *declared_in_xml(struct str page)
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
    return charset ? charset : declared_in_xml(page);
}

/* ---- all of it ---------------------------------------------------------- */

static const struct charset *by_byte_order_mark(struct str body, size_t *len)
{
    const struct {
        struct str mark;
        const struct charset *charset;
    } marks[] = {
        {STR("\xEF\xBB\xBF"), CHARSET_UTF_8},
        {STR("\xFE\xFF"), &charsets[UTF_16BE]},
        {STR("\xFF\xFE"), &charsets[UTF_16LE]},
    };

    for (size_t i = 0; i < ARRAY_LEN(marks); i++) {
        if (str_starts(body, marks[i].mark)) {
            *len = marks[i].mark.len;
            return marks[i].charset;
        }
    }
    *len = 0;
    return NULL;
}

const struct charset *charset_sniff(struct str body, struct str http_label,
                                    bool is_xml, size_t *bom_len)
{
    const struct charset *charset = by_byte_order_mark(body, bom_len);

    if (!charset)
        charset = charset_find(http_label);
    if (!charset)
        charset = is_xml ? declared_in_xml(body) : charset_declared(body);
    if (!charset)
        charset = is_xml ? CHARSET_UTF_8 : CHARSET_WINDOWS_1252;
    return charset;
}
