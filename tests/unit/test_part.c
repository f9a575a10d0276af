#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>

#include <cmocka.h>

#include "fleet/part.h"

/* These are fixed for ever: another value would tear every crawl apart that is
 * kept in an engine. */
static void fixed_vectors(void **state)
{
    static const struct {
        struct str domain;
        uint64_t seed;
        uint32_t partitions, part;
    } cases[] = {
        {STR_INIT("example.org"), 0, 256, 69},
        {STR_INIT("example.org"), 1, 256, 190},
        {STR_INIT("example.com"), 1, 256, 210},
        {STR_INIT("127.0.0.1"), 1, 256, 172},
        {STR_INIT("[::1]"), UINT64_MAX, 4096, 2197},
        {STR_INIT("xn--bcher-kva.example"), 12345, 1000, 169},
        {STR_INIT(""), 7, 16, 8},
        {STR_INIT("example.org"), 99, 1, 0},
    };

    (void)state;
    for (size_t i = 0; i < ARRAY_LEN(cases); i++)
        assert_int_equal(
            partition_of(cases[i].domain, cases[i].seed, cases[i].partitions),
            cases[i].part);
}

static void domains_are_spread(void **state)
{
    enum { DOMAINS = 25600, PARTITIONS = 256 };
    unsigned count[PARTITIONS] = {0};

    (void)state;
    for (unsigned i = 0; i < DOMAINS; i++) {
        char text[32];
        int len = snprintf(text, sizeof(text), "site-%u.example", i);

        count[partition_of((struct str){text, (size_t)len}, 5, PARTITIONS)]++;
    }
    for (unsigned i = 0; i < PARTITIONS; i++)
        assert_true(count[i] > 50 && count[i] < 150);
}

static void a_set_knows_its_members(void **state)
{
    static const uint32_t member[] = {0, 1, 63, 64, 200, 4095};
    struct part_set set = {0};
    size_t at = 0;

    (void)state;
    assert_int_equal(part_set_next(&set, 0), FLEET_PARTITIONS_MAX);
    for (size_t i = ARRAY_LEN(member); i-- > 0;) {
        assert_true(part_set_add(&set, member[i]));
        assert_false(part_set_add(&set, member[i]));
    }
    assert_int_equal(set.count, ARRAY_LEN(member));
    for (uint32_t part = part_set_next(&set, 0); part < FLEET_PARTITIONS_MAX;
         part = part_set_next(&set, part + 1))
        assert_int_equal(part, member[at++]);
    assert_int_equal(at, ARRAY_LEN(member));
    assert_true(part_set_remove(&set, 64));
    assert_false(part_set_remove(&set, 64));
    assert_false(part_set_has(&set, 64));
    assert_int_equal(part_set_next(&set, 64), 200);
    assert_int_equal(set.count, ARRAY_LEN(member) - 1);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(fixed_vectors),
        cmocka_unit_test(domains_are_spread),
        cmocka_unit_test(a_set_knows_its_members),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
