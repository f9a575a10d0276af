/* A host's errands: what must be known before its first page, and a
 * robots.txt that is somewhere else. */
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

#include <cmocka.h>

#include "frontier/frontier.h"

enum { DELAY_MS = 100, CAUSE = 7 };

struct fixture {
    struct frontier *frontier;
    struct domains *domains;
    struct arena arena;
    uint64_t fingerprint;
};

static void set_up(struct fixture *fixture,
                   const struct frontier_options *options)
{
    struct frontier_options own = *options;

    fixture->fingerprint = 1;
    arena_init(&fixture->arena);
    own.domains = fixture->domains = domains_new();
    /* One errand at a time is enough to watch. */
    own.robots = !options->resolve;
    own.delay_ms = options->resolve ? 0 : DELAY_MS;
    own.per_host = own.per_host ? own.per_host : 1;
    fixture->frontier = frontier_new(&own);
}

static void tear_down(struct fixture *fixture)
{
    frontier_free(fixture->frontier);
    domains_free(fixture->domains);
    arena_release(&fixture->arena);
}

static struct url parse(struct fixture *fixture, const char *text)
{
    struct url url;

    assert_int_equal(url_parse(&url, &fixture->arena, str_of(text), NULL, NULL),
                     ERR_NONE);
    return url;
}

static void put(struct fixture *fixture, const char *text)
{
    struct url url = parse(fixture, text);
    const struct offer offer = {
        .url = &url,
        .fingerprint = fixture->fingerprint++,
    };

    frontier_put(fixture->frontier, &offer, 0);
}

/* What is taken at this time: its URL, or "" for nothing. */
static struct target *take(struct fixture *fixture, uint64_t now_ms,
                           const char *expected)
{
    struct target *target = frontier_take(fixture->frontier, now_ms);
    const char *got = target ? target->url : "";

    if (strcmp(got, expected))
        fail_msg("at %llu: expected '%s', got '%s'", (unsigned long long)now_ms,
                 expected, got);
    return target;
}

static void move(struct fixture *fixture, struct target *from, const char *to,
                 uint64_t now_ms)
{
    struct url url = parse(fixture, to);

    assert_true(frontier_robots_moved(fixture->frontier, from, &url, now_ms));
}

static struct robots *rules(const char *text)
{
    return robots_new(str_of(text), STR("crawler"));
}

static void drop(struct fixture *fixture, struct target *target,
                 enum verdict verdict, uint64_t now_ms)
{
    assert_int_equal(target->verdict, verdict);
    frontier_drop(fixture->frontier, target, now_ms);
}

/* --- cases --------------------------------------------------------------- */

static void a_move_waits_for_the_pause(void **state)
{
    struct fixture fixture;
    struct target *target;

    (void)state;
    for (int order = ORDER_BFS; order <= ORDER_PRIORITY; order++) {
        set_up(&fixture, &(struct frontier_options){.order = (enum order)order,
                                                    .per_host = 4});
        put(&fixture, "http://a.example/x");
        put(&fixture, "http://a.example/no");
        target = take(&fixture, 0, "http://a.example/robots.txt");
        take(&fixture, 0, "");
        move(&fixture, target, "http://a.example/there", 10);
        take(&fixture, 10 + DELAY_MS - 1, "");
        target = take(&fixture, 10 + DELAY_MS, "http://a.example/there");
        take(&fixture, 1000, "");
        frontier_robots(fixture.frontier, target,
                        rules("User-agent: *\nDisallow: /no\n"), 1000);
        take(&fixture, 1000 + DELAY_MS - 1, "");
        frontier_done(fixture.frontier,
                      take(&fixture, 1000 + DELAY_MS, "http://a.example/x"),
                      2000, 0);
        drop(&fixture, take(&fixture, 2000 + DELAY_MS, "http://a.example/no"),
             ROBOTS_REFUSED, 3000);
        tear_down(&fixture);
    }
}

