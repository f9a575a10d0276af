/* A queue that does not fit into memory. Two frontiers are told the same: one
 * has room for all, the other for next to nothing. */
#include <fcntl.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include <cmocka.h>

#include "base/mem.h"
#include "frontier/frontier.h"
#include "support/random.h"

enum { ROOM = 0, SHELF = 1, BOTH = 2, SMALL = 16 * 1024 };

struct twins {
    struct frontier *frontier[BOTH];
    struct domains *domains;
    int dir_fd;
    struct arena arena;
    struct seen seen; /* of the one with a shelf */
    uint64_t now_ms, urls;
    size_t most_in_memory;
};

static void begin(struct twins *twins, const struct frontier_options *like)
{
    struct frontier_options options = *like;

    *twins = (struct twins){.domains = domains_new(), .now_ms = 1000};
    twins->dir_fd = open("/tmp", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    assert_true(twins->dir_fd >= 0);
    arena_init(&twins->arena);
    options.domains = twins->domains;
    options.per_host = options.per_host ? options.per_host : 1;
    options.queue_bytes = 0;
    twins->frontier[ROOM] = frontier_new(&options);
    options.queue_bytes = like->queue_bytes ? like->queue_bytes : SMALL;
    options.queue_dir_fd = twins->dir_fd;
    twins->frontier[SHELF] = frontier_new(&options);
    seen_init(&twins->seen);
    frontier_use(twins->frontier[SHELF], &twins->seen);
}

static void end(struct twins *twins)
{
    for (int i = 0; i < BOTH; i++)
        frontier_free(twins->frontier[i]);
    seen_release(&twins->seen);
    domains_free(twins->domains);
    arena_release(&twins->arena);
    close(twins->dir_fd);
}

/* URL `number` of an origin; `url` and the offer are good until the next. */
static struct offer offer_of(struct twins *twins, const char *origin,
                             uint64_t number, uint32_t depth, struct url *url)
{
    char text[200];

    snprintf(text, sizeof(text), "%s/%llu", origin, (unsigned long long)number);
    arena_clear(&twins->arena);
    assert_int_equal(url_parse(url, &twins->arena, str_of(text), NULL, NULL),
                     ERR_NONE);
    return (struct offer){
        .url = url,
        .fingerprint = number * UINT64_C(0x9e3779b97f4a7c15),
        .depth = depth,
    };
}

static void put(struct twins *twins, const char *origin, uint32_t depth)
{
    struct url url;
    struct offer offer = offer_of(twins, origin, ++twins->urls, depth, &url);

    offer.referrer_id = (uint32_t)twins->urls % 1000;
    offer.found = 1;
    offer.redirects = (uint8_t)(twins->urls % 7);
    assert_true(seen_add(&twins->seen, offer.fingerprint));
    for (int i = 0; i < BOTH; i++) {
        frontier_count_found(twins->frontier[i], &url);
        struct queued queued =
            frontier_put(twins->frontier[i], &offer, twins->now_ms);
        assert_int_equal(queued.number, twins->urls);
        assert_true(queued.domain.len > 0);
    }
    const struct frontier_counts counts =
        frontier_counts(twins->frontier[SHELF]);
    assert_int_equal(counts.queued,
                     frontier_counts(twins->frontier[ROOM]).queued);
    if (twins->most_in_memory < counts.queued - counts.shelved)
        twins->most_in_memory = counts.queued - counts.shelved;
}

static void put_numbered(struct twins *twins, const char *origin,
                         unsigned number, uint32_t depth)
{
    char text[100];

    snprintf(text, sizeof(text), origin, number);
    put(twins, text, depth);
}

/* Both give the same target, or neither has one. */
static bool take(struct twins *twins, struct target *target[BOTH])
{
    for (int i = 0; i < BOTH; i++)
        target[i] = frontier_take(twins->frontier[i], twins->now_ms);
    if (!target[ROOM] || !target[SHELF]) {
        assert_ptr_equal(target[ROOM], target[SHELF]);
        return false;
    }
    assert_string_equal(target[ROOM]->url, target[SHELF]->url);
    assert_int_equal(target[ROOM]->verdict, target[SHELF]->verdict);
    assert_int_equal(target[ROOM]->age, target[SHELF]->age);
    assert_int_equal(target[ROOM]->depth, target[SHELF]->depth);
    assert_int_equal(target[ROOM]->referrer_id, target[SHELF]->referrer_id);
    assert_int_equal(target[ROOM]->found, target[SHELF]->found);
    assert_int_equal(target[ROOM]->redirects, target[SHELF]->redirects);
    assert_int_equal(target[ROOM]->tries, target[SHELF]->tries);
    assert_int_equal(target[ROOM]->priority, target[SHELF]->priority);
    assert_int_equal(target[ROOM]->fingerprint, target[SHELF]->fingerprint);
    return true;
}

static void finish(struct twins *twins, struct target *target[BOTH],
                   struct random *random)
{
    bool again =
        random->state && !target[ROOM]->tries && !random_below(random, 8);
    bool refused = target[ROOM]->verdict != ACCEPT;

    for (int i = 0; i < BOTH; i++) {
        if (refused)
            frontier_drop(twins->frontier[i], target[i], twins->now_ms);
        else if (again)
            frontier_again(twins->frontier[i], target[i], twins->now_ms, 70,
                           false);
        else
            frontier_done(twins->frontier[i], target[i], twins->now_ms, 0);
    }
}

/* Pages lead to others, of a few domains of one host each, until enough are
 * known; then all is fetched. */
static void crawl(const struct frontier_options *options, uint64_t seed)
{
    struct random random = {.state = seed};
    struct target *flight[8][BOTH] = {{0}};
    struct twins twins;
    size_t taken = 0, shelved = 0;

    begin(&twins, options);
    for (unsigned i = 0; i < 10; i++)
        put_numbered(&twins, "http://d%u.example", i, 0);
    for (unsigned idle = 0; idle < 1000; idle++) {
        size_t place = random_below(&random, ARRAY_LEN(flight));
        twins.now_ms += random_below(&random, 20);
        if (flight[place][ROOM]) {
            uint32_t depth = flight[place][ROOM]->depth + 1;
            for (uint32_t n = random_below(&random, 30);
                 twins.urls < 8000 && n--;) {
                char origin[40];
                snprintf(origin, sizeof(origin), "http://d%u.example",
                         (unsigned)random_below(&random, 4) *
                             random_below(&random, 4));
                put(&twins, origin, depth);
            }
            finish(&twins, flight[place], &random);
            flight[place][ROOM] = NULL;
        } else if (take(&twins, flight[place])) {
            taken++;
            idle = 0;
        }
        shelved += frontier_counts(twins.frontier[SHELF]).shelved;
    }
    /* The shares of a few domains, not the thousands that were known. */
    assert_true(taken >= 8000 && shelved > 100000);
    assert_true(twins.most_in_memory < 400);
    assert_int_equal(frontier_counts(twins.frontier[SHELF]).queued, 0);
    assert_int_equal(frontier_counts(twins.frontier[SHELF]).queued_max,
                     frontier_counts(twins.frontier[ROOM]).queued_max);
    end(&twins);
}

static void the_same_order(void **state)
{
    static const struct frontier_options cases[] = {
        {.order = ORDER_BFS},
        {.order = ORDER_PRIORITY},
        {.order = ORDER_BFS, .delay_ms = 5, .per_host = 2},
        {.order = ORDER_PRIORITY, .delay_ms = 5, .per_host = 2},
        {.order = ORDER_BFS, .max_per_domain = 100},
        {.order = ORDER_PRIORITY, .max_per_domain = 700},
    };

    (void)state;
    for (size_t i = 0; i < ARRAY_LEN(cases); i++)
        for (uint64_t seed = 1; seed < 4; seed++)
            crawl(&cases[i], seed);
}

/* A site that makes up hosts: what is not its turn yet is no host either. */
static void hosts_without_end(void **state)
{
    struct target *target;
    struct twins twins;
    char seen[20001] = {0};
    size_t taken = 0;

    (void)state;
    begin(&twins, &(struct frontier_options){.idle_hosts_max = 1});
    for (unsigned i = 0; i < 20000; i++) {
        put_numbered(&twins, "http://h%u.trap.example", i, i / 7000);
    }
    assert_true(twins.most_in_memory < 100);
    uint32_t depth = 0;
    while ((target = frontier_take(twins.frontier[SHELF], twins.now_ms))) {
        assert_true(target->depth >= depth);
        depth = target->depth;
        assert_false(seen[target->age]);
        seen[target->age] = 1;
        taken++;
        frontier_done(twins.frontier[SHELF], target, twins.now_ms, 0);
    }
    assert_int_equal(taken, 20000);
    end(&twins);
}

/* In breadth-first order a redirect has the depth of where it came from, which
 * is smaller than that of what is on the shelf already. */
static void a_smaller_depth_is_not_behind(void **state)
{
    struct target *target;
    struct twins twins;

    (void)state;
    begin(&twins, &(struct frontier_options){0});
    for (unsigned i = 0; i < 1000; i++)
        put(&twins, "http://a.example", 5);
    assert_true(frontier_counts(twins.frontier[SHELF]).shelved > 500);
    put(&twins, "http://a.example", 4);
    target = frontier_take(twins.frontier[SHELF], twins.now_ms);
    assert_int_equal(target->depth, 4);
    frontier_done(twins.frontier[SHELF], target, twins.now_ms, 0);
    end(&twins);
}

/* Those of others are in memory all the time. */
static void one_takes_nothing_from_others(void **state)
{
    struct target *target[BOTH];
    struct twins twins;

    (void)state;
    begin(&twins, &(struct frontier_options){.order = ORDER_PRIORITY});
    put(&twins, "http://small.example", 1);
    for (unsigned i = 0; i < 5000; i++)
        put(&twins, "http://trap.example", 1);
    size_t shelved = frontier_counts(twins.frontier[SHELF]).shelved;
    for (unsigned i = 0; i < 10; i++)
        put(&twins, "http://small.example", 1);
    assert_int_equal(frontier_counts(twins.frontier[SHELF]).shelved, shelved);
    while (take(&twins, target))
        for (int i = 0; i < BOTH; i++)
            frontier_done(twins.frontier[i], target[i], twins.now_ms, 0);
    end(&twins);
}

/* A site that makes up domains: they wait for each other, not in memory. */
static void domains_without_end(void **state)
{
    static const struct frontier_options cases[] = {
        {.order = ORDER_BFS},
        {.order = ORDER_PRIORITY},
        {.order = ORDER_BFS, .delay_ms = 100},
        {.order = ORDER_PRIORITY, .delay_ms = 100},
    };

    (void)state;
    for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
        struct target *target;
        struct twins twins;
        char seen[20001] = {0};
        uint32_t depth = 0;
        size_t taken = 0;

        begin(&twins, &cases[i]);
        for (unsigned n = 0; n < 20000; n++) {
            char origin[40];
            snprintf(origin, sizeof(origin), "http://h.trap%u.example",
                     n % 9973);
            put(&twins, origin, n / 7000);
        }
        assert_true(twins.most_in_memory < 100);
        for (; twins.now_ms < 100000; twins.now_ms += 10)
            while (
                (target = frontier_take(twins.frontier[SHELF], twins.now_ms))) {
                assert_true(cases[i].order == ORDER_PRIORITY ||
                            target->depth >= depth);
                depth = target->depth;
                assert_false(seen[target->age]);
                seen[target->age] = 1;
                taken++;
                frontier_done(twins.frontier[SHELF], target, twins.now_ms, 0);
                const struct frontier_counts counts =
                    frontier_counts(twins.frontier[SHELF]);
                assert_true(counts.queued - counts.shelved < 200);
            }
        assert_int_equal(taken, 20000);
        end(&twins);
    }
}

