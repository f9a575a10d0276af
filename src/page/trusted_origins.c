#include "page/trusted_origins.h"

#include "base/buf.h"
#include "base/hashtable.h"

void origins_init(struct trusted_origins *origins)
{
    *origins = (struct trusted_origins){0};
    hashtable_init(&origins->login_table);
    origins->last_login = &origins->logins;
    origins->last_rule = &origins->rules;
    arena_init(&origins->arena);
}

void origins_release(struct trusted_origins *origins)
{
    nameset_release(&origins->hosts);
    hashtable_release(&origins->login_table);
    arena_release(&origins->arena);
    *origins = (struct trusted_origins){0};
}

/* In the set a host is there with 0, and with the number of each of its
 * origins. */
enum { ANY_ORIGIN = 0, IS_ORIGIN = 1 << 17, IS_HTTPS = 1 << 16 };

static uint32_t origin_number(bool https, uint16_t port)
{
    return IS_ORIGIN | (https ? (uint32_t)IS_HTTPS : 0u) | port;
}

/* "example.org." is the host "example.org". */
static struct str without_dot(struct str host)
{
    return str_ends(host, STR(".")) ? str_first(host, host.len - 1) : host;
}

void origins_add(struct trusted_origins *origins, const struct url *url)
{
    struct str host = arena_copy(&origins->arena, url_host(url));

    nameset_add(&origins->hosts, without_dot(host), ANY_ORIGIN);
    nameset_add(&origins->hosts, host, origin_number(url->https, url->port));
}

/* Up to the next ':' that is not inside "[...]". */
static bool cut_part(struct str *rest, struct str *part)
{
    size_t from = 0;

    if (rest->len && rest->ptr[0] == '[') {
        from = str_find(*rest, ']');
        if (from == rest->len)
            return false;
    }
    size_t at = from + str_find(str_skip(*rest, from), ':');
    *part = str_first(*rest, at);
    if (at == rest->len)
        return false;
    *rest = str_skip(*rest, at + 1);
    return true;
}

static bool is_port(struct str port)
{
    uint64_t value;

    return !port.len || (str_to_u64(port, &value) && value <= 65535);
}

/* The host as parsed URLs have it: "bücher.example" is "xn--...". */
static bool parse_host(struct trusted_origins *origins, struct str *host)
{
    struct buf text;
    struct url url;

    if (!host->len)
        return true;
    for (const char *end = "/\\?#@"; *end; end++)
        if (str_find(*host, *end) < host->len)
            return false;
    buf_init(&text, URL_LEN_MAX);
    bool good = buf_put(&text, STR("http://")) && buf_put(&text, *host) &&
                buf_put(&text, STR("/")) &&
                !url_parse(&url, &origins->arena, buf_str(&text), NULL, NULL);
    buf_release(&text);
    if (good)
        *host = url_host(&url);
    return good;
}

/* libcurl compares the letters of hosts, so it gets them as parsed. */
static void add_rule(struct trusted_origins *origins, struct connect_rule rule)
{
    struct connect_rule *entry = arena_new(&origins->arena, sizeof(*entry));
    struct buf text;

    buf_init(&text, SIZE_MAX);
    buf_put(&text, rule.from_host);
    buf_put_char(&text, ':');
    buf_put(&text, rule.from_port);
    buf_put_char(&text, ':');
    buf_put(&text, rule.to_host);
    buf_put_char(&text, ':');
    buf_put(&text, rule.to_port);
    rule.text = arena_copy(&origins->arena, buf_str(&text));
    buf_release(&text);
    *entry = rule;
    *origins->last_rule = entry;
    origins->last_rule = &entry->next;
}

bool origins_add_connect_to(struct trusted_origins *origins, struct str text)
{
    struct connect_rule rule = {0};
    struct str rest = arena_copy(&origins->arena, text);

    if (!cut_part(&rest, &rule.from_host) ||
        !cut_part(&rest, &rule.from_port) || !cut_part(&rest, &rule.to_host))
        return false;
    rule.to_port = rest;
    if (!is_port(rule.from_port) || !is_port(rule.to_port) ||
        !parse_host(origins, &rule.from_host))
        return false;
    add_rule(origins, rule);
    return true;
}

