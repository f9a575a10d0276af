#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>

#include <cmocka.h>

#include "base/hash.h"
#include "support/arena_state.h"
#include "support/conformance.h"
#include "url/key.h"

static struct str key_of(struct arena *arena, const struct url *url)
{
    char key[URL_LEN_MAX];

    return arena_copy(arena, (struct str){key, url_key(url, key)});
}

static void rules(void **state)
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

/* Random text of what the rules are about, a fixed sequence. */
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
        cmocka_unit_test_setup_teardown(rules, setup, teardown),
        cmocka_unit_test_setup_teardown(idempotent, setup, teardown),
        cmocka_unit_test_setup_teardown(idempotent_in_suite, setup, teardown),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
