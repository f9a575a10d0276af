#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>

#include <cmocka.h>

#include "base/hashtable.h"
#include "frontier/frontier.h"

/* --- scripts: what happens, and what must come of it ----------------- */

enum op {
    OP_END,
    OP_PUT,        /* `url` at `depth` */
    OP_FOUND,      /* `url` is found again, at `depth` */
    OP_TAKE,       /* must be `url`, or nothing where that is NULL */
    OP_DONE,       /* the fetch of `url` has ended */
    OP_AGAIN,      /* the same, to be tried again after `wait_ms` */
    OP_AGAIN_HOST, /* the same, and its host waits as long */
    OP_IDLE,       /* must be for `reason`, until `wait_ms`, because of `url` */
};

struct step {
    uint64_t now_ms;
    enum op op;
    const char *url;
    uint32_t depth;
    uint64_t wait_ms;
    enum idle_reason reason;
};

struct script {
    const char *name;
    uint64_t delay_ms;
    uint32_t per_host;
    struct step step[32];
};

enum { IN_FLIGHT_MAX = 32 };

struct stage {
    const char *script;
    struct frontier *frontier;
    struct arena arena;
    struct target *in_flight[IN_FLIGHT_MAX];
};

static struct domains *domains;

static uint64_t fingerprint_of(const char *url)
{
    return hash64(str_of(url), 1);
}

static void put(struct stage *stage, const struct step *step)
{
    struct url url;

    assert_int_equal(
        url_parse(&url, &stage->arena, str_of(step->url), NULL, NULL),
        ERR_NONE);
    const struct offer offer = {
        .url = &url,
        .fingerprint = fingerprint_of(step->url),
        .depth = step->depth,
        .referrer_id = 7,
    };
    frontier_put(stage->frontier, &offer, step->now_ms);
}

static void found_again(struct stage *stage, const struct step *step)
{
    const struct offer offer = {
        .fingerprint = fingerprint_of(step->url),
        .depth = step->depth,
        .referrer_id = 8,
        .found = 1,
    };
    frontier_found_again(stage->frontier, &offer);
}

static void take(struct stage *stage, const struct step *step)
{
    struct target *target = frontier_take(stage->frontier, step->now_ms);
    const char *got = target ? target->url : "nothing";
    const char *expected = step->url ? step->url : "nothing";
    size_t free_place = 0;

    if (strcmp(got, expected) != 0)
        fail_msg("%s: at %llu ms expected %s, got %s", stage->script,
                 (unsigned long long)step->now_ms, expected, got);
    if (!target)
        return;
    if (target->depth != step->depth)
        fail_msg("%s: %s has depth %u, not %u", stage->script, got,
                 target->depth, step->depth);
    while (stage->in_flight[free_place])
        free_place++;
    stage->in_flight[free_place] = target;
}

static void end_fetch(struct stage *stage, const struct step *step)
{
    for (size_t i = 0; i < IN_FLIGHT_MAX; i++) {
        struct target *target = stage->in_flight[i];
        if (!target || strcmp(target->url, step->url) != 0)
            continue;
        stage->in_flight[i] = NULL;
        if (step->op == OP_DONE)
            frontier_done(stage->frontier, target, step->now_ms, 0);
        else
            frontier_again(stage->frontier, target, step->now_ms, step->wait_ms,
                           step->op == OP_AGAIN_HOST);
        return;
    }
    fail_msg("%s: %s is not in flight", stage->script, step->url);
}

static void check_idle(struct stage *stage, const struct step *step)
{
    struct idle idle = frontier_idle(stage->frontier, step->now_ms);
    struct str host = step->url ? str_of(step->url) : STR("");

    if (idle.reason != step->reason ||
        (step->wait_ms && idle.until_ms != step->wait_ms) ||
        !str_eq(idle.host, host))
        fail_msg("%s: at %llu ms expected reason %d until %llu for %.*s, got "
                 "%d until %llu for %.*s",
                 stage->script, (unsigned long long)step->now_ms, step->reason,
                 (unsigned long long)step->wait_ms, (int)host.len, host.ptr,
                 idle.reason, (unsigned long long)idle.until_ms,
                 (int)idle.host.len, idle.host.ptr);
}

