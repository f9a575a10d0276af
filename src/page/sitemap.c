#include "page/sitemap.h"

#include <assert.h>

#include "base/buf.h"
#include "base/str.h"
#include "page/coding.h"
#include "web/charset.h"
#include "web/xml.h"

enum {
    DEPTH_MAX = 256,
    TEXT_MAX = 2 * URL_LEN_MAX, /* with white space around the URL */
};

/* What an element inside of an entry is. */
enum field {
    NO_FIELD,
    URL_FIELD,  /* loc or link */
    GUID_FIELD, /* a URL too, perhaps */
};

struct reader {
    struct sitemap *sitemap;
    struct arena *arena;
    XML_Parser parser;
    struct buf entries; /* of struct sitemap_entry; to the arena at the end */
    bool is_stopped, is_closed;

    unsigned depth;
    unsigned entry_depth; /* of url, sitemap, item, entry; 0: outside */
    unsigned field_depth;
    struct str prefix; /* of the entry's name; a field has the same */
    char prefix_bytes[32];
    bool is_sitemap; /* the entry names another sitemap */
    enum field field;
    bool has_url; /* the entry has given one */

    struct buf text;  /* of the field, or of the entry itself */
    bool is_too_long; /* `text` is not all of it */
    struct buf guid;
};

static void stop(struct reader *reader, enum sitemap_end end)
{
    reader->is_stopped = true;
    reader->sitemap->end = end;
    if (reader->parser)
        XML_StopParser(reader->parser, XML_FALSE);
}

/* ---- entries ----------------------------------------------------------- */

/* The white space of Unicode, the byte order mark and the zero width space. */
static bool is_space(uint32_t c)
{
    return c == ' ' || (c >= '\t' && c <= '\r') || c == 0x85 || c == 0xa0 ||
           c == 0x1680 || (c >= 0x2000 && c <= 0x200b) || c == 0x2028 ||
           c == 0x2029 || c == 0x202f || c == 0x205f || c == 0x3000 ||
           c == 0xfeff;
}

static struct str trim_start(struct str s)
{
    uint32_t c;

    while (s.len) {
        size_t len = utf8_read(s.ptr, s.ptr + s.len, &c);
        if (!is_space(c))
            break;
        s = str_skip(s, len);
    }
    return s;
}

static struct str trim(struct str s)
{
    uint32_t c;

    s = trim_start(s);
    for (size_t len = 1; len <= 3 && len <= s.len; len++) {
        const char *end = s.ptr + s.len;
        if (utf8_read(end - len, end, &c) != len || !is_space(c))
            continue;
        s.len -= len;
        len = 0;
    }
    return s;
}

static bool is_web_url(struct str s)
{
    return str_starts_nocase(s, STR("http://")) ||
           str_starts_nocase(s, STR("https://"));
}

static bool add_entry(struct reader *reader, struct str loc)
{
    struct sitemap *sitemap = reader->sitemap;

    if (!loc.len || loc.len > URL_LEN_MAX)
        return false;
    if (sitemap->count == SITEMAP_ENTRIES_MAX) {
        stop(reader, SITEMAP_FULL);
        return false;
    }

    struct sitemap_entry entry = {reader->is_sitemap,
                                  arena_copy(reader->arena, loc)};
    bool fits = buf_put(&reader->entries,
                        (struct str){(const char *)&entry, sizeof(entry)});
    assert(fits);
    (void)fits;
    sitemap->count++;
    return true;
}

/* ---- XML --------------------------------------------------------------- */

/* "image:loc" -> "image", "loc" */
static struct str_pair name_parts(const char *name)
{
    struct str_pair parts = str_cut(str_of(name), ':');

    if (!parts.tail.ptr)
        return (struct str_pair){.head = STR(""), .tail = parts.head};
    return parts;
}

