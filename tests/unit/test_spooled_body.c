/* Large bodies: which go to a file, and what becomes of them there. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

#include <errno.h>
#include <signal.h>
#include <sys/resource.h>

#include "base/mem.h"
#include "base/spool.h"
#include "page/pagerecorder.h"
#include "support/loopback.h"
#include "support/tempdir.h"

enum { BODY = BODY_LARGE + 1234567, MAX = 2 * BODY_LARGE };

#define OK   "HTTP/1.1 200 OK\r\n"
#define PDF  OK "Content-Type: application/pdf\r\n"
#define HTML OK "Content-Type: text/html\r\n"

struct stage {
    struct tempdir temp;
    struct spools spools;
    struct loopback loopback;
    char *body;
};

static int setup(void **state)
{
    struct stage *stage = NEW(struct stage);

    tempdir_make(&stage->temp);
    stage->spools = (struct spools){.dir_fd = stage->temp.fd, .max = 1};
    stage->body = mem_array(MAX + BODY, 1);
    for (size_t i = 0; i < MAX + BODY; i++)
        stage->body[i] = (char)(i * i % 251);
    *state = stage;
    return 0;
}

static int teardown(void **state)
{
    struct stage *stage = *state;

    assert_int_equal(stage->spools.count, 0);
    assert_int_equal(stage->spools.waiting, 0);
    assert_string_equal(tempdir_list(&stage->temp), "");
    tempdir_remove(&stage->temp);
    free(stage->body);
    free(stage);
    return 0;
}

static void begin(struct stage *stage)
{
    struct loopback *loopback = &stage->loopback;

    loopback_listen(loopback);
    loopback->options.wishes = PAGERECORDER_WISHES;
    loopback->options.spools = &stage->spools;
    loopback->options.max_size = MAX;
    loopback->budget.bytes = (size_t)4 * MAX;
    loopback_start(loopback);
}

static void ask(struct stage *stage, enum webpage_kind kind)
{
    loopback_ask(&stage->loopback, kind, "a");
}

/* Serve the head with as many bytes of the body. */
static struct webpage *serve(struct stage *stage, const char *head, size_t len)
{
    struct loopback *loopback = &stage->loopback;
    char text[500];

    snprintf(text, sizeof(text), "%sContent-Length: %zu\r\n\r\n", head, len);
    loopback_serve(loopback, str_of(text));
    loopback_serve(loopback, (struct str){stage->body, len});
    return loopback_finish(loopback);
}

static struct webpage *fetch(struct stage *stage, const char *head, size_t len)
{
    ask(stage, WEBPAGE_HTML);
    return serve(stage, head, len);
}

static void end(struct stage *stage)
{
    loopback_give_back(&stage->loopback);
    loopback_release(&stage->loopback);
}

static void expect_bytes(const struct stage *stage, const struct spool *spool,
                         size_t len)
{
    char *got = mem_array(len, 1);

    assert_non_null(spool);
    assert_int_equal(spool->len, len);
    assert_true(spool_read(spool, 0, got, len));
    assert_memory_equal(got, stage->body, len);
    free(got);
}

static const struct {
    const char *head, *start; /* of the body */
    enum webpage_kind kind;
    bool want_requisites, is_document, is_spooled;
    enum outcome outcome;
} rows[] = {
    {PDF, "%PDF", WEBPAGE_HTML, false, false, true, NOT_HTML},
    {HTML, "<p>", WEBPAGE_HTML, false, false, false, FETCHED},
    {OK, "<p> ", WEBPAGE_HTML, false, false, false, FETCHED},
    {OK, "GIF8", WEBPAGE_HTML, false, false, true, NOT_HTML},
    /* Nobody knows what it is before it is decoded. */
    {OK "Content-Encoding: gzip\r\n", "GIF8", WEBPAGE_HTML, false, false, false,
     BAD_ENCODING},
    {PDF "Content-Encoding: gzip\r\n", "%PDF", WEBPAGE_HTML, false, false, true,
     NOT_HTML},
    {HTML "Content-Encoding: foo\r\n", "<p>", WEBPAGE_HTML, false, false, true,
     BAD_ENCODING},
    {PDF, "%PDF", WEBPAGE_REQUISITE, true, false, true, FETCHED},
    {PDF "Content-Encoding: br\r\n", "%PDF", WEBPAGE_REQUISITE, true, false,
     true, FETCHED},
    {HTML, "<p>", WEBPAGE_REQUISITE, true, false, true, FETCHED},
    {HTML, "<p>", WEBPAGE_REQUISITE, true, true, false, FETCHED},
    {OK "Content-Type: text/css\r\n", "a{}", WEBPAGE_REQUISITE, true, false,
     false, FETCHED},
    {OK "Content-Type: text/css\r\n", "a{}", WEBPAGE_REQUISITE, false, false,
     true, FETCHED},
    {PDF, "%PDF", WEBPAGE_SITEMAP, false, false, false, FETCHED},
};

