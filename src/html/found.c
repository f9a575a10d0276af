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
    found->is_in_a = false;
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

void html_found_hyperlink(struct html_found *found, enum html_link_kind kind,
                          struct str href, struct str rel)
{
    if (kind == HTML_LINK && !str_trim(rel).len)
        return;

    struct html_link *link = add_link(found, kind, href);
    if (!link)
        return;
    link->rel = rel;
    if (kind == HTML_A && found->options->want_text)
        begin_text(found);
}

/* An empty src means about:blank, not the page; with a srcdoc an iframe's src
 * is not looked at. */
void html_found_frame(struct html_found *found, enum html_link_kind kind,
                      struct str src, bool has_srcdoc)
{
    if (src.len && !(kind == HTML_IFRAME && has_srcdoc))
        add_link(found, kind, src);
}

void html_found_base(struct html_found *found, struct str href)
{
    if (!found->links->info.base.ptr)
        found->links->info.base = href;
}

void html_found_meta(struct html_found *found, struct str content,
                     struct str http_equiv, struct str name)
{
    struct html_info *info = &found->links->info;

    if (str_eq_nocase(http_equiv, STR("refresh"))) {
        struct str url = html_refresh_url(content);
        if (url.ptr)
            add_link(found, HTML_REFRESH, url);
    }
    if (str_eq_nocase(name, STR("robots")) ||
        (name.len && str_eq_nocase(name, found->options->agent)))
        html_robots_rules(content, &info->noindex, &info->nofollow);
}

void html_found_cut(struct html_found *found, size_t count)
{
    html_found_end_text(found);
    found->count = count;
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
