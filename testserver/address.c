#include "testserver/address.h"

#include <arpa/inet.h>

#include "base/buf.h"

static const char bad_range[] =
    "a range of addresses is ADDR-LAST:PORT, like 127.0.1.1-100:8080";

/* "127.0.1.1-100:80": the address without its range goes to `plain`, 100 to
 * `last`, which is 0 without a range. */
static bool take_range(struct str text, struct buf *plain, uint64_t *last)
{
    struct str_pair parts = str_cut(text, '-');
    struct str number = str_first(parts.tail, str_find(parts.tail, ':'));

    *last = 0;
    if (parts.head.len == text.len || str_starts(text, STR("unix:")))
        return buf_put(plain, text);
    if (str_find(parts.head, ':') < parts.head.len)
        return false;
    return str_to_u64(number, last) && *last > 0 && *last <= 255 &&
           buf_put(plain, parts.head) &&
           buf_put(plain, str_skip(parts.tail, number.len));
}

bool address_parse(struct str text, struct address *address,
                   const char **problem)
{
    struct buf plain;
    uint64_t last = 0;

    *problem = bad_range;
    address->count = 1;
    buf_init(&plain, HTTP_ADDRESS_TEXT);
    bool good = take_range(text, &plain, &last) &&
                http_address_parse(buf_str(&plain), &address->first, problem);
    buf_release(&plain);
    if (!good || !last)
        return good;

    uint32_t first = ntohl(address->first.v4.sin_addr.s_addr) & 255;
    *problem = bad_range;
    if (address->first.any.sa_family != AF_INET || last < first)
        return false;
    address->count = (uint32_t)last - first + 1;
    return true;
}

uint16_t address_port(const struct address *address)
{
    switch (address->first.any.sa_family) {
    case AF_INET:
        return ntohs(address->first.v4.sin_port);
    case AF_INET6:
        return ntohs(address->first.v6.sin6_port);
    default:
        return 0;
    }
}

void address_format(const struct address *address, uint32_t index,
                    char out[HTTP_ADDRESS_TEXT])
{
    struct http_address its = address->first;

    if (index)
        its.v4.sin_addr.s_addr = htonl(ntohl(its.v4.sin_addr.s_addr) + index);
    http_address_format(&its, out);
}
