/* The sending half of a connection. Private to http/. */
#ifndef HTTP_SEND_H
#define HTTP_SEND_H

#include "http/conn.h"

enum http_sent {
    HTTP_SENT_ALL,    /* the reply is with the kernel; conn->end says how */
    HTTP_SENT_SOME,   /* the kernel takes no more yet */
    HTTP_SENT_WAITS,  /* all of it so far; the stream waits until wake_us */
    HTTP_SENT_FAILED, /* the connection is of no use any more */
};

/* Prepare the reply of the exchange; false if its head is too large. */
bool http_send_begin(struct http_conn *conn);

/* Send as much as goes without waiting. */
enum http_sent http_send_more(struct http_conn *conn, uint64_t now_us);

#endif
