/* The frontier with domains and addresses against a naive model that recomputes
 * every score and every rule for each extraction: the order, the cap of a
 * domain, its fetches in flight, the pauses of hosts and of addresses, turns at
 * an address, retries. Random operations, fixed seeds. */
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

#include <cmocka.h>

#include "frontier/host.h"
#include "frontier/politeness.h"
#include "support/random.h"

enum { HOSTS = 400, DOMAINS = 50, ADDRESSES = 100, TARGETS = 300 };

/* How many of each there are. */
struct shape {
    size_t hosts, domains, addresses, targets;
};

struct model_target {
    bool open, in_flight;
    size_t host;
    uint32_t found, depth;
    uint64_t age, fingerprint;
    uint64_t due_ms; /* not before; 0: it is no retry */
    struct target *target;
};

struct model {
    struct frontier *frontier;
    struct frontier_options options;
    struct shape shape;
    uint32_t crawled[DOMAINS], found[DOMAINS], domain_flights[DOMAINS];
    uint32_t host_flights[HOSTS], address_flights[ADDRESSES];
    uint64_t host_next_ms[HOSTS], address_next_ms[ADDRESSES];
    bool resolved[HOSTS];
    uint64_t turn[HOSTS], turns; /* in the queue of its address; 0: it is not */
    struct model_target target[TARGETS];
    uint64_t age, fingerprint, now_ms;
    struct random random;
    struct arena arena;
    size_t extractions, refusals, retries, queued_hosts, sent_back;
};

static size_t domain_of_model(const struct model *model, size_t host)
{
    return host % model->shape.domains;
}

static size_t address_of_model(const struct model *model, size_t host)
{
    return (7 * host + host / model->shape.domains) % model->shape.addresses;
}

/* --- the rules, told plainly --------------------------------------------- */

static bool is_capped(const struct model *model, size_t host)
{
    return model->options.max_per_domain &&
           model->crawled[domain_of_model(model, host)] >=
               model->options.max_per_domain;
}

static uint64_t score(const struct model *model,
                      const struct model_target *target)
{
    if (model->options.ranking == RANKING_BFS)
        return 200;
    size_t domain = domain_of_model(model, target->host);
    uint64_t novelty = model->crawled[domain] < 100
                           ? 1000 - 10 * (uint64_t)model->crawled[domain]
                           : 0;

    return novelty + model->found[domain] + 100 * (uint64_t)target->found;
}

static bool address_is_open(const struct model *model, size_t address)
{
    return model->address_flights[address] < model->options.per_host &&
           model->address_next_ms[address] <= model->now_ms;
}

static bool has_fetch_to_spare(const struct model *model, size_t host)
{
    return model->domain_flights[domain_of_model(model, host)] <
           model->options.per_host;
}

static size_t hosts_in_queues(const struct model *model, size_t domain)
{
    size_t count = 0;

    for (size_t i = domain; i < model->shape.hosts; i += model->shape.domains)
        count += model->turn[i] > 0;
    return count;
}

/* Is the target in its host's queue? What is to be refused does not wait for
 * its retry. */
static bool is_queued(const struct model *model,
                      const struct model_target *target)
{
    return target->open && !target->in_flight &&
           (target->due_ms <= model->now_ms || is_capped(model, target->host));
}

/* May it be fetched, or refused, as far as its host and domain are concerned?
 */
static bool is_ready(const struct model *model,
                     const struct model_target *target)
{
    size_t host = target->host;

    if (!is_queued(model, target) || model->turn[host])
        return false;
    return is_capped(model, host) ||
           (model->host_flights[host] < model->options.per_host &&
            model->host_next_ms[host] <= model->now_ms &&
            has_fetch_to_spare(model, host) &&
            hosts_in_queues(model, domain_of_model(model, host)) <
                ADDRESS_QUEUE_MAX);
}

static bool goes_before(const struct model *model, const struct model_target *a,
                        const struct model_target *b)
{
    if (model->options.ranking == RANKING_BFS && a->depth != b->depth)
        return a->depth < b->depth;
    if (score(model, a) != score(model, b))
        return score(model, a) > score(model, b);
    return a->age < b->age;
}

