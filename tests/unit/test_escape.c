#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>

#include <cmocka.h>

#include "base/escape.h"
#include "base/str.h"
#include "support/random.h"

static void texts(void **state)
{
    static const struct {
        struct str text;
        const char *shown;
    } rows[] = {
        {{0}, ""},
        {STR_INIT("plain ~"), "plain ~"},
        {STR_INIT("\xc3\xa9 \xe2\x82\xac \xf0\x9f\x98\x80"),
         "\xc3\xa9 \xe2\x82\xac \xf0\x9f\x98\x80"},
        /* of ASCII */
        {STR_INIT("a\0b\x1b[31mc\td\re\nf\x1f\x7f"), "a?b?[31mc?d?e?f??"},
        /* C1, and what is before and behind it */
        {STR_INIT("~\xc2\x80|\xc2\x85|\xc2\x9b"
                  "31m|\xc2\x9f\xc2\xa0"),
         "~?|?|?31m|?\xc2\xa0"},
        /* directions */
        {STR_INIT("\xd8\x9b\xd8\x9c\xd8\x9d"), "\xd8\x9b?\xd8\x9d"},
        {STR_INIT("\xe2\x80\x8d\xe2\x80\x8e\xe2\x80\x8f\xe2\x80\x90"),
         "\xe2\x80\x8d??\xe2\x80\x90"},
        {STR_INIT("\xe2\x80\xa9\xe2\x80\xaa\xe2\x80\xae\xe2\x80\xaf"),
         "\xe2\x80\xa9??\xe2\x80\xaf"},
        {STR_INIT("\xe2\x81\xa5\xe2\x81\xa6\xe2\x81\xa9\xe2\x81\xaa"),
         "\xe2\x81\xa5??\xe2\x81\xaa"},
        /* no character, also half of one, or what another charset obeys */
        {STR_INIT("\x9b"
                  "31m \xff \xc2"),
         "?31m ? ?"},
        {STR_INIT("\xe2\x80"), "?"},
        {STR_INIT("\xe2\x80\xc2\x9b\xc2x"), "???x"},
        {STR_INIT("\xc0\x9b \xed\xa0\x80"), "?? ???"},
        {STR_INIT("\xef\xbf\xbd\xef\xbf"), "\xef\xbf\xbd?"},
    };

    (void)state;
    for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
        struct buf out;

        buf_init(&out, 1000);
        buf_put_char(&out, '>');
        terminal_put(&out, rows[i].text, '?');
        if (strcmp(buf_cstr(&out) + 1, rows[i].shown) != 0)
            fail_msg("row %zu: %s, not %s", i, buf_cstr(&out) + 1,
                     rows[i].shown);
        buf_release(&out);
    }
}

/* Whatever comes in, what comes out is whole, harmless and no longer. */
static void random_bytes(void **state)
{
    struct random random = {5};
    struct buf out;

    (void)state;
    buf_init(&out, 100);
    for (int i = 0; i < 20000; i++) {
        static const char common[] = "\xc2\x9b\xe2\x80\xae\x81\xa6\x1b"
                                     "a";
        char bytes[24];
        size_t len = random_below(&random, sizeof(bytes));

        for (size_t j = 0; j < len; j++)
            bytes[j] = random_below(&random, 2)
                           ? common[random_below(&random, sizeof(common) - 1)]
                           : (char)(random_u64(&random) & 0xff);
        buf_clear(&out);
        terminal_put(&out, (struct str){bytes, len}, ' ');
        assert_true(out.len <= len);
        for (struct str rest = buf_str(&out); rest.len;) {
            uint32_t c;
            size_t used = utf8_read(rest.ptr, rest.ptr + rest.len, &c);
            assert_false(terminal_obeys(c));
            if (c == UTF8_REPLACEMENT)
                assert_true(str_starts(rest, STR("\xef\xbf\xbd")));
            rest = str_skip(rest, used);
        }
    }
    buf_release(&out);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(texts),
        cmocka_unit_test(random_bytes),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
