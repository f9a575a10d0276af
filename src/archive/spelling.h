/* The other spelling of a URL.
 *
 * By the URL standard "|" stays as it is in a path, and so do we and curl write
 * it. Chromium sends "%7C". Who looks for a URL and does not find it tries the
 * other spelling.
 */
#ifndef ARCHIVE_SPELLING_H
#define ARCHIVE_SPELLING_H

#include "base/buf.h"

/* Append the URL with every "|" of its path as "%7C" or, where there is none,
 * with every "%7C" as "|". False if it has neither, or past the buffer's cap.
 */
bool spelling_put_other(struct buf *out, struct str url);

/* Is there a "|" in its path? */
bool spelling_has_bar(struct str url);

#endif
