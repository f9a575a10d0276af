/* Requisites in the frontier and the validator: before pages, in no depth,
 * beyond the cap of a domain, and the only ones while pages are held. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "frontier/validator.h"
#include "web/normalize.h"

struct fixture {
    struct domains *domains;
    struct scope *scope;
    struct validator validator;
    struct arena arena;
    uint64_t now_ms;
};

static void set_up(struct fixture *fixture, struct frontier_options options)
{
    struct url seed;

    *fixture = (struct fixture){.domains = domains_new()};
    arena_init(&fixture->arena);
    assert_int_equal(
        url_parse(&seed, &fixture->arena, STR("http://a.test/"), NULL, NULL),
        ERR_NONE);
    fixture->scope = scope_new(fixture->domains);
    scope_add_seed(fixture->scope, SCOPE_HOST, &seed);
    options.per_host = 1;
    options.domains = fixture->domains;
    validator_init(&fixture->validator, fixture->scope, 5, &options);
}

static void tear_down(struct fixture *fixture)
{
    validator_release(&fixture->validator);
    scope_free(fixture->scope);
    domains_free(fixture->domains);
    arena_release(&fixture->arena);
}

static enum verdict offer(struct fixture *fixture, const char *text,
                          enum target_kind kind, uint32_t depth)
{
    struct url url;

    assert_int_equal(url_parse(&url, &fixture->arena, str_of(text), NULL, NULL),
                     ERR_NONE);
    const struct offer offer = {
        .url = &url,
        .fingerprint = target_fingerprint(kind, url_fingerprint(&url, 1)),
        .depth = depth,
        .kind = kind,
        .found = kind == TARGET_PAGE,
        .nesting = kind == TARGET_REQUISITE ? NESTING_PAGE : NESTING_NONE,
    };
    return validator_offer(&fixture->validator, &offer, fixture->now_ms);
}

static void page(struct fixture *fixture, const char *url, uint32_t depth)
{
    assert_int_equal(offer(fixture, url, TARGET_PAGE, depth), ACCEPT);
}

static void need(struct fixture *fixture, const char *url, uint32_t depth)
{
    assert_int_equal(offer(fixture, url, TARGET_REQUISITE, depth), ACCEPT);
}

static struct target *take(struct fixture *fixture)
{
    return frontier_take(fixture->validator.frontier, fixture->now_ms);
}

/* The next one is this, with that verdict; it is fetched, or refused. */
static void next_is(struct fixture *fixture, const char *url,
                    enum target_kind kind, enum verdict verdict)
{
    struct target *target = take(fixture);

    if (!target)
        fail_msg("nothing instead of %s", url);
    assert_string_equal(target->url, url);
    assert_int_equal(target->kind, kind);
    assert_int_equal(target->verdict, verdict);
    if (verdict == ACCEPT)
        frontier_done(fixture->validator.frontier, target, fixture->now_ms, 0);
    else
        frontier_drop(fixture->validator.frontier, target, fixture->now_ms);
}

static void kinds_have_fingerprints_of_their_own(void **state)
{
    static const enum target_kind kinds[] = {TARGET_PAGE, TARGET_SITEMAP,
                                             TARGET_REQUISITE};

    (void)state;
    for (size_t i = 0; i < 3; i++)
        for (size_t j = 0; j < i; j++)
            assert_true(target_fingerprint(kinds[i], 12345) !=
                        target_fingerprint(kinds[j], 12345));
}

/* Each is asked for once as a requisite and once as a page, in any order. */
static void page_and_requisite(void **state)
{
    struct fixture fixture;

    (void)state;
    set_up(&fixture, (struct frontier_options){0});
    need(&fixture, "http://a.test/1", 0);
    page(&fixture, "http://a.test/1", 1);
    page(&fixture, "http://a.test/2", 1);
    need(&fixture, "http://a.test/2", 1);
    assert_int_equal(offer(&fixture, "http://a.test/1", TARGET_REQUISITE, 0),
                     DUPLICATE);
    assert_int_equal(offer(&fixture, "http://a.test/1", TARGET_PAGE, 1),
                     DUPLICATE);
    next_is(&fixture, "http://a.test/1", TARGET_REQUISITE, ACCEPT);
    next_is(&fixture, "http://a.test/2", TARGET_REQUISITE, ACCEPT);
    next_is(&fixture, "http://a.test/1", TARGET_PAGE, ACCEPT);
    next_is(&fixture, "http://a.test/2", TARGET_PAGE, ACCEPT);
    assert_null(take(&fixture));
    tear_down(&fixture);
}

static void requisites_may_be_out_of_scope(void **state)
{
    struct fixture fixture;

    (void)state;
    set_up(&fixture, (struct frontier_options){0});
    assert_int_equal(offer(&fixture, "http://b.test/1", TARGET_PAGE, 1),
                     EXTERNAL);
    need(&fixture, "http://b.test/1", 0);
    next_is(&fixture, "http://b.test/1", TARGET_REQUISITE, ACCEPT);
    tear_down(&fixture);
}