/* The rules of http, although they came by https. */
static void a_move_to_another_scheme(void **state)
{
    struct fixture fixture;
    struct target *target;

    (void)state;
    set_up(&fixture, &(struct frontier_options){0});
    put(&fixture, "http://a.example/no");
    put(&fixture, "https://a.example/no");
    target = take(&fixture, 0, "http://a.example/robots.txt");
    move(&fixture, target, "https://a.example/robots.txt", 0);
    target = take(&fixture, 1000, "https://a.example/robots.txt");
    frontier_robots(fixture.frontier, target,
                    rules("User-agent: *\nDisallow: /no\n"), 1000);
    drop(&fixture, take(&fixture, 2000, "http://a.example/no"), ROBOTS_REFUSED,
         2000);
    /* Those of https are not known yet. */
    target = take(&fixture, 2000, "https://a.example/robots.txt");
    frontier_robots(fixture.frontier, target, NULL, 2000);
    target = take(&fixture, 3000, "https://a.example/no");
    frontier_done(fixture.frontier, target, 3000, 0);
    tear_down(&fixture);
}

static void a_move_waits_for_the_other_host(void **state)
{
    struct fixture fixture;
    struct target *target;

    (void)state;
    set_up(&fixture, &(struct frontier_options){0});
    put(&fixture, "http://b.example/x");
    target = take(&fixture, 0, "http://b.example/robots.txt");
    frontier_robots(fixture.frontier, target, NULL, 50);

    put(&fixture, "http://a.example/x");
    target = take(&fixture, 60, "http://a.example/robots.txt");
    move(&fixture, target, "http://b.example/robots.txt", 70);
    take(&fixture, 50 + DELAY_MS - 1, "");
    /* Before the page that has waited longer. */
    target = take(&fixture, 50 + DELAY_MS, "http://b.example/robots.txt");
    take(&fixture, 300, "");
    frontier_robots(fixture.frontier, target,
                    rules("User-agent: *\nCrawl-delay: 2\n"), 300);
    target = take(&fixture, 300 + DELAY_MS, "http://b.example/x");
    frontier_done(fixture.frontier, target, 500, 0);
    /* The delay is that of the host whose rules these are. */
    take(&fixture, 2299, "");
    target = take(&fixture, 2300, "http://a.example/x");
    frontier_done(fixture.frontier, target, 2300, 0);
    tear_down(&fixture);
}

static void two_that_moved_to_each_other(void **state)
{
    struct fixture fixture;
    struct target *target;
    uint64_t now_ms = 0;
    int fetches = 0;

    (void)state;
    set_up(&fixture, &(struct frontier_options){0});
    put(&fixture, "http://a.example/x");
    put(&fixture, "http://b.example/x");
    struct url a = parse(&fixture, "http://a.example/robots.txt");
    struct url b = parse(&fixture, "http://b.example/robots.txt");
    while (frontier_counts(fixture.frontier).queued) {
        struct target *both[2] = {frontier_take(fixture.frontier, now_ms),
                                  frontier_take(fixture.frontier, now_ms)};
        for (int i = 0; i < 2; i++) {
            target = both[i];
            fetches += target != NULL;
            if (!target)
                continue;
            if (target->kind == TARGET_PAGE)
                frontier_done(fixture.frontier, target, now_ms, 0);
            else if (!frontier_robots_moved(
                         fixture.frontier, target,
                         str_starts(target_url(target), STR("http://a")) ? &b
                                                                         : &a,
                         now_ms))
                frontier_robots(fixture.frontier, target, NULL, now_ms);
        }
        now_ms += DELAY_MS;
        assert_true(now_ms < 100 * DELAY_MS);
    }
    assert_int_equal(fetches,
                     2 * (1 + ROBOTS_REDIRECTS_MAX + 1)); /* and a page */
    tear_down(&fixture);
}

static void a_move_to_a_dead_host(void **state)
{
    struct fixture fixture;
    struct target *target;

    (void)state;
    set_up(&fixture, &(struct frontier_options){.host_tries = 1});
    put(&fixture, "http://a.example/x");
    put(&fixture, "http://b.example/x");
    target = take(&fixture, 0, "http://a.example/robots.txt");
    struct target *other = take(&fixture, 0, "http://b.example/robots.txt");
    move(&fixture, target, "http://b.example/robots.txt", 0);
    frontier_errand_failed(fixture.frontier, other, 0, 1000, CAUSE, false);
    struct target *refused[2] = {frontier_take(fixture.frontier, 0),
                                 frontier_take(fixture.frontier, 0)};
    for (int i = 0; i < 2; i++) {
        assert_non_null(refused[i]);
        assert_int_equal(refused[i]->cause, CAUSE);
        drop(&fixture, refused[i], ROBOTS_UNKNOWN, 0);
    }
    assert_int_equal(frontier_counts(fixture.frontier).hosts_dead, 2);
    tear_down(&fixture);
}

