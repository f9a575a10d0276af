#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#include "url/query.h"

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

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(keys_are_taken_out_and_the_rest_stays),
        cmocka_unit_test(wrong_keys_are_told),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