static struct str without_final_dot(struct str host)
{
    return str_first(host, host.len - str_ends(host, STR(".")));
}

/* A dot at the end makes no other host, as libcurl sees it too. */
static bool rule_fits(const struct connect_rule *rule, struct str host,
                      uint16_t port)
{
    uint64_t from_port;

    if (rule->from_host.len &&
        !str_eq_nocase(without_final_dot(rule->from_host),
                       without_final_dot(host)))
        return false;
    return !str_to_u64(rule->from_port, &from_port) || from_port == port;
}

/* The rule that applies to this URL, or NULL. */
static const struct connect_rule *
find_rule(const struct trusted_origins *origins, struct str host, uint16_t port)
{
    const struct connect_rule *rule = origins->rules;

    /* A rule that changes nothing does not count. */
    while (rule && !(rule_fits(rule, host, port) &&
                     (rule->to_host.len || rule->to_port.len)))
        rule = rule->next;
    return rule;
}

struct str origins_connect_host(const struct trusted_origins *origins,
                                struct str host, uint16_t port)
{
    const struct connect_rule *rule = find_rule(origins, host, port);

    return rule && rule->to_host.len ? rule->to_host : host;
}

bool origins_has_rule(const struct trusted_origins *origins,
                      const struct url *url)
{
    return find_rule(origins, url_host(url), url->port);
}

struct str origins_connect_port(const struct trusted_origins *origins,
                                struct str host, uint16_t port)
{
    const struct connect_rule *rule = find_rule(origins, host, port);

    return rule ? rule->to_port : (struct str){0};
}

bool origins_get_secrets(const struct trusted_origins *origins,
                         const struct url *url)
{
    struct str host = url_host(url);

    if (nameset_has(&origins->hosts, host,
                    origin_number(url->https, url->port)))
        return true;
    return url->https && url->port == 443 &&
           nameset_has(&origins->hosts, host, origin_number(false, 80));
}

/* --- logins ------------------------------------------------------------- */

static const struct origin_login *
find_login(const struct trusted_origins *origins, const struct url *url)
{
    uint32_t number = origin_number(url->https, url->port);
    const struct origin_login *found =
        hashtable_get(&origins->login_table, hash64(url_host(url), number));

    /* Two hosts with the same hash must not share a password. */
    return found && found->number == number &&
                   str_eq(found->host, url_host(url))
               ? found
               : NULL;
}

bool origins_add_login(struct trusted_origins *origins, const struct url *url,
                       const struct login *login)
{
    const struct origin_login *old = find_login(origins, url);
    struct arena *arena = &origins->arena;
    struct origin_login *entry;

    if (old)
        return login_eq(&old->login, login);
    entry = arena_new(arena, sizeof(*entry));
    *entry = (struct origin_login){
        .host = arena_copy(arena, url_host(url)),
        .origin = url_origin(url, arena),
        .number = origin_number(url->https, url->port),
        .login.name = arena_copy(arena, login->name),
        .login.password = arena_copy(arena, login->password),
    };
    hashtable_put(&origins->login_table, hash64(entry->host, entry->number),
                  entry);
    *origins->last_login = entry;
    origins->last_login = &entry->next;
    return true;
}

const struct login *origins_login(const struct trusted_origins *origins,
                                  const struct url *url)
{
    const struct origin_login *found =
        origins->logins ? find_login(origins, url) : NULL;

    return found ? &found->login : NULL;
}

/* --- private addresses -------------------------------------------------- */

bool origins_allow_private(const struct trusted_origins *origins,
                           struct str host, uint16_t port)
{
    const struct connect_rule *rule = find_rule(origins, host, port);

    /* A rule without a host changes only the port. */
    return (rule && rule->to_host.len) ||
           nameset_has(&origins->hosts, without_dot(host), ANY_ORIGIN);
}