/* The cap is for pages; the lock is for all. */
static void a_move_to_a_capped_domain(void **state)
{
    struct fixture fixture;
    struct target *target;

    (void)state;
    set_up(&fixture, &(struct frontier_options){.max_per_domain = 1});
    put(&fixture, "http://w.b.example/x");
    target = take(&fixture, 0, "http://w.b.example/robots.txt");
    frontier_robots(fixture.frontier, target, NULL, 0);
    struct target *page = take(&fixture, 1000, "http://w.b.example/x");

    put(&fixture, "http://a.com/x");
    target = take(&fixture, 1000, "http://a.com/robots.txt");
    move(&fixture, target, "http://v.b.example/robots.txt", 1000);
    take(&fixture, 9000, "");
    frontier_done(fixture.frontier, page, 9000, 0);
    target = take(&fixture, 9000, "http://v.b.example/robots.txt");
    frontier_robots(fixture.frontier, target, NULL, 9000);
    target = take(&fixture, 9000, "http://a.com/x");
    frontier_done(fixture.frontier, target, 9000, 0);
    tear_down(&fixture);
}

/* What else waits there is refused at once, but a robots.txt is still asked
 * for, and in its time. */
static void a_move_to_a_domain_that_gets_capped(void **state)
{
    struct fixture fixture;
    struct target *target;

    (void)state;
    set_up(&fixture, &(struct frontier_options){.max_per_domain = 1});
    put(&fixture, "http://slow.a.example/x");
    target = take(&fixture, 0, "http://slow.a.example/robots.txt");
    frontier_robots(fixture.frontier, target,
                    rules("User-agent: *\nCrawl-delay: 5\n"), 0);
    put(&fixture, "http://b.example/x");
    target = take(&fixture, 0, "http://b.example/robots.txt");
    move(&fixture, target, "http://slow.a.example/there", 0);
    put(&fixture, "http://www.a.example/x");
    target = take(&fixture, 0, "http://www.a.example/robots.txt");
    frontier_robots(fixture.frontier, target, NULL, 0);

    target = take(&fixture, DELAY_MS, "http://www.a.example/x");
    take(&fixture, DELAY_MS, "");
    frontier_done(fixture.frontier, target, DELAY_MS, 0);
    take(&fixture, 4999, "");
    target = take(&fixture, 5000, "http://slow.a.example/there");
    frontier_robots(fixture.frontier, target, NULL, 5000);
    drop(&fixture, take(&fixture, 5000, "http://slow.a.example/x"), DOMAIN_CAP,
         5000);
    target = take(&fixture, 5000, "http://b.example/x");
    frontier_done(fixture.frontier, target, 5000, 0);
    tear_down(&fixture);
}

static void silence_is_counted(void **state)
{
    struct fixture fixture;
    struct target *target;

    (void)state;
    set_up(&fixture, &(struct frontier_options){.host_tries = 3});
    put(&fixture, "http://a.example/x");
    for (unsigned i = 0; i < 3; i++) {
        target = take(&fixture, 1000 * i, "http://a.example/robots.txt");
        assert_int_equal(frontier_failures(target), i);
        frontier_errand_failed(fixture.frontier, target, 1000 * i, 1000, CAUSE,
                               false);
        if (i < 2)
            take(&fixture, 1000 * i + 999, "");
    }
    drop(&fixture, take(&fixture, 2000, "http://a.example/x"), ROBOTS_UNKNOWN,
         2000);
    tear_down(&fixture);
}

