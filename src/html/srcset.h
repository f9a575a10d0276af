/* The srcset attribute, as the HTML standard parses it (4.8.4.3.10).
 *
 *     struct srcset srcset = srcset_of(STR("a.png 1x, b.png 2x"));
 *     struct str url;
 *
 *     while (srcset_next(&srcset, &url))
 *         consider(url);
 *
 * Candidates with descriptors that are no good are left out, as in a browser.
 */
#ifndef HTML_SRCSET_H
#define HTML_SRCSET_H

#include "base/str.h"

struct srcset {
    const char *at, *end;
};

static inline struct srcset srcset_of(struct str value)
{
    /* An empty value may be NULL. */
    return (struct srcset){value.ptr,
                           value.len ? value.ptr + value.len : value.ptr};
}

bool srcset_next(struct srcset *srcset, struct str *url);

#endif
