/* Sort keys of URLs in an index ("SURT"), in the two dialects that readers use:
 * "com,example)/path?a=1&b=2" for "http://www.example.com/path?b=2&a=1".
 *
 * surt.py (pywb, the Internet Archive) and warcio.js (replayweb.page) do not
 * agree; an index has a line under each key where they differ.
 *
 * A key has no blanks and no control characters. Letters beyond ASCII are not
 * made lower-case. */
#ifndef ARCHIVE_SURT_H
#define ARCHIVE_SURT_H

#include "base/buf.h"

/* Append the key. False, and nothing is added, past the buffer's cap. */
bool surt_put_ia(struct buf *out, struct str url);
bool surt_put_warcio(struct buf *out, struct str url);

#endif