static void an_end_of_the_crawl_is_no_silence(void **state)
{
    struct fixture fixture;
    struct target *target;

    (void)state;
    set_up(&fixture, &(struct frontier_options){.host_tries = 1});
    put(&fixture, "http://a.example/x");
    for (int i = 0; i < 3; i++) {
        target =
            take(&fixture, 1000 * (uint64_t)i, "http://a.example/robots.txt");
        assert_int_equal(frontier_failures(target), 0);
        frontier_errand_stopped(fixture.frontier, target, 1000 * (uint64_t)i);
    }
    assert_int_equal(frontier_counts(fixture.frontier).hosts_dead, 0);
    assert_int_equal(frontier_counts(fixture.frontier).in_flight, 0);
    tear_down(&fixture);
}

/* https pages of a host, with a page of http between them, whose https server
 * is not there; by its robots.txt, and by a page. */
static void https_that_is_not_there(void **state)
{
    struct fixture fixture;
    struct target *target;

    (void)state;
    set_up(&fixture, &(struct frontier_options){.host_tries = 1});
    put(&fixture, "http://a.example/1");
    put(&fixture, "https://a.example/2");
    put(&fixture, "http://a.example/3");
    put(&fixture, "https://a.example/4");
    target = take(&fixture, 0, "http://a.example/robots.txt");
    frontier_robots(fixture.frontier, target, NULL, 0);
    target = take(&fixture, 1000, "http://a.example/1");
    frontier_note(fixture.frontier, target, HOST_ANSWERED, 0);
    frontier_done(fixture.frontier, target, 1000, 0);

    target = take(&fixture, 2000, "https://a.example/robots.txt");
    frontier_errand_failed(fixture.frontier, target, 2000, 0, CAUSE, true);
    target = take(&fixture, 3000, "https://a.example/2");
    assert_int_equal(target->cause, CAUSE);
    drop(&fixture, target, ROBOTS_UNKNOWN, 3000);
    target = take(&fixture, 3000, "http://a.example/3");
    frontier_note(fixture.frontier, target, HOST_ANSWERED, 0);
    frontier_done(fixture.frontier, target, 3000, 0);
    drop(&fixture, take(&fixture, 3000, "https://a.example/4"), ROBOTS_UNKNOWN,
         3000);
    assert_int_equal(frontier_counts(fixture.frontier).hosts_dead, 0);

    /* The other way round as well; then nothing is left. */
    put(&fixture, "http://a.example/5");
    put(&fixture, "http://a.example/6");
    target = take(&fixture, 9000, "http://a.example/5");
    frontier_note(fixture.frontier, target, HOST_SILENT, CAUSE + 1);
    frontier_done(fixture.frontier, target, 9000, 0);
    target = take(&fixture, 9000, "http://a.example/6");
    assert_int_equal(target->cause, CAUSE + 1);
    drop(&fixture, target, HOST_DEAD, 9000);
    assert_int_equal(frontier_counts(fixture.frontier).hosts_dead, 1);
    tear_down(&fixture);
}

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

enum { NAMES = 500 };

/* Not all names at once, but all in the end: found, not found, or not needed
 * any more because the domain has had its pages. */
