#include "page/private_address.h"

#include <arpa/inet.h>
#include <netinet/in.h>

/* IANA's special-purpose registries, and multicast. */
struct v4_block {
    uint32_t net;
    unsigned bits;
};

#define V4(a, b, c, d)                                                         \
    ((uint32_t)(a) << 24 | (uint32_t)(b) << 16 | (uint32_t)(c) << 8 |          \
     (uint32_t)(d))

static const struct v4_block v4_blocks[] = {
    {V4(0, 0, 0, 0), 8},      {V4(10, 0, 0, 0), 8},
    {V4(100, 64, 0, 0), 10},  {V4(127, 0, 0, 0), 8},
    {V4(169, 254, 0, 0), 16}, {V4(172, 16, 0, 0), 12},
    {V4(192, 0, 0, 0), 24},   {V4(192, 0, 2, 0), 24},
    {V4(192, 88, 99, 0), 24}, {V4(192, 168, 0, 0), 16},
    {V4(198, 18, 0, 0), 15},  {V4(198, 51, 100, 0), 24},
    {V4(203, 0, 113, 0), 24}, {V4(224, 0, 0, 0), 3},
};

struct v6_block {
    uint8_t net[4]; /* no block below is told apart by more than 32 bits */
    unsigned bits;
};

/* Inside 2000::/3, which is all that is handed out as global unicast. */
static const struct v6_block v6_blocks[] = {
    {{0x20, 0x01, 0x00, 0x00}, 23}, /* protocol assignments, Teredo */
    {{0x20, 0x01, 0x0d, 0xb8}, 32}, /* documentation */
    {{0x3f, 0xff, 0x00, 0x00}, 20}, /* documentation */
};

static bool v4_is_private(uint32_t ip)
{
    for (size_t i = 0; i < ARRAY_LEN(v4_blocks); i++)
        if ((ip ^ v4_blocks[i].net) >> (32 - v4_blocks[i].bits) == 0)
            return true;
    return false;
}

static uint32_t big_endian(const uint8_t bytes[4])
{
    return V4(bytes[0], bytes[1], bytes[2], bytes[3]);
}

static bool v6_is_private(const uint8_t ip[16])
{
    static const uint8_t mapped[12] = {[10] = 0xff, [11] = 0xff};
    static const uint8_t nat64[12] = {0x00, 0x64, 0xff, 0x9b};

    if (!memcmp(ip, mapped, 12) || !memcmp(ip, nat64, 12))
        return v4_is_private(big_endian(ip + 12));
    if ((ip[0] & 0xe0) != 0x20)
        return true;
    if (ip[0] == 0x20 && ip[1] == 0x02) /* 6to4 */
        return v4_is_private(big_endian(ip + 2));
    for (size_t i = 0; i < ARRAY_LEN(v6_blocks); i++)
        if ((big_endian(ip) ^ big_endian(v6_blocks[i].net)) >>
                (32 - v6_blocks[i].bits) ==
            0)
            return true;
    return false;
}

bool address_is_private(const struct sockaddr *address)
{
    if (address->sa_family == AF_INET) {
        struct sockaddr_in v4;
        memcpy(&v4, address, sizeof(v4));
        return v4_is_private(ntohl(v4.sin_addr.s_addr));
    }
    if (address->sa_family == AF_INET6) {
        struct sockaddr_in6 v6;
        memcpy(&v6, address, sizeof(v6));
        return v6_is_private(v6.sin6_addr.s6_addr);
    }
    return true;
}

bool address_of_literal(struct str host, struct sockaddr_storage *address)
{
    char text[INET6_ADDRSTRLEN];
    bool v6 = host.len > 2 && host.ptr[0] == '[' && str_ends(host, STR("]"));

    if (v6)
        host = (struct str){host.ptr + 1, host.len - 2};
    if (!host.len || host.len >= sizeof(text))
        return false;
    memcpy(text, host.ptr, host.len);
    text[host.len] = '\0';

    memset(address, 0, sizeof(*address));
    address->ss_family = v6 ? AF_INET6 : AF_INET;
    return inet_pton(address->ss_family, text,
                     v6 ? (void *)&((struct sockaddr_in6 *)address)->sin6_addr
                        : (void *)&((struct sockaddr_in *)address)->sin_addr) ==
           1;
}

bool address_is_local_name(struct str host)
{
    if (str_ends(host, STR(".")))
        host.len--;
    return str_eq_nocase(host, STR("localhost")) ||
           str_eq_nocase(host, STR("localhost.localdomain")) ||
           str_ends(host, STR(".localhost"));
}

/* As IPv6, with IPv4 mapped into it; the port in network order. */
static bool to_v6(const struct sockaddr *address, struct in6_addr *ip,
                  in_port_t *port)
{
    const struct sockaddr_in *v4 = (const void *)address;
    const struct sockaddr_in6 *v6 = (const void *)address;

    memset(ip, 0, sizeof(*ip));
    if (address->sa_family == AF_INET6) {
        *ip = v6->sin6_addr;
        *port = v6->sin6_port;
        return true;
    }
    ip->s6_addr[10] = ip->s6_addr[11] = 0xff;
    memcpy(&ip->s6_addr[12], &v4->sin_addr, sizeof(v4->sin_addr));
    *port = v4->sin_port;
    return address->sa_family == AF_INET;
}

/* Connecting to the unspecified address leads to the loopback one. */
static void replace_unspecified(struct in6_addr *ip)
{
    static const struct in6_addr mapped_any = {
        .s6_addr = {[10] = 0xff, [11] = 0xff},
    };

    if (IN6_IS_ADDR_UNSPECIFIED(ip))
        *ip = in6addr_loopback;
    else if (!memcmp(ip, &mapped_any, sizeof(*ip)))
        memcpy(&ip->s6_addr[12], (const unsigned char[]){127, 0, 0, 1}, 4);
}

bool address_leads_to(const struct sockaddr *address,
                      const struct sockaddr *listener)
{
    struct in6_addr to, own;
    in_port_t to_port, own_port;

    if (!to_v6(address, &to, &to_port) || !to_v6(listener, &own, &own_port))
        return false;
    replace_unspecified(&to);
    return to_port == own_port && !memcmp(&to, &own, sizeof(to));
}
