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

#include "page/pagefiles.h"
#include "support/random.h"
#include "support/tempdir.h"

struct fixture {
    struct tempdir temp;
    struct pagedir dir;
    struct pagesaver files;
    struct pagesaver *saver; /* the files' */
    struct webpage page;
};

static int setup(void **state)
{
    struct fixture *fixture = malloc(sizeof(*fixture));

    tempdir_make(&fixture->temp);
    fixture->dir = (struct pagedir){.fd = fixture->temp.fd};
    pagefiles_init(&fixture->files, &fixture->dir);
    fixture->saver = &fixture->files;
    webpage_init(&fixture->page);
    *state = fixture;
    return 0;
}

static int teardown(void **state)
{
    struct fixture *fixture = *state;

    webpage_release(&fixture->page);
    tempdir_remove(&fixture->temp);
    free(fixture);
    return 0;
}

/* A page that was fetched, as far as a pagesaver looks at it. */
static struct webpage *fetched(struct webpage *page, struct str url,
                               uint32_t depth, struct str body)
{
    webpage_ask(page, url, depth, false);
    page->exchange.body = body;
    page->exchange.body_len = body.len;
    return page;
}

static struct webpage *small_page(struct fixture *fixture)
{
    return fetched(&fixture->page, STR("u"), 0, STR("x"));
}

static void a_page_is_saved_byte_for_byte(void **state)
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
    struct fixture *fixture = *state;
    struct random random = {8};

    for (size_t i = 4; i < sizeof(large); i++)
        large[i] = (char)random_u64(&random);
    memcpy(large, "u\n4\n", 4);
    for (uint32_t i = 0; i < ARRAY_LEN(cases); i++) {
        struct webpage *page = fetched(&fixture->page, str_of(cases[i].url),
                                       cases[i].depth, cases[i].body);
        char name[16];

        pagesaver_prepare(fixture->saver, page);
        assert_int_equal(pagesaver_commit(fixture->saver, page), i + 1);
        snprintf(name, sizeof(name), "%u", (unsigned)i + 1);
        tempdir_expect(&fixture->temp, name, cases[i].file);
    }
}

static void what_is_discarded_leaves_no_file_and_no_hole(void **state)
{
    struct fixture *fixture = *state;
    struct arena arena;

    for (uint32_t id = 1; id <= 3; id++) {
        struct webpage *page = small_page(fixture);
        pagesaver_prepare(fixture->saver, page);
        pagesaver_discard(fixture->saver, page);
        pagesaver_discard(fixture->saver, page); /* there is nothing left */

        page = fetched(&fixture->page, STR("http://a.example/x"), 5, STR("b"));
        pagesaver_prepare(fixture->saver, page);
        assert_int_equal(pagesaver_last(fixture->saver), id - 1);
        assert_int_equal(pagesaver_commit(fixture->saver, page), id);
        assert_int_equal(pagesaver_last(fixture->saver), id);
    }
    assert_string_equal(tempdir_list(&fixture->temp), "1 2 3 ");
    arena_init(&arena);
    assert_true(str_eq(pagesaver_url_of(fixture->saver, 3, &arena),
                       STR("http://a.example/x")));
    assert_int_equal(pagesaver_url_of(fixture->saver, 4, &arena).len, 0);
    arena_release(&arena);
    assert_true(pagesaver_sync(fixture->saver));
}

static void
a_crawl_that_was_killed_goes_on_after_its_last_known_page(void **state)
{
    struct fixture *fixture = *state;

    for (const char *name = "1\0002\0003\000.crawler-tmp-9\0"; *name;
         name += strlen(name) + 1)
        tempdir_write(&fixture->temp, name, STR("http://u/\n0\nx"));
    pagesaver_resume(fixture->saver, 2, true);
    /* Page 3 is not known; it goes with the next one, and not earlier. */
    assert_string_equal(tempdir_list(&fixture->temp), "1 2 3 ");
    assert_int_equal(pagesaver_holds_old(fixture->saver), 3);
    pagesaver_prepare(fixture->saver, small_page(fixture));
    assert_int_equal(pagesaver_commit(fixture->saver, &fixture->page), 3);
    assert_int_equal(pagesaver_holds_old(fixture->saver), 0);
}

/* What a thread of many_threads_have_names_of_their_own does. */
static void *save_many(void *saver)
{
    bool good = true;

    for (uint32_t i = 0; i < 50; i++) {
        struct webpage page;

        webpage_init(&page);
        pagesaver_prepare(saver, fetched(&page, STR("u"), i, STR("x")));
        good = good && page.prepared;
        webpage_release(&page);
    }
    return good ? saver : NULL;
}

static void many_threads_have_names_of_their_own(void **state)
{
    struct fixture *fixture = *state;
    pthread_t thread[4];
    void *good;

    for (size_t i = 0; i < ARRAY_LEN(thread); i++)
        assert_int_equal(
            pthread_create(&thread[i], NULL, save_many, fixture->saver), 0);
    for (size_t i = 0; i < ARRAY_LEN(thread); i++) {
        pthread_join(thread[i], &good);
        assert_non_null(good);
    }
    size_t names = 0;
    for (const char *at = tempdir_list(&fixture->temp); *at; at++)
        names += *at == ' ';
    assert_int_equal(names, 200);
}

