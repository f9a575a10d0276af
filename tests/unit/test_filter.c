#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#include "url/filter.h"

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

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_last_rule_that_matches_decides),
        cmocka_unit_test(a_wrong_pattern_is_told_with_its_place),
        cmocka_unit_test(a_regular_expression_that_explodes_is_undecided),
        cmocka_unit_test(a_rule_after_one_that_explodes_decides),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