static void names_are_looked_up_in_turn(void **state)
{
    static const struct {
        const char *format;
        uint64_t cap;
        size_t pages;
    } rows[] = {
        {"http://d%d.example/", 0, NAMES / 2},
        {"http://h%d.d.example/", 0, NAMES / 2},
        {"http://h%d.d.example/", 3, 3},
    };

    (void)state;
    for (size_t row = 0; row < ARRAY_LEN(rows); row++) {
        struct fixture fixture;
        struct target *names[NAMES];
        size_t pages = 0, refused = 0, most = 0, asked = 0, count;
        char url[64];

        set_up(&fixture, &(struct frontier_options){
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
                    frontier_errand_failed(fixture.frontier, names[i], 0, 0,
                                           CAUSE, false);
                else
                    frontier_resolved(fixture.frontier, names[i],
                                      &(struct ip){{1}}, 0);
        }
        assert_in_range(most, 1, 100);
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
    set_up(&fixture, &(struct frontier_options){.resolve = true});
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
        frontier_errand_stopped(fixture.frontier, names[i], 0);
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
    set_up(&fixture, &(struct frontier_options){
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
    set_up(&fixture,
           &(struct frontier_options){.resolve = true, .host_tries = 2});
    for (char url[] = "https://a.example/1"; url[18] <= '3'; url[18]++)
        put(&fixture, url);
    resolve(&fixture, 0, 1);
    target = take(&fixture, 0, "https://a.example/1");
    frontier_note(fixture.frontier, target, HOST_ANSWERED, 0);
    frontier_done(fixture.frontier, target, 0, 0);
    fetch_in_vain(&fixture, take(&fixture, 0, "https://a.example/2"));
    for (int i = 0; i < 2; i++)
        frontier_errand_failed(fixture.frontier,
                               frontier_take(fixture.frontier, 0), 0, 0, CAUSE,
                               false);
    drop(&fixture, take(&fixture, 0, "https://a.example/3"), HOST_DEAD, 0);
    tear_down(&fixture);
}

/* What is told to the record is the pause that is kept, also where rules that
 * were kept for a day are replaced by others. */
static void the_pause_of_new_rules(void **state)
{
    static const struct {
        const char *old, *new;
        uint64_t pause_ms;
    } rows[] = {
        {"User-agent: *\nCrawl-delay: 5\n", "User-agent: *\nCrawl-delay: 2\n",
         2000},
        {"User-agent: *\nCrawl-delay: 2\n", "User-agent: *\nCrawl-delay: 5\n",
         5000},
        {"User-agent: *\nCrawl-delay: 5\n", NULL, DELAY_MS},
        {NULL, "User-agent: *\nCrawl-delay: 5\n", 5000},
    };
    const uint64_t later_ms = 2 * (uint64_t)FRONTIER_ROBOTS_KEPT_MS;

    (void)state;
    for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
        struct fixture fixture;
        struct target *target;
        struct robots *new = rows[i].new ? rules(rows[i].new) : NULL;

        set_up(&fixture, &(struct frontier_options){0});
        put(&fixture, "http://a.example/1");
        put(&fixture, "http://a.example/2");
        frontier_robots(fixture.frontier,
                        take(&fixture, 0, "http://a.example/robots.txt"),
                        rows[i].old ? rules(rows[i].old) : NULL, 0);
        frontier_done(fixture.frontier,
                      take(&fixture, 6000, "http://a.example/1"), 6000, 0);
        target = take(&fixture, later_ms, "http://a.example/robots.txt");
        assert_int_equal(
            frontier_robots_delay_ms(fixture.frontier, target, new),
            rows[i].pause_ms);
        frontier_robots(fixture.frontier, target, new, later_ms);
        take(&fixture, later_ms + rows[i].pause_ms - 1, "");
        frontier_done(
            fixture.frontier,
            take(&fixture, later_ms + rows[i].pause_ms, "http://a.example/2"),
            later_ms, 0);
        tear_down(&fixture);
    }
}

/* What a crawl leaves behind when it is told to stop. */
static void a_move_that_is_never_made(void **state)
{
    struct fixture fixture;

    (void)state;
    set_up(&fixture, &(struct frontier_options){0});
    put(&fixture, "http://a.example/x");
    move(&fixture, take(&fixture, 0, "http://a.example/robots.txt"),
         "http://b.example/robots.txt", 0);
    assert_int_equal(frontier_counts(fixture.frontier).queued, 2);
    tear_down(&fixture);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_move_waits_for_the_pause),
        cmocka_unit_test(a_move_to_another_scheme),
        cmocka_unit_test(a_move_waits_for_the_other_host),
        cmocka_unit_test(two_that_moved_to_each_other),
        cmocka_unit_test(a_move_to_a_dead_host),
        cmocka_unit_test(https_that_is_not_there),
        cmocka_unit_test(a_move_to_a_capped_domain),
        cmocka_unit_test(a_move_to_a_domain_that_gets_capped),
        cmocka_unit_test(silence_is_counted),
        cmocka_unit_test(an_end_of_the_crawl_is_no_silence),
        cmocka_unit_test(names_of_a_domain_leave_room_for_others),
        cmocka_unit_test(names_are_looked_up_in_turn),
        cmocka_unit_test(addresses_in_turn),
        cmocka_unit_test(a_name_that_is_gone),
        cmocka_unit_test(the_pause_of_new_rules),
        cmocka_unit_test(a_move_that_is_never_made),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
