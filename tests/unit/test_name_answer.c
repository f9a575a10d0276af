/* Addresses of a name: which are used, in which order; and names as they are
 * looked up. */
#include <arpa/inet.h>
#include <setjmp.h>
#include <stdarg.h>

#include <cmocka.h>

#include "base/buf.h"
#include "names/dns_servers.h"
#include "names/name_answer.h"

/* "1 a 2": IPv4 addresses are digits, IPv6 ones are letters. */
static void add_all(struct name_answer *answer, const char *text)
{
    for (; *text; text++)
        if (ascii_is_digit(*text))
            name_answer_add_v4(
                answer, &(struct in_addr){htonl(0x01010100 + (uint32_t)*text)});
        else if (*text != ' ')
            name_answer_add(
                answer,
                &(struct in6_addr){.s6_addr = {0x20, [15] = (uint8_t)*text}});
}

static void addresses_take_turns(void **state)
{
    static const struct {
        const char *given;
        bool has_ipv6;
        const char *sorted;
    } rows[] = {
        {"", true, ""},
        {"1 2 3", true, "123"},
        {"1 2 3", false, "123"},
        {"a b c", true, "abc"},
        {"a b c", false, "abc"},
        {"1 2 a b", true, "a1b2"},
        {"1 2 a b", false, "12ab"},
        {"a b c 1", true, "a1bc"},
        {"a 1 2 3", true, "a123"},
        {"1 1 a a 1", true, "a1"},
        {"1234567890abcdefghij", true, "a1b2c3d4e5f67890"},
    };

    (void)state;
    for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
        struct name_answer answer = {0};
        char got[NAME_ADDRESSES_MAX + 1] = "";

        add_all(&answer, rows[i].given);
        name_answer_sort(&answer, rows[i].has_ipv6);
        for (unsigned k = 0; k < answer.count; k++)
            got[k] = (char)answer.address[k].s6_addr[15];
        assert_string_equal(got, rows[i].sorted);
    }
}

static void names_are_normalized(void **state)
{
    static const struct {
        struct str given;
        const char *name; /* NULL: it is none */
    } rows[] = {
        {STR_INIT("example.org"), "example.org"},
        {STR_INIT("Example.ORG."), "example.org"},
        {STR_INIT("a_b.example"), "a_b.example"},
        {STR_INIT("intranet"), "intranet"},
        {STR_INIT(""), NULL},
        {STR_INIT("."), NULL},
        {STR_INIT("a\0b"), NULL},
    };
    char name[NAME_LEN_MAX + 1], large[NAME_LEN_MAX + 2];
    size_t len;

    (void)state;
    for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
        bool good = name_normalize(rows[i].given, name, &len);
        assert_int_equal(good, rows[i].name != NULL);
        if (good) {
            assert_string_equal(name, rows[i].name);
            assert_int_equal(len, strlen(name));
        }
    }
    memset(large, 'a', sizeof(large));
    assert_true(name_normalize((struct str){large, NAME_LEN_MAX}, name, &len));
    assert_false(
        name_normalize((struct str){large, NAME_LEN_MAX + 1}, name, &len));
    large[NAME_LEN_MAX] = '.';
    assert_true(
        name_normalize((struct str){large, NAME_LEN_MAX + 1}, name, &len));
}

static void servers_are_addresses(void **state)
{
    static const struct {
        const char *given, *servers; /* NULL: a mistake */
    } rows[] = {
        {"192.0.2.1", "192.0.2.1:53"},
        {"192.0.2.1:5353", "192.0.2.1:5353"},
        {"2001:db8::1", "[2001:db8::1]:53"},
        {"[2001:db8::1]", "[2001:db8::1]:53"},
        {"[2001:db8::1]:65535", "[2001:db8::1]:65535"},
        {"192.0.2.1,::1,[::2]:5", "192.0.2.1:53,[::1]:53,[::2]:5"},
        {"", NULL},
        {"192.0.2", NULL},
        {"192.0.2.1:", NULL},
        {"192.0.2.1:0", NULL},
        {"192.0.2.1:65536", NULL},
        {"192.0.2.1:+1", NULL},
        {"192.0.2.1,", NULL},
        {",192.0.2.1", NULL},
        {"192.0.2.1 ,192.0.2.2", NULL},
        {"[192.0.2.1]", NULL},
        {"[::1", NULL},
        {"[::1]53", NULL},
        {"[::1]:", NULL},
        {"fe80::1%eth0", NULL},
        {"dns.example", NULL},
    };

    (void)state;
    for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
        struct buf out;

        buf_init(&out, 1000);
        bool good = dns_servers_parse(str_of(rows[i].given), &out);
        if (good != (rows[i].servers != NULL))
            fail_msg("'%s'", rows[i].given);
        if (good)
            assert_string_equal(buf_cstr(&out), rows[i].servers);
        buf_release(&out);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(addresses_take_turns),
        cmocka_unit_test(names_are_normalized),
        cmocka_unit_test(servers_are_addresses),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