/* Where others may write, they may have put anything under our next name. */
static void a_name_that_is_taken_is_passed_over(void **state)
{
    struct fixture *fixture = *state;
    const struct tempdir *temp = &fixture->temp;
    struct webpage *page = small_page(fixture);

    tempdir_write(temp, "victim", STR("precious"));
    tempdir_write(temp, ".crawler-tmp-0", STR("a file"));
    assert_int_equal(symlinkat("victim", temp->fd, ".crawler-tmp-1"), 0);
    assert_int_equal(symlinkat("nowhere", temp->fd, ".crawler-tmp-2"), 0);
    assert_int_equal(mkfifoat(temp->fd, ".crawler-tmp-3", 0600), 0);
    tempdir_mkdir(temp, ".crawler-tmp-4");
    alarm(60); /* a pipe that is opened waits for its reader */
    pagesaver_prepare(fixture->saver, page);
    alarm(0);

    assert_int_equal(page->outcome, FETCHED);
    assert_string_equal(tempdir_list(temp),
                        ".crawler-tmp-0 .crawler-tmp-1 .crawler-tmp-2 "
                        ".crawler-tmp-3 .crawler-tmp-4 .crawler-tmp-5 victim ");
    tempdir_expect(&fixture->temp, "victim", STR("precious"));
    tempdir_expect(&fixture->temp, ".crawler-tmp-0", STR("a file"));
    assert_int_equal(pagesaver_commit(fixture->saver, page), 1);
    tempdir_expect(&fixture->temp, "1", STR("u\n0\nx"));
}

static void where_every_name_is_taken_it_says_so(void **state)
{
    struct fixture *fixture = *state;
    struct webpage *page = small_page(fixture);

    for (int i = 0; i < 1000; i++) {
        char name[32];
        snprintf(name, sizeof(name), ".crawler-tmp-%d", i);
        assert_int_equal(symlinkat("nowhere", fixture->temp.fd, name), 0);
    }
    pagesaver_prepare(fixture->saver, page);
    assert_int_equal(page->outcome, NOT_SAVED);
    assert_int_equal(page->save_errno, EEXIST);
    assert_null(page->prepared);
}

/* With a limit on file sizes instead of a full disk: the kernel takes a part,
 * then refuses. */
static void where_there_is_no_room_nothing_is_left(void **state)
{
    enum { LIMIT = 10000 };
    static char body[3 * LIMIT];
    struct fixture *fixture = *state;
    struct rlimit old, small;

    memset(body, 'x', sizeof(body));
    signal(SIGXFSZ, SIG_IGN);
    assert_int_equal(getrlimit(RLIMIT_FSIZE, &old), 0);
    for (size_t len = LIMIT - 10; len <= sizeof(body); len += LIMIT) {
        struct webpage *page =
            fetched(&fixture->page, STR("u"), 0, (struct str){body, len});
        bool fits = 4 + len <= LIMIT;

        small = (struct rlimit){LIMIT, old.rlim_max};
        assert_int_equal(setrlimit(RLIMIT_FSIZE, &small), 0);
        pagesaver_prepare(fixture->saver, page);
        assert_int_equal(setrlimit(RLIMIT_FSIZE, &old), 0);

        assert_int_equal(page->outcome, fits ? FETCHED : NOT_SAVED);
        assert_int_equal(page->save_errno, fits ? 0 : EFBIG);
        assert_int_equal(!page->prepared, !fits);
        /* Only what is whole is left. */
        assert_string_equal(tempdir_list(&fixture->temp), ".crawler-tmp-0 ");
    }
}

static void without_a_directory_nothing_is_saved(void **state)
{
    struct fixture *fixture = *state;
    struct webpage *page = small_page(fixture);

    fixture->dir.fd = -1;
    pagesaver_prepare(fixture->saver, page);
    assert_int_equal(page->outcome, NOT_SAVED);
    assert_int_equal(page->save_errno, EBADF);
}

/* Syncs show by failing where there is no directory. */
static void only_changes_are_synced(void **state)
{
    struct fixture *fixture = *state;
    struct webpage *page = small_page(fixture);
    int fd = fixture->dir.fd;

    fixture->dir.fd = -1;
    assert_true(pagesaver_sync(fixture->saver));
    fixture->dir.fd = fd;
    pagesaver_prepare(fixture->saver, page);
    assert_int_equal(pagesaver_commit(fixture->saver, page), 1);
    for (int i = 0; i < 2; i++) {
        fixture->dir.fd = -1;
        assert_false(pagesaver_sync(fixture->saver));
        assert_int_equal(errno, EBADF);
        fixture->dir.fd = fd;
    }
    assert_true(pagesaver_sync(fixture->saver));
    fixture->dir.fd = -1;
    assert_true(pagesaver_sync(fixture->saver));
    fixture->dir.fd = fd;
}

/* Something else, which is no page, has its name. */
static void a_page_without_a_number_can_be_discarded(void **state)
{
    struct fixture *fixture = *state;
    struct webpage *page = small_page(fixture);

    tempdir_mkdir(&fixture->temp, "1");
    pagesaver_prepare(fixture->saver, page);
    assert_int_equal(pagesaver_commit(fixture->saver, page), 0);
    assert_int_equal(errno, EEXIST);
    assert_int_equal(pagesaver_last(fixture->saver), 0);
    pagesaver_discard(fixture->saver, page);
    assert_string_equal(tempdir_list(&fixture->temp), "1 ");
}

int main(void)
{
#define CASE(name) cmocka_unit_test_setup_teardown(name, setup, teardown)
    const struct CMUnitTest tests[] = {
        CASE(a_page_is_saved_byte_for_byte),
        CASE(what_is_discarded_leaves_no_file_and_no_hole),
        CASE(a_crawl_that_was_killed_goes_on_after_its_last_known_page),
        CASE(many_threads_have_names_of_their_own),
        CASE(a_name_that_is_taken_is_passed_over),
        CASE(where_every_name_is_taken_it_says_so),
        CASE(where_there_is_no_room_nothing_is_left),
        CASE(without_a_directory_nothing_is_saved),
        CASE(only_changes_are_synced),
        CASE(a_page_without_a_number_can_be_discarded),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
