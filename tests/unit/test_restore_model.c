/* A frontier that was told of by another one goes on as that one does: random
 * crawls, of which every change is written down as the store would, and at a
 * random moment a second frontier that knows only what was written. From then
 * on both give out the same, at the same times. */
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

#include <cmocka.h>

#include "frontier/frontier.h"

enum {
    HOSTS = 12,
    PATHS = 12,
    URLS = HOSTS * PATHS,
    ROUNDS = 300,
    STEPS = 120
};

/* What is written down of a URL. */
struct row {
    bool known, over;
    uint64_t number;
    uint32_t depth, referrer, found;
    uint16_t machine; /* of the referrer */
    uint8_t tries;
    uint64_t due_ms;
    uint32_t fetches;
};

struct host_row {
    bool told;
    struct host_state state;
    uint64_t clock_ms;
};

struct crawl {
    struct frontier_options options;
    struct frontier *frontier;
    struct arena arena;
    struct url url[URLS];
    struct row row[URLS];
    struct host_row host[HOSTS];
    uint32_t found[HOSTS]; /* of its domain */
    uint64_t random;
    uint64_t now_ms;
};

static uint64_t pick(struct crawl *crawl, uint64_t below)
{
    crawl->random = crawl->random * 6364136223846793005u + 1442695040888963407u;
    return (crawl->random >> 33) % below;
}

/* Three hosts of every domain. */
static void make_urls(struct crawl *crawl)
{
    char text[80];

    for (int i = 0; i < URLS; i++) {
        int host = i / PATHS;
        snprintf(text, sizeof(text), "http://h%d.d%d.example/%d", host,
                 host / 3, i);
        assert_int_equal(
            url_parse(&crawl->url[i], &crawl->arena, str_of(text), NULL, NULL),
            ERR_NONE);
    }
}

/* Fingerprints are the URLs' numbers here, spread a little. */
static uint64_t fingerprint_of(int url)
{
    return (uint64_t)(url + 1) * 0x9E3779B97F4A7C15u;
}

static int url_of(const struct target *target)
{
    return atoi(strrchr(target->url, '/') + 1);
}

static struct offer offer_of(const struct crawl *crawl, int url)
{
    const struct row *row = &crawl->row[url];

    return (struct offer){
        .url = &crawl->url[url],
        .fingerprint = fingerprint_of(url),
        .depth = row->depth,
        .referrer_id = row->referrer,
        .referrer_machine = row->machine,
        .found = row->found,
    };
}

/* --- one step, and what is written of it ---------------------------------- */

static void find(struct crawl *crawl)
{
    int i = (int)pick(crawl, URLS);
    struct row *row = &crawl->row[i];
    struct offer offer = {
        .url = &crawl->url[i],
        .fingerprint = fingerprint_of(i),
        .depth = (uint32_t)pick(crawl, 4),
        .referrer_id = (uint32_t)pick(crawl, 100),
        .referrer_machine = (uint16_t)pick(crawl, 4),
        .found = 1,
    };

    frontier_count_found(crawl->frontier, offer.url, 1);
    if (row->known) {
        frontier_found_again(crawl->frontier, &offer);
        return;
    }
    *row = (struct row){
        .known = true,
        .number = frontier_put(crawl->frontier, &offer, crawl->now_ms).number,
        .depth = offer.depth,
        .referrer = offer.referrer_id,
        .machine = offer.referrer_machine,
        .found = 1,
    };
}

