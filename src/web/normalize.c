#include "web/normalize.h"

#include <stdlib.h>

#include "base/hashtable.h"
#include "base/mem.h"
#include "web/domain.h"
#include "web/filter.h"

/* ---- the keys of a query ------------------------------------------------ */

enum { KEY_LEN_MAX = 200, KEYS_MAX = 1000 };

struct query_keys {
    struct arena names;
    struct str *key;
    size_t count, room;
};

/* Keys of Google Analytics and Ads, Facebook, Microsoft, Yandex, X, TikTok,
 * LinkedIn, Instagram, Mailchimp, HubSpot, Marketo, Vero, Omeda, Adobe,
 * Pinterest, Matomo. The man page lists them. */
static const char tracking_keys[] =
    "utm_* gclid gclsrc dclid gbraid wbraid srsltid _ga _gl fbclid msclkid "
    "yclid ysclid twclid ttclid li_fat_id igshid igsh mc_cid mc_eid _hsenc "
    "_hsmi hsCtaTracking mkt_tok vero_id oly_anon_id oly_enc_id s_cid epik "
    "mtm_* pk_*";

struct query_keys *query_keys_new(void)
{
    struct query_keys *keys = NEW(struct query_keys);

    arena_init(&keys->names);
    return keys;
}

void query_keys_free(struct query_keys *keys)
{
    if (!keys)
        return;
    free(keys->key);
    arena_release(&keys->names);
    free(keys);
}

static bool add_key(struct query_keys *keys, struct str key, struct buf *fault)
{
    size_t at;
    const char *wrong = glob_fault(key, &at);

    if (!key.len)
        wrong = "a key is empty";
    else if (str_find(key, '&') < key.len || str_find(key, '=') < key.len ||
             str_find(key, '#') < key.len)
        wrong = "no key has a &, = or #";
    else if (key.len > KEY_LEN_MAX)
        wrong = "a key is longer than 200 characters";
    else if (keys->count == KEYS_MAX)
        wrong = "more than 1000 keys";
    if (wrong) {
        buf_put(fault, str_of(wrong));
        return false;
    }
    keys->key =
        mem_grow(keys->key, keys->count, &keys->room, sizeof(*keys->key));
    keys->key[keys->count++] = arena_copy(&keys->names, key);
    return true;
}

static bool add_list(struct query_keys *keys, struct str list, char separator,
                     struct buf *fault)
{
    bool more = true;

    while (more) {
        struct str_pair cut = str_cut(list, separator);
        more = cut.tail.ptr != NULL;
        list = cut.tail;
        if (separator == ',' && str_eq(cut.head, STR("tracking"))) {
            if (!add_list(keys, str_of(tracking_keys), ' ', fault))
                return false;
        } else if (!add_key(keys, cut.head, fault)) {
            return false;
        }
    }
    return true;
}

bool query_keys_add(struct query_keys *keys, struct str list, struct buf *fault)
{
    return add_list(keys, list, ',', fault);
}

/* The name of "name=value" without escapes. A '/' in it would end what a '*'
 * matches, so it is written as a character that no key has. */
static struct str name_of(struct str pair, char to[static KEY_LEN_MAX])
{
    struct str raw = str_cut(pair, '=').head;
    size_t len = 0;

    while (raw.len) {
        int escaped = raw.ptr[0] == '%' ? percent_value(raw) : -1;
        char c = escaped < 0 ? raw.ptr[0] : (char)escaped;
        if (len == KEY_LEN_MAX)
            return (struct str){0}; /* longer than any key */
        to[len++] = c == '/' ? '\0' : c;
        raw = str_skip(raw, escaped < 0 ? 1 : 3);
    }
    return (struct str){to, len};
}

static bool is_stripped(const struct query_keys *keys, struct str pair)
{
    char text[KEY_LEN_MAX];
    struct str name = name_of(pair, text);

    for (size_t i = 0; i < keys->count && name.len; i++) {
        struct str key = keys->key[i];
        /* Most names differ from a key in their first letter. */
        if ((key.ptr[0] == name.ptr[0] || strchr("*?\\", key.ptr[0])) &&
            glob_matches(key, name))
            return true;
    }
    return false;
}

/* Write the pairs that stay; return how many do not. */
static size_t put_pairs(const struct query_keys *keys, struct str query,
                        char **to)
{
    size_t stripped = 0;
    bool more = true, first = true;

    while (more) {
        struct str_pair cut = str_cut(query, '&');
        more = cut.tail.ptr != NULL;
        query = cut.tail;
        if (is_stripped(keys, cut.head)) {
            stripped++;
            continue;
        }
        if (!first)
            *(*to)++ = '&';
        first = false;
        memcpy(*to, cut.head.ptr, cut.head.len);
        *to += cut.head.len;
    }
    return stripped;
}

