#include "web/xml.h"

#include <assert.h>
#include <stdalign.h>
#include <stdlib.h>

#include "base/mem.h"
#include "base/str.h"
#include "web/found.h"

/* ---- the parser --------------------------------------------------------- */

/* The parser copies what it is given, and reads what has no end yet again with
 * every piece: so the pieces of a large document grow. */
enum { FIRST_PIECE_LEN = 64 * 1024, PIECE_MAX_LEN = 1 << 20 };

/* The bytes that the parser may still allocate. The functions that expat asks
 * for memory get no argument to keep this in, so every thread has its own. */
static _Thread_local size_t xml_bytes_left;

struct xml_block {
    size_t size;
    alignas(max_align_t) char bytes[];
};

static struct xml_block *block_of(void *bytes)
{
    return (struct xml_block *)((char *)bytes -
                                offsetof(struct xml_block, bytes));
}

static void *xml_resize(void *bytes, size_t size)
{
    struct xml_block *block = bytes ? block_of(bytes) : NULL;
    size_t left = xml_bytes_left + (block ? block->size : 0);

    if (size > left)
        return NULL;
    block = mem_resize(block, sizeof(*block) + size);
    block->size = size;
    xml_bytes_left = left - size;
    return block->bytes;
}

static void *xml_new(size_t size)
{
    return xml_resize(NULL, size);
}

static void xml_free(void *bytes)
{
    if (!bytes)
        return;
    xml_bytes_left += block_of(bytes)->size;
    free(block_of(bytes));
}

XML_Parser xml_parser_new(const char *encoding)
{
    static const XML_Memory_Handling_Suite memory = {xml_new, xml_resize,
                                                     xml_free};

    xml_bytes_left = XML_BYTES_MAX;
    XML_Parser parser = XML_ParserCreate_MM(encoding, &memory, NULL);
    assert(parser);
    return parser;
}

void xml_parser_free(XML_Parser parser)
{
    XML_ParserFree(parser);
}

bool xml_parse(XML_Parser parser, struct str document)
{
    size_t max_len = FIRST_PIECE_LEN;

    do {
        struct str piece = str_first(document, max_len);

        document = str_skip(document, piece.len);
        if (XML_Parse(parser, piece.ptr, (int)piece.len, document.len == 0) !=
            XML_STATUS_OK)
            return false;
        if (max_len < PIECE_MAX_LEN)
            max_len *= 2;
    } while (document.len);
    return true;
}

/* ---- XHTML -------------------------------------------------------------- */

/* With more of them, expat's work grows with the square of the page. */
enum { DEFAULT_ATTRIBUTES_MAX = 64 };

/* How much larger a page's own entities may make it, in bytes. */
enum { GROWTH_MAX = 4, GROWTH_FREE = 1 << 20 };

/* "<!ENTITY name "&#38;#160;">", twice that for a name of two characters. */
enum { ENTITY_DECLARATION_MAX = 96 };

enum xml_namespace {
    NAMESPACE_OTHER,
    NAMESPACE_HTML,
    NAMESPACE_SVG,
    NAMESPACE_XLINK,
};

/* Declarations of namespaces that an element may be inside of. */
enum { NAMESPACE_PREFIX_MAX = 23, NAMESPACES_MAX = 64 };

/* From this depth on the prefix stands for the namespace. */
struct binding {
    unsigned depth;
    enum xml_namespace namespace;
    uint8_t prefix_len; /* 0: names without a prefix */
    char prefix[NAMESPACE_PREFIX_MAX];
};

struct xml_name {
    enum xml_namespace namespace; /* of an attribute only with a prefix */
    bool has_prefix;
    struct str local;
};

struct reader {
    struct html_found found;
    struct arena *arena;
    XML_Parser parser;
    struct str page;   /* in UTF-8 */
    size_t bytes_left; /* of text and values that may still come */
    unsigned default_attributes;
    bool is_stopped;
    bool in_own_dtd; /* reading declare_entities' */

    size_t binding_count;
    struct binding binding[NAMESPACES_MAX]; /* outermost first */
    unsigned depth;
    unsigned template_depth; /* of the template that is open, or 0 */
    unsigned silent_depth;   /* of a script or the like that is open, or 0 */
    unsigned style_depth;    /* of a style that is open, or 0 */
    struct buf style;        /* its text */
    unsigned title_depth;    /* of the title that is read, or 0 */
    struct buf title;        /* its text, cut */
};