static uint32_t lowest_depth(const struct model *model)
{
    uint32_t lowest = UINT32_MAX;

    for (size_t i = 0; i < TARGETS; i++)
        if (model->target[i].open && model->target[i].depth < lowest)
            lowest = model->target[i].depth;
    return lowest;
}

static bool is_its_level(const struct model *model,
                         const struct model_target *target)
{
    return model->options.ranking != RANKING_BFS ||
           target->depth <= lowest_depth(model);
}

/* The best of all ready targets, or of the queue of one host. */
static struct model_target *best_target(struct model *model, const size_t *host)
{
    struct model_target *best = NULL;

    for (size_t i = 0; i < TARGETS; i++) {
        struct model_target *target = &model->target[i];
        bool counts = host ? target->host == *host && is_queued(model, target)
                           : is_ready(model, target);
        if (counts && (!best || goes_before(model, target, best)))
            best = target;
    }
    return best;
}

/* Of all hosts whose address is open: the one that came first, in breadth-first
 * order of those with the smallest depth. */
static struct model_target *first_in_queues(struct model *model)
{
    struct model_target *first = NULL;

    for (size_t i = 0; i < model->shape.hosts; i++) {
        if (!model->turn[i] ||
            !address_is_open(model, address_of_model(model, i)))
            continue;
        struct model_target *best = best_target(model, &i);
        bool shallower = first && model->options.ranking == RANKING_BFS &&
                         best->depth != first->depth;
        if (!first || (shallower ? best->depth < first->depth
                                 : model->turn[i] < model->turn[first->host]))
            first = best;
    }
    return first;
}

static bool has_queue(const struct model *model, size_t address)
{
    for (size_t i = 0; i < model->shape.hosts; i++)
        if (model->turn[i] && address_of_model(model, i) == address)
            return true;
    return false;
}

/* The rule: a host that has waited for its address goes first, but it loses its
 * turn if its domain has no fetch to spare or a smaller depth is open. Else the
 * best target of all; if its address is not free the host joins the queue
 * there. */
static struct model_target *choose(struct model *model)
{
    for (;;) {
        struct model_target *target = first_in_queues(model);
        if (target && (!has_fetch_to_spare(model, target->host) ||
                       !is_its_level(model, target))) {
            model->turn[target->host] = 0;
            model->sent_back++;
            continue;
        }
        if (target)
            return target;
        target = best_target(model, NULL);
        if (!target || !is_its_level(model, target))
            return NULL;
        size_t address = address_of_model(model, target->host);
        if (is_capped(model, target->host) || !model->options.resolve ||
            !model->resolved[target->host] ||
            (address_is_open(model, address) && !has_queue(model, address)))
            return target;
        model->turn[target->host] = ++model->turns;
        model->queued_hosts++;
    }
}

/* Nothing holds back what is to be refused: no lock, no pause, no retry. */
static void check_refused(const struct model *model)
{
    for (size_t i = 0; i < TARGETS; i++) {
        const struct model_target *target = &model->target[i];
        if (target->open && !target->in_flight &&
            is_capped(model, target->host))
            fail_msg("number %llu of h%zu, whose domain is capped, is left",
                     (unsigned long long)target->age, target->host);
    }
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
             domain_of_model(model, host), (unsigned long long)number);
    arena_clear(&model->arena);
    assert_int_equal(url_parse(url, &model->arena, str_of(text), NULL, NULL),
                     ERR_NONE);
}

static void put(struct model *model)
{
    struct model_target *target = NULL;
    struct url url;

    for (size_t i = 0; i < model->shape.targets && !target; i++)
        if (!model->target[i].open)
            target = &model->target[i];
    if (!target)
        return;
    *target = (struct model_target){
        .open = true,
        .host = random_below(&model->random, (uint32_t)model->shape.hosts),
        .found = random_below(&model->random, 2),
        .depth = random_below(&model->random, 4),
        .age = model->age++,
        .fingerprint = model->fingerprint += 0x9e3779b97f4a7c15,
    };
    parse(model, &url, target->host, target->age);
    const struct offer offer = {
        .url = &url,
        .fingerprint = target->fingerprint,
        .found = target->found,
        .depth = target->depth,
    };
    if (target->found) {
        frontier_count_found(model->frontier, &url, 1);
        model->found[domain_of_model(model, target->host)]++;
    }
    frontier_put(model->frontier, &offer, model->now_ms);
}

