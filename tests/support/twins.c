#include "support/twins.h"

#include <fcntl.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <unistd.h>

#include <cmocka.h>

void twins_begin(struct twins *twins, const struct frontier_options *like)
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
    twins->frontier[DISK] = frontier_new(&options);
    seen_init(&twins->seen);
    frontier_use_seen(twins->frontier[DISK], &twins->seen, 0);
}

void twins_end(struct twins *twins)
{
    for (int i = 0; i < BOTH; i++)
        frontier_free(twins->frontier[i]);
    seen_release(&twins->seen);
    domains_free(twins->domains);
    arena_release(&twins->arena);
    close(twins->dir_fd);
}

struct offer twins_offer_of(struct twins *twins, const char *origin,
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

void twins_put(struct twins *twins, const char *origin, uint32_t depth)
{
    struct url url;
    struct offer offer =
        twins_offer_of(twins, origin, ++twins->urls, depth, &url);

    offer.referrer_id = (uint32_t)twins->urls % 1000;
    offer.referrer_machine = (uint16_t)(twins->urls * 7919);
    offer.nesting = (uint8_t)(twins->urls % 8);
    offer.found = 1;
    offer.redirects = (uint8_t)(twins->urls % 7);
    assert_true(seen_add(&twins->seen, offer.fingerprint));
    for (int i = 0; i < BOTH; i++) {
        frontier_count_found(twins->frontier[i], &url, 1);
        struct queued queued =
            frontier_put(twins->frontier[i], &offer, twins->now_ms);
        assert_int_equal(queued.number, twins->urls);
        assert_true(queued.domain.len > 0);
    }
    const struct frontier_counts counts =
        frontier_counts(twins->frontier[DISK]);
    assert_int_equal(counts.queued,
                     frontier_counts(twins->frontier[ROOM]).queued);
    if (twins->most_in_memory < counts.queued - counts.on_disk)
        twins->most_in_memory = counts.queued - counts.on_disk;
}

void twins_put_numbered(struct twins *twins, const char *origin,
                        unsigned number, uint32_t depth)
{
    char text[100];

    snprintf(text, sizeof(text), origin, number);
    twins_put(twins, text, depth);
}

bool twins_take(struct twins *twins, struct target *target[BOTH])
{
    for (int i = 0; i < BOTH; i++)
        target[i] = frontier_take(twins->frontier[i], twins->now_ms);
    if (!target[ROOM] || !target[DISK]) {
        assert_ptr_equal(target[ROOM], target[DISK]);
        return false;
    }
    assert_string_equal(target[ROOM]->url, target[DISK]->url);
    assert_int_equal(target[ROOM]->verdict, target[DISK]->verdict);
    assert_int_equal(target[ROOM]->number, target[DISK]->number);
    assert_int_equal(target[ROOM]->depth, target[DISK]->depth);
    assert_int_equal(target[ROOM]->referrer_id, target[DISK]->referrer_id);
    assert_int_equal(target[ROOM]->referrer_machine,
                     target[DISK]->referrer_machine);
    assert_int_equal(target[ROOM]->kind, target[DISK]->kind);
    assert_int_equal(target[ROOM]->nesting, target[DISK]->nesting);
    assert_int_equal(target[ROOM]->found, target[DISK]->found);
    assert_int_equal(target[ROOM]->redirects, target[DISK]->redirects);
    assert_int_equal(target[ROOM]->tries, target[DISK]->tries);
    assert_int_equal(target[ROOM]->priority, target[DISK]->priority);
    assert_int_equal(target[ROOM]->fingerprint, target[DISK]->fingerprint);
    return true;
}

void twins_done_both(struct twins *twins, struct target *target[BOTH])
{
    for (int i = 0; i < BOTH; i++)
        frontier_done(twins->frontier[i], target[i], twins->now_ms, 0);
}

struct target *twins_next(struct twins *twins)
{
    return frontier_take(twins->frontier[DISK], twins->now_ms);
}

void twins_done(struct twins *twins, struct target *target)
{
    frontier_done(twins->frontier[DISK], target, twins->now_ms, 0);
}

void twins_finish(struct twins *twins, struct target *target[BOTH],
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
