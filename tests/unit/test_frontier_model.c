/* The frontier against a naive model of its rules: a list of targets that is
 * walked from end to end for every question. Random operations, fixed seeds. */
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

#include <cmocka.h>

#include "frontier/frontier.h"
#include "support/random.h"

/* Hosts of the model and their domains; the last two are one host. */
static const struct {
    const char *origin;
    size_t host, domain;
} sites[] = {
    {"http://a.example", 0, 0},      {"http://www.a.example", 1, 0},
    {"http://a.example:8080", 2, 0}, {"https://deep.www.a.example", 3, 0},
    {"http://b.example", 4, 1},      {"http://c.co.uk", 5, 2},
    {"http://d.co.uk", 6, 3},        {"http://www.d.co.uk", 7, 3},
    {"http://192.0.2.1", 8, 4},      {"http://192.0.2.1:81", 9, 4},
    {"http://[2001:db8::1]", 10, 5}, {"http://e.example", 11, 6},
    {"https://e.example", 11, 6},
};

enum { HOSTS = 12, DOMAINS = 7, TARGETS = 150, LEAVE_BEHIND_MS = 2000 };

struct model_target {
    bool open;
    bool opens_depth; /* deeper ones wait for it */
    enum target_state state;
    size_t site;
    uint32_t depth, referrer_id;
    uint16_t referrer_machine;
    uint64_t age, due_ms, fingerprint;
    struct target *target; /* in flight */
};

struct model {
    struct frontier *frontier;
    uint64_t delay_ms;
    uint32_t per_host, doubtful_max;
    bool is_prompt[DOMAINS];
    uint64_t next_fetch_ms[HOSTS], leave_behind_ms;
    bool is_known[HOSTS], is_left_behind[HOSTS];
    uint32_t host_in_flight[HOSTS], domain_in_flight[DOMAINS];
    struct model_target target[TARGETS];
    uint64_t age, fingerprint, now_ms;
    struct random random;
    struct arena arena;
    size_t takes, refusals;
};

/* --- the rules, told plainly ----------------------------------------- */

static uint32_t lowest_depth(const struct model *model)
{
    uint32_t lowest = UINT32_MAX;

    for (size_t i = 0; i < TARGETS; i++)
        if (model->target[i].open && model->target[i].opens_depth &&
            model->target[i].depth < lowest)
            lowest = model->target[i].depth;
    return lowest;
}

static bool has_place(const struct model *model, size_t domain)
{
    uint32_t doubtful = 0;

    for (size_t i = 0; i < DOMAINS; i++)
        doubtful += model->is_prompt[i] ? 0 : model->domain_in_flight[i];
    return model->is_prompt[domain] || !model->doubtful_max ||
           doubtful < model->doubtful_max;
}

/* When the target may go if nothing else happens, whatever its depth is;
 * UINT64_MAX: not so. */
static uint64_t eligible_from(const struct model *model,
                              const struct model_target *target)
{
    size_t host = sites[target->site].host;
    uint64_t from_ms = model->next_fetch_ms[host];

    if (!target->open || target->state == TARGET_IN_FLIGHT ||
        !has_place(model, sites[target->site].domain) ||
        model->host_in_flight[host] >= model->per_host ||
        model->domain_in_flight[sites[target->site].domain] >= model->per_host)
        return UINT64_MAX;
    if (target->state == TARGET_RETRYING && target->due_ms > from_ms)
        from_ms = target->due_ms;
    return from_ms;
}

/* A host that was left behind neither waits for others nor do they wait for it.
 */
static bool has_its_level(const struct model *model,
                          const struct model_target *target)
{
    return !target->opens_depth || target->depth == lowest_depth(model);
}

static struct model_target *first_eligible(struct model *model)
{
    struct model_target *first = NULL;

    for (size_t i = 0; i < TARGETS; i++) {
        struct model_target *target = &model->target[i];
        if (eligible_from(model, target) <= model->now_ms &&
            (!first || target->depth < first->depth ||
             (target->depth == first->depth && target->age < first->age)))
            first = target;
    }
    return first && has_its_level(model, first) ? first : NULL;
}

static size_t count(const struct model *model, bool in_flight)
{
    size_t result = 0;

    for (size_t i = 0; i < TARGETS; i++)
        result += model->target[i].open &&
                  (model->target[i].state == TARGET_IN_FLIGHT) == in_flight;
    return result;
}

/* --- operations on both ---------------------------------------------- */

/* A target in one of the states of the set, or NULL. */
static struct model_target *pick(struct model *model, unsigned states)
{
    size_t start = random_below(&model->random, TARGETS);

    for (size_t i = 0; i < TARGETS; i++) {
        struct model_target *target = &model->target[(start + i) % TARGETS];
        if (target->open && (states & 1u << target->state))
            return target;
    }
    return NULL;
}

