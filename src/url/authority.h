/* "user:password@host:port". Private to url/. */
#ifndef URL_AUTHORITY_H
#define URL_AUTHORITY_H

#include "url/out.h"
#include "url/url.h"

/* Read an authority up to '/', '\', '?', '#' or the end and leave `*in`
 * there. `out` holds the scheme and "//" and starts at `start`; url->https is
 * set, the other members up to path_start are set here. */
MUST_CHECK enum err authority_put(struct url *url, struct out *out,
                                  const char *start, struct str *in);

#endif
