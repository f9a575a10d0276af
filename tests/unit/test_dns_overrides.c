#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <stdio.h>
#include <string.h>

#include "page/dns_overrides.h"

/* The list as one text, freed. */
static const char *told(struct curl_slist *list)
{
    static char text[200];

    text[0] = '\0';
    for (const struct curl_slist *item = list; item; item = item->next) {
        strcat(text, item->data);
        strcat(text, " ");
    }
    curl_slist_free_all(list);
    return text;
}

static void what_nobody_uses_is_taken_out(void **state)
{
    const struct str a = STR("a.example:80:192.0.2.1");
    const struct str same_a = STR("a.example:80:192.0.2.2");
    const struct str other_a = STR("a.example:443:192.0.2.1");
    const struct str b = STR("b.example:80:[2001:db8::1]");
    struct dns_overrides overrides;

    (void)state;
    dns_overrides_init(&overrides);
    assert_string_equal(told(dns_overrides_take(&overrides, a)),
                        "a.example:80:192.0.2.1 ");
    assert_string_equal(told(dns_overrides_take(&overrides, same_a)),
                        "a.example:80:192.0.2.2 ");
    assert_string_equal(told(dns_overrides_take(&overrides, other_a)),
                        "a.example:443:192.0.2.1 ");
    /* Somebody still uses it. */
    dns_overrides_drop(&overrides, a);
    assert_string_equal(told(dns_overrides_take(&overrides, b)),
                        "b.example:80:[2001:db8::1] ");
    dns_overrides_drop(&overrides, b);
    dns_overrides_drop(&overrides, same_a);
    /* All that is stale, before the new one, which may be one of them. */
    assert_string_equal(told(dns_overrides_take(&overrides, a)),
                        "-a.example:80 -b.example:80 a.example:80:192.0.2.1 ");
    dns_overrides_drop(&overrides, other_a);
    assert_int_equal(overrides.table.count, 1);
    dns_overrides_release(&overrides);
}

static void many_leave_nothing_behind(void **state)
{
    struct dns_overrides overrides;

    (void)state;
    dns_overrides_init(&overrides);
    for (int i = 0; i < 10000; i++) {
        char text[64];
        snprintf(text, sizeof(text), "h%d.example:80:192.0.2.1", i);
        curl_slist_free_all(dns_overrides_take(&overrides, str_of(text)));
        assert_null(overrides.stale);
        dns_overrides_drop(&overrides, str_of(text));
    }
    assert_int_equal(overrides.table.count, 0);
    assert_null(overrides.stale->next);
    dns_overrides_release(&overrides);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_nobody_uses_is_taken_out),
        cmocka_unit_test(many_leave_nothing_behind),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
