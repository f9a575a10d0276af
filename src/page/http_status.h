/* The standard reason phrases of HTTP status codes. A server's own phrase can
 * be anything, so it is never shown. */
#ifndef PAGE_HTTP_STATUS_H
#define PAGE_HTTP_STATUS_H

/* "Not Found" for 404, as registered at IANA; NULL for a code that is not. */
const char *http_status_phrase(int status);

#endif
