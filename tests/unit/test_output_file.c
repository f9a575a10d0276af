/* A new file on a file system without hard links. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <errno.h>
#include <fcntl.h>
#include <unistd.h>

#include "base/buf.h"
#include "cli/output_file.h"
#include "support/tempdir.h"

/* In place of the system's. */
int link(const char *from, const char *to)
{
    (void)from;
    (void)to;
    errno = EPERM;
    return -1;
}

static void no_hard_links(void **state)
{
    static const struct {
        bool is_taken; /* a file of that name has appeared meanwhile */
        const char *bytes;
    } rows[] = {{false, "new"}, {true, "old"}};

    (void)state;
    for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
        char path[100], temp[100];
        struct tempdir dir;
        struct buf got;

        tempdir_make(&dir);
        snprintf(path, sizeof(path), "%s/x", dir.path);
        snprintf(temp, sizeof(temp), "%s/.x.tmp", dir.path);
        tempdir_write(&dir, ".x.tmp", STR("new"));
        if (rows[i].is_taken)
            tempdir_write(&dir, "x", STR("old"));
        struct output_file out = {.fd = open(temp, O_RDWR | O_CLOEXEC),
                                  .path = path,
                                  .mode = OUTPUT_NEW,
                                  .temp = strdup(temp)};
        assert_true(out.fd >= 0);
        assert_int_equal(output_close(&out, 0), rows[i].is_taken ? 1 : 0);
        assert_string_equal(tempdir_list(&dir), "x ");
        buf_init(&got, 1 << 16);
        assert_true(tempdir_read(&dir, "x", &got));
        assert_string_equal(buf_cstr(&got), rows[i].bytes);
        buf_release(&got);
        tempdir_remove(&dir);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(no_hard_links)};

    return cmocka_run_group_tests(tests, NULL, NULL);
}
