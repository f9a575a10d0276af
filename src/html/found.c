#include "html/found.h"

#include <stdlib.h>

#include "base/mem.h"
#include "html/meta.h"

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
    html_content_init(&found->content, &links->info, arena, options);
}

static void keep_requisites(struct html_found *found)
{
    size_t size = found->requisites * sizeof(*found->requisite);

    found->links->requisites = found->requisites;
    found->links->requisite = arena_new(found->arena, size);
    if (size)
        memcpy(found->links->requisite, found->requisite, size);
    free(found->requisite);
}

void html_found_finish(struct html_found *found)
{
    size_t size = found->count * sizeof(*found->link);

    html_found_end_text(found);
    found->links->count = found->count;
    found->links->link = arena_new(found->arena, size);
    if (size)
        memcpy(found->links->link, found->link, size);
    free(found->link);
    if (found->requisite)
        keep_requisites(found);
    html_content_finish(&found->content);
}

/* ---- elements ---------------------------------------------------------- */

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

static void begin_text(struct html_found *found)
{
    found->is_in_a = true;
    found->has_blank = found->is_full = false;
    found->text_link = found->count - 1;
    found->text_len = 0;
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
    if (kind == HTML_A && found->options->want_text)
        begin_text(found);
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

void html_found_requisite(struct html_found *found,
                          enum html_requisite_kind kind, struct str href)
{
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

void html_found_cut(struct html_found *found, size_t links, size_t requisites)
{
    html_found_end_text(found);
    found->count = links;
    found->requisites = requisites;
}

/* ---- the text of an `a` ----------------------------------------------- */

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
