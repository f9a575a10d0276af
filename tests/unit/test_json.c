#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

#include <cmocka.h>

#include "base/json.h"
#include "base/mem.h"
#include "support/arena_state.h"
#include "support/json.h"
#include "support/random.h"

#define FFFD "\xEF\xBF\xBD"

/* --- writing -------------------------------------------------------------- */

static void strings_are_escaped(void **state)
{
    static const struct {
        struct str input;
        const char *output;
    } cases[] = {
        {STR_INIT(""), "\"\""},
        {{0}, "\"\""},
        {STR_INIT("a/b"), "\"a/b\""},
        {STR_INIT("\"\\"), "\"\\\"\\\\\""},
        {STR_INIT("\0\x01\t\n\r\x1f"),
         "\"\\u0000\\u0001\\u0009\\u000a\\u000d\\u001f\""},
        {STR_INIT("\x7f"), "\"\\u007f\""},
        {STR_INIT("\xc3\xa4"), "\"\xc3\xa4\""},
        {STR_INIT("\xe2\x82\xac"), "\"\xe2\x82\xac\""},
        {STR_INIT("\xf0\x9f\x98\x80"), "\"\xf0\x9f\x98\x80\""},
        /* What a terminal obeys. */
        {STR_INIT("\xc2\x9b\xc2\xa0"), "\"\\u009b\xc2\xa0\""},
        {STR_INIT("\xe2\x80\xae\xe2\x81\xa6"), "\"\\u202e\\u2066\""},
        /* The first and the last of each length. */
        {STR_INIT("\xc2\x80"), "\"\\u0080\""},
        {STR_INIT("\xdf\xbf"), "\"\xdf\xbf\""},
        {STR_INIT("\xe0\xa0\x80"), "\"\xe0\xa0\x80\""},
        {STR_INIT("\xef\xbf\xbf"), "\"\xef\xbf\xbf\""},
        {STR_INIT("\xf0\x90\x80\x80"), "\"\xf0\x90\x80\x80\""},
        {STR_INIT("\xf4\x8f\xbf\xbf"), "\"\xf4\x8f\xbf\xbf\""},
        /* And what is just outside. */
        {STR_INIT("\x80"), "\"" FFFD "\""},
        {STR_INIT("\xc1\xbf"), "\"" FFFD FFFD "\""},
        {STR_INIT("\xe0\x9f\xbf"), "\"" FFFD FFFD FFFD "\""},
        {STR_INIT("\xed\xa0\x80"), "\"" FFFD FFFD FFFD "\""},
        {STR_INIT("\xed\x9f\xbf"), "\"\xed\x9f\xbf\""},
        {STR_INIT("\xee\x80\x80"), "\"\xee\x80\x80\""},
        {STR_INIT("\xf0\x8f\xbf\xbf"), "\"" FFFD FFFD FFFD FFFD "\""},
        {STR_INIT("\xf4\x90\x80\x80"), "\"" FFFD FFFD FFFD FFFD "\""},
        {STR_INIT("\xf5\x80\x80\x80"), "\"" FFFD FFFD FFFD FFFD "\""},
        {STR_INIT("\xff"), "\"" FFFD "\""},
        /* Cut short: by the end, by a quote, by another lead byte. */
        {STR_INIT("\xc3"), "\"" FFFD "\""},
        {STR_INIT("\xc3\""), "\"" FFFD "\\\"\""},
        {STR_INIT("\xe2\x82"), "\"" FFFD "\""},
        {STR_INIT("\xe2\x82\xc3\xa4"), "\"" FFFD "\xc3\xa4\""},
    };

    (void)state;
    for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
        struct buf buf;
        buf_init(&buf, 1000);
        json_put_str(&buf, cases[i].input);
        if (strcmp(buf_cstr(&buf), cases[i].output) != 0)
            fail_msg("case %zu: expected %s, got %s", i, cases[i].output,
                     buf_cstr(&buf));
        buf_release(&buf);
    }
}

/* Whatever comes in, a reader reads it, and bytes that are ASCII come back as
 * they were. */