static void stop(struct reader *reader)
{
    reader->is_stopped = true;
    XML_StopParser(reader->parser, XML_FALSE);
}

/* ---- namespaces ---------------------------------------------------------
 *
 * A prefix that nothing declares is no error: the element is of no namespace
 * that counts. Chromium does the same and ends a page only at an attribute
 * with such a prefix; Firefox ends it at both. */

static enum xml_namespace find_prefix(const struct reader *reader,
                                      struct str prefix)
{
    for (size_t i = reader->binding_count; i > 0; i--) {
        const struct binding *binding = &reader->binding[i - 1];
        struct str known = {binding->prefix, binding->prefix_len};

        if (str_eq(known, prefix))
            return binding->namespace;
    }
    return NAMESPACE_OTHER;
}

static enum xml_namespace namespace_of(const char *uri)
{
    static const struct {
        const char *uri;
        enum xml_namespace namespace;
    } known[] = {
        {"http://www.w3.org/1999/xhtml", NAMESPACE_HTML},
        {"http://www.w3.org/2000/svg", NAMESPACE_SVG},
        {"http://www.w3.org/1999/xlink", NAMESPACE_XLINK},
    };

    for (size_t i = 0; i < ARRAY_LEN(known); i++)
        if (!strcmp(uri, known[i].uri))
            return known[i].namespace;
    return NAMESPACE_OTHER;
}

/* A declaration that changes nothing needs no room; so a namespace that does
 * not count is kept only where its prefix had a meaning before. */
static void bind(struct reader *reader, struct str prefix,
                 enum xml_namespace namespace)
{
    if (prefix.len > NAMESPACE_PREFIX_MAX ||
        find_prefix(reader, prefix) == namespace)
        return;
    if (reader->binding_count == NAMESPACES_MAX) {
        stop(reader);
        return;
    }
    struct binding *binding = &reader->binding[reader->binding_count++];
    binding->depth = reader->depth;
    binding->namespace = namespace;
    binding->prefix_len = (uint8_t)prefix.len;
    if (prefix.len)
        memcpy(binding->prefix, prefix.ptr, prefix.len);
}

static void bind_all(struct reader *reader, const char **attrs)
{
    for (; attrs[0] && !reader->is_stopped; attrs += 2) {
        struct str_pair name = str_cut(str_of(attrs[0]), ':');

        if (str_eq(name.head, STR("xmlns")))
            bind(reader, name.tail, namespace_of(attrs[1]));
    }
}

static struct xml_name name_of(const struct reader *reader, const char *text)
{
    struct str name = str_of(text);
    size_t colon = str_find(name, ':');
    bool has_prefix = colon > 0 && colon < name.len;

    return (struct xml_name){
        .namespace =
            find_prefix(reader, str_first(name, has_prefix ? colon : 0)),
        .has_prefix = has_prefix,
        .local = has_prefix ? str_skip(name, colon + 1) : name,
    };
}

/* ---- attributes --------------------------------------------------------- */

static const char *find_attr(const char **attrs, const char *name)
{
    for (; attrs[0]; attrs += 2)
        if (!strcmp(attrs[0], name))
            return attrs[1];
    return NULL;
}

/* For as long as the arena lasts; {NULL, 0} where there is none. */
static struct str value_of(struct reader *reader, const char **attrs,
                           const char *name)
{
    const char *value = find_attr(attrs, name);

    if (!value)
        return (struct str){NULL, 0};
    return value[0] ? arena_copy(reader->arena, str_of(value)) : STR("");
}

static void spend(struct reader *reader, size_t len)
{
    if (len > reader->bytes_left) {
        stop(reader);
        return;
    }
    reader->bytes_left -= len;
}

/* ---- elements ----------------------------------------------------------- */

/* The name of the attribute that says where an `a` of SVG leads, if not
 * "href". */
static const char *xlink_href(const struct reader *reader, const char **attrs)
{
    for (; attrs[0]; attrs += 2) {
        struct xml_name name = name_of(reader, attrs[0]);
        if (name.has_prefix && name.namespace == NAMESPACE_XLINK &&
            str_eq(name.local, STR("href")))
            return attrs[0];
    }
    return "";
}

