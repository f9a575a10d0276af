/* What became of a URL follows from its rows in one way. */
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>

#include <cmocka.h>

#include "crawler/record_codes.h"
#include "store/fold.h"
#include "store/store_type.h"

/* --- a store that is a list of rows -------------------------------------- */

/* A row of the history of URL 1, or the end of the list. */
struct event {
    enum {
        END,
        URL,     /* its own row: a verdict */
        FETCH,   /* an outcome; `a` is the page, `b` whether it is retried */
        REFUSAL, /* a verdict, after its own row */
        FOUND,   /* again: `a` is the depth, `b` the count */
    } what;
    unsigned code, a, b;
};

struct made_up {
    struct store base;
    const struct event *event;
};

static bool give(const struct store_reader *reader, const struct event *event)
{
    const struct store_url url = {
        .number = 1,
        .url = STR("http://a/"),
        .host = STR("a"),
        .depth = 5,
        .referrer = 4,
        .referrer_machine = 3,
        .found = 1,
        .verdict = (uint8_t)event->code,
    };
    const struct store_fetch fetch = {
        .number = 1,
        .outcome = (uint8_t)event->code,
        .page = event->a,
        .due_ms = event->b,
    };
    const struct store_refusal refusal = {
        .number = 1,
        .verdict = (uint8_t)event->code,
    };
    const struct store_change change = {1, event->a, 9, event->b, 7};

    switch (event->what) {
    case URL:
        return store_give(reader, ROW_url, &url);
    case FETCH:
        return store_give(reader, ROW_fetch, &fetch);
    case REFUSAL:
        return store_give(reader, ROW_refusal, &refusal);
    case FOUND:
        return store_give(reader, ROW_change, &change);
    case END:
        break;
    }
    return true;
}

/* The URL's own row comes last, as from every store. */
static bool load(struct store *base, unsigned slice,
                 const struct store_reader *reader, struct store_error *error)
{
    const struct made_up *store = (struct made_up *)(void *)base;
    const struct event *own = NULL;

    assert_int_equal(slice, 0);
    error->status = STORE_DAMAGED;
    if (!reader->begin(reader->user, 1, 1))
        return false;
    for (const struct event *event = store->event; event->what; event++) {
        if (event->what == URL)
            own = event;
        else if (!give(reader, event))
            return false;
    }
    return !own || give(reader, own);
}

static const struct store_type type = {.kind = "list", .load = load};

static bool keep(void *user, const struct url_record *url)
{
    *(struct url_record *)user = *url;
    return true;
}

static bool fold(const struct event *event, struct url_record *url)
{
    struct made_up store = {{.type = &type, .codes = crawler_codes()}, event};
    const struct fold_reader reader = {
        .rows = {.user = url}, .pages = true, .url = keep};
    struct store_error error;

    *url = (struct url_record){0};
    return store_fold(&store.base, 0, &reader, &error);
}

/* --- cases ---------------------------------------------------------------- */

