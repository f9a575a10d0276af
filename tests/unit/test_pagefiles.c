#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>

#include "page/pagesaver.h"
#include "support/random.h"
#include "support/tempdir.h"

static int setup(void **state)
{
    *state = malloc(sizeof(struct tempdir));
    tempdir_make(*state);
    return 0;
}

static int teardown(void **state)
{
    tempdir_remove(*state);
    free(*state);
    return 0;
}

static struct webpage fetched(struct str url, uint32_t depth, struct str body)
{
    return (struct webpage){
        .url = url,
        .depth = depth,
        .outcome = FETCHED,
        .exchange = {.body = body, .body_len = body.len},
    };
}

static void byte_for_byte(void **state)
{
    static char large[300000];
    const struct {
        const char *url;
        uint32_t depth;
        struct str body, file;
    } cases[] = {
        {"http://a.example/", 0, STR("<html>"),
         STR("http://a.example/\n0\n<html>")},
        {"http://a.example/", 10, STR("no newline added"),
         STR("http://a.example/\n10\nno newline added")},
        {"http://a.example/", 1, STR("none stripped\n\n"),
         STR("http://a.example/\n1\nnone stripped\n\n")},
        {"http://a.example/", UINT32_MAX, STR("\0\r\n\xff\xfe\x80"),
         STR("http://a.example/\n4294967295\n\0\r\n\xff\xfe\x80")},
        {"http://a.example/", 2, STR(""), STR("http://a.example/\n2\n")},
        {"u", 3, (struct str){0}, STR("u\n3\n")},
        {"u", 4, (struct str){large + 4, sizeof(large) - 4},
         (struct str){large, sizeof(large)}},
    };
    const struct tempdir *temp = *state;
    struct pagedir dir = {.fd = temp->fd};
    struct pagesaver saver = {.dir = &dir};
    struct random random = {8};

    for (size_t i = 4; i < sizeof(large); i++)
        large[i] = (char)random_u64(&random);
    memcpy(large, "u\n4\n", 4);
    for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
        struct webpage page =
            fetched(str_of(cases[i].url), cases[i].depth, cases[i].body);
        struct buf got;

        pagesaver_save(&saver, &page);
        assert_int_equal(page.outcome, FETCHED);
        assert_true(str_starts(str_of(page.file), STR(PAGEDIR_TMP_PREFIX)));
        buf_init(&got, 1 << 20);
        assert_true(tempdir_read(temp, page.file, &got));
        if (!str_eq(buf_str(&got), cases[i].file))
            fail_msg("case %zu: expected %zu bytes, got %zu: %.60s", i,
                     cases[i].file.len, got.len, buf_cstr(&got));
        buf_release(&got);
    }
}

/* What a thread of many_threads_have_names_of_their_own does. */
static void *save_many(void *arg)
{
    struct pagesaver saver = {.dir = arg};

    for (uint32_t i = 0; i < 50; i++) {
        struct webpage page = fetched(STR("u"), i, STR("x"));
        pagesaver_save(&saver, &page);
        if (page.outcome != FETCHED)
            return NULL;
    }
    return arg;
}

static void many_threads_have_names_of_their_own(void **state)
{
    const struct tempdir *temp = *state;
    struct pagedir dir = {.fd = temp->fd};
    pthread_t thread[4];
    void *good;

    for (size_t i = 0; i < ARRAY_LEN(thread); i++)
        assert_int_equal(pthread_create(&thread[i], NULL, save_many, &dir), 0);
    for (size_t i = 0; i < ARRAY_LEN(thread); i++) {
        pthread_join(thread[i], &good);
        assert_non_null(good);
    }
    size_t names = 0;
    for (const char *at = tempdir_list(temp); *at; at++)
        names += *at == ' ';
    assert_int_equal(names, 200);
}

/* Where others may write, they may have put anything under our next name. */
static void a_name_that_is_taken_is_passed_over(void **state)
{
    const struct tempdir *temp = *state;
    struct pagedir dir = {.fd = temp->fd};
    struct pagesaver saver = {.dir = &dir};
    struct webpage page = fetched(STR("u"), 0, STR("x"));
    struct buf kept;

    tempdir_write(temp, "victim", STR("precious"));
    tempdir_write(temp, ".crawler-tmp-0", STR("a file"));
    assert_int_equal(symlinkat("victim", temp->fd, ".crawler-tmp-1"), 0);
    assert_int_equal(symlinkat("nowhere", temp->fd, ".crawler-tmp-2"), 0);
    assert_int_equal(mkfifoat(temp->fd, ".crawler-tmp-3", 0600), 0);
    tempdir_mkdir(temp, ".crawler-tmp-4");
    alarm(60); /* a pipe that is opened waits for its reader */
    pagesaver_save(&saver, &page);
    alarm(0);

    assert_int_equal(page.outcome, FETCHED);
    assert_string_equal(page.file, ".crawler-tmp-5");
    assert_string_equal(tempdir_list(temp),
                        ".crawler-tmp-0 .crawler-tmp-1 .crawler-tmp-2 "
                        ".crawler-tmp-3 .crawler-tmp-4 .crawler-tmp-5 victim ");
    buf_init(&kept, 1 << 20);
    assert_true(tempdir_read(temp, "victim", &kept));
    assert_true(tempdir_read(temp, ".crawler-tmp-0", &kept));
    assert_string_equal(buf_cstr(&kept), "preciousa file");
    buf_release(&kept);
}

