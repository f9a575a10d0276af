#include "url/query.h"

#include <stdlib.h>

#include "base/mem.h"
#include "url/glob.h"

enum { KEY_LEN_MAX = 200, KEYS_MAX = 1000 };

struct query_keys {
    struct arena names;
    struct str *key;
    size_t count, room;
};

/* Keys of Google Analytics and Ads, Facebook, Microsoft, Yandex, X, TikTok,
 * LinkedIn, Instagram, Mailchimp, HubSpot, Marketo, Vero, Omeda, Adobe,
 * Pinterest, Matomo. The man page lists them. */
static struct str tracking_keys(void)
{
    return STR("utm_* gclid gclsrc dclid gbraid wbraid srsltid _ga _gl fbclid "
               "msclkid yclid ysclid twclid ttclid li_fat_id igshid igsh "
               "mc_cid mc_eid _hsenc _hsmi hsCtaTracking mkt_tok vero_id "
               "oly_anon_id oly_enc_id s_cid epik mtm_* pk_*");
}

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
            if (!add_list(keys, tracking_keys(), ' ', fault))
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

/* --- taking them out ---------------------------------------------------- */

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

/* Most names differ from a key in their first letter. */
static bool may_match(struct str key, struct str name)
{
    return key.ptr[0] == name.ptr[0] || strchr("*?\\", key.ptr[0]);
}

static bool is_stripped(const struct query_keys *keys, struct str pair)
{
    char text[KEY_LEN_MAX];
    struct str name = name_of(pair, text);

    for (size_t i = 0; i < keys->count && name.len; i++)
        if (may_match(keys->key[i], name) && glob_matches(keys->key[i], name))
            return true;
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
