#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

#include <errno.h>
#include <pthread.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include <cmocka.h>

#include "page/pagedir.h"
#include "support/tempdir.h"
#include "web/url.h"

static void opening(void **state)
{
    const struct tempdir *temp = *state;
    char path[128];
    struct pagedir dir;

    assert_false(pagedir_open(&dir, ""));
    assert_int_equal(errno, ENOENT);
    snprintf(path, sizeof(path), "%s/none", temp->path);
    assert_false(pagedir_open(&dir, path));
    assert_int_equal(errno, ENOENT);
    tempdir_write(temp, "none", STR("a file"));
    assert_false(pagedir_open(&dir, path));
    assert_int_equal(errno, ENOTDIR);

    snprintf(path, sizeof(path), "%s/", temp->path);
    assert_true(pagedir_open(&dir, path));
    pagedir_close(&dir);
    assert_int_equal(dir.fd, -1);
    /* Nothing was changed so far. */
    assert_string_equal(tempdir_list(temp), "none ");
}

/* Root may write anywhere, so another user has to try. */
static void not_writable(void **state)
{
    const struct tempdir *temp = *state;
    struct pagedir dir;

    assert_int_equal(chmod(temp->path, 0555), 0);
    if (!geteuid())
        assert_int_equal(seteuid(65534), 0);
    bool good = pagedir_open(&dir, temp->path);
    int why = errno;
    if (!getuid())
        assert_int_equal(seteuid(0), 0);
    assert_int_equal(chmod(temp->path, 0755), 0);
    assert_false(good);
    assert_int_equal(why, EACCES);
    assert_int_equal(dir.fd, -1);
}

static void numbers_without_holes(void **state)
{
    const struct tempdir *temp = *state;
    struct pagedir dir;

    assert_true(pagedir_open(&dir, temp->path));
    tempdir_write(temp, ".crawler-tmp-0-0", STR("zero"));
    tempdir_write(temp, ".crawler-tmp-0-1", STR("one"));
    tempdir_write(temp, ".crawler-tmp-1-0", STR("two"));
    assert_true(pagedir_publish(&dir, ".crawler-tmp-1-0"));
    assert_int_equal(dir.last_id, 1);
    pagedir_discard(&dir, ".crawler-tmp-0-0");
    assert_false(pagedir_publish(&dir, ".crawler-tmp-0-0"));
    assert_int_equal(errno, ENOENT);
    assert_int_equal(dir.last_id, 1);
    pagedir_discard(&dir, ""); /* never saved: nothing to remove */
    assert_true(pagedir_publish(&dir, ".crawler-tmp-0-1"));
    assert_int_equal(dir.last_id, 2);
    assert_string_equal(tempdir_list(temp), "1 2 ");
    tempdir_expect(temp, "1", STR("two"));
    tempdir_expect(temp, "2", STR("one"));
    pagedir_close(&dir);
}

/* What was there before: it goes with the first new page, not earlier; what
 * is not a page, never. */
static void a_former_crawl(void **state)
{
    const struct tempdir *temp = *state;
    static const char *const pages[] = {"1", "2", "3", "5", "10"};
    static const char *const others[] = {"02", "0", "2x", "x", "-2", "2.html"};
    struct pagedir dir;

    for (size_t i = 0; i < ARRAY_LEN(pages); i++)
        tempdir_write(temp, pages[i], STR("old"));
    for (size_t i = 0; i < ARRAY_LEN(others); i++)
        tempdir_write(temp, others[i], STR("mine"));
    tempdir_write(temp, ".crawler", STR("as the course's program left it"));
    tempdir_write(temp, ".crawler-tmp-7-1", STR("half a page"));

    tempdir_write(temp, "4000000000", STR("mine"));
    assert_true(pagedir_open(&dir, temp->path));
    pagedir_begin_over(&dir, 10, false);
    assert_string_equal(tempdir_list(temp), "-2 .crawler 0 02 1 10 2 2.html 2x "
                                            "3 4000000000 5 x ");
    tempdir_expect(temp, "1", STR("old"));

    tempdir_write(temp, ".crawler-tmp-0-0", STR("new"));
    assert_true(pagedir_publish(&dir, ".crawler-tmp-0-0"));
    assert_string_equal(tempdir_list(temp),
                        "-2 .crawler 0 02 1 2.html 2x 4000000000 x ");
    tempdir_expect(temp, "1", STR("new"));

    tempdir_write(temp, ".crawler-tmp-0-1", STR("second"));
    assert_true(pagedir_publish(&dir, ".crawler-tmp-0-1"));
    tempdir_expect(temp, "1", STR("new"));
    tempdir_expect(temp, "2", STR("second"));
    pagedir_close(&dir);
}