static void run_step(struct stage *stage, const struct step *step)
{
    switch (step->op) {
    case OP_END:
        break;
    case OP_PUT:
        put(stage, step);
        break;
    case OP_FOUND:
        found_again(stage, step);
        break;
    case OP_TAKE:
        take(stage, step);
        break;
    case OP_DONE:
    case OP_AGAIN:
    case OP_AGAIN_HOST:
        end_fetch(stage, step);
        break;
    case OP_IDLE:
        check_idle(stage, step);
        break;
    }
}

/* Whatever the script leaves behind is freed, in every state. */
static void run(const struct script *script)
{
    const struct frontier_options options = {
        .delay_ms = script->delay_ms,
        .per_host = script->per_host ? script->per_host : 1,
        .hash_seed = 1,
        .domains = domains,
    };
    struct stage stage = {
        .script = script->name,
        .frontier = frontier_new(&options),
    };

    arena_init(&stage.arena);
    for (const struct step *step = script->step; step->op != OP_END; step++)
        run_step(&stage, step);
    for (size_t i = 0; i < IN_FLIGHT_MAX; i++)
        if (stage.in_flight[i])
            frontier_done(stage.frontier, stage.in_flight[i], 0, 0);
    frontier_free(stage.frontier);
    arena_release(&stage.arena);
}

#define A1    "http://a.example/1"
#define A2    "http://a.example/2"
#define A3    "http://a.example/3"
#define B1    "http://b.example/1"
#define B2    "http://b.example/2"
#define W1    "http://www.a.example/1"
#define P1    "http://a.example:8080/1"
#define S1    "https://a.example/1"
#define NEVER UINT64_MAX

// clang-format off
#define PUT(now, to, at)          {.now_ms = now, .op = OP_PUT, .url = to, .depth = at}
#define FOUND(now, to, at)        {.now_ms = now, .op = OP_FOUND, .url = to, .depth = at}
#define TAKE(now, to, at)         {.now_ms = now, .op = OP_TAKE, .url = to, .depth = at}
#define NOTHING(now)              {.now_ms = now, .op = OP_TAKE}
#define DONE(now, to)             {.now_ms = now, .op = OP_DONE, .url = to}
#define AGAIN(now, to, wait)      {.now_ms = now, .op = OP_AGAIN, .url = to, .wait_ms = wait}
#define AGAIN_HOST(now, to, wait) {.now_ms = now, .op = OP_AGAIN_HOST, .url = to, .wait_ms = wait}
#define IDLE(now, why, until, at) {.now_ms = now, .op = OP_IDLE, .url = at, .wait_ms = until, .reason = why}

