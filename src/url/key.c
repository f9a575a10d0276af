#include "url/key.h"

#include "base/hash.h"
#include "url/domain.h"

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

    if (is_own_key(url))
        return hash64(url->href, seed);
    size_t len = url_key(url, key);
    // cppcheck-suppress legacyUninitvar ; written by url_key
    return hash64((struct str){key, len}, seed);
}