static void how_a_url_ended(void **state)
{
    static const struct {
        const char *what;
        struct event event[6];
        enum url_end end;
    } cases[] = {
        {"queued", {{URL, ACCEPT, 0, 0}}, URL_QUEUED},
        {"saved", {{URL, ACCEPT, 0, 0}, {FETCH, FETCHED, 1, 0}}, URL_SAVED},
        {"redirected",
         {{URL, ACCEPT, 0, 0}, {FETCH, REDIRECTED, 0, 0}},
         URL_REDIRECTED},
        {"failed", {{URL, ACCEPT, 0, 0}, {FETCH, TIMED_OUT, 0, 0}}, URL_FAILED},
        {"fetched but not kept",
         {{URL, ACCEPT, 0, 0}, {FETCH, NOT_HTML, 0, 0}},
         URL_NOT_KEPT},
        {"to be tried again",
         {{URL, ACCEPT, 0, 0}, {FETCH, TIMED_OUT, 0, 1}},
         URL_QUEUED},
        {"tried again with success",
         {{URL, ACCEPT, 0, 0},
          {FETCH, TIMED_OUT, 0, 1},
          {FETCH, FETCHED, 2, 0}},
         URL_SAVED},
        {"cut short by us",
         {{URL, ACCEPT, 0, 0}, {FETCH, ABANDONED, 0, 1}},
         URL_QUEUED},
        {"failed, and asked for again under another number",
         {{URL, ACCEPT, 0, 0},
          {FETCH, TIMED_OUT, 0, 0},
          {REFUSAL, ACCEPT, 0, 0}},
         URL_NONE},
        {"refused at once", {{URL, ROBOTS_REFUSED, 0, 0}}, URL_REFUSED},
        {"of a dead host", {{URL, HOST_DEAD, 0, 0}}, URL_FAILED},
        {"outside the scope", {{URL, EXTERNAL, 0, 0}}, URL_OUTSIDE},
        {"a duplicate", {{URL, DUPLICATE, 0, 0}}, URL_NONE},
        {"refused at its turn",
         {{URL, ACCEPT, 0, 0}, {REFUSAL, DOMAIN_CAP, 0, 0}},
         URL_REFUSED},
        {"its host died before its turn",
         {{URL, ACCEPT, 0, 0},
          {FETCH, TIMED_OUT, 0, 1},
          {REFUSAL, HOST_DEAD, 0, 0}},
         URL_FAILED},
        {"a refusal that was taken back",
         {{URL, TOO_DEEP, 0, 0}, {REFUSAL, ACCEPT, 0, 0}},
         URL_NONE},
    };

    (void)state;
    for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
        struct url_record url;
        assert_true(fold(cases[i].event, &url));
        if (url.end != cases[i].end)
            fail_msg("%s is %s", cases[i].what, url_end_name(url.end));
    }
}

static void what_else_is_known_of_it(void **state)
{
    static const struct event events[] = {
        {URL, ACCEPT, 0, 0}, {FOUND, 0, 3, 2},         {FETCH, TIMED_OUT, 0, 1},
        {FOUND, 0, 2, 3},    {FETCH, ABANDONED, 0, 1}, {FETCH, FETCHED, 8, 0},
        {END, 0, 0, 0},
    };
    struct url_record url;

    (void)state;
    assert_true(fold(events, &url));
    /* Of changes the last one counts. */
    assert_int_equal(url.depth, 2);
    assert_int_equal(url.referrer, 9);
    assert_int_equal(url.referrer_machine, 7);
    assert_int_equal(url.found, 3);
    /* A fetch that we cut short is no try. */
    assert_int_equal(url.fetches, 3);
    assert_int_equal(url.tries, 2);
    assert_int_equal(url.page, 8);
    assert_int_equal(url.outcome, FETCHED);
    assert_true(url.ended);

    const struct event first[] = {{URL, ACCEPT, 0, 0}, {END, 0, 0, 0}};
    assert_true(fold(first, &url));
    assert_false(url.ended);
    assert_int_equal(url.depth, 5);
    assert_int_equal(url.referrer, 4);
    assert_int_equal(url.referrer_machine, 3);
    assert_int_equal(url.found, 1);
}

static void codes_that_nobody_knows_are_refused(void **state)
{
    static const struct event events[][3] = {
        {{URL, VERDICTS, 0, 0}},
        {{URL, ACCEPT, 0, 0}, {FETCH, OUTCOMES, 0, 0}},
        {{URL, ACCEPT, 0, 0}, {REFUSAL, VERDICTS, 0, 0}},
    };

    (void)state;
    for (size_t i = 0; i < ARRAY_LEN(events); i++) {
        struct url_record url;
        assert_false(fold(events[i], &url));
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(how_a_url_ended),
        cmocka_unit_test(what_else_is_known_of_it),
        cmocka_unit_test(codes_that_nobody_knows_are_refused),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
