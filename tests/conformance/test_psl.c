/* Registrable domains against the public suffix list's own cases. */
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>

#include <cmocka.h>

#include "support/conformance.h"
#include "web/domain.h"
#include "web/url.h"

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

/* A line is a name and its registrable domain, either of which may be null. */
static void cases(void **state)
{
    struct domains *domains = domains_new();
    unsigned failed = 0, rows_run = 0;
    struct arena arena;
    struct buf file;

    (void)state;
    arena_init(&arena);
    buf_init(&file, 1 << 20);
    bool is_there = conformance_read("psl/tests.txt", &file);
    for (struct str rest = buf_str(&file); rest.len;) {
        struct str_pair line = str_cut(rest, '\n');
        struct str_pair row = str_cut(str_trim(line.head), ' ');

        rest = line.tail;
        if (!row.tail.len || str_starts(row.head, STR("//")))
            continue;
        struct str host = host_of(row.head, &arena);
        struct str got = domain_of_host(domains, host);
        /* What has no registrable domain is its own. */
        struct str want =
            str_eq(row.tail, STR("null")) ? host : host_of(row.tail, &arena);
        rows_run++;
        if (!str_eq(got, want)) {
            failed++;
            printf("%.*s: want %.*s, got %.*s\n", (int)row.head.len,
                   row.head.ptr, (int)want.len, want.ptr, (int)got.len,
                   got.ptr);
        }
    }
    buf_release(&file);
    arena_release(&arena);
    domains_free(domains);
    if (!is_there)
        skip();
    assert_int_equal(failed, 0);
    assert_int_equal(rows_run, 78);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(cases)};

    return cmocka_run_group_tests(tests, NULL, NULL);
}