static void requisites_go_before_pages(void **state)
{
    struct fixture fixture;

    (void)state;
    for (enum ranking_kind ranking = RANKING_BFS; ranking <= RANKING_PRIORITY;
         ranking++) {
        set_up(&fixture, (struct frontier_options){.ranking = ranking});
        page(&fixture, "http://a.test/1", 1);
        page(&fixture, "http://a.test/2", 1);
        offer(&fixture, "http://a.test/2", TARGET_PAGE, 1); /* wanted more */
        need(&fixture, "http://a.test/3", 1);
        need(&fixture, "http://b.test/4", 1);
        next_is(&fixture, "http://a.test/3", TARGET_REQUISITE, ACCEPT);
        next_is(&fixture, "http://b.test/4", TARGET_REQUISITE, ACCEPT);
        next_is(&fixture,
                ranking == RANKING_BFS ? "http://a.test/1" : "http://a.test/2",
                TARGET_PAGE, ACCEPT);
        tear_down(&fixture);
    }
}

/* A requisite that is in flight or waits does not hold the next depth. */
static void no_depth_waits_for_requisites(void **state)
{
    struct fixture fixture;

    (void)state;
    set_up(&fixture, (struct frontier_options){.delay_ms = 1000});
    need(&fixture, "http://b.test/1", 0);
    need(&fixture, "http://b.test/2", 0);
    page(&fixture, "http://a.test/3", 1);
    struct target *slow = take(&fixture);
    assert_string_equal(slow->url, "http://b.test/1");
    next_is(&fixture, "http://a.test/3", TARGET_PAGE, ACCEPT);
    frontier_done(fixture.validator.frontier, slow, 0, 0);
    assert_null(take(&fixture)); /* its host pauses */
    fixture.now_ms = 1000;
    next_is(&fixture, "http://b.test/2", TARGET_REQUISITE, ACCEPT);
    tear_down(&fixture);
}

static void caps_are_about_pages(void **state)
{
    struct fixture fixture;

    (void)state;
    set_up(&fixture,
           (struct frontier_options){.max_per_domain = 1, .delay_ms = 1000});
    page(&fixture, "http://a.test/1", 0);
    need(&fixture, "http://a.test/2", 0);
    next_is(&fixture, "http://a.test/2", TARGET_REQUISITE, ACCEPT);
    fixture.now_ms = 1000;
    next_is(&fixture, "http://a.test/1", TARGET_PAGE, ACCEPT);
    /* Capped: pages are refused at once, requisites keep the pause. */
    assert_int_equal(offer(&fixture, "http://a.test/3", TARGET_PAGE, 1),
                     DOMAIN_CAP);
    need(&fixture, "http://a.test/4", 0);
    assert_null(take(&fixture));
    fixture.now_ms = 2000;
    next_is(&fixture, "http://a.test/4", TARGET_REQUISITE, ACCEPT);
    tear_down(&fixture);
}

static enum idle_reason idle(const struct fixture *fixture)
{
    return frontier_idle(fixture->validator.frontier, fixture->now_ms).reason;
}

static void pages_are_held(void **state)
{
    struct fixture fixture;

    (void)state;
    for (enum ranking_kind ranking = RANKING_BFS; ranking <= RANKING_PRIORITY;
         ranking++) {
        set_up(&fixture,
               (struct frontier_options){.ranking = ranking, .delay_ms = 1000});
        frontier_hold_pages(fixture.validator.frontier, true);
        page(&fixture, "http://a.test/1", 0);
        assert_null(take(&fixture));
        assert_int_equal(idle(&fixture), IDLE_EMPTY);
        need(&fixture, "http://a.test/2", 1);
        need(&fixture, "http://a.test/3", 1);
        assert_int_equal(idle(&fixture), IDLE_NOT);
        next_is(&fixture, "http://a.test/2", TARGET_REQUISITE, ACCEPT);
        assert_null(take(&fixture));
        assert_int_equal(idle(&fixture), IDLE_PAUSE);
        fixture.now_ms += 1000;
        next_is(&fixture, "http://a.test/3", TARGET_REQUISITE, ACCEPT);
        fixture.now_ms += 1000;
        assert_null(take(&fixture));
        tear_down(&fixture);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(kinds_have_fingerprints_of_their_own),
        cmocka_unit_test(page_and_requisite),
        cmocka_unit_test(requisites_may_be_out_of_scope),
        cmocka_unit_test(requisites_go_before_pages),
        cmocka_unit_test(no_depth_waits_for_requisites),
        cmocka_unit_test(caps_are_about_pages),
        cmocka_unit_test(pages_are_held),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
