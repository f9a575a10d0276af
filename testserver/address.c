#include "testserver/address.h"

#include <arpa/inet.h>
#include <stdio.h>

static const char syntax[] =
    "an address to listen on is ADDR:PORT, like 127.0.0.1:8080 or [::1]:0";
static const char not_loopback[] =
    "only loopback addresses (127.0.0.0/8 and ::1) may be listened on";

/* "127.0.1.1-100": the last number of the last address. */
static bool take_range(struct str *host, uint32_t *last)
{
    size_t dash = str_find(*host, '-');
    uint64_t value = 0;

    *last = 0;
    if (dash == host->len)
        return true;
    if (!str_to_u64(str_skip(*host, dash + 1), &value) || value > 255)
        return false;
    *last = (uint32_t)value;
    *host = str_first(*host, dash);
    return true;
}

static bool parse_v4(struct str host, uint16_t port, struct address *address,
                     const char **problem)
{
    char text[INET_ADDRSTRLEN] = "";
    uint32_t last = 0;

    *problem = syntax;
    if (!take_range(&host, &last) || host.len >= sizeof(text))
        return false;
    memcpy(text, host.ptr, host.len);
    address->v4.sin_family = AF_INET;
    address->v4.sin_port = htons(port);
    if (inet_pton(AF_INET, text, &address->v4.sin_addr) != 1)
        return false;

    uint32_t number = ntohl(address->v4.sin_addr.s_addr);
    if (last && last < (number & 255))
        return false;
    address->count = last ? last - (number & 255) + 1 : 1;
    *problem = not_loopback;
    return number >> 24 == 127;
}

static bool parse_v6(struct str host, uint16_t port, struct address *address,
                     const char **problem)
{
    char text[INET6_ADDRSTRLEN] = "";

    *problem = syntax;
    if (host.len < 2 || host.ptr[host.len - 1] != ']' ||
        host.len - 2 >= sizeof(text))
        return false;
    memcpy(text, host.ptr + 1, host.len - 2);
    address->v6.sin6_family = AF_INET6;
    address->v6.sin6_port = htons(port);
    if (inet_pton(AF_INET6, text, &address->v6.sin6_addr) != 1)
        return false;
    address->count = 1;
    *problem = not_loopback;
    return IN6_IS_ADDR_LOOPBACK(&address->v6.sin6_addr);
}

bool address_parse(struct str text, struct address *address,
                   const char **problem)
{
    size_t colon = text.len;
    uint64_t port = 0;

    memset(address, 0, sizeof(*address));
    *problem = syntax;
    while (colon > 0 && text.ptr[colon - 1] != ':')
        colon--;
    if (!colon || !str_to_u64(str_skip(text, colon), &port) || port > 65535)
        return false;

    struct str host = str_first(text, colon - 1);
    if (host.len && host.ptr[0] == '[')
        return parse_v6(host, (uint16_t)port, address, problem);
    return parse_v4(host, (uint16_t)port, address, problem);
}

socklen_t address_size(const struct address *address)
{
    return address->any.sa_family == AF_INET6 ? sizeof(address->v6)
                                              : sizeof(address->v4);
}

void address_format(const struct address *address, char out[ADDRESS_TEXT])
{
    char host[INET6_ADDRSTRLEN] = "";

    if (address->any.sa_family == AF_INET6) {
        inet_ntop(AF_INET6, &address->v6.sin6_addr, host, sizeof(host));
        snprintf(out, ADDRESS_TEXT, "[%s]:%u", host,
                 ntohs(address->v6.sin6_port));
    } else {
        inet_ntop(AF_INET, &address->v4.sin_addr, host, sizeof(host));
        snprintf(out, ADDRESS_TEXT, "%s:%u", host, ntohs(address->v4.sin_port));
    }
}
