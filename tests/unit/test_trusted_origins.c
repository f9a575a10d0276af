#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>

#include <cmocka.h>

#include "page/trusted_origins.h"

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
        struct trusted_origins origins;
        origins_init(&origins);
        if (origins_add_connect_to(&origins, str_of(cases[i].rule)) !=
            cases[i].good)
            fail_msg("%s: expected %d", cases[i].rule, cases[i].good);
        origins_release(&origins);
    }
}

static void add(struct trusted_origins *origins, const char *text)
{
    struct url url;

    assert_int_equal(url_parse(&url, &origins->arena, str_of(text), NULL, NULL),
                     ERR_NONE);
    origins_add(origins, &url);
}

static void who_may_be_private(void **state)
{
    static const struct {
        const char *url; /* that the user named, or NULL */
        const char *rules[RULES_MAX];
        const char *asked;
        uint16_t port;
        bool allowed;
    } cases[] = {
        {NULL, {NULL}, "a.example", 80, false},
        {"http://a.example/", {NULL}, "a.example", 80, true},
        {"http://a.example/", {NULL}, "a.example", 8080, true},
        {"http://a.example/", {NULL}, "www.a.example", 80, false},
        {"http://a.example/", {NULL}, "example", 80, false},
        {"http://[::1]/", {NULL}, "[::1]", 80, true},
        {"http://127.0.0.1/", {NULL}, "127.0.0.2", 80, false},
        /* A final dot does not make another host. */
        {"http://a.example./", {NULL}, "a.example", 80, true},
        {"http://a.example/", {NULL}, "a.example.", 80, true},
        {"http://a.example./", {NULL}, "b.example.", 80, false},
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
        {"http://a.example/", {"a.example:80::8080"}, "a.example", 80, true},
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
        struct trusted_origins origins;
        origins_init(&origins);
        if (cases[i].url)
            add(&origins, cases[i].url);
        for (size_t j = 0; j < RULES_MAX && cases[i].rules[j]; j++)
            assert_true(
                origins_add_connect_to(&origins, str_of(cases[i].rules[j])));
        if (origins_allow_private(&origins, str_of(cases[i].asked),
                                  cases[i].port) != cases[i].allowed)
            fail_msg("case %zu, %s:%d with %s: expected %d", i, cases[i].asked,
                     cases[i].port,
                     cases[i].rules[0] ? cases[i].rules[0] : "no rule",
                     cases[i].allowed);
        origins_release(&origins);
    }
}

/* The origin that was named, or its host's https where plain http was. */
static void who_gets_secrets(void **state)
{
    static const struct {
        const char *urls[2]; /* that the user named */
        const char *asked;
        bool gets;
    } cases[] = {
        {{NULL}, "http://a.example/", false},
        {{"http://a.example/x?y"}, "http://a.example/", true},
        {{"http://a.example/"}, "http://A.Example:80/z", true},
        {{"https://a.example/"}, "https://a.example:443/", true},
        {{"http://a.example:81/"}, "http://a.example:81/", true},
        {{"http://u:p@a.example/"}, "http://a.example/", true},
        {{"http://[::1]/"}, "http://[0::1]/", true},
        /* Another host. */
        {{"http://a.example/"}, "http://www.a.example/", false},
        {{"http://www.a.example/"}, "http://a.example/", false},
        {{"http://a.example/"}, "http://a.example@b.example/", false},
        /* Another port. */
        {{"http://a.example/"}, "http://a.example:8081/", false},
        {{"http://a.example:8081/"}, "http://a.example/", false},
        {{"http://a.example:8081/"}, "http://a.example:8082/", false},
        {{"https://a.example/"}, "https://a.example:8443/", false},
        {{"https://a.example:8443/"}, "https://a.example/", false},
        {{"http://a.example:0/"}, "http://a.example/", false},
        {{"http://a.example/"}, "http://a.example:0/", false},
        /* Never from https to http, whatever the port. */
        {{"https://a.example/"}, "http://a.example/", false},
        {{"https://a.example/"}, "http://a.example:443/", false},
        {{"https://a.example:8443/"}, "http://a.example:8443/", false},
        {{"https://a.example:80/"}, "http://a.example/", false},
        /* From http to https only from the one default port to the other. */
        {{"http://a.example/"}, "https://a.example/", true},
        {{"http://a.example/"}, "https://b.example/", false},
        {{"http://a.example/"}, "https://a.example:80/", false},
        {{"http://a.example/"}, "https://a.example:8443/", false},
        {{"http://a.example:443/"}, "https://a.example/", false},
        {{"http://a.example:8081/"}, "https://a.example/", false},
        {{"http://a.example:8081/"}, "https://a.example:8081/", false},
        /* Each that was named, but no mixture of two. */
        {{"https://a.example/", "http://a.example:81/"},
         "http://a.example:81/",
         true},
        {{"https://a.example/", "http://a.example:81/"},
         "https://a.example/",
         true},
        {{"https://a.example/", "http://a.example:81/"},
         "https://a.example:81/",
         false},
        {{"https://a.example/", "http://b.example/"},
         "http://a.example/",
         false},
    };

    (void)state;
    for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
        struct trusted_origins origins;
        struct url url;
        origins_init(&origins);
        /* Where a connection goes does not say for whom a secret is. */
        assert_true(origins_add_connect_to(&origins, STR("::127.0.0.1:1")));
        for (size_t j = 0; j < ARRAY_LEN(cases[i].urls); j++)
            if (cases[i].urls[j])
                add(&origins, cases[i].urls[j]);
        assert_int_equal(
            url_parse(&url, &origins.arena, str_of(cases[i].asked), NULL, NULL),
            ERR_NONE);
        if (origins_get_secrets(&origins, &url) != cases[i].gets)
            fail_msg("case %zu, %s: expected %d", i, cases[i].asked,
                     cases[i].gets);
        origins_release(&origins);
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
    struct trusted_origins origins;

    (void)state;
    origins_init(&origins);
    assert_null(origins.rules);
    for (size_t i = 0; i < ARRAY_LEN(given); i++)
        origins_add_connect_to(&origins, str_of(given[i]));
    const struct connect_rule *rule = origins.rules;
    for (size_t i = 0; i < ARRAY_LEN(expected); i++, rule = rule->next)
        assert_string_equal(rule->text.ptr, expected[i]);
    assert_null(rule);
    origins_release(&origins);
}

