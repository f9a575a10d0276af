#include "web/found.h"

#include <stdlib.h>

#include "base/mem.h"

void html_found_init(struct html_found *found, struct html_links *links,
                     struct arena *arena,
                     const struct html_scan_options *options)
{
    /* The text is written before it is read. */
    found->links = links;
    found->arena = arena;
    found->options = options;
    found->link = NULL;
    found->count = found->room = 0;
    found->requisite = NULL;
    found->requisites = found->requisite_room = 0;
    found->is_in_a = false;
    found->id_count = 0;
    buf_init(&found->ids, HTML_IDS_BYTES_MAX);
}

void html_found_finish(struct html_found *found)
{
    struct html_links *links = found->links;
    size_t size = found->count * sizeof(*found->link);

    html_found_end_text(found);
    links->count = found->count;
    links->link = arena_new(found->arena, size);
    if (size)
        memcpy(links->link, found->link, size);
    free(found->link);
    if (found->requisite) {
        size = found->requisites * sizeof(*found->requisite);
        links->requisites = found->requisites;
        links->requisite = arena_new(found->arena, size);
        if (size)
            memcpy(links->requisite, found->requisite, size);
        free(found->requisite);
    }
    if (found->ids.len)
        links->info.ids = arena_copy(found->arena, buf_str(&found->ids));
    buf_release(&found->ids);
}

void html_found_cut(struct html_found *found, size_t links, size_t requisites)
{
    html_found_end_text(found);
    found->count = links;
    found->requisites = requisites;
}

/* ---- links -------------------------------------------------------------- */

static struct html_link *add_link(struct html_found *found,
                                  enum html_link_kind kind, struct str href)
{
    if (found->count == HTML_LINKS_MAX) {
        found->links->beyond++;
        return NULL;
    }
    found->link =
        mem_grow(found->link, found->count, &found->room, sizeof(*found->link));

    struct html_link *link = &found->link[found->count++];
    *link = (struct html_link){.kind = kind, .href = href};
    return link;
}

static void hyperlink(struct html_found *found, enum html_link_kind kind,
                      struct str href, struct str rel)
{
    if (!href.ptr || (kind == HTML_LINK && !str_trim(rel).len))
        return;

    struct html_link *link = add_link(found, kind, href);
    if (!link)
        return;
    link->rel = rel;
    if (kind == HTML_A && found->options->want_text) {
        found->is_in_a = true;
        found->has_blank = found->is_full = false;
        found->text_link = found->count - 1;
        found->text_len = 0;
    }
}

static void meta(struct html_found *found, struct str content,
                 struct str http_equiv, struct str name)
{
    struct html_info *info = &found->links->info;

    if (str_eq_nocase(http_equiv, STR("refresh"))) {
        struct str url = html_refresh_url(content);
        if (url.ptr)
            add_link(found, HTML_REFRESH, url);
    }
    if (str_eq_nocase(http_equiv, STR("content-security-policy")))
        info->upgrades_http |= html_policy_upgrades(content);
    if (str_eq_nocase(name, STR("robots")) ||
        (name.len && str_eq_nocase(name, found->options->agent)))
        html_robots_rules(content, &info->noindex, &info->nofollow,
                          &info->noarchive);
}

/* The fields of the form take the place of a query. Without an action it is
 * sent to the page itself. */
static void form(struct html_found *found, struct str action, struct str method)
{
    if (!found->options->want_forms || str_eq_nocase(method, STR("post")) ||
        str_eq_nocase(method, STR("dialog")))
        return;
    action = str_first(action, str_find(action, '#'));
    action = str_first(action, str_find(action, '?'));
    if (str_trim(action).len)
        add_link(found, HTML_FORM, action);
}

