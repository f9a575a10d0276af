/* The synthetic web as a source of replies. */
#ifndef TESTSERVER_WEB_SOURCE_H
#define TESTSERVER_WEB_SOURCE_H

#include "testserver/reply.h"
#include "testserver/web.h"

bool web_source(const struct web_options *options, struct source *source,
                const char **problem);

/* The HTML of a page or of a trap; `filler` is a text of WEB_FILLER bytes to
 * fill it up with. */
enum { WEB_FILLER = 128 * 1024 };
void web_put_page(const struct web *web, const struct web_target *target,
                  struct str filler, struct buf *out);
void web_put_robots(const struct web *web, uint32_t host, struct buf *out);

#endif