static void random_bytes_can_be_read(void **state)
{
    struct random random = {3};
    struct arena arena;
    struct buf buf;

    (void)state;
    arena_init(&arena);
    buf_init(&buf, 1000);
    for (int i = 0; i < 20000; i++) {
        char bytes[24];
        size_t len = random_below(&random, sizeof(bytes));
        bool ascii = random_below(&random, 2);
        for (size_t j = 0; j < len; j++)
            bytes[j] = (char)(random_u64(&random) & (ascii ? 0x7f : 0xff));

        buf_clear(&buf);
        json_put_str(&buf, (struct str){bytes, len});
        const struct json *json = json_parse(&arena, buf_str(&buf));
        if (!json_is(json, JSON_STRING) ||
            (ascii && !str_eq(json_str(json), (struct str){bytes, len})))
            fail_msg("not read back: %s", buf_cstr(&buf));
        arena_clear(&arena);
    }
    buf_release(&buf);
    arena_release(&arena);
}

static void commas_are_between_values(void **state)
{
    struct buf buf;

    (void)state;
    buf_init(&buf, 1000);
    json_open(&buf, NULL);
    json_open(&buf, "empty");
    json_close(&buf);
    json_open_array(&buf, "none");
    json_close_array(&buf);
    json_add_str(&buf, "a\"", STR("{"));
    json_open(&buf, "in");
    json_add_number(&buf, "b", UINT64_MAX);
    json_add_null(&buf, "c");
    json_close(&buf);
    json_add_decimal(&buf, "d", 1.5);
    json_open_array(&buf, "e");
    json_add_bool(&buf, NULL, true);
    json_add_bool(&buf, NULL, false);
    json_add_number(&buf, NULL, 1);
    json_add_str(&buf, NULL, STR("["));
    json_open_array(&buf, NULL);
    json_add_number(&buf, NULL, 2);
    json_add_null(&buf, NULL);
    json_close_array(&buf);
    json_open(&buf, NULL);
    json_close(&buf);
    json_open(&buf, NULL);
    json_add_cstr_or_null(&buf, "f", "text");
    json_add_cstr_or_null(&buf, "g", NULL);
    json_add_number_or_null(&buf, "h", 3);
    json_add_number_or_null(&buf, "i", 0);
    json_close(&buf);
    json_close_array(&buf);
    json_close(&buf);
    buf_put_char(&buf, '\n');
    json_open(&buf, NULL);
    json_close(&buf);
    assert_string_equal(
        buf_cstr(&buf),
        "{\"empty\":{},\"none\":[],\"a\\\"\":\"{\",\"in\":{\"b\":"
        "18446744073709551615,\"c\":null},\"d\":1.500,\"e\":[true,false,1,"
        "\"[\",[2,null],{},{\"f\":\"text\",\"g\":null,\"h\":3,\"i\":null}]}"
        "\n{}");
    buf_release(&buf);
}

/* Bytes are looked at eight at a time: each counts, wherever it is. */
static void every_byte_at_every_place(void **state)
{
    char text[20];
    struct buf whole, alone;

    (void)state;
    buf_init(&whole, 1000);
    buf_init(&alone, 1000);
    for (int byte = 0; byte < 0x80; byte++)
        for (size_t at = 0; at < sizeof(text); at++) {
            memset(text, 'a', sizeof(text));
            text[at] = (char)byte;
            buf_clear(&whole);
            buf_clear(&alone);
            json_put_str(&whole, (struct str){text, sizeof(text)});
            json_put_str(&alone, (struct str){&text[at], 1});
            assert_int_equal(whole.len, alone.len + sizeof(text) - 1);
            assert_memory_equal(whole.ptr + 1 + at, alone.ptr + 1,
                                alone.len - 2);
        }
    buf_release(&whole);
    buf_release(&alone);
}

/* --- reading -------------------------------------------------------------- */

/* What is read, as text: a string in quotes, without escapes. */
static void show(struct json_reader *reader, const struct json_item *item,
                 struct buf *out)
{
    static const char *const words[] = {"null", "false", "true"};
    bool is_array = item->type == JSON_ARRAY;
    struct json_item inner;

    if (item->name.ptr)
        buf_printf(out, "%.*s:", STR_ARGS(item->name));
    if (item->type < JSON_NUMBER) {
        buf_put(out, str_of(words[item->type]));
    } else if (item->type == JSON_NUMBER) {
        buf_put(out, item->text);
    } else if (item->type == JSON_STRING) {
        buf_put_char(out, '"');
        buf_put(out, item->text);
        buf_put_char(out, '"');
    } else {
        buf_put_char(out, is_array ? '[' : '{');
        for (const char *before = ""; json_next(reader, &inner); before = " ") {
            buf_put(out, str_of(before));
            show(reader, &inner, out);
        }
        buf_put_char(out, is_array ? ']' : '}');
    }
}

