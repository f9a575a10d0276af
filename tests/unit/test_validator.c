#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>

#include <cmocka.h>

#include "frontier/validator.h"
#include "web/normalize.h"

enum { SEED = 5, MAX_DEPTH = 3, MAX_HOPS = 2 };

struct fixture {
    struct domains *domains;
    struct scope *scope;
    struct arena arena;
    struct validator validator;
};

static struct url *parse(struct fixture *fixture, const char *text)
{
    struct url *url = arena_new(&fixture->arena, sizeof(*url));

    if (url_parse(url, &fixture->arena, str_of(text), NULL, NULL))
        fail_msg("%s is not a URL", text);
    return url;
}

/* Everything on h.example is internal. */
static void start(struct fixture *fixture)
{
    fixture->domains = domains_new();
    fixture->scope = scope_new(fixture->domains);
    arena_init(&fixture->arena);
    scope_add_prefix(fixture->scope, parse(fixture, "http://h.example/"));
    const struct frontier_options options = {
        .per_host = 100,
        .hash_seed = SEED,
        .domains = fixture->domains,
    };
    validator_init(&fixture->validator, fixture->scope, MAX_DEPTH, &options);
}

static void finish(struct fixture *fixture)
{
    validator_release(&fixture->validator);
    scope_free(fixture->scope);
    domains_free(fixture->domains);
    arena_release(&fixture->arena);
}

static struct offer offer_of(struct fixture *fixture, const char *text,
                             uint32_t depth)
{
    const struct url *url = parse(fixture, text);
    uint64_t fingerprint = url_fingerprint(url, SEED);

    validator_expect(&fixture->validator, fingerprint);
    return (struct offer){
        .url = url,
        .fingerprint = fingerprint,
        .depth = depth,
        .referrer_id = 1,
        .found = 1,
    };
}

static enum verdict offer(struct fixture *fixture, const char *text,
                          uint32_t depth)
{
    struct offer link = offer_of(fixture, text, depth);

    return validator_offer(&fixture->validator, &link, 0);
}

static enum verdict redirect(struct fixture *fixture, const struct target *from,
                             const char *text)
{
    struct offer link = offer_of(fixture, text, from->depth);

    return validator_offer_redirect(&fixture->validator, from, &link, MAX_HOPS,
                                    0);
}

static struct target *take(struct fixture *fixture)
{
    return frontier_take(fixture->validator.frontier, 0);
}

static void done(struct fixture *fixture, struct target *target)
{
    frontier_done(fixture->validator.frontier, target, 0, 0);
}

static size_t queued(const struct fixture *fixture)
{
    return frontier_counts(fixture->validator.frontier).queued;
}

/* In this order: what was offered before decides about the later ones. */
static void each_verdict(void **state)
{
    static const struct {
        const char *url;
        uint32_t depth;
        enum verdict verdict;
    } cases[] = {
        {"http://h.example/", 0, ACCEPT},
        {"http://h.example/", 0, DUPLICATE},
        {"http://h.example/#f", 1, DUPLICATE},
        {"http://H.EXAMPLE:80/?", 1, DUPLICATE},
        {"http://h.example/a", 1, ACCEPT},
        {"http://h.example/%61", 2, DUPLICATE},
        {"http://h.example/A", 2, ACCEPT},
        {"http://o.example/", 1, EXTERNAL},
        {"https://h.example/", 1, EXTERNAL},
        {"http://h.example.evil.example/", 1, EXTERNAL},
        {"http://h.example@evil.example/", 1, EXTERNAL},
        /* As deep as may be, and deeper. */
        {"http://h.example/3", MAX_DEPTH, ACCEPT},
        {"http://h.example/4", MAX_DEPTH + 1, TOO_DEEP},
        {"http://h.example/4", UINT32_MAX, TOO_DEEP},
        /* Too deep is not seen: there may be a shorter way. */
        {"http://h.example/4", MAX_DEPTH, ACCEPT},
        {"http://h.example/4", MAX_DEPTH + 1, TOO_DEEP},
        /* External comes before too deep, and too deep before seen. */
        {"http://o.example/", MAX_DEPTH + 1, EXTERNAL},
        {"http://o.example/", 1, EXTERNAL},
    };
    struct fixture fixture;
    size_t accepted = 0;

    (void)state;
    start(&fixture);
    for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
        enum verdict got = offer(&fixture, cases[i].url, cases[i].depth);
        if (got != cases[i].verdict)
            fail_msg("case %zu, %s at %u: expected %s, got %s", i, cases[i].url,
                     cases[i].depth, verdict_name(cases[i].verdict),
                     verdict_name(got));
        accepted += got == ACCEPT;
        assert_int_equal(queued(&fixture), accepted);
    }
    finish(&fixture);
}