/* The origin that it is for, and no other at all. */
static void who_gets_a_login(void **state)
{
    static const struct {
        const char *asked;
        const char *name; /* NULL: none */
    } cases[] = {
        {"http://a.example/", "one"},
        {"http://A.example:80/x?y", "one"},
        {"http://other:pw@a.example/", "one"},
        {"https://a.example/", NULL},
        {"http://a.example:81/", "two"},
        {"https://a.example:81/", NULL},
        {"http://www.a.example/", NULL},
        {"http://a.example./", NULL},
        {"http://example/", NULL},
        {"https://b.example/", "three"},
        {"http://b.example/", NULL},
        {"http://b.example:443/", NULL},
        {"http://a.example@c.example/", NULL},
    };
    static const struct {
        const char *url, *login;
        bool good;
    } logins[] = {
        {"http://a.example/x", "one:1", true},
        {"http://a.example:81/", "two:2", true},
        {"https://b.example:443/", "three", true},
        {"http://a.example/y", "one:1", true},
        {"http://a.example/y", "one:2", false},
        {"http://a.example/y", "other:1", false},
    };
    struct trusted_origins origins;
    struct url url;

    (void)state;
    origins_init(&origins);
    assert_true(origins_add_connect_to(&origins, STR("::127.0.0.1:1")));
    for (size_t i = 0; i < ARRAY_LEN(logins); i++) {
        struct login login =
            login_read(&origins.arena, str_of(logins[i].login));
        assert_int_equal(
            url_parse(&url, &origins.arena, str_of(logins[i].url), NULL, NULL),
            ERR_NONE);
        if (origins_add_login(&origins, &url, &login) != logins[i].good)
            fail_msg("%s for %s", logins[i].login, logins[i].url);
    }
    for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
        assert_int_equal(
            url_parse(&url, &origins.arena, str_of(cases[i].asked), NULL, NULL),
            ERR_NONE);
        const struct login *login = origins_login(&origins, &url);
        if (!login != !cases[i].name ||
            (login && strcmp(login->name.ptr, cases[i].name) != 0))
            fail_msg("%s: got %s", cases[i].asked,
                     login ? login->name.ptr : "none");
    }
    assert_string_equal(origins.logins->origin.ptr, "http://a.example");
    assert_string_equal(origins.logins->next->origin.ptr,
                        "http://a.example:81");
    origins_release(&origins);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(which_rules_are_good),
        cmocka_unit_test(who_may_be_private),
        cmocka_unit_test(who_gets_secrets),
        cmocka_unit_test(who_gets_a_login),
        cmocka_unit_test(rules_for_libcurl),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
