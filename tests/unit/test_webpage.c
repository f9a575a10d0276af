#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>

#include <cmocka.h>

#include "page/webpage.h"

/* A page is used again: nothing of the last round may show in the next. */
static void ask_forgets(void **state)
{
    struct webpage page, fresh;

    (void)state;
    webpage_init(&page);
    webpage_ask(&page, STR("http://a.example/"), 3, true);
    page.outcome = NOT_SAVED;
    page.exchange.status = 200;
    strcpy(page.exchange.mime, "text/html");
    strcpy(page.exchange.charset_label, "utf-8");
    page.prepared = &page;
    page.exchange.body = STR("x");
    page.exchange.body_len = 1;
    page.exchange.location = STR("/");
    page.save_errno = 28;
    page.links = (struct page_links){.link = arena_new(&page.arena, 100),
                                     .count = 1,
                                     .bad = 1,
                                     .baseless = 1,
                                     .beyond = 1};

    webpage_ask(&page, STR("http://b.example/"), 0, false);
    assert_true(str_eq(page.url, STR("http://b.example/")));
    webpage_init(&fresh);
    fresh.url = page.url;
    fresh.arena = page.arena;
    assert_int_equal(page.outcome, fresh.outcome);
    assert_int_equal(page.depth, 0);
    assert_false(page.want_links);
    assert_int_equal(page.exchange.status, 0);
    assert_string_equal(page.exchange.mime, "");
    assert_string_equal(page.exchange.charset_label, "");
    assert_null(page.prepared);
    assert_null(page.exchange.body.ptr);
    assert_int_equal(page.exchange.body_len, 0);
    assert_null(page.exchange.location.ptr);
    assert_int_equal(page.save_errno, 0);
    assert_null(page.links.link);
    assert_int_equal(page.links.count + page.links.bad, 0);
    assert_int_equal(page.arena.used, 0);
    webpage_release(&page);
}

/* Memory of a huge page goes, that of a common one stays. */
static void arena_between_rounds(void **state)
{
    struct webpage page;

    (void)state;
    webpage_init(&page);
    webpage_ask(&page, STR("http://a.example/"), 0, true);
    arena_new(&page.arena, 1000);
    webpage_ask(&page, STR("http://a.example/"), 0, true);
    assert_non_null(page.arena.block);
    arena_new(&page.arena, 10 << 20);
    webpage_ask(&page, STR("http://a.example/"), 0, true);
    assert_null(page.arena.block);

    /* Room that was asked for and hardly used is memory all the same. */
    arena_reserve(&page.arena, 10 << 20);
    arena_commit(&page.arena, 10);
    webpage_ask(&page, STR("http://a.example/"), 0, true);
    assert_in_range(page.arena.end - page.arena.at, 0, 1 << 20);
    webpage_release(&page);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(ask_forgets),
        cmocka_unit_test(arena_between_rounds),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
