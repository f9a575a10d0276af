/* The store's interface: what is committed comes back, all or nothing. */
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <sys/resource.h>
#include <sys/stat.h>

#include <cmocka.h>

#include "store/facts.h"
#include "support/storefile.h"

/* --- adding ------------------------------------------------------------- */

static void put_setting(struct store_batch *batch, struct str name,
                        struct str value)
{
    store_add_setting(batch, &(struct store_setting){name, value});
}

static bool commit(struct storefile *file, struct store *store)
{
    const struct store_batch *batch = &file->batch;

    return store_commit(store, &batch, 1, &file->error);
}

static struct store_url url_row(uint64_t number, const char *text)
{
    struct str url = str_of(text);

    return (struct store_url){
        .number = number,
        .url = url,
        .host = {text + 7, 3},
        .domain = {text + 8, 2},
    };
}

static void add_url(struct storefile *file, uint64_t number, const char *text)
{
    const struct store_url row = url_row(number, text);

    store_add_url(&file->batch, &row);
}

#define U32 UINT32_MAX
#define U63 INT64_MAX

/* Every kind, with names that need quoting, NULs, what is no UTF-8, and the
 * greatest numbers there are. */
static void add_hard_rows(struct store_batch *batch)
{
    const struct str hard = STR("it's \"\0\" \xff;--");
    struct store_url url = url_row(2, "http://www/");

    put_setting(batch, hard, hard);
    put_setting(batch, STR("empty"), STR(""));
    put_setting(batch, STR("none"), (struct str){0});
    facts_put_counter(batch, STR("number"), UINT64_MAX);
    store_add_seed(batch, &(struct store_seed){.url = hard, .named = true});
    store_add_seed(batch, &(struct store_seed){.url = STR("second")});
    store_add_domain(batch, &(struct store_domain){.name = hard, .found = U32});
    store_add_robots(batch,
                     &(struct store_robots){hard, hard, true, true, 255, U32,
                                            U63, U63, U63, U63, hard});
    store_add_robots(batch, &(struct store_robots){.host = STR("a"),
                                                   .url = STR(""),
                                                   .text = STR("")});
    store_add_robots(batch, &(struct store_robots){.host = STR("b")});
    store_add_host(batch,
                   &(struct store_host){hard, 255, 255, 255, 255, U63, 255});
    store_add_hand_order(
        batch, &(struct store_hand_order){U63, 255, U63, hard, U63, true});
    store_add_hand_order(batch, &(struct store_hand_order){.number = 1});
    store_add_change(batch, &(struct store_change){U63, U32, U32, U32, U32});
    store_add_fetch(batch,
                    &(struct store_fetch){U63, U32, U32, 255, hard, U63,
                                          UINT64_MAX, U63, U63, U63, U63, hard,
                                          true, hard, hard, U32, hard, hard, true});
    store_add_fetch(batch, &(struct store_fetch){.number = 1,
                                                 .mime = STR(""),
                                                 .digest = 1ULL << 63});
    store_add_refusal(batch, &(struct store_refusal){U63, 255, 255, U32, U63});
    url.depth = url.referrer = url.found = url.line = U32;
    url.referrer_machine = U32;
    url.kind = url.verdict = url.redirects = url.nesting = 255;
    url.via = U63;
    store_add_url(batch, &url);
    store_add_content(batch, &(struct store_content){U32, hard, U32, U32});
    store_add_content(batch, &(struct store_content){.ids = STR("")});
    store_add_mixed(batch, &(struct store_mixed){U32, 255, hard});
    store_add_link(batch, &(struct store_link){U32, 255, hard, hard, hard, hard,
                                               255, U63});
    store_add_link(batch,
                   &(struct store_link){.url = STR("u"), .rel = STR("")});
    store_add_archive(batch, &(struct store_archive){U63, hard, U63});
    store_add_capture(batch,
                      &(struct store_capture){U63, U32, U63, U63, U63, hard,
                                              255, U32, hard, hard, U63, U63});
    store_add_capture(batch,
                      &(struct store_capture){.number = 1, .url = STR("u")});
}

