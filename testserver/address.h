/* Where to listen: loopback addresses only. */
#ifndef PLAYGROUND_ADDRESS_H
#define PLAYGROUND_ADDRESS_H

#include <netinet/in.h>
#include <sys/socket.h>

#include "base/str.h"

enum { ADDRESS_TEXT = 64 };

/* The addresses first, first + 1, ... of an IPv4 range, or one IPv6. */
struct address {
    union {
        struct sockaddr any;
        struct sockaddr_in v4;
        struct sockaddr_in6 v6;
    };
    uint32_t count;
};

/* "127.0.0.1:80", "127.0.1.1-100:80", "[::1]:80". False if it is not one of
 * these or not loopback, with a sentence in `problem`. */
bool address_parse(struct str text, struct address *address,
                   const char **problem);

socklen_t address_size(const struct address *address);

/* "127.0.0.1:80" */
void address_format(const struct address *address, char out[ADDRESS_TEXT]);

#endif
