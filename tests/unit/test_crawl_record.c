/* What a page directory remembers of the options, and what it does not. */
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

#include <cmocka.h>

#include "cli/crawl_record.h"
#include "crawler/record_codes.h"
#include "support/tempdir.h"

enum { DEPTH = 7, GIVEN_MAX = 12 };

static struct list list_of(const char **given)
{
    struct list list = {.item = given};

    while (list.count < GIVEN_MAX && given[list.count])
        list.count++;
    return list;
}

/* A crawl with these options has begun there. */
static void begin_with(const struct tempdir *temp, const struct list *given)
{
    struct store_error error;
    struct store_batch first;
    struct arena arena;

    arena_init(&arena);
    store_batch_init(&first);
    crawl_record_put_options(&first, given, 0);
    facts_put_number(&first, FACT_DEPTH, DEPTH);
    facts_put_state(&first, STATE_RUNNING);
    store_add_seed(&first, &(struct store_seed){.url = STR("http://a.example/"),
                                                .named = true});
    store_add_seed(&first,
                   &(struct store_seed){.url = STR("http://b.example/")});
    struct store *store =
        store_create(store_name_in(temp->path, &arena), crawler_codes(), &first,
                     STORE_AT_ONCE, &error);
    if (!store)
        fail_msg("%s", error.text);
    store_close(store);
    store_batch_release(&first);
    arena_release(&arena);
}

static void begin(const struct tempdir *temp, const char **given)
{
    struct list list = list_of(given);

    begin_with(temp, &list);
}

/* One more fact about it. */
static void add_setting(const struct tempdir *temp, const char *name,
                        const char *value)
{
    struct store_error error;
    struct store_batch batch;
    struct arena arena;

    arena_init(&arena);
    store_batch_init(&batch);
    store_add_setting(&batch,
                      &(struct store_setting){str_of(name), str_of(value)});
    struct store *store = store_open(store_name_in(temp->path, &arena),
                                     STORE_WRITE, crawler_codes(), &error);
    const struct store_batch *batches = &batch;
    assert_non_null(store);
    assert_true(store_commit(store, &batches, 1, &error));
    store_close(store);
    store_batch_release(&batch);
    arena_release(&arena);
}

static void options_in_their_order(void **state)
{
    static const char *given[] = {
        "scope=any",     "header=Accept: 2",       "quiet",
        "header=DNT: 1", "connect-to=::1.2.3.4:5", "search=a=b\n\"c\" \xff",
        "user-agent=",   "proxy=http://h:3128",    "connect-to=a:b:c:d",
        "max-pages=10",  "max-pages=12",           NULL,
    };
    const struct tempdir *temp = *state;
    struct crawl_record record;

    begin(temp, given);
    crawl_record_read(&record, temp->path);
    assert_int_equal(record.error.status, STORE_OK);
    assert_int_equal(record.given.count, ARRAY_LEN(given) - 1);
    for (size_t i = 0; i < record.given.count; i++) {
        assert_string_equal(record.given.item[i], given[i]);
        assert_false(crawl_record_is_secret(record.given.item[i]));
    }
    assert_int_equal(record.facts.number[FACT_DEPTH], DEPTH);
    assert_int_equal(crawl_record_pages(&record), 0);
    assert_int_equal(record.facts.seeds, 2);
    assert_true(str_eq(record.facts.seed[0].url, STR("http://a.example/")));
    assert_true(record.facts.seed[0].named);
    assert_true(str_eq(record.facts.seed[1].url, STR("http://b.example/")));
    assert_false(record.facts.seed[1].named);
    crawl_record_release(&record);
}

/* More than nine, so that 10 must not come before 2. */
static void many_options(void **state)
{
    static char text[1200][16];
    static const char *item[1200];
    const struct tempdir *temp = *state;
    const struct list list = {.item = item, .count = ARRAY_LEN(item)};
    struct crawl_record record;

    for (size_t i = 0; i < ARRAY_LEN(item); i++) {
        snprintf(text[i], sizeof(text[i]), "internal=%zu", i);
        item[i] = text[i];
    }
    begin_with(temp, &list);
    crawl_record_read(&record, temp->path);
    assert_int_equal(record.given.count, ARRAY_LEN(item));
    for (size_t i = 0; i < record.given.count; i++)
        assert_string_equal(record.given.item[i], item[i]);
    crawl_record_release(&record);
}