static const struct script scripts[] = {
    {"an empty frontier", 1000, 1, {
        NOTHING(0),
        IDLE(0, IDLE_EMPTY, NEVER, NULL),
    }},
    {"older first", 0, 3, {
        PUT(0, A2, 0), PUT(0, A1, 0), PUT(0, B1, 0),
        IDLE(0, IDLE_NOT, 0, NULL),
        TAKE(0, A2, 0), TAKE(0, A1, 0), TAKE(0, B1, 0), NOTHING(0),
        IDLE(0, IDLE_FLIGHT, NEVER, NULL),
    }},
    {"the pause is counted from the end of a fetch", 1000, 1, {
        PUT(0, A1, 0), PUT(0, A2, 0),
        TAKE(0, A1, 0),
        NOTHING(5000),
        IDLE(5000, IDLE_FLIGHT, NEVER, NULL),
        DONE(7000, A1),
        NOTHING(7000),
        IDLE(7000, IDLE_PAUSE, 8000, "a.example"),
        NOTHING(7999),
        TAKE(8000, A2, 0),
    }},
    {"a pause is of its host alone", 1000, 1, {
        PUT(0, A1, 0), PUT(0, A2, 0), PUT(0, B1, 0), PUT(0, B2, 0),
        TAKE(0, A1, 0), TAKE(0, B1, 0), NOTHING(0),
        DONE(10, A1), DONE(20, B1),
        NOTHING(1009), TAKE(1010, A2, 0), NOTHING(1010), TAKE(1020, B2, 0),
    }},
    {"the pause also holds for what comes later", 1000, 1, {
        PUT(0, A1, 0), TAKE(0, A1, 0), DONE(100, A1),
        PUT(200, A2, 0),
        NOTHING(200),
        IDLE(200, IDLE_PAUSE, 1100, "a.example"),
        TAKE(1100, A2, 0),
    }},
    {"http and https of a name are one host, ports are their own", 1000, 1, {
        PUT(0, A1, 0), PUT(0, S1, 0), PUT(0, P1, 0),
        TAKE(0, A1, 0), NOTHING(0), DONE(10, A1),
        TAKE(10, P1, 0), DONE(20, P1),
        NOTHING(1009), TAKE(1010, S1, 0),
    }},
    {"one in flight per domain", 0, 1, {
        PUT(0, A1, 0), PUT(0, W1, 0), PUT(0, P1, 0), PUT(0, B1, 0),
        TAKE(0, A1, 0), TAKE(0, B1, 0), NOTHING(0),
        DONE(0, A1), TAKE(0, W1, 0), NOTHING(0),
        DONE(0, W1), TAKE(0, P1, 0),
    }},
    {"two in flight per host and per domain", 0, 2, {
        PUT(0, A1, 0), PUT(0, A2, 0), PUT(0, A3, 0), PUT(0, W1, 0),
        TAKE(0, A1, 0), TAKE(0, A2, 0), NOTHING(0),
        DONE(0, A2), TAKE(0, A3, 0), NOTHING(0),
        DONE(0, A1), TAKE(0, W1, 0), NOTHING(0),
    }},
    {"fetches that overlap: the latest pause counts", 1000, 2, {
        PUT(0, A1, 0), PUT(0, A2, 0), PUT(0, A3, 0),
        TAKE(0, A1, 0), TAKE(0, A2, 0),
        DONE(500, A1), DONE(300, A2),
        NOTHING(1300), NOTHING(1499), TAKE(1500, A3, 0),
    }},
    {"level by level: queued", 0, 9, {
        PUT(0, A1, 1), PUT(0, B1, 0),
        TAKE(0, B1, 0), NOTHING(0),
        IDLE(0, IDLE_FLIGHT, NEVER, NULL),
        PUT(0, B2, 1), DONE(0, B1),
        TAKE(0, A1, 1), TAKE(0, B2, 1),
    }},
    {"level by level: waiting for its host", 1000, 1, {
        PUT(0, A1, 0), PUT(0, A2, 0), PUT(0, B1, 1),
        TAKE(0, A1, 0), DONE(0, A1), NOTHING(0),
        TAKE(1000, A2, 0), NOTHING(1000),
        DONE(1500, A2), TAKE(1500, B1, 1),
    }},
    {"level by level: retrying", 0, 1, {
        PUT(0, A1, 0), PUT(0, B1, 1),
        TAKE(0, A1, 0), AGAIN(0, A1, 5000),
        NOTHING(0),
        IDLE(0, IDLE_RETRY, 5000, "a.example"),
        NOTHING(4999), TAKE(5000, A1, 0), NOTHING(5000),
        DONE(5000, A1), TAKE(5000, B1, 1),
    }},
    {"found again at a smaller depth", 0, 1, {
        PUT(0, A1, 2), PUT(0, A2, 2), PUT(0, B1, 1),
        FOUND(0, A2, 1),
        TAKE(0, A2, 1), TAKE(0, B1, 1), NOTHING(0),
        DONE(0, A2), NOTHING(0), DONE(0, B1), TAKE(0, A1, 2),
    }},
    {"found again at a larger or the same depth, or never seen", 0, 1, {
        PUT(0, A1, 1), FOUND(0, A1, 2), FOUND(0, A1, 1),
        FOUND(0, B2, 0),
        TAKE(0, A1, 1),
    }},
    {"found again in flight changes nothing", 0, 1, {
        PUT(0, A1, 1), TAKE(0, A1, 1), FOUND(0, A1, 0),
        AGAIN(0, A1, 10), TAKE(10, A1, 1),
    }},
    {"found again while retrying", 0, 1, {
        PUT(0, A1, 2), TAKE(0, A1, 2), AGAIN(0, A1, 10),
        PUT(0, B1, 1), FOUND(0, A1, 0),
        NOTHING(0), TAKE(10, A1, 0), NOTHING(10),
        DONE(10, A1), TAKE(10, B1, 1),
    }},
    {"found again while its host waits", 1000, 1, {
        PUT(0, A1, 0), TAKE(0, A1, 0), DONE(0, A1),
        PUT(0, A2, 3), PUT(0, A3, 2), PUT(0, B1, 2),
        FOUND(0, A2, 1),
        NOTHING(0), TAKE(1000, A2, 1),
    }},
    {"a retry waits alone", 100, 1, {
        PUT(0, A1, 0), PUT(0, A2, 0),
        TAKE(0, A1, 0), AGAIN(50, A1, 5000),
        NOTHING(149), TAKE(150, A2, 0), DONE(160, A2),
        NOTHING(260),
        IDLE(260, IDLE_RETRY, 5050, "a.example"),
        TAKE(5050, A1, 0),
    }},
    {"a retry waits with its whole host", 100, 1, {
        PUT(0, A1, 0), PUT(0, A2, 0), PUT(0, B1, 0),
        TAKE(0, A1, 0), TAKE(0, B1, 0), AGAIN_HOST(50, A1, 5000),
        NOTHING(5049),
        TAKE(5050, A1, 0), DONE(5060, A1), TAKE(5160, A2, 0),
    }},
    {"a retry sooner than the pause waits for the pause", 1000, 1, {
        PUT(0, A1, 0), TAKE(0, A1, 0), AGAIN_HOST(0, A1, 10),
        NOTHING(10), NOTHING(999), TAKE(1000, A1, 0),
    }},
    {"a retry keeps its age", 0, 1, {
        PUT(0, A1, 0), PUT(0, A2, 0), TAKE(0, A1, 0),
        AGAIN(0, A1, 0), TAKE(0, A1, 0),
    }},
    {"idle tells what time has changed, before anybody takes", 1000, 1, {
        PUT(0, A1, 0), PUT(0, A2, 0), TAKE(0, A1, 0), DONE(0, A1),
        IDLE(999, IDLE_PAUSE, 1000, "a.example"),
        IDLE(1000, IDLE_NOT, 1000, NULL),
        TAKE(1000, A2, 0), AGAIN(1000, A2, 5000),
        IDLE(5999, IDLE_RETRY, 6000, "a.example"),
        IDLE(6000, IDLE_NOT, 6000, NULL),
    }},
    {"left behind: queued, waiting, retrying, in flight", 1000, 1, {
        PUT(0, A1, 0), PUT(0, A2, 3), PUT(0, B1, 0), PUT(0, B2, 0),
        PUT(0, "http://c.example/", 5), PUT(0, "http://d.example/", 0),
        TAKE(0, A1, 0), TAKE(0, B1, 0), TAKE(0, "http://d.example/", 0),
        DONE(0, A1), AGAIN_HOST(0, B1, 99),
    }},
};
// clang-format on