#define HARD    "'it's \"\0\" \xff;--'"
#define MAX_U32 " 4294967295"
#define MAX_U63 " 9223372036854775807"
#define HARD_ROWS                                                              \
    "begin 1 2\n"                                                              \
    "setting 'empty' ''\n"                                                     \
    "setting " HARD " " HARD "\n"                                              \
    "setting 'none' -\n"                                                       \
    "setting 'number' '18446744073709551615'\n"                                \
    "seed " HARD " 1\n"                                                        \
    "seed 'second' 0\n"                                                        \
    "domain " HARD MAX_U32 "\n"                                                \
    "robots " HARD " " HARD " 1 1 255" MAX_U32 MAX_U63 MAX_U63 MAX_U63 MAX_U63 \
    " " HARD "\n"                                                              \
    "robots 'a' '' 0 0 0 0 0 0 0 0 ''\n"                                       \
    "robots 'b' - 0 0 0 0 0 0 0 0 -\n"                                         \
    "host " HARD " 255 255 255 255" MAX_U63 " 255\n"                           \
    "hand_order" MAX_U63 " 255" MAX_U63 " " HARD MAX_U63 " 1\n"                \
    "hand_order 1 0 0 - 0 0\n"                                                 \
    "change" MAX_U63 MAX_U32 MAX_U32 MAX_U32 MAX_U32 "\n"                      \
    "fetch" MAX_U63 MAX_U32 MAX_U32 " 255 " HARD MAX_U63                       \
    " 18446744073709551615" MAX_U63 MAX_U63 MAX_U63 MAX_U63 " " HARD           \
    " 1 " HARD " " HARD MAX_U32 " " HARD " " HARD " 1\n"                       \
    "fetch 1 0 0 0 '' 0 9223372036854775808 0 0 0 0 - 0 - - 0 - - 0\n"         \
    "refusal" MAX_U63 " 255 255" MAX_U32 MAX_U63 "\n"                          \
    "url 2 'http://www/' 'www' 'ww'" MAX_U32 MAX_U32 MAX_U32                   \
    " 255 255 255" MAX_U32 MAX_U63 " 255" MAX_U32 "\n"                         \
    "content" MAX_U32 " " HARD MAX_U32 MAX_U32 "\n"                            \
    "content 0 '' 0 0\n"                                                       \
    "mixed" MAX_U32 " 255 " HARD "\n"                                          \
    "link" MAX_U32 " 255 " HARD " " HARD " " HARD " " HARD " 255" MAX_U63 "\n" \
    "link 0 0 'u' - '' - 0 0\n"                                                \
    "archive" MAX_U63 " " HARD MAX_U63 "\n"                                    \
    "capture" MAX_U63 MAX_U32 MAX_U63 MAX_U63 MAX_U63 " " HARD " 255" MAX_U32  \
    " " HARD " " HARD MAX_U63 MAX_U63 "\n"                                     \
    "capture 1 0 0 0 0 'u' 0 0 - - 0 0\n"

/* --- cases -------------------------------------------------------------- */

/* Records of earlier versions read as 0 or NULL in a column that came later
 * than its kind. */
static void later_columns_may_be_empty(void **state)
{
    (void)state;
    for (enum row_kind kind = 0; kind < ROW_KINDS; kind++)
        for (size_t i = 0; i < row_description[kind].columns; i++) {
            const struct row_column *column = &row_description[kind].column[i];
            assert_in_range(column->since, row_kind_since(kind), STORE_VERSION);
            if (column->since > row_kind_since(kind))
                assert_true(column->type > ROW_PART);
        }
}

static void every_kind_comes_back(void **state)
{
    struct storefile *file = *state;
    struct store *store;

    /* With the first batch, */
    add_hard_rows(&file->batch);
    storefile_create(file);
    storefile_is(file, STR(HARD_ROWS));
    assert_string_equal(tempdir_list(&file->temp), ".crawler ");

    /* or with a later one. */
    storefile_create(file);
    storefile_is(file, STR("begin 0 0\n"));
    store = storefile_open(file, STORE_WRITE);
    storefile_commit(file, store); /* of nothing */
    add_hard_rows(&file->batch);
    storefile_commit(file, store);
    storefile_holds(file, store, STR(HARD_ROWS));
    store_close(store);
    storefile_is(file, STR(HARD_ROWS));
    assert_string_equal(tempdir_list(&file->temp), ".crawler ");
}