/* A link to a page that is still queued may be the shorter way to it. */
static void shorter_way(void **state)
{
    struct fixture fixture;

    (void)state;
    start(&fixture);
    assert_int_equal(offer(&fixture, "http://h.example/x", 3), ACCEPT);
    assert_int_equal(offer(&fixture, "http://h.example/x", 1), DUPLICATE);
    assert_int_equal(offer(&fixture, "http://h.example/x", 2), DUPLICATE);
    struct target *target = take(&fixture);
    assert_int_equal(target->depth, 1);
    done(&fixture, target);
    assert_int_equal(offer(&fixture, "http://h.example/x", 0), DUPLICATE);
    assert_int_equal(queued(&fixture), 0);
    finish(&fixture);
}

static void redirects(void **state)
{
    static const struct {
        const char *from, *to;
        enum verdict verdict;
    } cases[] = {
        {"http://h.example/a", "http://h.example/new", ACCEPT},
        {"http://h.example/a", "http://h.example/seen", DUPLICATE},
        {"http://h.example/a", "http://h.example/s%65en", DUPLICATE},
        {"http://h.example/a", "http://o.example/", EXTERNAL},
        {"http://h.example/a", "https://h.example/a", EXTERNAL},
        /* To itself, letter for letter: an endless loop. */
        {"http://h.example/a", "http://h.example/a", DUPLICATE},
        {"http://h.example/a", "http://h.example/a#f", DUPLICATE},
        /* To itself by another spelling: the page is there. */
        {"http://h.example/%61", "http://h.example/a", ACCEPT},
        {"http://h.example/a?", "http://h.example/a", ACCEPT},
        {"http://h.example/a", "http://h.example/a?", ACCEPT},
        {"http://h.example/%c3%a4", "http://h.example/%C3%A4", ACCEPT},
    };

    (void)state;
    for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
        struct fixture fixture;
        start(&fixture);
        assert_int_equal(offer(&fixture, cases[i].from, MAX_DEPTH), ACCEPT);
        assert_int_equal(offer(&fixture, "http://h.example/seen", MAX_DEPTH),
                         ACCEPT);
        struct target *from = take(&fixture);
        enum verdict got = redirect(&fixture, from, cases[i].to);
        if (got != cases[i].verdict)
            fail_msg("%s to %s: expected %s, got %s", cases[i].from,
                     cases[i].to, verdict_name(cases[i].verdict),
                     verdict_name(got));
        done(&fixture, from);
        assert_int_equal(queued(&fixture), got == ACCEPT ? 2 : 1);
        done(&fixture, take(&fixture));
        struct target *target = take(&fixture);
        assert_int_equal(target != NULL, got == ACCEPT);
        if (target) {
            /* The page that is fetched in the end has the same depth. */
            assert_string_equal(target->url, cases[i].to);
            assert_int_equal(target->depth, MAX_DEPTH);
            assert_int_equal(target->redirects, 1);
            done(&fixture, target);
        }
        finish(&fixture);
    }
}

/* A chain is followed for MAX_HOPS hops, and a link starts at 0 again. */
static void chains(void **state)
{
    static const char *const chain[] = {
        "http://h.example/1",
        "http://h.example/2",
        "http://h.example/3",
    };
    struct fixture fixture;

    (void)state;
    start(&fixture);
    assert_int_equal(offer(&fixture, "http://h.example/0", 0), ACCEPT);
    for (size_t i = 0; i < ARRAY_LEN(chain); i++) {
        struct target *from = take(&fixture);
        assert_int_equal(from->redirects, i);
        assert_int_equal(redirect(&fixture, from, chain[i]),
                         i < MAX_HOPS ? ACCEPT : TOO_MANY_REDIRECTS);
        done(&fixture, from);
    }
    assert_int_equal(queued(&fixture), 0);
    /* What was at the end of too many redirects has not been seen. */
    assert_int_equal(offer(&fixture, chain[2], 1), ACCEPT);
    struct target *target = take(&fixture);
    assert_int_equal(target->redirects, 0);
    done(&fixture, target);
    finish(&fixture);
}

/* Two spellings that lead to each other end like any chain. */
static void spellings_in_a_circle(void **state)
{
    struct fixture fixture;
    size_t fetches = 0;

    (void)state;
    start(&fixture);
    assert_int_equal(offer(&fixture, "http://h.example/a", 0), ACCEPT);
    struct target *from;
    while ((from = take(&fixture))) {
        redirect(&fixture, from,
                 fetches++ % 2 ? "http://h.example/a" : "http://h.example/%61");
        done(&fixture, from);
        assert_in_range(fetches, 1, MAX_HOPS + 1);
    }
    assert_int_equal(fetches, MAX_HOPS + 1);
    finish(&fixture);
}