/* Whoever fills the memory and does not answer for an hour keeps nobody from
 * being crawled. */
static void who_waits_holds_nobody_up(void **state)
{
    (void)state;
    for (int order = ORDER_BFS; order <= ORDER_PRIORITY; order++) {
        struct target *target;
        struct twins twins;
        size_t taken = 0;

        begin(&twins, &(struct frontier_options){.order = (enum order)order,
                                                 .delay_ms = 3600 * 1000});
        for (unsigned n = 0; n < 200; n++)
            put(&twins, "http://slow.example", 1);
        for (unsigned n = 0; n < 1000; n++) {
            put_numbered(&twins, "http://h%u.example", n, 1);
        }
        assert_true(frontier_counts(twins.frontier[SHELF]).shelved > 900);
        while ((target = frontier_take(twins.frontier[SHELF], twins.now_ms))) {
            taken++;
            frontier_done(twins.frontier[SHELF], target, twins.now_ms, 0);
        }
        assert_int_equal(taken, 1001);
        end(&twins);
    }
}

/* A redirect leads to what is on a shelf, one deeper: it is fetched before that
 * depth begins, and the others keep their order. */
static void a_nearer_way(void **state)
{
    static const char *const origins[] = {"http://a.example",
                                          "http://new.example"};
    struct frontier_options options = {.tell_changes = true};

    (void)state;
    for (size_t i = 0; i < ARRAY_LEN(origins); i++) {
        struct target *target[BOTH];
        struct random random = {.state = 0}; /* nothing is tried again */
        struct twins twins;
        struct url url;

        begin(&twins, &options);
        for (unsigned n = 0; n < 1000; n++)
            put(&twins, "http://a.example", 5);
        for (unsigned n = 0; n < 1000; n++)
            put(&twins, origins[i], 5);
        /* The last two of them, and one that nobody has. */
        for (uint64_t n = 1999; n <= 2001; n++) {
            struct offer offer = offer_of(&twins, origins[i], n, 4, &url);
            offer.referrer_id = 4711;
            assert_false(frontier_found_again(twins.frontier[ROOM], &offer));
            /* Twice it need not be remembered. */
            for (int twice = 0; twice < 2; twice++)
                assert_int_equal(
                    frontier_found_again(twins.frontier[SHELF], &offer),
                    n < 2001 && !twice);
        }
        for (unsigned n = 0; n < 2000; n++) {
            assert_true(take(&twins, target));
            assert_int_equal(target[SHELF]->depth, n < 2 ? 4 : 5);
            assert_int_equal(target[SHELF]->age, n < 2 ? 1999 + n : n - 1);
            assert_int_equal(target[SHELF]->changed_at > 0, n < 2);
            finish(&twins, target, &random);
        }
        assert_false(take(&twins, target));
        end(&twins);
    }
}

