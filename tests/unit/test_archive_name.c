/* The names of an archive's files, and how they are opened. */
#include <setjmp.h>
#include <stdarg.h>

#include <errno.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>

#include "archive/archive_name.h"
#include "support/tempdir.h"

static void names_that_lead_elsewhere_are_not_safe(void **state)
{
    static const struct {
        struct str name;
        bool is_safe;
    } cases[] = {
        {STR_INIT("a.warc.gz"), true},
        {STR_INIT("a b"), true},
        {STR_INIT("\xc3\xa9.warc"), true},
        {STR_INIT(""), false},
        {STR_INIT("."), false},
        {STR_INIT(".."), false},
        {STR_INIT(".hidden"), false},
        {STR_INIT("/etc/passwd"), false},
        {STR_INIT("a/b"), false},
        {STR_INIT("../a"), false},
        {STR_INIT("a\0b"), false},
    };
    char name[ARCHIVE_NAME_LEN + 1];

    (void)state;
    for (size_t i = 0; i < ARRAY_LEN(cases); i++)
        if (archive_name_is_safe(cases[i].name) != cases[i].is_safe)
            fail_msg("case %zu: %.*s", i, STR_ARGS(cases[i].name));
    memset(name, 'n', sizeof(name));
    assert_true(archive_name_is_safe((struct str){name, ARCHIVE_NAME_LEN}));
    assert_false(archive_name_is_safe((struct str){name, sizeof(name)}));
}

static char first_byte(int fd)
{
    char byte = 0;

    assert_true(fd >= 0);
    assert_int_equal(read(fd, &byte, 1), 1);
    close(fd);
    return byte;
}

static void a_file_is_found_under_both_names(void **state)
{
    struct tempdir temp;
    char name[ARCHIVE_NAME_LEN];

    (void)state;
    tempdir_make(&temp);
    assert_int_equal(archive_open_below(temp.fd, STR("a"), O_RDONLY), -1);
    assert_int_equal(errno, ENOENT);
    assert_int_equal(mkdirat(temp.fd, ARCHIVE_DIR, 0777), 0);
    tempdir_write(&temp, "archive/a.open", STR("1"));
    assert_int_equal(
        first_byte(archive_open_below(temp.fd, STR("a"), O_RDONLY)), '1');
    tempdir_write(&temp, "archive/a", STR("2"));
    assert_int_equal(
        first_byte(archive_open_below(temp.fd, STR("a"), O_RDONLY)), '2');
    tempdir_write(&temp, "b", STR("3"));
    assert_int_equal(
        first_byte(archive_open_named(temp.fd, STR("b"), O_RDONLY)), '3');
    assert_int_equal(archive_open_below(temp.fd, STR("../b"), O_RDONLY), -1);
    assert_int_equal(errno, EINVAL);
    /* The longest name has room for its ".open". */
    memset(name, 'n', sizeof(name));
    assert_int_equal(
        archive_open_below(temp.fd, (struct str){name, sizeof(name)}, O_RDONLY),
        -1);
    assert_int_equal(errno, ENOENT);
    unlinkat(temp.fd, "archive/a", 0);
    unlinkat(temp.fd, "archive/a.open", 0);
    unlinkat(temp.fd, ARCHIVE_DIR, AT_REMOVEDIR);
    tempdir_remove(&temp);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(names_that_lead_elsewhere_are_not_safe),
        cmocka_unit_test(a_file_is_found_under_both_names),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
