#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>

#include <cmocka.h>

#include "base/hashtable.h"
#include "support/arena_state.h"
#include "support/conformance.h"
#include "web/normalize.h"

/* --- the keys of a query ------------------------------------------------- */

enum { FAULT_MAX = 1000 };

static void keys_are_taken_out_and_the_rest_stays(void **state)
{
    static const struct {
        const char *keys, *from, *to;
    } rows[] = {
        {"a", "http://h/p", "http://h/p"},
        {"a", "http://h/p?", "http://h/p?"},
        {"a", "http://h/p?a=1", "http://h/p"},
        {"a", "http://h/p?a", "http://h/p"},
        {"a", "http://h/?a=1&b=2", "http://h/?b=2"},
        {"a", "http://h/?b=2&a=1", "http://h/?b=2"},
        {"a", "http://h/?b=2&a=1&c=3", "http://h/?b=2&c=3"},
        {"a", "http://h/?a=1&b=2&a=3", "http://h/?b=2"},
        {"a", "http://h/?A=1&aa=2", "http://h/?A=1&aa=2"},
        {"a", "http://h/?b=a=1", "http://h/?b=a=1"},
        {"a", "http://h/?b==%61&&c;d&=", "http://h/?b==%61&&c;d&="},
        {"a", "http://h/?b&&a=1&&c", "http://h/?b&&&c"},
        {"a", "http://h/?%61=1&b", "http://h/?b"},
        {"a,b", "http://h/?a=1&b=2&c=3", "http://h/?c=3"},
        {"utm_*", "http://h/?utm_source=x&utm=y", "http://h/?utm=y"},
        {"utm_*", "http://h/?utm%5Fsource=x%26y&z", "http://h/?z"},
        {"*", "http://h/p?a=1&b/c=2", "http://h/p"},
        {"p?", "http://h/?p1=a&p=b&p12=c", "http://h/?p=b&p12=c"},
        {"tracking",
         "http://h/?id=7&utm_campaign=x&fbclid=y&gclid=z&mc_eid=1&_ga=2",
         "http://h/?id=7"},
        {"tracking,id", "http://h/?id=7&msclkid=x", "http://h/"},
        {"tracking", "http://h/?page=2&ref=a&source=b",
         "http://h/?page=2&ref=a&source=b"},
    };

    (void)state;
    for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
        struct query_keys *keys = query_keys_new();
        struct arena arena;
        struct url url;
        arena_init(&arena);
        assert_true(query_keys_add(keys, str_of(rows[i].keys), NULL));
        assert_int_equal(
            url_parse(&url, &arena, str_of(rows[i].from), NULL, NULL), 0);
        struct str path = arena_copy(&arena, url_path(&url));
        bool changed = query_strip(keys, &url, &arena);
        assert_string_equal(url.href.ptr, rows[i].to);
        assert_int_equal(url.href.len, strlen(rows[i].to));
        assert_true(str_eq(url_path(&url), path));
        assert_int_equal(changed, strcmp(rows[i].from, rows[i].to) != 0);
        /* Once is enough. */
        assert_false(query_strip(keys, &url, &arena));
        arena_release(&arena);
        query_keys_free(keys);
    }
}

static void wrong_keys_are_told(void **state)
{
    static const char *const rows[] = {"", "a,", ",a", "a,,b", "a\\"};

    (void)state;
    for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
        struct query_keys *keys = query_keys_new();
        struct buf fault;
        buf_init(&fault, FAULT_MAX);
        assert_false(query_keys_add(keys, str_of(rows[i]), &fault));
        assert_true(fault.len > 0);
        buf_release(&fault);
        query_keys_free(keys);
    }
}

/* --- the form of the course ---------------------------------------------- */

static void check_form(struct arena *arena, struct url *url, const char *want,
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
        check_form(*state, &url, cases[i].want, cases[i].html);
        check_form(*state, &url, cases[i].want, cases[i].html);
    }
}

