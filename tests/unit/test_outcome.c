#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>

#include <cmocka.h>

#include "page/outcome.h"

#include "base/str.h"

/* A word of the course's log: at most nine letters, so that the column holds;
 * a name that is a good JSON key. */
static bool is_word(const char *word)
{
    size_t len = word ? strlen(word) : 0;

    for (size_t i = 0; i < len; i++)
        if (!ascii_is_alpha(word[i]))
            return false;
    return len > 0 && len <= 9;
}

static bool is_name(const char *name)
{
    size_t len = name ? strlen(name) : 0;

    for (size_t i = 0; i < len; i++)
        if (!(name[i] >= 'a' && name[i] <= 'z') && name[i] != '-')
            return false;
    return len > 0;
}

static void table_is_whole(void **state)
{
    (void)state;
    for (int i = 0; i < OUTCOMES; i++) {
        const char *word = outcome_word((enum outcome)i);
        const char *name = outcome_name((enum outcome)i);
        const char *text = outcome_text((enum outcome)i);

        if (!is_word(word) || !is_name(name) || !text || !text[0])
            fail_msg("outcome %d: word %s, name %s, text %s", i,
                     word ? word : "NULL", name ? name : "NULL",
                     text ? text : "NULL");
        for (int j = 0; j < i; j++)
            if (!strcmp(name, outcome_name((enum outcome)j)) ||
                !strcmp(text, outcome_text((enum outcome)j)))
                fail_msg("outcomes %d and %d are both %s: %s", j, i, name,
                         text);
    }
}

/* Whoever counts pages with grep counts these lines: no other outcome may
 * have the word of a page that was fetched. */
static void only_pages_are_fetched(void **state)
{
    (void)state;
    assert_string_equal(outcome_word(FETCHED), "Fetched");
    for (int i = 0; i < OUTCOMES; i++)
        if (i != FETCHED)
            assert_string_not_equal(outcome_word((enum outcome)i), "Fetched");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(table_is_whole),
        cmocka_unit_test(only_pages_are_fetched),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
