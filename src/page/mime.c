#include "page/mime.h"

static bool is_token(struct str s)
{
    if (!s.len)
        return false;
    for (size_t i = 0; i < s.len; i++)
        if (!ascii_is_alnum(s.ptr[i]) &&
            !memchr("!#$%&'*+-.^_`|~", s.ptr[i], 15))
            return false;
    return true;
}

struct str mime_essence(struct str content_type)
{
    struct str essence = str_trim(str_cut(content_type, ';').head);
    struct str_pair parts = str_cut(essence, '/');

    if (!is_token(parts.head) || !is_token(parts.tail))
        return (struct str){0};
    return essence;
}

bool mime_is_html(struct str essence)
{
    return str_eq_nocase(essence, STR("text/html")) ||
           str_eq_nocase(essence, STR("application/xhtml+xml"));
}

bool mime_sniffs_as_html(struct str body)
{
    static const struct str tags[] = {
        STR_INIT("<!DOCTYPE HTML"),
        STR_INIT("<HTML"),
        STR_INIT("<HEAD"),
        STR_INIT("<SCRIPT"),
        STR_INIT("<IFRAME"),
        STR_INIT("<H1"),
        STR_INIT("<DIV"),
        STR_INIT("<FONT"),
        STR_INIT("<TABLE"),
        STR_INIT("<A"),
        STR_INIT("<STYLE"),
        STR_INIT("<TITLE"),
        STR_INIT("<B"),
        STR_INIT("<BODY"),
        STR_INIT("<BR"),
        STR_INIT("<P"),
    };

    if (str_starts(body, STR("\xef\xbb\xbf")))
        body = str_skip(body, 3);
    while (body.len && ascii_is_space(body.ptr[0]))
        body = str_skip(body, 1);
    if (str_starts(body, STR("<!--")))
        return true;
    for (size_t i = 0; i < ARRAY_LEN(tags); i++) {
        if (!str_starts_nocase(body, tags[i]) || body.len == tags[i].len)
            continue;
        char after = body.ptr[tags[i].len];
        if (after == ' ' || after == '>')
            return true;
    }
    return false;
}
