#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <string.h>
#include <unistd.h>

#include "base/buf.h"
#include "base/io.h"
#include "support/random.h"

/* A file takes all at once, a pipe does not: with a reader that disturbs the
 * writer now and then, writes end half-way and must go on from there. */
struct reader {
    pthread_t writer;
    int fd;
    struct buf got;
};

static void *read_slowly(void *arg)
{
    struct reader *reader = arg;
    ssize_t len = 0;

    for (int i = 1; len > 0 || i == 1; i++) {
        char *to = buf_reserve(&reader->got, 3000);
        len = to ? read(reader->fd, to, 3000) : -1;
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
    return NULL;
}

static atomic_int signals;

static void count_signal(int number)
{
    (void)number;
    signals++;
}

static void a_write_that_ends_half_way_goes_on(void **state)
{
    static char large[400000];
    struct iovec part[] = {{"head", 4}, {"", 0}, {large, sizeof(large)}};
    struct reader reader = {.writer = pthread_self()};
    struct sigaction action = {.sa_handler = count_signal}; /* no SA_RESTART */
    struct random random = {4};
    pthread_t thread;
    int ends[2];

    (void)state;
    for (size_t i = 0; i < sizeof(large); i++)
        large[i] = (char)random_u64(&random);
    assert_int_equal(pipe2(ends, O_CLOEXEC), 0);
    reader.fd = ends[0];
    buf_init(&reader.got, sizeof(large) + 10000);
    sigaction(SIGUSR1, &action, NULL);
    assert_int_equal(pthread_create(&thread, NULL, read_slowly, &reader), 0);
    assert_true(io_write_all(ends[1], part, 3));
    close(ends[1]);
    pthread_join(thread, NULL);
    close(ends[0]);

    assert_in_range(signals, 3, 1000);
    assert_int_equal(reader.got.len, sizeof(large) + 4);
    assert_memory_equal(reader.got.ptr, "head", 4);
    assert_memory_equal(reader.got.ptr + 4, large, sizeof(large));
    buf_release(&reader.got);
}

static void nothing_to_write_is_written(void **state)
{
    struct iovec empty[] = {{"", 0}, {NULL, 0}};
    int ends[2];

    (void)state;
    assert_int_equal(pipe2(ends, O_CLOEXEC), 0);
    assert_true(io_write_all(ends[1], empty, 2));
    assert_true(io_write_all(ends[1], NULL, 0));
    close(ends[0]);
    close(ends[1]);
}

static void a_failure_says_why(void **state)
{
    struct iovec part[] = {{"x", 1}};

    (void)state;
    assert_false(io_write_all(-1, part, 1));
    assert_int_equal(errno, EBADF);
}

static void a_file_is_read_up_to_the_cap(void **state)
{
    struct buf got;

    (void)state;
    buf_init(&got, 1 << 20);
    assert_true(io_read_file("/dev/null", &got));
    assert_int_equal(got.len, 0);
    assert_false(io_read_file("/dev/zero", &got));
    assert_int_equal(errno, EFBIG);
    assert_true(got.len <= 1 << 20);
    assert_false(io_read_file("/nonexistent", &got));
    assert_int_equal(errno, ENOENT);
    buf_release(&got);
}

/* Of pipes, in pieces: all that fits, and nothing more. */
static void the_last_byte_of_the_cap_counts(void **state)
{
    static const char text[] = "0123456789";
    static const size_t caps[] = {9, 10, 11, 100};

    (void)state;
    for (size_t i = 0; i < ARRAY_LEN(caps); i++) {
        struct buf got;
        int ends[2];
        assert_int_equal(pipe2(ends, O_CLOEXEC), 0);
        assert_int_equal(write(ends[1], text, 10), 10);
        close(ends[1]);
        buf_init(&got, caps[i]);
        assert_int_equal(io_read_all(ends[0], &got), caps[i] >= 10);
        assert_int_equal(got.len, caps[i] < 10 ? caps[i] : 10);
        assert_memory_equal(got.ptr, text, got.len);
        close(ends[0]);
        buf_release(&got);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_write_that_ends_half_way_goes_on),
        cmocka_unit_test(nothing_to_write_is_written),
        cmocka_unit_test(a_failure_says_why),
        cmocka_unit_test(a_file_is_read_up_to_the_cap),
        cmocka_unit_test(the_last_byte_of_the_cap_counts),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
