/* DNS overrides: the addresses that libcurl must use for host names, instead
 * of looking the names up itself.
 *
 *     list = dns_overrides_take(&overrides, page->dns_override);
 *     ... CURLOPT_RESOLVE ...
 *     dns_overrides_drop(&overrides, page->dns_override);
 *
 * libcurl keeps an override for ever and walks through all of them after every
 * transfer. So an override that no transfer uses any more is removed with the
 * next transfer that begins.
 */
#ifndef PAGE_DNS_OVERRIDES_H
#define PAGE_DNS_OVERRIDES_H

#include <curl/curl.h>

#include "base/str.h"
#include "ds/hashtable.h"

struct dns_overrides {
    struct hashtable table;   /* of struct dns_override, by "host:port" */
    struct curl_slist *stale; /* removals that libcurl was not told yet */
};

void dns_overrides_init(struct dns_overrides *overrides);
void dns_overrides_release(struct dns_overrides *overrides);

/* `text` is "host:port:address". The caller frees the list. */
struct curl_slist *dns_overrides_take(struct dns_overrides *overrides,
                                      struct str text);
void dns_overrides_drop(struct dns_overrides *overrides, struct str text);

#endif
