/* The memory of changes: each thing once, and nothing that was freed. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

#include "base/mem.h"
#include "frontier/changes.h"
#include "frontier/host.h"
#include "support/random.h"

enum { COUNT = 50 };

struct fixture {
    struct changes changes;
    struct target *target[COUNT];
    struct host *host[COUNT];
    struct domain *domain[COUNT];
    bool expected[COUNT];
};

/* The number of a target, the key of a host and the fetches of a domain tell
 * which it is. */
static void begin(struct fixture *fixture)
{
    changes_init(&fixture->changes, true);
    for (size_t i = 0; i < COUNT; i++) {
        fixture->target[i] = NEW(struct target);
        fixture->target[i]->number = i;
        fixture->host[i] = NEW(struct host);
        fixture->host[i]->key = i;
        fixture->domain[i] = NEW(struct domain);
        fixture->domain[i]->score.crawled = (uint32_t)i;
    }
}

static void end(struct fixture *fixture)
{
    for (size_t i = 0; i < COUNT; i++) {
        free(fixture->target[i]);
        free(fixture->host[i]);
        free(fixture->domain[i]);
    }
    changes_release(&fixture->changes);
}

static void each_is_reported_once(void **state)
{
    static struct fixture fixture;
    struct random random = {.state = 7};

    (void)state;
    begin(&fixture);
    for (int round = 0; round < 2000; round++) {
        uint32_t i = random_below(&random, COUNT);
        bool freed = random_below(&random, 3) == 0;
        fixture.expected[i] = !freed;
        if (freed) {
            changes_remove_target(&fixture.changes, fixture.target[i]);
            changes_remove_host(&fixture.changes, fixture.host[i]);
        } else {
            changes_add_target(&fixture.changes, fixture.target[i]);
            changes_add_host(&fixture.changes, fixture.host[i]);
            changes_add_domain(&fixture.changes, fixture.domain[i]);
        }
    }
    bool was_domain[COUNT] = {false}, was_host[COUNT] = {false};
    const struct domain *domain;
    const struct host *host;
    const struct target *target;
    while ((domain = changes_take_domain(&fixture.changes))) {
        assert_false(was_domain[domain->score.crawled]);
        was_domain[domain->score.crawled] = true;
    }
    while ((host = changes_take_host(&fixture.changes)))
        was_host[host->key] = true;
    while ((target = changes_take_target(&fixture.changes))) {
        assert_true(fixture.expected[target->number] &&
                    was_host[target->number]);
        fixture.expected[target->number] = was_host[target->number] = false;
    }
    for (size_t i = 0; i < COUNT; i++)
        assert_true(!fixture.expected[i] && !was_host[i] && was_domain[i]);
    end(&fixture);
}

static void a_reported_change_may_change_again(void **state)
{
    struct changes changes;
    struct target target = {0};
    struct domain domain = {0};

    (void)state;
    changes_init(&changes, true);
    for (int i = 0; i < 3; i++) {
        changes_add_target(&changes, &target);
        changes_add_target(&changes, &target);
        changes_add_domain(&changes, &domain);
        assert_ptr_equal(changes_take_target(&changes), &target);
        assert_null(changes_take_target(&changes));
        assert_ptr_equal(changes_take_domain(&changes), &domain);
        assert_null(changes_take_domain(&changes));
    }
    changes_release(&changes);
}

static void nothing_is_kept_that_nobody_wants(void **state)
{
    struct changes changes;
    struct target target = {0};
    struct host host = {0};
    struct domain domain = {0};

    (void)state;
    changes_init(&changes, false);
    changes_add_target(&changes, &target);
    changes_add_host(&changes, &host);
    changes_add_domain(&changes, &domain);
    assert_null(changes_take_target(&changes));
    assert_null(changes_take_host(&changes));
    assert_null(changes_take_domain(&changes));
    changes_release(&changes);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(each_is_reported_once),
        cmocka_unit_test(a_reported_change_may_change_again),
        cmocka_unit_test(nothing_is_kept_that_nobody_wants),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
