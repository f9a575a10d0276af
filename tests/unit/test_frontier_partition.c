/* Partitions of a fleet in one validator and frontier: they are frozen,
 * forgotten and offered anew while others go on. */
#include <fcntl.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <unistd.h>

#include <cmocka.h>

#include "frontier/validator.h"
#include "support/random.h"
#include "web/normalize.h"
#include "web/partition.h"

enum { PARTS = 8, DOMAINS = 60, PAGES = 12, SEED = 7 };

struct fixture {
    struct domains *domains;
    struct scope *scope;
    struct validator validator;
    struct arena arena;
    bool owned[PARTS];
    unsigned sent;
    struct offer last;
    uint64_t now_ms;
    int dir_fd;
};

static bool owns(void *user, uint32_t part)
{
    return ((struct fixture *)user)->owned[part];
}

static void send_away(void *user, uint32_t part, const struct offer *offer)
{
    struct fixture *fixture = user;

    assert_false(fixture->owned[part]);
    fixture->sent++;
    fixture->last = *offer;
}

static void start_with(struct fixture *fixture, enum ranking_kind ranking,
                       uint64_t bytes, uint64_t delay_ms)
{
    struct url seed;

    *fixture = (struct fixture){.now_ms = 1000};
    fixture->domains = domains_new();
    fixture->scope = scope_new(fixture->domains);
    arena_init(&fixture->arena);
    assert_int_equal(url_parse(&seed, &fixture->arena,
                               STR("http://d0.example/"), NULL, NULL),
                     0);
    scope_add_seed(fixture->scope, SCOPE_ANY, &seed);
    const struct frontier_options options = {
        .ranking = ranking,
        .delay_ms = delay_ms,
        .per_host = 1,
        .hash_seed = SEED,
        .domains = fixture->domains,
        .partitions = PARTS,
        .partition_seed = 3,
        .queue_bytes = bytes,
        .queue_dir_fd = open("/tmp", O_RDONLY | O_DIRECTORY | O_CLOEXEC),
        .report_changes = true,
    };
    validator_init(&fixture->validator, fixture->scope, 100, &options);
    fixture->validator.post = (struct validator_post){
        .user = fixture,
        .owns = owns,
        .send = send_away,
    };
    for (unsigned i = 0; i < PARTS; i++)
        fixture->owned[i] = true;
    fixture->dir_fd = options.queue_dir_fd;
}

static void start(struct fixture *fixture, enum ranking_kind ranking,
                  uint64_t bytes)
{
    start_with(fixture, ranking, bytes, 0);
}

static void finish(struct fixture *fixture)
{
    validator_release(&fixture->validator);
    close(fixture->dir_fd);
    scope_free(fixture->scope);
    domains_free(fixture->domains);
    arena_release(&fixture->arena);
}

static uint32_t part_of(unsigned domain)
{
    char text[32];
    int len = snprintf(text, sizeof(text), "d%u.example", domain);

    return partition_of((struct str){text, (size_t)len}, 3, PARTS);
}

static enum verdict offer(struct fixture *fixture, unsigned domain,
                          unsigned page)
{
    struct url *url = arena_new(&fixture->arena, sizeof(*url));
    char text[64];

    snprintf(text, sizeof(text), "http://h%u.d%u.example/%u", page % 3, domain,
             page);
    assert_int_equal(url_parse(url, &fixture->arena, str_of(text), NULL, NULL),
                     0);
    const struct offer offer = {
        .url = url,
        .fingerprint = url_fingerprint(url, SEED),
        .depth = 1 + page % 4,
        .found = 1,
    };
    return validator_offer(&fixture->validator, &offer, fixture->now_ms);
}

static void offer_part(struct fixture *fixture, uint32_t part)
{
    for (unsigned d = 0; d < DOMAINS; d++)
        for (unsigned page = 0; page < PAGES; page++)
            if (part == PARTS || part_of(d) == part)
                assert_int_equal(offer(fixture, d, page), ACCEPT);
}