static void put(struct model *model)
{
    size_t place = 0;
    char text[100];
    struct url url;

    while (place < TARGETS && model->target[place].open)
        place++;
    if (place == TARGETS)
        return;
    struct model_target *target = &model->target[place];
    *target = (struct model_target){
        .open = true,
        .state = TARGET_QUEUED,
        .site = random_below(&model->random, ARRAY_LEN(sites)),
        .depth = random_below(&model->random, 4),
        .referrer_id = random_below(&model->random, 1000),
        .referrer_machine = (uint16_t)random_below(&model->random, 1 << 16),
        .age = model->age++,
        .fingerprint = model->fingerprint += 0x9e3779b97f4a7c15,
    };
    size_t host = sites[target->site].host;
    target->opens_depth = !model->is_left_behind[host];
    model->is_known[host] = true;
    snprintf(text, sizeof(text), "%s/%llu", sites[target->site].origin,
             (unsigned long long)target->age);
    arena_clear(&model->arena);
    assert_int_equal(url_parse(&url, &model->arena, str_of(text), NULL, NULL),
                     ERR_NONE);
    const struct offer offer = {
        .url = &url,
        .fingerprint = target->fingerprint,
        .depth = target->depth,
        .referrer_id = target->referrer_id,
        .referrer_machine = target->referrer_machine,
    };
    frontier_put(model->frontier, &offer, model->now_ms);
}

static void found_again(struct model *model)
{
    struct model_target *target = pick(model, 7);
    uint32_t depth = random_below(&model->random, 5);
    uint32_t referrer_id = random_below(&model->random, 1000);
    uint16_t machine = (uint16_t)random_below(&model->random, 1 << 16);

    if (!target)
        return;
    const struct offer offer = {
        .fingerprint = target->fingerprint,
        .depth = depth,
        .referrer_id = referrer_id,
        .referrer_machine = machine,
        .found = 1,
    };
    frontier_found_again(model->frontier, &offer);
    if (target->state != TARGET_IN_FLIGHT && depth < target->depth) {
        target->depth = depth;
        target->referrer_id = referrer_id;
        target->referrer_machine = machine;
    }
}

static void check_idle(struct model *model)
{
    struct idle idle = frontier_idle(model->frontier, model->now_ms);
    uint64_t soonest_ms = UINT64_MAX;

    /* One that was left behind may be ready, but behind a smaller depth. */
    for (size_t i = 0; i < TARGETS; i++) {
        const struct model_target *target = &model->target[i];
        uint64_t from_ms = eligible_from(model, target);
        if (target->opens_depth && has_its_level(model, target) &&
            from_ms < soonest_ms)
            soonest_ms = from_ms;
    }
    /* Whoever sleeps until then must miss nothing, and must sleep. */
    if (idle.reason == IDLE_NOT || idle.until_ms > soonest_ms ||
        idle.until_ms <= model->now_ms)
        fail_msg("at %llu: reason %d until %llu, the next may go at %llu",
                 (unsigned long long)model->now_ms, idle.reason,
                 (unsigned long long)idle.until_ms,
                 (unsigned long long)soonest_ms);
    assert_int_equal(idle.reason == IDLE_EMPTY,
                     !count(model, true) && !count(model, false));
    assert_int_equal(idle.until_ms == UINT64_MAX,
                     idle.reason == IDLE_EMPTY || idle.reason == IDLE_FLIGHT);
    assert_int_equal(idle.host.len != 0, idle.until_ms != UINT64_MAX);
}

static void take(struct model *model)
{
    struct model_target *expected = first_eligible(model);
    struct target *got = frontier_take(model->frontier, model->now_ms);

    if ((got == NULL) != (expected == NULL) ||
        (got && got->fingerprint != expected->fingerprint))
        fail_msg("at %llu: expected depth %u age %llu, got %s depth %u",
                 (unsigned long long)model->now_ms,
                 expected ? expected->depth : 0,
                 (unsigned long long)(expected ? expected->age : 0),
                 got ? got->url : "nothing", got ? got->depth : 0);
    if (!got) {
        model->refusals++;
        check_idle(model);
        return;
    }
    model->takes++;
    assert_int_equal(got->depth, expected->depth);
    assert_int_equal(got->referrer_id, expected->referrer_id);
    assert_int_equal(got->referrer_machine, expected->referrer_machine);
    assert_int_equal(got->state, TARGET_IN_FLIGHT);
    expected->state = TARGET_IN_FLIGHT;
    expected->target = got;
    model->host_in_flight[sites[expected->site].host]++;
    model->domain_in_flight[sites[expected->site].domain]++;
}

/* The host has to rest for so long. */
static void leave_behind(struct model *model, size_t host, uint64_t rest_ms)
{
    size_t known = 0;

    for (size_t i = 0; i < HOSTS; i++)
        known += model->is_known[i];
    if (!model->leave_behind_ms || rest_ms <= model->leave_behind_ms ||
        rest_ms <= model->delay_ms || known < 2)
        return;
    model->is_left_behind[host] = true;
    for (size_t i = 0; i < TARGETS; i++)
        if (sites[model->target[i].site].host == host &&
            model->target[i].state != TARGET_IN_FLIGHT)
            model->target[i].opens_depth = false;
}

/* The end of a fetch: noticed a little later than it was, or reported with a
 * time ahead of the clock, as for a fetch that we cut. */
