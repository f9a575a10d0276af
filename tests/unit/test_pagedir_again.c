/* A page directory that a crawl has been at work in. */
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

#include "page/pagedir.h"
#include "support/tempdir.h"

#define PAGE "http://a.test/\n1\na page"

/* A crawl holds its lock until it ends, however it does. */
static void a_killed_crawl_holds_no_lock(void **state)
{
    const struct tempdir *temp = *state;
    struct pagedir dir;
    int ready[2];
    char byte;

    assert_int_equal(pipe(ready), 0);
    pid_t child = fork();
    if (!child) {
        struct pagedir own;
        bool good = pagedir_open(&own, temp->path) && pagedir_lock(&own);
        if (!good || write(ready[1], "x", 1) != 1)
            _exit(1);
        for (;;)
            pause();
    }
    close(ready[1]);
    assert_int_equal(read(ready[0], &byte, 1), 1);
    close(ready[0]);
    assert_true(pagedir_open(&dir, temp->path));
    assert_true(pagedir_is_locked(&dir));
    assert_false(pagedir_lock(&dir));
    kill(child, SIGKILL);
    assert_int_equal(waitpid(child, NULL, 0), child);
    assert_false(pagedir_is_locked(&dir));
    assert_true(pagedir_lock(&dir));
    pagedir_close(&dir);
}

/* --- what is there ------------------------------------------------------- */

static void write_all(const struct tempdir *temp, const char *names)
{
    struct str rest = str_of(names);

    while (rest.len) {
        struct str_pair cut = str_cut(rest, ' ');
        char name[32];
        snprintf(name, sizeof(name), "%.*s", (int)cut.head.len, cut.head.ptr);
        tempdir_write(temp, name, STR(PAGE));
        rest = cut.tail;
    }
}

static void strangers(void **state)
{
    static const struct {
        const char *files;
        uint32_t last_id;
        bool run;
        uint32_t stranger;
    } cases[] = {
        {"", 0, false, 0},
        {"", 0, true, 0},
        {"", 7, true, 0},
        {"1", 0, false, 1},
        {"1", 1, false, 0},
        {"1 2 3", 3, false, 0},
        {"1 2 3", 2, false, 3},
        /* Killed: what follows without a hole may be its. */
        {"1 2 3", 2, true, 0},
        {"1 2 3", 0, true, 0},
        {"1 2 3 5", 2, true, 5},
        {"1 2 3 5", 3, true, 5},
        {"1 2 4", 2, true, 4},
        {"4", 2, true, 4},
        /* A hole in what it wrote is not filled by others. */
        {"1 3", 3, false, 0},
        {"1 3 4", 3, true, 0},
        {"4294967295", 3, true, 4294967295},
        {"4294967295", 4294967295, true, 0},
        /* None of these is a page. */
        {"0 01 -1 1a 1.html x 4294967296 99999999999999999999 .5 +1", 0, false,
         0},
    };

    (void)state;
    for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
        struct tempdir temp;
        struct pagedir dir;
        tempdir_make(&temp);
        write_all(&temp, cases[i].files);
        assert_true(pagedir_open(&dir, temp.path));
        uint32_t got =
            pagedir_unknown_file(&dir, cases[i].last_id, cases[i].run);
        if (got != cases[i].stranger)
            fail_msg("'%s' after %u: expected %u, got %u", cases[i].files,
                     (unsigned)cases[i].last_id, (unsigned)cases[i].stranger,
                     (unsigned)got);
        pagedir_close(&dir);
        tempdir_remove(&temp);
    }
}

/* A link to nowhere and a directory are in the way of a page too, and a crawl
 * that was killed did not make them. */