static void what_nobody_reads_goes_to_a_file(void **state)
{
    struct stage *stage = *state;

    for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
        struct loopback *loopback = &stage->loopback;
        struct webpage *page = &loopback->page;

        memcpy(stage->body, rows[i].start, strlen(rows[i].start));
        begin(stage);
        ask(stage, rows[i].kind);
        page->want_requisites = rows[i].want_requisites;
        page->is_document = rows[i].is_document;
        page = serve(stage, rows[i].head, BODY);
        if ((page->exchange.spooled != NULL) != rows[i].is_spooled ||
            page->outcome != rows[i].outcome)
            fail_msg("row %zu: %d, outcome %d", i,
                     page->exchange.spooled != NULL, page->outcome);
        if (rows[i].is_spooled) {
            expect_bytes(stage, page->exchange.spooled, BODY);
            assert_int_equal(page->exchange.body.len, 0);
            assert_int_equal(page->exchange.body_as_sent.len, 0);
            assert_int_equal(page->exchange.body_len, BODY);
            assert_int_equal(loopback->budget.used, 0);
        }
        assert_int_equal(page->exchange.end, RESPONSE_WHOLE);
        assert_true(page->exchange.received > BODY);
        end(stage);
        assert_int_equal(stage->spools.count, 0);
    }
}

static void small_bodies_stay_in_memory(void **state)
{
    struct stage *stage = *state;

    begin(stage);
    struct webpage *page = fetch(stage, PDF, BODY_LARGE);
    assert_null(page->exchange.spooled);
    assert_int_equal(page->exchange.body_as_sent.len, BODY_LARGE);
    end(stage);
}

/* Where others have the memory, it need not wait. */
static void a_file_is_better_than_to_wait(void **state)
{
    struct stage *stage = *state;
    const struct buf other = {0};

    begin(stage);
    stage->loopback.budget.bytes = 0;
    stage->loopback.budget.leader = &other;
    struct webpage *page = fetch(stage, PDF, BODY_LARGE / 2);
    expect_bytes(stage, page->exchange.spooled, BODY_LARGE / 2);
    stage->loopback.budget.leader = NULL;
    end(stage);
}

static void it_is_cut_at_the_limit(void **state)
{
    struct stage *stage = *state;

    begin(stage);
    /* Not announced. */
    loopback_ask(&stage->loopback, WEBPAGE_REQUISITE, "a");
    loopback_serve(&stage->loopback, STR(PDF "\r\n"));
    loopback_serve(&stage->loopback, (struct str){stage->body, MAX + BODY});
    struct webpage *page = loopback_finish(&stage->loopback);
    assert_int_equal(page->outcome, TOO_LARGE);
    assert_int_equal(page->exchange.end, RESPONSE_CUT_BY_SIZE);
    expect_bytes(stage, page->exchange.spooled, MAX);
    end(stage);
}