/* Depths that do not come in order: the lowest is on the shelf, behind what
 * fills the memory. */
static void the_lowest_is_behind(void **state)
{
    struct target *target;
    struct twins twins;
    size_t taken = 0;
    uint32_t depth = 0;

    (void)state;
    begin(&twins, &(struct frontier_options){0});
    for (unsigned i = 0; i < 100; i++)
        put(&twins, "http://a.example", 9);
    for (unsigned i = 0; i < 5000; i++)
        put(&twins, "http://a.example", i < 2500 ? 3 : 4);
    while ((target = frontier_take(twins.frontier[SHELF], twins.now_ms))) {
        assert_true(target->depth >= depth);
        depth = target->depth;
        taken++;
        frontier_done(twins.frontier[SHELF], target, twins.now_ms, 0);
    }
    assert_int_equal(taken, 5100);
    end(&twins);
}

/* A late sitemap lists what is nearer than all that was found, or was found
 * already: that is no reason to have it in memory. */
static void lists_stay_in_the_file(void **state)
{
    struct target *target;
    struct twins twins;

    (void)state;
    begin(&twins, &(struct frontier_options){0});
    for (unsigned i = 0; i < 1000; i++)
        put(&twins, "http://a.example", 1);
    for (unsigned i = 0; i < 20000; i++)
        put(&twins, "http://a.example", i % 2 ? 0 : 2);
    assert_true(twins.most_in_memory < 200);
    /* All of depth 2 are nearer. */
    for (uint64_t n = 1001; n <= twins.urls; n += 2) {
        struct url url;
        struct offer offer = offer_of(&twins, "http://a.example", n, 0, &url);
        frontier_found_again(twins.frontier[SHELF], &offer);
    }
    for (unsigned taken = 0; taken < 21000; taken++) {
        target = frontier_take(twins.frontier[SHELF], twins.now_ms);
        assert_int_equal(target->depth, taken >= 20000);
        frontier_done(twins.frontier[SHELF], target, twins.now_ms, 0);
    }
    const struct frontier_counts counts =
        frontier_counts(twins.frontier[SHELF]);
    assert_int_equal(counts.queued, 0);
    end(&twins);
}

