/* The head of a response as it is kept in an archive.
 *
 * The chunks of a body are undone, and sometimes its content coding. So the
 * head is kept with lines that fit the body which is kept:
 *
 *   - every line ends with CR LF; folded lines become one; a lone CR becomes a
 *     blank;
 *   - the status line begins with HTTP/1.0 or HTTP/1.1 and has a blank after
 *     its status;
 *   - Transfer-Encoding becomes X-Crawler-Transfer-Encoding;
 *   - a Content-Length that is not the length of the kept body becomes
 *     X-Crawler-Content-Length, and the true one is added;
 *   - Content-Encoding becomes X-Crawler-Content-Encoding if the coding was
 *     undone, or if it names none ("identity"); "x-gzip" and "GZIP" become
 *     "gzip" if it was not.
 *
 * Everything else stays as it came. */
#ifndef ARCHIVE_KEPT_HEAD_H
#define ARCHIVE_KEPT_HEAD_H

#include "base/buf.h"

/* Append the head as it is kept, with its empty line. False if it passes the
 * buffer's cap. It is at most twice as long as `head`, and 256 bytes. */
bool kept_head_put(struct buf *out, struct str head, uint64_t body_len,
                   bool coding_undone);

#endif
