/* A capture as a reply: the head as it is kept, without what concerns only the
 * connection to the recorded server and what a browser would remember of the
 * site, and with the headers of Memento (RFC 7089).
 */
#ifndef REPLAY_RECORDED_REPLY_H
#define REPLAY_RECORDED_REPLY_H

#include "archive/collection.h"
#include "http/reply.h"

/* Fill in everything but the body. The header lines are appended to `lines`,
 * the reason phrase is a slice of the capture's head. False if the recorded
 * head cannot be sent: it has no final status, or the lines pass the cap. */
bool recorded_reply_fill(struct http_reply *reply, struct buf *lines,
                         const struct captured *captured);

#endif
