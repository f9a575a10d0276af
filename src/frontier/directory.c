#include <stdlib.h>

#include "base/hash.h"
#include "base/mem.h"
#include "frontier/internal.h"
#include "url/key.h"

/* "example.org" or "example.org:8080": http and https at their default ports
 * are one host, and so is "example.org." with a final dot. */
struct name {
    struct str text;
    char without_dot[URL_LEN_MAX];
};

static struct str name_of(const struct url *url, struct name *name)
{
    const char *start = url->href.ptr + url->host_start;
    const char *end = url->href.ptr + url->path_start;

    name->text = str_between(start, end);
    if (url_has_final_dot(url)) {
        size_t len = url_host(url).len - 1;
        struct str port = str_skip(name->text, len + 1);
        memcpy(name->without_dot, start, len);
        memcpy(name->without_dot + len, port.ptr, port.len);
        name->text = (struct str){name->without_dot, len + port.len};
    }
    return name->text;
}

static uint64_t key_of(const struct frontier *frontier, struct str name)
{
    return hash64(name, frontier->options.hash_seed);
}

struct host *host_known(const struct frontier *frontier, const struct url *url)
{
    struct name name;

    return hashtable_get(&frontier->hosts,
                         key_of(frontier, name_of(url, &name)));
}

struct domain *domain_known(const struct frontier *frontier,
                            const struct url *url)
{
    const struct host *host = host_known(frontier, url);

    if (host)
        return host->domain;
    struct str name = domain_of_host(frontier->options.domains, url_host(url));
    return hashtable_get(&frontier->domains, key_of(frontier, name));
}

struct domain *domain_named(struct frontier *frontier, struct str name)
{
    uint64_t key = key_of(frontier, name);
    struct domain *domain = hashtable_get(&frontier->domains, key);

    if (domain)
        return domain;
    domain = domain_new(&frontier->domain_arena, name);
    hashtable_put(&frontier->domains, key, domain);
    return domain;
}

struct domain *domain_for(struct frontier *frontier, const struct url *url)
{
    return domain_named(
        frontier, domain_of_host(frontier->options.domains, url_host(url)));
}

void count_host(struct frontier *frontier, const struct url *url)
{
    struct name name;

    seen_add(&frontier->hosts_seen, key_of(frontier, name_of(url, &name)));
}

/* For when its host is met: whoever has answered is there. */
void remember_answer(struct frontier *frontier, const struct url *url)
{
    struct name name;

    seen_add(&frontier->answered[url->https],
             key_of(frontier, name_of(url, &name)));
}

struct host *host_for(struct frontier *frontier, const struct url *url)
{
    struct host *host = host_known(frontier, url);
    struct name name;

    if (host)
        return host;
    host = host_new(name_of(url, &name), domain_for(frontier, url),
                    frontier->ranks);
    host->key = key_of(frontier, name.text);
    host->resolved = !frontier->options.resolve;
    for (size_t i = 0; i < ARRAY_LEN(host->answered); i++)
        host->answered[i] = seen_has(&frontier->answered[i], host->key);
    count_host(frontier, url);
    hashtable_put(&frontier->hosts, host->key, host);
    return host;
}

/* --- addresses ---------------------------------------------------------- */

void address_free_unused(struct frontier *frontier, struct address *address)
{
    if (address->hosts || address->in_flight || heap_has(&address->node))
        return;
    hashtable_take(&frontier->addresses, address->key);
    heap_release(&address->lots);
    free(address);
}

void host_move_to(struct frontier *frontier, struct host *host,
                  const struct ip *ip)
{
    uint64_t key = key_of(
        frontier, (struct str){(const char *)ip->byte, sizeof(ip->byte)});
    struct address *address = hashtable_get(&frontier->addresses, key);
    struct address *before = host->address;

    if (!address) {
        address = NEW(struct address);
        address->key = key;
        heap_init(&address->lots, frontier->ranks->lot);
        hashtable_put(&frontier->addresses, key, address);
    }
    address->hosts++;
    host->address = address;
    if (before) {
        before->hosts--;
        address_free_unused(frontier, before);
    }
}

/* --- hosts that may be forgotten ---------------------------------------- */

enum { KEPT_LONGER = 10, KEPT_AT_A_TIME = 4 };

void idle_put(struct frontier *frontier, struct host *host)
{
    host->newer = NULL;
    host->older = frontier->idle_newest;
    if (frontier->idle_newest)
        frontier->idle_newest->newer = host;
    else
        frontier->idle_oldest = host;
    frontier->idle_newest = host;
    frontier->idle_count++;
}

void idle_remove(struct frontier *frontier, struct host *host)
{
    if (host->newer)
        host->newer->older = host->older;
    else
        frontier->idle_newest = host->older;
    if (host->older)
        host->older->newer = host->newer;
    else
        frontier->idle_oldest = host->newer;
    host->older = host->newer = NULL;
    frontier->idle_count--;
}

static void forget(struct frontier *frontier, struct host *host)
{
    struct address *address = host->address;

    idle_remove(frontier, host);
    forget_changed_host(frontier, host);
    hashtable_take(&frontier->hosts, host->key);
    if (address) {
        address->hosts--;
        address_free_unused(frontier, address);
    }
    for (size_t i = 0; i < ARRAY_LEN(host->robots); i++)
        rules_drop(frontier, &host->robots[i]);
    host_free(host);
}

/* Something of it may be on a shelf: then it is kept for longer, with its
 * robots.txt, and what is known of its health. */
static bool is_needed(const struct frontier *frontier, const struct host *host)
{
    const struct active *active = host->domain->active;

    if (!shelf_is_empty(&host->shelf) || host->shelf.lowered)
        return true;
    return active && !shelf_is_empty(&active->shelf) &&
           frontier->idle_count / KEPT_LONGER <
               frontier->options.idle_hosts_max;
}

void idle_trim(struct frontier *frontier, uint64_t now_ms)
{
    uint32_t max = frontier->options.idle_hosts_max;

    /* Those that have been idle longest, unless their pause is not over. */
    for (unsigned kept = 0;
         max && frontier->idle_count > max && kept < KEPT_AT_A_TIME;) {
        struct host *host = frontier->idle_oldest;
        if (host->next_ms <= now_ms && !is_needed(frontier, host)) {
            forget(frontier, host);
            continue;
        }
        idle_remove(frontier, host);
        idle_put(frontier, host);
        kept++;
    }
}
