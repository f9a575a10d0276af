#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>

#include <arpa/inet.h>
#include <netinet/in.h>
#include <sys/un.h>

#include <cmocka.h>

#include "page/private_address.h"

static bool is_private(const char *text)
{
    char host[80];
    struct sockaddr_storage address;

    snprintf(host, sizeof(host), strchr(text, ':') ? "[%s]" : "%s", text);
    if (!address_of_literal(str_of(host), &address))
        fail_msg("%s is no address", text);
    return address_is_private((struct sockaddr *)&address);
}

static void check(const char *text, bool expected, const char *what)
{
    if (is_private(text) != expected)
        fail_msg("%s (%s): expected %s, got %s", text, what,
                 expected ? "private" : "public",
                 expected ? "public" : "private");
}

/* The registry of special-purpose IPv4 addresses, and multicast. The neighbours
 * are NULL where another block begins there. */
static const struct {
    const char *name, *before, *first, *last, *after;
} v4_blocks[] = {
    {"this network", NULL, "0.0.0.0", "0.255.255.255", "1.0.0.0"},
    {"private use", "9.255.255.255", "10.0.0.0", "10.255.255.255", "11.0.0.0"},
    {"shared", "100.63.255.255", "100.64.0.0", "100.127.255.255",
     "100.128.0.0"},
    {"loopback", "126.255.255.255", "127.0.0.0", "127.255.255.255",
     "128.0.0.0"},
    {"link local", "169.253.255.255", "169.254.0.0", "169.254.255.255",
     "169.255.0.0"},
    {"private use", "172.15.255.255", "172.16.0.0", "172.31.255.255",
     "172.32.0.0"},
    {"protocol assignments", "191.255.255.255", "192.0.0.0", "192.0.0.255",
     "192.0.1.0"},
    {"TEST-NET-1", "192.0.1.255", "192.0.2.0", "192.0.2.255", "192.0.3.0"},
    {"6to4 relays", "192.88.98.255", "192.88.99.0", "192.88.99.255",
     "192.88.100.0"},
    {"private use", "192.167.255.255", "192.168.0.0", "192.168.255.255",
     "192.169.0.0"},
    {"benchmarking", "198.17.255.255", "198.18.0.0", "198.19.255.255",
     "198.20.0.0"},
    {"TEST-NET-2", "198.51.99.255", "198.51.100.0", "198.51.100.255",
     "198.51.101.0"},
    {"TEST-NET-3", "203.0.112.255", "203.0.113.0", "203.0.113.255",
     "203.0.114.0"},
    {"multicast", "223.255.255.255", "224.0.0.0", "239.255.255.255", NULL},
    {"reserved", NULL, "240.0.0.0", "255.255.255.254", NULL},
    {"broadcast", NULL, "255.255.255.255", "255.255.255.255", NULL},
};

static void v4(void **state)
{
    (void)state;
    for (size_t i = 0; i < ARRAY_LEN(v4_blocks); i++) {
        if (v4_blocks[i].before)
            check(v4_blocks[i].before, false, v4_blocks[i].name);
        check(v4_blocks[i].first, true, v4_blocks[i].name);
        check(v4_blocks[i].last, true, v4_blocks[i].name);
        if (v4_blocks[i].after)
            check(v4_blocks[i].after, false, v4_blocks[i].name);
    }
}

/* What embeds an IPv4 address is as private as that one. */
static void embedded(void **state)
{
    (void)state;
    for (size_t i = 0; i < ARRAY_LEN(v4_blocks); i++) {
        const char *inner[] = {v4_blocks[i].before, v4_blocks[i].first,
                               v4_blocks[i].last, v4_blocks[i].after};
        for (size_t j = 0; j < ARRAY_LEN(inner); j++) {
            struct in_addr v4;
            char text[64];
            bool expected = j == 1 || j == 2;

            if (!inner[j])
                continue;
            snprintf(text, sizeof(text), "::ffff:%s", inner[j]);
            check(text, expected, "mapped");
            snprintf(text, sizeof(text), "64:ff9b::%s", inner[j]);
            check(text, expected, "NAT64");
            inet_pton(AF_INET, inner[j], &v4);
            uint32_t ip = ntohl(v4.s_addr);
            snprintf(text, sizeof(text), "2002:%x:%x::1", ip >> 16,
                     ip & 0xffff);
            check(text, expected, "6to4");
        }
    }
}

