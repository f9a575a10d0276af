/* Keys of a query that do not decide which page is meant: visits are counted
 * with them, or a session is named. They are taken out of a URL before it is
 * compared with others and before it is fetched.
 *
 *     struct query_keys *keys = query_keys_new();
 *     query_keys_add(keys, STR("utm_*,sessionid"), &fault);
 *     query_strip(keys, &url, &arena);
 *     query_keys_free(keys);
 *
 * Letter case counts. An escape in a key is read (utm%5Fsource), '*' and '?' of
 * a key match any characters. The rest of the query stays as it is, byte for
 * byte; a query that becomes empty goes with its '?'. Once the keys are there
 * they are only read: threads may share them. */
#ifndef URL_QUERY_H
#define URL_QUERY_H

#include "base/buf.h"
#include "url/url.h"

struct query_keys;

struct query_keys *query_keys_new(void);
void query_keys_free(struct query_keys *keys);

/* Add keys, separated by commas; "tracking" stands for a list of well-known
 * ones. False with the reason in `fault`. */
bool query_keys_add(struct query_keys *keys, struct str list,
                    struct buf *fault);

/* Take the keys out of the URL, whose new text is in `arena`. False: there are
 * none, and nothing has changed. */
bool query_strip(const struct query_keys *keys, struct url *url,
                 struct arena *arena);

#endif
