#include "html/content.h"

void html_content_init(struct html_content *content, struct html_info *info,
                       struct arena *arena,
                       const struct html_scan_options *options)
{
    content->info = info;
    content->arena = arena;
    content->wants_title = options->want_title;
    content->wants_ids = options->want_ids;
    content->id_count = 0;
    buf_init(&content->ids, HTML_IDS_BYTES_MAX);
}

void html_content_finish(struct html_content *content)
{
    if (content->ids.len)
        content->info->ids = arena_copy(content->arena, buf_str(&content->ids));
    buf_release(&content->ids);
}

/* Where a cut after `max` bytes would not divide a character. */
static size_t cut_len(const char *bytes, size_t len, size_t max)
{
    if (len <= max)
        return len;
    while (max > 0 && ((unsigned char)bytes[max] & 0xc0) == 0x80)
        max--;
    return max;
}

/* The text with runs of white space made one blank each, and none around it;
 * cut to `max` bytes of whole characters. In the arena, never NULL. */
static struct str fold_blanks(struct arena *arena, struct str text, size_t max)
{
    char *start = arena_reserve(arena, max + 4), *to = start;
    bool has_blank = false;

    for (size_t i = 0; i < text.len && (size_t)(to - start) < max + 2; i++) {
        if (ascii_is_space(text.ptr[i])) {
            has_blank = to > start;
            continue;
        }
        if (has_blank)
            *to++ = ' ';
        has_blank = false;
        *to++ = text.ptr[i];
    }
    size_t len = cut_len(start, (size_t)(to - start), max);
    arena_commit(arena, len);
    return (struct str){start, len};
}

void html_content_title(struct html_content *content, struct str text)
{
    if (html_content_needs_title(content))
        content->info->title =
            fold_blanks(content->arena, text, HTML_TITLE_MAX);
}

/* Ids stand on lines, so one that has a line feed has no place there. */
void html_content_id(struct html_content *content, struct str id)
{
    struct buf *ids = &content->ids;

    if (!content->wants_ids || !id.len)
        return;
    if (content->id_count == HTML_IDS_MAX || id.len > HTML_ID_MAX ||
        ids->len + id.len + 1 > HTML_IDS_BYTES_MAX ||
        memchr(id.ptr, '\n', id.len)) {
        content->info->ids_beyond++;
        return;
    }
    if (content->id_count++)
        buf_put_char(ids, '\n');
    buf_put(ids, id);
}

struct str html_fragment(struct str href)
{
    size_t hash = str_find(href, '#');

    return hash < href.len ? str_skip(href, hash + 1) : (struct str){0};
}
