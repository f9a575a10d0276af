/* The key of warcio.js is that of a parsed URL. The key of surt.py comes from
 * rules of its own, which are those of Google's Safe Browsing with some added:
 *
 *   - every part is unescaped until nothing is left to unescape, then blanks,
 *     control characters, '#', '%' and bytes beyond ASCII are escaped;
 *   - the path loses "." and "..", empty segments and its final slash;
 *   - session ids go, from the path and from the query;
 *   - everything is lower-case, the arguments of the query are sorted.
 */
#include "archive/surt.h"

#include <stdlib.h>

#include "base/mem.h"
#include "url/url.h"

enum { SESSION_ID_LEN = 32, ASPX_ID_LEN = 24, ARGUMENTS_MAX = 1 << 16 };

/* --- bytes ---------------------------------------------------------------- */

static bool put_lower(struct buf *out, struct str s)
{
    char *to = buf_reserve(out, s.len);

    if (!to)
        return !s.len;
    for (size_t i = 0; i < s.len; i++)
        to[i] = ascii_lower(s.ptr[i]);
    out->len += s.len;
    return true;
}

/* An escape whose digits are lower-case, as everything is. */
static bool put_escaped(struct buf *out, unsigned char byte)
{
    return buf_printf(out, "%%%02x", byte);
}

/* As it is, but for what would end the key in a line of an index. */
static bool put_opaque(struct buf *out, struct str s)
{
    bool good = true;

    for (size_t i = 0; i < s.len && good; i++) {
        unsigned char c = (unsigned char)s.ptr[i];
        good = c <= ' ' || c == 0x7f ? put_escaped(out, c)
                                     : buf_put_char(out, (char)c);
    }
    return good;
}

/* Unescape in place until nothing is left to unescape. What an escape stands
 * for may be the end of another one, so each is looked for at the end of what
 * is there already. */
static size_t unescape(char *text, size_t len)
{
    size_t to = 0;

    for (size_t i = 0; i < len; i++) {
        text[to++] = text[i];
        while (to >= 3) {
            int c = percent_value((struct str){text + to - 3, 3});
            if (c < 0)
                break;
            to -= 2;
            text[to - 1] = (char)c;
        }
    }
    return to;
}

static bool is_escaped_in_key(unsigned char c)
{
    return c <= ' ' || c >= 0x7f || c == '#' || c == '%';
}

/* Append it in lower case, with its escapes. */
static bool put_escaping(struct buf *out, struct str s)
{
    bool good = true;

    for (size_t i = 0; i < s.len && good; i++) {
        unsigned char c = (unsigned char)s.ptr[i];
        good = is_escaped_in_key(c) ? put_escaped(out, c)
                                    : buf_put_char(out, ascii_lower((char)c));
    }
    return good;
}

static size_t find_any(struct str s, const char *set)
{
    size_t i = 0;

    while (i < s.len && !(s.ptr[i] && strchr(set, s.ptr[i])))
        i++;
    return i;
}

/* --- hosts ---------------------------------------------------------------- */

/* "www.", "www2.": how many bytes of it there are. */
static size_t www_len(struct str host)
{
    size_t len = 3;

    if (!str_starts(host, STR("www")))
        return 0;
    while (len < host.len && ascii_is_digit(host.ptr[len]))
        len++;
    return len < host.len && host.ptr[len] == '.' ? len + 1 : 0;
}

static bool put_reversed(struct buf *out, struct str host)
{
    for (size_t end = host.len;;) {
        size_t start = end;
        while (start && host.ptr[start - 1] != '.')
            start--;
        if (!buf_put(out, (struct str){host.ptr + start, end - start}))
            return false;
        if (!start)
            return true;
        if (!buf_put_char(out, ','))
            return false;
        end = start - 1;
    }
}

/* "192.168.1.254", and also "990.991.992.993" */
static bool is_address(struct str host)
{
    unsigned dots = 0, digits = 0;

    for (size_t i = 0; i < host.len; i++) {
        if (ascii_is_digit(host.ptr[i]) ? ++digits > 3
                                        : host.ptr[i] != '.' || !digits)
            return false;
        if (host.ptr[i] == '.') {
            dots++;
            digits = 0;
        }
    }
    return dots == 3 && digits;
}

/* Without dots at its ends and without ".." inside. */
static size_t tidy_dots(char *host, size_t len)
{
    size_t to = 0;

    for (size_t i = 0; i < len; i++)
        if (host[i] != '.' || (to && host[to - 1] != '.'))
            host[to++] = host[i];
    while (to && host[to - 1] == '.')
        to--;
    return to;
}

/* Append the host as a URL has it: in ASCII, in lower case, an address in its
 * usual form. If it cannot be one: with escapes. `raw` is changed. */
