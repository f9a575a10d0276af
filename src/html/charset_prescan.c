/* The prescan of the HTML standard, 13.2.3.2: a byte stream is searched for
 * an encoding declaration before there is a decoder for it.
 *
 * The steps and their order are the standard's, oddities included. To run
 * out of bytes anywhere ends the prescan; then an XML declaration counts.
 */
#include "html/charset_internal.h"

enum { PRESCAN_LEN = 1024 };

/* What is left of the bytes; every step takes from the front. */
struct scan {
    struct str rest;
};

struct attribute {
    struct str name, value; /* as written: compare without case */
};

enum got { GOT_ATTRIBUTE, GOT_NONE, OUT_OF_BYTES };

static void skip(struct scan *scan, size_t n)
{
    scan->rest = str_skip(scan->rest, n < scan->rest.len ? n : scan->rest.len);
}

static bool skip_space(struct scan *scan)
{
    while (scan->rest.len && ascii_is_space(scan->rest.ptr[0]))
        skip(scan, 1);
    return scan->rest.len > 0;
}

static enum got get_value(struct scan *scan, struct attribute *attribute)
{
    if (!skip_space(scan))
        return OUT_OF_BYTES;

    char quote = scan->rest.ptr[0];
    if (quote == '"' || quote == '\'') {
        skip(scan, 1);
        attribute->value = str_first(scan->rest, str_find(scan->rest, quote));
        skip(scan, attribute->value.len);
        if (!scan->rest.len)
            return OUT_OF_BYTES;
        skip(scan, 1);
        return GOT_ATTRIBUTE;
    }

    size_t len = 0;
    while (len < scan->rest.len && !ascii_is_space(scan->rest.ptr[len]) &&
           scan->rest.ptr[len] != '>')
        len++;
    attribute->value = str_first(scan->rest, len);
    skip(scan, len);
    return scan->rest.len ? GOT_ATTRIBUTE : OUT_OF_BYTES;
}

/* The standard's "get an attribute". */
static enum got get_attribute(struct scan *scan, struct attribute *attribute)
{
    size_t len = 0;

    *attribute = (struct attribute){0};
    while (scan->rest.len &&
           (ascii_is_space(scan->rest.ptr[0]) || scan->rest.ptr[0] == '/'))
        skip(scan, 1);
    if (!scan->rest.len)
        return OUT_OF_BYTES;
    if (scan->rest.ptr[0] == '>')
        return GOT_NONE;

    /* A '=' as the first character belongs to the name. */
    for (; len < scan->rest.len; len++) {
        char c = scan->rest.ptr[len];
        if (ascii_is_space(c) || c == '/' || c == '>' || (c == '=' && len))
            break;
    }
    attribute->name = str_first(scan->rest, len);
    skip(scan, len);
    if (!skip_space(scan))
        return OUT_OF_BYTES;
    if (scan->rest.ptr[0] != '=')
        return GOT_ATTRIBUTE;
    skip(scan, 1);
    return get_value(scan, attribute);
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

static void note_attribute(struct meta *meta, const struct attribute *attribute)
{
    if (str_eq_nocase(attribute->name, STR("http-equiv"))) {
        if (!meta->seen_http_equiv)
            meta->got_pragma =
                str_eq_nocase(attribute->value, STR("content-type"));
        meta->seen_http_equiv = true;
    } else if (str_eq_nocase(attribute->name, STR("content"))) {
        const struct charset *charset = of_content(attribute->value);
        if (!meta->seen_content && !meta->seen_charset && charset) {
            meta->charset = charset;
            meta->need_pragma = PRAGMA_NEEDED;
        }
        meta->seen_content = true;
    } else if (str_eq_nocase(attribute->name, STR("charset"))) {
        if (!meta->seen_charset) {
            meta->charset = charset_find(attribute->value);
            meta->need_pragma = PRAGMA_NOT_NEEDED;
        }
        meta->seen_charset = true;
    }
}

/* A page that could be prescanned is not UTF-16, whatever it says. */
static const struct charset *not_utf_16(const struct charset *charset)
{
    bool utf_16 =
        charset->kind == KIND_UTF_16BE || charset->kind == KIND_UTF_16LE;

    return utf_16 ? CHARSET_UTF_8 : charset;
}

/* At the blank or slash after "<meta". NULL where the element declares
 * nothing; `scan` is then behind its attributes. */
static const struct charset *of_meta(struct scan *scan)
{
    struct meta meta = {0};
    struct attribute attribute;
    enum got got;

    while ((got = get_attribute(scan, &attribute)) == GOT_ATTRIBUTE)
        note_attribute(&meta, &attribute);
    if (got == OUT_OF_BYTES || !meta.charset ||
        meta.need_pragma == PRAGMA_UNKNOWN ||
        (meta.need_pragma == PRAGMA_NEEDED && !meta.got_pragma))
        return NULL;
    if (meta.charset->kind == KIND_USER_DEFINED)
        return CHARSET_WINDOWS_1252;
    return not_utf_16(meta.charset);
}

static bool at_meta(struct str s)
{
    return s.len > 5 && str_starts_nocase(s, STR("<meta")) &&
           (ascii_is_space(s.ptr[5]) || s.ptr[5] == '/');
}

static bool at_tag(struct str s)
{
    size_t letter = s.len > 1 && s.ptr[1] == '/' ? 2 : 1;

    return s.len > letter && ascii_is_alpha(s.ptr[letter]);
}

/* At "<!--". The hyphens of the end may be those of the beginning. */
static void skip_comment(struct scan *scan)
{
    skip(scan, 2);
    while (scan->rest.len && !str_starts(scan->rest, STR("-->")))
        skip(scan, 1);
    skip(scan, 2);
}

static void skip_tag(struct scan *scan)
{
    struct attribute attribute;

    while (scan->rest.len && !ascii_is_space(scan->rest.ptr[0]) &&
           scan->rest.ptr[0] != '>')
        skip(scan, 1);
    while (get_attribute(scan, &attribute) == GOT_ATTRIBUTE)
        ;
}

static const struct charset *of_markup(struct str body)
{
    struct scan scan = {body};

    while (scan.rest.len) {
        skip(&scan, str_find(scan.rest, '<'));
        if (str_starts(scan.rest, STR("<!--"))) {
            skip_comment(&scan);
        } else if (at_meta(scan.rest)) {
            skip(&scan, strlen("<meta"));
            const struct charset *charset = of_meta(&scan);
            if (charset)
                return charset;
        } else if (at_tag(scan.rest)) {
            skip_tag(&scan);
        } else if (scan.rest.len > 1 && strchr("!/?", scan.rest.ptr[1]) &&
                   scan.rest.ptr[1]) {
            skip(&scan, str_find(scan.rest, '>'));
        }
        skip(&scan, 1);
    }
    return NULL;
}

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

const struct charset *charset_prescan(struct str body)
{
    body = str_first(body, PRESCAN_LEN);
    if (str_starts(body, STR("<\0?\0x\0")))
        return &charset_table[ID_UTF_16LE];
    if (str_starts(body, STR("\0<\0?\0x")))
        return &charset_table[ID_UTF_16BE];

    const struct charset *charset = of_markup(body);
    return charset ? charset : of_xml_declaration(body);
}