/* The element of HTML that is called exactly that. */
static enum html_tag tag_of(struct xml_name name)
{
    if (name.namespace != NAMESPACE_HTML || !name.local.len)
        return TAG_OTHER;
    enum html_tag tag = html_tag_find(name.local);
    return str_eq(html_tags[tag].name, name.local) ? tag : TAG_OTHER;
}

static bool is_svg_a(struct xml_name name)
{
    return name.namespace == NAMESPACE_SVG && str_eq(name.local, STR("a"));
}

/* The element of SVG that names requisites, or that is style. */
static enum html_tag svg_tag_of(struct xml_name name)
{
    static const struct {
        struct str name;
        enum html_tag tag;
    } known[] = {
        {STR_INIT("image"), TAG_IMAGE}, {STR_INIT("feImage"), TAG_FEIMAGE},
        {STR_INIT("use"), TAG_USE},     {STR_INIT("script"), TAG_SCRIPT},
        {STR_INIT("style"), TAG_STYLE},
    };

    for (size_t i = 0; i < ARRAY_LEN(known); i++)
        if (str_eq(name.local, known[i].name))
            return known[i].tag;
    return TAG_OTHER;
}

static void requisites(struct reader *reader, struct xml_name name,
                       const char **attrs)
{
    bool is_svg = name.namespace == NAMESPACE_SVG;
    enum html_tag tag = is_svg ? svg_tag_of(name) : tag_of(name);
    const struct str *names = html_requisite_attrs(tag, is_svg);
    struct str value[HTML_REQUISITE_ATTRS];

    for (size_t i = 0; i < HTML_REQUISITE_ATTRS; i++)
        value[i] = value_of(reader, attrs, names[i].ptr);
    if (is_svg)
        value[2] = value_of(reader, attrs, xlink_href(reader, attrs));
    html_requisite_element(&reader->found, tag, is_svg, value);
    if (tag == TAG_STYLE && !reader->style_depth) {
        reader->style_depth = reader->depth;
        buf_clear(&reader->style);
    }
}

/* The names that a fragment can have, and the title. */
static void content(struct reader *reader, struct xml_name name,
                    const char **attrs)
{
    enum html_tag tag = tag_of(name);
    const char *id = find_attr(attrs, "id");
    const char *of_a = tag == TAG_A ? find_attr(attrs, "name") : NULL;

    if (id)
        html_found_id(&reader->found, str_of(id));
    if (of_a)
        html_found_id(&reader->found, str_of(of_a));
    if (tag == TAG_TITLE && html_found_needs_title(&reader->found) &&
        !reader->title_depth)
        reader->title_depth = reader->depth;
}

static void start_element(struct reader *reader, struct xml_name name,
                          const char **attrs)
{
    bool is_svg = is_svg_a(name);
    enum html_tag tag = is_svg ? TAG_A : tag_of(name);
    const struct str *names = html_found_attrs(tag);

    if (tag == TAG_A)
        html_found_end_text(&reader->found);
    if (names) {
        struct str value[HTML_FOUND_ATTRS];
        for (size_t i = 0; i < HTML_FOUND_ATTRS; i++)
            value[i] = value_of(reader, attrs, names[i].ptr);
        if (is_svg && !value[0].ptr)
            value[0] = value_of(reader, attrs, xlink_href(reader, attrs));
        html_found_element(&reader->found, tag, value);
    }
    if (reader->found.options->want_requisites &&
        (name.namespace == NAMESPACE_HTML || name.namespace == NAMESPACE_SVG))
        requisites(reader, name, attrs);
    content(reader, name, attrs);
    if (tag == TAG_TEMPLATE)
        reader->template_depth = reader->depth;
    if (html_tree_state(tag) != HTML_DATA && !reader->silent_depth)
        reader->silent_depth = reader->depth;
}

static void XMLCALL on_start(void *user, const char *name, const char **attrs)
{
    struct reader *reader = user;
    int own_attrs = XML_GetSpecifiedAttributeCount(reader->parser);

    reader->depth++;
    for (int i = 0; i < own_attrs && !reader->is_stopped; i += 2)
        spend(reader, strlen(attrs[i + 1])); /* not for the default ones */
    bind_all(reader, attrs);
    if (!reader->is_stopped && !reader->template_depth)
        start_element(reader, name_of(reader, name), attrs);
}

