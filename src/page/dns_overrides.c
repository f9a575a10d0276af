#include "page/dns_overrides.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "base/hash.h"
#include "base/mem.h"

struct dns_override {
    size_t users;
    char remove[]; /* "-host:port", as libcurl wants it */
};

void dns_overrides_init(struct dns_overrides *overrides)
{
    hashtable_init(&overrides->table);
    overrides->stale = NULL;
}

void dns_overrides_release(struct dns_overrides *overrides)
{
    struct dns_override *override;
    size_t at = 0;

    while ((override = hashtable_next(&overrides->table, &at)))
        free(override);
    hashtable_release(&overrides->table);
    curl_slist_free_all(overrides->stale);
}

/* "host:port"; neither has a colon. Two with the same hash would share one
 * removal, so that the other name stays for longer: no harm. */
static struct str host_and_port(struct str override)
{
    struct str_pair host = str_cut(override, ':');
    size_t port_len = str_cut(host.tail, ':').head.len;

    return str_first(override, host.head.len + 1 + port_len);
}

static struct dns_override *new_override(struct str name)
{
    struct dns_override *override = mem_new(sizeof(*override) + name.len + 2);

    override->remove[0] = '-';
    memcpy(override->remove + 1, name.ptr, name.len);
    return override;
}

/* What is stale is removed first: it may be this very one. */
struct curl_slist *dns_overrides_take(struct dns_overrides *overrides,
                                      struct str text)
{
    struct str name = host_and_port(text);
    uint64_t key = hash64(name, 0);
    struct dns_override *override = hashtable_get(&overrides->table, key);
    struct curl_slist *list = overrides->stale;

    overrides->stale = NULL;
    if (!override) {
        override = new_override(name);
        hashtable_put(&overrides->table, key, override);
    }
    override->users++;
    return curl_slist_append(list, text.ptr);
}

void dns_overrides_drop(struct dns_overrides *overrides, struct str text)
{
    uint64_t key = hash64(host_and_port(text), 0);
    struct dns_override *override = hashtable_get(&overrides->table, key);

    assert(override && override->users);
    if (--override->users)
        return;
    hashtable_take(&overrides->table, key);
    struct curl_slist *first = curl_slist_append(NULL, override->remove);
    if (first) {
        first->next = overrides->stale;
        overrides->stale = first;
    }
    free(override);
}
