/* /etc/hosts: what its lines mean, and when it is read again. */
#include <arpa/inet.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>

#include <cmocka.h>

#include "names/hosts_file.h"
#include "support/tempdir.h"

/* The addresses of a name as text, with blanks; NULL if there are none. */
static const char *addresses(struct hosts_file *hosts, const char *name,
                             uint64_t now_ms)
{
    static char text[NAME_ADDRESSES_MAX * (INET6_ADDRSTRLEN + 1)];
    struct name_answer answer;

    if (!hosts_file_find(hosts, str_of(name), now_ms, &answer))
        return NULL;
    assert_int_equal(answer.result, NAME_FOUND);
    text[0] = '\0';
    for (unsigned i = 0; i < answer.count; i++) {
        char one[INET6_ADDRSTRLEN];
        inet_ntop(AF_INET6, &answer.address[i], one, sizeof(one));
        snprintf(text + strlen(text), sizeof(text) - strlen(text), "%s%s",
                 i ? " " : "", one);
    }
    return text;
}

static void lines_of_all_kinds(void **state)
{
    static const struct {
        const char *text, *name, *addresses; /* NULL: not there */
    } rows[] = {
        {"192.0.2.1 a.example\n", "a.example", "::ffff:192.0.2.1"},
        {"192.0.2.1 a.example", "a.example", "::ffff:192.0.2.1"},
        {"192.0.2.1 a.example\r\n", "a.example", "::ffff:192.0.2.1"},
        {" \t192.0.2.1\t\ta.example b c \n", "c", "::ffff:192.0.2.1"},
        {"192.0.2.1 A.Example.\n", "a.example", "::ffff:192.0.2.1"},
        {"2001:db8::1 a\n", "a", "2001:db8::1"},
        {"192.0.2.1 a\n2001:db8::1 a b\n192.0.2.2 a\n", "a",
         "::ffff:192.0.2.1 2001:db8::1 ::ffff:192.0.2.2"},
        {"192.0.2.1 a\n192.0.2.1 a\n", "a", "::ffff:192.0.2.1"},
        {"192.0.2.1 a # b\n", "b", NULL},
        {"192.0.2.1 a#b\n", "a", "::ffff:192.0.2.1"},
        {"#192.0.2.1 a\n", "a", NULL},
        {"192.0.2.1\na\n", "a", NULL},
        {"192.0.2 a\n", "a", NULL},
        {"192.0.2.300 a\n", "a", NULL},
        {"fe80::1%eth0 a\n", "a", NULL},
        {"name a\n", "a", NULL},
        {"\n\n\n192.0.2.1 a\n\n", "a", "::ffff:192.0.2.1"},
        {"", "a", NULL},
    };

    (void)state;
    for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
        struct hosts_file hosts;

        hosts_file_init(&hosts, NULL, 7);
        hosts_file_parse(&hosts, str_of(rows[i].text));
        const char *got = addresses(&hosts, rows[i].name, 0);
        if (!got != !rows[i].addresses ||
            (got && strcmp(got, rows[i].addresses) != 0))
            fail_msg("'%s': %s", rows[i].text, got ? got : "none");
        hosts_file_release(&hosts);
    }
}

static void a_name_has_sixteen_addresses_at_most(void **state)
{
    struct hosts_file hosts;
    struct name_answer answer;
    char line[64];

    (void)state;
    hosts_file_init(&hosts, NULL, 7);
    for (int i = 1; i < 200; i++) {
        snprintf(line, sizeof(line), "192.0.2.%d many\n", i);
        hosts_file_parse(&hosts, str_of(line));
    }
    assert_true(hosts_file_find(&hosts, STR("many"), 0, &answer));
    assert_int_equal(answer.count, NAME_ADDRESSES_MAX);
    hosts_file_release(&hosts);
}

/* It is looked at once a second, and read when it is another. */
static void a_file_that_changes(void **state)
{
    struct hosts_file hosts;
    struct tempdir dir;
    char path[128];

    (void)state;
    tempdir_make(&dir);
    snprintf(path, sizeof(path), "%s/hosts", dir.path);
    hosts_file_init(&hosts, path, 7);
    assert_null(addresses(&hosts, "a", 5000));
    tempdir_write(&dir, "hosts", STR("192.0.2.1 a\n"));
    assert_null(addresses(&hosts, "a", 5000 + HOSTS_CHECKED_MS - 1));
    assert_string_equal(addresses(&hosts, "a", 5000 + HOSTS_CHECKED_MS),
                        "::ffff:192.0.2.1");
    tempdir_write(&dir, "hosts", STR("192.0.2.22 a\n192.0.2.3 b\n"));
    assert_string_equal(addresses(&hosts, "a", 6001), "::ffff:192.0.2.1");
    assert_string_equal(addresses(&hosts, "a", 7000), "::ffff:192.0.2.22");
    assert_string_equal(addresses(&hosts, "b", 7000), "::ffff:192.0.2.3");
    tempdir_write(&dir, "hosts", STR(""));
    assert_null(addresses(&hosts, "b", 9000));
    hosts_file_release(&hosts);
    tempdir_remove(&dir);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(lines_of_all_kinds),
        cmocka_unit_test(a_name_has_sixteen_addresses_at_most),
        cmocka_unit_test(a_file_that_changes),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
