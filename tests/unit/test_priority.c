/* The prioritised frontier against a naive model that recomputes every score
 * and every rule for each extraction: order, the domain's cap and lock, the
 * pauses of hosts and of addresses. Random operations, fixed seeds. */
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

#include <cmocka.h>

#include "frontier/frontier.h"
#include "support/random.h"

enum { HOSTS = 24, DOMAINS = 8, ADDRESSES = 5, TARGETS = 200 };

struct model_target {
    bool open, in_flight;
    size_t host;
    uint32_t found;
    uint64_t age, fingerprint;
    struct target *target;
};

struct model {
    struct frontier *frontier;
    struct frontier_options options;
    uint32_t crawled[DOMAINS], found[DOMAINS], domain_flights[DOMAINS];
    uint32_t host_flights[HOSTS], address_flights[ADDRESSES];
    uint64_t host_next_ms[HOSTS], address_next_ms[ADDRESSES];
    bool resolved[HOSTS];
    struct model_target target[TARGETS];
    uint64_t age, fingerprint, now_ms;
    struct random random;
    struct arena arena;
    size_t extractions, refusals;
};

static size_t domain_of_model(size_t host)
{
    return host % DOMAINS;
}

static size_t address_of_model(size_t host)
{
    return host % ADDRESSES;
}

/* --- the rules, told plainly --------------------------------------------- */

static bool is_capped(const struct model *model, size_t host)
{
    return model->options.max_per_domain &&
           model->crawled[domain_of_model(host)] >=
               model->options.max_per_domain;
}

static uint64_t score(const struct model *model,
                      const struct model_target *target)
{
    size_t domain = domain_of_model(target->host);
    uint64_t novelty = model->crawled[domain] < 100
                           ? 1000 - 10 * (uint64_t)model->crawled[domain]
                           : 0;

    return novelty + model->found[domain] + 100 * (uint64_t)target->found;
}

static bool address_allows(const struct model *model, size_t host)
{
    size_t address = address_of_model(host);

    return !model->options.ip_delay_ms || !model->resolved[host] ||
           (model->address_flights[address] < model->options.per_host &&
            model->address_next_ms[address] <= model->now_ms);
}

static bool is_eligible(const struct model *model,
                        const struct model_target *target)
{
    size_t host = target->host;

    return target->open && !target->in_flight && !is_capped(model, host) &&
           model->host_flights[host] < model->options.per_host &&
           model->domain_flights[domain_of_model(host)] <
               model->options.per_host &&
           model->host_next_ms[host] <= model->now_ms &&
           address_allows(model, host);
}

static struct model_target *best_eligible(struct model *model)
{
    struct model_target *best = NULL;

    for (size_t i = 0; i < TARGETS; i++) {
        struct model_target *target = &model->target[i];
        if (!is_eligible(model, target))
            continue;
        if (!best || score(model, target) > score(model, best) ||
            (score(model, target) == score(model, best) &&
             target->age < best->age))
            best = target;
    }
    return best;
}

/* --- operations on both -------------------------------------------------- */

static struct model_target *pick(struct model *model, bool in_flight)
{
    size_t start = random_below(&model->random, TARGETS);

    for (size_t i = 0; i < TARGETS; i++) {
        struct model_target *target = &model->target[(start + i) % TARGETS];
        if (target->open && target->in_flight == in_flight)
            return target;
    }
    return NULL;
}

static void parse(struct model *model, struct url *url, size_t host,
                  uint64_t number)
{
    char text[128];

    snprintf(text, sizeof(text), "http://h%zu.d%zu.example/%llu", host,
             domain_of_model(host), (unsigned long long)number);
    arena_clear(&model->arena);
    assert_int_equal(url_parse(url, &model->arena, str_of(text), NULL, NULL),
                     ERR_NONE);
}

static void put(struct model *model)
{
    struct model_target *target = NULL;
    struct url url;

    for (size_t i = 0; i < TARGETS && !target; i++)
        if (!model->target[i].open)
            target = &model->target[i];
    if (!target)
        return;
    *target = (struct model_target){
        .open = true,
        .host = random_below(&model->random, HOSTS),
        .found = random_below(&model->random, 2),
        .age = model->age++,
        .fingerprint = model->fingerprint += 0x9e3779b97f4a7c15,
    };
    parse(model, &url, target->host, target->age);
    const struct offer offer = {
        .url = &url,
        .fingerprint = target->fingerprint,
        .found = target->found,
    };
    if (target->found) {
        frontier_count_found(model->frontier, &url);
        model->found[domain_of_model(target->host)]++;
    }
    frontier_put(model->frontier, &offer, model->now_ms);
}

static void find_again(struct model *model)
{
    struct model_target *target =
        pick(model, random_below(&model->random, 4) == 0);
    struct url url;

    if (!target)
        return;
    parse(model, &url, target->host, target->age);
    const struct offer offer = {
        .url = &url,
        .fingerprint = target->fingerprint,
        .found = 1,
    };
    frontier_count_found(model->frontier, &url);
    frontier_found_again(model->frontier, &offer);
    model->found[domain_of_model(target->host)]++;
    if (!target->in_flight)
        target->found++;
}

static struct model_target *model_of(struct model *model,
                                     const struct target *target)
{
    for (size_t i = 0; i < TARGETS; i++)
        if (model->target[i].open &&
            model->target[i].fingerprint == target->fingerprint)
            return &model->target[i];
    fail_msg("%s: the model has no such target", target->url);
    return NULL;
}

