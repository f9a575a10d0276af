#include <stdlib.h>

#include "base/hashtable.h"
#include "base/mem.h"
#include "frontier/politeness.h"
#include "web/domain.h"
#include "web/normalize.h"

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

static uint64_t key_of(const struct politeness *politeness, struct str name)
{
    return hash64(name, politeness->options->hash_seed);
}

uint64_t host_key(const struct politeness *politeness, const struct url *url)
{
    struct name name;

    return key_of(politeness, name_of(url, &name));
}

struct host *host_known(const struct politeness *politeness,
                        const struct url *url)
{
    struct name name;

    return hashtable_get(&politeness->hosts,
                         key_of(politeness, name_of(url, &name)));
}

struct domain *domain_known(const struct politeness *politeness,
                            const struct url *url)
{
    const struct host *host = host_known(politeness, url);

    if (host)
        return host->domain;
    struct str name =
        domain_of_host(politeness->options->domains, url_host(url));
    return hashtable_get(&politeness->domains, key_of(politeness, name));
}

struct domain *domain_named(struct politeness *politeness, struct str name)
{
    uint64_t key = key_of(politeness, name);
    struct domain *domain = hashtable_get(&politeness->domains, key);

    if (domain)
        return domain;
    domain = domain_new(&politeness->domain_arena, name);
    if (politeness->frozen)
        domain->frozen =
            politeness
                ->frozen[partition_of(name, politeness->options->partition_seed,
                                      politeness->options->partitions)];
    hashtable_put(&politeness->domains, key, domain);
    return domain;
}

struct domain *domain_for(struct politeness *politeness, const struct url *url)
{
    return domain_named(politeness, domain_of_host(politeness->options->domains,
                                                   url_host(url)));
}

void host_count_seen(struct politeness *politeness, const struct url *url)
{
    struct name name;

    seen_add(&politeness->hosts_seen, key_of(politeness, name_of(url, &name)));
}

void host_remember_answer(struct politeness *politeness, const struct url *url)
{
    struct name name;

    seen_add(&politeness->answered[url->https],
             key_of(politeness, name_of(url, &name)));
}

/* When a host that was not known until now may first be asked. */
static uint64_t first_ms(const struct politeness *politeness,
                         const struct domain *domain)
{
    const struct frontier_options *options = politeness->options;

    if (!politeness->new_rest_ms)
        return 0;
    return politeness->new_rest_ms[partition_of(
        domain_name(domain), options->partition_seed, options->partitions)];
}

struct host *host_for(struct politeness *politeness, const struct url *url)
{
    struct host *host = host_known(politeness, url);
    struct name name;

    if (host)
        return host;
    host = host_new(name_of(url, &name), domain_for(politeness, url),
                    politeness->ranking);
    host->key = key_of(politeness, name.text);
    host->next_ms = first_ms(politeness, host->domain);
    host->setup.resolved = !politeness->options->resolve;
    const struct hand_host *order =
        by_hand_host(&politeness->by_hand, host->key);
    host->hand_delay_ms = order ? order->delay_ms : BY_HAND_NO_DELAY;
    host->dropped = order && order->dropped;
    for (size_t i = 0; i < ARRAY_LEN(host->trouble.answered); i++)
        host->trouble.answered[i] =
            seen_has(&politeness->answered[i], host->key);
    host_count_seen(politeness, url);
    hashtable_put(&politeness->hosts, host->key, host);
    return host;
}

/* --- addresses ---------------------------------------------------------- */

void address_free_unused(struct politeness *politeness, struct address *address)
{
    if (address->hosts || address->in_flight || heap_has(&address->node))
        return;
    address_lease_forget(politeness, address);
    hashtable_take(&politeness->addresses, address->key);
    heap_release(&address->queue);
    free(address);
}

static uint64_t key_of_ip(const struct politeness *politeness,
                          const struct ip *ip)
{
    return key_of(politeness,
                  (struct str){(const char *)ip->byte, sizeof(ip->byte)});
}

struct address *address_known(const struct politeness *politeness,
                              const struct ip *ip)
{
    return hashtable_get(&politeness->addresses, key_of_ip(politeness, ip));
}

void host_move_to(struct politeness *politeness, struct host *host,
                  const struct ip *ip)
{
    struct address *address = address_known(politeness, ip);
    struct address *before = host->address;

    if (!address) {
        address = NEW(struct address);
        address->key = key_of_ip(politeness, ip);
        address->ip = *ip;
        heap_init(&address->queue, politeness->ranking->turn);
        hashtable_put(&politeness->addresses, address->key, address);
    }
    address->hosts++;
    host->address = address;
    host->ip = *ip;
    host->has_ip = true;
    if (before) {
        before->hosts--;
        address_free_unused(politeness, before);
    }
}

/* --- hosts that may be forgotten ---------------------------------------- */

void idle_put(struct politeness *politeness, struct host *host)
{
    host->newer = NULL;
    host->older = politeness->idle_newest;
    if (politeness->idle_newest)
        politeness->idle_newest->newer = host;
    else
        politeness->idle_oldest = host;
    politeness->idle_newest = host;
    politeness->idle_count++;
}

void idle_remove(struct politeness *politeness, struct host *host)
{
    if (host->newer)
        host->newer->older = host->older;
    else
        politeness->idle_newest = host->older;
    if (host->older)
        host->older->newer = host->newer;
    else
        politeness->idle_oldest = host->newer;
    host->older = host->newer = NULL;
    politeness->idle_count--;
}

void host_forget(struct politeness *politeness, struct host *host)
{
    struct address *address = host->address;

    idle_remove(politeness, host);
    hashtable_take(&politeness->hosts, host->key);
    if (address) {
        address->hosts--;
        address_free_unused(politeness, address);
    }
    host_free(host);
}
