#include "page/proxies.h"

#include <arpa/inet.h>

#include "web/domain.h"

static const char *first_set(char *(*get)(const char *name), const char *one,
                             const char *other)
{
    const char *value = get(one);

    if (!value || !value[0])
        value = other ? get(other) : NULL;
    return value && value[0] ? value : NULL;
}

struct proxies proxies_of_environment(char *(*get)(const char *name))
{
    const char *all = first_set(get, "all_proxy", "ALL_PROXY");
    const char *http = first_set(get, "http_proxy", NULL);
    const char *https = first_set(get, "https_proxy", "HTTPS_PROXY");

    return (struct proxies){
        .http = http ? http : all,
        .https = https ? https : all,
        .except = first_set(get, "no_proxy", "NO_PROXY"),
    };
}

/* --- exceptions ---------------------------------------------------------- */

/* An address in network order; the number of its bytes, or 0. */
static size_t read_address(struct str text, unsigned char bytes[16])
{
    char name[INET6_ADDRSTRLEN];

    if (text.len >= 2 && text.ptr[0] == '[')
        text = str_first(str_skip(text, 1), text.len - 2);
    if (text.len >= sizeof(name))
        return 0;
    memcpy(name, text.ptr, text.len);
    name[text.len] = '\0';
    if (inet_pton(AF_INET, name, bytes) == 1)
        return 4;
    return inet_pton(AF_INET6, name, bytes) == 1 ? 16 : 0;
}

/* "192.0.2.0/24", or one address. */
static bool has_address(struct str network, const unsigned char *address,
                        size_t len)
{
    struct str_pair cut = str_cut(network, '/');
    unsigned char first[16];
    uint64_t bits = 8 * len;

    if (read_address(cut.head, first) != len ||
        (cut.tail.ptr && (!str_to_u64(cut.tail, &bits) || bits > 8 * len)))
        return false;
    size_t whole = bits / 8;
    unsigned char mask = (unsigned char)(0xff00 >> bits % 8);
    return !memcmp(first, address, whole) &&
           (bits % 8 == 0 || !((first[whole] ^ address[whole]) & mask));
}

/* The name itself and all below it; a dot before it means nothing. */
static bool has_name(struct str name, struct str host)
{
    name = domain_trim_dot(name);
    if (str_starts(name, STR(".")))
        name = str_skip(name, 1);
    if (!name.len || host.len < name.len)
        return false;
    size_t before = host.len - name.len;
    return str_eq_nocase(str_skip(host, before), name) &&
           (!before || host.ptr[before - 1] == '.');
}

static bool is_separator(char c)
{
    return c == ',' || ascii_is_space(c);
}

static bool is_exception(struct str list, struct str host)
{
    unsigned char address[16];
    size_t len = read_address(host, address);
    size_t at = 0;

    while (at < list.len) {
        size_t start = at;
        while (at < list.len && !is_separator(list.ptr[at]))
            at++;
        struct str word = {list.ptr + start, at - start};
        if (str_eq(word, STR("*")) ||
            (len ? has_address(word, address, len) : has_name(word, host)))
            return true;
        at++;
    }
    return false;
}

const char *proxies_for(const struct proxies *proxies, const struct url *url)
{
    struct str host = domain_trim_dot(url_host(url));

    if (proxies->except && is_exception(str_of(proxies->except), host))
        return NULL;
    return url->https ? proxies->https : proxies->http;
}