/* A retry of a page that was reached by another spelling of itself. */
static void respelled_and_tried_again(void **state)
{
    struct fixture fixture;

    (void)state;
    start(&fixture);
    assert_int_equal(offer(&fixture, "http://h.example/%61", 1), ACCEPT);
    struct target *from = take(&fixture);
    assert_int_equal(redirect(&fixture, from, "http://h.example/a"), ACCEPT);
    done(&fixture, from);
    struct target *target = take(&fixture);
    frontier_again(fixture.validator.frontier, target, 0, 10, false);
    assert_int_equal(offer(&fixture, "http://h.example/a", 0), DUPLICATE);
    target = frontier_take(fixture.validator.frontier, 10);
    assert_int_equal(target->depth, 0);
    assert_int_equal(target->redirects, 1);
    done(&fixture, target);
    finish(&fixture);
}

/* --- who wants to know ---------------------------------------------------- */

struct heard {
    char text[400];
    size_t count;
    uint64_t last_number;
};

static void hear(void *user, const struct judged *judged)
{
    struct heard *heard = user;
    const struct offer *offer = judged->offer;
    size_t used = strlen(heard->text);

    heard->count++;
    snprintf(heard->text + used, sizeof(heard->text) - used, "%s%s %s %u",
             used ? ", " : "", offer->url->href.ptr + strlen("http://"),
             verdict_name(judged->verdict), judged->line);
    /* Numbers grow, whatever becomes of the URL. */
    assert_true(judged->number > heard->last_number);
    heard->last_number = judged->number;
    /* It is in the queue if it was accepted, and only then. */
    assert_int_equal(judged->queued != NULL, judged->verdict == ACCEPT);
    if (judged->queued) {
        assert_int_equal(judged->queued->number, judged->number);
        assert_true(str_ends(url_host(offer->url), judged->queued->domain));
    }
}

static void hear_withdrawal(void *user, enum target_kind kind, uint64_t number)
{
    struct heard *heard = user;
    size_t used = strlen(heard->text);

    snprintf(heard->text + used, sizeof(heard->text) - used,
             "%s%llu withdrawn%s", used ? ", " : "", (unsigned long long)number,
             kind == TARGET_SITEMAP ? ", a sitemap" : "");
}

static void attach(struct fixture *fixture, struct heard *heard)
{
    *heard = (struct heard){0};
    fixture->validator.listener = (struct validator_listener){
        .user = heard,
        .judged = hear,
        .withdrawn = hear_withdrawal,
        .outside = true,
    };
}

static void assert_heard(struct heard *heard, const char *expected)
{
    if (strcmp(heard->text, expected))
        fail_msg("expected '%s', heard '%s'", expected, heard->text);
    *heard = (struct heard){.last_number = heard->last_number};
}

static void set_robots(struct fixture *fixture, const char *url,
                       const char *text)
{
    frontier_restore_robots(fixture->validator.frontier, parse(fixture, url),
                            robots_new(str_of(text), STR("crawler")),
                            UINT64_MAX, 0);
}

/* Every URL once, whatever becomes of it. */
static void told_once(void **state)
{
    struct fixture fixture;
    struct heard heard;

    (void)state;
    start(&fixture);
    attach(&fixture, &heard);
    offer(&fixture, "http://h.example/a", 1);
    assert_heard(&heard, "h.example/a accept 0");
    offer(&fixture, "http://h.example/a", 1);
    offer(&fixture, "http://h.example/%61", 0);
    assert_heard(&heard, "");
    offer(&fixture, "http://o.example/", 1);
    assert_heard(&heard, "o.example/ external 0");
    offer(&fixture, "http://o.example/", 2);
    assert_heard(&heard, "");
    /* Too deep by one way; by a shorter one it is another verdict. */
    offer(&fixture, "http://h.example/deep", MAX_DEPTH + 1);
    assert_heard(&heard, "h.example/deep too-deep 0");
    offer(&fixture, "http://h.example/deep", MAX_DEPTH + 2);
    assert_heard(&heard, "");
    offer(&fixture, "http://h.example/deep", MAX_DEPTH);
    assert_heard(&heard, "3 withdrawn, h.example/deep accept 0");
    offer(&fixture, "http://h.example/deep", MAX_DEPTH + 1);
    assert_heard(&heard, "");
    /* With the line of robots.txt. */
    set_robots(&fixture, "http://h.example/",
               "User-agent: *\nDisallow: /no\nDisallow: /never\n");
    offer(&fixture, "http://h.example/never", 1);
    assert_heard(&heard, "h.example/never robots 3");
    offer(&fixture, "http://h.example/never", 0);
    assert_heard(&heard, "");
    finish(&fixture);
}

