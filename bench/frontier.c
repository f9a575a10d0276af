/* The validator and its frontier: candidates a second, bytes a seen URL, bytes
 * a domain, the cost of an address with many hosts.
 *
 *     bench/frontier [URLS...]     (default: 100000 1000000 10000000)
 *
 * Candidates are 90 % repeats; hosts follow a power law. The queue is emptied
 * as it fills, so that what is measured is judging, queueing and taking, not
 * a queue without end. CPU time. */
#include <malloc.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#include "base/mem.h"
#include "frontier/parts.h"
#include "frontier/validator.h"
#include "web/normalize.h"

static double cpu_s(void)
{
    struct timespec now;

    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
    return (double)now.tv_sec + (double)now.tv_nsec / 1e9;
}

static size_t heap_bytes(void)
{
    struct mallinfo2 info = mallinfo2();

    return info.uordblks + info.hblkhd;
}

static uint64_t mix(uint64_t x)
{
    x ^= x >> 30;
    x *= 0xbf58476d1ce4e5b9;
    x ^= x >> 27;
    x *= 0x94d049bb133111eb;
    return x ^ x >> 31;
}

/* The URL of a number: the host of rank r has about 1/r of them. */
static void make_url(struct url *url, struct arena *arena, uint64_t number,
                     uint64_t hosts)
{
    double share = (double)(mix(number) >> 11) / 9007199254740992.0;
    uint64_t rank = (uint64_t)(1 / (share + 1.0 / (double)hosts));
    char text[128];

    snprintf(text, sizeof(text), "http://www.d%llu.example/dir/page%llu.html",
             (unsigned long long)rank, (unsigned long long)number);
    arena_clear(arena);
    if (url_parse(url, arena, str_of(text), NULL, NULL))
        abort();
}

struct batch {
    struct url url[100];
    uint64_t fingerprint[100];
    struct arena arena[100];
};

static void drain(struct frontier *frontier, size_t keep)
{
    struct target *target;

    while (frontier_counts(frontier).queued > keep &&
           (target = frontier_take(frontier, 1)))
        frontier_done(frontier, target, 1, 0);
}

/* A page's worth of links at a time, as the crawler thread gets them. */
static double judge_all(struct validator *validator, struct batch *batch,
                        uint64_t urls)
{
    double spent = 0;
    uint64_t fresh = 0;

    for (uint64_t page = 0; page < urls / 10; page++) {
        for (size_t i = 0; i < 100; i++) {
            uint64_t number =
                i % 10 == 0 ? fresh++ : mix(page * 100 + i) % (fresh + 1);
            make_url(&batch->url[i], &batch->arena[i], number, 100000);
            batch->fingerprint[i] = url_fingerprint(&batch->url[i], 1);
        }
        double start = cpu_s();
        for (size_t i = 0; i < 100; i++)
            validator_expect(validator, batch->fingerprint[i]);
        for (size_t i = 0; i < 100; i++) {
            const struct offer offer = {
                .url = &batch->url[i],
                .fingerprint = batch->fingerprint[i],
                .depth = 1,
                .found = 1,
            };
            validator_offer(validator, &offer, 1);
        }
        drain(validator->frontier, 1000);
        spent += cpu_s() - start;
    }
    return spent;
}

static void measure(enum ranking_kind ranking, uint64_t urls,
                    const struct domains *domains)
{
    const struct frontier_options options = {
        .ranking = ranking,
        .per_host = 1,
        .hash_seed = 1,
        .domains = domains,
    };
    struct scope *scope = scope_new(domains);
    struct batch *batch = NEW(struct batch);
    struct validator validator;
    struct url seed;

    make_url(&seed, &batch->arena[0], 0, 1);
    scope_add_seed(scope, SCOPE_ANY, &seed);
    validator_init(&validator, scope, UINT32_MAX, &options);
    double spent = judge_all(&validator, batch, urls);
    printf(
        "%-8s %9llu URLs: %6.0f ns a candidate, %8.0f candidates/s, "
        "%5.2f bytes a seen URL\n",
        ranking == RANKING_BFS ? "bfs" : "priority", (unsigned long long)urls,
        spent / (double)urls / 10 * 1e9, (double)urls * 10 / spent,
        (double)((validator.part[0].seen.room + validator.part[0].seen.spare) *
                 8) /
            (double)validator.part[0].seen.count);
    drain(validator.frontier, 0);
    validator_release(&validator);
    for (size_t i = 0; i < 100; i++)
        arena_release(&batch->arena[i]);
    free(batch);
    scope_free(scope);
}

