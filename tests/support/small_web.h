/* A synthetic web that is small, but has something of everything. Include it
 * after cmocka.h. */
#ifndef TESTS_SUPPORT_SMALL_WEB_H
#define TESTS_SUPPORT_SMALL_WEB_H

#include "testserver/web_source.h"

static inline struct web_options small_web(const char *seed)
{
    struct web_options options;

    web_defaults(&options);
    options.seed = seed;
    options.hosts = 60;
    options.pages = 1500;
    options.flaky = options.limited = WEB_ALL / 50;
    options.errors = WEB_ALL / 100;
    options.noindex = options.nofollow = WEB_ALL / 10;
    options.slow = 0;
    options.rules = WEB_ALL / 2;
    return options;
}

static inline void init_web(struct web *web, const struct web_options *options)
{
    const char *problem = NULL;

    if (!web_init(web, options, &problem))
        fail_msg("%s", problem);
}

#endif