static void scripted(void **state)
{
    (void)state;
    for (size_t i = 0; i < ARRAY_LEN(scripts); i++)
        run(&scripts[i]);
}

/* --- the rest -------------------------------------------------------- */

static void fields_of_a_target(void **state)
{
    const struct frontier_options options = {.per_host = 1, .domains = domains};
    struct frontier *frontier = frontier_new(&options);
    struct arena arena;
    struct url url;

    (void)state;
    arena_init(&arena);
    assert_int_equal(
        url_parse(&url, &arena, STR("http://h.example:81/?q"), NULL, NULL),
        ERR_NONE);
    struct offer offer = {.url = &url, .depth = 4, .referrer_id = 17};
    frontier_put(frontier, &offer, 0);
    offer.depth = 3;
    offer.referrer_id = 18;
    frontier_found_again(frontier, &offer);
    struct target *target = frontier_take(frontier, 0);
    assert_non_null(target);
    assert_string_equal(target->url, "http://h.example:81/?q");
    assert_true(str_eq(target_url(target), url.href));
    assert_true(target->fingerprint == 0);
    assert_int_equal(target->depth, 3);
    assert_int_equal(target->referrer_id, 18);
    assert_int_equal(target->tries, 0);
    assert_int_equal(target->state, TARGET_IN_FLIGHT);
    frontier_again(frontier, target, 0, 0, false);
    assert_ptr_equal(frontier_take(frontier, 0), target);
    assert_int_equal(target->tries, 1);
    frontier_done(frontier, target, 0, 0);
    frontier_free(frontier);
    frontier_free(NULL);
    arena_release(&arena);
}