/* What has to be fetched next is behind what fills the memory, in twenty
 * domains: they are crawled side by side all the same. */
static void side_by_side(void **state)
{
    struct target *target;
    struct twins twins;
    size_t taken = 0;

    (void)state;
    begin(&twins, &(struct frontier_options){.delay_ms = 1000,
                                             .queue_bytes = 4 * SMALL});
    for (unsigned i = 0; i < 4000; i++) {
        put_numbered(&twins, "http://d%u.example", i % 20, i < 2000 ? 9 : 3);
    }
    for (; taken < 2000; twins.now_ms += 100)
        while ((target = frontier_take(twins.frontier[SHELF], twins.now_ms)) &&
               target->depth == 3) {
            taken++;
            frontier_done(twins.frontier[SHELF], target, twins.now_ms, 0);
        }
    /* A hundred of each, one a second. */
    assert_true(twins.now_ms < 300 * 1000);
    for (; target; target = frontier_take(twins.frontier[SHELF], twins.now_ms))
        frontier_done(twins.frontier[SHELF], target, twins.now_ms, 0);
    end(&twins);
}

/* Much of one host holds up no other of its domain. */
static void hosts_of_a_domain(void **state)
{
    (void)state;
    for (int order = ORDER_BFS; order <= ORDER_PRIORITY; order++) {
        struct target *target;
        struct twins twins;
        size_t others = 0;

        begin(&twins, &(struct frontier_options){.order = (enum order)order,
                                                 .delay_ms = 1000});
        for (unsigned i = 0; i < 5000; i++)
            put(&twins, "http://much.dom.example", 1);
        for (unsigned i = 0; i < 50; i++) {
            put_numbered(&twins, "http://h%u.dom.example", i, 1);
        }
        for (uint64_t end_ms = twins.now_ms + 5000; twins.now_ms < end_ms;
             twins.now_ms += 100)
            while (
                (target = frontier_take(twins.frontier[SHELF], twins.now_ms))) {
                others += target->url[strlen("http://")] == 'h';
                frontier_done(twins.frontier[SHELF], target, twins.now_ms, 0);
            }
        assert_int_equal(others, 50);
        end(&twins);
    }
}

