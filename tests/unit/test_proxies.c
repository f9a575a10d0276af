#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "page/proxies.h"

struct variable {
    const char *name, *value;
};

/* The environment of a test: getenv has no argument for it. */
static const struct variable *variables;

static char *get(const char *name)
{
    for (const struct variable *at = variables; at->name; at++)
        if (!strcmp(at->name, name))
            return (char *)(uintptr_t)at->value;
    return NULL;
}

static void names_of_variables(void **state)
{
    static const struct {
        struct variable variable[4];
        const char *http, *https, *except;
    } rows[] = {
        {{{NULL, NULL}}, NULL, NULL, NULL},
        {{{"http_proxy", "a"}}, "a", NULL, NULL},
        {{{"http_proxy", ""}}, NULL, NULL, NULL},
        {{{"HTTP_PROXY", "a"}}, NULL, NULL, NULL},
        {{{"https_proxy", "a"}}, NULL, "a", NULL},
        {{{"HTTPS_PROXY", "a"}}, NULL, "a", NULL},
        {{{"HTTPS_PROXY", "a"}, {"https_proxy", "b"}}, NULL, "b", NULL},
        {{{"all_proxy", "a"}}, "a", "a", NULL},
        {{{"ALL_PROXY", "a"}, {"http_proxy", "b"}}, "b", "a", NULL},
        {{{"no_proxy", "x"}}, NULL, NULL, "x"},
        {{{"NO_PROXY", "x"}}, NULL, NULL, "x"},
    };

    (void)state;
    for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
        variables = rows[i].variable;
        struct proxies got = proxies_of_environment(get);
        const char *pairs[][2] = {{rows[i].http, got.http},
                                  {rows[i].https, got.https},
                                  {rows[i].except, got.except}};
        for (size_t j = 0; j < ARRAY_LEN(pairs); j++)
            if (!pairs[j][0] != !pairs[j][1] ||
                (pairs[j][0] && strcmp(pairs[j][0], pairs[j][1]) != 0))
                fail_msg("row %zu, value %zu", i, j);
    }
}

static void exceptions(void **state)
{
    static const struct {
        const char *except, *url, *proxy;
    } rows[] = {
        {NULL, "http://a.org/", "plain"},
        {NULL, "https://a.org/", "tls"},
        {"a.org", "http://a.org/", NULL},
        {"a.org", "https://a.org:444/", NULL},
        {"a.org", "http://w.a.org/", NULL},
        {".a.org", "http://a.org/", NULL},
        {"a.org.", "http://a.org/", NULL},
        {"a.org", "http://a.org./", NULL},
        {"A.ORG", "http://a.org/", NULL},
        {"a.org", "http://ba.org/", "plain"},
        {"w.a.org", "http://a.org/", "plain"},
        {"b.org,a.org", "http://a.org/", NULL},
        {" b.org  a.org ", "http://a.org/", NULL},
        {",,", "http://a.org/", "plain"},
        {"*", "http://a.org/", NULL},
        {"*.org", "http://a.org/", "plain"},
        {"192.0.2.1", "http://192.0.2.1/", NULL},
        {"192.0.2.1", "http://192.0.2.11/", "plain"},
        {"192.0.2.0/24", "http://192.0.2.200/", NULL},
        {"192.0.2.0/25", "http://192.0.2.200/", "plain"},
        {"192.0.2.128/25", "http://192.0.2.200/", NULL},
        {"0.0.0.0/0", "http://192.0.2.200/", NULL},
        {"192.0.2.0/33", "http://192.0.2.200/", "plain"},
        {"192.0.2.0/", "http://192.0.2.0/", "plain"},
        {"::1", "http://[::1]/", NULL},
        {"[::1]", "http://[::1]/", NULL},
        {"2001:db8::/32", "http://[2001:db8:1::2]/", NULL},
        {"2001:db8::/32", "http://[2001:db9::2]/", "plain"},
        {"1", "http://192.0.2.1/", "plain"},
    };
    struct arena arena;

    (void)state;
    arena_init(&arena);
    for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
        const struct proxies proxies = {"plain", "tls", rows[i].except};
        struct url url;
        assert_int_equal(
            url_parse(&url, &arena, str_of(rows[i].url), NULL, NULL), 0);
        const char *got = proxies_for(&proxies, &url);
        if (!got != !rows[i].proxy || (got && strcmp(got, rows[i].proxy) != 0))
            fail_msg("no_proxy=%s, %s: %s", rows[i].except, rows[i].url,
                     got ? got : "none");
    }
    arena_release(&arena);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(names_of_variables),
        cmocka_unit_test(exceptions),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