#define ONES "ffff:ffff:ffff:ffff:ffff"

/* The registry of special-purpose IPv6 addresses. All that is public lies in
 * 2000::/3, so there is a public neighbour only inside that. */
static const struct {
    const char *address;
    bool is_private;
} v6_addresses[] = {
    /* unspecified, loopback, IPv4-compatible */
    {"::", true},
    {"::1", true},
    {"::2", true},
    {"::8.8.8.8", true},
    /* just outside mapped and NAT64: no place on the net */
    {"::fffe:8.8.8.8", true},
    {"::1:ffff:8.8.8.8", true},
    {"::ffff:0:8.8.8.8", true},
    {"64:ff9a:ffff:ffff:ffff:ffff:808:808", true},
    {"64:ff9b::1:808:808", true},
    /* local-use NAT64 */
    {"64:ff9b:1::", true},
    {"64:ff9b:1::8.8.8.8", true},
    {"64:ff9b:1:" ONES, true},
    {"64:ff9b:2::", true},
    /* discard-only, dummy prefix */
    {"100::", true},
    {"100::ffff:ffff:ffff:ffff", true},
    {"100:0:0:1::", true},
    /* the edges of global unicast */
    {"1fff:ffff:ffff:" ONES, true},
    {"2000::", false},
    {"3ffe:ffff:ffff:" ONES, false},
    {"4000::", true},
    /* protocol assignments: Teredo, benchmarking, ORCHID, ... */
    {"2000:ffff:ffff:" ONES, false},
    {"2001::", true},
    {"2001:0:ffff:" ONES, true},
    {"2001:2::", true},
    {"2001:2:0:" ONES, true},
    {"2001:10::", true},
    {"2001:1ff:ffff:" ONES, true},
    {"2001:200::", false},
    /* documentation */
    {"2001:db7:ffff:" ONES, false},
    {"2001:db8::", true},
    {"2001:db8:ffff:" ONES, true},
    {"2001:db9::", false},
    {"3fff::", true},
    {"3fff:fff:ffff:" ONES, true},
    {"3fff:1000::", false},
    /* 6to4's own neighbours */
    {"2001:ffff:ffff:" ONES, false},
    {"2003::", false},
    /* segment routing */
    {"5f00::", true},
    {"5f00:ffff:ffff:" ONES, true},
    /* unique local */
    {"fc00::", true},
    {"fdff:ffff:ffff:" ONES, true},
    /* link-local, site-local, multicast */
    {"fe80::", true},
    {"fe80::1", true},
    {"febf:ffff:ffff:" ONES, true},
    {"fec0::", true},
    {"feff:ffff:ffff:" ONES, true},
    {"ff00::", true},
    {"ff02::1", true},
    {"ffff:ffff:ffff:" ONES, true},
    /* and some that people use */
    {"2606:4700:4700::1111", false},
    {"2001:4860:4860::8888", false},
    {"2a00:1450:4001:828::200e", false},
};

static void v6(void **state)
{
    (void)state;
    for (size_t i = 0; i < ARRAY_LEN(v6_addresses); i++)
        check(v6_addresses[i].address, v6_addresses[i].is_private, "IPv6");
}

/* What is neither is not for us to connect to. */
static void other_families(void **state)
{
    struct sockaddr_un local = {.sun_family = AF_UNIX};
    struct sockaddr none = {.sa_family = AF_UNSPEC};

    (void)state;
    assert_true(address_is_private((struct sockaddr *)&local));
    assert_true(address_is_private(&none));
}

