/* Random webs, crawled by a validator with next to no memory for its queue:
 * every page comes out once, at its true depth, and there is no dead end. */
#include <fcntl.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include <cmocka.h>

#include "base/mem.h"
#include "frontier/validator.h"
#include "support/random.h"
#include "web/normalize.h"

enum { SEED = 5, SEEDS = 12, LINKS = 24, FLIGHTS = 12, HOPS_MAX = 200 };

/* What the web is like, and the crawl. */
struct plan {
    unsigned pages, hosts, domains;
    unsigned redirects, retries, silent, moved; /* of 100 */
    unsigned lists; /* of 100 pages, with others as if they were seeds */
    size_t bytes;
    struct frontier_options options;
};

struct page {
    unsigned host;
    bool redirects, lists;
    unsigned links, link[LINKS];
    uint32_t depth; /* UINT32_MAX: no way leads there */
    bool offered;
    unsigned over;
};

struct world {
    const struct plan *plan;
    struct random random;
    struct page *page;
    bool *silent; /* hosts */
    struct domains *domains;
    struct scope *scope;
    struct arena arena;
    struct validator validator;
    uint64_t now_ms;
    struct target *flight[FLIGHTS];
};

static bool chance(struct world *world, unsigned of_100)
{
    return random_below(&world->random, 100) < of_100;
}

static void parse(struct world *world, unsigned host, const char *path,
                  struct url *url)
{
    char text[100];

    snprintf(text, sizeof(text), "http://h%u.d%u.example/%s", host,
             host % world->plan->domains, path);
    arena_clear(&world->arena);
    assert_int_equal(url_parse(url, &world->arena, str_of(text), NULL, NULL),
                     ERR_NONE);
}

static void url_of(struct world *world, unsigned page, struct url *url)
{
    char path[20];

    snprintf(path, sizeof(path), "%u", page);
    parse(world, world->page[page].host, path, url);
}

static struct page *page_of(struct world *world, const struct target *target)
{
    return &world->page[atoi(strrchr(target->url, '/') + 1)];
}

static unsigned host_of(const struct target *target)
{
    return (unsigned)atoi(target->url + strlen("http://h"));
}

/* --- the web ------------------------------------------------------------- */

static void make_page(struct world *world, unsigned i)
{
    const struct plan *plan = world->plan;
    struct page *page = &world->page[i];
    unsigned a = random_below(&world->random, plan->hosts);
    unsigned b = random_below(&world->random, plan->hosts);
    unsigned span = chance(world, 50) ? 200 : plan->pages;

    page->host = i ? (a < b ? a : b) : 0;
    page->depth = UINT32_MAX;
    page->redirects = i && chance(world, plan->redirects);
    page->lists = i && chance(world, plan->lists);
    page->links = !i                ? LINKS
                  : page->redirects ? 1
                                    : random_below(&world->random, LINKS);
    for (unsigned n = 0; n < page->links; n++)
        page->link[n] =
            (i / 2 + random_below(&world->random, span)) % plan->pages;
}

/* The shortest way to each, by looking at all links until nothing changes. */
static void find_depths(struct world *world)
{
    bool changed = true;

    world->page[0].depth = 0;
    while (changed) {
        changed = false;
        for (unsigned i = 0; i < world->plan->pages; i++) {
            const struct page *page = &world->page[i];
            uint32_t depth = page->depth + !page->redirects;
            for (unsigned n = 0; page->depth != UINT32_MAX && n < page->links;
                 n++) {
                struct page *to = &world->page[page->link[n]];
                changed |= to->depth > depth;
                to->depth = to->depth > depth ? depth : to->depth;
            }
        }
    }
}

static void make_web(struct world *world)
{
    const struct plan *plan = world->plan;

    world->page = mem_array(plan->pages, sizeof(*world->page));
    world->silent = mem_array(plan->hosts, sizeof(*world->silent));
    for (unsigned host = 1; host < plan->hosts; host++)
        world->silent[host] = chance(world, plan->silent);
    for (unsigned i = 0; i < plan->pages; i++)
        make_page(world, i);
    find_depths(world);
}

/* --- the crawl ----------------------------------------------------------- */

static void count_over(struct page *page)
{
    assert_int_equal(page->over, 0);
    page->over++;
}

static void offer(struct world *world, unsigned page, uint32_t depth,
                  const struct target *from)
{
    struct url url;

    url_of(world, page, &url);
    const struct offer offer = {
        .url = &url,
        .fingerprint = url_fingerprint(&url, SEED),
        .depth = depth,
        .referrer_id = 1,
        .found = 1,
    };
    world->page[page].offered = true;
    enum verdict verdict =
        from ? validator_offer_redirect(&world->validator, from, &offer,
                                        HOPS_MAX, world->now_ms)
             : validator_offer(&world->validator, &offer, world->now_ms);
    if (verdict != ACCEPT && verdict != DUPLICATE)
        count_over(&world->page[page]);
}

