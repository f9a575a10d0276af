/* Files without a name: what is put is there, and nothing else is. */
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>

#include <cmocka.h>

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <sys/resource.h>
#include <unistd.h>

#include "base/hashtable.h"
#include "base/mem.h"
#include "base/spool.h"
#include "support/tempdir.h"

enum { PIECE = 256 << 10, LEN = 3 * PIECE + 1234 };

static char *make_bytes(void)
{
    char *bytes = mem_array(LEN, 1);

    for (size_t i = 0; i < LEN; i++)
        bytes[i] = (char)(i * i >> 3);
    return bytes;
}

static void what_was_put_is_there(void **state)
{
    struct tempdir *temp = *state;
    struct spools spools = {.dir_fd = temp->fd, .max = 1};
    struct spool *spool = spool_new(&spools);
    char *bytes = make_bytes(), *got = mem_array(LEN, 1);

    for (size_t at = 0; at < LEN; at += 50000)
        assert_true(spool_put(
            spool, str_first((struct str){bytes + at, LEN - at}, 50000)));
    assert_int_equal(spool->len, LEN);
    assert_true(spool_read(spool, 0, got, LEN));
    assert_memory_equal(got, bytes, LEN);
    assert_true(spool_read(spool, LEN - 5, got, 5));
    assert_memory_equal(got, bytes + LEN - 5, 5);
    assert_false(spool_read(spool, LEN - 5, got, 6));
    uint64_t hash;
    assert_true(spool_hash(spool, 9, &hash));
    assert_true(hash == hash64((struct str){bytes, LEN}, 9));
    assert_string_equal(tempdir_list(temp), "");
    spool_free(spool);
    spool_free(NULL);
    free(bytes);
    free(got);
}

static void a_copy_has_its_place(void **state)
{
    struct tempdir *temp = *state;
    struct spools spools = {.dir_fd = temp->fd, .max = 1};
    struct spool *spool = spool_new(&spools);
    char *bytes = make_bytes();
    struct buf expected, got;

    spool_put(spool, (struct str){bytes, LEN});
    tempdir_write(temp, "file", STR("before"));
    int fd = openat(temp->fd, "file", O_RDWR);
    assert_true(spool_copy(spool, 7, LEN, fd, 4));
    assert_true(spool_copy(spool, LEN, LEN, fd, 1)); /* that is nothing */
    assert_int_equal(lseek(fd, 0, SEEK_CUR), 0);
    buf_init(&expected, 2 * LEN);
    buf_init(&got, 2 * LEN);
    buf_put(&expected, STR("befo"));
    buf_put(&expected, (struct str){bytes + 7, LEN - 7});
    tempdir_read(temp, "file", &got);
    assert_true(str_eq(buf_str(&expected), buf_str(&got)));
    buf_release(&expected);
    buf_release(&got);
    close(fd);
    spool_free(spool);
    free(bytes);
}

static void there_are_so_many(void **state)
{
    struct tempdir *temp = *state;
    struct spools spools = {.dir_fd = temp->fd, .max = 2};
    struct spool *one = spool_new(&spools), *other = spool_new(&spools);

    assert_non_null(one);
    assert_non_null(other);
    errno = 0;
    assert_null(spool_new(&spools));
    assert_int_equal(errno, EMFILE);
    struct spool *third = spool_beside(one);
    assert_non_null(third);
    spool_free(one);
    assert_null(spool_new(&spools));
    spool_free(other);
    one = spool_new(&spools);
    assert_non_null(one);
    spool_free(one);
    spool_free(third);
    assert_int_equal(spools.count, 0);
}

/* What does not fit is not there, and what fits after it is. */
static void a_full_disk(void **state)
{
    struct tempdir *temp = *state;
    struct spools spools = {.dir_fd = temp->fd, .max = 1};
    struct spool *spool = spool_new(&spools);
    struct rlimit old, limit = {1000, RLIM_INFINITY};
    char *bytes = make_bytes(), got[8];

    assert_int_equal(getrlimit(RLIMIT_FSIZE, &old), 0);
    signal(SIGXFSZ, SIG_IGN);
    assert_int_equal(setrlimit(RLIMIT_FSIZE, &limit), 0);
    assert_true(spool_put(spool, STR("four")));
    bool good = spool_put(spool, (struct str){bytes, LEN});
    int why = errno;
    assert_true(spool_put(spool, STR("more")));
    setrlimit(RLIMIT_FSIZE, &old);
    assert_false(good);
    assert_int_equal(why, EFBIG);
    assert_int_equal(spool->len, 8);
    assert_true(spool_read(spool, 0, got, 8));
    assert_memory_equal(got, "fourmore", 8);
    spool_free(spool);
    free(bytes);
}

static void no_directory(void **state)
{
    struct spools spools = {.dir_fd = -1, .max = 1};

    (void)state;
    assert_null(spool_new(&spools));
    assert_int_equal(errno, EBADF);
    assert_int_equal(spools.count, 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(what_was_put_is_there, tempdir_setup,
                                        tempdir_teardown),
        cmocka_unit_test_setup_teardown(a_copy_has_its_place, tempdir_setup,
                                        tempdir_teardown),
        cmocka_unit_test_setup_teardown(there_are_so_many, tempdir_setup,
                                        tempdir_teardown),
        cmocka_unit_test_setup_teardown(a_full_disk, tempdir_setup,
                                        tempdir_teardown),
        cmocka_unit_test(no_directory),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