static void end(struct crawl *crawl, struct target *target)
{
    int i = url_of(target);
    struct row *row = &crawl->row[i];
    struct host_row *host = &crawl->host[i / PATHS];
    uint64_t delay_ms = frontier_delay_ms(crawl->frontier, target);
    uint64_t chance = pick(crawl, 10);
    uint64_t wait_ms = 1 + pick(crawl, 400);
    bool whole = chance < 2;

    if (target->verdict != ACCEPT) {
        row->over = true;
        frontier_drop(crawl->frontier, target, crawl->now_ms);
        return;
    }
    row->fetches++;
    crawl->now_ms += pick(crawl, 20);
    frontier_note(crawl->frontier, target,
                  chance == 0   ? HOST_SILENT
                  : chance == 1 ? HOST_NO_REPLY
                                : HOST_ANSWERED,
                  (uint8_t)chance);
    row->over = chance >= 4;
    if (row->over) {
        frontier_done(crawl->frontier, target, crawl->now_ms, 0);
    } else {
        row->tries++;
        row->due_ms = crawl->now_ms + wait_ms;
        frontier_again(crawl->frontier, target, crawl->now_ms, wait_ms, whole);
    }
    uint64_t pause_ms =
        !row->over && whole && wait_ms > delay_ms ? wait_ms : delay_ms;
    if (pause_ms && host->clock_ms < crawl->now_ms + pause_ms)
        host->clock_ms = crawl->now_ms + pause_ms;
}

static void write_down(struct crawl *crawl)
{
    const struct target *target;
    struct host_state host;
    struct str name;
    uint32_t found;

    while ((target = frontier_next_changed(crawl->frontier))) {
        struct row *row = &crawl->row[url_of(target)];
        assert_false(row->over);
        row->depth = target->depth;
        row->referrer = target->referrer_id;
        row->machine = target->referrer_machine;
        row->found = target->found;
    }
    while (frontier_next_mentioned(crawl->frontier, &name, &found))
        crawl->found[3 * atoi(name.ptr + 1)] = found;
    while (frontier_next_troubled(crawl->frontier, &host)) {
        struct host_row *row = &crawl->host[atoi(host.name.ptr + 1)];
        row->told = true;
        row->state = host;
    }
}

static void step(struct crawl *crawl)
{
    struct target *target;

    if (pick(crawl, 3)) {
        find(crawl);
    } else if ((target = frontier_take(crawl->frontier, crawl->now_ms))) {
        end(crawl, target);
    }
    if (!pick(crawl, 4))
        crawl->now_ms += pick(crawl, 60);
    if (!pick(crawl, 5))
        write_down(crawl);
}

/* --- the other one -------------------------------------------------------- */

static struct frontier *restored(struct crawl *crawl)
{
    struct frontier *frontier = frontier_new(&crawl->options);

    write_down(crawl);
    for (int i = 0; i < HOSTS; i++) {
        const struct url *url = &crawl->url[i * PATHS];
        if (crawl->found[i])
            frontier_restore_found(frontier, url, crawl->found[i]);
        if (crawl->host[i].told)
            frontier_restore_host(frontier, url, &crawl->host[i].state,
                                  crawl->now_ms);
        frontier_restore_clock(frontier, url, crawl->host[i].clock_ms,
                               crawl->now_ms);
    }
    for (int i = 0; i < URLS; i++) {
        const struct row *row = &crawl->row[i];
        const struct offer offer = offer_of(crawl, i);
        const struct target_history past = {
            .number = row->number,
            .tries = row->tries,
            .due_ms = row->due_ms,
        };
        if (!row->known)
            continue;
        frontier_restore_number(frontier, row->number);
        frontier_restore_fetches(
            frontier,
            domain_of_host(crawl->options.domains, url_host(&crawl->url[i])),
            row->fetches, crawl->now_ms);
        if (!row->over)
            frontier_restore(frontier, &offer, &past, crawl->now_ms);
    }
    return frontier;
}

static void assert_same_target(const struct target *a, const struct target *b,
                               uint64_t now_ms)
{
    if (!a != !b || (a && strcmp(a->url, b->url)))
        fail_msg("at %llu: %s, restored %s", (unsigned long long)now_ms,
                 a ? a->url : "nothing", b ? b->url : "nothing");
    if (!a)
        return;
    if (a->verdict != b->verdict || a->depth != b->depth ||
        a->referrer_id != b->referrer_id ||
        a->referrer_machine != b->referrer_machine || a->found != b->found ||
        a->tries != b->tries || a->number != b->number ||
        a->priority != b->priority)
        fail_msg("%s: %u/%u/%u/%u/%u/%u, restored %u/%u/%u/%u/%u/%u", a->url,
                 a->verdict, a->depth, a->referrer_id, a->found, a->tries,
                 a->priority, b->verdict, b->depth, b->referrer_id, b->found,
                 b->tries, b->priority);
}

