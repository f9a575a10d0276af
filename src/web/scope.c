#include "web/scope.h"

#include <assert.h>
#include <stdlib.h>

#include "base/hashtable.h"
#include "base/mem.h"

/* ---- sets of names ------------------------------------------------------ */

void nameset_release(struct nameset *set)
{
    void *entry;

    for (size_t at = 0; (entry = hashtable_next(&set->entries, &at));)
        free(entry);
    hashtable_release(&set->entries);
    set->longest = 0;
}

void nameset_add(struct nameset *set, struct str name, uint32_t number)
{
    uint64_t hash = hash64(name, number);

    if (hashtable_get(&set->entries, hash))
        return;
    struct nameset_entry *entry = NEW(struct nameset_entry);
    *entry = (struct nameset_entry){name, number};
    hashtable_put(&set->entries, hash, entry);
    if (name.len > set->longest)
        set->longest = name.len;
}

/* The hash has no secret in it, so the name is compared too: nobody can make up
 * another that passes for one of the set. */
bool nameset_has(const struct nameset *set, struct str name, uint32_t number)
{
    if (!set->entries.count || name.len > set->longest)
        return false;
    const struct nameset_entry *entry =
        hashtable_get(&set->entries, hash64(name, number));
    return entry && entry->number == number && str_eq(entry->name, name);
}

/* ---- rules -------------------------------------------------------------- */

/* Rules of one kind are one set. A directory is found by looking up the URL
 * up to each of its slashes, a domain by looking up the host's name from each
 * of its labels on; no further than the longest name in the set, so that a
 * hostile URL of many slashes or dots costs no more than others. Prefixes
 * that do not end with '/' are few and written by hand: an array. */
struct scope {
    const struct domains *domains;
    struct arena names;
    bool any;
    struct str *prefixes;
    size_t prefix_count, prefix_room;
    struct nameset directories;  /* hrefs, each ending with '/' */
    struct nameset hosts;        /* number: port_class */
    struct nameset names_inside; /* the hosts of domain rules' seeds */
    struct nameset registrable;  /* the domains of domain rules */
};

static const char *const kind_names[] = {
    [SCOPE_PREFIX] = "prefix",
    [SCOPE_HOST] = "host",
    [SCOPE_DOMAIN] = "domain",
    [SCOPE_ANY] = "any",
};
static_assert(ARRAY_LEN(kind_names) == SCOPE_KINDS, "every kind has a name");

const char *scope_kind_name(enum scope_kind kind)
{
    return kind_names[kind];
}

struct scope *scope_new(const struct domains *domains)
{
    struct scope *scope = NEW(struct scope);

    scope->domains = domains;
    arena_init(&scope->names);
    return scope;
}

void scope_free(struct scope *scope)
{
    if (!scope)
        return;
    nameset_release(&scope->directories);
    nameset_release(&scope->hosts);
    nameset_release(&scope->names_inside);
    nameset_release(&scope->registrable);
    free(scope->prefixes);
    arena_release(&scope->names);
    free(scope);
}

/* 0 for the default ports, so that http and https are the same place. */
static uint32_t port_class(const struct url *url)
{
    return url->port == (url->https ? 443 : 80) ? 0 : url->port;
}

static void add_name(struct scope *scope, struct nameset *set, struct str name,
                     uint32_t number)
{
    if (!nameset_has(set, name, number))
        nameset_add(set, arena_copy(&scope->names, name), number);
}

static void add_prefix(struct scope *scope, struct str href)
{
    if (href.ptr[href.len - 1] == '/') {
        add_name(scope, &scope->directories, href, 0);
        return;
    }
    scope->prefixes = mem_grow(scope->prefixes, scope->prefix_count,
                               &scope->prefix_room, sizeof(*scope->prefixes));
    scope->prefixes[scope->prefix_count++] = arena_copy(&scope->names, href);
}

void scope_add_prefix(struct scope *scope, const struct url *prefix)
{
    add_prefix(scope, prefix->href);
}

