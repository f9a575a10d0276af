#include "html/meta.h"

static bool starts_with_any(struct str s, const char *chars)
{
    return s.len && s.ptr[0] && strchr(chars, s.ptr[0]);
}

/* After the time: "url=", or its lack, and quotes are optional. */
static struct str refresh_target(struct str s)
{
    struct str url = s;

    if (str_starts_nocase(s, STR("u"))) {
        if (!str_starts_nocase(s, STR("url")))
            return url;
        s = str_trim_start(str_skip(s, 3));
        if (!str_starts(s, STR("=")))
            return url;
        s = str_trim_start(str_skip(s, 1));
    }
    if (!starts_with_any(s, "'\""))
        return s;

    char quote = s.ptr[0];
    s = str_skip(s, 1);
    return str_first(s, str_find(s, quote));
}

struct str html_refresh_url(struct str content)
{
    struct str none = {NULL, 0};
    struct str s = str_trim_start(content);

    if (!s.len || !(ascii_is_digit(s.ptr[0]) || s.ptr[0] == '.'))
        return none;
    while (s.len && (ascii_is_digit(s.ptr[0]) || s.ptr[0] == '.'))
        s = str_skip(s, 1);
    if (!s.len || !(starts_with_any(s, ";,") || ascii_is_space(s.ptr[0])))
        return none;
    s = str_trim_start(s);
    if (starts_with_any(s, ";,"))
        s = str_trim_start(str_skip(s, 1));
    return s.len ? refresh_target(s) : none;
}

void html_robots_rules(struct str content, bool *noindex, bool *nofollow,
                       bool *noarchive)
{
    while (content.len) {
        size_t len = 0;
        while (len < content.len && content.ptr[len] != ',' &&
               !ascii_is_space(content.ptr[len]))
            len++;

        struct str rule = str_first(content, len);
        bool is_none = str_eq_nocase(rule, STR("none"));
        if (is_none || str_eq_nocase(rule, STR("noindex")))
            *noindex = true;
        if (is_none || str_eq_nocase(rule, STR("nofollow")))
            *nofollow = true;
        if (str_eq_nocase(rule, STR("noarchive")))
            *noarchive = true;
        content = str_skip(content, len < content.len ? len + 1 : len);
    }
}

bool html_policy_upgrades(struct str policy)
{
    static const struct str wanted = STR_INIT("upgrade-insecure-requests");

    while (policy.len) {
        size_t len = 0;
        while (len < policy.len && policy.ptr[len] != ';' &&
               policy.ptr[len] != ',')
            len++;

        struct str directive = str_trim(str_first(policy, len));
        size_t name = 0;
        while (name < directive.len && !ascii_is_space(directive.ptr[name]))
            name++;
        if (str_eq_nocase(str_first(directive, name), wanted))
            return true;
        policy = str_skip(policy, len < policy.len ? len + 1 : len);
    }
    return false;
}
