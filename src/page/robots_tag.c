#include "page/robots_tag.h"

/* The rules that have a value after a colon; any other word before a colon is
 * the name of an agent, for the rules after it. A date may have a comma, and
 * then looks like a word and a colon, but for its blanks. */
static bool is_valued_rule(struct str word)
{
    static const struct str names[] = {
        STR_INIT("max-snippet"),
        STR_INIT("max-image-preview"),
        STR_INIT("max-video-preview"),
        STR_INIT("unavailable_after"),
    };

    for (size_t i = 0; i < ARRAY_LEN(names); i++)
        if (str_eq_nocase(word, names[i]))
            return true;
    return str_find(word, ' ') < word.len;
}

void robots_tag_read(struct str value, struct str agent, bool *noindex,
                     bool *nofollow, bool *noarchive)
{
    bool for_us = true;

    while (value.len) {
        struct str_pair cut = str_cut(value, ',');
        struct str_pair named = str_cut(cut.head, ':');
        struct str rule = str_trim(cut.head);

        value = cut.tail;
        if (named.tail.ptr && !is_valued_rule(str_trim(named.head))) {
            for_us = str_eq_nocase(str_trim(named.head), agent);
            rule = str_trim(named.tail);
        }
        bool none = str_eq_nocase(rule, STR("none"));
        if (for_us && (none || str_eq_nocase(rule, STR("noindex"))))
            *noindex = true;
        if (for_us && (none || str_eq_nocase(rule, STR("nofollow"))))
            *nofollow = true;
        if (for_us && str_eq_nocase(rule, STR("noarchive")))
            *noarchive = true;
    }
}

bool rel_has(struct str rel, struct str token)
{
    size_t at = 0;

    while (at < rel.len) {
        size_t end = at;
        while (end < rel.len && !ascii_is_space(rel.ptr[end]))
            end++;
        if (str_eq_nocase((struct str){rel.ptr + at, end - at}, token))
            return true;
        at = end + 1;
    }
    return false;
}