/* A file that is nobody's page is not replaced by one. */
static void files_of_nobody(void **state)
{
    const struct tempdir *temp = *state;
    struct pagedir dir;

    tempdir_write(temp, "2", STR("mine"));
    assert_true(pagedir_open(&dir, temp->path));
    assert_false(dir.holds_old);
    tempdir_write(temp, ".crawler-tmp-0-0", STR("new"));
    assert_true(pagedir_publish(&dir, ".crawler-tmp-0-0"));
    tempdir_write(temp, ".crawler-tmp-0-1", STR("next"));
    assert_false(pagedir_publish(&dir, ".crawler-tmp-0-1"));
    assert_int_equal(errno, EEXIST);
    assert_int_equal(dir.last_id, 1);
    tempdir_expect(temp, "1", STR("new"));
    tempdir_expect(temp, "2", STR("mine"));
    pagedir_close(&dir);
}

static void a_page_is_a_directory(void **state)
{
    const struct tempdir *temp = *state;
    struct pagedir dir;

    tempdir_write(temp, ".crawler", STR(""));
    tempdir_write(temp, "2", STR("old"));
    tempdir_mkdir(temp, "1");
    assert_true(pagedir_open(&dir, temp->path));
    pagedir_begin_over(&dir, 2, false);
    tempdir_write(temp, ".crawler-tmp-0-0", STR("new"));
    assert_false(pagedir_publish(&dir, ".crawler-tmp-0-0"));
    assert_int_equal(errno, EISDIR);
    assert_int_equal(dir.last_id, 0);
    /* Nothing was published, so nothing old has gone. */
    assert_string_equal(tempdir_list(temp), ".crawler .crawler-tmp-0-0 1 2 ");
    pagedir_discard(&dir, ".crawler-tmp-0-0");
    assert_string_equal(tempdir_list(temp), ".crawler 1 2 ");
    pagedir_close(&dir);
}

/* The figures of a crawl, written beside its pages. */
static void a_text_beside_the_pages_follows_no_link(void **state)
{
    const struct tempdir *temp = *state;
    struct pagedir dir;

    assert_true(pagedir_open(&dir, temp->path));
    tempdir_write(temp, "victim", STR("precious"));
    for (int i = 0; i < 3; i++) {
        char name[32];
        snprintf(name, sizeof(name), ".crawler-tmp-%d", i);
        assert_int_equal(symlinkat("victim", temp->fd, name), 0);
    }
    assert_int_equal(symlinkat("victim", temp->fd, "text"), 0);
    assert_true(pagedir_write(&dir, "text", STR("figures")));
    tempdir_expect(temp, "victim", STR("precious"));
    tempdir_expect(temp, "text", STR("figures"));
    assert_true(pagedir_write(&dir, "text", STR("")));
    tempdir_expect(temp, "text", STR(""));
    pagedir_close(&dir);
}

static void a_text_that_cannot_be_written_leaves_nothing(void **state)
{
    const struct tempdir *temp = *state;
    struct pagedir dir;

    tempdir_mkdir(temp, "text");
    assert_true(pagedir_open(&dir, temp->path));
    assert_false(pagedir_write(&dir, "text", STR("figures")));
    assert_int_equal(errno, EISDIR);
    assert_string_equal(tempdir_list(temp), "text ");
    pagedir_close(&dir);
}

