/* Orders as JSON and as words. */
#include "view/order.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

static const struct json_case {
    const char *json;
    enum view_order_kind kind; /* ORDER_NONE: it is refused */
    const char *text;
    uint64_t delay_ms;
} json_cases[] = {
    {"{\"order\":\"pause\"}", ORDER_PAUSE, "", 0},
    {" { \"order\" : \"stop-now\" } \r\n", ORDER_STOP_NOW, "", 0},
    {"{\"order\":\"drop\",\"host\":\"a.test\"}", ORDER_DROP, "a.test", 0},
    {"{\"host\":\"a.test:80\",\"order\":\"retry\"}", ORDER_RETRY, "a.test:80",
     0},
    {"{\"order\":\"delay\",\"host\":\"a\",\"delay_ms\":5000}", ORDER_DELAY, "a",
     5000},
    {"{\"order\":\"delay\",\"host\":\"a\",\"delay_ms\":null}", ORDER_DELAY, "a",
     ORDER_NO_DELAY},
    {"{\"order\":\"exclude\",\"pattern\":\"*\\/cal\\u00e9*\"}", ORDER_EXCLUDE,
     "*/cal\xc3\xa9*", 0},
    {"{\"order\":\"allow\",\"pattern\":\"\\ud83d\\ude00\"}", ORDER_ALLOW,
     "\xf0\x9f\x98\x80", 0},
    {"{\"order\":\"seed\",\"url\":\"http://a.test/?q=\\\"x\\\"\"}", ORDER_SEED,
     "http://a.test/?q=\"x\"", 0},

    {"", ORDER_NONE, NULL, 0},
    {"pause", ORDER_NONE, NULL, 0},
    {"[]", ORDER_NONE, NULL, 0},
    {"{}", ORDER_NONE, NULL, 0},
    {"{\"order\":\"pause\"", ORDER_NONE, NULL, 0},
    {"{\"order\":\"pause\"}x", ORDER_NONE, NULL, 0},
    {"{\"order\":\"pause\",}", ORDER_NONE, NULL, 0},
    {"{\"order\":\"none\"}", ORDER_NONE, NULL, 0},
    {"{\"order\":\"dance\"}", ORDER_NONE, NULL, 0},
    {"{\"order\":1}", ORDER_NONE, NULL, 0},
    {"{\"order\":{\"order\":\"pause\"}}", ORDER_NONE, NULL, 0},
    {"{\"order\":\"pause\",\"order\":\"stop\"}", ORDER_NONE, NULL, 0},
    {"{\"order\":\"pause\",\"host\":\"a\"}", ORDER_NONE, NULL, 0},
    {"{\"order\":\"pause\",\"delay_ms\":1}", ORDER_NONE, NULL, 0},
    {"{\"order\":\"drop\"}", ORDER_NONE, NULL, 0},
    {"{\"order\":\"drop\",\"host\":\"\"}", ORDER_NONE, NULL, 0},
    {"{\"order\":\"drop\",\"host\":7}", ORDER_NONE, NULL, 0},
    {"{\"order\":\"drop\",\"host\":null}", ORDER_NONE, NULL, 0},
    {"{\"order\":\"drop\",\"host\":\"a\",\"host\":\"b\"}", ORDER_NONE, NULL, 0},
    {"{\"order\":\"drop\",\"pattern\":\"a\"}", ORDER_NONE, NULL, 0},
    {"{\"order\":\"drop\",\"host\":\"a\",\"x\":\"y\"}", ORDER_NONE, NULL, 0},
    {"{\"order\":\"drop\",\"host\":\"a\\u0000b\"}", ORDER_NONE, NULL, 0},
    {"{\"order\":\"drop\",\"host\":\"a\nb\"}", ORDER_NONE, NULL, 0},
    {"{\"order\":\"drop\",\"host\":\"\\ud800\"}", ORDER_NONE, NULL, 0},
    {"{\"order\":\"drop\",\"host\":\"\\q\"}", ORDER_NONE, NULL, 0},
    {"{\"order\":\"delay\",\"host\":\"a\"}", ORDER_NONE, NULL, 0},
    {"{\"order\":\"delay\",\"host\":\"a\",\"delay_ms\":true}", ORDER_NONE, NULL,
     0},
    {"{\"order\":\"delay\",\"host\":\"a\",\"delay_ms\":-1}", ORDER_NONE, NULL,
     0},
    {"{\"order\":\"delay\",\"host\":\"a\",\"delay_ms\":1.5}", ORDER_NONE, NULL,
     0},
    {"{\"order\":\"delay\",\"host\":\"a\",\"delay_ms\":86400001}", ORDER_NONE,
     NULL, 0},
    {"{\"order\":\"delay\",\"host\":\"a\",\"delay_ms\":99999999999999999999}",
     ORDER_NONE, NULL, 0},
    {"{\"order\":\"delay\",\"host\":\"a\",\"delay_ms\":18446744073709551615}",
     ORDER_NONE, NULL, 0},
    {"{\"order\":\"pause\",\"x\":[]}", ORDER_NONE, NULL, 0},
    {"{\"order\":\"pause\"}{}", ORDER_NONE, NULL, 0},
    {"[{\"order\":\"pause\"}]", ORDER_NONE, NULL, 0},
    {"\"pause\"", ORDER_NONE, NULL, 0},
};