static size_t pages_of_part(uint32_t part)
{
    size_t count = 0;

    for (unsigned d = 0; d < DOMAINS; d++)
        count += part_of(d) == part ? PAGES : 0;
    return count;
}

static struct target *take(struct fixture *fixture)
{
    return frontier_take(fixture->validator.frontier, ++fixture->now_ms);
}

static void done(struct fixture *fixture, struct target *target)
{
    frontier_done(fixture->validator.frontier, target, ++fixture->now_ms, 0);
}

/* A mail is in the place of a page that another machine has. */
static void urls_of_others_are_sent_away(void **state)
{
    struct fixture fixture;

    (void)state;
    start(&fixture, RANKING_BFS, 0);
    fixture.owned[part_of(0)] = false;
    assert_int_equal(offer(&fixture, 0, 1), ELSEWHERE);
    assert_int_equal(offer(&fixture, 0, 1), ELSEWHERE);
    assert_int_equal(fixture.sent, 2);
    assert_int_equal(fixture.last.depth, 2);
    fixture.owned[part_of(0)] = true;
    assert_int_equal(offer(&fixture, 0, 1), ACCEPT);
    assert_int_equal(offer(&fixture, 0, 1), DUPLICATE);
    finish(&fixture);
}

static void a_redirect_takes_its_hops_along(void **state)
{
    struct fixture fixture;
    struct url url;

    (void)state;
    start(&fixture, RANKING_BFS, 0);
    unsigned other = 1;
    while (part_of(other) == part_of(0))
        other++;
    assert_int_equal(offer(&fixture, 0, 0), ACCEPT);
    struct target *from = take(&fixture);
    fixture.owned[part_of(other)] = false;
    char text[64];
    snprintf(text, sizeof(text), "http://d%u.example/", other);
    assert_int_equal(url_parse(&url, &fixture.arena, str_of(text), NULL, NULL),
                     0);
    const struct offer hop = {
        .url = &url,
        .fingerprint = url_fingerprint(&url, SEED),
        .depth = from->depth,
    };
    assert_int_equal(
        validator_offer_redirect(&fixture.validator, from, &hop, 5, 1),
        ELSEWHERE);
    assert_int_equal(fixture.last.redirects, 1);
    done(&fixture, from);
    finish(&fixture);
}

static void numbers_count_in_each_partition(void **state)
{
    struct fixture fixture;
    uint64_t next[PARTS] = {0};
    struct target *target;

    (void)state;
    start(&fixture, RANKING_BFS, 0);
    offer_part(&fixture, PARTS);
    while ((target = take(&fixture))) {
        uint32_t part = partition_of_number(target->number);
        uint64_t n = target->number - partition_number(part, 0);
        assert_int_equal(part,
                         frontier_part_of(fixture.validator.frontier, NULL,
                                          frontier_domain_name(target)));
        if (n > next[part])
            next[part] = n;
        done(&fixture, target);
    }
    for (uint32_t i = 0; i < PARTS; i++)
        assert_int_equal(next[i], pages_of_part(i));
    finish(&fixture);
}

static void nothing_deeper_than_the_level_is_taken(void **state)
{
    struct fixture fixture;
    struct target *target;
    size_t count = 0;

    (void)state;
    start(&fixture, RANKING_BFS, 0);
    struct frontier *frontier = fixture.validator.frontier;
    assert_int_equal(frontier_lowest(frontier), UINT32_MAX);
    offer_part(&fixture, PARTS);
    for (uint32_t level = 0; level < 6; level++) {
        frontier_set_level(frontier, level);
        while ((target = take(&fixture))) {
            assert_int_equal(target->depth, level);
            done(&fixture, target);
            count++;
        }
        uint32_t lowest = level < 1 ? 1 : level + 1;
        assert_int_equal(frontier_lowest(frontier),
                         lowest < 5 ? lowest : UINT32_MAX);
    }
    assert_int_equal(count, DOMAINS * PAGES);
    finish(&fixture);
}

