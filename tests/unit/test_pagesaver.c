#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

#include <errno.h>
#include <fcntl.h>
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
        .body = body,
        .body_len = body.len,
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
    struct pagesaver saver = {.dir_fd = temp->fd, .hand = 3};
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

/* No two hands, and no two pages of a hand, ever use the same name. */
static void names_of_their_own(void **state)
{
    const struct tempdir *temp = *state;
    struct pagesaver saver[] = {
        {.dir_fd = temp->fd, .hand = 1},
        {.dir_fd = temp->fd, .hand = 11},
        {.dir_fd = temp->fd, .hand = 255, .count = 4000000000},
    };

    for (size_t i = 0; i < 9; i++) {
        struct webpage page = fetched(STR("u"), (uint32_t)i, STR("x"));
        pagesaver_save(&saver[i % 3], &page);
        assert_int_equal(page.outcome, FETCHED);
    }
    size_t names = 0;
    for (const char *at = tempdir_list(temp); *at; at++)
        names += *at == ' ';
    assert_int_equal(names, 9);
}

/* With a limit on file sizes instead of a full disk: the kernel takes a part,
 * then refuses. */
static void no_room(void **state)
{
    enum { LIMIT = 10000 };
    static char body[3 * LIMIT];
    const struct tempdir *temp = *state;
    struct pagesaver saver = {.dir_fd = temp->fd};
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
        assert_string_equal(tempdir_list(temp), ".crawler-tmp-0-0 ");
    }
}

/* A file takes all at once, a pipe does not: with a slow reader that disturbs
 * the writer now and then, writes end half-way and must go on from there. */
struct reader {
    const struct tempdir *temp;
    pthread_t writer;
    struct buf got;
};

static void *read_slowly(void *arg)
{
    struct reader *reader = arg;
    int fd = openat(reader->temp->fd, ".crawler-tmp-0-0", O_RDONLY);
    ssize_t len = 0;

    for (int i = 1; len > 0 || i == 1; i++) {
        char *to = buf_reserve(&reader->got, 3000);
        len = to ? read(fd, to, 3000) : -1;
        if (len > 0)
            reader->got.len += (size_t)len;
        if (i % 8)
            continue;
        /* Twice: the second finds the pipe full and nothing written yet. */
        for (int twice = 0; twice < 2; twice++) {
            usleep(300);
            pthread_kill(reader->writer, SIGUSR1);
        }
    }
    close(fd);
    return NULL;
}

static volatile sig_atomic_t signals;

static void count_signal(int number)
{
    (void)number;
    signals++;
}

static void half_a_write(void **state)
{
    static char body[400000];
    struct reader reader = {.temp = *state, .writer = pthread_self()};
    struct pagesaver saver = {.dir_fd = reader.temp->fd};
    struct webpage page =
        fetched(STR("u"), 0, (struct str){body, sizeof(body)});
    struct random random = {4};
    struct sigaction action = {.sa_handler = count_signal}; /* no SA_RESTART */
    pthread_t thread;

    for (size_t i = 0; i < sizeof(body); i++)
        body[i] = (char)random_u64(&random);
    assert_int_equal(mkfifoat(reader.temp->fd, ".crawler-tmp-0-0", 0600), 0);
    buf_init(&reader.got, sizeof(body) + 10000);
    sigaction(SIGUSR1, &action, NULL);
    assert_int_equal(pthread_create(&thread, NULL, read_slowly, &reader), 0);
    pagesaver_save(&saver, &page);
    pthread_join(thread, NULL);

    assert_int_equal(page.outcome, FETCHED);
    assert_in_range(signals, 3, 1000);
    assert_int_equal(reader.got.len, sizeof(body) + 4);
    assert_memory_equal(reader.got.ptr, "u\n0\n", 4);
    assert_memory_equal(reader.got.ptr + 4, body, sizeof(body));
    buf_release(&reader.got);
}

static void no_directory(void **state)
{
    struct pagesaver saver = {.dir_fd = -1};
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
    struct pagesaver saver = {.dir_fd = dir.fd};
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
        CASE(byte_for_byte), CASE(names_of_their_own),
        CASE(no_room),       CASE(half_a_write),
        CASE(no_directory),  CASE(through_the_directory),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