/* False if it is not JSON. Read from memory of its length, so that a sanitizer
 * sees who reads beyond. */
static bool read_as_text(struct str text, bool is_lenient, struct buf *out)
{
    char *copy = mem_new(text.len + 1);
    struct json_reader reader;
    struct json_item item;
    struct buf scratch;

    copy = mem_resize(copy, text.len ? text.len : 1);
    if (text.len)
        memcpy(copy, text.ptr, text.len);
    buf_clear(out);
    buf_init(&scratch, text.len);
    json_read(&reader, (struct str){copy, text.len}, &scratch);
    reader.is_lenient = is_lenient;
    if (json_next(&reader, &item))
        show(&reader, &item, out);
    bool good = json_is_whole(&reader);
    if (good) /* nothing more comes */
        assert_false(json_next(&reader, &item));
    buf_release(&scratch);
    free(copy);
    return good;
}

#define EUR "\xE2\x82\xAC"

static void values(void **state)
{
    static const struct {
        struct str text;
        const char *strict, *lenient; /* NULL: it is not JSON */
    } cases[] = {
#define SAME(text, want) {STR_INIT(text), want, want}
#define BROKEN(text)                                                           \
    {                                                                          \
        STR_INIT(text), NULL, NULL                                             \
    }
        SAME("1", "1"),
        SAME(" \t\r\n1 ", "1"),
        SAME("true", "true"),
        SAME("false", "false"),
        SAME("null", "null"),
        SAME("{}", "{}"),
        SAME("[ ]", "[]"),
        SAME("[1,\"a\",[true , null],{}]", "[1 \"a\" [true null] {}]"),
        SAME("{\"a\":1, \"\\u0062\" : {\"c\":[]},\"a\":2}",
             "{a:1 b:{c:[]} a:2}"),
        BROKEN(""),
        BROKEN(" "),
        BROKEN("{"),
        BROKEN("}"),
        BROKEN("[1"),
        BROKEN("[1,]"),
        BROKEN("[,1]"),
        BROKEN("[1 2]"),
        BROKEN("[1}"),
        BROKEN("[1]]"),
        BROKEN("1 2"),
        BROKEN("1,2"),
        BROKEN("{}{}"),
        BROKEN("{,}"),
        BROKEN("{\"a\"}"),
        BROKEN("{\"a\":}"),
        BROKEN("{\"a\" 1}"),
        BROKEN("{\"a\":1,}"),
        BROKEN("{a:1}"),
        BROKEN("{1:1}"),
        /* numbers */
        SAME("0", "0"),
        SAME("-0", "-0"),
        SAME("-2.5e1", "-2.5e1"),
        SAME("1E+99", "1E+99"),
        SAME("10.00e-0", "10.00e-0"),
        SAME("99999999999999999999", "99999999999999999999"),
        BROKEN("-"),
        BROKEN("+1"),
        BROKEN("01"),
        BROKEN("-01"),
        BROKEN(".5"),
        BROKEN("1."),
        BROKEN("1.e1"),
        BROKEN("1e"),
        BROKEN("1e+"),
        BROKEN("1x"),
        BROKEN("1-1"),
        BROKEN("0x10"),
        BROKEN("NaN"),
        BROKEN("nul"),
        BROKEN("nulls"),
        BROKEN("True"),
        /* strings */
        SAME("\"\"", "\"\""),
        SAME("\"abc\"", "\"abc\""),
        SAME("\"a\\\"\\\\\\/\\b\\f\\n\\r\\tz\"", "\"a\"\\/\b\f\n\r\tz\""),
        SAME("\"\\\\\"", "\"\\\""),
        SAME("\"\\u00e9\\u20AC\"", "\"\xC3\xA9" EUR "\""),
        SAME("\"" EUR "\xff\"", "\"" EUR "\xff\""),
        SAME("\"\\ud83c\\udd04\"", "\"\xF0\x9F\x84\x84\""),
        SAME("\"\\uDBFF\\uDFFF\"", "\"\xF4\x8F\xBF\xBF\""),
        BROKEN("\"a"),
        BROKEN("\"a\\\""),
        BROKEN("\"\\"),
        BROKEN("\"\\x\""),
        BROKEN("\"\\\0\""),
        BROKEN("\"\\u12g4\""),
        BROKEN("\"\\u12\""),
        BROKEN("\"\\ud83c\\u12\""),
        {STR_INIT("\"\\ud83c\""), NULL, "\"" FFFD "\""},
        {STR_INIT("\"\\ud83c\\n\""), NULL, "\"" FFFD "\n\""},
        {STR_INIT("\"\\udd04a\""), NULL, "\"" FFFD "a\""},
        {STR_INIT("\"\\udd04\\ud83c\""), NULL, "\"" FFFD FFFD "\""},
        {STR_INIT("\"\\ud800\\ud801\\udffe\\udfff\""), NULL,
         "\"" FFFD "\xF0\x90\x9F\xBE" FFFD "\""},
        {STR_INIT("\"\\ud800\\u0041\""), NULL, "\"" FFFD "A\""},
        {STR_INIT("\"a\nb\""), NULL, "\"a\nb\""},
        {STR_INIT("\"a\x1f\""), NULL, "\"a\x1f\""},
    };
    struct buf got;

    (void)state;
    buf_init(&got, 1000);
    for (size_t i = 0; i < ARRAY_LEN(cases); i++)
        for (int is_lenient = 0; is_lenient < 2; is_lenient++) {
            const char *want = is_lenient ? cases[i].lenient : cases[i].strict;
            bool good = read_as_text(cases[i].text, is_lenient, &got);
            if (good != (want != NULL) ||
                (want && strcmp(buf_cstr(&got), want) != 0))
                fail_msg("%s: %s %s", cases[i].text.ptr,
                         good ? "read as" : "broken, after", buf_cstr(&got));
        }
    buf_release(&got);
}