static enum sitemap_form form_of_root(struct str name)
{
    static const struct {
        struct str name;
        enum sitemap_form form;
    } roots[] = {
        {STR_INIT("urlset"), SITEMAP_URLSET},
        {STR_INIT("sitemapindex"), SITEMAP_INDEX},
        {STR_INIT("rss"), SITEMAP_RSS},
        {STR_INIT("rdf"), SITEMAP_RSS},
        {STR_INIT("feed"), SITEMAP_ATOM},
    };

    for (size_t i = 0; i < ARRAY_LEN(roots); i++)
        if (str_eq_nocase(name, roots[i].name))
            return roots[i].form;
    return SITEMAP_NONE;
}

static bool is_sitemap_xml(const struct reader *reader)
{
    return reader->sitemap->form == SITEMAP_URLSET ||
           reader->sitemap->form == SITEMAP_INDEX;
}

/* Is this the element that stands for one entry? */
static bool is_entry(const struct reader *reader, struct str name)
{
    if (reader->sitemap->form == SITEMAP_RSS)
        return str_eq_nocase(name, STR("item"));
    if (reader->sitemap->form == SITEMAP_ATOM)
        return str_eq_nocase(name, STR("entry"));
    return reader->depth == 2 && (str_eq_nocase(name, STR("url")) ||
                                  str_eq_nocase(name, STR("sitemap")));
}

static void clear_text(struct reader *reader)
{
    buf_clear(&reader->text);
    reader->is_too_long = false;
}

static void open_entry(struct reader *reader, struct str_pair name)
{
    reader->entry_depth = reader->depth;
    reader->is_sitemap = str_eq_nocase(name.tail, STR("sitemap"));
    reader->has_url = false;
    reader->prefix = str_first(name.head, sizeof(reader->prefix_bytes));
    memcpy(reader->prefix_bytes, reader->prefix.ptr, reader->prefix.len);
    reader->prefix.ptr = reader->prefix_bytes;
    buf_clear(&reader->guid);
    clear_text(reader);
}

/* <link href="..."/>: the page of the entry, unless it is about it. */
static void atom_link(struct reader *reader, const char **attributes)
{
    struct str href = STR(""), rel = STR("alternate");

    for (; *attributes; attributes += 2) {
        if (!strcmp(attributes[0], "href"))
            href = trim(str_of(attributes[1]));
        else if (!strcmp(attributes[0], "rel"))
            rel = str_trim(str_of(attributes[1]));
    }
    if (!reader->has_url && str_eq_nocase(rel, STR("alternate")))
        reader->has_url = add_entry(reader, href);
}

static void open_field(struct reader *reader, struct str_pair name,
                       const char **attributes)
{
    enum sitemap_form form = reader->sitemap->form;

    if (reader->depth != reader->entry_depth + 1 ||
        !str_eq(str_first(name.head, sizeof(reader->prefix_bytes)),
                reader->prefix))
        return;
    if (form == SITEMAP_ATOM) {
        if (str_eq_nocase(name.tail, STR("link")))
            atom_link(reader, attributes);
        return;
    }
    if (str_eq_nocase(name.tail,
                      form == SITEMAP_RSS ? STR("link") : STR("loc")))
        reader->field = URL_FIELD;
    else if (form == SITEMAP_RSS && str_eq_nocase(name.tail, STR("guid")))
        reader->field = GUID_FIELD;
    else
        return;
    reader->field_depth = reader->depth;
    clear_text(reader);
}

static void XMLCALL on_start(void *user, const char *name,
                             const char **attributes)
{
    struct reader *reader = user;
    struct str_pair parts = name_parts(name);

    if (reader->is_stopped)
        return;
    if (++reader->depth > DEPTH_MAX) {
        stop(reader, SITEMAP_REFUSED);
        return;
    }
    if (reader->depth == 1) {
        reader->sitemap->form = form_of_root(parts.tail);
        if (reader->sitemap->form == SITEMAP_NONE)
            stop(reader, SITEMAP_WHOLE);
    } else if (!reader->entry_depth) {
        if (is_entry(reader, parts.tail))
            open_entry(reader, parts);
    } else if (!reader->field) {
        open_field(reader, parts, attributes);
    }
}

