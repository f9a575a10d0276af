#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>

#include <cmocka.h>

#include "page/named.h"

enum { RULES_MAX = 4 };

static void which_rules_are_good(void **state)
{
    static const struct {
        const char *rule;
        bool good;
    } cases[] = {
        {"a.example:80:b.example:8080", true},
        {"::127.0.0.1:8080", true},
        {":80::8080", true},
        {":::", true},
        {"a.example:::", true},
        {"[::1]:80:[::1]:8080", true},
        {"::[::1]:8080", true},
        {"b\xc3\xbc"
         "cher.example:80:localhost:1",
         true},
        {"", false},
        {":", false},
        {"::", false},
        {"a.example", false},
        {"a.example:80", false},
        {"a.example:80:b.example", false},
        {"a.example:80:b.example:80:81", false},
        {"a.example:x:b.example:80", false},
        {"a.example:80:b.example:x", false},
        {"a.example:-1:b.example:80", false},
        {"a.example:65536:b.example:80", false},
        {"a.example:80:b.example:65536", false},
        {"a.example:65535:b.example:65535", true},
        {"a.example: 80:b.example:80", false},
        {"[::1:80:b.example:80", false},
        {"::1:80:b.example:80", false},
        {"a b:80:c:80", false},
        {"a/b:80:c:80", false},
        {"u@a:80:c:80", false},
        {"a?b:80:c:80", false},
        {"a#b:80:c:80", false},
        {"a\\b:80:c:80", false},
    };

    (void)state;
    for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
        struct named named;
        named_init(&named);
        if (named_add_connect_to(&named, str_of(cases[i].rule)) !=
            cases[i].good)
            fail_msg("%s: expected %d", cases[i].rule, cases[i].good);
        named_release(&named);
    }
}

static void who_may_be_private(void **state)
{
    static const struct {
        const char *host; /* that the user named, or NULL */
        const char *rules[RULES_MAX];
        const char *asked;
        uint16_t port;
        bool allowed;
    } cases[] = {
        {NULL, {NULL}, "a.example", 80, false},
        {"a.example", {NULL}, "a.example", 80, true},
        {"a.example", {NULL}, "a.example", 8080, true},
        {"a.example", {NULL}, "www.a.example", 80, false},
        {"a.example", {NULL}, "example", 80, false},
        {"[::1]", {NULL}, "[::1]", 80, true},
        {"127.0.0.1", {NULL}, "127.0.0.2", 80, false},
        /* A rule that applies names its target. */
        {NULL, {"::127.0.0.1:1"}, "any.example", 80, true},
        {NULL, {"a.example:80:127.0.0.1:1"}, "a.example", 80, true},
        {NULL, {"a.example:80:127.0.0.1:1"}, "a.example", 81, false},
        {NULL, {"a.example:80:127.0.0.1:1"}, "b.example", 80, false},
        {NULL, {"A.Example:80:127.0.0.1:1"}, "a.example", 80, true},
        {NULL, {"a.example::127.0.0.1:"}, "a.example", 81, true},
        {NULL, {":443:127.0.0.1:"}, "a.example", 443, true},
        {NULL, {":443:127.0.0.1:"}, "a.example", 80, false},
        {NULL, {"[::1]:80:[::2]:80"}, "[::1]", 80, true},
        {NULL, {"[0:0::1]:80:[::2]:80"}, "[::1]", 80, true},
        /* Only the port changes: the host is still the URL's. */
        {NULL, {"a.example:80::8080"}, "a.example", 80, false},
        {"a.example", {"a.example:80::8080"}, "a.example", 80, true},
        /* The first rule that fits is the one that libcurl takes ... */
        {NULL, {":::8080", "::127.0.0.1:1"}, "a.example", 80, false},
        {NULL, {"::127.0.0.1:1", ":::8080"}, "a.example", 80, true},
        {NULL, {"b.example:::8080", "::127.0.0.1:1"}, "a.example", 80, true},
        /* ... unless it says nothing at all: libcurl goes on then. */
        {NULL, {":::", "::127.0.0.1:1"}, "a.example", 80, true},
        {NULL, {"a.example:80::", ":::81"}, "a.example", 80, false},
    };

    (void)state;
    for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
        struct named named;
        named_init(&named);
        if (cases[i].host)
            named_add_host(&named, str_of(cases[i].host));
        for (size_t j = 0; j < RULES_MAX && cases[i].rules[j]; j++)
            assert_true(
                named_add_connect_to(&named, str_of(cases[i].rules[j])));
        if (named_allows_private(&named, str_of(cases[i].asked),
                                 cases[i].port) != cases[i].allowed)
            fail_msg("case %zu, %s:%d with %s: expected %d", i, cases[i].asked,
                     cases[i].port,
                     cases[i].rules[0] ? cases[i].rules[0] : "no rule",
                     cases[i].allowed);
        named_release(&named);
    }
}

/* The rules go to libcurl in order, hosts as parsed URLs have them. */
static void rules_for_libcurl(void **state)
{
    static const char *const given[] = {
        "B\303\234CHER.Example:80:Target.Example:1",
        "bad",
        "[0:0::1]::[0:0::2]:2",
        ":::",
    };
    static const char *const expected[] = {
        "xn--bcher-kva.example:80:Target.Example:1",
        "[::1]::[0:0::2]:2",
        ":::",
    };
    struct named named;

    (void)state;
    named_init(&named);
    assert_null(named_connect_to(&named)[0]);
    for (size_t i = 0; i < ARRAY_LEN(given); i++)
        named_add_connect_to(&named, str_of(given[i]));
    const char *const *got = named_connect_to(&named);
    for (size_t i = 0; i < ARRAY_LEN(expected); i++)
        assert_string_equal(got[i], expected[i]);
    assert_null(got[ARRAY_LEN(expected)]);
    named_release(&named);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(which_rules_are_good),
        cmocka_unit_test(who_may_be_private),
        cmocka_unit_test(rules_for_libcurl),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