static bool depths_are_exact(const struct plan *plan)
{
    return plan->options.ranking == RANKING_BFS && !plan->lists &&
           !plan->silent && !plan->options.max_per_domain;
}

static void end_page(struct world *world, struct target *target)
{
    struct page *page = page_of(world, target);

    for (unsigned n = 0; page->lists && n < 60; n++)
        offer(world, random_below(&world->random, world->plan->pages), 0, NULL);
    for (unsigned n = 0; n < page->links; n++)
        offer(world, page->link[n], target->depth + !page->redirects,
              page->redirects ? target : NULL);
    if (depths_are_exact(world->plan) && page->depth != target->depth)
        fail_msg("%s has depth %u, should have %u", target->url, target->depth,
                 page->depth);
    count_over(page);
    frontier_done(world->validator.frontier, target, world->now_ms, 0);
}

static void end_silent(struct world *world, struct target *target)
{
    struct frontier *frontier = world->validator.frontier;

    frontier_note(frontier, target, HOST_SILENT, 3);
    if (target->tries < 2) {
        frontier_again(frontier, target, world->now_ms, 50, true);
        return;
    }
    count_over(page_of(world, target));
    frontier_done(frontier, target, world->now_ms, 0);
}

static void end_robots(struct world *world, struct target *target)
{
    struct frontier *frontier = world->validator.frontier;
    struct url url;

    if (chance(world, world->plan->moved)) {
        parse(world, random_below(&world->random, world->plan->hosts),
              "robots.txt", &url);
        if (frontier_robots_moved(frontier, target, &url, world->now_ms))
            return;
    }
    if (world->silent[host_of(target)])
        frontier_setup_failed(frontier, target, world->now_ms, 20, 3, false);
    else
        frontier_robots(frontier, target, NULL, world->now_ms);
}

static void end_resolve(struct world *world, struct target *target)
{
    struct frontier *frontier = world->validator.frontier;
    const struct ip ip = {.byte = {[15] = (uint8_t)(host_of(target) % 5)}};

    if (chance(world, world->plan->retries))
        frontier_setup_failed(frontier, target, world->now_ms, 20, 3, false);
    else
        frontier_resolved(frontier, target, &ip, world->now_ms);
}

static void end_flight(struct world *world, struct target *target)
{
    struct frontier *frontier = world->validator.frontier;

    if (target->kind == TARGET_RESOLVE) {
        end_resolve(world, target);
    } else if (target->kind == TARGET_ROBOTS) {
        end_robots(world, target);
    } else if (world->silent[host_of(target)]) {
        end_silent(world, target);
    } else {
        frontier_note(frontier, target, HOST_ANSWERED, 0);
        if (target->tries < 3 && chance(world, world->plan->retries))
            frontier_again(frontier, target, world->now_ms,
                           random_below(&world->random, 200), false);
        else
            end_page(world, target);
    }
}

/* Nothing can be taken: false where all is done. */
static bool wait(struct world *world)
{
    struct frontier *frontier = world->validator.frontier;
    struct frontier_counts counts = frontier_counts(frontier);
    struct idle idle = frontier_idle(frontier, world->now_ms);

    if (!counts.in_flight && !counts.queued)
        return false;
    assert_int_not_equal(idle.reason, IDLE_NOT);
    if (counts.in_flight)
        return true;
    if (idle.wake_ms == UINT64_MAX)
        fail_msg("a dead end: %zu queued, %zu of them shelved", counts.queued,
                 counts.on_disk);
    world->now_ms = idle.wake_ms;
    return true;
}

static bool step(struct world *world)
{
    struct frontier *frontier = world->validator.frontier;
    struct target **flight =
        &world->flight[random_below(&world->random, FLIGHTS)];

    world->now_ms += random_below(&world->random, 3);
    if (chance(world, 2))
        while (frontier_next_changed(frontier))
            ;
    if (*flight) {
        end_flight(world, *flight);
        *flight = NULL;
        return true;
    }
    struct target *target = frontier_take(frontier, world->now_ms);
    if (!target)
        return wait(world);
    if (target->verdict == ACCEPT) {
        *flight = target;
        return true;
    }
    count_over(page_of(world, target));
    frontier_drop(frontier, target, world->now_ms);
    return true;
}

