#include "page/pins.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "base/hash.h"
#include "base/mem.h"

struct pin {
    size_t users;
    char remove[]; /* "-host:port", as libcurl wants it */
};

void pins_init(struct pins *pins)
{
    hashtable_init(&pins->table);
    pins->stale = NULL;
}

void pins_release(struct pins *pins)
{
    struct pin *pin;
    size_t at = 0;

    while ((pin = hashtable_next(&pins->table, &at)))
        free(pin);
    hashtable_release(&pins->table);
    curl_slist_free_all(pins->stale);
}

/* "host:port"; neither has a colon. Two with the same hash would share one
 * removal, so that the other name stays for longer: no harm. */
static struct str place_of(struct str pin)
{
    struct str_pair host = str_cut(pin, ':');
    size_t port_len = str_cut(host.tail, ':').head.len;

    return str_first(pin, host.head.len + 1 + port_len);
}

static struct pin *new_pin(struct str place)
{
    struct pin *pin = mem_new(sizeof(*pin) + place.len + 2);

    pin->remove[0] = '-';
    memcpy(pin->remove + 1, place.ptr, place.len);
    return pin;
}

/* What is stale is removed first: it may be this very one. */
struct curl_slist *pins_take(struct pins *pins, struct str text)
{
    struct str place = place_of(text);
    uint64_t key = hash64(place, 0);
    struct pin *pin = hashtable_get(&pins->table, key);
    struct curl_slist *list = pins->stale;

    pins->stale = NULL;
    if (!pin) {
        pin = new_pin(place);
        hashtable_put(&pins->table, key, pin);
    }
    pin->users++;
    return curl_slist_append(list, text.ptr);
}

void pins_drop(struct pins *pins, struct str text)
{
    uint64_t key = hash64(place_of(text), 0);
    struct pin *pin = hashtable_get(&pins->table, key);

    assert(pin && pin->users);
    if (--pin->users)
        return;
    hashtable_take(&pins->table, key);
    struct curl_slist *first = curl_slist_append(NULL, pin->remove);
    if (first) {
        first->next = pins->stale;
        pins->stale = first;
    }
    free(pin);
}