const struct str *html_found_attrs(enum html_tag tag)
{
    static const struct str hyperlink_attrs[HTML_FOUND_ATTRS] = {
        STR_INIT("href"), STR_INIT("rel"), STR_INIT("xlink:href")};
    static const struct str frame_attrs[HTML_FOUND_ATTRS] = {
        STR_INIT("src"), STR_INIT("srcdoc"), STR_INIT("")};
    static const struct str form_attrs[HTML_FOUND_ATTRS] = {
        STR_INIT("action"), STR_INIT("method"), STR_INIT("")};
    static const struct str meta_attrs[HTML_FOUND_ATTRS] = {
        STR_INIT("content"), STR_INIT("http-equiv"), STR_INIT("name")};

    switch (tag) {
    case TAG_A:
    case TAG_AREA:
    case TAG_BASE:
    case TAG_LINK:
        return hyperlink_attrs;
    case TAG_FRAME:
    case TAG_IFRAME:
        return frame_attrs;
    case TAG_FORM:
        return form_attrs;
    case TAG_META:
        return meta_attrs;
    default:
        return NULL;
    }
}

/* An empty src means about:blank, not the page; an iframe with a srcdoc
 * ignores its src. */
void html_found_element(struct html_found *found, enum html_tag tag,
                        const struct str value[static HTML_FOUND_ATTRS])
{
    switch (tag) {
    case TAG_A:
        hyperlink(found, HTML_A, value[0], value[1]);
        break;
    case TAG_AREA:
        hyperlink(found, HTML_AREA, value[0], value[1]);
        break;
    case TAG_LINK:
        hyperlink(found, HTML_LINK, value[0], value[1]);
        break;
    case TAG_BASE:
        if (!found->links->info.base.ptr)
            found->links->info.base = value[0];
        break;
    case TAG_FRAME:
        if (value[0].len)
            add_link(found, HTML_FRAME, value[0]);
        break;
    case TAG_IFRAME:
        if (value[0].len && !value[1].ptr)
            add_link(found, HTML_IFRAME, value[0]);
        break;
    case TAG_FORM:
        form(found, value[0], value[1]);
        break;
    case TAG_META:
        meta(found, value[0], value[1], value[2]);
        break;
    default:
        break;
    }
}

/* ---- the text of an `a` ------------------------------------------------- */

/* Append a byte with blanks folded, or find that there is no more room. */
static void add_byte(struct html_found *found, char c)
{
    if (ascii_is_space(c)) {
        found->has_blank = found->text_len > 0;
        return;
    }
    found->is_full = found->text_len + found->has_blank >= HTML_LINK_TEXT_MAX;
    if (found->is_full)
        return;
    if (found->has_blank)
        found->text[found->text_len++] = ' ';
    found->has_blank = false;
    found->text[found->text_len++] = c;
}

void html_found_text(struct html_found *found, struct str text)
{
    for (size_t i = 0; i < text.len && !found->is_full; i++)
        add_byte(found, text.ptr[i]);
}

/* Without the beginning of a character that the room did not suffice for. */
static struct str whole_characters(struct str utf8)
{
    size_t lead = utf8.len;

    while (lead > 0 && ((unsigned char)utf8.ptr[lead - 1] & 0xc0) == 0x80)
        lead--;
    if (lead == 0)
        return utf8;

    unsigned char c = (unsigned char)utf8.ptr[--lead];
    size_t len = c < 0x80 ? 1 : c < 0xe0 ? 2 : c < 0xf0 ? 3 : 4;
    return str_first(utf8, lead + len > utf8.len ? lead : utf8.len);
}

void html_found_end_text(struct html_found *found)
{
    if (!found->is_in_a)
        return;
    struct str text = {found->text, found->text_len};
    found->link[found->text_link].text =
        arena_copy(found->arena, whole_characters(text));
    found->is_in_a = false;
}

/* ---- title and ids ------------------------------------------------------ */

