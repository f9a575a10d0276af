#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>

#include <cmocka.h>

#include "base/json.h"
#include "support/json.h"
#include "support/random.h"

#define FFFD "\xEF\xBF\xBD"

static void strings(void **state)
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
    json_add_str(&buf, "a\"", STR("{"));
    json_open(&buf, "in");
    json_add_number(&buf, "b", UINT64_MAX);
    json_add_null(&buf, "c");
    json_close(&buf);
    json_put_name(&buf, "d");
    buf_put(&buf, STR("1.5"));
    json_close(&buf);
    assert_string_equal(buf_cstr(&buf),
                        "{\"empty\":{},\"a\\\"\":\"{\",\"in\":{\"b\":"
                        "18446744073709551615,\"c\":null},\"d\":1.5}");
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

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(strings),
        cmocka_unit_test(every_byte_at_every_place),
        cmocka_unit_test(random_bytes_can_be_read),
        cmocka_unit_test(commas_are_between_values),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
