/* The memory that the rules of all hosts take. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

#include "base/buf.h"
#include "base/mem.h"
#include "frontier/rules.h"

enum { HOSTS = 1000, ALL_MAX = 40 << 20 };

/* A file with so many rules. */
static struct robots *rules_of(size_t count)
{
    struct buf text;

    buf_init(&text, 1 << 20);
    buf_put(&text, STR("User-agent: *\n"));
    for (size_t i = 0; i < count; i++)
        buf_printf(&text, "Disallow: /%zu/private\n", i);
    struct robots *rules = robots_new(buf_str(&text), STR("crawler"));
    buf_release(&text);
    return rules;
}

static size_t total(const struct host_robots *robots, size_t *known)
{
    size_t bytes = 0;

    *known = 0;
    for (size_t i = 0; i < HOSTS; i++) {
        *known += robots[i].until_ms > 0;
        bytes += robots[i].rules ? robots_size(robots[i].rules) : 0;
    }
    return bytes;
}

static void those_asked_for_first_go(void **state)
{
    struct rules rules = {0};
    struct host_robots *robots = mem_array(HOSTS, sizeof(*robots));
    size_t known;

    (void)state;
    for (size_t i = 0; i < HOSTS; i++) {
        rules_set(&rules, &robots[i], rules_of(i % 2 ? 10000 : 3));
        robots[i].until_ms = 1;
    }
    assert_in_range(total(robots, &known), 1, ALL_MAX);
    /* Small ones stay, and of the others those that came last. */
    assert_in_range(known, HOSTS / 2 + 10, HOSTS - 10);
    assert_non_null(robots[0].rules);
    assert_null(robots[1].rules);
    assert_int_equal(robots[1].until_ms, 0);
    assert_non_null(robots[HOSTS - 1].rules);
    /* In its place, twice, and away. */
    rules_set(&rules, &robots[HOSTS - 1], rules_of(5000));
    rules_set(&rules, &robots[HOSTS - 1], NULL);
    for (size_t i = 0; i < HOSTS; i++)
        rules_drop(&rules, &robots[i]);
    assert_int_equal(rules.bytes, 0);
    assert_null(rules.oldest);
    assert_null(rules.newest);
    free(robots);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(those_asked_for_first_go),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
