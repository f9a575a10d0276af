/* Where the playground listens: an address (http/listen.h) or a range. */
#ifndef TESTSERVER_ADDRESS_H
#define TESTSERVER_ADDRESS_H

#include "http/server.h"

/* The IPv4 addresses first, first + 1, ... or one address of any kind. */
struct address {
    struct http_address first;
    uint32_t count;
};

/* "127.0.1.1-100:80" or what http_address_parse takes. False if it is none of
 * these or not loopback, with a sentence in `problem`. */
bool address_parse(struct str text, struct address *address,
                   const char **problem);

/* 0 where there is none. */
uint16_t address_port(const struct address *address);

/* "127.0.1.1:80", of the address at `index`, less than `count`. */
void address_format(const struct address *address, uint32_t index,
                    char out[HTTP_ADDRESS_TEXT]);

#endif