static void check(const struct view_order *order, const struct json_case *row)
{
    assert_int_equal(order->kind, row->kind);
    assert_string_equal(order->text, row->text);
    if (row->kind == ORDER_DELAY)
        assert_true(order->delay_ms == row->delay_ms);
}

static void test_reads_and_writes_json(void **state)
{
    (void)state;

    for (size_t i = 0; i < ARRAY_LEN(json_cases); i++) {
        const struct json_case *row = &json_cases[i];
        struct view_order order;
        const char *problem = NULL;
        bool good = view_order_parse(str_of(row->json), &order, &problem);
        if (good != (row->kind != ORDER_NONE))
            fail_msg("%s: %s", row->json, good ? "read" : problem);
        if (!good) {
            assert_non_null(problem);
            continue;
        }
        check(&order, row);
        struct buf out;
        buf_init(&out, 8192);
        view_order_put(&out, &order);
        assert_true(view_order_parse(buf_str(&out), &order, &problem));
        check(&order, row);
        buf_release(&out);
    }
}

static void test_refuses_texts_that_are_too_long(void **state)
{
    struct view_order order;
    const char *problem;
    struct buf json;
    (void)state;

    buf_init(&json, 8192);
    buf_put(&json, STR("{\"order\":\"drop\",\"host\":\""));
    for (int i = 0; i < ORDER_TEXT_MAX; i++)
        buf_put_char(&json, 'a');
    size_t len = json.len;
    buf_put(&json, STR("\"}"));
    assert_true(view_order_parse(buf_str(&json), &order, &problem));
    json.len = len;
    buf_put(&json, STR("a\"}"));
    assert_false(view_order_parse(buf_str(&json), &order, &problem));
    buf_release(&json);
}

static const struct words_case {
    const char *word[4];
    enum view_order_kind kind;
    uint64_t delay_ms;
} words_cases[] = {
    {{"pause"}, ORDER_PAUSE, 0},
    {{"delay", "a.test", "5"}, ORDER_DELAY, 5000},
    {{"delay", "a.test", "0.25"}, ORDER_DELAY, 250},
    {{"delay", "a.test", "0"}, ORDER_DELAY, 0},
    {{"delay", "a.test", "86400"}, ORDER_DELAY, ORDER_DELAY_MAX_MS},
    {{"delay", "a.test", "-"}, ORDER_DELAY, ORDER_NO_DELAY},
    {{"exclude", "*/x/*"}, ORDER_EXCLUDE, 0},
    {{"delay", "a.test", "86401"}, ORDER_NONE, 0},
    {{"delay", "a.test", "5s"}, ORDER_NONE, 0},
    {{"delay", "a.test", "-5"}, ORDER_NONE, 0},
    {{"delay", "a.test", "0.0001"}, ORDER_NONE, 0},
    {{"delay", "a.test"}, ORDER_NONE, 0},
    {{"pause", "a.test"}, ORDER_NONE, 0},
    {{"drop"}, ORDER_NONE, 0},
    {{"drop", ""}, ORDER_NONE, 0},
    {{"Pause"}, ORDER_NONE, 0},
    {{NULL}, ORDER_NONE, 0},
};

static void test_reads_words(void **state)
{
    (void)state;

    for (size_t i = 0; i < ARRAY_LEN(words_cases); i++) {
        const struct words_case *row = &words_cases[i];
        struct view_order order;
        const char *problem = NULL;
        size_t count = 0;
        while (count < 4 && row->word[count])
            count++;
        bool good = view_order_of_words(row->word, count, &order, &problem);
        assert_int_equal(good, row->kind != ORDER_NONE);
        if (good)
            assert_int_equal(order.kind, row->kind);
        if (good && row->kind == ORDER_DELAY)
            assert_true(order.delay_ms == row->delay_ms);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_reads_and_writes_json),
        cmocka_unit_test(test_refuses_texts_that_are_too_long),
        cmocka_unit_test(test_reads_words),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
