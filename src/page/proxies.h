/* The proxies of the environment: http_proxy, https_proxy and no_proxy, as
 * libcurl reads them. They count only with --proxy env. */
#ifndef PAGE_PROXIES_H
#define PAGE_PROXIES_H

#include "web/url.h"

struct proxies {
    const char *http, *https; /* for URLs of that scheme, or NULL */
    const char *except;       /* hosts that are asked directly, or NULL */
};

/* Read them with `get`, which is getenv or stands in for it. HTTP_PROXY does
 * not count, because a web server sets it from a request's header. */
struct proxies proxies_of_environment(char *(*get)(const char *name));

/* The proxy for this URL; NULL: none. */
const char *proxies_for(const struct proxies *proxies, const struct url *url);

#endif
