/* Why there was no connection: libcurl's numbers and messages, turned into
 * outcomes. They are those of libcurl 7.88, 8.5 and 8.14 with OpenSSL; anything
 * else is NOT_CONNECTED or TLS_FAILED.
 *
 * A message can hold what a server wrote into its certificate: only its
 * beginning, which is libcurl's own, is looked at, and nothing of it is shown.
 */
#ifndef PAGE_CONNECT_FAULT_H
#define PAGE_CONNECT_FAULT_H

#include <curl/curl.h>

#include "page/outcome.h"

/* Of CURLINFO_OS_ERRNO. */
enum outcome connect_fault(long os_errno);

/* Of a code of libcurl that tells of TLS, CURLINFO_SSL_VERIFYRESULT and the
 * error buffer. */
enum outcome tls_fault(CURLcode code, long verify_result, struct str message);

/* The names that a certificate is for, as CURLINFO_CERTINFO tells them:
 * "a.example, *.b.example and 3 more". Other characters than those of host
 * names are shown as '?'. Nothing is written where it names none. */
void certificate_put_names(struct buf *out, const struct curl_slist *fields);

#endif