static void rows_keep_their_order(void **state)
{
    struct storefile *file = *state;
    struct store *store;

    storefile_create(file);
    store = storefile_open(file, STORE_WRITE);
    for (uint32_t i = 0; i < 2; i++) {
        store_add_change(&file->batch,
                         &(struct store_change){9 - i, 1, 1, 1, 0});
        store_add_seed(&file->batch, &(struct store_seed){
                                         .url = i ? STR("a") : STR("b"),
                                     });
        put_setting(&file->batch, STR("same"), i ? STR("later") : STR("first"));
        add_url(file, 6 + i, "http://www/");
        storefile_commit(file, store);
    }
    store_close(store);
    /* As written, URLs by number; of a setting the last value. */
    storefile_is(file, STR("begin 2 7\n"
                           "setting 'same' 'later'\n"
                           "seed 'b' 0\n"
                           "seed 'a' 0\n"
                           "change 9 1 1 1 0\n"
                           "change 8 1 1 1 0\n"
                           "url 6 'http://www/' 'www' 'ww' 0 0 0 0 0 0 "
                           "0 0 0 0\n"
                           "url 7 'http://www/' 'www' 'ww' 0 0 0 0 0 0 "
                           "0 0 0 0\n"));
}

/* The last row of a batch cannot be written: nothing of it is there, and what
 * comes after is. */
static void all_or_nothing(void **state)
{
    struct storefile *file = *state;
    struct store *store;

    add_url(file, 1, "http://www/");
    put_setting(&file->batch, STR("a"), STR("old"));
    storefile_create(file);
    store = storefile_open(file, STORE_WRITE);
    put_setting(&file->batch, STR("a"), STR("new"));
    store_add_seed(&file->batch, &(struct store_seed){.url = STR("seed")});
    add_url(file, 2, "http://two/");
    add_url(file, 1, "http://www/");
    assert_false(commit(file, store));
    assert_int_equal(file->error.status, STORE_FAILED);
    assert_string_not_equal(file->error.text, "");
    store_batch_clear(&file->batch);

    static const char one[] =
        "url 1 'http://www/' 'www' 'ww' 0 0 0 0 0 0 0 0 0 0\n";
    char expected[256];
    snprintf(expected, sizeof(expected), "begin 1 1\nsetting 'a' 'old'\n%s",
             one);
    storefile_holds(file, store, str_of(expected));
    put_setting(&file->batch, STR("a"), STR("new"));
    storefile_commit(file, store);
    store_close(store);
    snprintf(expected, sizeof(expected), "begin 1 1\nsetting 'a' 'new'\n%s",
             one);
    storefile_is(file, str_of(expected));
}

/* With a limit on file sizes instead of a full disk. */
static void no_room(void **state)
{
    struct storefile *file = *state;
    struct rlimit old, small;
    struct store *store;
    struct stat st;

    storefile_create(file);
    store = storefile_open(file, STORE_WRITE);
    put_setting(&file->batch, STR("a"), STR("before"));
    storefile_commit(file, store);
    stat(file->path, &st);
    for (uint64_t i = 1; i < 20000; i++)
        add_url(file, i, "http://www/a/rather/long/path/so/that/it/takes");
    signal(SIGXFSZ, SIG_IGN);
    getrlimit(RLIMIT_FSIZE, &old);
    small = (struct rlimit){(rlim_t)st.st_size + 100000, old.rlim_max};
    setrlimit(RLIMIT_FSIZE, &small);
    bool good = commit(file, store);
    setrlimit(RLIMIT_FSIZE, &old);
    assert_false(good);
    assert_int_equal(file->error.status, STORE_FAILED);
    storefile_holds(file, store, STR("begin 0 0\nsetting 'a' 'before'\n"));
    storefile_commit(file, store); /* there is room again */
    store_close(store);
    store = storefile_open(file, STORE_READ);
    struct store_url url;
    assert_true(store_find_url(store, 19999, &url));
    store_close(store);
}

static bool stop(void *user, const struct store_url *row)
{
    uint64_t *last = user;

    *last = row->number;
    return row->number < 2;
}