/* Runs of white space become one blank each, and none is around the text. */
void html_found_title(struct html_found *found, struct str text)
{
    bool has_blank = false;

    if (!html_found_needs_title(found))
        return;
    char *start = arena_reserve(found->arena, HTML_TITLE_MAX + 2), *to = start;
    for (size_t i = 0; i < text.len && to - start < HTML_TITLE_MAX; i++) {
        if (ascii_is_space(text.ptr[i])) {
            has_blank = to > start;
            continue;
        }
        if (has_blank)
            *to++ = ' ';
        has_blank = false;
        *to++ = text.ptr[i];
    }
    struct str title =
        whole_characters(str_first(str_between(start, to), HTML_TITLE_MAX));
    arena_commit(found->arena, title.len);
    found->links->info.title = title;
}

/* Ids stand on lines, so one that has a line feed has no place there. */
void html_found_id(struct html_found *found, struct str id)
{
    if (!found->options->want_ids || !id.len)
        return;
    if (found->id_count == HTML_IDS_MAX || id.len > HTML_ID_MAX ||
        found->ids.len + id.len + 1 > HTML_IDS_BYTES_MAX ||
        memchr(id.ptr, '\n', id.len)) {
        found->links->info.ids_beyond++;
        return;
    }
    if (found->id_count++)
        buf_put_char(&found->ids, '\n');
    buf_put(&found->ids, id);
}

/* ---- requisites: which attributes --------------------------------------- */

#define ATTRS(a, b, c)                                                         \
    {                                                                          \
        STR_INIT("style"), STR_INIT(a), STR_INIT(b), STR_INIT(c)               \
    }

static const struct str plain_attrs[] = ATTRS("", "", "");

const struct str *html_requisite_attrs(enum html_tag tag, bool is_svg)
{
    static const struct str svg[] = ATTRS("href", "xlink:href", "");
    static const struct str src[] = ATTRS("src", "", "");
    static const struct str image[] = ATTRS("src", "srcset", "");
    static const struct str frame[] = ATTRS("src", "srcdoc", "");
    static const struct str input[] = ATTRS("src", "type", "");
    static const struct str video[] = ATTRS("src", "poster", "");
    static const struct str link[] = ATTRS("href", "rel", "imagesrcset");
    static const struct str object[] = ATTRS("data", "", "");
    static const struct str background[] = ATTRS("background", "", "");

    if (is_svg)
        return tag == TAG_IMAGE || tag == TAG_FEIMAGE || tag == TAG_USE ||
                       tag == TAG_SCRIPT
                   ? svg
                   : plain_attrs;
    switch (tag) {
    case TAG_AUDIO:
    case TAG_EMBED:
    case TAG_SCRIPT:
    case TAG_TRACK:
        return src;
    case TAG_IMAGE: /* a browser takes it for an img */
    case TAG_IMG:
    case TAG_SOURCE:
        return image;
    case TAG_FRAME:
    case TAG_IFRAME:
        return frame;
    case TAG_INPUT:
        return input;
    case TAG_VIDEO:
        return video;
    case TAG_LINK:
        return link;
    case TAG_OBJECT:
        return object;
    case TAG_BODY:
    case TAG_TABLE:
    case TAG_TBODY:
    case TAG_TD:
    case TAG_TFOOT:
    case TAG_TH:
    case TAG_THEAD:
    case TAG_TR:
        return background;
    default:
        return plain_attrs;
    }
}

/* ---- requisites: what they name ----------------------------------------- */

static void add(struct html_found *found, enum html_requisite_kind kind,
                struct str href)
{
    if (!html_requisite_is_fetched(href))
        return;
    if (found->requisites == HTML_REQUISITES_MAX) {
        found->links->requisites_beyond++;
        return;
    }
    found->requisite =
        mem_grow(found->requisite, found->requisites, &found->requisite_room,
                 sizeof(*found->requisite));
    found->requisite[found->requisites++] =
        (struct html_requisite){.kind = kind, .href = href};
}

static void add_srcset(struct html_found *found, struct str value)
{
    struct srcset srcset = srcset_of(value);
    struct str url;

    while (srcset_next(&srcset, &url))
        add(found, HTML_REQUISITE_IMAGE, url);
}

void html_requisite_css(struct html_found *found, struct str css,
                        enum css_place place)
{
    struct css reader;
    struct str url;

