#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>

#include <cmocka.h>

#include "support/naive_glob.h"
#include "url/glob.h"

static void globs_match_as_the_header_says(void **state)
{
    static const struct {
        const char *pattern, *text;
        bool matches;
    } rows[] = {
        {"http://h/a", "http://h/a", true},
        {"http://h/a", "http://h/ab", false},
        {"http://h/ab", "http://h/a", false},
        {"http://h/A", "http://h/a", false},
        {"http://h/*", "http://h/", true},
        {"http://h/*", "http://h/a.html?b", true},
        {"http://h/*", "http://h/a/b", false},
        {"http://h/**", "http://h/a/b", true},
        {"http://h/**", "http://h/", true},
        {"http://h/**", "http://h", false},
        {"http://*.h/**", "http://www.h/a/b", true},
        {"http://*.h/**", "http://h/a/b", false},
        {"**", "", true},
        {"**", "http://h/a/b?c", true},
        {"*", "a/b", false},
        {"**.pdf", "http://h/a/b.pdf", true},
        {"**.pdf", "http://h/a/b.pdf?c", false},
        {"**/print/**", "http://h/a/print/b", true},
        {"**/print/**", "http://h/a/printed/b", false},
        {"http://h/**/b", "http://h/a/c/b", true},
        {"http://h/**/b", "http://h/b", true},
        {"http://h/**/b", "http://h/xb", false},
        {"http://h/**/b", "http://h/a/xb", false},
        {"http://h/**/**/b", "http://h/b", true},
        {"http://h/a**/b", "http://h/a/b", true},
        {"http://h/a**b", "http://h/a/c/b", true},
        {"a?c", "abc", true},
        {"a?c", "a?c", true},
        {"a?c", "a/c", false},
        {"a?", "a", false},
        {"a\\?c", "abc", false},
        {"a\\?c", "a?c", true},
        {"a\\*", "a*", true},
        {"a\\*", "ab", false},
        {"a\\\\", "a\\", true},
        {"a***b", "a/x/b", true},
        {"a*b*c", "abbbc", true},
        {"a*b*c", "abb/c", false},
        {"**a*b", "a/ab", true},
        {"**a*b", "ab/a/", false},
        {"*a*a*a*b", "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa", false},
    };

    (void)state;
    for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
        struct str pattern = str_of(rows[i].pattern);
        struct str text = str_of(rows[i].text);
        size_t at;
        assert_null(glob_fault(pattern, &at));
        if (glob_matches(pattern, text) != rows[i].matches)
            fail_msg("%s on %s", rows[i].pattern, rows[i].text);
        assert_int_equal(naive_glob(pattern, text), rows[i].matches);
    }
}

static void a_faulty_glob_is_told_with_its_place(void **state)
{
    static char longest[GLOB_LEN_MAX + 2];
    size_t at;

    (void)state;
    assert_non_null(glob_fault(STR(""), &at));
    assert_non_null(glob_fault(STR("ab\\"), &at));
    assert_int_equal(at, 2);
    assert_null(glob_fault(STR("ab\\\\"), &at));
    memset(longest, 'a', sizeof(longest) - 1);
    assert_null(glob_fault((struct str){longest, GLOB_LEN_MAX}, &at));
    assert_non_null(glob_fault((struct str){longest, GLOB_LEN_MAX + 1}, &at));
}

static void a_pattern_may_match_a_text_that_begins_so(void **state)
{
    static const struct {
        const char *pattern;
        bool may;
    } rows[] = {
        {"**", true},          {"**.pdf", true},     {"http://a*", true},
        {"*://a/**", true},    {"h?tp:**", true},    {"ht*//", true},
        {"\\http://a", true},  {"/**/http:", false}, {"*.pdf", false},
        {"*", false},          {"*/a/*", false},     {"http:", false},
        {"https://**", false}, {"http:/a", false},
    };

    (void)state;
    for (size_t i = 0; i < ARRAY_LEN(rows); i++)
        if (glob_may_begin(str_of(rows[i].pattern), STR("http://")) !=
            rows[i].may)
            fail_msg("%s", rows[i].pattern);
}

/* The longest pattern on the longest URL, each place of it reached. */
static void the_worst_case_ends(void **state)
{
    static char pattern[GLOB_LEN_MAX], text[8192];

    (void)state;
    for (size_t i = 0; i < sizeof(pattern) - 1; i++)
        pattern[i] = "**a"[i % 3];
    pattern[sizeof(pattern) - 1] = 'b';
    memset(text, 'a', sizeof(text));
    assert_false(glob_matches((struct str){pattern, sizeof(pattern)},
                              (struct str){text, sizeof(text)}));
    for (size_t i = 0; i < sizeof(pattern); i++)
        pattern[i] = "/**"[i % 3];
    memset(text, '/', sizeof(text));
    glob_matches((struct str){pattern, sizeof(pattern)},
                 (struct str){text, sizeof(text)});
}

static struct str random_text(char *to, size_t max, const char *alphabet)
{
    size_t len = (size_t)rand() % max;

    for (size_t i = 0; i < len; i++)
        to[i] = alphabet[(size_t)rand() % strlen(alphabet)];
    return (struct str){to, len};
}

static void globs_agree_with_a_naive_matcher(void **state)
{
    char pattern_text[10], text_text[10];
    size_t matches = 0;

    (void)state;
    srand(15);
    for (int i = 0; i < 300000; i++) {
        struct str pattern =
            random_text(pattern_text, sizeof(pattern_text), "/ab**?\\");
        struct str text = random_text(text_text, sizeof(text_text), "/ab?");
        size_t at;
        if (glob_fault(pattern, &at))
            continue;
        bool expected = naive_glob(pattern, text);
        matches += expected;
        if (glob_matches(pattern, text) != expected)
            fail_msg("'%.*s' on '%.*s'", STR_ARGS(pattern), STR_ARGS(text));
    }
    assert_true(matches > 1000); /* or the texts are no test */
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(globs_match_as_the_header_says),
        cmocka_unit_test(a_faulty_glob_is_told_with_its_place),
        cmocka_unit_test(a_pattern_may_match_a_text_that_begins_so),
        cmocka_unit_test(the_worst_case_ends),
        cmocka_unit_test(globs_agree_with_a_naive_matcher),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