static void where_every_name_is_taken_it_says_so(void **state)
{
    const struct tempdir *temp = *state;
    struct pagedir dir = {.fd = temp->fd};
    struct pagesaver saver = {.dir = &dir};
    struct webpage page = fetched(STR("u"), 0, STR("x"));

    for (int i = 0; i < 1000; i++) {
        char name[32];
        snprintf(name, sizeof(name), ".crawler-tmp-%d", i);
        assert_int_equal(symlinkat("nowhere", temp->fd, name), 0);
    }
    pagesaver_save(&saver, &page);
    assert_int_equal(page.outcome, NOT_SAVED);
    assert_int_equal(page.save_errno, EEXIST);
    assert_string_equal(page.file, "");
}

/* With a limit on file sizes instead of a full disk: the kernel takes a part,
 * then refuses. */
static void no_room(void **state)
{
    enum { LIMIT = 10000 };
    static char body[3 * LIMIT];
    const struct tempdir *temp = *state;
    struct pagedir dir = {.fd = temp->fd};
    struct pagesaver saver = {.dir = &dir};
    struct rlimit old, small;

    memset(body, 'x', sizeof(body));
    signal(SIGXFSZ, SIG_IGN);
    assert_int_equal(getrlimit(RLIMIT_FSIZE, &old), 0);
    for (size_t len = LIMIT - 10; len <= sizeof(body); len += LIMIT) {
        struct webpage page = fetched(STR("u"), 0, (struct str){body, len});
        bool fits = 4 + len <= LIMIT;

        small = (struct rlimit){LIMIT, old.rlim_max};
        assert_int_equal(setrlimit(RLIMIT_FSIZE, &small), 0);
        pagesaver_save(&saver, &page);
        assert_int_equal(setrlimit(RLIMIT_FSIZE, &old), 0);

        assert_int_equal(page.outcome, fits ? FETCHED : NOT_SAVED);
        assert_int_equal(page.save_errno, fits ? 0 : EFBIG);
        if (!fits)
            assert_string_equal(page.file, "");
        /* Only what is whole is left. */
        assert_string_equal(tempdir_list(temp), ".crawler-tmp-0 ");
    }
}

static void no_directory(void **state)
{
    struct pagedir dir = {.fd = -1};
    struct pagesaver saver = {.dir = &dir};
    struct webpage page = fetched(STR("u"), 0, STR("x"));

    (void)state;
    pagesaver_save(&saver, &page);
    assert_int_equal(page.outcome, NOT_SAVED);
    assert_int_equal(page.save_errno, EBADF);
    assert_string_equal(page.file, "");
}

/* Saved, published, read back: the whole way of a page file. */
static void through_the_directory(void **state)
{
    const struct tempdir *temp = *state;
    struct webpage page = fetched(STR("http://a.example/x"), 5, STR("body"));
    struct pagedir dir;
    struct arena arena;

    assert_true(pagedir_open(&dir, temp->path));
    assert_true(pagedir_mark(&dir));
    struct pagesaver saver = {.dir = &dir};
    for (uint32_t id = 1; id <= 3; id++) {
        struct webpage lost = fetched(STR("http://lost.example/"), 1, STR("x"));
        pagesaver_save(&saver, &lost);
        pagedir_discard(&dir, lost.file);
        pagesaver_save(&saver, &page);
        assert_true(pagedir_publish(&dir, page.file));
        assert_int_equal(dir.last_id, id);
    }
    assert_string_equal(tempdir_list(temp), ".crawler 1 2 3 ");
    arena_init(&arena);
    assert_true(str_eq(pagedir_url(&dir, 3, &arena), page.url));
    arena_release(&arena);
    pagedir_close(&dir);
}

int main(void)
{
#define CASE(name) cmocka_unit_test_setup_teardown(name, setup, teardown)
    const struct CMUnitTest tests[] = {
        CASE(byte_for_byte),
        CASE(many_threads_have_names_of_their_own),
        CASE(a_name_that_is_taken_is_passed_over),
        CASE(where_every_name_is_taken_it_says_so),
        CASE(no_room),
        CASE(no_directory),
        CASE(through_the_directory),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