static void literals(void **state)
{
    static const struct {
        const char *host, *address; /* NULL: not a literal */
    } cases[] = {
        {"127.0.0.1", "127.0.0.1"},
        {"0.0.0.0", "0.0.0.0"},
        {"[::1]", "::1"},
        {"[2001:db8::ff]", "2001:db8::ff"},
        {"[::ffff:7f00:1]", "::ffff:127.0.0.1"},
        {"example.org", NULL},
        {"localhost", NULL},
        {"127.0.0.1.", NULL},
        {"1.2.3", NULL},
        {"256.1.1.1", NULL},
        {"::1", NULL},
        {"[127.0.0.1]", NULL},
        {"[]", NULL},
        {"[", NULL},
        {"]", NULL},
        {"", NULL},
        {"[::1", NULL},
        {"[::1]]", NULL},
        {"[fe80::1%25eth0]", NULL},
        {"a-host-name-that-is-longer-than-any-address-could-ever-be.example",
         NULL},
    };

    (void)state;
    for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
        struct sockaddr_storage address;
        char got[INET6_ADDRSTRLEN] = "nothing";
        if (address_of_literal(str_of(cases[i].host), &address))
            inet_ntop(
                address.ss_family,
                address.ss_family == AF_INET6
                    ? (void *)&((struct sockaddr_in6 *)&address)->sin6_addr
                    : (void *)&((struct sockaddr_in *)&address)->sin_addr,
                got, sizeof(got));
        const char *expected = cases[i].address ? cases[i].address : "nothing";
        if (strcmp(got, expected) != 0)
            fail_msg("%s: expected %s, got %s", cases[i].host, expected, got);
    }
    /* A slice that is not there at all. */
    struct sockaddr_storage address;
    assert_false(address_of_literal((struct str){0}, &address));
}

static struct sockaddr_storage address_and_port(const char *host,
                                                unsigned short port)
{
    struct sockaddr_storage address;

    if (!address_of_literal(str_of(host), &address))
        fail_msg("%s is no address", host);
    /* The port is at the same place in both. */
    ((struct sockaddr_in *)&address)->sin_port = htons(port);
    return address;
}

static void own_address(void **state)
{
    static const struct {
        const char *to, *own;
        bool leads;
    } cases[] = {
        {"127.0.0.1", "127.0.0.1", true},
        {"[::1]", "[::1]", true},
        {"[::ffff:127.0.0.1]", "127.0.0.1", true},
        {"0.0.0.0", "127.0.0.1", true},
        {"[::ffff:0.0.0.0]", "127.0.0.1", true},
        {"[::]", "[::1]", true},
        {"127.0.0.2", "127.0.0.1", false},
        {"[::1]", "127.0.0.1", false},
        {"[::2]", "[::1]", false},
    };

    (void)state;
    for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
        struct sockaddr_storage to = address_and_port(cases[i].to, 8080);
        struct sockaddr_storage other = address_and_port(cases[i].to, 8081);
        struct sockaddr_storage own = address_and_port(cases[i].own, 8080);
        if (address_leads_to((struct sockaddr *)&to, (struct sockaddr *)&own) !=
            cases[i].leads)
            fail_msg("from %s to %s", cases[i].to, cases[i].own);
        assert_false(address_leads_to((struct sockaddr *)&other,
                                      (struct sockaddr *)&own));
    }
    struct sockaddr_un local = {.sun_family = AF_UNIX};
    assert_false(
        address_leads_to((struct sockaddr *)&local, (struct sockaddr *)&local));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(v4),       cmocka_unit_test(embedded),
        cmocka_unit_test(v6),       cmocka_unit_test(other_families),
        cmocka_unit_test(literals), cmocka_unit_test(own_address),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