static void crawl(const struct plan *plan, uint64_t seed)
{
    struct world world = {
        .plan = plan,
        .random = {.state = seed},
        .now_ms = 1000,
        .domains = domains_new(),
    };
    struct frontier_options options = plan->options;
    struct url root;

    world.scope = scope_new(world.domains);
    arena_init(&world.arena);
    make_web(&world);
    url_of(&world, 0, &root);
    scope_add_seed(world.scope, SCOPE_ANY, &root);
    options.queue_dir_fd = open("/tmp", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    options.queue_bytes = plan->bytes;
    options.domains = world.domains;
    options.hash_seed = SEED;
    options.per_host = options.per_host ? options.per_host : 1;
    options.report_changes = true;
    validator_init(&world.validator, world.scope, UINT32_MAX, &options);

    offer(&world, 0, 0, NULL);
    while (step(&world))
        ;
    const struct frontier_counts counts =
        frontier_counts(world.validator.frontier);
    assert_true(counts.on_disk_max > plan->pages / 5);
    assert_int_equal(frontier_trouble(world.validator.frontier), 0);
    for (unsigned i = 0; i < plan->pages; i++)
        if (world.page[i].over != world.page[i].offered)
            fail_msg("page %u came %u times", i, world.page[i].over);

    validator_release(&world.validator);
    scope_free(world.scope);
    domains_free(world.domains);
    arena_release(&world.arena);
    free(world.page);
    free(world.silent);
    close(options.queue_dir_fd);
}

static const struct plan breadth_first[] = {
    {.pages = 2000, .hosts = 6, .domains = 3, .redirects = 30, .bytes = 8192},
    {.pages = 2000,
     .hosts = 1,
     .domains = 1,
     .redirects = 40,
     .bytes = 8192,
     .options = {.delay_ms = 5}},
    {.pages = 2000,
     .hosts = 900,
     .domains = 300,
     .redirects = 30,
     .retries = 5,
     .bytes = 16384,
     .options = {.per_host = 2, .idle_hosts_max = 3}},
    {.pages = 1500,
     .hosts = 100,
     .domains = 30,
     .redirects = 30,
     .retries = 5,
     .moved = 50,
     .bytes = 16384,
     .options = {.delay_ms = 10,
                 .ip_delay_ms = 3,
                 .resolve = true,
                 .robots = true,
                 .idle_hosts_max = 3}},
};

/* Depths that do not come in order, hosts that die, domains that are full. */
static const struct plan adverse[] = {
    {.pages = 2000,
     .hosts = 100,
     .domains = 30,
     .redirects = 20,
     .lists = 5,
     .bytes = 8192,
     .options = {.delay_ms = 3, .idle_hosts_max = 3}},
    {.pages = 2000,
     .hosts = 100,
     .domains = 30,
     .redirects = 20,
     .lists = 2,
     .silent = 30,
     .moved = 20,
     .bytes = 8192,
     .options =
         {.delay_ms = 3, .host_tries = 3, .robots = true, .idle_hosts_max = 3}},
    {.pages = 2000,
     .hosts = 100,
     .domains = 30,
     .redirects = 20,
     .lists = 2,
     .silent = 10,
     .retries = 10,
     .bytes = 8192,
     .options = {.delay_ms = 3,
                 .host_tries = 3,
                 .max_per_domain = 20,
                 .robots = true,
                 .idle_hosts_max = 3}},
};

static const struct plan by_priority[] = {
    {.pages = 2000,
     .hosts = 100,
     .domains = 30,
     .redirects = 20,
     .lists = 2,
     .silent = 10,
     .retries = 10,
     .moved = 20,
     .bytes = 8192,
     .options = {.ranking = RANKING_PRIORITY,
                 .delay_ms = 3,
                 .ip_delay_ms = 2,
                 .host_tries = 3,
                 .resolve = true,
                 .robots = true,
                 .idle_hosts_max = 3}},
    {.pages = 2000,
     .hosts = 600,
     .domains = 300,
     .redirects = 20,
     .lists = 2,
     .silent = 10,
     .retries = 10,
     .bytes = 8192,
     .options = {.ranking = RANKING_PRIORITY,
                 .delay_ms = 3,
                 .host_tries = 3,
                 .max_per_domain = 5,
                 .idle_hosts_max = 3}},
};

static void crawl_all(const struct plan *plans, size_t count)
{
    const char *more = getenv("SEEDS");
    uint64_t seeds = more ? strtoull(more, NULL, 10) : SEEDS;

    for (size_t i = 0; i < count; i++)
        for (uint64_t seed = 1; seed <= seeds; seed++)
            crawl(&plans[i], seed);
}

static void depths(void **state)
{
    (void)state;
    crawl_all(breadth_first, ARRAY_LEN(breadth_first));
}

static void adversity(void **state)
{
    (void)state;
    crawl_all(adverse, ARRAY_LEN(adverse));
}

static void priority(void **state)
{
    (void)state;
    crawl_all(by_priority, ARRAY_LEN(by_priority));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(depths),
        cmocka_unit_test(adversity),
        cmocka_unit_test(priority),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
