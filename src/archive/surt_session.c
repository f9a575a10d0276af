#include "archive/surt_session.h"

enum { SESSION_ID_LEN = 32, ASPX_ID_LEN = 24 };

static bool all_alnum(struct str s, size_t len)
{
    if (s.len < len)
        return false;
    for (size_t i = 0; i < len; i++)
        if (!ascii_is_alnum(s.ptr[i]))
            return false;
    return true;
}

/* "(" 24 letters or digits ")/", or "((" or "(S(4hqa0555fwsecu455xqckv45))/",
 * at the start of `s`: its length, or 0. */
static size_t aspx_id_len(struct str s)
{
    size_t at = 1;

    if (s.len < ASPX_ID_LEN + 3 || s.ptr[0] != '(')
        return 0;
    if (all_alnum(str_skip(s, 1), ASPX_ID_LEN))
        at += ASPX_ID_LEN;
    else
        while (at + 3 + ASPX_ID_LEN <= s.len && ascii_is_alpha(s.ptr[at]) &&
               s.ptr[at + 1] == '(' &&
               all_alnum(str_skip(s, at + 2), ASPX_ID_LEN) &&
               s.ptr[at + 2 + ASPX_ID_LEN] == ')')
            at += 3 + ASPX_ID_LEN;
    return at > 1 && str_starts(str_skip(s, at), STR(")/")) ? at + 2 : 0;
}

/* A file name of ASP.NET is at the end: "x.aspx". */
static bool names_aspx(struct str s)
{
    struct str path = str_first(s, str_find(s, '?'));

    for (size_t i = 1; i + 5 <= path.len; i++)
        if (!memcmp(path.ptr + i, ".aspx", 5))
            return true;
    return false;
}

void surt_cut_path_session(struct buf *key, size_t path_start)
{
    struct str path = str_skip(buf_str(key), path_start);

    for (size_t i = path.len; i-- > 1;) {
        struct str rest = str_skip(path, i);
        size_t len = path.ptr[i - 1] == '/' ? aspx_id_len(rest) : 0;

        if (len && names_aspx(str_skip(rest, len))) {
            char *at = key->ptr + path_start + i;
            memmove(at, at + len, rest.len - len);
            key->len -= len;
            return;
        }
    }
}

/* The length of a session id at the start of `s`, which goes up to '&' or to
 * the end; 0 if there is none. */
static size_t plain_session_len(struct str s, struct str name)
{
    size_t len = name.len + SESSION_ID_LEN;

    if (!str_starts(s, name) ||
        !all_alnum(str_skip(s, name.len), SESSION_ID_LEN))
        return 0;
    return len == s.len || s.ptr[len] == '&' ? len : 0;
}

static size_t asp_session_len(struct str s, struct str name)
{
    size_t value = name.len + 8 + 1, len = value + ASPX_ID_LEN;

    if (!str_starts(s, name) || s.len < len || s.ptr[value - 1] != '=')
        return 0;
    for (size_t i = name.len; i < len; i++)
        if (i != value - 1 && !ascii_is_alpha(s.ptr[i]))
            return 0;
    return len == s.len || s.ptr[len] == '&' ? len : 0;
}

static size_t cold_fusion_len(struct str s, struct str name)
{
    static const struct str token = STR_INIT("&cftoken=");

    if (!str_starts(s, name))
        return 0;
    size_t len = str_find(s, '&');
    if (len == name.len || !str_starts(str_skip(s, len), token))
        return 0;
    struct str value = str_skip(s, len + token.len);
    size_t value_len = str_find(value, '&');
    return value_len ? len + token.len + value_len : 0;
}

void surt_cut_query_sessions(struct buf *query)
{
    static const struct {
        size_t (*len)(struct str s, struct str name);
        struct str name;
    } kinds[] = {
        {plain_session_len, STR_INIT("jsessionid=")},
        {plain_session_len, STR_INIT("phpsessid=")},
        {plain_session_len, STR_INIT("sid=")},
        {asp_session_len, STR_INIT("aspsessionid")},
        {cold_fusion_len, STR_INIT("cfid=")},
    };

    for (size_t k = 0; k < ARRAY_LEN(kinds); k++)
        for (size_t i = query->len; i--;) {
            struct str rest = str_skip(buf_str(query), i);
            size_t len = kinds[k].len(rest, kinds[k].name);

            if (!len)
                continue;
            if (len < rest.len)
                len++; /* its '&' */
            memmove(query->ptr + i, query->ptr + i + len, rest.len - len);
            query->len -= len;
            break;
        }
}