static void find_again(struct model *model)
{
    struct model_target *target =
        pick(model, random_below(&model->random, 4) == 0);
    uint32_t depth = random_below(&model->random, 5);
    struct url url;

    if (!target)
        return;
    parse(model, &url, target->host, target->age);
    const struct offer offer = {
        .url = &url,
        .fingerprint = target->fingerprint,
        .found = 1,
        .depth = depth,
    };
    frontier_count_found(model->frontier, &url, 1);
    frontier_found_again(model->frontier, &offer);
    model->found[domain_of_model(model, target->host)]++;
    if (target->in_flight)
        return;
    target->found++;
    if (depth < target->depth)
        target->depth = depth;
}

static void drop_refused(struct model *model, struct target *target,
                         struct model_target *refused)
{
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

    snprintf(name, sizeof(name), "h%zu.d%zu.example", best->host,
             domain_of_model(model, best->host));
    assert_true(str_eq(host_name(target->host), str_of(name)));
    assert_false(model->resolved[best->host]);
    model->resolved[best->host] = true;
    ip.byte[15] = (uint8_t)address_of_model(model, best->host);
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
    model->crawled[domain_of_model(model, best->host)]++;
    model->domain_flights[domain_of_model(model, best->host)]++;
    model->host_flights[best->host]++;
    model->address_flights[address_of_model(model, best->host)]++;
    model->extractions++;
    model->turn[best->host] = 0;
    if (!is_capped(model, best->host))
        return;
    for (size_t i = domain_of_model(model, best->host); i < model->shape.hosts;
         i += model->shape.domains)
        model->turn[i] = 0;
}

/* Nothing can be taken: whoever sleeps until then must sleep. */
static void check_idle(const struct model *model)
{
    struct idle idle = frontier_idle(model->frontier, model->now_ms);

    assert_int_not_equal(idle.reason, IDLE_NOT);
    assert_true(idle.wake_ms > model->now_ms);
    if (model->options.ranking == RANKING_PRIORITY)
        check_refused(model);
}

static void take(struct model *model)
{
    for (;;) {
        struct target *target = frontier_take(model->frontier, model->now_ms);
        struct model_target *best = choose(model);
        bool is_lookup = target && target->kind == TARGET_RESOLVE;
        if (!target && !best)
            break;
        if (!target || !best ||
            (!is_lookup && best->fingerprint != target->fingerprint))
            fail_msg("took %s of score %u, not number %lld of h%zu, score %llu",
                     target ? target->url : "nothing",
                     target ? (unsigned)target->priority : 0,
                     best ? (long long)best->age : -1, best ? best->host : 0,
                     best ? (unsigned long long)score(model, best) : 0);
        if (is_lookup) {
            resolve(model, target, best);
        } else if (target->verdict != ACCEPT) {
            drop_refused(model, target, best);
        } else {
            note_taken(model, best, target);
            return;
        }
    }
    check_idle(model);
}

static void pause_until(uint64_t *next_ms, uint64_t until_ms)
{
    if (*next_ms < until_ms)
        *next_ms = until_ms;
}

