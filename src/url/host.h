/* The host parser of the URL standard: names and IP addresses.
 * Private to url/. */
#ifndef URL_HOST_H
#define URL_HOST_H

#include "base/err.h"
#include "url/out.h"

/* Write the host that `host` means, not empty and without a port: a lower-case
 * ASCII name, "1.2.3.4" or "[1::2]". */
MUST_CHECK enum err host_put(struct out *out, struct str host);

/* Whether a name that host_put would write as it is, but for its case, is
 * one: no escapes, nothing beyond ASCII, no "xn--" and no number at its end.
 * `host` is in lower case and has only URL_PLAIN_HOST bytes. */
bool host_is_plain_name(struct str host);

#endif
