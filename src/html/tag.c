#include "html/tag.h"

const struct html_tag_entry html_tags[TAG_COUNT] = {
    [TAG_OTHER] = {STR_INIT(""), 0},
#define X(id, first, middle, last, name, flags)                                \
    [TAG_##id] = {STR_INIT(name), flags},
    HTML_TAGS(X)
#undef X
};

const uint8_t html_tag_slots[HTML_TAG_SLOTS] = {
#define X(id, first, middle, last, name, flags)                                \
    [HTML_TAG_SLOT(first, middle, last, sizeof(name) - 1)] = TAG_##id,
    HTML_TAGS(X)
#undef X
};

enum html_tag html_tag_find(struct str name)
{
    enum html_tag guess = html_tag_guess(name);

    return str_eq_nocase(name, html_tags[guess].name) ? guess : TAG_OTHER;
}
