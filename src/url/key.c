#include "url/key.h"

#include "base/hash.h"
#include "url/domain.h"

static bool is_unreserved(char c)
{
    return ascii_is_alnum(c) || c == '-' || c == '.' || c == '_' || c == '~';
}

bool url_has_final_dot(const struct url *url)
{
    struct str host = url_host(url);

    return domain_trim_dot(host).len < host.len;
}

static bool has_empty_query(const struct url *url)
{
    return url->path_end + (size_t)1 == url->href.len;
}

/* Whether none of the rules can change anything. */
static bool is_own_key(const struct url *url)
{
    return !url_has_final_dot(url) && !has_empty_query(url) &&
           !memchr(url->href.ptr, '%', url->href.len);
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
    static const char digits[] = "0123456789ABCDEF";
    const char *at = from.ptr, *end = from.ptr + from.len;

    while (at < end) {
        int high = -1, low = -1;
        if (*at == '%' && end - at > 2) {
            high = hex_value(at[1]);
            low = hex_value(at[2]);
        }
        if (high < 0 || low < 0) {
            *to++ = *at++;
            continue;
        }
        char c = (char)(high << 4 | low);
        if (is_unreserved(c) && !(hex_value(c) >= 0 && would_join_escape(to))) {
            *to++ = c;
        } else {
            *to++ = '%';
            *to++ = digits[high];
            *to++ = digits[low];
        }
        at += 3;
    }
    return to;
}

static size_t write_key(const struct url *url, char *to)
{
    size_t head_len = url->host_end - (url_has_final_dot(url) ? 1u : 0u);
    size_t end = url->href.len - (has_empty_query(url) ? 1u : 0u);
    struct str tail = {url->href.ptr + url->host_end, end - url->host_end};
    char *start = to;

    to = put_escapes(to, str_first(url->href, head_len));
    to = put_escapes(to, tail);
    return (size_t)(to - start);
}

struct str url_key(const struct url *url, struct arena *arena)
{
    if (is_own_key(url))
        return url->href;

    char *to = arena_reserve(arena, url->href.len + 1);
    size_t len = write_key(url, to);
    to[len] = '\0';
    arena_commit(arena, len + 1);
    return (struct str){to, len};
}

uint64_t url_fingerprint(const struct url *url, uint64_t seed)
{
    char key[URL_LEN_MAX];

    if (is_own_key(url))
        return hash64(url->href, seed);
    size_t len = write_key(url, key);
    // cppcheck-suppress legacyUninitvar ; written by write_key
    return hash64((struct str){key, len}, seed);
}
