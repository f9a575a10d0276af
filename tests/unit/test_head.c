#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>

#include <cmocka.h>

#include "base/buf.h"
#include "base/head.h"

/* Each line as "TEXT|NAME|VALUE", '+' before a folded one, '-' for no colon. */
static void lines(void **state)
{
    static const struct {
        const char *head, *want;
    } rows[] = {
        {"", ""},
        {"HTTP/1.1 200 OK\r\nA: b\r\n\r\nbody",
         "HTTP/1.1 200 OK|HTTP/1.1 200 OK|-\nA: b|A|b\n||-\nbody|body|-\n"},
        {"A:b:c\nD :\t e \f\r\n", "A:b:c|A|b:c\nD :\t e \f|D |e\n"},
        {"A:\nA: \r\n:b\n", "A:|A|\nA: |A|\n:b||b\n"},
        {"A: b\r\n c: d\n\te\r\n \n",
         "A: b|A|b\n+ c: d| c|d\n+\te|\te|-\n+ | |-\n"},
        {"A: b\r\r\n", "A: b\r|A|b\n"},
        {"\r\n\n\r", "||-\n||-\n||-\n"},
        {"A: b\rC: d\r", "A: b\rC: d|A|b\rC: d\n"},
    };
    struct buf got;

    (void)state;
    buf_init(&got, 1000);
    for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
        struct str rest = str_of(rows[i].head);
        struct head_line line;

        buf_clear(&got);
        while (head_next(&rest, &line)) {
            struct head_field field = head_field(line.text);
            buf_printf(&got, "%s%.*s|%.*s|%.*s\n",
                       head_is_folded(line.text) ? "+" : "",
                       STR_ARGS(line.text), STR_ARGS(field.name),
                       STR_ARGS(field.value.ptr ? field.value : STR("-")));
        }
        assert_string_equal(buf_cstr(&got), rows[i].want);
    }
    buf_release(&got);
}

/* With their ends the lines are the head. */
static void no_byte_is_lost(void **state)
{
    struct str head = STR("a\r\n b\n\r\nc\r"), rest = head;
    struct head_line line;
    size_t len = 0;

    (void)state;
    while (head_next(&rest, &line)) {
        assert_ptr_equal(line.all.ptr, head.ptr + len);
        len += line.all.len;
    }
    assert_int_equal(len, head.len);
}

static void fields(void **state)
{
    static const char head[] = "HTTP/1.1 200 OK\r\n"
                               "A: one\r\n"
                               " B: part of A\r\n"
                               "a: two\r\n"
                               "\tC: also of A\r\n"
                               "B : three\r\n"
                               "D\r\n"
                               "E:\r\n"
                               "F: last";
    static const struct {
        const char *name, *want;
    } rows[] = {
        {"A", "one"}, {"a", "one"},  {"B", "three"}, {"C", ""}, {"D", ""},
        {"E", ""},    {"F", "last"}, {"G", ""},      {"", ""},
    };

    (void)state;
    for (size_t i = 0; i < ARRAY_LEN(rows); i++)
        if (!str_eq(head_find(str_of(head), str_of(rows[i].name)),
                    str_of(rows[i].want)))
            fail_msg("%s is not '%s'", rows[i].name, rows[i].want);
}

static void lengths(void **state)
{
    static const struct {
        const char *bytes;
        size_t len;
    } rows[] = {
        {"", 0},        {"a", 0},           {"a\r\n", 0},
        {"a\r\n\r", 0}, {"a\r\n\r\n", 5},   {"a\r\n\r\nb\r\n\r\n", 5},
        {"a\n\nb", 3},  {"a\n\r\nb", 4},    {"\n", 1},
        {"\r\nb", 2},   {"a\n\r\r\n\n", 6}, {"a\n \n", 0},
    };

    (void)state;
    for (size_t i = 0; i < ARRAY_LEN(rows); i++)
        assert_int_equal(head_len(str_of(rows[i].bytes)), rows[i].len);
}

static void statuses(void **state)
{
    static const struct {
        const char *head;
        int status;
    } rows[] = {
        {"HTTP/1.1 200 OK\r\nA: b\r\n", 200},
        {"HTTP/1.0 404", 404},
        {"HTTP/1.1   999 ", 999},
        {"HTTP/1.1 204No", 204},
        {"HTTP/2 099\r\n", 99},
        {"HTTP/1.1 2000", 0},
        {"HTTP/1.1 20\r\n", 0},
        {"HTTP/1.1 2x0", 0},
        {"HTTP/1.1 -20", 0},
        {"HTTP/1.1\r\n200", 0},
        {"HTTP/1.1", 0},
        {"", 0},
    };

    (void)state;
    for (size_t i = 0; i < ARRAY_LEN(rows); i++)
        if (head_status(str_of(rows[i].head)) != rows[i].status)
            fail_msg("%s: %d", rows[i].head, head_status(str_of(rows[i].head)));
}

static void lists(void **state)
{
    static const struct {
        const char *list, *want;
    } rows[] = {
        {"", ""},
        {"a", "(a)"},
        {"a,b", "(a)(b)"},
        {" a b\t, c ", "(a b)(c)"},
        {",a,,b", "()(a)()(b)"},
        {"a,", "(a)"},
        {" ", "()"},
    };
    struct buf got;

    (void)state;
    buf_init(&got, 100);
    for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
        struct str list = str_of(rows[i].list);

        buf_clear(&got);
        while (list.len) {
            struct str item = head_take_item(&list);
            buf_printf(&got, "(%.*s)", STR_ARGS(item));
        }
        assert_string_equal(buf_cstr(&got), rows[i].want);
    }
    buf_release(&got);
}

/* --- phrases -------------------------------------------------------------- */

static void registered_codes_have_their_phrase(void **state)
{
    static const struct {
        int status;
        const char *phrase;
    } rows[] = {
        {100, "Continue"},
        {200, "OK"},
        {204, "No Content"},
        {301, "Moved Permanently"},
        {308, "Permanent Redirect"},
        {404, "Not Found"},
        {410, "Gone"},
        {429, "Too Many Requests"},
        {451, "Unavailable For Legal Reasons"},
        {503, "Service Unavailable"},
        {511, "Network Authentication Required"},
    };

    (void)state;
    for (size_t i = 0; i < ARRAY_LEN(rows); i++)
        assert_string_equal(http_status_phrase(rows[i].status), rows[i].phrase);
}

static void other_codes_have_none(void **state)
{
    static const int rows[] = {-1,  0,   1,   99,  104, 299, 306,    418,
                               420, 499, 509, 599, 600, 999, 1 << 30};

    (void)state;
    for (size_t i = 0; i < ARRAY_LEN(rows); i++)
        if (http_status_phrase(rows[i]))
            fail_msg("%d has a phrase", rows[i]);
}

static void no_phrase_is_there_twice(void **state)
{
    (void)state;
    for (int i = 0; i < 600; i++)
        for (int j = 0; http_status_phrase(i) && j < i; j++)
            if (http_status_phrase(j) &&
                !strcmp(http_status_phrase(i), http_status_phrase(j)))
                fail_msg("%d and %d are both %s", j, i, http_status_phrase(i));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(lines),
        cmocka_unit_test(no_byte_is_lost),
        cmocka_unit_test(fields),
        cmocka_unit_test(lengths),
        cmocka_unit_test(statuses),
        cmocka_unit_test(lists),
        cmocka_unit_test(registered_codes_have_their_phrase),
        cmocka_unit_test(other_codes_have_none),
        cmocka_unit_test(no_phrase_is_there_twice),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