static void states(void **state)
{
    static const struct {
        const char *state;
        bool over, unclean;
    } cases[] = {
        {"running", false, true},    {"failed", false, false},
        {"finished", true, false},   {"interrupted", false, false},
        {"max-pages", false, false}, {"nothing", true, false},
    };
    const struct tempdir *temp = *state;
    struct crawl_record record;

    begin(temp, (const char *[]){NULL});
    crawl_record_read(&record, temp->path);
    /* As it is when it was killed before it saved anything. */
    assert_false(facts_is_over(&record.facts));
    assert_true(facts_is_unclean(&record.facts));
    crawl_record_release(&record);
    add_setting(temp, "count.saved", "4294967295");
    for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
        add_setting(temp, "state", cases[i].state);
        crawl_record_read(&record, temp->path);
        assert_int_equal(record.error.status, STORE_OK);
        assert_int_equal(crawl_record_pages(&record), UINT32_MAX);
        if (facts_is_over(&record.facts) != cases[i].over ||
            facts_is_unclean(&record.facts) != cases[i].unclean)
            fail_msg("%s", cases[i].state);
        crawl_record_release(&record);
    }
}

static void damaged(void **state)
{
    static const char *const bad[][2] = {
        {"count.saved", "4294967296"},
        {"count.saved", "many"},
        {"count.saved", ""},
        {"depth", "-1"},
        {"depth", "99999999999999999999"},
    };

    (void)state;
    for (size_t i = 0; i < ARRAY_LEN(bad); i++) {
        struct tempdir temp;
        struct crawl_record record;
        tempdir_make(&temp);
        begin(&temp, (const char *[]){NULL});
        add_setting(&temp, bad[i][0], bad[i][1]);
        crawl_record_read(&record, temp.path);
        if (record.error.status != STORE_DAMAGED)
            fail_msg("%s=%s: %d", bad[i][0], bad[i][1], record.error.status);
        crawl_record_release(&record);
        tempdir_remove(&temp);
    }
}

static void no_record(void **state)
{
    const struct tempdir *temp = *state;
    struct crawl_record record;

    crawl_record_read(&record, temp->path);
    assert_int_equal(record.error.status, STORE_NONE);
    crawl_record_release(&record);
    tempdir_write(temp, ".crawler", STR(""));
    crawl_record_read(&record, temp->path);
    assert_int_equal(record.error.status, STORE_EMPTY);
    crawl_record_release(&record);
    tempdir_write(temp, ".crawler", STR("a note of mine"));
    crawl_record_read(&record, temp->path);
    assert_int_equal(record.error.status, STORE_NOTE);
    crawl_record_release(&record);
}

/* --- secrets -------------------------------------------------------------- */

static bool is_in_files(const struct tempdir *temp, struct str secret)
{
    struct buf bytes;
    bool found;

    buf_init(&bytes, 1 << 24);
    assert_true(tempdir_read(temp, ".crawler", &bytes));
    tempdir_read(temp, ".crawler-wal", &bytes);
    found = memmem(bytes.ptr, bytes.len, secret.ptr, secret.len) != NULL;
    buf_release(&bytes);
    return found;
}

static void secrets(void **state)
{
    static const struct {
        const char *given, *kept;
    } cases[] = {
        {"header=Authorization: Bearer TopSecret",
         "header=Authorization: (not kept)"},
        {"header=authorization:TopSecret", "header=authorization: (not kept)"},
        {"header=COOKIE: a=b:TopSecret=c", "header=COOKIE: (not kept)"},
        {"header=Proxy-Authorization: TopSecret",
         "header=Proxy-Authorization: (not kept)"},
        {"proxy=http://me:TopSecret@h:3128", "proxy=(not kept)"},
        {"proxy=TopSecret@h", "proxy=(not kept)"},
        {"header=X-Api-Key: TopSecret", "header=X-Api-Key: (not kept)"},
        /* These are not. */
        {"header=Accept: text/html", NULL},
        {"header=accept-language:de", NULL},
        {"proxy=http://h:3128", NULL},
        {"user-agent=me@h", NULL},
    };

    (void)state;
    for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
        struct tempdir temp;
        struct crawl_record record;
        tempdir_make(&temp);
        begin(&temp, (const char *[]){"quiet", cases[i].given, NULL});
        crawl_record_read(&record, temp.path);
        assert_int_equal(record.given.count, 2);
        assert_string_equal(record.given.item[1],
                            cases[i].kept ? cases[i].kept : cases[i].given);
        if (crawl_record_is_secret(record.given.item[1]) !=
            (cases[i].kept != NULL))
            fail_msg("%s", cases[i].given);
        crawl_record_release(&record);
        assert_false(is_in_files(&temp, STR("TopSecret")));
        assert_true(is_in_files(&temp, STR("quiet")));
        tempdir_remove(&temp);
    }
}

