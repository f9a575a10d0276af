/* The states of the URL standard's parser from the path on. Private to url/.
 *
 * Both functions read from `*in` on, leave it behind what they took, and
 * write to `out`.
 */
#ifndef URL_PATH_H
#define URL_PATH_H

#include "url/out.h"
#include "url/url.h"

/* A path up to '?', '#' or the end, '\' taken for '/', dot segments resolved.
 * `out` ends with the '/' before the first segment; ".." removes segments
 * before it, but not before `root`, where the path starts. */
void path_put(struct out *out, const char *root, struct str *in);

/* A query up to '#' or the end; `*in` starts after the '?', which is written
 * here. */
void query_put(struct out *out, struct str *in,
               const struct url_query_encoder *encoder);

#endif