static void redirects_are_told(void **state)
{
    struct fixture fixture;
    struct heard heard;

    (void)state;
    start(&fixture);
    attach(&fixture, &heard);
    offer(&fixture, "http://h.example/%61", 1);
    assert_heard(&heard, "h.example/%61 accept 0");
    struct target *from = take(&fixture);
    /* The same page by another spelling is queued once more. */
    redirect(&fixture, from, "http://h.example/a");
    assert_heard(&heard, "h.example/a accept 0");
    redirect(&fixture, from, "http://o.example/");
    assert_heard(&heard, "o.example/ external 0");
    done(&fixture, from);
    from = take(&fixture);
    from->redirects = MAX_HOPS;
    redirect(&fixture, from, "http://h.example/b");
    assert_heard(&heard, "h.example/b too-many-redirects 0");
    redirect(&fixture, from, "http://h.example/b");
    assert_heard(&heard, "");
    done(&fixture, from);
    finish(&fixture);
}

/* What others refuse is told once too, and does not count as seen. */
static void refused_by_others(void **state)
{
    struct fixture fixture;
    struct heard heard;

    (void)state;
    start(&fixture);
    struct offer link = offer_of(&fixture, "http://h.example/pdf", 1);
    /* Without a listener nothing is kept. */
    validator_refuse(&fixture.validator, &link, NOT_HTML_NAME);
    attach(&fixture, &heard);
    validator_refuse(&fixture.validator, &link, NOT_HTML_NAME);
    assert_heard(&heard, "h.example/pdf not-html-name 0");
    validator_refuse(&fixture.validator, &link, NOFOLLOW);
    assert_heard(&heard, "");
    assert_int_equal(offer(&fixture, "http://h.example/pdf", 1), ACCEPT);
    assert_heard(&heard, "h.example/pdf accept 0");
    finish(&fixture);
}

/* --- what was judged before ----------------------------------------------- */

/* What depends on how it was found may be found another way; it is only not
 * told again. */
static void restored(void **state)
{
    static const bool is_seen[VERDICTS] = {
        [ACCEPT] = true,         [DOMAIN_CAP] = true, [ROBOTS_REFUSED] = true,
        [ROBOTS_UNKNOWN] = true, [HOST_DEAD] = true,  [EXCLUDED] = true,
        [RULE_LIMIT] = true,     [BY_HAND] = true,
    };

    (void)state;
    for (unsigned i = 0; i < VERDICTS; i++) {
        struct fixture fixture;
        struct heard heard;
        start(&fixture);
        attach(&fixture, &heard);
        struct offer link = offer_of(&fixture, "http://h.example/x", 1);
        validator_restore(&fixture.validator, link.fingerprint, (enum verdict)i,
                          7);
        assert_heard(&heard, "");
        validator_refuse(&fixture.validator, &link, NOFOLLOW);
        if (heard.count)
            fail_msg("%s: told again", verdict_name((enum verdict)i));
        enum verdict got = validator_offer(&fixture.validator, &link, 0);
        if (got != (is_seen[i] ? DUPLICATE : ACCEPT))
            fail_msg("%s: offered again it is %s",
                     verdict_name((enum verdict)i), verdict_name(got));
        assert_int_equal(queued(&fixture), !is_seen[i]);
        finish(&fixture);
    }
}

/* They are judged once, pages alone, and not for seeds that the user named. */
static void rules_of_the_user(void **state)
{
    struct filter *filter = filter_new();
    struct fixture fixture;
    struct heard heard;
    unsigned line;

    (void)state;
    assert_true(
        filter_add(filter, RULE_EXCLUDE, STR("http://h.example/no/**"), NULL));
    start(&fixture);
    attach(&fixture, &heard);
    fixture.validator.filter = filter;
    assert_int_equal(
        validator_precheck(&fixture.validator,
                           parse(&fixture, "http://h.example/no/a"), &line),
        EXCLUDED);
    assert_int_equal(offer(&fixture, "http://h.example/no/a", 1), EXCLUDED);
    assert_int_equal(offer(&fixture, "http://h.example/no/a", 1), DUPLICATE);
    assert_int_equal(heard.count, 1);
    assert_int_equal(offer(&fixture, "http://h.example/yes", 1), ACCEPT);
    assert_int_equal(offer(&fixture, "http://other.example/no/", 1), EXTERNAL);

    struct offer seed = offer_of(&fixture, "http://h.example/no/seed", 0);
    seed.is_named = true;
    assert_int_equal(validator_offer(&fixture.validator, &seed, 0), ACCEPT);
    struct offer sitemap = offer_of(&fixture, "http://h.example/no/map", 0);
    sitemap.kind = TARGET_SITEMAP;
    assert_int_equal(validator_offer(&fixture.validator, &sitemap, 0), ACCEPT);
    finish(&fixture);
    filter_free(filter);
}

