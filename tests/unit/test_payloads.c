/* The table of payloads against a naive list. */
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>

#include <cmocka.h>

#include "crawler/payloads.h"

enum { COUNT = 20000 };

static struct str digest(uint32_t i, char text[32])
{
    int len = snprintf(text, 32, "sha1:%u", (unsigned)i);

    return (struct str){text, (size_t)len};
}

/* Is this place among the candidates? */
static bool finds(const struct payloads *payloads, struct str text,
                  const struct payload_place *wanted)
{
    struct payload_place place;
    size_t at = 0;

    while (payloads_find(payloads, text, &at, &place))
        if (place.at == wanted->at && place.file == wanted->file &&
            place.capture == wanted->capture)
            return true;
    return false;
}

static struct payload_place place_of(uint32_t i)
{
    return (struct payload_place){
        .at = (uint64_t)i << 20,
        .file = i % 1000,
        .capture = i + 1,
    };
}

static void what_was_added_is_found(void **state)
{
    struct payloads payloads;
    char text[32];
    size_t strangers = 0, at;
    struct payload_place place;

    (void)state;
    payloads_init(&payloads, 7);
    at = 0;
    assert_false(payloads_find(&payloads, STR("sha1:x"), &at, &place));
    for (uint32_t i = 0; i < COUNT; i++) {
        place = place_of(i);
        payloads_add(&payloads, digest(i, text), &place);
    }
    assert_int_equal(payloads.count, COUNT);
    for (uint32_t i = 0; i < COUNT; i++) {
        place = place_of(i);
        assert_true(finds(&payloads, digest(i, text), &place));
    }
    for (uint32_t i = COUNT; i < 2 * COUNT; i++) {
        at = 0;
        strangers += payloads_find(&payloads, digest(i, text), &at, &place);
    }
    assert_true(strangers < 5); /* 36 bits are compared */
    payloads_release(&payloads);
}

static void one_digest_has_several_candidates(void **state)
{
    struct payloads payloads;
    struct payload_place place;
    size_t at = 0, found = 0;

    (void)state;
    payloads_init(&payloads, 1);
    for (uint32_t i = 0; i < 3; i++) {
        place = place_of(i);
        payloads_add(&payloads, STR("sha1:A"), &place);
    }
    while (payloads_find(&payloads, STR("sha1:A"), &at, &place))
        assert_int_equal(place.capture, ++found);
    assert_int_equal(found, 3);
    payloads_release(&payloads);
}

/* So that what is asked for again and again costs no more each time. */
static void one_digest_has_few_candidates(void **state)
{
    struct payloads payloads;
    struct payload_place place;
    size_t at = 0, found = 0;

    (void)state;
    payloads_init(&payloads, 1);
    for (uint32_t i = 0; i < COUNT; i++) {
        place = place_of(i);
        payloads_add(&payloads, STR("sha1:A"), &place);
    }
    while (payloads_find(&payloads, STR("sha1:A"), &at, &place))
        assert_int_equal(place.capture, ++found);
    assert_int_equal(found, 16);
    payloads_release(&payloads);
}

static void the_greatest_places_fit_and_no_greater(void **state)
{
    static const struct {
        struct payload_place place;
        bool fits;
    } rows[] = {
        {{((uint64_t)1 << 44) - 1, (1u << 20) - 1, (1u << 28) - 1}, true},
        {{0, 0, 1}, true},
        {{(uint64_t)1 << 44, 1, 1}, false},
        {{1, 1u << 20, 1}, false},
        {{1, 1, 1u << 28}, false},
        {{1, 1, 0}, false},
    };

    (void)state;
    for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
        struct payloads payloads;
        payloads_init(&payloads, 1);
        payloads_add(&payloads, STR("d"), &rows[i].place);
        assert_int_equal(finds(&payloads, STR("d"), &rows[i].place),
                         rows[i].fits);
        payloads_release(&payloads);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_was_added_is_found),
        cmocka_unit_test(one_digest_has_several_candidates),
        cmocka_unit_test(one_digest_has_few_candidates),
        cmocka_unit_test(the_greatest_places_fit_and_no_greater),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
