#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>

#include <cmocka.h>

#include "url/login.h"

static void a_login_is_taken_out_of_a_url(void **state)
{
    static const struct {
        const char *url, *rest, *name, *password; /* name NULL: none */
    } cases[] = {
        {"http://me:pw@h/", "http://h/", "me", "pw"},
        {"https://me:pw@h:8443/a?b#c", "https://h:8443/a?b#c", "me", "pw"},
        {"HTTP://me@h", "HTTP://h", "me", ""},
        {"http://:pw@h/", "http://h/", "", "pw"},
        {"http://me:@h/", "http://h/", "me", ""},
        {"http://me:a:b@h/", "http://h/", "me", "a:b"},
        {"http://a@b:c@d@h/", "http://h/", "a@b", "c@d"},
        {"http://m%65:p%40%2F%3a@h/", "http://h/", "me", "p@/:"},
        {"http://me:%00%zz%4@h/", "http://h/", "me", "%00%zz%4"},
        {"http://me:\xc3\xa4%C3%A4@h/", "http://h/", "me", "\xc3\xa4\xc3\xa4"},
        {"http://me:pw@[::1]:81/", "http://[::1]:81/", "me", "pw"},
        /* As the parser reads them. */
        {" http:me:pw@h/", " http:h/", "me", "pw"},
        {"http:/me:pw@h/", "http:/h/", "me", "pw"},
        {"ht\ttp:/\n/me:p\rw@h/", "http://h/", "me", "pw"},
        {"http:\\\\me:pw@h\\a", "http:\\\\h\\a", "me", "pw"},
        {"http:////me:pw@h/", "http:////h/", "me", "pw"},
        /* Nothing that could be sent, but no part of the URL either. */
        {"http://@h/", "http://h/", NULL, NULL},
        {"http://:@h/", "http://h/", NULL, NULL},
        /* No login. */
        {"http://h/", "http://h/", NULL, NULL},
        {"http://h/me:pw@x", "http://h/me:pw@x", NULL, NULL},
        {"http://h?me:pw@x", "http://h?me:pw@x", NULL, NULL},
        {"http://h#me:pw@x", "http://h#me:pw@x", NULL, NULL},
        {"http:\\\\h\\me:pw@x", "http:\\\\h\\me:pw@x", NULL, NULL},
        {"me:pw@h", "me:pw@h", NULL, NULL},
        {"mailto:me@h", "mailto:me@h", NULL, NULL},
        {"", "", NULL, NULL},
    };

    (void)state;
    for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
        struct arena arena;
        struct login login;
        struct str rest;
        struct url with, without;

        arena_init(&arena);
        bool found = login_cut(&arena, str_of(cases[i].url), &rest, &login);
        if (found != (cases[i].name != NULL) ||
            !str_eq(rest, str_of(cases[i].rest)))
            fail_msg("%s: %d %.*s", cases[i].url, found, (int)rest.len,
                     rest.ptr);
        if (found) {
            assert_string_equal(login.name.ptr, cases[i].name);
            assert_string_equal(login.password.ptr, cases[i].password);
        }
        /* The parser sees the same. */
        if (!url_parse(&with, &arena, str_of(cases[i].url), NULL, NULL)) {
            assert_int_equal(url_parse(&without, &arena, rest, NULL, NULL),
                             ERR_NONE);
            assert_int_equal(login_is_in(&with), found);
            assert_false(login_is_in(&without));
            login_drop(&with, &arena);
            assert_true(str_eq(with.href, without.href));
            assert_true(str_eq(url_host(&with), url_host(&without)));
            assert_true(str_eq(url_path(&with), url_path(&without)));
            assert_true(str_eq(url_query(&with), url_query(&without)));
            assert_false(login_is_in(&with));
        }
        arena_release(&arena);
    }
}

static void messages_show_no_login(void **state)
{
    static const struct {
        const char *text, *shown;
    } cases[] = {
        {"http://me:pw@h/", "http://...@h/"},
        {"https://a@b:pw@h/x@y", "https://...@y"},
        {"http:me:pw@h/", "http:...@h/"},
        {"ht\ttp:/\n/me:pw@h/", "http://...@h/"},
        {"socks5://me:pw@h:1", "socks5://...@h:1"},
        {"me:pw@h:1", "...@h:1"},
        /* Characters that end the host, in a password. */
        {"http://me:p/w@h/", "http://...@h/"},
        {"http://me:p?w@h/", "http://...@h/"},
        {"http://me:p w#x@h/", "http://...@h/"},
        {"me:p/w@h", "...@h"},
        {"http://me:p@w/x@h/", "http://...@h/"},
        {"http://me:12/w@h/", "http://...@h/"},
        {"postgres://me:p/w@h:1/db", "postgres://...@h:1/db"},
        /* A slip in the scheme. */
        {"http//me:pw@h/", "http//...@h/"},
        {"//me:pw@h/", "//...@h/"},
        {"http//token@h/", "http//...@h/"},
        {"postgres:/me:pw@h/", "...@h/"},
        {"1.1.1.1,http//me:pw@h", "1.1.1.1,http//...@h"},
        /* Nothing to hide. */
        {"http://h/", "http://h/"},
        {"http://h/@name", "http://h/@name"},
        {"/home/me@work/pages", "/home/me@work/pages"},
        {"word", "word"},
        {"", ""},
    };

    (void)state;
    for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
        struct arena arena;

        arena_init(&arena);
        assert_string_equal(login_hide(&arena, cases[i].text), cases[i].shown);
        arena_release(&arena);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_login_is_taken_out_of_a_url),
        cmocka_unit_test(messages_show_no_login),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
