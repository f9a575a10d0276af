/* Where to listen: loopback addresses and Unix sockets only. */
#ifndef HTTP_LISTEN_H
#define HTTP_LISTEN_H

#include <netinet/in.h>
#include <sys/socket.h>
#include <sys/un.h>

#include "base/str.h"

enum { HTTP_ADDRESS_TEXT = 128 };

struct http_address {
    union {
        struct sockaddr any;
        struct sockaddr_in v4;
        struct sockaddr_in6 v6;
        struct sockaddr_un local;
    };
};

/* "127.0.0.1:80", "[::1]:80" or "unix:PATH". False if it is not one of these
 * or not loopback, with a sentence in `problem`. */
bool http_address_parse(struct str text, struct http_address *address,
                        const char **problem);

/* As it is parsed: "127.0.0.1:80" */
void http_address_format(const struct http_address *address,
                         char out[HTTP_ADDRESS_TEXT]);

/* A listening, non-blocking socket; port 0 becomes the one that was free. -1
 * with errno. A Unix socket is for its owner only. A file that is there already
 * is never replaced, but for a socket of this user on which nobody listens. */
int http_address_listen(struct http_address *address);

#endif