static bool put_plain_host(struct buf *out, char *raw, size_t len)
{
    struct str host = {raw, tidy_dots(raw, unescape(raw, len))};
    struct arena arena;
    struct buf text;
    struct url url;

    arena_init(&arena);
    buf_init(&text, URL_LEN_MAX);
    bool is_host = find_any(host, "/?#@\\:") == host.len &&
                   buf_put(&text, STR("http://")) && buf_put(&text, host) &&
                   !url_parse(&url, &arena, buf_str(&text), NULL, NULL);
    bool good =
        is_host ? buf_put(out, url_host(&url)) : put_escaping(out, host);
    buf_release(&text);
    arena_release(&arena);
    return good;
}

/* --- session ids ---------------------------------------------------------- */

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

/* Cut the last session id out of a path that is in lower case. */
static void cut_path_session(struct buf *key, size_t path_start)
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

/* Cut the last session id of each kind out of a query in lower case. The name
 * of one may be the end of a longer name. */
static void cut_query_sessions(struct buf *query)
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

/* --- queries -------------------------------------------------------------- */

static int compare_bytes(struct str a, struct str b)
{
    size_t len = a.len < b.len ? a.len : b.len;
    int order = len ? memcmp(a.ptr, b.ptr, len) : 0;

    return order ? order : (a.len > b.len) - (a.len < b.len);
}

static int compare_arguments(const void *a, const void *b)
{
    return compare_bytes(*(const struct str *)a, *(const struct str *)b);
}

/* By name, then by value; a name without '=' is before one with it. */
static int compare_pairs(const void *a, const void *b)
{
    struct str x = *(const struct str *)a, y = *(const struct str *)b;
    size_t x_name = str_find(x, '='), y_name = str_find(y, '=');
    int order = compare_bytes(str_first(x, x_name), str_first(y, y_name));

    return order ? order
                 : compare_bytes(str_skip(x, x_name), str_skip(y, y_name));
}

static bool put_sorted(struct buf *out, struct str query,
                       int (*compare)(const void *, const void *))
{
    size_t count = 1;

    for (size_t i = 0; i < query.len; i++)
        count += query.ptr[i] == '&';
    if (count > ARGUMENTS_MAX)
        return false;
    struct str *argument = mem_array(count, sizeof(*argument));
    struct str rest = query;
    for (size_t i = 0; i < count; i++) {
        struct str_pair pair = str_cut(rest, '&');
        argument[i] = pair.head;
        rest = pair.tail;
    }
    qsort(argument, count, sizeof(*argument), compare);
    bool good = buf_put_char(out, '?');
    for (size_t i = 0; i < count && good; i++)
        good = (!i || buf_put_char(out, '&')) && buf_put(out, argument[i]);
    free(argument);
    return good;
}

/* --- surt.py -------------------------------------------------------------- */

/* The parts of "scheme://user@host:port/path?query#fragment". */
struct parts {
    struct str scheme, host, port, path, query;
};

static void split_authority(struct parts *parts, struct str authority)
{
    for (size_t i = authority.len; i--;)
        if (authority.ptr[i] == '@') {
            authority = str_skip(authority, i + 1);
            break;
        }
    size_t close = str_find(authority, ']');
    bool has_brackets =
        str_starts(authority, STR("[")) && close < authority.len;
    size_t from = has_brackets ? close : 0;
    size_t colon = from + str_find(str_skip(authority, from), ':');

    parts->host = has_brackets
                      ? str_between(authority.ptr + 1, authority.ptr + close)
                      : str_first(authority, colon);
    if (colon < authority.len)
        parts->port = str_skip(authority, colon + 1);
}

/* False if it has no "scheme://". */
static bool split(struct parts *parts, struct str url)
{
    size_t colon = 0;

    while (colon < url.len &&
           (ascii_is_alnum(url.ptr[colon]) || url.ptr[colon] == '+' ||
            url.ptr[colon] == '-' || url.ptr[colon] == '.'))
        colon++;
    *parts = (struct parts){.scheme = str_first(url, colon)};
    if (!str_starts(str_skip(url, colon), STR("://")))
        return false;
    url = str_skip(url, colon + 3);
    url = str_first(url, str_find(url, '#'));
    size_t authority = find_any(url, "/?");
    split_authority(parts, str_first(url, authority));
    url = str_skip(url, authority);
    size_t path = str_find(url, '?');
    parts->path = str_first(url, path);
    if (path < url.len)
        parts->query = str_skip(url, path + 1);
    return true;
}

static bool put_host(struct buf *out, const struct parts *parts, unsigned form)
{
    struct buf raw, host;
    bool good;

    buf_init(&raw, out->cap);
    buf_init(&host, out->cap);
    good =
        put_lower(&raw, parts->host) && put_plain_host(&host, raw.ptr, raw.len);
    if (good) {
        struct str name = buf_str(&host);
        if (!(form & SURT_KEEP_WWW))
            name = str_skip(name, www_len(name));
        good = form & SURT_KEEP_ADDRESS && is_address(name)
                   ? buf_put(out, name)
                   : put_reversed(out, name);
    }
    buf_release(&raw);
    buf_release(&host);
    return good;
}

