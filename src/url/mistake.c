#include "url/mistake.h"

#include "url/url.h"

static bool has(struct str text, char c)
{
    return str_find(text, c) < text.len;
}

/* Without an address a mail can still have a subject and a text: whoever shares
 * a page by mail adds the address. */
static bool is_mail_to_nobody(struct str rest)
{
    struct str_pair parts = str_cut(rest, '?');

    for (size_t i = 0; i + 3 <= rest.len; i++)
        if (str_eq_nocase(str_first(str_skip(rest, i), 3), STR("%40")))
            return false;
    return !has(rest, '@') && !parts.tail.len;
}

/* "htp", "htpps", "ttp", ...: the letters of https, with a t and a p. "ssh" is
 * a scheme. */
static bool is_mistyped_http(struct str scheme)
{
    for (size_t i = 0; i < scheme.len; i++)
        if (!has(STR("https"), ascii_lower(scheme.ptr[i])))
            return false;
    return scheme.len < 8 && !str_eq_nocase(scheme, STR("http")) &&
           !str_eq_nocase(scheme, STR("https")) &&
           (has(scheme, 't') || has(scheme, 'T')) &&
           (has(scheme, 'p') || has(scheme, 'P'));
}

const char *url_mistake(struct str href)
{
    struct str_pair parts = str_cut(url_trim(href), ':');

    if (!parts.tail.ptr)
        return NULL;
    if (str_eq_nocase(parts.head, STR("mailto")))
        return is_mail_to_nobody(parts.tail) ? "no mail address" : NULL;
    if (str_eq_nocase(parts.head, STR("file")))
        return "a file of one computer";
    if (is_mistyped_http(parts.head) &&
        str_starts_nocase(parts.tail, STR("//")))
        return "http is mistyped";
    return NULL;
}