static void end_fetch(struct model *model, bool again)
{
    struct model_target *target = pick(model, true);
    const struct frontier_options *options = &model->options;
    uint64_t wait_ms = random_below(&model->random, 200);
    bool whole_host = again && random_below(&model->random, 2);

    if (!target)
        return;
    size_t host = target->host, address = address_of_model(model, host);
    model->domain_flights[domain_of_model(model, host)]--;
    model->host_flights[host]--;
    model->address_flights[address]--;
    pause_until(&model->host_next_ms[host], model->now_ms + options->delay_ms);
    pause_until(&model->address_next_ms[address],
                model->now_ms + options->ip_delay_ms);
    target->in_flight = false;
    if (whole_host)
        pause_until(&model->host_next_ms[host], model->now_ms + wait_ms);
    if (model->host_next_ms[host] > model->now_ms)
        model->turn[host] = 0;
    if (again) {
        target->due_ms = model->now_ms + wait_ms;
        model->retries++;
        frontier_again(model->frontier, target->target, model->now_ms, wait_ms,
                       whole_host);
    } else {
        target->open = false;
        frontier_done(model->frontier, target->target, model->now_ms, 0);
    }
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
        end_fetch(model, random_below(&model->random, 5) == 0);
    else
        model->now_ms += random_below(&model->random, 40);
}

struct run {
    size_t refusals, queued_hosts, sent_back;
};

static void run(struct run *sum, const struct frontier_options *options,
                const struct shape *shape, uint64_t seed, size_t operations)
{
    struct domains *domains = domains_new();
    struct model *model = calloc(1, sizeof(*model));

    model->options = *options;
    model->options.domains = domains;
    model->shape = *shape;
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
        frontier_done(model->frontier, left->target, model->now_ms, 0);
    }
    sum->refusals += model->refusals;
    sum->queued_hosts += model->queued_hosts;
    sum->sent_back += model->sent_back;
    assert_true(model->refusals > 0 || model->extractions > operations / 200);
    assert_true(model->retries > 0);
    for (size_t i = 0; options->max_per_domain && i < DOMAINS; i++)
        assert_true(model->crawled[i] <= options->max_per_domain);
    frontier_free(model->frontier);
    arena_release(&model->arena);
    domains_free(domains);
    free(model);
}

/* The usual; many domains at one address; one domain at a few; and many hosts
 * of few domains at many addresses. */
static const struct shape shapes[] = {
    {24, 8, 5, 200},    {60, 50, 1, 300},  {100, 1, 4, 200},
    {400, 1, 100, 300}, {200, 2, 40, 300},
};

static void run_all(const struct frontier_options *cases, size_t count,
                    enum ranking_kind ranking)
{
    struct run all = {0};

    for (size_t i = 0; i < count; i++) {
        struct run sum = {0};
        for (size_t k = 0; k < ARRAY_LEN(shapes); k++) {
            struct frontier_options options = cases[i];
            options.ranking = ranking;
            options.hash_seed = i;
            run(&sum, &options, &shapes[k], i + 1, k ? 8000 : 20000);
        }
        assert_int_equal(sum.refusals > 0, cases[i].max_per_domain > 0);
        assert_int_equal(sum.queued_hosts > 0, cases[i].resolve);
        all.sent_back += sum.sent_back;
    }
    assert_true(all.sent_back > 0);
}

static const struct frontier_options paces[] = {
    {.delay_ms = 0, .per_host = 1},
    {.delay_ms = 20, .per_host = 1},
    {.delay_ms = 5, .per_host = 3},
    {.delay_ms = 20, .per_host = 1, .ip_delay_ms = 7, .resolve = true},
    {.delay_ms = 20, .per_host = 2, .ip_delay_ms = 30, .resolve = true},
    {.delay_ms = 0, .per_host = 30, .ip_delay_ms = 300, .resolve = true},
    {.delay_ms = 0, .per_host = 1, .resolve = true},
    {.delay_ms = 0, .per_host = 3, .resolve = true},
    {.delay_ms = 10, .per_host = 1, .idle_hosts_max = 3},
};

static void by_score(void **state)
{
    (void)state;
    run_all(paces, ARRAY_LEN(paces), RANKING_PRIORITY);
}

static void by_level(void **state)
{
    (void)state;
    run_all(paces, ARRAY_LEN(paces), RANKING_BFS);
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
        {.delay_ms = 3,
         .per_host = 2,
         .max_per_domain = 20,
         .ip_delay_ms = 40,
         .resolve = true},
    };

    (void)state;
    run_all(cases, ARRAY_LEN(cases), RANKING_PRIORITY);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(by_score),
        cmocka_unit_test(by_level),
        cmocka_unit_test(never_beyond_the_cap),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
