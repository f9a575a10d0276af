#include "names/name_cache.h"

#include <stdlib.h>

#include "base/mem.h"

struct entry {
    struct heap_node node;
    uint8_t result, count;
    uint64_t fingerprint;
    uint64_t end_ms;
    struct in6_addr address[];
};

static bool ends_before(const struct heap_node *a, const struct heap_node *b)
{
    const struct entry *left = container_of(a, const struct entry, node);
    const struct entry *right = container_of(b, const struct entry, node);

    if (left->end_ms != right->end_ms)
        return left->end_ms < right->end_ms;
    return left->fingerprint < right->fingerprint;
}

void name_cache_init(struct name_cache *cache, size_t max)
{
    hashtable_init(&cache->entries);
    heap_init(&cache->by_end, ends_before);
    cache->max = max;
}

static void forget(struct name_cache *cache, struct entry *entry)
{
    heap_remove(&cache->by_end, &entry->node);
    hashtable_take(&cache->entries, entry->fingerprint);
    free(entry);
}

static struct entry *first_to_end(const struct name_cache *cache)
{
    struct heap_node *first = heap_first(&cache->by_end);

    return first ? container_of(first, struct entry, node) : NULL;
}

void name_cache_release(struct name_cache *cache)
{
    struct entry *entry;

    while ((entry = first_to_end(cache)))
        forget(cache, entry);
    hashtable_release(&cache->entries);
    heap_release(&cache->by_end);
}

static uint64_t good_for_ms(const struct name_answer *answer)
{
    uint64_t s = answer->ttl_s;

    switch (answer->result) {
    case NAME_FOUND:
        if (s < NAME_TTL_MIN_S)
            s = NAME_TTL_MIN_S;
        if (s > NAME_TTL_MAX_S)
            s = NAME_TTL_MAX_S;
        return s * 1000;
    case NAME_UNKNOWN:
        return NAME_TTL_UNKNOWN_S * 1000;
    case NAME_FAILED:
        return NAME_TTL_FAILED_S * 1000;
    }
    return 0;
}

bool name_cache_get(struct name_cache *cache, uint64_t fingerprint,
                    uint64_t now_ms, struct name_answer *answer)
{
    const struct entry *entry = hashtable_get(&cache->entries, fingerprint);

    if (!entry || entry->end_ms <= now_ms)
        return false;
    answer->result = (enum name_result)entry->result;
    answer->ttl_s = (uint32_t)((entry->end_ms - now_ms) / 1000);
    answer->count = entry->count;
    if (entry->count)
        memcpy(answer->address, entry->address,
               entry->count * sizeof(entry->address[0]));
    return true;
}

/* Room for one more: forget all that has ended, or else the next to end. */
static void make_room(struct name_cache *cache, uint64_t now_ms)
{
    struct entry *first;

    while ((first = first_to_end(cache)) &&
           (first->end_ms <= now_ms || cache->entries.count >= cache->max))
        forget(cache, first);
}

void name_cache_put(struct name_cache *cache, uint64_t fingerprint,
                    const struct name_answer *answer, uint64_t now_ms)
{
    struct entry *entry = hashtable_get(&cache->entries, fingerprint);
    size_t bytes = answer->count * sizeof(answer->address[0]);

    if (entry)
        forget(cache, entry);
    make_room(cache, now_ms);
    entry = mem_new(sizeof(*entry) + bytes);
    entry->result = (uint8_t)answer->result;
    entry->count = (uint8_t)answer->count;
    entry->fingerprint = fingerprint;
    entry->end_ms = now_ms + good_for_ms(answer);
    if (bytes)
        memcpy(entry->address, answer->address, bytes);
    hashtable_put(&cache->entries, fingerprint, entry);
    heap_put(&cache->by_end, &entry->node);
}
