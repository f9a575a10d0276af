/* Registrable domains against the public suffix list's own cases. */
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>

#include <cmocka.h>

#include "support/conformance.h"
#include "url/domain.h"
#include "url/url.h"

/* The host as a URL has it, so in lower case and ASCII. */
static struct str host_of(struct str name, struct arena *arena)
{
    struct url url;
    char text[512];

    snprintf(text, sizeof(text), "http://%.*s/", (int)name.len, name.ptr);
    if (url_parse(&url, arena, str_of(text), NULL, NULL))
        return STR("");
    return url_host(&url);
}

static void cases(void **state)
{
    struct domains *domains = domains_new();
    unsigned failed = 0, rows_run = 0;
    struct arena arena;

    (void)state;
    arena_init(&arena);
    const struct json *rows = conformance_json("psl/psl_cases.json", &arena);
    for (size_t i = 0; i < json_count(rows); i++) {
        const struct json *in = json_get(json_at(rows, i), "in");
        const struct json *expected = json_get(json_at(rows, i), "registrable");
        struct str host = host_of(json_str(in), &arena);
        struct str got = domain_of_host(domains, host);

        /* What has no registrable domain is its own. */
        struct str want = json_is(expected, JSON_NULL)
                              ? host
                              : host_of(json_str(expected), &arena);
        rows_run++;
        if (!str_eq(got, want)) {
            failed++;
            printf("%s: want %.*s, got %.*s\n", json_str(in).ptr, (int)want.len,
                   want.ptr, (int)got.len, got.ptr);
        }
    }
    domains_free(domains);
    arena_release(&arena);
    if (!rows_run)
        skip();
    printf("psl_cases.json: %u rows\n", rows_run);
    assert_int_equal(failed, 0);
    assert_int_equal(rows_run, 78);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(cases)};

    return cmocka_run_group_tests(tests, NULL, NULL);
}
