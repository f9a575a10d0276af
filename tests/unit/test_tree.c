#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "web/tree.h"

static void upper(char *out, struct str name)
{
    for (size_t i = 0; i < name.len; i++)
        out[i] = (char)(ascii_is_alpha(name.ptr[i]) ? name.ptr[i] & ~0x20
                                                    : name.ptr[i]);
}

static void every_name_is_found(void **state)
{
    (void)state;
    for (unsigned i = TAG_OTHER + 1; i < TAG_COUNT; i++) {
        struct str name = html_tags[i].name;
        char capitals[32], longer[33];

        assert_true(name.len > 0 && name.len < sizeof(capitals));
        upper(capitals, name);
        memcpy(longer, name.ptr, name.len);
        longer[name.len] = 'x';
        if (html_tag_find(name) != i ||
            html_tag_find((struct str){capitals, name.len}) != i)
            fail_msg("%s is not found: are its letters right?", name.ptr);
        assert_int_not_equal(html_tag_find((struct str){longer, name.len + 1}),
                             i);
    }
}

static void others_are_other(void **state)
{
    static const char *const names[] = {"x",   "q",     "abbr",     "ax",
                                        "tit", "titel", "h7",       "my-title",
                                        "1",   "a:b",   "\xc3\xa4", "@"};

    (void)state;
    for (size_t i = 0; i < ARRAY_LEN(names); i++)
        if (html_tag_find(str_of(names[i])) != TAG_OTHER)
            fail_msg("%s is not a known tag", names[i]);
}

/* The filter and the flags say the same of watched tags; that the filter lets
 * some others pass does no harm. */
static void filter_has_watched_tags(void **state)
{
    static const char ends[] = " \t\n\f\r/>";

    (void)state;
    for (unsigned i = TAG_OTHER + 1; i < TAG_COUNT; i++) {
        struct str name = html_tags[i].name;
        bool has = true;

        if (name.len > 1)
            has = html_watched.has[name.ptr[0] & 31][name.ptr[1] & 31];
        for (size_t j = 0; name.len == 1 && ends[j]; j++)
            has = has && html_watched.has[name.ptr[0] & 31][ends[j] & 31];
        if (html_tags[i].flags & TAG_IS_WATCHED && !has)
            fail_msg("the filter lacks %s", name.ptr);
    }
    assert_false(html_watched.has['d' & 31]['i' & 31]); /* div */
    assert_false(html_watched.has['s' & 31]['p' & 31]); /* span */
    assert_false(html_watched.has['t' & 31]['d' & 31]); /* td */
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_name_is_found),
        cmocka_unit_test(others_are_other),
        cmocka_unit_test(filter_has_watched_tags),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