static void XMLCALL on_end(void *user, const char *text)
{
    struct reader *reader = user;
    struct xml_name name = name_of(reader, text);

    if (reader->is_stopped)
        return;
    if ((tag_of(name) == TAG_A || is_svg_a(name)) && !reader->template_depth)
        html_found_end_text(&reader->found);
    if (reader->template_depth == reader->depth)
        reader->template_depth = 0;
    if (reader->silent_depth == reader->depth)
        reader->silent_depth = 0;
    if (reader->style_depth == reader->depth) {
        reader->style_depth = 0;
        html_requisite_css(&reader->found,
                           arena_copy(reader->arena, buf_str(&reader->style)),
                           CSS_SHEET);
    }
    if (reader->title_depth == reader->depth) {
        reader->title_depth = 0;
        html_found_title(&reader->found, buf_str(&reader->title));
    }
    while (reader->binding_count &&
           reader->binding[reader->binding_count - 1].depth >= reader->depth)
        reader->binding_count--;
    reader->depth--;
}

static void XMLCALL on_text(void *user, const char *bytes, int len)
{
    struct reader *reader = user;

    spend(reader, (size_t)len);
    if (reader->style_depth && !reader->is_stopped)
        buf_put(&reader->style, (struct str){bytes, (size_t)len});
    if (reader->title_depth && !reader->is_stopped)
        buf_put(&reader->title, (struct str){bytes, (size_t)len});
    if (reader->found.is_in_a && !reader->silent_depth &&
        !reader->template_depth && !reader->is_stopped)
        html_found_text(&reader->found, (struct str){bytes, (size_t)len});
}

/* ---- declarations ------------------------------------------------------- */

static void XMLCALL on_default_attribute(void *user, const char *element,
                                         const char *name, const char *type,
                                         const char *value, int is_required)
{
    struct reader *reader = user;

    (void)element, (void)name, (void)type, (void)value, (void)is_required;
    if (++reader->default_attributes > DEFAULT_ATTRIBUTES_MAX)
        stop(reader);
}

static void XMLCALL on_entity(void *user, const char *name, int is_parameter,
                              const char *value, int value_len,
                              const char *base, const char *system_id,
                              const char *public_id, const char *notation)
{
    struct reader *reader = user;

    (void)name, (void)is_parameter, (void)base, (void)system_id;
    (void)public_id, (void)notation;
    if (!value || reader->in_own_dtd)
        return;
    for (int i = 0; i < value_len; i++)
        if (value[i] == '&' || value[i] == '<' || value[i] == '%') {
            stop(reader);
            return;
        }
}

/* The public identifiers of the HTML standard (14.2) under which a browser
 * knows the entities of HTML. */
static bool is_xhtml_dtd(struct str public_id)
{
    static const struct str ids[] = {
        STR_INIT("-//W3C//DTD XHTML 1.0 Transitional//EN"),
        STR_INIT("-//W3C//DTD XHTML 1.1//EN"),
        STR_INIT("-//W3C//DTD XHTML 1.0 Strict//EN"),
        STR_INIT("-//W3C//DTD XHTML 1.0 Frameset//EN"),
        STR_INIT("-//W3C//DTD XHTML Basic 1.0//EN"),
        STR_INIT("-//W3C//DTD XHTML 1.1 plus MathML 2.0//EN"),
        STR_INIT("-//W3C//DTD XHTML 1.1 plus MathML 2.0 plus SVG 1.1//EN"),
        STR_INIT("-//W3C//DTD MathML 2.0//EN"),
        STR_INIT("-//WAPFORUM//DTD XHTML Mobile 1.0//EN"),
    };

    for (size_t i = 0; i < ARRAY_LEN(ids); i++)
        if (str_eq(public_id, ids[i]))
            return true;
    return false;
}