static void parts_and_relatives(void **state)
{
    struct url url, relative;

    assert_int_equal(
        url_parse(&url, *state, STR("http://u@h:80//a//b.html?c"), NULL, NULL),
        0);
    check_form(*state, &url, "http://u@h:80/a/b.html?c", true);
    assert_true(str_eq(url_host(&url), STR("h")));
    assert_true(str_eq(url_path(&url), STR("/a/b.html")));
    assert_true(str_eq(url_query(&url), STR("c")));

    assert_int_equal(url_parse(&relative, *state, STR("d.pdf"), &url, NULL), 0);
    check_form(*state, &relative, "http://u@h:80/a/d.pdf", false);
    assert_int_equal(url_parse(&relative, *state, STR("//h2/"), &url, NULL), 0);
    check_form(*state, &relative, "http://h2/", true);
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

/* --- the key ------------------------------------------------------------- */

static struct str key_of(struct arena *arena, const struct url *url)
{
    char key[URL_LEN_MAX];

    return arena_copy(arena, (struct str){key, url_key(url, key)});
}

static void rules_of_keys(void **state)
{
    static const struct {
        const char *input, *want;
    } cases[] = {
        {"http://h/a#b", "http://h/a"},
        {"http://h/%c3%a9", "http://h/%C3%A9"},
        {"http://h/%7euser/%41%2D%5f", "http://h/~user/A-_"},
        {"http://h/a%2Fb%3f%20", "http://h/a%2Fb%3F%20"},
        {"http://h/?%61=%2b", "http://h/?a=%2B"},
        {"http://h/a?", "http://h/a"},
        {"http://h/a??", "http://h/a??"},
        {"http://h/a?#x", "http://h/a"},
        {"http://h./a", "http://h/a"},
        {"http://h.:81/a", "http://h:81/a"},
        {"http://./a", "http://./a"},
        {"http://h../a", "http://h../a"},
        {"http://%7e:%7e@h./%7e?%7e", "http://~:~@h/~?~"},
        {"http://h/%", "http://h/%"},
        {"http://h/%4", "http://h/%4"},
        {"http://h/%zz", "http://h/%zz"},
        {"http://h/%2541", "http://h/%2541"},
        {"http://h/%%34%31", "http://h/%%341"},
        {"http://h/%4%31", "http://h/%4%31"},
        {"http://h/%%41", "http://h/%%41"},
        {"http://h/%%7a", "http://h/%z"},
        {"http://h/b?a&b=1", "http://h/b?a&b=1"},
        {"http://www.h/index.html", "http://www.h/index.html"},
    };

    for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
        struct url url;
        assert_int_equal(
            url_parse(&url, *state, str_of(cases[i].input), NULL, NULL), 0);
        struct str key = key_of(*state, &url);
        if (!str_eq(key, str_of(cases[i].want)))
            fail_msg("%s: want %s, got %s", cases[i].input, cases[i].want,
                     key.ptr);
    }
}

/* The key is a URL, it is its own key, and the fingerprint is its hash. */
static void check_key(struct arena *arena, const struct url *url)
{
    struct str key = key_of(arena, url);
    struct url again;
    enum err err = url_parse(&again, arena, key, NULL, NULL);

    if (err)
        fail_msg("%s: the key %s is no URL: %s", url->href.ptr, key.ptr,
                 err_message(err));
    struct str key_again = key_of(arena, &again);
    if (!str_eq(key_again, key))
        fail_msg("%s: the key %s has the key %s", url->href.ptr, key.ptr,
                 key_again.ptr);
    if (url_fingerprint(url, 42) != hash64(key, 42))
        fail_msg("%s: the fingerprint is not that of the key", url->href.ptr);
    assert_true(url_fingerprint(url, 1) == url_fingerprint(&again, 1));
    assert_true(url_fingerprint(url, 1) != url_fingerprint(url, 2));
}

/* Random text of what the rules_of_keys are about, a fixed sequence. */
static void idempotent(void **state)
{
    static const char alphabet[] = "%%%%%44113377eEaAzZ~./?#-u";
    unsigned random = 1;

    for (int i = 0; i < 100000; i++) {
        char text[64] = "http://u@h./";
        size_t len = strlen(text);
        struct url url;

        for (unsigned k = 0; k < 3 + (unsigned)i % 20; k++) {
            random = random * 1103515245 + 12345;
            text[len++] = alphabet[(random >> 16) % (sizeof(alphabet) - 1)];
        }
        assert_int_equal(
            url_parse(&url, *state, (struct str){text, len}, NULL, NULL), 0);
        check_key(*state, &url);
        arena_clear(*state);
    }
}

static void idempotent_in_suite(void **state)
{
    unsigned checked = 0;
    struct arena rows_arena;

    arena_init(&rows_arena);
    const struct json *rows = conformance_json(
        "url/older/2026-06-25-f28876b96a/urltestdata.json", &rows_arena);
    for (size_t i = 0; i < json_count(rows); i++) {
        struct url url;
        struct str href = json_str(json_get(json_at(rows, i), "href"));
        if (url_parse(&url, *state, href, NULL, NULL))
            continue;
        check_key(*state, &url);
        checked++;
    }
    arena_release(&rows_arena);
    if (!rows)
        skip();
    assert_true(checked >= 237);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(keys_are_taken_out_and_the_rest_stays),
        cmocka_unit_test(wrong_keys_are_told),
        cmocka_unit_test_setup_teardown(the_longest, setup, teardown),
        cmocka_unit_test_setup_teardown(forms, setup, teardown),
        cmocka_unit_test_setup_teardown(parts_and_relatives, setup, teardown),
        cmocka_unit_test_setup_teardown(rules_of_keys, setup, teardown),
        cmocka_unit_test_setup_teardown(idempotent, setup, teardown),
        cmocka_unit_test_setup_teardown(idempotent_in_suite, setup, teardown),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
