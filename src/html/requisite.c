#include "html/requisite.h"

#include "html/srcset.h"

/* ---- which attributes -------------------------------------------------- */

#define ATTRS(a, b, c)                                                         \
    {                                                                          \
        STR_INIT("style"), STR_INIT(a), STR_INIT(b), STR_INIT(c)               \
    }

static const struct str plain_attrs[] = ATTRS("", "", "");

static const struct str *attrs_of_svg(enum html_tag tag)
{
    static const struct str href[] = ATTRS("href", "xlink:href", "");

    switch (tag) {
    case TAG_IMAGE:
    case TAG_FEIMAGE:
    case TAG_USE:
    case TAG_SCRIPT:
        return href;
    default:
        return plain_attrs;
    }
}

const struct str *html_requisite_attrs(enum html_tag tag, bool is_svg)
{
    static const struct str src[] = ATTRS("src", "", "");
    static const struct str image[] = ATTRS("src", "srcset", "");
    static const struct str frame[] = ATTRS("src", "srcdoc", "");
    static const struct str input[] = ATTRS("src", "type", "");
    static const struct str video[] = ATTRS("src", "poster", "");
    static const struct str link[] = ATTRS("href", "rel", "imagesrcset");
    static const struct str object[] = ATTRS("data", "", "");
    static const struct str background[] = ATTRS("background", "", "");

    if (is_svg)
        return attrs_of_svg(tag);
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

bool html_requisite_is_element(enum html_tag tag, bool is_svg)
{
    return html_requisite_attrs(tag, is_svg) != plain_attrs;
}

/* ---- what they name ---------------------------------------------------- */

bool html_requisite_is_fetched(struct str href)
{
    struct str text = str_trim(href);

    return text.len && text.ptr[0] != '#' &&
           !str_starts_nocase(text, STR("data:"));
}

static void add(struct html_found *found, enum html_requisite_kind kind,
                struct str href)
{
    if (html_requisite_is_fetched(href))
        html_found_requisite(found, kind, href);
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

static void add_link(struct html_found *found, struct str href, struct str rel,
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

static void add_of_svg(struct html_found *found, enum html_tag tag,
                       struct str href, struct str xlink_href)
{
    add(found, tag == TAG_SCRIPT ? HTML_REQUISITE_SCRIPT : HTML_REQUISITE_IMAGE,
        href.ptr ? href : xlink_href);
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
        add_link(found, value[1], value[2], value[3]);
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
        add_of_svg(found, tag, value[1], value[2]);
    else
        add_of_html(found, tag, value);
}