/* A reference in the value stands there as one, so that it is never markup. */
static void declare_entity(struct buf *dtd, struct str name,
                           const struct html_reference *meaning)
{
    const char *at = meaning->utf8, *end = at + meaning->utf8_len;

    buf_printf(dtd, "<!ENTITY %.*s \"", (int)name.len, name.ptr);
    while (at < end) {
        uint32_t c;
        at += utf8_read(at, end, &c);
        buf_printf(dtd, "&#38;#%u;", (unsigned)c);
    }
    buf_put(dtd, STR("\">"));
}

static bool is_of_xml(struct str name)
{
    return str_eq(name, STR("amp")) || str_eq(name, STR("lt")) ||
           str_eq(name, STR("gt")) || str_eq(name, STR("quot")) ||
           str_eq(name, STR("apos"));
}

/* Declare what the page uses, and not all 2,125: it is read for each page. */
static void declare_entities(struct buf *dtd, struct str page)
{
    bool is_declared[HTML_ENTITIES] = {false};

    for (;;) {
        struct html_reference meaning;
        unsigned number;

        page = str_skip(page, str_find(page, '&'));
        if (!page.len)
            return;
        page = str_skip(page, 1);
        size_t len = 0;
        while (len < page.len && ascii_is_alnum(page.ptr[len]))
            len++;
        struct str name = str_first(page, len);
        page = str_skip(page, len);
        if (!str_starts(page, STR(";")) || is_of_xml(name) ||
            !html_entity_find(name, &meaning, &number) || is_declared[number])
            continue;
        is_declared[number] = true;
        declare_entity(dtd, name, &meaning);
    }
}

/* Something that is not in the page: nothing is fetched, but what the DTDs of
 * XHTML say is known. */
static int XMLCALL on_external(XML_Parser parser, const char *context,
                               const char *base, const char *system_id,
                               const char *public_id)
{
    struct reader *reader = XML_GetUserData(parser);
    struct buf dtd;

    (void)base, (void)system_id;
    if (context || !public_id || !is_xhtml_dtd(str_of(public_id)))
        return XML_STATUS_OK;
    XML_Parser part = XML_ExternalEntityParserCreate(parser, NULL, "UTF-8");
    if (!part)
        return XML_STATUS_ERROR;
    buf_init(&dtd, (size_t)HTML_ENTITIES * ENTITY_DECLARATION_MAX);
    declare_entities(&dtd, reader->page);
    reader->in_own_dtd = true;
    bool is_read = xml_parse(part, buf_str(&dtd));
    reader->in_own_dtd = false;
    XML_ParserFree(part);
    buf_release(&dtd);
    return is_read ? XML_STATUS_OK : XML_STATUS_ERROR;
}

/* ---- the page ----------------------------------------------------------- */

void xhtml_scan(struct html_links *links, struct arena *arena, struct str page,
                const struct html_scan_options *options)
{
    XML_Parser parser = xml_parser_new("UTF-8");
    struct reader reader = {.arena = arena, .parser = parser};
    struct buf decoded;
    size_t bom_len;

    links->info.charset =
        charset_sniff(page, options->http_charset, true, &bom_len);
    page = str_skip(page, bom_len);
    buf_init(&decoded, CHARSET_GROWTH_MAX * page.len);
    /* Bytes that are no characters do not end the page: they become U+FFFD, as
     * in a browser that decodes before it parses. */
    charset_decode(links->info.charset, page, &decoded);
    reader.page = buf_str(&decoded);
    reader.bytes_left = GROWTH_MAX * reader.page.len + GROWTH_FREE;
    buf_init(&reader.style, reader.bytes_left);
    buf_init(&reader.title, reader.bytes_left);
    html_found_init(&reader.found, links, arena, options);

    XML_SetUserData(parser, &reader);
    XML_SetElementHandler(parser, on_start, on_end);
    XML_SetCharacterDataHandler(parser, on_text);
    XML_SetAttlistDeclHandler(parser, on_default_attribute);
    XML_SetEntityDeclHandler(parser, on_entity);
    XML_SetExternalEntityRefHandler(parser, on_external);
    XML_SetParamEntityParsing(parser,
                              XML_PARAM_ENTITY_PARSING_UNLESS_STANDALONE);
    /* If the page is broken, the links before that place count. */
    (void)xml_parse(parser, reader.page);

    html_found_finish(&reader.found);
    xml_parser_free(parser);
    buf_release(&reader.style);
    buf_release(&reader.title);
    buf_release(&decoded);
}