void scope_add_seed(struct scope *scope, enum scope_kind kind,
                    const struct url *seed)
{
    struct str host = domain_trim_dot(url_host(seed));

    switch (kind) {
    case SCOPE_PREFIX:
        add_prefix(scope, url_directory(seed));
        break;
    case SCOPE_HOST:
        add_name(scope, &scope->hosts, host, port_class(seed));
        break;
    case SCOPE_DOMAIN:
        add_name(scope, &scope->names_inside, host, 0);
        add_name(scope, &scope->registrable,
                 domain_of_host(scope->domains, host), 0);
        break;
    case SCOPE_ANY:
    case SCOPE_KINDS:
        scope->any = true;
        break;
    }
}

/* ---- questions ---------------------------------------------------------- */

static bool in_directory(const struct scope *scope, const struct url *url)
{
    size_t end = scope->directories.longest;

    if (end > url->href.len)
        end = url->href.len;
    for (size_t i = url->path_start; i < end; i++)
        if (url->href.ptr[i] == '/' &&
            nameset_has(&scope->directories, str_first(url->href, i + 1), 0))
            return true;
    return false;
}

static bool has_prefix(const struct scope *scope, const struct url *url)
{
    for (size_t i = 0; i < scope->prefix_count; i++)
        if (str_starts(url->href, scope->prefixes[i]))
            return true;
    return false;
}

/* Whether `host` ends with a domain of the set, at a label's start. */
static bool ends_with_domain(const struct nameset *set, struct str host)
{
    size_t start = host.len > set->longest ? host.len - set->longest : 0;

    for (size_t i = start; i < host.len; i++)
        if ((i == 0 || host.ptr[i - 1] == '.') &&
            nameset_has(set, str_skip(host, i), 0))
            return true;
    return false;
}

static bool in_domain(const struct scope *scope, struct str host)
{
    if (nameset_has(&scope->names_inside, host, 0))
        return true;
    if (!ends_with_domain(&scope->registrable, host))
        return false;

    /* A public suffix may lie below a domain ("user.github.io"), so the list
     * is asked; last, because it is what takes time. */
    struct str domain = domain_of_host(scope->domains, host);
    return nameset_has(&scope->registrable, domain, 0);
}

bool scope_contains(const struct scope *scope, const struct url *url)
{
    struct str host = domain_trim_dot(url_host(url));

    return scope->any || in_directory(scope, url) || has_prefix(scope, url) ||
           nameset_has(&scope->hosts, host, port_class(url)) ||
           in_domain(scope, host);
}

static struct str domain_of(const struct scope *scope, const struct url *url)
{
    return domain_of_host(scope->domains, domain_trim_dot(url_host(url)));
}

bool scope_may_move(const struct scope *scope, const struct url *from,
                    const struct url *to)
{
    bool is_elsewhere = from->https != to->https ||
                        !str_eq(url_host_port(from), url_host_port(to));

    return is_elsewhere && port_class(from) == port_class(to) &&
           str_eq(domain_of(scope, from), domain_of(scope, to));
}

/* ---- for people --------------------------------------------------------- */

enum { NAMES_SHOWN = 5 };

static void put_name(struct buf *out, const char *what, size_t shown,
                     struct str name)
{
    if (shown < NAMES_SHOWN)
        buf_printf(out, "%s%s%.*s", shown || !out->len ? "" : "; ",
                   shown ? ", " : what, (int)name.len, name.ptr);
    else if (shown == NAMES_SHOWN)
        buf_put(out, STR(" and others"));
}

static void put_set(struct buf *out, const char *what,
                    const struct nameset *set)
{
    const struct nameset_entry *entry;
    size_t shown = 0;

    for (size_t at = 0; shown <= NAMES_SHOWN &&
                        (entry = hashtable_next(&set->entries, &at));) {
        put_name(out, what, shown++, entry->name);
        if (entry->number && shown <= NAMES_SHOWN)
            buf_printf(out, ":%u", (unsigned)entry->number);
    }
}

void scope_describe(const struct scope *scope, struct buf *out)
{
    put_set(out, "what begins with ", &scope->directories);
    for (size_t i = 0; i < scope->prefix_count; i++)
        put_name(out, "what begins with ", i, scope->prefixes[i]);
    put_set(out, "the host ", &scope->hosts);
    put_set(out, "the domain ", &scope->registrable);
    if (scope->any)
        put_name(out, "everything", 0, STR(""));
}
