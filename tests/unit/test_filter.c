#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>

#include <cmocka.h>

#include "support/naive_glob.h"
#include "web/filter.h"

enum { FAULT_MAX = 1000, RULES_MAX = 5 };

/* "+pattern" includes, "-pattern" excludes. */
static struct filter *filter_of(const char *const *rules)
{
    struct filter *filter = filter_new();
    struct buf fault;

    buf_init(&fault, FAULT_MAX);
    for (; *rules; rules++)
        if (!filter_add(filter, **rules == '+' ? RULE_INCLUDE : RULE_EXCLUDE,
                        str_of(*rules + 1), &fault))
            fail_msg("%s: %s", *rules, buf_cstr(&fault));
    buf_release(&fault);
    return filter;
}

static void the_last_rule_that_matches_decides(void **state)
{
    static const struct {
        const char *rules[RULES_MAX];
        const char *url;
        enum filter_verdict verdict;
        const char *pattern; /* that decides; NULL: none */
    } rows[] = {
        {{NULL}, "http://h/", FILTER_INCLUDED, NULL},
        {{"-**.pdf"}, "http://h/a", FILTER_INCLUDED, NULL},
        {{"-**.pdf"}, "http://h/a.pdf", FILTER_EXCLUDED, "**.pdf"},
        {{"-**", "+http://h/a/**"}, "http://h/b", FILTER_EXCLUDED, "**"},
        {{"-**", "+http://h/a/**"},
         "http://h/a/b",
         FILTER_INCLUDED,
         "http://h/a/**"},
        {{"+http://h/a/**", "-**"}, "http://h/a/b", FILTER_EXCLUDED, "**"},
        {{"-**", "+http://h/a/**", "-**/x"},
         "http://h/a/x",
         FILTER_EXCLUDED,
         "**/x"},
        {{"-re:[?&]page=\\d+$"},
         "http://h/a?page=12",
         FILTER_EXCLUDED,
         "re:[?&]page=\\d+$"},
        {{"-re:[?&]page=\\d+$"}, "http://h/a?page=x", FILTER_INCLUDED, NULL},
        {{"-re:^https:"}, "http://h/https:", FILTER_INCLUDED, NULL},
        {{"-re:(?i)LOGIN"}, "http://h/login", FILTER_EXCLUDED, "re:(?i)LOGIN"},
        {{"-re:"}, "http://h/", FILTER_EXCLUDED, "re:"},
    };

    (void)state;
    for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
        struct filter *filter = filter_of(rows[i].rules);
        struct filter_answer answer = filter_judge(filter, str_of(rows[i].url));
        if (answer.verdict != rows[i].verdict)
            fail_msg("row %zu: %s is %d", i, rows[i].url, (int)answer.verdict);
        if (rows[i].pattern)
            assert_true(str_eq(answer.pattern, str_of(rows[i].pattern)));
        else
            assert_null(answer.pattern.ptr);
        filter_free(filter);
    }
}

static void a_wrong_pattern_is_told_with_its_place(void **state)
{
    static const struct {
        const char *pattern, *fault;
    } rows[] = {
        {"", "it is empty (at character 1)"},
        {"http://h/\\", "nothing follows the \\ (at character 10)"},
        {"/private/**",
         "no URL begins so; begin with http://, https:// or ** (at character "
         "1)"},
        {"*.pdf",
         "no URL begins so; begin with http://, https:// or ** (at character "
         "1)"},
        {"example.org/**",
         "no URL begins so; begin with http://, https:// or ** (at character "
         "1)"},
        {"re:(abc", "missing closing parenthesis (at character 5)"},
        {"re:a\\", "\\ at end of pattern (at character 3)"},
        {"re:a**b*+++", NULL},
        {"re:(*UTF)a", NULL},
    };

    (void)state;
    for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
        struct filter *filter = filter_new();
        struct buf fault;
        buf_init(&fault, FAULT_MAX);
        assert_false(
            filter_add(filter, RULE_EXCLUDE, str_of(rows[i].pattern), &fault));
        assert_true(fault.len > 0);
        if (rows[i].fault)
            assert_string_equal(buf_cstr(&fault), rows[i].fault);
        /* The filter is as it was. */
        assert_int_equal(filter_judge(filter, STR("http://h/")).verdict,
                         FILTER_INCLUDED);
        buf_release(&fault);
        filter_free(filter);
    }
}

/* "http://h/aaa...a!" */
static struct str hard_url(void)
{
    static char url[8192];
    struct str head = STR("http://h/");

    memset(url, 'a', sizeof(url));
    memcpy(url, head.ptr, head.len);
    url[sizeof(url) - 1] = '!';
    return (struct str){url, sizeof(url)};
}

/* On each of these a search without limits would take years. */
static void a_regular_expression_that_explodes_is_undecided(void **state)
{
    static const char *const patterns[] = {
        "-re:(a+)+$",
        "-re:(a|aa)+$",
        "-re:^http://h/((a*)*)*[bc]$",
        "-re:(?:(a+)(?:a|b|)+)+[xy]",
    };

    (void)state;
    for (size_t i = 0; i < ARRAY_LEN(patterns); i++) {
        const char *const rules[] = {"-http://other/**", patterns[i], NULL};
        struct filter *filter = filter_of(rules);
        struct filter_answer answer = filter_judge(filter, hard_url());
        if (answer.verdict != FILTER_UNDECIDED)
            fail_msg("%s: %d", patterns[i], (int)answer.verdict);
        assert_true(str_eq(answer.pattern, str_of(patterns[i] + 1)));
        /* The next question is answered. */
        assert_int_equal(filter_judge(filter, STR("http://other/b!")).verdict,
                         FILTER_EXCLUDED);
        filter_free(filter);
    }
}

static void a_rule_after_one_that_explodes_decides(void **state)
{
    static const char *const rules[] = {"-re:(a+)+$", "+**!", NULL};
    struct filter *filter = filter_of(rules);

    (void)state;
    assert_int_equal(filter_judge(filter, hard_url()).verdict, FILTER_INCLUDED);
    filter_free(filter);
}

/* --- globs --------------------------------------------------------------- */

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
        cmocka_unit_test(the_last_rule_that_matches_decides),
        cmocka_unit_test(a_wrong_pattern_is_told_with_its_place),
        cmocka_unit_test(a_regular_expression_that_explodes_is_undecided),
        cmocka_unit_test(a_rule_after_one_that_explodes_decides),
        cmocka_unit_test(globs_match_as_the_header_says),
        cmocka_unit_test(a_faulty_glob_is_told_with_its_place),
        cmocka_unit_test(a_pattern_may_match_a_text_that_begins_so),
        cmocka_unit_test(the_worst_case_ends),
        cmocka_unit_test(globs_agree_with_a_naive_matcher),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