static void XMLCALL on_text(void *user, const char *bytes, int len)
{
    struct reader *reader = user;
    struct str text = {bytes, (size_t)len};

    /* Text of the entry itself is a URL whose loc was forgotten. */
    if (reader->is_stopped ||
        (!reader->field &&
         (reader->depth != reader->entry_depth || !is_sitemap_xml(reader))))
        return;
    if (!reader->text.len)
        text = trim(text).len ? text : (struct str){bytes, 0};
    reader->is_too_long |= !buf_put(&reader->text, text);
}

static struct str whole_text(const struct reader *reader)
{
    return reader->is_too_long ? STR("") : trim(buf_str(&reader->text));
}

static void close_field(struct reader *reader)
{
    struct str text = whole_text(reader);

    if (reader->field == GUID_FIELD) {
        if (is_web_url(text) && text.len <= URL_LEN_MAX && !reader->guid.len)
            buf_put(&reader->guid, text);
    } else if (reader->sitemap->form != SITEMAP_RSS || !reader->has_url) {
        reader->has_url |= add_entry(reader, text);
    }
    reader->field = NO_FIELD;
    clear_text(reader);
}

static void close_entry(struct reader *reader)
{
    struct str text = STR("");

    if (reader->sitemap->form == SITEMAP_RSS)
        text = buf_str(&reader->guid);
    else if (is_sitemap_xml(reader))
        text = whole_text(reader);
    if (!reader->has_url && is_web_url(text))
        add_entry(reader, text);
    reader->entry_depth = 0;
}

static void XMLCALL on_end(void *user, const char *name)
{
    struct reader *reader = user;

    (void)name;
    if (reader->is_stopped)
        return;
    if (reader->field && reader->depth == reader->field_depth)
        close_field(reader);
    else if (reader->entry_depth && reader->depth == reader->entry_depth)
        close_entry(reader);
    reader->depth--;
    reader->is_closed = reader->depth == 0;
}

/* No sitemap needs an entity, and all attacks with XML do. */
static void XMLCALL on_entity(void *user, const char *name, int is_parameter,
                              const char *value, int value_len,
                              const char *base, const char *system_id,
                              const char *public_id, const char *notation)
{
    (void)name, (void)is_parameter, (void)value, (void)value_len;
    (void)base, (void)system_id, (void)public_id, (void)notation;
    stop(user, SITEMAP_REFUSED);
}

/* An encoding that expat does not have: read it byte by byte. That is right
 * for single-byte encodings; in the others the titles suffer, but URLs are
 * ASCII there too. */
static int XMLCALL on_encoding(void *user, const char *name,
                               XML_Encoding *encoding)
{
    const struct charset *charset = charset_find(str_of(name));
    struct buf utf8;

    (void)user;
    buf_init(&utf8, 16);
    for (int i = 0; i < 256; i++) {
        char byte = (char)i;
        uint32_t c = i < 0x80 ? (uint32_t)i : UTF8_REPLACEMENT;

        buf_clear(&utf8);
        if (i >= 0x80 && charset &&
            charset_decode(charset, (struct str){&byte, 1}, &utf8) && utf8.len)
            utf8_read(utf8.ptr, utf8.ptr + utf8.len, &c);
        encoding->map[i] = (int)c;
    }
    buf_release(&utf8);
    encoding->data = NULL;
    encoding->convert = NULL;
    encoding->release = NULL;
    return XML_STATUS_OK;
}

/* Where the file ends in the middle of an end tag, the text before it is
 * whole; in the middle of text, it may be half a URL. */
static bool is_cut_in_end_tag(const struct reader *reader, struct str xml)
{
    XML_Index at = XML_GetCurrentByteIndex(reader->parser);

    return XML_GetErrorCode(reader->parser) == XML_ERROR_UNCLOSED_TOKEN &&
           at >= 0 && str_starts(str_skip(xml, (size_t)at), STR("</"));
}