/* Bytes held for domains, names included. */
static size_t domain_bytes(const struct frontier *frontier)
{
    const struct politeness *politeness = &frontier->politeness;

    return politeness->domain_arena.used +
           politeness->domains.room * sizeof(struct hashtable_slot);
}

/* A million domains with nothing queued. */
static void measure_domains(const struct domains *domains)
{
    const struct frontier_options options = {
        .ranking = RANKING_PRIORITY,
        .per_host = 1,
        .idle_hosts_max = 10000,
        .hash_seed = 1,
        .domains = domains,
    };
    enum { COUNT = 1000000 };
    size_t before = heap_bytes(), names = 0;
    struct frontier *frontier = frontier_new(&options);
    struct arena arena;

    arena_init(&arena);
    for (uint64_t i = 0; i < COUNT; i++) {
        char text[64];
        struct url url;
        int len = snprintf(text, sizeof(text), "http://domain%llu.example/",
                           (unsigned long long)i);
        arena_clear(&arena);
        if (url_parse(&url, &arena, (struct str){text, (size_t)len}, NULL,
                      NULL))
            abort();
        names += url_host(&url).len;
        const struct offer offer = {.url = &url, .fingerprint = i};
        frontier_put(frontier, &offer, 1);
        frontier_done(frontier, frontier_take(frontier, 1), 1, 0);
    }
    printf("%d idle domains: %.1f bytes each beyond the name (%.1f with all "
           "else that the frontier holds, the host cache included)\n",
           COUNT, (double)(domain_bytes(frontier) - names) / COUNT,
           (double)(heap_bytes() - before - names) / COUNT);
    arena_release(&arena);
    frontier_free(frontier);
}

/* Every host a domain of its own, two pages each, all at one address that
 * answers once in a pause. */
static void measure_address(const struct domains *domains, uint64_t hosts)
{
    const struct frontier_options options = {
        .ranking = RANKING_PRIORITY,
        .per_host = 1,
        .delay_ms = 1000,
        .ip_delay_ms = 10,
        .resolve = true,
        .hash_seed = 1,
        .domains = domains,
    };
    enum { FETCHES = 1000 };
    const struct ip ip = {.byte = {[10] = 0xff, [11] = 0xff, [12] = 127}};
    struct frontier *frontier = frontier_new(&options);
    struct target *target;
    struct arena arena;
    uint64_t now_ms = 1;

    arena_init(&arena);
    for (uint64_t i = 0; i < 2 * hosts; i++) {
        char text[64];
        struct url url;
        int len =
            snprintf(text, sizeof(text), "http://domain%llu.example/%llu",
                     (unsigned long long)(i / 2), (unsigned long long)(i % 2));
        arena_clear(&arena);
        if (url_parse(&url, &arena, (struct str){text, (size_t)len}, NULL,
                      NULL))
            abort();
        const struct offer offer = {.url = &url, .fingerprint = mix(i + 1)};
        frontier_put(frontier, &offer, now_ms);
    }
    arena_release(&arena);

    double start = 0;
    for (int fetches = -1; fetches < FETCHES; now_ms += 10) {
        while ((target = frontier_take(frontier, now_ms)) &&
               target->kind == TARGET_RESOLVE)
            frontier_resolved(frontier, target, &ip, now_ms);
        /* Names are looked up before the first fetch has ended. */
        struct target *more;
        while ((more = frontier_take(frontier, now_ms)))
            frontier_resolved(frontier, more, &ip, now_ms);
        if (!fetches++)
            start = cpu_s();
        frontier_done(frontier, target, now_ms, 0);
    }
    printf("%llu hosts at one address: %.1f us a fetch\n",
           (unsigned long long)hosts, (cpu_s() - start) / FETCHES * 1e6);
    frontier_free(frontier);
}

int main(int argc, char *argv[])
{
    struct domains *domains = domains_new();
    const char *const standard[] = {"100000", "1000000", "10000000"};
    size_t count = argc > 1 ? (size_t)argc - 1 : ARRAY_LEN(standard);

    for (size_t i = 0; i < count; i++) {
        uint64_t urls =
            strtoull(argc > 1 ? argv[i + 1] : standard[i], NULL, 10);
        measure(RANKING_BFS, urls, domains);
        measure(RANKING_PRIORITY, urls, domains);
    }
    measure_domains(domains);
    measure_address(domains, 1000);
    measure_address(domains, 50000);
    domains_free(domains);
    return 0;
}