static void drop_refused(struct model *model, struct target *target)
{
    struct model_target *refused = model_of(model, target);

    assert_int_equal(target->verdict, DOMAIN_CAP);
    assert_true(is_capped(model, refused->host));
    refused->open = false;
    model->refusals++;
    frontier_drop(model->frontier, target, model->now_ms);
}

static void resolve(struct model *model, struct target *target,
                    const struct model_target *best)
{
    char name[64];
    struct ip ip = {.byte = {[10] = 0xff, [11] = 0xff, [12] = 127}};

    assert_non_null(best);
    snprintf(name, sizeof(name), "h%zu.d%zu.example", best->host,
             domain_of_model(best->host));
    assert_true(str_eq(frontier_host_name(target), str_of(name)));
    assert_false(model->resolved[best->host]);
    model->resolved[best->host] = true;
    ip.byte[15] = (uint8_t)address_of_model(best->host);
    frontier_resolved(model->frontier, target, &ip, model->now_ms);
}

static void note_taken(struct model *model, struct model_target *best,
                       struct target *target)
{
    if (target->priority != score(model, best))
        fail_msg("%s: priority %u, should be %llu", target->url,
                 (unsigned)target->priority,
                 (unsigned long long)score(model, best));
    best->in_flight = true;
    best->target = target;
    model->crawled[domain_of_model(best->host)]++;
    model->domain_flights[domain_of_model(best->host)]++;
    model->host_flights[best->host]++;
    model->address_flights[address_of_model(best->host)]++;
    model->extractions++;
}

static void take(struct model *model)
{
    struct target *target;

    while ((target = frontier_take(model->frontier, model->now_ms))) {
        struct model_target *best = best_eligible(model);
        if (target->verdict != ACCEPT) {
            drop_refused(model, target);
        } else if (target->kind == TARGET_RESOLVE) {
            resolve(model, target, best);
        } else {
            if (!best || best->fingerprint != target->fingerprint)
                fail_msg(
                    "took %s of score %u, not number %lld of h%zu, score %llu",
                    target->url, (unsigned)target->priority,
                    best ? (long long)best->age : -1, best ? best->host : 0,
                    best ? (unsigned long long)score(model, best) : 0);
            note_taken(model, best, target);
            return;
        }
    }
    assert_null(best_eligible(model));
}

static void end_fetch(struct model *model)
{
    struct model_target *target = pick(model, true);
    const struct frontier_options *options = &model->options;

    if (!target)
        return;
    size_t host = target->host, address = address_of_model(host);
    model->domain_flights[domain_of_model(host)]--;
    model->host_flights[host]--;
    model->address_flights[address]--;
    model->host_next_ms[host] = model->now_ms + options->delay_ms;
    model->address_next_ms[address] = model->now_ms + options->ip_delay_ms;
    target->open = false;
    frontier_done(model->frontier, target->target, model->now_ms);
}

static void operate(struct model *model)
{
    uint32_t dice = random_below(&model->random, 100);

    if (dice < 30)
        put(model);
    else if (dice < 50)
        find_again(model);
    else if (dice < 75)
        take(model);
    else if (dice < 95)
        end_fetch(model);
    else
        model->now_ms += random_below(&model->random, 40);
}

static void run(const struct frontier_options *options, uint64_t seed,
                size_t operations)
{
    struct domains *domains = domains_new();
    struct model *model = calloc(1, sizeof(*model));

    model->options = *options;
    model->options.domains = domains;
    model->now_ms = 1000;
    model->random.state = seed;
    arena_init(&model->arena);
    for (size_t i = 0; i < HOSTS; i++)
        model->resolved[i] = !options->resolve;
    model->frontier = frontier_new(&model->options);
    for (size_t i = 0; i < operations; i++)
        operate(model);
    struct model_target *left;
    while ((left = pick(model, true))) {
        left->open = false;
        frontier_done(model->frontier, left->target, model->now_ms);
    }
    if (options->max_per_domain)
        assert_true(model->refusals > 0);
    else
        assert_true(model->extractions > operations / 20);
    for (size_t i = 0; options->max_per_domain && i < DOMAINS; i++)
        assert_true(model->crawled[i] <= options->max_per_domain);
    frontier_free(model->frontier);
    arena_release(&model->arena);
    domains_free(domains);
    free(model);
}

static void against_a_naive_model(void **state)
{
    static const struct frontier_options cases[] = {
        {.delay_ms = 0, .per_host = 1},
        {.delay_ms = 20, .per_host = 1},
        {.delay_ms = 5, .per_host = 3},
        {.delay_ms = 20, .per_host = 1, .ip_delay_ms = 7, .resolve = true},
        {.delay_ms = 20, .per_host = 2, .ip_delay_ms = 30, .resolve = true},
        {.delay_ms = 10, .per_host = 1, .idle_hosts_max = 3},
    };

    (void)state;
    for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
        struct frontier_options options = cases[i];
        options.order = ORDER_PRIORITY;
        options.hash_seed = i;
        run(&options, i + 1, 20000);
    }
}

static void never_beyond_the_cap(void **state)
{
    static const struct frontier_options cases[] = {
        {.delay_ms = 0, .per_host = 4, .max_per_domain = 50},
        {.delay_ms = 3,
         .per_host = 1,
         .max_per_domain = 100,
         .ip_delay_ms = 1,
         .resolve = true},
    };

    (void)state;
    for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
        struct frontier_options options = cases[i];
        options.order = ORDER_PRIORITY;
        run(&options, i + 10, 20000);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(against_a_naive_model),
        cmocka_unit_test(never_beyond_the_cap),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