/* What a host has comes out in its turn, to the last one, however long the line
 * of other hosts is. */
static void the_last_of_a_host(void **state)
{
    struct target *target[BOTH];
    struct twins twins;

    (void)state;
    begin(&twins, &(struct frontier_options){0});
    for (unsigned i = 0; i < 1000; i++)
        put(&twins, "http://much.dom.example", 1);
    for (unsigned i = 0; i < 1000; i++)
        put_numbered(&twins, "http://h%u.dom.example", i, 1);
    while (take(&twins, target))
        for (int i = 0; i < BOTH; i++)
            frontier_done(twins.frontier[i], target[i], twins.now_ms, 0);
    end(&twins);
}

/* Domains that never come to their end keep no new one from being crawled. */
static void newcomers_get_in(void **state)
{
    struct twins twins;
    size_t found[BOTH] = {0};

    (void)state;
    begin(&twins, &(struct frontier_options){.order = ORDER_PRIORITY});
    for (unsigned i = 0; i < 4000; i++)
        put_numbered(&twins, "http://d%u.example", i % 40, 1);
    put(&twins, "http://good.example", 1);
    for (unsigned taken = 1; !found[SHELF] && taken < 20000; taken++) {
        for (int i = 0; i < BOTH; i++) {
            struct target *target =
                frontier_take(twins.frontier[i], twins.now_ms);
            if (!strncmp(target->url, "http://good", 11))
                found[i] = taken;
            frontier_done(twins.frontier[i], target, twins.now_ms, 0);
        }
        for (unsigned n = 0; n < 4; n++)
            put_numbered(&twins, "http://d%u.example", taken % 40, 2);
    }
    assert_true(found[ROOM] && found[SHELF] &&
                found[SHELF] < found[ROOM] + 500);
    end(&twins);
}

