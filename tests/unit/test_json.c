#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>

#include <cmocka.h>

#include "support/arena_state.h"
#include "support/json.h"

static void strings(void **state)
{
    static const struct {
        const char *text;
        struct str expected;
    } cases[] = {
        {"\"\"", STR_INIT("")},
        {"\"abc\"", STR_INIT("abc")},
        {"\"a\\\"\\\\\\/\\b\\f\\n\\r\\tz\"", STR_INIT("a\"\\/\b\f\n\r\tz")},
        {"\"\\u0000x\"", STR_INIT("\0x")},
        {"\"\\u00e9\\u20AC\"", STR_INIT("\xC3\xA9\xE2\x82\xAC")},
        {"\"\xC3\xA9\"", STR_INIT("\xC3\xA9")},
        {"\"\\ud83c\\udd04\"", STR_INIT("\xF0\x9F\x84\x84")},
        {"\"\\ud83c\"", STR_INIT("\xEF\xBF\xBD")},
        {"\"\\udd04a\"", STR_INIT("\xEF\xBF\xBD"
                                  "a")},
        {"\"\\ud800\\ud801\\udffe\\udfff\"",
         STR_INIT("\xEF\xBF\xBD\xF0\x90\x9F\xBE\xEF\xBF\xBD")},
        {"\"\\ud800\\u0041\"", STR_INIT("\xEF\xBF\xBD"
                                        "A")},
    };

    for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
        const struct json *json = json_parse(*state, str_of(cases[i].text));
        if (!json_is(json, JSON_STRING) ||
            !str_eq(json_str(json), cases[i].expected))
            fail_msg("%s: got %s", cases[i].text, json_str(json).ptr);
    }
}

static void tree(void **state)
{
    const struct json *json = json_parse(
        *state, STR(" {\"a\": [1, -2.5e1, true, false, null, {}, []],\n"
                    "\t\"b\" : {\"c\":\"d\"}, \"a\": 7}\r\n"));
    const struct json *a = json_get(json, "a");

    assert_true(json_is(json, JSON_OBJECT));
    assert_int_equal(json_count(json), 3);
    assert_true(str_eq(json_at(json, 1)->name, STR("b")));
    assert_int_equal(json_count(a), 7);
    assert_true(json_number(json_at(a, 0)) == 1);
    assert_true(json_number(json_at(a, 1)) == -25);
    assert_true(json_bool(json_at(a, 2)));
    assert_true(json_is(json_at(a, 3), JSON_BOOL));
    assert_false(json_bool(json_at(a, 3)));
    assert_true(json_is(json_at(a, 4), JSON_NULL));
    assert_true(json_is(json_at(a, 5), JSON_OBJECT));
    assert_true(json_is(json_at(a, 6), JSON_ARRAY));
    assert_null(json_at(a, 7));
    assert_true(str_eq(json_str(json_get(json_get(json, "b"), "c")), STR("d")));
    assert_null(json_get(json, "none"));
    assert_null(json_get(json_get(json, "none"), "c"));
    assert_int_equal(json_str(NULL).len, 0);
}

static void refused(void **state)
{
    static const char *const cases[] = {
        "",        "{",       "[1,]",        "[1 2]",     "\"a",
        "\"a\\\"", "\"\\x\"", "\"\\u12g4\"", "{\"a\" 1}", "{a:1}",
        "nul",     "1x",      "[1]]",        "\"\\",      "\"\\u12\"",
    };
    char deep[501];

    for (size_t i = 0; i < ARRAY_LEN(cases); i++)
        if (json_parse(*state, str_of(cases[i])))
            fail_msg("accepted: %s", cases[i]);
    memset(deep, '[', 250);
    memset(deep + 250, ']', 250);
    assert_null(json_parse(*state, (struct str){deep, 500}));
    assert_non_null(json_parse(*state, (struct str){deep + 50, 400}));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(strings, setup, teardown),
        cmocka_unit_test_setup_teardown(tree, setup, teardown),
        cmocka_unit_test_setup_teardown(refused, setup, teardown),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
