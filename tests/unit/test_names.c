/* Looking up the names of hosts: in turn, again, another address. */
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>

#include <cmocka.h>

#include "frontier/host_setup.h"
#include "support/frontier_fixture.h"

/* All that can be taken now: names are looked up in the next round, pages are
 * done at once. */
static size_t take_all(struct fixture *fixture, struct target **names,
                       size_t *pages, size_t *refused)
{
    struct target *target;
    size_t count = 0;

    while ((target = frontier_take(fixture->frontier, 0))) {
        if (target->verdict != ACCEPT) {
            frontier_drop(fixture->frontier, target, 0);
            ++*refused;
        } else if (target->kind == TARGET_RESOLVE) {
            names[count++] = target;
        } else if (target->kind == TARGET_ROBOTS) {
            frontier_robots(fixture->frontier, target, NULL, 0);
        } else {
            frontier_done(fixture->frontier, target, 0, 0);
            ++*pages;
        }
    }
    return count;
}

enum { NAMES = 2500 };

/* Not all names at once, but all in the end: found, not found, or not needed
 * any more because the domain has had its pages. */
static void names_are_looked_up_in_turn(void **state)
{
    static const struct {
        const char *format;
        uint64_t cap;
        size_t pages, most;
    } rows[] = {
        {"http://d%d.example/", 0, NAMES / 2, LOOKUPS_MAX},
        {"http://h%d.d.example/", 0, NAMES / 2, LOOKUPS_PER_DOMAIN},
        {"http://h%d.d.example/", 3, 3, LOOKUPS_PER_DOMAIN},
    };

    (void)state;
    for (size_t row = 0; row < ARRAY_LEN(rows); row++) {
        struct fixture fixture;
        struct target *names[NAMES];
        size_t pages = 0, refused = 0, most = 0, asked = 0, count;
        char url[64];

        set_up_hosts(&fixture, &(struct frontier_options){
                                   .resolve = true,
                                   .host_tries = 1,
                                   .max_per_domain = rows[row].cap,
                               });
        for (int i = 0; i < NAMES; i++) {
            snprintf(url, sizeof(url), rows[row].format, i);
            put(&fixture, url);
        }
        while ((count = take_all(&fixture, names, &pages, &refused))) {
            most = count > most ? count : most;
            for (size_t i = 0; i < count; i++, asked++)
                if (asked % 2)
                    frontier_setup_failed(fixture.frontier, names[i], 0, 0,
                                          CAUSE, false);
                else
                    frontier_resolved(fixture.frontier, names[i],
                                      &(struct ip){{1}}, 0);
        }
        assert_int_equal(most, rows[row].most);
        assert_int_equal(frontier_counts(fixture.frontier).queued, 0);
        assert_int_equal(pages + refused, NAMES);
        assert_int_equal(pages, rows[row].pages);
        tear_down(&fixture);
    }
}

/* Thousands of names of one domain, whose servers do not answer, and then
 * others: these are looked up at once, also where several belong together. */
static void names_of_a_domain_leave_room_for_others(void **state)
{
    struct fixture fixture;
    struct target *names[NAMES];
    size_t pages = 0, refused = 0;
    char url[64];

    (void)state;
    set_up_hosts(&fixture, &(struct frontier_options){.resolve = true});
    for (int i = 0; i < NAMES; i++) {
        snprintf(url, sizeof(url), "http://h%d.dead.example/", i);
        put(&fixture, url);
    }
    size_t dead = take_all(&fixture, names, &pages, &refused);
    assert_in_range(dead, 1, 16);
    for (int i = 0; i < 40; i++) {
        snprintf(url, sizeof(url), "http://h%d.big%d.example/", i, i % 4);
        put(&fixture, url);
    }
    /* Some of each, and the rest of them as these end. */
    for (size_t ended = 0; ended < 40;) {
        size_t count = take_all(&fixture, names + dead, &pages, &refused);
        for (size_t i = 0; i < count; i++)
            if (!strstr(names[dead + i]->url, ".dead.")) {
                frontier_resolved(fixture.frontier, names[dead + i],
                                  &(struct ip){{1}}, 0);
                ended++;
            } else {
                fail_msg("%s", names[dead + i]->url);
            }
    }
    for (size_t i = 0; i < dead; i++)
        frontier_setup_stopped(fixture.frontier, names[i], 0);
    tear_down(&fixture);
}

/* Breadth-first, many hosts of a domain wait for their names, and then one is
 * found that comes before all of them: one that is told of the end of each
 * look-up, and takes what there is then, gets to it. */