/* No file, so all is in memory: a crawl goes on as long as it can. */
static void without_a_file(void **state)
{
    struct target *target[BOTH];
    struct random random = {.state = 5};
    struct twins twins;

    (void)state;
    begin(&twins, &(struct frontier_options){0});
    close(twins.dir_fd);
    for (unsigned i = 0; i < 1000; i++)
        put(&twins, "http://a.example", 1);
    assert_int_equal(frontier_counts(twins.frontier[SHELF]).shelved, 0);
    for (; take(&twins, target); twins.now_ms += 100)
        finish(&twins, target, &random);
    assert_int_equal(frontier_trouble(twins.frontier[SHELF]), 0);
    twins.dir_fd = dup(0);
    end(&twins);
}

static void a_file_that_is_lost(void **state)
{
    struct target *target;
    struct twins twins;

    (void)state;
    begin(&twins, &(struct frontier_options){0});
    int fd = dup(0); /* the number that the file will have */
    close(fd);
    for (unsigned i = 0; i < 3000; i++)
        put(&twins, "http://a.example", 1);
    assert_int_equal(ftruncate(fd, 0), 0);
    while ((target = frontier_take(twins.frontier[SHELF], twins.now_ms)))
        frontier_done(twins.frontier[SHELF], target, twins.now_ms, 0);
    assert_true(frontier_trouble(twins.frontier[SHELF]) > 0);
    assert_true(frontier_counts(twins.frontier[SHELF]).queued > 0);
    end(&twins);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_same_order),
        cmocka_unit_test(hosts_without_end),
        cmocka_unit_test(a_smaller_depth_is_not_behind),
        cmocka_unit_test(one_takes_nothing_from_others),
        cmocka_unit_test(domains_without_end),
        cmocka_unit_test(who_waits_holds_nobody_up),
        cmocka_unit_test(a_nearer_way),
        cmocka_unit_test(the_lowest_is_behind),
        cmocka_unit_test(lists_stay_in_the_file),
        cmocka_unit_test(side_by_side),
        cmocka_unit_test(hosts_of_a_domain),
        cmocka_unit_test(the_last_of_a_host),
        cmocka_unit_test(newcomers_get_in),
        cmocka_unit_test(without_a_file),
        cmocka_unit_test(a_file_that_is_lost),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
