#include <errno.h>
#include <fcntl.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "crawler/outlet.h"

/* Lines of 1,000 bytes, each with its number, into a pipe. */
enum { LINE = 1000, ENOUGH = 40000 };

struct fixture {
    struct outlet outlet;
    int end[2];
    unsigned put, read, waits;
};

static void put_line(struct fixture *fixture)
{
    char line[LINE + 1];

    snprintf(line, sizeof(line), "%0*u", LINE, fixture->put++);
    outlet_put(&fixture->outlet, (struct str){line, LINE});
}

/* Read so many lines, which come in order. */
static void read_lines(struct fixture *fixture, unsigned count)
{
    char line[LINE + 1] = "";

    while (count--) {
        for (size_t got = 0; got < LINE;) {
            ssize_t n = read(fixture->end[0], line + got, LINE - got);
            assert_true(n > 0);
            got += (size_t)n;
        }
        assert_int_equal(strtoul(line, NULL, 10), fixture->read++);
    }
}

static int setup(void **state)
{
    struct fixture *fixture = calloc(1, sizeof(*fixture));

    if (!fixture || pipe2(fixture->end, O_CLOEXEC))
        return -1;
    signal(SIGPIPE, SIG_IGN);
    outlet_init(&fixture->outlet, fixture->end[1]);
    *state = fixture;
    return 0;
}

static int teardown(void **state)
{
    struct fixture *fixture = *state;

    outlet_release(&fixture->outlet);
    close(fixture->end[0]);
    close(fixture->end[1]);
    free(fixture);
    return 0;
}

static void a_reader_that_does_not_read_is_not_waited_for(void **state)
{
    struct fixture *fixture = *state;
    struct outlet *outlet = &fixture->outlet;

    while (!outlet_is_full(outlet) && fixture->put < ENOUGH)
        put_line(fixture);
    assert_true(outlet_is_full(outlet));
    assert_true(outlet_flush(outlet));
    /* All of it comes, in order, once it is read. */
    while (fixture->read < fixture->put) {
        assert_true(outlet_flush(outlet));
        read_lines(fixture, 1);
    }
    assert_int_equal(outlet_kept(outlet), 0);
    assert_false(outlet_is_full(outlet));
    assert_int_equal(outlet->dropped, 0);
}

static void what_is_too_much_is_dropped_by_whole_lines(void **state)
{
    struct fixture *fixture = *state;
    struct outlet *outlet = &fixture->outlet;

    while (!outlet->dropped && fixture->put < ENOUGH)
        put_line(fixture);
    assert_int_equal(outlet->dropped, LINE);
    fixture->put--;
    while (fixture->read < fixture->put) {
        assert_true(outlet_flush(outlet));
        read_lines(fixture, 1);
    }
    assert_int_equal(outlet_kept(outlet), 0);
}

/* The reader goes on when it is waited for. */
static bool let_read(void *user)
{
    struct fixture *fixture = user;

    fixture->waits++;
    read_lines(fixture, 50);
    return true;
}

static void nothing_is_dropped_where_it_may_wait(void **state)
{
    struct fixture *fixture = *state;
    struct outlet *outlet = &fixture->outlet;

    outlet->wait = let_read;
    outlet->user = fixture;
    while (fixture->waits < 5 && fixture->put < ENOUGH)
        put_line(fixture);
    assert_int_equal(fixture->waits, 5);
    assert_int_equal(outlet->dropped, 0);
    outlet_drop(outlet);
    assert_true(outlet->dropped > 0);
    assert_int_equal(outlet_kept(outlet), 0);
}

static void a_reader_that_went_away_is_an_error_for_good(void **state)
{
    struct fixture *fixture = *state;
    struct outlet *outlet = &fixture->outlet;

    close(fixture->end[0]);
    fixture->end[0] = -1;
    put_line(fixture);
    for (int i = 0; i < 2; i++) {
        errno = 0;
        assert_false(outlet_flush(outlet));
        assert_int_equal(errno, EPIPE);
        put_line(fixture);
        assert_int_equal(outlet_kept(outlet), 0);
    }
}

#define CASE(function)                                                         \
    cmocka_unit_test_setup_teardown(function, setup, teardown)

int main(void)
{
    const struct CMUnitTest tests[] = {
        CASE(a_reader_that_does_not_read_is_not_waited_for),
        CASE(what_is_too_much_is_dropped_by_whole_lines),
        CASE(nothing_is_dropped_where_it_may_wait),
        CASE(a_reader_that_went_away_is_an_error_for_good),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