static void a_nul_is_a_character(void **state)
{
    struct buf got;

    (void)state;
    buf_init(&got, 100);
    assert_true(read_as_text(STR("\"\\u0000x\""), false, &got));
    assert_true(str_eq(buf_str(&got), STR("\"\0x\"")));
    buf_release(&got);
}

static void nesting_has_an_end(void **state)
{
    char deep[2 * JSON_DEPTH_MAX + 2];
    struct buf got;

    (void)state;
    buf_init(&got, 1000);
    memset(deep, '[', JSON_DEPTH_MAX + 1);
    memset(deep + JSON_DEPTH_MAX + 1, ']', JSON_DEPTH_MAX + 1);
    assert_true(
        read_as_text((struct str){deep + 1, sizeof(deep) - 2}, false, &got));
    assert_false(read_as_text((struct str){deep, sizeof(deep)}, false, &got));
    buf_release(&got);
}

static void what_is_skipped(void **state)
{
    struct json_reader reader;
    struct json_item item;
    struct buf scratch;
    int members = 0;

    (void)state;
    buf_init(&scratch, 100);
    json_read(&reader,
              STR("{\"a\":[1,{\"b\":[\"]\\n\"]},[]],\"c\":2,\"d\":{}}"),
              &scratch);
    assert_true(json_next(&reader, &item));
    while (json_next(&reader, &item)) {
        assert_int_equal(item.name.ptr[0], "acd"[members++]);
        assert_true(json_skip(&reader, &item));
    }
    assert_int_equal(members, 3);
    assert_true(json_is_whole(&reader));

    json_read(&reader, STR("[[1,{\"b\":2]]"), &scratch);
    assert_true(json_next(&reader, &item));
    assert_true(json_next(&reader, &item));
    assert_false(json_skip(&reader, &item));
    assert_false(json_next(&reader, &item));
    assert_false(json_is_whole(&reader));
    buf_release(&scratch);
}

static void a_text_has_a_cap(void **state)
{
    struct json_reader reader;
    struct json_item item;
    struct buf scratch;

    (void)state;
    buf_init(&scratch, 7);
    json_read(&reader, STR("\"12345\""), &scratch);
    assert_true(json_next(&reader, &item));
    json_read(&reader, STR("\"123456\""), &scratch);
    assert_false(json_next(&reader, &item));
    assert_false(json_is_whole(&reader));
    buf_release(&scratch);
}

/* --- the tree of test data (tests/support/json.h) ------------------------- */

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
    assert_true(json_is(json_at(a, 3), JSON_FALSE));
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

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(strings_are_escaped),
        cmocka_unit_test(every_byte_at_every_place),
        cmocka_unit_test(random_bytes_can_be_read),
        cmocka_unit_test(commas_are_between_values),
        cmocka_unit_test(values),
        cmocka_unit_test(a_nul_is_a_character),
        cmocka_unit_test(nesting_has_an_end),
        cmocka_unit_test(what_is_skipped),
        cmocka_unit_test(a_text_has_a_cap),
        cmocka_unit_test_setup_teardown(tree, setup, teardown),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