    css_init(&reader, found->arena, css, place);
    while (css_next(&reader, &url))
        add(found, HTML_REQUISITE_CSS, url);
}

/* Words that make a browser fetch what a link element names, in order to show
 * the page, its icon or, where it is installed, its name. */
static const struct {
    struct str word;
    enum html_requisite_kind kind;
} rels[] = {
    {STR_INIT("stylesheet"), HTML_REQUISITE_STYLESHEET},
    {STR_INIT("icon"), HTML_REQUISITE_ICON},
    {STR_INIT("apple-touch-icon"), HTML_REQUISITE_ICON},
    {STR_INIT("apple-touch-icon-precomposed"), HTML_REQUISITE_ICON},
    {STR_INIT("apple-touch-startup-image"), HTML_REQUISITE_ICON},
    {STR_INIT("mask-icon"), HTML_REQUISITE_ICON},
    {STR_INIT("fluid-icon"), HTML_REQUISITE_ICON},
    {STR_INIT("preload"), HTML_REQUISITE_PRELOAD},
    {STR_INIT("modulepreload"), HTML_REQUISITE_PRELOAD},
    {STR_INIT("manifest"), HTML_REQUISITE_MANIFEST},
};

static void add_rel(struct html_found *found, struct str href, struct str rel,
                    struct str imagesrcset)
{
    while ((rel = str_trim_start(rel)).len) {
        size_t len = 0;
        while (len < rel.len && !ascii_is_space(rel.ptr[len]))
            len++;
        for (size_t i = 0; i < ARRAY_LEN(rels); i++)
            if (str_eq_nocase(str_first(rel, len), rels[i].word)) {
                add(found, rels[i].kind, href);
                if (rels[i].kind == HTML_REQUISITE_PRELOAD)
                    add_srcset(found, imagesrcset);
                return;
            }
        rel = str_skip(rel, len);
    }
}

static void add_of_html(struct html_found *found, enum html_tag tag,
                        const struct str value[static HTML_REQUISITE_ATTRS])
{
    switch (tag) {
    case TAG_SCRIPT:
        add(found, HTML_REQUISITE_SCRIPT, value[1]);
        break;
    case TAG_AUDIO:
    case TAG_TRACK:
        add(found, HTML_REQUISITE_MEDIA, value[1]);
        break;
    case TAG_VIDEO:
        add(found, HTML_REQUISITE_MEDIA, value[1]);
        add(found, HTML_REQUISITE_IMAGE, value[2]);
        break;
    case TAG_SOURCE:
        add(found, HTML_REQUISITE_MEDIA, value[1]);
        add_srcset(found, value[2]);
        break;
    case TAG_EMBED:
    case TAG_OBJECT:
        add(found, HTML_REQUISITE_OBJECT, value[1]);
        break;
    case TAG_FRAME:
    case TAG_IFRAME:
        if (!value[2].ptr)
            add(found, HTML_REQUISITE_FRAME, value[1]);
        break;
    case TAG_INPUT:
        if (str_eq_nocase(value[2], STR("image")))
            add(found, HTML_REQUISITE_IMAGE, value[1]);
        break;
    case TAG_LINK:
        add_rel(found, value[1], value[2], value[3]);
        break;
    default: /* an image, a background */
        add(found, HTML_REQUISITE_IMAGE, value[1]);
        add_srcset(found, value[2]);
        break;
    }
}

void html_requisite_element(struct html_found *found, enum html_tag tag,
                            bool is_svg,
                            const struct str value[static HTML_REQUISITE_ATTRS])
{
    if (value[0].len)
        html_requisite_css(found, value[0], CSS_ATTRIBUTE);
    if (is_svg)
        add(found,
            tag == TAG_SCRIPT ? HTML_REQUISITE_SCRIPT : HTML_REQUISITE_IMAGE,
            value[1].ptr ? value[1] : value[2]); /* href, xlink:href */
    else
        add_of_html(found, tag, value);
}