/* --- the words of before -------------------------------------------------- */

/* The options and arguments of a crawl that goes on, as they would be typed; or
 * NULL. */
static const char *words_of(const struct tempdir *temp, const char **given)
{
    static char text[1000];
    const char *argument[] = {temp->path};
    const struct options options = {
        .given = list_of(given),
        .argument = argument,
        .argument_count = 1,
    };
    struct options resumed;
    size_t used = 0;

    bool good = !crawl_record_resume(&resumed, &options);
    for (size_t i = 0; good && i < resumed.given.count; i++)
        used += (size_t)snprintf(text + used, sizeof(text) - used, "--%s ",
                                 resumed.given.item[i]);
    if (good) {
        assert_int_equal(resumed.argument_count, 2);
        assert_string_equal(resumed.argument[0], temp->path);
        snprintf(text + used, sizeof(text) - used, "-- DIR %s",
                 resumed.argument[1]);
    }
    options_release(&resumed);
    return good ? text : NULL;
}

static void words(void **state)
{
    static const char *begun[] = {
        "scope=any",         "delay=2s",           "header=Accept: 1",
        "header=Cookie: s1", "header=Accept: 2",   "header=Authorization: s2",
        "restart",           "proxy=http://u:p@h", NULL,
    };
    static const struct {
        const char *given[6];
        const char *words;
    } cases[] = {
        /* All that was secret, or it does not go on. */
        {{"resume"}, NULL},
        {{"resume", "header=Cookie: s1", "proxy=x"}, NULL},
        {{"resume", "header=Authorization: s2", "proxy=x"}, NULL},
        {{"resume", "header=Authorization: s2", "header=Cookie: s1"}, NULL},
        {{"resume", "header=authorization: s3", "header=COOKIE: s4", "proxy=x"},
         "--scope=any --delay=2s --header=Accept: 1 --header=Accept: 2 "
         "--header=authorization: s3 --header=COOKIE: s4 --proxy=x -- DIR 7"},
        /* What is given anew takes the place of all of its name. */
        {{"header=Authorization: s2", "header=accept: 3", "header=Cookie: s1",
          "proxy=x", "delay=0"},
         "--scope=any --header=Authorization: s2 --header=accept: 3 "
         "--header=Cookie: s1 --proxy=x --delay=0 -- DIR 7"},
        /* A fixed option cannot be changed. */
        {{"resume", "scope=host", "header=Authorization: s2",
          "header=Cookie: s1", "proxy=x"},
         NULL},
    };
    const struct tempdir *temp = *state;

    begin(temp, begun);
    for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
        const char *given[6];
        memcpy(given, cases[i].given, sizeof(given));
        const char *got = words_of(temp, given);
        if (!got != !cases[i].words || (got && strcmp(got, cases[i].words)))
            fail_msg("case %zu: expected '%s', got '%s'", i,
                     cases[i].words ? cases[i].words : "nothing",
                     got ? got : "nothing");
    }
}

int main(void)
{
#define CASE(name)                                                             \
    cmocka_unit_test_setup_teardown(name, tempdir_setup, tempdir_teardown)
    const struct CMUnitTest tests[] = {
        CASE(options_in_their_order),
        CASE(many_options),
        CASE(states),
        cmocka_unit_test(damaged),
        CASE(no_record),
        cmocka_unit_test(secrets),
        CASE(words),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
