#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>

#include <cmocka.h>

#include "crawler/record_codes.h"

#include "support/code_words.h"

static void table_is_whole(void **state)
{
    (void)state;
    for (int i = 0; i < VERDICTS; i++) {
        const char *word = verdict_word((enum verdict)i);
        const char *name = verdict_name((enum verdict)i);
        const char *text = verdict_text((enum verdict)i);

        if (!is_word(word) || !is_name(name) || !text || !text[0])
            fail_msg("verdict %d: word %s, name %s, text %s", i,
                     word ? word : "NULL", name ? name : "NULL",
                     text ? text : "NULL");
        for (int j = 0; j < i; j++)
            if (!strcmp(name, verdict_name((enum verdict)j)) ||
                !strcmp(text, verdict_text((enum verdict)j)))
                fail_msg("verdicts %d and %d are both %s: %s", j, i, name,
                         text);
    }
}

/* Three of them are the course's own. */
static void the_courses_words(void **state)
{
    (void)state;
    assert_string_equal(verdict_word(ACCEPT), "Added");
    assert_string_equal(verdict_word(DUPLICATE), "IgnDupl");
    assert_string_equal(verdict_word(EXTERNAL), "IgnExtrn");
}

/* Every verdict can be told from the others by its word alone. */
static void words_are_unique(void **state)
{
    (void)state;
    for (int i = 0; i < VERDICTS; i++)
        for (int j = 0; j < i; j++)
            assert_string_not_equal(verdict_word((enum verdict)i),
                                    verdict_word((enum verdict)j));
}

/* Every verdict is here: who adds one must say what becomes of the URL. */
static void what_becomes_of_a_url(void **state)
{
    static const struct {
        enum verdict verdict;
        enum verdict_basis basis;
        enum url_end end;
    } rows[] = {
        {ACCEPT, BASIS_PAGE, URL_QUEUED},
        {BAD_URL, BASIS_URL, URL_REFUSED},
        {NOT_HTML_NAME, BASIS_URL, URL_REFUSED},
        {EXTERNAL, BASIS_URL, URL_OUTSIDE},
        {TOO_DEEP, BASIS_LINK, URL_REFUSED},
        {DUPLICATE, BASIS_LINK, URL_NONE},
        {TOO_MANY_REDIRECTS, BASIS_LINK, URL_REFUSED},
        {NOFOLLOW, BASIS_LINK, URL_REFUSED},
        {DOMAIN_CAP, BASIS_PAGE, URL_REFUSED},
        {ROBOTS_REFUSED, BASIS_PAGE, URL_REFUSED},
        {ROBOTS_UNKNOWN, BASIS_PAGE, URL_FAILED},
        {HOST_DEAD, BASIS_PAGE, URL_FAILED},
        {TOO_MANY_LINKS, BASIS_LINK, URL_REFUSED},
        {ELSEWHERE, BASIS_LINK, URL_REFUSED},
        {EXCLUDED, BASIS_PAGE, URL_REFUSED},
        {RULE_LIMIT, BASIS_PAGE, URL_REFUSED},
        {BY_HAND, BASIS_PAGE, URL_REFUSED},
        {NOT_FOLLOWED, BASIS_LINK, URL_REFUSED},
    };

    (void)state;
    assert_int_equal(ARRAY_LEN(rows), VERDICTS);
    for (size_t i = 0; i < ARRAY_LEN(rows); i++)
        if (verdict_basis(rows[i].verdict) != rows[i].basis ||
            verdict_end(rows[i].verdict) != rows[i].end)
            fail_msg("%s is judged otherwise", verdict_name(rows[i].verdict));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(table_is_whole),
        cmocka_unit_test(the_courses_words),
        cmocka_unit_test(words_are_unique),
        cmocka_unit_test(what_becomes_of_a_url),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