static bool port_is_default(const struct parts *parts)
{
    return !parts->port.len ||
           (str_eq_nocase(parts->scheme, STR("http")) &&
            str_eq(parts->port, STR("80"))) ||
           (str_eq_nocase(parts->scheme, STR("https")) &&
            str_eq(parts->port, STR("443")));
}

/* Append the segments of a path, but for those that say nothing. */
static bool put_path(struct buf *out, struct str path)
{
    struct buf raw;
    size_t start = out->len;
    bool good;

    buf_init(&raw, out->cap);
    good = buf_put(&raw, path);
    struct str rest = {raw.ptr, unescape(raw.ptr, raw.len)};
    while (rest.len && good) {
        struct str_pair segment = str_cut(rest, '/');
        rest = segment.tail;
        if (!segment.head.len || str_eq(segment.head, STR(".")))
            continue;
        if (!str_eq(segment.head, STR("..")))
            good = buf_put_char(out, '/') && put_escaping(out, segment.head);
        else
            while (out->len > start && out->ptr[--out->len] != '/')
                ;
    }
    buf_release(&raw);
    cut_path_session(out, start);
    return good && (out->len > start || buf_put_char(out, '/'));
}

static bool put_query(struct buf *out, struct str query)
{
    struct buf raw, plain;
    bool good;

    buf_init(&raw, out->cap);
    buf_init(&plain, out->cap);
    good =
        buf_put(&raw, query) &&
        put_escaping(&plain, (struct str){raw.ptr, unescape(raw.ptr, raw.len)});
    cut_query_sessions(&plain);
    if (good && plain.len)
        good = put_sorted(out, buf_str(&plain), compare_pairs);
    buf_release(&raw);
    buf_release(&plain);
    return good;
}

static bool put_ia(struct buf *out, const struct parts *parts, unsigned form)
{
    if (form & SURT_WITH_SCHEME &&
        !(put_lower(out, parts->scheme) && buf_put(out, STR("://("))))
        return false;
    if (!put_host(out, parts, form))
        return false;
    if (!port_is_default(parts) &&
        !(buf_put_char(out, ':') && put_escaping(out, parts->port)))
        return false;
    if (form & SURT_TRAILING_COMMA && !buf_put_char(out, ','))
        return false;
    return buf_put_char(out, ')') && put_path(out, parts->path) &&
           put_query(out, parts->query);
}

bool surt_put_ia_form(struct buf *out, struct str url, unsigned form)
{
    size_t start = out->len;
    struct parts parts;
    bool good;

    url = str_trim(url);
    if (!url.len)
        good = buf_put_char(out, '-');
    else if (str_starts_nocase(url, STR("filedesc:")) ||
             str_starts_nocase(url, STR("warcinfo:")) || !split(&parts, url))
        good = put_opaque(out, url);
    else
        good = put_ia(out, &parts, form);
    if (!good)
        out->len = start;
    return good;
}

bool surt_put_ia(struct buf *out, struct str url)
{
    return surt_put_ia_form(out, url, 0);
}

/* --- warcio.js ------------------------------------------------------------ */

static bool put_warcio(struct buf *out, const struct url *url)
{
    struct str host_port = url_host_port(url), host = url_host(url);
    struct str query = url_query(url);

    return put_reversed(out, host) &&
           buf_put(out, str_skip(host_port, host.len)) &&
           buf_put_char(out, ')') && buf_put(out, url_path(url)) &&
           (!query.len || put_sorted(out, query, compare_arguments));
}

/* The URL in lower case, without "www.". */
static bool put_without_www(struct buf *out, struct str url)
{
    size_t scheme = str_starts(url, STR("https://"))  ? 8
                    : str_starts(url, STR("http://")) ? 7
                                                      : 0;
    struct str rest = str_skip(url, scheme);

    if (scheme)
        rest = str_skip(rest, www_len(rest));
    return put_lower(out, str_first(url, scheme)) && put_lower(out, rest);
}

bool surt_put_warcio(struct buf *out, struct str url)
{
    size_t start = out->len;
    struct arena arena;
    struct buf lower;
    struct url parsed;

    arena_init(&arena);
    buf_init(&lower, out->cap);
    bool is_parsed =
        (str_starts(url, STR("http:")) || str_starts(url, STR("https:"))) &&
        put_without_www(&lower, url) &&
        !url_parse(&parsed, &arena, buf_str(&lower), NULL, NULL);
    bool good = is_parsed ? put_warcio(out, &parsed) : put_opaque(out, url);
    if (!good)
        out->len = start;
    buf_release(&lower);
    arena_release(&arena);
    return good;
}
