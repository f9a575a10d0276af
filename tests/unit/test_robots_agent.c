#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>

#include <cmocka.h>

#include "robots/robots.h"

static void the_token_of_a_user_agent(void **state)
{
    static const struct {
        const char *user_agent, *token;
    } cases[] = {
        {"crawler/0.1.0 (+me@example.org)", "crawler"},
        {"mybot/1.0", "mybot"},
        {"mybot", "mybot"},
        {"  my-Bot_x / 1.0", "my-Bot_x"},
        {"mybot (Mozilla/5.0; compatible; other/1.0)", "mybot"},
        {"mybot/1.0 Mozilla/5.0 (compatible; other/1.0)", "mybot"},
        {"mybot(comment)", "mybot"},
        {"mybot; x", "mybot"},
        {"Mozilla/5.0 (compatible; mybot/1.0; +http://mybot.example/)",
         "mybot"},
        {"mozilla/5.0 (COMPATIBLE;mybot)", "mybot"},
        {"Mozilla/5.0 (compatible; mybot)", "mybot"},
        {"Mozilla/5.0 (compatible; mybot; more)", "mybot"},
        {"Mozilla/4.0 (compatible; MSIE 8.0; Windows NT 6.1)", "MSIE"},
        {"Mozilla/5.0 AppleWebKit/537.36 (KHTML, like Gecko; compatible; "
         "mybot/2.1; +http://mybot.example/) Chrome/1.2.3.4 Safari/537.36",
         "mybot"},
        {"Mozilla/5.0 (Linux; Android 6.0.1) AppleWebKit/537.36 (KHTML, like "
         "Gecko) Chrome/1 (compatible; mybot/2.1)",
         "mybot"},
        {"Mozilla/5.0 (X11; Linux x86_64; rv:109.0) Gecko/20100101", "Mozilla"},
        {"Mozilla/5.0 compatible; mybot/1.0", "Mozilla"},
        {"Mozilla/5.0 (incompatible; mybot/1.0)", "Mozilla"},
        {"Mozilla/5.0 (compatible)", "Mozilla"},
        /* Names that no robots.txt can have. */
        {"", ""},
        {" ", ""},
        {"/1.0", ""},
        {"(comment)", ""},
        {"bot42/1.0", ""},
        {"my.bot/1.0", ""},
        {"b\xc3\xb6t/1.0", ""},
        {"Mozilla/5.0 (compatible;", ""},
        {"Mozilla/5.0 (compatible; )", ""},
        {"Mozilla/5.0 (compatible; bot42/1.0)", ""},
        {"Mozilla/5.0 (compatible; +http://mybot.example/)", ""},
    };

    (void)state;
    for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
        struct str got = robots_token_of(str_of(cases[i].user_agent));
        if (!str_eq(got, str_of(cases[i].token)))
            fail_msg("'%s': expected '%s', got '%.*s'", cases[i].user_agent,
                     cases[i].token, (int)got.len, got.ptr);
    }
}

static void what_is_a_token(void **state)
{
    static const struct {
        const char *text;
        bool good;
    } cases[] = {
        {"a", true},   {"Z-y_x", true},  {"-", true},         {"", false},
        {"a1", false}, {"a/1.0", false}, {"a b", false},      {"a,b", false},
        {"*", false},  {"a\n", false},   {"\xc3\xa4", false},
    };

    (void)state;
    for (size_t i = 0; i < ARRAY_LEN(cases); i++)
        if (robots_is_token(str_of(cases[i].text)) != cases[i].good)
            fail_msg("'%s'", cases[i].text);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_token_of_a_user_agent),
        cmocka_unit_test(what_is_a_token),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