static void a_reader_that_has_enough(void **state)
{
    struct storefile *file = *state;
    uint64_t last = 0;
    const struct store_reader reader = {.user = &last, .url = stop};

    for (uint64_t i = 1; i <= 3; i++)
        add_url(file, i, "http://www/");
    storefile_create(file);
    struct store *store = storefile_open(file, STORE_READ);
    for (int i = 0; i < 2; i++) {
        assert_false(store_load(store, 0, &reader, &file->error));
        assert_int_equal(file->error.status, STORE_DAMAGED);
        assert_int_equal(last, 2);
    }
    assert_true(
        store_load(store, 0, &(const struct store_reader){0}, &file->error));
    store_close(store);
}

/* --- one URL ------------------------------------------------------------ */

static void assert_found(struct store *store, uint64_t number, const char *text)
{
    struct store_url url;

    if (!store_find_url(store, number, &url))
        fail_msg("%llu was not found", (unsigned long long)number);
    assert_int_equal(url.number, number);
    assert_true(str_eq(url.url, str_of(text)));
    assert_true(str_eq(url.host, (struct str){text + 7, 3}));
}

static bool find_other(void *user, const struct store_url *row)
{
    /* The row at hand is not disturbed. */
    assert_found(user, 3 - row->number,
                 row->number == 1 ? "http://two/" : "http://one/");
    assert_true(str_eq(row->url, row->number == 1 ? STR("http://one/")
                                                  : STR("http://two/")));
    return true;
}

static void one_by_its_number(void **state)
{
    static const uint64_t none[] = {0, 3, INT64_MAX, UINT64_MAX};
    struct storefile *file = *state;
    struct store_url url;

    add_url(file, 1, "http://one/");
    add_url(file, 2, "http://two/");
    storefile_create(file);
    struct store *store = storefile_open(file, STORE_WRITE);
    const struct store_reader reader = {.user = store, .url = find_other};
    for (int i = 0; i < 2; i++) {
        assert_found(store, 2, "http://two/");
        assert_found(store, 1, "http://one/");
        assert_true(store_load(store, 0, &reader, &file->error));
        for (size_t j = 0; j < ARRAY_LEN(none); j++)
            assert_false(store_find_url(store, none[j], &url));
        assert_found(store, 1, "http://one/");
        /* What was found does not hold up who writes. */
        put_setting(&file->batch, STR("a"), STR("b"));
        storefile_commit(file, store);
    }
    storefile_sql(file, "UPDATE url SET depth = -1 WHERE number = 2", NULL);
    assert_false(store_find_url(store, 2, &url));
    store_close(store);
    assert_string_equal(tempdir_list(&file->temp), ".crawler ");
}

/* --- batches ------------------------------------------------------------ */

static void a_batch_is_counted_and_cleared(void **state)
{
    struct storefile *file = *state;

    assert_int_equal(store_batch_count(&file->batch), 0);
    for (int i = 0; i < 3; i++) {
        add_hard_rows(&file->batch);
        assert_int_equal(store_batch_count(&file->batch), 26);
        assert_true(store_batch_bytes(&file->batch) > 26);
        store_batch_clear(&file->batch);
        assert_int_equal(store_batch_count(&file->batch), 0);
        assert_int_equal(store_batch_bytes(&file->batch), 0);
    }
}

/* Texts are copied: the caller's may change. */
static void a_batch_keeps_copies(void **state)
{
    struct storefile *file = *state;
    char text[] = "http://www/";

    add_url(file, 1, text);
    memset(text, 'x', sizeof(text) - 1);
    storefile_create(file);
    storefile_is(file,
                 STR("begin 1 1\n"
                     "url 1 'http://www/' 'www' 'ww' 0 0 0 0 0 0 0 0 0 0\n"));
}

int main(void)
{
#define CASE(name)                                                             \
    cmocka_unit_test_setup_teardown(name, storefile_setup, storefile_teardown)
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(later_columns_may_be_empty),
        CASE(every_kind_comes_back),
        CASE(rows_keep_their_order),
        CASE(all_or_nothing),
        CASE(no_room),
        CASE(a_reader_that_has_enough),
        CASE(one_by_its_number),
        CASE(a_batch_is_counted_and_cleared),
        CASE(a_batch_keeps_copies),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
