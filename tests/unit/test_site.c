/* What a report keeps of redirects and of hosts. */
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

#include <cmocka.h>

#include "report/site.h"

static void redirect(struct site *site, uint64_t number, struct str fragment)
{
    const struct store_fetch row = {
        .number = number,
        .status = 302,
        .outcome = REDIRECTED,
        .target = STR("http://a/9"),
        .fragment = fragment,
    };

    assert_true(site_add_fetch(site, &row));
}

/* `end` is what became of it. */
static void add_url(struct site *site, uint64_t number, const char *host,
                    enum url_end end, enum verdict verdict)
{
    char text[32];

    snprintf(text, sizeof(text), "http://%s/%u", host, (unsigned)number);
    const struct store_url row = {
        .number = number, .url = str_of(text), .host = str_of(host)};
    const struct url_record record = {
        .row = &row, .end = end, .verdict = (uint8_t)verdict};
    assert_true(site_add_url(site, &record));
}

static void fragments_have_a_limit_and_are_of_the_last_fetch(void **state)
{
    struct report report = {0};
    struct site site;

    (void)state;
    site_init(&site, &report);
    site.fragments.bytes_max = 60;
    site_begin(&site, 9);
    redirect(&site, 1, STR("of no more than thirty bytes"));
    redirect(&site, 2, STR("this one is more than the room that is left"));
    redirect(&site, 3, STR("first"));
    redirect(&site, 3, (struct str){0});
    for (uint64_t i = 1; i <= 3; i++)
        add_url(&site, i, "a", URL_REDIRECTED, ACCEPT);
    assert_true(
        str_eq(*site_fragment(&site, 1), STR("of no more than thirty bytes")));
    assert_int_equal(site_follow(&site, 1).fragment, 1);
    /* It has one, which is not known. */
    assert_int_equal(site_follow(&site, 2).fragment, 2);
    assert_null(site_fragment(&site, 2));
    assert_int_equal(site_follow(&site, 3).fragment, 0);
    site_release(&site);
}

static void
a_url_that_was_not_asked_is_broken_if_its_host_never_answered(void **state)
{
    const struct store_refusal dead = {.verdict = HOST_DEAD,
                                       .outcome = CONNECTION_REFUSED};
    struct report report = {0};
    struct site site;

    (void)state;
    site_init(&site, &report);
    site_begin(&site, 9);
    redirect(&site, 3, (struct str){0});
    for (uint64_t i = 1; i <= 2; i++) {
        struct store_refusal row = dead;
        row.number = i;
        assert_true(site_add_refusal(&site, &row));
    }
    add_url(&site, 1, "never.example", URL_FAILED, HOST_DEAD);
    add_url(&site, 2, "once.example", URL_FAILED, HOST_DEAD);
    add_url(&site, 3, "once.example", URL_REDIRECTED, ACCEPT);
    site_settle(&site);
    assert_int_equal(site_judge(&site, 1), LINK_BROKEN);
    assert_int_equal(site_judge(&site, 2), LINK_UNKNOWN);
    site_release(&site);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(fragments_have_a_limit_and_are_of_the_last_fetch),
        cmocka_unit_test(
            a_url_that_was_not_asked_is_broken_if_its_host_never_answered),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