bool query_strip(const struct query_keys *keys, struct url *url,
                 struct arena *arena)
{
    struct str query = url_query(url);

    if (!query.len)
        return false;
    char *start = arena_reserve(arena, url->href.len + 1);
    char *pairs = start + url->path_end + 1, *to = pairs;
    if (!put_pairs(keys, query, &to))
        return false; /* what was reserved is not used */
    memcpy(start, url->href.ptr, (size_t)url->path_end + 1);
    if (to == pairs)
        to--; /* the '?' */
    *to = '\0';
    url->href = str_between(start, to);
    arena_commit(arena, url->href.len + 1);
    return true;
}

/* ---- the form of the course --------------------------------------------- */

/* It may be there already: in a URL that was relative to a normalised one. */
static bool lacks_written_port(const struct url *url)
{
    return url->default_port_written && url->host_end == url->path_start &&
           url->href.len + sizeof(":443") - 1 <= URL_LEN_MAX;
}

static char *put(char *to, struct str s)
{
    memcpy(to, s.ptr, s.len);
    return to + s.len;
}

static void rewrite(struct url *url, struct arena *arena)
{
    struct str old = url->href, path = url_path(url);
    char *start = arena_reserve(arena, old.len + sizeof(":443"));
    char *to = put(start, str_first(old, url->path_start));

    if (lacks_written_port(url))
        to = put(to, url->https ? STR(":443") : STR(":80"));
    size_t path_start = (size_t)(to - start);
    for (size_t i = 0; i < path.len; i++)
        if (path.ptr[i] != '/' || i == 0 || path.ptr[i - 1] != '/')
            *to++ = path.ptr[i];
    size_t path_end = (size_t)(to - start);
    to = put(to, str_skip(old, url->path_end));
    *to = '\0';

    url->href = str_between(start, to);
    url->path_start = (uint16_t)path_start;
    url->path_end = (uint16_t)path_end;
    arena_commit(arena, url->href.len + 1);
}

bool course_normalize(struct url *url, struct arena *arena)
{
    struct str path = url_path(url);

    if (lacks_written_port(url) || memmem(path.ptr, path.len, "//", 2))
        rewrite(url, arena);

    struct str name =
        str_skip(str_first(url->href, url->path_end), url_directory(url).len);
    const char *dot = name.len ? memrchr(name.ptr, '.', name.len) : NULL;
    if (!dot)
        return true;
    struct str extension = str_between(dot + 1, name.ptr + name.len);
    return !extension.len || str_starts(extension, STR("htm"));
}

/* ---- the key ------------------------------------------------------------ */

bool url_has_final_dot(const struct url *url)
{
    struct str host = url_host(url);

    return domain_trim_dot(host).len < host.len;
}

static bool has_empty_query(const struct url *url)
{
    return url->path_end + (size_t)1 == url->href.len;
}

/* Whether a hexadecimal digit at the end of the text so far would complete
 * an escape. The text starts with a scheme, so there is something to look
 * back at. */
static bool would_join_escape(const char *end)
{
    // NOLINTNEXTLINE(clang-analyzer-core.UndefinedBinaryOperatorResult)
    return end[-1] == '%' || (end[-2] == '%' && hex_value(end[-1]) >= 0);
}

/* Rules 2 and 3. */
static char *put_escapes(char *to, struct str from)
{
    const char *at = from.ptr, *end = from.ptr + from.len;

    while (at < end) {
        int value = *at == '%' ? percent_value(str_between(at, end)) : -1;
        char c = (char)value;
        if (value < 0) {
            *to++ = *at++;
            continue;
        }
        if (percent_is_unreserved(c) &&
            !(hex_value(c) >= 0 && would_join_escape(to)))
            *to++ = c;
        else
            to = percent_put(to, (unsigned char)c);
        at += 3;
    }
    return to;
}

size_t url_key(const struct url *url, char to[static URL_LEN_MAX])
{
    size_t head_len = url->host_end - (url_has_final_dot(url) ? 1u : 0u);
    size_t end = url->href.len - (has_empty_query(url) ? 1u : 0u);
    struct str tail = {url->href.ptr + url->host_end, end - url->host_end};
    char *start = to;

    to = put_escapes(to, str_first(url->href, head_len));
    to = put_escapes(to, tail);
    return (size_t)(to - start);
}

uint64_t url_fingerprint(const struct url *url, uint64_t seed)
{
    char key[URL_LEN_MAX];

    /* None of the rules can change anything. */
    if (!url_has_final_dot(url) && !has_empty_query(url) &&
        !memchr(url->href.ptr, '%', url->href.len))
        return hash64(url->href, seed);
    size_t len = url_key(url, key);
    // cppcheck-suppress legacyUninitvar ; written by url_key
    return hash64((struct str){key, len}, seed);
}