static void urls_of_pages(void **state)
{
    static char longest[URL_LEN_MAX + 3], too_long[URL_LEN_MAX + 100];
    static const struct {
        const char *name;
        struct str bytes;
        size_t len; /* of the URL */
    } cases[] = {
        {"1", STR_INIT("http://a.example/\n0\n<html>"), 17},
        {"2", STR_INIT(""), 0},
        {"3", STR_INIT("\n"), 0},
        {"4", STR_INIT("http://a.example/"), 17},
        {"5", {longest, sizeof(longest)}, URL_LEN_MAX},
        {"6", {too_long, sizeof(too_long)}, URL_LEN_MAX + 1},
        {"4294967295", STR_INIT("u\n"), 1},
    };
    const struct tempdir *temp = *state;
    struct arena arena;
    struct pagedir dir;

    memset(longest, 'x', URL_LEN_MAX);
    memcpy(longest + URL_LEN_MAX, "\n0\n", 3);
    memset(too_long, 'x', sizeof(too_long));
    assert_true(pagedir_open(&dir, temp->path));
    tempdir_mkdir(temp, "8");
    arena_init(&arena);
    for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
        tempdir_write(temp, cases[i].name, cases[i].bytes);
        uint32_t id = (uint32_t)strtoul(cases[i].name, NULL, 10);
        struct str got = pagedir_url(&dir, id, &arena);
        if (!str_eq(got, str_first(cases[i].bytes, cases[i].len)))
            fail_msg("page %u: expected %zu bytes, got %zu: %.*s", id,
                     cases[i].len, got.len, (int)got.len, got.ptr);
    }
    assert_int_equal(pagedir_url(&dir, 7, &arena).len, 0);
    assert_int_equal(pagedir_url(&dir, 8, &arena).len, 0);
    arena_release(&arena);
    pagedir_close(&dir);
}

/* --- locks --------------------------------------------------------------- */

static void *begin_a_crawl(void *user)
{
    struct pagedir *dir = user;

    return pagedir_lock(dir) ? dir : NULL;
}

/* Who asks whether it is locked holds it for an instant; that must not keep a
 * crawl from beginning. */
static void asking_is_no_crawl(void **state)
{
    const struct timespec instant = {.tv_nsec = 20 * 1000 * 1000};
    const struct tempdir *temp = *state;
    struct pagedir dir, asker;
    pthread_t thread;
    void *locked;

    assert_true(pagedir_open(&dir, temp->path));
    assert_true(pagedir_open_read(&asker, temp->path));
    assert_int_equal(flock(asker.fd, LOCK_SH | LOCK_NB), 0);
    assert_int_equal(pthread_create(&thread, NULL, begin_a_crawl, &dir), 0);
    nanosleep(&instant, NULL);
    assert_int_equal(flock(asker.fd, LOCK_UN), 0);
    pthread_join(thread, &locked);
    assert_non_null(locked);
    pagedir_close(&asker);
    pagedir_close(&dir);
}

static void one_crawl_at_a_time(void **state)
{
    const struct tempdir *temp = *state;
    struct pagedir one, other, asker;

    assert_true(pagedir_open(&one, temp->path));
    assert_true(pagedir_open(&other, temp->path));
    assert_true(pagedir_open_read(&asker, temp->path));
    assert_false(pagedir_is_locked(&asker));
    assert_true(pagedir_lock(&one));
    assert_true(pagedir_is_locked(&asker));
    assert_false(pagedir_lock(&other));
    assert_int_equal(errno, EWOULDBLOCK);
    pagedir_close(&one);
    assert_false(pagedir_is_locked(&asker));
    assert_true(pagedir_lock(&other));
    pagedir_close(&other);
    pagedir_close(&asker);
}

int main(void)
{
#define CASE(name)                                                             \
    cmocka_unit_test_setup_teardown(name, tempdir_setup, tempdir_teardown)
    const struct CMUnitTest tests[] = {
        CASE(opening),
        CASE(not_writable),
        CASE(numbers_without_holes),
        CASE(a_former_crawl),
        CASE(files_of_nobody),
        CASE(a_page_is_a_directory),
        CASE(a_text_beside_the_pages_follows_no_link),
        CASE(a_text_that_cannot_be_written_leaves_nothing),
        CASE(urls_of_pages),
        CASE(asking_is_no_crawl),
        CASE(one_crawl_at_a_time),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
