/* The addresses that transfers are tied to, in libcurl's cache of names.
 *
 *     transfer->pin = pins_take(&pins, page->pin);   for CURLOPT_RESOLVE
 *     ...
 *     pins_drop(&pins, page->pin);
 *
 * Libcurl never forgets such an address by itself, and goes through all of
 * them after every transfer: one that nobody uses any more is taken out with
 * the next transfer that begins.
 */
#ifndef PAGE_PINS_H
#define PAGE_PINS_H

#include <curl/curl.h>

#include "base/str.h"
#include "ds/hashtable.h"

struct pins {
    struct hashtable table; /* of struct pin, by the hash of "host:port" */
    struct curl_slist *stale;
};

void pins_init(struct pins *pins);
void pins_release(struct pins *pins);

/* `pin` is "host:port:address". The list is the caller's. */
struct curl_slist *pins_take(struct pins *pins, struct str pin);
void pins_drop(struct pins *pins, struct str pin);

#endif
