#include "page/cookie.h"

#include "base/date.h"
#include "web/host.h"

/* --- matching ------------------------------------------------------------ */

static bool is_address(struct str host)
{
    return !host.len || host.ptr[0] == '[' || ipv4_is_meant(host);
}

bool cookie_domain_matches(struct str host, struct str domain)
{
    if (str_eq_nocase(host, domain))
        return true;
    if (is_address(host) || host.len <= domain.len || !domain.len)
        return false;
    size_t before = host.len - domain.len;
    return host.ptr[before - 1] == '.' &&
           str_eq_nocase(str_skip(host, before), domain);
}

bool cookie_path_matches(struct str path, struct str cookie_path)
{
    if (!str_starts(path, cookie_path))
        return false;
    return path.len == cookie_path.len || str_ends(cookie_path, STR("/")) ||
           path.ptr[cookie_path.len] == '/';
}

/* The path of the URL before its last '/'; "/" if that is empty. */
static struct str default_path(const struct url *url)
{
    struct str path = url_path(url);

    while (path.len > 1 && path.ptr[path.len - 1] != '/')
        path.len--;
    return path.len > 1 ? str_first(path, path.len - 1) : STR("/");
}

/* --- attributes ---------------------------------------------------------- */

struct attributes {
    struct str domain, path;
    uint64_t expires_s, max_age_s; /* as times; Max-Age counts before Expires */
    bool has_expires, has_max_age;
    bool secure, http_only, is_for_all_sites; /* SameSite=None */
};

static uint64_t no_later(uint64_t time_s, uint64_t now_s)
{
    return time_s < now_s + COOKIE_AGE_MAX_S ? time_s
                                             : now_s + COOKIE_AGE_MAX_S;
}

static void read_max_age(struct attributes *attributes, struct str value,
                         uint64_t now_s)
{
    bool is_negative = str_starts(value, STR("-"));
    struct str digits = is_negative ? str_skip(value, 1) : value;
    uint64_t age_s = COOKIE_AGE_MAX_S;

    for (size_t i = 0; i < digits.len; i++)
        if (!ascii_is_digit(digits.ptr[i]))
            return;
    if (!digits.len)
        return;
    /* A number that is too large is a long time. */
    if (digits.len < 10)
        str_to_u64(digits, &age_s);
    attributes->has_max_age = true;
    attributes->max_age_s = is_negative ? 0 : no_later(now_s + age_s, now_s);
    if (!is_negative && !age_s)
        attributes->max_age_s = 0;
}

static void read_attribute(struct attributes *attributes, struct str name,
                           struct str value, uint64_t now_s)
{
    uint64_t expires_ms;

    if (str_eq_nocase(name, STR("expires"))) {
        if (date_read_cookie(value, &expires_ms)) {
            attributes->expires_s = no_later(expires_ms / 1000, now_s);
            attributes->has_expires = true;
        }
    } else if (str_eq_nocase(name, STR("max-age"))) {
        read_max_age(attributes, value, now_s);
    } else if (str_eq_nocase(name, STR("domain"))) {
        attributes->domain =
            str_starts(value, STR(".")) ? str_skip(value, 1) : value;
    } else if (str_eq_nocase(name, STR("path"))) {
        attributes->path =
            str_starts(value, STR("/")) ? value : (struct str){0};
    } else if (str_eq_nocase(name, STR("secure"))) {
        attributes->secure = true;
    } else if (str_eq_nocase(name, STR("httponly"))) {
        attributes->http_only = true;
    } else if (str_eq_nocase(name, STR("samesite"))) {
        attributes->is_for_all_sites = str_eq_nocase(value, STR("none"));
    }
}

static struct attributes read_attributes(struct str text, uint64_t now_s)
{
    struct attributes attributes = {0};

    while (text.len) {
        struct str_pair cut = str_cut(text, ';');
        struct str_pair pair = str_cut(cut.head, '=');
        struct str value = str_trim(pair.tail);
        if (value.len <= COOKIE_ATTRIBUTE_MAX)
            read_attribute(&attributes, str_trim(pair.head), value, now_s);
        text = cut.tail;
    }
    return attributes;
}

/* --- the cookie ---------------------------------------------------------- */

static void set_name(struct cookie *cookie, struct str pair)
{
    struct str_pair cut = str_cut(pair, '=');
    bool has_name = cut.tail.ptr != NULL;

    cookie->name = has_name ? str_trim(cut.head) : STR("");
    cookie->value = str_trim(has_name ? cut.tail : cut.head);
}

/* A cookie for a whole public suffix would be for sites of strangers. */
static bool set_domain(struct cookie *cookie, struct str domain,
                       struct str host, const struct domains *domains)
{
    cookie->host_only = true;
    cookie->domain = host;
    if (!domain.len)
        return true;
    if (!cookie_domain_matches(host, domain))
        return false;
    domain = str_skip(host, host.len - domain.len); /* in small letters */
    if (domain_is_public_suffix(domains, domain))
        return domain.len == host.len;
    cookie->host_only = is_address(host);
    cookie->domain = domain;
    return true;
}

/* Names that promise something must keep it; a value without a name must not
 * look like one of them. */
static bool keeps_promise(const struct cookie *cookie,
                          const struct attributes *attributes)
{
    struct str name = cookie->name.len ? cookie->name : cookie->value;
    bool is_host = str_starts_nocase(name, STR("__Host-"));
    bool is_secure = str_starts_nocase(name, STR("__Secure-"));

    if (!is_host && !is_secure)
        return true;
    return cookie->name.len && cookie->secure &&
           (!is_host || (cookie->host_only && !attributes->domain.len &&
                         str_eq(attributes->path, STR("/"))));
}

bool cookie_parse(struct cookie *cookie, struct str header,
                  const struct url *url, const struct domains *domains,
                  uint64_t now_s)
{
    struct str_pair cut = str_cut(header, ';');
    struct attributes attributes = read_attributes(cut.tail, now_s);

    *cookie = (struct cookie){
        .secure = attributes.secure,
        .http_only = attributes.http_only,
        .path = attributes.path.len ? attributes.path : default_path(url),
        .is_session = !attributes.has_expires && !attributes.has_max_age,
        .expires_s = attributes.has_max_age ? attributes.max_age_s
                                            : attributes.expires_s,
    };
    set_name(cookie, cut.head);
    if (!str_is_clean(header) || url_host(url).len > COOKIE_DOMAIN_MAX ||
        cookie->path.len > COOKIE_ATTRIBUTE_MAX ||
        !(cookie->name.len + cookie->value.len) ||
        cookie->name.len + cookie->value.len > COOKIE_BYTES_MAX)
        return false;
    /* A Secure cookie must come by https. */
    if (cookie->secure && !url->https)
        return false;
    if (attributes.is_for_all_sites && !cookie->secure)
        return false;
    return set_domain(cookie, attributes.domain, url_host(url), domains) &&
           keeps_promise(cookie, &attributes);
}
