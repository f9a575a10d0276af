#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

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
    bool noindex, nofollow, noarchive;
} robots[] = {
    {"noindex", true, false, false},
    {"nofollow", false, true, false},
    {"NoIndex, NoFollow", true, true, false},
    {"noindex,nofollow", true, true, false},
    {" noindex ,\tnofollow ", true, true, false},
    {"noindex nofollow", true, true, false},
    {"none", true, true, false},
    {"NONE,all", true, true, false},
    {"index, follow", false, false, false},
    {"all", false, false, false},
    {"", false, false, false},
    {",,,", false, false, false},
    {"noindexx, xnofollow", false, false, false},
    {"noarchive, max-snippet:-1, nofollow", false, true, true},
    {"NoArchive", false, false, true},
    {"index,noarchive", false, false, true},
    {"noarchives, no archive, archive", false, false, false},
    {"no index", false, false, false},
};

static void robots_rules(void **state)
{
    (void)state;
    for (size_t i = 0; i < ARRAY_LEN(robots); i++) {
        bool noindex = false, nofollow = false, noarchive = false;

        html_robots_rules(str_of(robots[i].content), &noindex, &nofollow,
                          &noarchive);
        if (noindex != robots[i].noindex || nofollow != robots[i].nofollow ||
            noarchive != robots[i].noarchive)
            fail_msg("\"%s\": got noindex %d, nofollow %d, noarchive %d",
                     robots[i].content, noindex, nofollow, noarchive);
    }
}

static void robots_rules_add_up(void **state)
{
    bool noindex = true, nofollow = false, noarchive = true;

    (void)state;
    html_robots_rules(STR("index, nofollow"), &noindex, &nofollow, &noarchive);
    assert_true(noindex);
    assert_true(nofollow);
    assert_true(noarchive);
}

static void policies(void **state)
{
    static const struct {
        const char *policy;
        bool upgrades;
    } rows[] = {
        {"upgrade-insecure-requests", true},
        {" Upgrade-Insecure-Requests ;", true},
        {"default-src 'self'; upgrade-insecure-requests", true},
        {"default-src 'self';upgrade-insecure-requests;img-src *", true},
        {"default-src 'self', upgrade-insecure-requests", true},
        {"upgrade-insecure-requests 1", true},
        {"", false},
        {";", false},
        {"default-src upgrade-insecure-requests", false},
        {"upgrade-insecure-requests-not", false},
        {"block-all-mixed-content", false},
    };

    (void)state;
    for (size_t i = 0; i < ARRAY_LEN(rows); i++)
        if (html_policy_upgrades(str_of(rows[i].policy)) != rows[i].upgrades)
            fail_msg("\"%s\"", rows[i].policy);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(refresh_urls),
        cmocka_unit_test(robots_rules),
        cmocka_unit_test(robots_rules_add_up),
        cmocka_unit_test(policies),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
