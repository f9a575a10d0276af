/* Pages that give way to what they name as their own, and how many of them are
 * remembered. */
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>

#include <cmocka.h>

#include "crawler/crawler_thread.h"
#include "web/normalize.h"

enum { SEED = 5, MAX_DEPTH = 3, MAX_HOPS = 2, URL_TEXT_MAX = 4096 };

struct fixture {
    struct domains *domains;
    struct scope *scope;
    struct arena arena;
    struct crawl_options options;
    struct crawler crawler;
};

static struct url *parse(struct fixture *fixture, const char *text)
{
    struct url *url = arena_new(&fixture->arena, sizeof(*url));

    if (url_parse(url, &fixture->arena, str_of(text), NULL, NULL))
        fail_msg("%s is not a URL", text);
    return url;
}

/* Everything on h.example is internal. */
static void start(struct fixture *fixture, size_t bytes_max)
{
    *fixture = (struct fixture){
        .domains = domains_new(),
        .options = {.canonical = true,
                    .canonical_bytes_max = bytes_max,
                    .max_redirects = MAX_HOPS},
    };
    fixture->scope = scope_new(fixture->domains);
    arena_init(&fixture->arena);
    scope_add_prefix(fixture->scope, parse(fixture, "http://h.example/"));
    const struct frontier_options options = {
        .per_host = 1000,
        .hash_seed = SEED,
        .domains = fixture->domains,
    };
    fixture->crawler.options = &fixture->options;
    validator_init(&fixture->crawler.validator, fixture->scope, MAX_DEPTH,
                   &options);
    seen_init(&fixture->crawler.saved_urls);
    hashtable_init(&fixture->crawler.gave_way);
    hashtable_init(&fixture->crawler.in_flight);
}

static void finish(struct fixture *fixture)
{
    canonical_release(&fixture->crawler);
    assert_int_equal(fixture->crawler.gave_way_bytes, 0);
    validator_release(&fixture->crawler.validator);
    scope_free(fixture->scope);
    domains_free(fixture->domains);
    arena_release(&fixture->arena);
}

/* The only URL that waits, or else one that is given by now. */
static struct target *take(struct fixture *fixture, const char *text)
{
    const struct url *url = parse(fixture, text);
    const struct offer offer = {
        .url = url,
        .fingerprint = url_fingerprint(url, SEED),
        .depth = 1,
        .found = 1,
    };

    if (!frontier_find(fixture->crawler.validator.frontier, offer.fingerprint))
        assert_int_equal(
            validator_offer(&fixture->crawler.validator, &offer, 0), ACCEPT);
    struct target *target =
        frontier_take(fixture->crawler.validator.frontier, 0);
    assert_non_null(target);
    return target;
}

/* The page is fetched, and says that `own` is its URL. */
static bool page_gives_way(struct fixture *fixture, struct target *target,
                           const char *own)
{
    const struct url *url = parse(fixture, own);
    struct page_link link = {.url = *url,
                             .fingerprint = url_fingerprint(url, SEED)};
    struct job job = {.target = target, .page = {.canonical = &link}};

    job.page.depth = target->depth;
    return gives_way(&fixture->crawler, &job);
}

static void end(struct fixture *fixture, struct target *target, bool is_saved,
                bool gave_way)
{
    canonical_ended(&fixture->crawler, target, is_saved, gave_way);
    frontier_done(fixture->crawler.validator.frontier, target, 0, 0);
}

/* A page with its own canonical URL, both of that length. */
static bool next_gives_way(struct fixture *fixture, unsigned number, int len)
{
    char url[URL_TEXT_MAX], own[URL_TEXT_MAX];

    snprintf(url, sizeof(url), "http://h.example/%u/%0*d", number, len, 0);
    snprintf(own, sizeof(own), "http://h.example/%u/%0*d?own", number, len, 0);
    struct target *target = take(fixture, url);
    /* Of all that wait the oldest comes first. */
    assert_string_equal(target->url, url);
    bool gave_way = page_gives_way(fixture, target, own);
    end(fixture, target, !gave_way, gave_way);
    return gave_way;
}

/* The memory is bounded, and beyond it pages are saved under their own URLs,
 * while the canonical URLs are not even asked for. */
static void the_cap_keeps_pages(void **state)
{
    static const size_t max = 64 << 10;
    struct fixture fixture;
    unsigned gave_way = 0, saved = 0;
    size_t queued;

    (void)state;
    start(&fixture, max);
    /* All are queued before the first of them adds its canonical URL. */
    for (unsigned i = 0; i < 100; i++) {
        char text[URL_TEXT_MAX];
        snprintf(text, sizeof(text), "http://h.example/%u/%0*d", i, 2000, 0);
        const struct url *url = parse(&fixture, text);
        const struct offer offer = {.url = url,
                                    .fingerprint = url_fingerprint(url, SEED),
                                    .depth = 1,
                                    .found = 1};
        validator_offer(&fixture.crawler.validator, &offer, 0);
    }
    for (unsigned i = 0; i < 100; i++) {
        if (next_gives_way(&fixture, i, 2000))
            gave_way++;
        else
            saved++;
        assert_true(fixture.crawler.gave_way_bytes <= max);
    }
    assert_in_range(gave_way, 20, 31);
    assert_int_equal(gave_way + saved, 100);
    queued = frontier_counts(fixture.crawler.validator.frontier).queued;
    assert_int_equal(queued, gave_way);
    assert_int_equal(fixture.crawler.gave_way.count, gave_way);
    finish(&fixture);
}

/* What has ended makes room again, saved or not. */
static void an_end_makes_room(void **state)
{
    struct fixture fixture;

    (void)state;
    start(&fixture, 150); /* for one */
    struct target *a = take(&fixture, "http://h.example/a");
    struct target *b = take(&fixture, "http://h.example/b");
    struct target *c = take(&fixture, "http://h.example/c");
    assert_true(page_gives_way(&fixture, a, "http://h.example/own-a"));
    assert_false(page_gives_way(&fixture, b, "http://h.example/own-b"));
    /* One page that gave way to a URL is enough: it costs nothing more. */
    assert_true(page_gives_way(&fixture, b, "http://h.example/own-a"));
    end(&fixture, a, false, true);
    struct target *own = take(&fixture, "http://h.example/own-a");
    end(&fixture, own, true, false);
    assert_int_equal(fixture.crawler.gave_way_bytes, 0);
    /* And for a URL that was saved nothing has to be remembered. */
    fixture.options.canonical_bytes_max = 0;
    assert_true(page_gives_way(&fixture, b, "http://h.example/own-a"));
    assert_false(page_gives_way(&fixture, c, "http://h.example/own-c"));
    end(&fixture, b, false, true);
    end(&fixture, c, true, false);
    finish(&fixture);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_cap_keeps_pages),
        cmocka_unit_test(an_end_makes_room),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
