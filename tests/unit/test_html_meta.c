#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include <cmocka.h>

#include "html/meta.h"

static const struct {
    const char *content;
    const char *url; /* NULL: none */
} refreshes[] = {
    {"0; url=a.html", "a.html"},
    {"0;url=a.html", "a.html"},
    {"0;URL=a.html", "a.html"},
    {"0,url=a.html", "a.html"},
    {"0 url=a.html", "a.html"},
    {"0;a.html", "a.html"},
    {"0 a.html", "a.html"},
    {"  5 ;  url  =  a.html", "a.html"},
    {"5;\n\turl=a.html", "a.html"},
    {"0; url='a.html'", "a.html"},
    {"0; url=\"a.html\"", "a.html"},
    {"0; url='a.html' x", "a.html"},
    {"0; url='a.html", "a.html"},
    {"0; url='a\"b'", "a\"b"},
    {"0; 'a.html'", "a.html"},
    {"0; \"a.html\"b", "a.html"},
    {"0; url=", ""},
    {"0; url", "url"},
    {"0; u=a.html", "u=a.html"},
    {"0; urlx=a.html", "urlx=a.html"},
    {"0; ul=a.html", "ul=a.html"},
    {"0; url a.html", "url a.html"},
    {"0; a.html ", "a.html "},
    {"0;;url=a", ";url=a"},
    {"1.5; url=a.html", "a.html"},
    {".5; url=a.html", "a.html"},
    {"1...2; url=a.html", "a.html"},
    {"99999999999999999999; url=a.html", "a.html"},
    {"5", NULL},
    {" 5 ", NULL},
    {"5;", NULL},
    {"5; ", NULL},
    {"5,", NULL},
    {"", NULL},
    {" ", NULL},
    {"x", NULL},
    {"-1; url=a.html", NULL},
    {"+1; url=a.html", NULL},
    {"; url=a.html", NULL},
    {"url=a.html", NULL},
    {"5x; url=a.html", NULL},
    {"5s url=a.html", NULL},
};

static void refresh_urls(void **state)
{
    (void)state;
    for (size_t i = 0; i < ARRAY_LEN(refreshes); i++) {
        struct str got = html_refresh_url(str_of(refreshes[i].content));
        const char *url = refreshes[i].url;

        if (url ? !got.ptr || !str_eq(got, str_of(url)) : got.ptr != NULL)
            fail_msg("\"%s\": expected %s, got %.*s", refreshes[i].content,
                     url ? url : "none", got.ptr ? (int)got.len : 4,
                     got.ptr ? got.ptr : "none");
    }
}

static const struct {
    const char *content;
    bool noindex, nofollow;
} robots[] = {
    {"noindex", true, false},
    {"nofollow", false, true},
    {"NoIndex, NoFollow", true, true},
    {"noindex,nofollow", true, true},
    {" noindex ,\tnofollow ", true, true},
    {"noindex nofollow", true, true},
    {"none", true, true},
    {"NONE,all", true, true},
    {"index, follow", false, false},
    {"all", false, false},
    {"", false, false},
    {",,,", false, false},
    {"noindexx, xnofollow", false, false},
    {"noarchive, max-snippet:-1, nofollow", false, true},
    {"no index", false, false},
};

static void robots_rules(void **state)
{
    (void)state;
    for (size_t i = 0; i < ARRAY_LEN(robots); i++) {
        bool noindex = false, nofollow = false;

        html_robots_rules(str_of(robots[i].content), &noindex, &nofollow);
        if (noindex != robots[i].noindex || nofollow != robots[i].nofollow)
            fail_msg("\"%s\": expected noindex %d, nofollow %d, got %d, %d",
                     robots[i].content, robots[i].noindex, robots[i].nofollow,
                     noindex, nofollow);
    }
}

static void robots_rules_add_up(void **state)
{
    bool noindex = true, nofollow = false;

    (void)state;
    html_robots_rules(STR("index, nofollow"), &noindex, &nofollow);
    assert_true(noindex);
    assert_true(nofollow);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(refresh_urls),
        cmocka_unit_test(robots_rules),
        cmocka_unit_test(robots_rules_add_up),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
