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

#include "archive/surt_session.h"
#include "base/mem.h"
#include "web/url.h"

enum { ARGUMENTS_MAX = 1 << 16 };

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

/* The text without escapes, in `room` if it has any. False past its cap. */
static bool unescaped(struct str *text, struct buf *room)
{
    if (str_find(*text, '%') == text->len)
        return true;
    if (!buf_put(room, *text))
        return false;
    *text = (struct str){room->ptr, unescape(room->ptr, room->len)};
    return true;
}

static bool is_escaped_in_key(unsigned char c)
{
    return c <= ' ' || c >= 0x7f || c == '#' || c == '%';
}

/* Append it in lower case, with its escapes. */
static bool put_escaping(struct buf *out, struct str s)
{
    char *to = buf_reserve(out, s.len);

    if (!to)
        return !s.len;
    for (size_t i = 0; i < s.len; i++) {
        unsigned char c = (unsigned char)s.ptr[i];

        if (!is_escaped_in_key(c)) {
            *to++ = ascii_lower((char)c);
            out->len++;
        } else if (!put_escaped(out, c) || !(to = buf_reserve(out, s.len - i)))
            return false;
    }
    return true;
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

/* Is the host as a URL would have it? The last label of an address is a
 * number. */
static bool is_plain_host(struct str host)
{
    for (size_t i = 0; i < host.len; i++) {
        char c = host.ptr[i];
        if (!(c >= 'a' && c <= 'z') && !ascii_is_digit(c) && c != '-' &&
            (c != '.' || !i || host.ptr[i - 1] == '.'))
            return false;
    }
    return host.len && ascii_is_alpha(host.ptr[host.len - 1]);
}

static bool put_name(struct buf *out, struct str host)
{
    return put_reversed(out, str_skip(host, www_len(host)));
}

static bool put_host(struct buf *out, const struct parts *parts)
{
    struct buf raw, host;

    if (is_plain_host(parts->host))
        return put_name(out, parts->host);
    buf_init(&raw, out->cap);
    buf_init(&host, out->cap);
    bool good = put_lower(&raw, parts->host) &&
                put_plain_host(&host, raw.ptr, raw.len) &&
                put_name(out, buf_str(&host));
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
static bool put_path(struct buf *out, struct str rest)
{
    struct buf room;
    size_t start = out->len;

    buf_init(&room, out->cap);
    bool good = unescaped(&rest, &room);
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
    buf_release(&room);
    surt_cut_path_session(out, start);
    return good && (out->len > start || buf_put_char(out, '/'));
}

static bool put_query(struct buf *out, struct str query)
{
    struct buf room, plain;

    if (!query.len)
        return true;
    buf_init(&room, out->cap);
    buf_init(&plain, out->cap);
    bool good = unescaped(&query, &room) && put_escaping(&plain, query);
    surt_cut_query_sessions(&plain);
    if (good && plain.len)
        good = put_sorted(out, buf_str(&plain), compare_pairs);
    buf_release(&room);
    buf_release(&plain);
    return good;
}

static bool put_ia(struct buf *out, const struct parts *parts)
{
    if (!put_host(out, parts))
        return false;
    if (!port_is_default(parts) &&
        !(buf_put_char(out, ':') && put_escaping(out, parts->port)))
        return false;
    return buf_put_char(out, ')') && put_path(out, parts->path) &&
           put_query(out, parts->query);
}

bool surt_put_ia(struct buf *out, struct str url)
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
        good = put_ia(out, &parts);
    if (!good)
        out->len = start;
    return good;
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
