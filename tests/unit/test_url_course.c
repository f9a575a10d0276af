#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>

#include <cmocka.h>

#include "support/arena_state.h"
#include "url/course.h"
#include "url/key.h"

static void check(struct arena *arena, struct url *url, const char *want,
                  bool html)
{
    bool is_html = course_normalize(url, arena);

    if (is_html != html || !str_eq(url->href, str_of(want)))
        fail_msg("want %s (%s), got %s (%s)", want, html ? "html" : "not html",
                 url->href.ptr, is_html ? "html" : "not html");
    assert_int_equal(url->href.ptr[url->href.len], '\0');
}

static void forms(void **state)
{
    static const struct {
        const char *input, *want;
        bool html;
    } cases[] = {
        {"http://h/a.html", "http://h/a.html", true},
        {"HTTP://H/A.htm#x", "http://h/A.htm", true},
        {"http://h/a.htmx?b.pdf", "http://h/a.htmx?b.pdf", true},
        {"http://h/a", "http://h/a", true},
        {"http://h/", "http://h/", true},
        {"http://h/a.pdf/", "http://h/a.pdf/", true},
        {"http://h/a.pdf/b", "http://h/a.pdf/b", true},
        {"http://h/a.", "http://h/a.", true},
        {"http://h/a.tar.html", "http://h/a.tar.html", true},
        {"http://h/a.pdf", "http://h/a.pdf", false},
        {"http://h/a.html.gz", "http://h/a.html.gz", false},
        {"http://h/a.php?x=a.html", "http://h/a.php?x=a.html", false},
        {"http://h/v1.2", "http://h/v1.2", false},
        {"http://h/a.HTML", "http://h/a.HTML", false},
        {"http://h/a.ht", "http://h/a.ht", false},
        {"http://h/.htaccess", "http://h/.htaccess", false},
        {"http://h//a///b//", "http://h/a/b/", true},
        {"http://h//a.pdf?x//y", "http://h/a.pdf?x//y", false},
        {"http://h:80/a", "http://h:80/a", true},
        {"https://u@h:443//a?q", "https://u@h:443/a?q", true},
        {"http://h:443/a", "http://h:443/a", true},
        {"https://h:/a", "https://h/a", true},
    };

    for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
        struct url url;
        assert_int_equal(
            url_parse(&url, *state, str_of(cases[i].input), NULL, NULL), 0);
        check(*state, &url, cases[i].want, cases[i].html);
        check(*state, &url, cases[i].want, cases[i].html);
    }
}

static void parts_and_relatives(void **state)
{
    struct url url, relative;

    assert_int_equal(
        url_parse(&url, *state, STR("http://u@h:80//a//b.html?c"), NULL, NULL),
        0);
    check(*state, &url, "http://u@h:80/a/b.html?c", true);
    assert_true(str_eq(url_host(&url), STR("h")));
    assert_true(str_eq(url_path(&url), STR("/a/b.html")));
    assert_true(str_eq(url_query(&url), STR("c")));

    assert_int_equal(url_parse(&relative, *state, STR("d.pdf"), &url, NULL), 0);
    check(*state, &relative, "http://u@h:80/a/d.pdf", false);
    assert_int_equal(url_parse(&relative, *state, STR("//h2/"), &url, NULL), 0);
    check(*state, &relative, "http://h2/", true);
}

/* The port that was written would make it longer than any URL is. */
static void the_longest(void **state)
{
    for (size_t spare = 0; spare < 8; spare++) {
        char text[URL_LEN_MAX + 1];
        size_t len = URL_LEN_MAX + 3 - spare;
        struct url url;

        memset(text, 'a', sizeof(text));
        memcpy(text, "http://h:80/%41", 15);
        if (len > URL_LEN_MAX)
            len = URL_LEN_MAX;
        assert_int_equal(
            url_parse(&url, *state, (struct str){text, len}, NULL, NULL), 0);
        course_normalize(&url, *state);
        assert_in_range(url.href.len, len - 3, URL_LEN_MAX);
        url_fingerprint(&url, 1);
    }
    /* Its parts grow when they are escaped. */
    char text[URL_LEN_MAX];
    struct url url;
    memset(text, 'a', sizeof(text));
    memcpy(text, "http://h:80/ b c", 16);
    assert_int_equal(url_parse(&url, *state,
                               (struct str){text, sizeof(text) - 1}, NULL,
                               NULL),
                     0);
    assert_int_equal(url.href.len, URL_LEN_MAX);
    course_normalize(&url, *state);
    assert_in_range(url.href.len, 1, URL_LEN_MAX);
    url_fingerprint(&url, 1);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(the_longest, setup, teardown),
        cmocka_unit_test_setup_teardown(forms, setup, teardown),
        cmocka_unit_test_setup_teardown(parts_and_relatives, setup, teardown),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
