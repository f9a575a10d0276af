/* What a crawl has recorded of one host: the robots.txt that it obeyed there,
 * and the trouble that it had. */
#ifndef CLI_EVIDENCE_H
#define CLI_EVIDENCE_H

#include "base/arena.h"
#include "store/store.h"
#include "url/url.h"

struct evidence {
    struct arena arena;
    bool has_rules;            /* robots.txt was had: */
    struct store_robots rules; /* the last one, or the one that was asked for */
    bool rules_failed;         /* and the last try was in vain: */
    struct store_robots failure;
    bool troubled;
    struct store_host trouble; /* the last word on it */
};

/* Whose: the host of `url`, as its scheme is asked. `line` is 0, or that of the
 * robots.txt that refused the URL for `agent`: of several texts the last that
 * does is the one. False with `error`; in either case release it. */
bool evidence_read(struct evidence *evidence, struct store *store,
                   const struct url *url, struct str agent, unsigned line,
                   struct store_error *error);
void evidence_release(struct evidence *evidence);

/* May the agent fetch the URL, as far as the rules are known? `*line` as of
 * robots_allows. */
bool evidence_allows(const struct evidence *evidence, const struct url *url,
                     struct str agent, unsigned *line);

#endif