static void end_fetch(struct model *model, bool again)
{
    struct model_target *target = pick(model, 1u << TARGET_IN_FLIGHT);

    if (!target)
        return;
    size_t host = sites[target->site].host;
    uint64_t end_ms = model->now_ms + random_below(&model->random, 70) - 20;
    uint64_t wait_ms = random_below(&model->random, 3000);
    bool whole_host = again && random_below(&model->random, 2);
    uint64_t pause_ms =
        whole_host && wait_ms > model->delay_ms ? wait_ms : model->delay_ms;

    model->is_prompt[sites[target->site].domain] =
        random_below(&model->random, 3) > 0;
    frontier_note_prompt(model->frontier, target->target,
                         model->is_prompt[sites[target->site].domain]);
    model->host_in_flight[host]--;
    model->domain_in_flight[sites[target->site].domain]--;
    /* Without a pause there is nothing to wait for. */
    if (pause_ms && model->next_fetch_ms[host] < end_ms + pause_ms)
        model->next_fetch_ms[host] = end_ms + pause_ms;
    if (again) {
        frontier_again(model->frontier, target->target, end_ms, wait_ms,
                       whole_host);
        target->state = TARGET_RETRYING;
        target->due_ms = wait_ms ? end_ms + wait_ms : 0;
        if (!model->is_left_behind[host])
            leave_behind(model, host, whole_host ? wait_ms : 0);
    } else {
        frontier_done(model->frontier, target->target, end_ms, 0);
        target->open = false;
    }
}

static void step(struct model *model)
{
    uint32_t dice = random_below(&model->random, 100);

    if (dice < 22)
        put(model);
    else if (dice < 28)
        found_again(model);
    else if (dice < 60)
        take(model);
    else if (dice < 80)
        end_fetch(model, false);
    else if (dice < 86)
        end_fetch(model, true);
    else
        model->now_ms += random_below(&model->random, 300);

    struct frontier_counts counts = frontier_counts(model->frontier);
    assert_int_equal(counts.queued, count(model, false));
    assert_int_equal(counts.in_flight, count(model, true));
    for (size_t i = 0; i < HOSTS; i++)
        assert_true(model->host_in_flight[i] <= model->per_host);
    for (size_t i = 0; i < DOMAINS; i++)
        assert_true(model->domain_in_flight[i] <= model->per_host);
}

/* --- runs ------------------------------------------------------------ */

static void simulate(const struct domains *domains, uint64_t delay_ms,
                     uint32_t per_host, uint32_t doubtful_max, uint64_t seed,
                     int steps)
{
    const struct frontier_options options = {
        .delay_ms = delay_ms,
        .leave_behind_ms = seed % 3 ? LEAVE_BEHIND_MS : 0,
        .per_host = per_host,
        .doubtful_max = doubtful_max,
        .hash_seed = seed,
        .domains = domains,
    };
    struct model *model = calloc(1, sizeof(*model));

    model->frontier = frontier_new(&options);
    model->delay_ms = delay_ms;
    model->leave_behind_ms = options.leave_behind_ms;
    model->per_host = per_host;
    model->doubtful_max = doubtful_max;
    model->now_ms = 1000;
    model->random.state = seed;
    arena_init(&model->arena);
    for (int i = 0; i < steps; i++)
        step(model);
    /* A run in which hardly anything is taken would prove nothing. */
    if (model->takes < (size_t)steps / 100 || !model->refusals)
        fail_msg("%zu taken, %zu refused in %d steps", model->takes,
                 model->refusals, steps);

    /* In the odd runs all is done at the end, in the others the rest is freed
     * as it stands. */
    for (int i = 0; seed % 2 && count(model, false) && i < 100000; i++) {
        model->now_ms += 100;
        end_fetch(model, false);
        take(model);
    }
    while (count(model, true))
        end_fetch(model, false);
    assert_int_equal(seed % 2 && count(model, false), 0);
    frontier_free(model->frontier);
    arena_release(&model->arena);
    free(model);
}

static void against_a_naive_model(void **state)
{
    static const struct {
        uint64_t delay_ms;
        uint32_t per_host, doubtful_max;
    } cases[] = {
        {0, 1, 0},  {0, 2, 0},  {50, 1, 0}, {1000, 1, 0},   {200, 3, 0},
        {0, 1, 1},  {0, 2, 3},  {50, 2, 1}, {1000, 100, 2}, {200, 3, 2},
        {50, 1, 3}, {50, 3, 5}, {0, 1, 2},  {1000, 100, 0},
    };
    struct domains *domains = domains_new();

    (void)state;
    for (size_t i = 0; i < ARRAY_LEN(cases); i++)
        for (uint64_t seed = 1; seed <= 4; seed++)
            simulate(domains, cases[i].delay_ms, cases[i].per_host,
                     cases[i].doubtful_max, seed + i, 5000);
    simulate(domains, 50, 2, 0, 99, 100000);
    simulate(domains, 50, 2, 3, 98, 100000);
    domains_free(domains);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(against_a_naive_model),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
