#include "page/mime.h"

/* The white space of HTTP, which unlike HTML's has no form feed. */
static bool is_http_space(char c)
{
    return c == ' ' || c == '\t' || c == '\n' || c == '\r';
}

static struct str trim(struct str s)
{
    while (s.len && is_http_space(s.ptr[0]))
        s = str_skip(s, 1);
    while (s.len && is_http_space(s.ptr[s.len - 1]))
        s.len--;
    return s;
}

static bool is_token(struct str s)
{
    for (size_t i = 0; i < s.len; i++)
        if (!ascii_is_alnum(s.ptr[i]) &&
            (!s.ptr[i] || !strchr("!#$%&'*+-.^_`|~", s.ptr[i])))
            return false;
    return s.len > 0;
}

struct str mime_essence(struct str value)
{
    struct str essence = trim(str_cut(value, ';').head);
    struct str_pair names = str_cut(essence, '/');

    if (!is_token(names.head) || !is_token(names.tail))
        return (struct str){0};
    return essence;
}

bool mime_is_xhtml(struct str essence)
{
    return str_eq_nocase(essence, STR("application/xhtml+xml"));
}

enum mime_verdict mime_verdict(struct str essence)
{
    if (!essence.len || str_eq_nocase(essence, STR("unknown/unknown")) ||
        str_eq_nocase(essence, STR("application/unknown")) ||
        str_eq(essence, STR("*/*")))
        return MIME_SNIFF;
    return str_eq_nocase(essence, STR("text/html")) || mime_is_xhtml(essence)
               ? MIME_PAGE
               : MIME_OTHER;
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

    body = str_first(body, MIME_SNIFF_LEN);
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

/* --- lists of types ------------------------------------------------------ */

static const struct {
    struct str word, pattern;
} type_words[] = {
    {STR_INIT("pdf"), STR_INIT("application/pdf")},
    {STR_INIT("text"), STR_INIT("text/plain")},
    {STR_INIT("image"), STR_INIT("image/*")},
    {STR_INIT("audio"), STR_INIT("audio/*")},
    {STR_INIT("video"), STR_INIT("video/*")},
    {STR_INIT("all"), STR_INIT("*/*")},
};

/* The pattern of a word, or {0} if there is none. */
static struct str pattern_of(struct str word)
{
    struct str_pair names = str_cut(word, '/');
    bool any_type = str_find(names.head, '*') < names.head.len;
    bool any_subtype = str_find(names.tail, '*') < names.tail.len;

    for (size_t i = 0; i < ARRAY_LEN(type_words); i++)
        if (str_eq(word, type_words[i].word))
            return type_words[i].pattern;
    /* A '*' stands for a whole name, and for no type with a subtype. */
    if ((any_type && !str_eq(word, STR("*/*"))) ||
        (any_subtype && !str_eq(names.tail, STR("*"))))
        return (struct str){0};
    return mime_essence(word);
}

bool mime_list_parse(struct mime_list *list, struct str text,
                     struct arena *arena, struct str *bad)
{
    size_t most = 1;

    for (size_t i = 0; i < text.len; i++)
        most += text.ptr[i] == ',';
    struct str *pattern = arena_new(arena, most * sizeof(*pattern));
    *list = (struct mime_list){.pattern = pattern};
    for (size_t i = 0; i < most; i++) {
        struct str_pair cut = str_cut(text, ',');
        struct str word = str_trim(cut.head);
        text = cut.tail;
        if (str_eq(word, STR("html")))
            continue;
        *bad = word;
        pattern[list->count] = pattern_of(word);
        if (!pattern[list->count++].len)
            return false;
    }
    return true;
}

bool mime_list_has(const struct mime_list *list, struct str essence)
{
    struct str type = str_cut(essence, '/').head;

    for (size_t i = 0; i < list->count; i++) {
        struct str_pair names = str_cut(list->pattern[i], '/');
        if (str_eq(names.head, STR("*")) ||
            (essence.len && str_eq(names.tail, STR("*")) &&
             str_eq_nocase(names.head, type)) ||
            (essence.len && str_eq_nocase(list->pattern[i], essence)))
            return true;
    }
    return false;
}