static void counts(void **state)
{
    const struct frontier_options options = {.per_host = 1, .domains = domains};
    struct stage stage = {.frontier = frontier_new(&options)};
    static const char *const urls[] = {A1, A2, W1, P1, B1, S1};

    (void)state;
    arena_init(&stage.arena);
    for (size_t i = 0; i < ARRAY_LEN(urls); i++)
        put(&stage, &(struct step){.op = OP_PUT, .url = urls[i]});
    struct target *target = frontier_take(stage.frontier, 0);
    struct frontier_counts got = frontier_counts(stage.frontier);
    assert_int_equal(got.queued, 5);
    assert_int_equal(got.in_flight, 1);
    assert_int_equal(got.hosts, 4);
    assert_int_equal(got.domains, 2);
    frontier_again(stage.frontier, target, 0, 50, true);
    got = frontier_counts(stage.frontier);
    assert_int_equal(got.queued, 6);
    assert_int_equal(got.in_flight, 0);
    frontier_free(stage.frontier);
    arena_release(&stage.arena);
}

/* Of the whole domain, whichever of its hosts is asked for. */
static void counts_of_a_domain(void **state)
{
    const struct frontier_options options = {
        .ranking = RANKING_PRIORITY,
        .per_host = 1,
        .domains = domains,
    };
    struct stage stage = {.frontier = frontier_new(&options)};
    struct url url, sister, stranger;

    (void)state;
    arena_init(&stage.arena);
    assert_false(
        url_parse(&url, &stage.arena, STR("http://a.d.example/1"), NULL, NULL));
    assert_false(url_parse(&sister, &stage.arena, STR("http://b.d.example/2"),
                           NULL, NULL));
    assert_false(url_parse(&stranger, &stage.arena, STR("http://e.example/"),
                           NULL, NULL));
    const struct offer offer = {.url = &url, .fingerprint = 1};
    frontier_count_found(stage.frontier, &url, 1);
    frontier_count_found(stage.frontier, &sister, 1);
    frontier_put(stage.frontier, &offer, 0);
    struct domain_counts got = frontier_domain_counts(stage.frontier, &url);
    assert_int_equal(got.crawled, 0);
    assert_int_equal(got.found, 2);
    frontier_done(stage.frontier, frontier_take(stage.frontier, 0), 0, 0);
    got = frontier_domain_counts(stage.frontier, &sister);
    assert_int_equal(got.crawled, 1);
    assert_int_equal(got.found, 2);
    got = frontier_domain_counts(stage.frontier, &stranger);
    assert_int_equal(got.crawled + got.found, 0);
    assert_int_equal(frontier_counts(stage.frontier).domains, 1);
    frontier_free(stage.frontier);
    arena_release(&stage.arena);
}

static int setup(void **state)
{
    (void)state;
    domains = domains_new();
    return 0;
}

static int teardown(void **state)
{
    (void)state;
    domains_free(domains);
    return 0;
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(scripted),
        cmocka_unit_test(fields_of_a_target),
        cmocka_unit_test(counts),
        cmocka_unit_test(counts_of_a_domain),
    };

    return cmocka_run_group_tests(tests, setup, teardown);
}