static void finish(struct frontier *frontier, struct target *target,
                   enum host_health health, uint64_t now_ms)
{
    if (target->verdict != ACCEPT) {
        frontier_drop(frontier, target, now_ms);
        return;
    }
    frontier_note(frontier, target, health, 0);
    frontier_done(frontier, target, now_ms, 0);
}

/* To the end, ten milliseconds a look. */
static size_t go_on(struct crawl *crawl, struct frontier *other)
{
    size_t taken = 0;

    while (frontier_counts(crawl->frontier).queued) {
        struct target *a = frontier_take(crawl->frontier, crawl->now_ms);
        struct target *b = frontier_take(other, crawl->now_ms);
        assert_same_target(a, b, crawl->now_ms);
        if (a) {
            enum host_health health =
                pick(crawl, 2) ? HOST_SILENT : HOST_ANSWERED;
            finish(crawl->frontier, a, health, crawl->now_ms);
            finish(other, b, health, crawl->now_ms);
            taken++;
        } else {
            crawl->now_ms += 10;
        }
    }
    return taken;
}

static void assert_same_counts(const struct crawl *crawl,
                               const struct frontier *other)
{
    struct frontier_counts a = frontier_counts(crawl->frontier);
    struct frontier_counts b = frontier_counts(other);

    assert_int_equal(a.queued, b.queued);
    assert_int_equal(a.domains_crawled, b.domains_crawled);
    assert_int_equal(a.domains_capped, b.domains_capped);
    assert_int_equal(a.hosts_dead, b.hosts_dead);
}

static void run(const struct frontier_options *options)
{
    struct domains *domains = domains_new();
    size_t taken = 0;

    for (uint64_t round = 0; round < ROUNDS; round++) {
        struct crawl *crawl = calloc(1, sizeof(*crawl));
        crawl->random = round;
        crawl->options = *options;
        crawl->options.domains = domains;
        crawl->options.report_changes = true;
        crawl->frontier = frontier_new(&crawl->options);
        arena_init(&crawl->arena);
        make_urls(crawl);
        for (uint64_t steps = pick(crawl, STEPS); steps; steps--)
            step(crawl);
        struct frontier *other = restored(crawl);
        assert_same_counts(crawl, other);
        taken += go_on(crawl, other);
        assert_same_counts(crawl, other);
        frontier_free(other);
        frontier_free(crawl->frontier);
        arena_release(&crawl->arena);
        free(crawl);
    }
    /* Or the rest of all these crawls was nothing. */
    assert_true(taken > ROUNDS);
    domains_free(domains);
}

static void breadth_first(void **state)
{
    (void)state;
    run(&(struct frontier_options){.delay_ms = 30, .per_host = 2});
}

static void by_priority(void **state)
{
    (void)state;
    run(&(struct frontier_options){
        .ranking = RANKING_PRIORITY,
        .delay_ms = 30,
        .per_host = 1,
    });
}

static void capped_and_given_up(void **state)
{
    (void)state;
    run(&(struct frontier_options){
        .ranking = RANKING_PRIORITY,
        .delay_ms = 10,
        .per_host = 2,
        .max_per_domain = 6,
        .host_tries = 2,
    });
}

static void without_pauses(void **state)
{
    (void)state;
    run(&(struct frontier_options){.per_host = 3, .max_per_domain = 9});
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(breadth_first),
        cmocka_unit_test(by_priority),
        cmocka_unit_test(capped_and_given_up),
        cmocka_unit_test(without_pauses),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