static void strangers_of_all_kinds(void **state)
{
    const struct tempdir *temp = *state;
    struct pagedir dir;

    assert_true(pagedir_open(&dir, temp->path));
    assert_int_equal(symlinkat("nowhere", temp->fd, "1"), 0);
    assert_int_equal(pagedir_unknown_file(&dir, 0, false), 1);
    assert_int_equal(pagedir_unknown_file(&dir, 0, true), 1);
    assert_int_equal(pagedir_not_page(&dir, 1, 1), 1);
    assert_int_equal(unlinkat(temp->fd, "1", 0), 0);
    tempdir_mkdir(temp, "1");
    assert_int_equal(pagedir_not_page(&dir, 1, 1), 1);
    assert_int_equal(pagedir_unknown_file(&dir, 0, true), 1);
    assert_int_equal(pagedir_last_in_row(&dir), 1);
    pagedir_close(&dir);
}

/* What a killed crawl may have left begins with a URL and a depth. */
static void strangers_by_what_is_in_them(void **state)
{
    static const struct {
        struct str text;
        bool is_page;
    } cases[] = {
        {STR_INIT(PAGE), true},
        {STR_INIT("https://a.test/\n0\n"), true},
        {STR_INIT(""), true},
        {STR_INIT("\0\0\0"), true},
        {STR_INIT("\0\0\0x"), false},
        {STR_INIT("my notes\n"), false},
        {STR_INIT("http://a.test/"), false},
        {STR_INIT("http://a.test/\n"), false},
        {STR_INIT("http://a.test/\n1"), false},
        {STR_INIT("http://a.test/\nhttp://b.test/\n"), false},
        {STR_INIT("notes\n1\n"), false},
    };
    const struct tempdir *temp = *state;
    struct pagedir dir;

    assert_true(pagedir_open(&dir, temp->path));
    for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
        tempdir_write(temp, "3", cases[i].text);
        if (pagedir_unknown_file(&dir, 2, true) != (cases[i].is_page ? 0 : 3) ||
            pagedir_not_page(&dir, 1, 3) != (cases[i].is_page ? 0 : 3))
            fail_msg("case %zu", i);
        assert_int_equal(pagedir_not_page(&dir, 1, 2), 0);
        assert_int_equal(pagedir_not_page(&dir, 4, 9), 0);
        pagedir_resume(&dir, 2, true);
        assert_int_equal(dir.holds_old, cases[i].is_page);
        dir.old_last = 0;
    }
    pagedir_close(&dir);
}

/* --- going on, and starting over ----------------------------------------- */

static void what_goes_when_it_goes_on(void **state)
{
    static const struct {
        const char *files;
        uint32_t last_id;
        bool run;
        const char *left;
    } cases[] = {
        {"", 0, true, ""},
        {"1 2 3", 3, false, "1 2 3 "},
        {"1 2 3", 3, true, "1 2 3 "},
        /* A crawl that ended knows all it wrote. */
        {"1 2 3 4", 2, false, "1 2 3 4 "},
        {"1 2 3 4", 2, true, "1 2 "},
        {"1 2 3 4", 0, true, ""},
        /* A file behind a hole is somebody else's. */
        {"1 2 3 5", 2, true, "1 2 5 "},
        {"1 2 4", 2, true, "1 2 4 "},
        /* A hole in its own pages does not hold it up. */
        {"1 3", 3, false, "1 3 "},
        {"1 3 4 5", 3, true, "1 3 "},
        {"1 2 .crawler-tmp-0-1 .crawler-tmp-text .crawler", 2, false,
         ".crawler 1 2 "},
        {"1 0 01 1a notes", 1, true, "0 01 1 1a notes "},
    };

    (void)state;
    for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
        struct tempdir temp;
        struct pagedir dir;
        tempdir_make(&temp);
        write_all(&temp, cases[i].files);
        assert_true(pagedir_open(&dir, temp.path));
        pagedir_resume(&dir, cases[i].last_id, cases[i].run);
        if (dir.holds_old)
            pagedir_drop_old(&dir);
        if (strcmp(tempdir_list(&temp), cases[i].left))
            fail_msg("'%s' going on after %u: expected '%s', got '%s'",
                     cases[i].files, (unsigned)cases[i].last_id, cases[i].left,
                     tempdir_list(&temp));
        pagedir_close(&dir);
        tempdir_remove(&temp);
    }
}