static void parse_xml(struct reader *reader, struct str xml)
{
    /* After the root element: junk, which means nothing. */
    if (xml_parse(reader->parser, xml) || reader->is_stopped ||
        reader->is_closed)
        return;
    reader->sitemap->end = SITEMAP_CUT;
    if (reader->field && is_cut_in_end_tag(reader, xml))
        close_field(reader);
}

static void read_xml(struct reader *reader, struct str xml)
{
    reader->parser = xml_parser_new(NULL);
    XML_SetUserData(reader->parser, reader);
    XML_SetElementHandler(reader->parser, on_start, on_end);
    XML_SetCharacterDataHandler(reader->parser, on_text);
    XML_SetEntityDeclHandler(reader->parser, on_entity);
    XML_SetUnknownEncodingHandler(reader->parser, on_encoding, NULL);
    parse_xml(reader, xml);
    xml_parser_free(reader->parser);
}

/* ---- lists ------------------------------------------------------------- */

static void read_list(struct reader *reader, struct str list, bool is_cut)
{
    while (list.len && !reader->is_stopped) {
        size_t len = 0;

        while (len < list.len && list.ptr[len] != '\n' && list.ptr[len] != '\r')
            len++;
        if (is_cut && len == list.len)
            return; /* half a line */

        struct str line = trim(str_first(list, len));
        if (is_web_url(line)) {
            reader->sitemap->form = SITEMAP_TEXT;
            add_entry(reader, line);
        }
        list = str_skip(list, len + (len < list.len));
    }
}

/* ---- all --------------------------------------------------------------- */

/* XML in UTF-16 cannot be told by its first '<'; lists are in UTF-8. */
static bool is_xml(struct str text)
{
    return str_starts(text, STR("<")) || str_starts(text, STR("\xfe\xff")) ||
           str_starts(text, STR("\xff\xfe"));
}

static void read_text(struct reader *reader, struct str text)
{
    struct sitemap *sitemap = reader->sitemap;

    if (text.len > SITEMAP_BYTES_MAX) {
        sitemap->end = SITEMAP_TOO_LARGE;
        text = str_first(text, SITEMAP_BYTES_MAX);
    }

    enum sitemap_end end = sitemap->end;
    text = trim_start(text);
    if (is_xml(text))
        read_xml(reader, text);
    else
        read_list(reader, text, end != SITEMAP_WHOLE);
    if (end != SITEMAP_WHOLE && sitemap->end <= SITEMAP_CUT)
        sitemap->end = end; /* the reason why it is cut */
}

void sitemap_read(struct sitemap *sitemap, struct arena *arena, struct str body)
{
    static const enum sitemap_end end_of_coding[] = {
        [CODING_WHOLE] = SITEMAP_WHOLE,
        [CODING_BROKEN] = SITEMAP_CUT,
        [CODING_TOO_LARGE] = SITEMAP_TOO_LARGE,
    };
    struct reader reader = {.sitemap = sitemap, .arena = arena};
    struct buf unzipped;

    *sitemap = (struct sitemap){0};
    buf_init(&unzipped, SITEMAP_BYTES_MAX);
    buf_init(&reader.entries,
             SITEMAP_ENTRIES_MAX * sizeof(struct sitemap_entry));
    buf_init(&reader.text, TEXT_MAX);
    buf_init(&reader.guid, URL_LEN_MAX);
    if (gunzip_is_gzip(body)) {
        sitemap->end = end_of_coding[gunzip(body, &unzipped)];
        body = buf_str(&unzipped);
    }
    read_text(&reader, body);
    if (reader.entries.len) {
        sitemap->entry = arena_new(arena, reader.entries.len);
        memcpy(sitemap->entry, reader.entries.ptr, reader.entries.len);
    }
    buf_release(&reader.guid);
    buf_release(&reader.text);
    buf_release(&reader.entries);
    buf_release(&unzipped);
}
