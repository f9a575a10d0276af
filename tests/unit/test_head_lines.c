/* The lines of a head that are kept for the next reading of a page. */
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>

#include <cmocka.h>

#include "page/head_lines.h"

static void there_and_back(void **state)
{
    static const struct {
        struct exchange exchange;
        const char *lines;
    } cases[] = {
        {{.charset_label = "koi8-r"}, "charset=koi8-r"},
        {{.status = 200}, ""},
        {{.noindex = true, .noarchive = true},
         "X-Robots-Tag: noindex, noarchive"},
        {{.nofollow = true, .charset_label = "utf-8"},
         "X-Robots-Tag: nofollow\ncharset=utf-8"},
        {{.canonical = STR_INIT("/a?b=c,d"), .charset_label = "latin1"},
         "Link: </a?b=c,d>; rel=canonical\ncharset=latin1"},
        {{.refresh = STR_INIT("5; url=/b"), .language = STR_INIT("en, de")},
         "Refresh: 5; url=/b\nContent-Language: en, de"},
    };
    struct arena arena;

    (void)state;
    arena_init(&arena);
    for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
        const struct exchange *before = &cases[i].exchange;
        struct str lines = head_lines_of(before, &arena);
        struct exchange after = {.status = 200};
        assert_string_equal(arena_copy(&arena, lines).ptr, cases[i].lines);
        head_lines_read(&after, lines, &arena);
        assert_string_equal(after.charset_label, before->charset_label);
        assert_int_equal(after.noindex, before->noindex);
        assert_int_equal(after.nofollow, before->nofollow);
        assert_int_equal(after.noarchive, before->noarchive);
        assert_true(str_eq(after.canonical, before->canonical));
        assert_true(str_eq(after.refresh, before->refresh));
        assert_true(str_eq(after.language, before->language));
    }
    arena_release(&arena);
}

static void nothing_and_nonsense(void **state)
{
    const struct exchange plain = {.charset_label = "UTF-8"};
    struct exchange after = {.status = 200};
    struct arena arena;

    (void)state;
    arena_init(&arena);
    assert_null(head_lines_of(&plain, &arena).ptr);
    head_lines_read(&after, (struct str){0}, &arena);
    assert_string_equal(after.charset_label, "utf-8");
    after.charset_label[0] = '\0';
    head_lines_read(&after, STR("\n\ncharset\nLink\nX-Robots-Tag\n: x\n"),
                    &arena);
    assert_int_equal(after.charset_label[0], '\0');
    assert_false(after.noindex || after.canonical.len);
    /* A line feed cannot come in a value, but must not become two lines. */
    const struct exchange odd = {.refresh = STR_INIT("1\ncharset=x")};
    assert_true(
        str_eq(head_lines_of(&odd, &arena), STR("Refresh: 1 charset=x")));
    arena_release(&arena);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(there_and_back),
        cmocka_unit_test(nothing_and_nonsense),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
