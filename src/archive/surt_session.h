/* Session ids in URLs, which keys of surt.py do not have. Private to surt.c. */
#ifndef ARCHIVE_SURT_SESSION_H
#define ARCHIVE_SURT_SESSION_H

#include "base/buf.h"

/* Cut the last session id of ASP.NET out of a path in lower case, which is the
 * end of `key`. */
void surt_cut_path_session(struct buf *key, size_t path_start);

/* Cut the last session id of each kind out of a query in lower case. The name
 * of one may be the end of a longer name. */
void surt_cut_query_sessions(struct buf *query);

#endif
