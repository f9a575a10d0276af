#include "report/equal.h"

void equal_init(struct equal_pages *equal)
{
    *equal = (struct equal_pages){0};
    hashtable_init(&equal->first);
}

void equal_release(struct equal_pages *equal)
{
    hashtable_release(&equal->first);
}

uint32_t equal_add(struct equal_pages *equal, const struct store_fetch *fetch)
{
    /* Any odd number: bits of the length meet bits of the digest. */
    uint64_t key = fetch->digest ^ fetch->size * UINT64_C(0x9e3779b97f4a7c15);
    uintptr_t first = (uintptr_t)hashtable_get(&equal->first, key);

    if (first) {
        equal->count++;
        return (uint32_t)first;
    }
    // NOLINTNEXTLINE(performance-no-int-to-ptr) ; the table keeps numbers
    hashtable_put(&equal->first, key, (void *)(uintptr_t)fetch->page);
    return 0;
}