/* Until another one is over. */
static void it_waits_for_a_file(void **state)
{
    struct stage *stage = *state;
    struct loopback *loopback = &stage->loopback;

    begin(stage);
    struct spool *other = spool_new(&stage->spools);
    char head[200];
    snprintf(head, sizeof(head), PDF "Content-Length: %d\r\n\r\n", BODY);
    loopback_ask(loopback, WEBPAGE_HTML, "a");
    loopback_serve(loopback, str_of(head));
    loopback_serve(loopback, (struct str){stage->body, BODY_LARGE});
    loopback_serve(loopback, (struct str){stage->body + BODY_LARGE, 100});
    for (int i = 0; i < 100 && !stage->spools.waiting; i++)
        loopback_get_on(loopback);
    assert_int_equal(stage->spools.waiting, 1);
    spool_free(other);
    loopback_serve(loopback, (struct str){stage->body + BODY_LARGE + 100,
                                          BODY - BODY_LARGE - 100});
    struct webpage *page = loopback_finish(loopback);
    assert_int_equal(page->outcome, NOT_HTML);
    expect_bytes(stage, page->exchange.spooled, BODY);
    end(stage);
}

static void a_full_disk_is_no_outcome_of_the_page(void **state)
{
    static const rlim_t limits[] = {BODY_LARGE / 2, BODY_LARGE + 100000};
    struct stage *stage = *state;
    struct rlimit old;

    assert_int_equal(getrlimit(RLIMIT_FSIZE, &old), 0);
    signal(SIGXFSZ, SIG_IGN);
    for (size_t i = 0; i < ARRAY_LEN(limits); i++) {
        const struct rlimit limit = {limits[i], RLIM_INFINITY};
        begin(stage);
        assert_int_equal(setrlimit(RLIMIT_FSIZE, &limit), 0);
        struct webpage *page = fetch(stage, PDF, BODY);
        setrlimit(RLIMIT_FSIZE, &old);
        assert_int_equal(page->outcome, NOT_SAVED);
        assert_int_equal(page->save_errno, EFBIG);
        end(stage);
    }
}

/* The record is in another file, and says what one in memory would. */
static void its_record_is_made(void **state)
{
    static const struct warc_style plain = {DIGEST_SHA1, -1, {1, 2}};
    struct stage *stage = *state;
    struct pagerecorder recorder;
    struct rlimit old;
    const struct rlimit limit = {BODY / 2, RLIM_INFINITY};

    pagerecorder_init(&recorder, &plain, 0, NULL);
    begin(stage);
    struct webpage *page = fetch(stage, PDF, BODY);
    pagerecorder_record(&recorder, page);
    assert_non_null(page->pair);
    assert_int_equal(page->pair->response.len, 0);
    assert_int_equal(page->pair->payload_len, BODY);
    assert_true(page->pair->spooled->len > BODY);
    char *end_of_record = mem_array(BODY + 4, 1);
    assert_true(spool_read(page->pair->spooled,
                           page->pair->spooled->len - BODY - 4, end_of_record,
                           BODY + 4));
    assert_memory_equal(end_of_record, stage->body, BODY);
    assert_memory_equal(end_of_record + BODY, "\r\n\r\n", 4);
    free(end_of_record);
    webpage_drop_pair(page);
    /* There is no room for it. */
    assert_int_equal(getrlimit(RLIMIT_FSIZE, &old), 0);
    signal(SIGXFSZ, SIG_IGN);
    assert_int_equal(setrlimit(RLIMIT_FSIZE, &limit), 0);
    pagerecorder_record(&recorder, page);
    setrlimit(RLIMIT_FSIZE, &old);
    assert_null(page->pair);
    assert_int_equal(page->outcome, NOT_SAVED);
    assert_int_equal(page->save_errno, EFBIG);
    end(stage);
}

int main(void)
{
#define CASE(name) cmocka_unit_test_setup_teardown(name, setup, teardown)
    const struct CMUnitTest tests[] = {
        CASE(what_nobody_reads_goes_to_a_file),
        CASE(small_bodies_stay_in_memory),
        CASE(a_file_is_better_than_to_wait),
        CASE(it_is_cut_at_the_limit),
        CASE(it_waits_for_a_file),
        CASE(a_full_disk_is_no_outcome_of_the_page),
        CASE(its_record_is_made),
    };

    if (!pagefetcher_setup())
        return 1;
    int failed = cmocka_run_group_tests(tests, NULL, NULL);
    pagefetcher_teardown();
    return failed;
}