/* Take a while, freeze, let it drain, forget, offer it anew, and take all. */
static void drop_one(struct fixture *fixture, struct random *random,
                     uint32_t part, unsigned *taken)
{
    struct frontier *frontier = fixture->validator.frontier;
    struct target *flying[4] = {0};
    unsigned flights = 0;

    while (flights < 4 && (flying[flights] = take(fixture)))
        flights++;
    frontier_freeze_part(frontier, part, true);
    for (unsigned i = 0; i < flights; i++) {
        if (random_below(random, 3)) {
            taken[partition_of_number(flying[i]->number)]++;
            done(fixture, flying[i]);
        } else {
            frontier_again(frontier, flying[i], fixture->now_ms, 5, false);
        }
    }
    assert_false(frontier_part_is_busy(frontier, part));
    for (unsigned i = random_below(random, 100); i; i--) {
        struct target *target = take(fixture);
        if (!target)
            continue;
        assert_int_not_equal(partition_of_number(target->number), part);
        taken[partition_of_number(target->number)]++;
        done(fixture, target);
    }
    while (frontier_next_changed(frontier))
        ;
    validator_drop_part(&fixture->validator, part, fixture->now_ms);
    taken[part] = 0;
}

static void a_partition_is_forgotten_and_comes_back(void **state)
{
    static const struct {
        enum ranking_kind ranking;
        uint64_t bytes;
    } cases[] = {
        {RANKING_BFS, 0},
        {RANKING_PRIORITY, 0},
        {RANKING_BFS, 8000},
        {RANKING_PRIORITY, 8000},
    };

    (void)state;
    for (unsigned run = 0; run < 40; run++) {
        struct random random = {.state = run + 1};
        struct fixture fixture;
        struct target *target;
        unsigned taken[PARTS] = {0};

        start(&fixture, cases[run % 4].ranking, cases[run % 4].bytes);
        offer_part(&fixture, PARTS);
        assert_int_equal(frontier_counts(fixture.validator.frontier).on_disk >
                             0,
                         cases[run % 4].bytes > 0);
        for (unsigned n = 0; n < 6; n++) {
            uint32_t part = random_below(&random, PARTS);
            drop_one(&fixture, &random, part, taken);
            offer_part(&fixture, part);
        }
        for (unsigned idle = 0; idle < 100;) {
            if (!(target = take(&fixture))) {
                idle++;
                continue;
            }
            taken[partition_of_number(target->number)]++;
            done(&fixture, target);
        }
        for (uint32_t i = 0; i < PARTS; i++)
            assert_int_equal(taken[i], pages_of_part(i));
        assert_int_equal(frontier_lowest(fixture.validator.frontier),
                         UINT32_MAX);
        finish(&fixture);
    }
}

/* A host that the record knows, and one whose only fetch was not committed. */
static void hosts_of_a_partition_that_came_rest_for_a_whole_pause(void **state)
{
    enum { DELAY_MS = 200 };
    bool came[PARTS] = {0};
    struct fixture fixture;
    struct frontier *frontier;
    struct target *target;

    (void)state;
    start_with(&fixture, RANKING_BFS, 0, DELAY_MS);
    frontier = fixture.validator.frontier;
    offer(&fixture, 0, 0);
    came[part_of(0)] = true;
    frontier_rest_parts(frontier, came, 1000);
    offer(&fixture, 0, 1);
    /* At 1000 the clock may have been nearly 1001. */
    assert_null(frontier_take(frontier, 1000 + DELAY_MS));
    for (unsigned i = 0; i < 2; i++) {
        assert_non_null(target = frontier_take(frontier, 1001 + DELAY_MS));
        frontier_done(frontier, target, 1001 + DELAY_MS, 0);
    }
    finish(&fixture);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(urls_of_others_are_sent_away),
        cmocka_unit_test(a_redirect_takes_its_hops_along),
        cmocka_unit_test(numbers_count_in_each_partition),
        cmocka_unit_test(nothing_deeper_than_the_level_is_taken),
        cmocka_unit_test(a_partition_is_forgotten_and_comes_back),
        cmocka_unit_test(hosts_of_a_partition_that_came_rest_for_a_whole_pause),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