/* Asking changes nothing: neither seen nor told, nor is a host known by it. */
static void prechecked(void **state)
{
    static const struct {
        const char *url;
        enum verdict verdict;
        unsigned line;
    } cases[] = {
        {"http://h.example/a", ACCEPT, 0},
        {"http://h.example/seen", ACCEPT, 0},
        {"http://h.example/no/b", ROBOTS_REFUSED, 2},
        {"http://o.example/", EXTERNAL, 0},
        {"https://h.example/", EXTERNAL, 0},
    };
    struct fixture fixture;
    struct heard heard;

    (void)state;
    start(&fixture);
    assert_int_equal(offer(&fixture, "http://h.example/seen", 1), ACCEPT);
    set_robots(&fixture, "http://h.example/", "User-agent: *\nDisallow: /no\n");
    attach(&fixture, &heard);
    for (size_t i = 0; i < 2 * ARRAY_LEN(cases); i++) {
        size_t at = i % ARRAY_LEN(cases);
        unsigned line = 0;
        enum verdict got = validator_precheck(
            &fixture.validator, parse(&fixture, cases[at].url), &line);
        if (got != cases[at].verdict || line != cases[at].line)
            fail_msg("%s: expected %s, got %s of line %u", cases[at].url,
                     verdict_name(cases[at].verdict), verdict_name(got), line);
    }
    assert_heard(&heard, "");
    assert_int_equal(queued(&fixture), 1);
    assert_int_equal(offer(&fixture, "http://h.example/a", 1), ACCEPT);
    finish(&fixture);
}

static void note_duplicate(void *user, const struct judged *judged)
{
    *(unsigned *)user += judged->verdict == DUPLICATE;
}

/* A URL that is done and found at a smaller depth is recorded each time that it
 * is nearer; one that is queued takes the depth itself. */
static void found_nearer_when_it_is_done(void **state)
{
    static const char url[] = "http://h.example/a";
    struct fixture fixture;
    unsigned duplicates = 0;

    (void)state;
    start(&fixture);
    fixture.validator.listener =
        (struct validator_listener){&duplicates, note_duplicate, NULL, false};
    validator_keep_depths(&fixture.validator);
    assert_int_equal(offer(&fixture, url, 3), ACCEPT);
    assert_int_equal(offer(&fixture, url, 2), DUPLICATE);
    struct target *target = frontier_take(fixture.validator.frontier, 0);
    assert_int_equal(target->depth, 2);
    assert_int_equal(offer(&fixture, url, 3), DUPLICATE);
    assert_int_equal(offer(&fixture, url, 2), DUPLICATE);
    assert_int_equal(validator_lowered(&fixture.validator), 0);
    /* In flight it keeps its depth, but the record is told. */
    assert_int_equal(offer(&fixture, url, 1), DUPLICATE);
    assert_int_equal(duplicates, 1);
    frontier_done(fixture.validator.frontier, target, 0, 0);
    assert_int_equal(offer(&fixture, url, 1), DUPLICATE);
    assert_int_equal(offer(&fixture, url, 0), DUPLICATE);
    assert_int_equal(duplicates, 2);
    assert_int_equal(validator_lowered(&fixture.validator), 2);
    const struct offer at = offer_of(&fixture, url, 3);
    assert_int_equal(validator_depth(&fixture.validator, &at), 0);
    finish(&fixture);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(found_nearer_when_it_is_done),
        cmocka_unit_test(each_verdict),
        cmocka_unit_test(shorter_way),
        cmocka_unit_test(redirects),
        cmocka_unit_test(chains),
        cmocka_unit_test(spellings_in_a_circle),
        cmocka_unit_test(respelled_and_tried_again),
        cmocka_unit_test(told_once),
        cmocka_unit_test(redirects_are_told),
        cmocka_unit_test(refused_by_others),
        cmocka_unit_test(restored),
        cmocka_unit_test(rules_of_the_user),
        cmocka_unit_test(prechecked),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