static void one_that_is_nearer_is_not_forgotten_in_a_line(void **state)
{
    struct fixture fixture;
    struct target *names[NAMES];
    char text[64];
    size_t waiting = 0, ended = 0;

    (void)state;
    set_up_hosts(&fixture, &(struct frontier_options){
                               .ranking = RANKING_BFS,
                               .resolve = true,
                           });
    for (int i = 0; i < 40 * NAMES; i++) {
        snprintf(text, sizeof(text), "http://h%d.big.example/", i);
        const struct url *url = parse(&fixture, text);
        const struct offer offer = {
            .url = url,
            .fingerprint = (uint64_t)i,
            .depth = 1,
        };
        frontier_put(fixture.frontier, &offer, 0);
    }
    while ((names[waiting] = frontier_take(fixture.frontier, 0)))
        waiting++;
    put(&fixture, "http://near.big.example/");
    take(&fixture, 0, ""); /* it is the last in line */
    while (ended < waiting && !strstr(names[ended]->url, "near")) {
        frontier_resolved(fixture.frontier, names[ended++], &(struct ip){{1}},
                          0);
        while (waiting < NAMES &&
               (names[waiting] = frontier_take(fixture.frontier, 0)))
            waiting++;
    }
    assert_true(ended < waiting);
    while (ended < waiting)
        frontier_setup_stopped(fixture.frontier, names[ended++], 0);
    tear_down(&fixture);
}

static void resolve(struct fixture *fixture, unsigned turn, uint8_t ip)
{
    struct target *target = frontier_take(fixture->frontier, 0);

    assert_int_equal(target->kind, TARGET_RESOLVE);
    assert_int_equal(frontier_address_turn(target), turn);
    frontier_resolved(fixture->frontier, target, &(struct ip){{ip}}, 0);
}

static void fetch_in_vain(struct fixture *fixture, struct target *target)
{
    frontier_note(fixture->frontier, target, HOST_SILENT, CAUSE);
    frontier_done(fixture->frontier, target, 0, 0);
}

/* After a silence another address is asked for, but not while a fetch from the
 * one before is under way: it must end where it began. */
static void addresses_in_turn(void **state)
{
    struct fixture fixture;
    struct target *first, *second;

    (void)state;
    set_up_hosts(&fixture, &(struct frontier_options){
                               .resolve = true,
                               .per_host = 2,
                               .host_tries = 9,
                           });
    for (char url[] = "http://a.example/1"; url[17] <= '6'; url[17]++)
        put(&fixture, url);
    resolve(&fixture, 0, 1);
    first = take(&fixture, 0, "http://a.example/1");
    second = take(&fixture, 0, "http://a.example/2");
    fetch_in_vain(&fixture, first);
    assert_int_equal(frontier_host_ip(second)->byte[0], 1);
    first = take(&fixture, 0, "http://a.example/3");
    fetch_in_vain(&fixture, second);
    fetch_in_vain(&fixture, first);
    resolve(&fixture, 1, 2);
    first = take(&fixture, 0, "http://a.example/4");
    assert_int_equal(frontier_host_ip(first)->byte[0], 2);
    fetch_in_vain(&fixture, first);
    resolve(&fixture, 2, 1);
    first = take(&fixture, 0, "http://a.example/5");
    frontier_note(fixture.frontier, first, HOST_ANSWERED, 0);
    frontier_done(fixture.frontier, first, 0, 0);
    frontier_done(fixture.frontier, take(&fixture, 0, "http://a.example/6"), 0,
                  0);
    tear_down(&fixture);
}

/* A name that is not found any more gives up both, whichever has answered. */
static void a_name_that_is_gone(void **state)
{
    struct fixture fixture;
    struct target *target;

    (void)state;
    set_up_hosts(&fixture,
                 &(struct frontier_options){.resolve = true, .host_tries = 2});
    for (char url[] = "https://a.example/1"; url[18] <= '3'; url[18]++)
        put(&fixture, url);
    resolve(&fixture, 0, 1);
    target = take(&fixture, 0, "https://a.example/1");
    frontier_note(fixture.frontier, target, HOST_ANSWERED, 0);
    frontier_done(fixture.frontier, target, 0, 0);
    fetch_in_vain(&fixture, take(&fixture, 0, "https://a.example/2"));
    for (int i = 0; i < 2; i++)
        frontier_setup_failed(fixture.frontier,
                              frontier_take(fixture.frontier, 0), 0, 0, CAUSE,
                              false);
    drop(&fixture, take(&fixture, 0, "https://a.example/3"), HOST_DEAD, 0);
    tear_down(&fixture);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(names_are_looked_up_in_turn),
        cmocka_unit_test(names_of_a_domain_leave_room_for_others),
        cmocka_unit_test(one_that_is_nearer_is_not_forgotten_in_a_line),
        cmocka_unit_test(addresses_in_turn),
        cmocka_unit_test(a_name_that_is_gone),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