/* The pages of the crawl before go with the first new one. */
static void what_goes_when_it_starts_over(void **state)
{
    static const struct {
        const char *files;
        uint32_t last_id;
        bool run;
        const char *left; /* after the first page */
    } cases[] = {
        {"1 2 3", 3, false, "1 "},
        {"1 2 3 4", 2, false, "1 3 4 "},
        {"1 2 3 4", 2, true, "1 "},
        {"1 2 3 5", 0, true, "1 5 "},
        {"2 3 5", 0, true, "1 2 3 5 "},
        {"1 3", 3, false, "1 "},
        {"1 2 .crawler-tmp-0-1 .crawler .crawler-stats.json", 2, false,
         ".crawler 1 "},
        {"1 0 01 1a notes", 1, true, "0 01 1 1a notes "},
    };

    (void)state;
    for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
        struct tempdir temp;
        struct pagedir dir;
        tempdir_make(&temp);
        write_all(&temp, cases[i].files);
        assert_true(pagedir_open(&dir, temp.path));
        pagedir_begin_over(&dir, cases[i].last_id, cases[i].run);
        tempdir_write(&temp, ".crawler-tmp-9", STR("new"));
        assert_true(pagedir_publish(&dir, ".crawler-tmp-9"));
        if (strcmp(tempdir_list(&temp), cases[i].left))
            fail_msg("'%s' over %u: expected '%s', got '%s'", cases[i].files,
                     (unsigned)cases[i].last_id, cases[i].left,
                     tempdir_list(&temp));
        pagedir_close(&dir);
        tempdir_remove(&temp);
    }
}

/* The next page has the next number, and its own old ones stay; those of the
 * crawl before it, which it was removing when it was killed, do not. */
static void pages_after_going_on(void **state)
{
    const struct tempdir *temp = *state;
    struct pagedir dir;

    write_all(temp, ".crawler 1 2 3 5 6 17");
    assert_true(pagedir_open(&dir, temp->path));
    dir.old_last = 17;
    pagedir_resume(&dir, 2, true);
    assert_int_equal(dir.last_id, 2);
    tempdir_write(temp, ".crawler-tmp-0-0", STR("new"));
    assert_true(pagedir_publish(&dir, ".crawler-tmp-0-0"));
    assert_string_equal(tempdir_list(temp), ".crawler 1 2 3 ");
    tempdir_expect(temp, "2", STR(PAGE));
    tempdir_expect(temp, "3", STR("new"));
    pagedir_close(&dir);
}

/* Files behind a hole are somebody else's. */
static void a_run_goes_up_to_the_first_hole(void **state)
{
    const struct tempdir *temp = *state;
    struct pagedir dir;

    write_all(temp, ".crawler 1 2 3 4 5 7");
    assert_true(pagedir_open(&dir, temp->path));
    pagedir_drop_run(&dir, 2);
    assert_string_equal(tempdir_list(temp), ".crawler 1 2 7 ");
    pagedir_drop_run(&dir, 2);
    assert_string_equal(tempdir_list(temp), ".crawler 1 2 7 ");
    pagedir_close(&dir);
}

int main(void)
{
#define CASE(name)                                                             \
    cmocka_unit_test_setup_teardown(name, tempdir_setup, tempdir_teardown)
    const struct CMUnitTest tests[] = {
        CASE(a_killed_crawl_holds_no_lock),
        cmocka_unit_test(strangers),
        CASE(strangers_of_all_kinds),
        CASE(strangers_by_what_is_in_them),
        cmocka_unit_test(what_goes_when_it_goes_on),
        cmocka_unit_test(what_goes_when_it_starts_over),
        CASE(pages_after_going_on),
        CASE(a_run_goes_up_to_the_first_hole),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
