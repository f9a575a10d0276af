/* International host names against web-platform-tests' toascii and IdnaTestV2
 * (Unicode's own test, as JSON): each input is parsed as a host.
 *
 * The rows that differ are here, by reason. They must differ: one that
 * passes is a failure too, so that the lists stay true. */
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>

#include <cmocka.h>

#include "support/conformance.h"
#include "web/url.h"

#define OLDER "url/older/2026-06-25-f28876b96a/"

struct exceptions {
    const char *reason;
    const char *const *inputs; /* up to NULL */
};

static const char *const empty[] = {"", NULL};

static const char *const newer_characters[] = {
    "\xF0\xB2\xA4\xB1"
    "20.\xE9\x9F\xB3.\xEA\xA1\xA6"
    "1.",
    "xn--20-9802c.xn--0w5a.xn--1-eg4e.",
    "xn--9-i0j5967eg3qz.ss",
    "\xF0\xB2\xAE\x9A"
    "9\xEA\x8D\xA9\xE1\x9F\x93.ss",
    "\xF0\xB2\xAE\x9A"
    "9\xEA\x8D\xA9\xE1\x9F\x93.SS",
    NULL,
};

static const char *const invalid_ace[] = {
    "xn--a",     "xn--a.xn--zca", "xn--ls8h=", "xn--1ug.example",
    "xn--a-yoc", "xn--zn7c.com",  "xn--0.com", NULL,
};

static const struct exceptions none[] = {{NULL, NULL}};

static const struct exceptions in_idna_test[] = {
    {"an empty host cannot be written in a URL", empty},
    {"characters U+32931 and U+32B9A are newer than libidn2's Unicode",
     newer_characters},
    {NULL, NULL},
};

static const struct exceptions in_newest_toascii[] = {
    {"the newest standard takes ASCII names as they are; the one of June 2026,"
     " which is the one to hold, refuses an invalid xn-- label",
     invalid_ace},
    {NULL, NULL},
};

static const char long_label[] =
    "libidn2 refuses a label whose xn-- form is longer than 63 bytes";

static bool has_long_ace_label(struct str name)
{
    while (name.len) {
        struct str_pair cut = str_cut(name, '.');
        if (cut.head.len > 63 && str_starts(cut.head, STR("xn--")))
            return true;
        name = cut.tail;
    }
    return false;
}

/* Why this row must differ, or NULL. */
static const char *find_reason(const struct exceptions *list, struct str input,
                               struct str output)
{
    if (has_long_ace_label(output))
        return long_label;
    for (; list->reason; list++)
        for (const char *const *at = list->inputs; *at; at++)
            if (str_eq(str_of(*at), input))
                return list->reason;
    return NULL;
}

static unsigned count_listed(const struct exceptions *list)
{
    unsigned count = 0;

    for (; list->reason; list++)
        for (const char *const *at = list->inputs; *at; at++)
            count++;
    return count;
}

/* "https://input/x", with what would end the host as escapes. */
static void put_url(struct buf *text, struct str input)
{
    buf_put(text, STR("https://"));
    for (size_t i = 0; i < input.len; i++) {
        char c = input.ptr[i];
        if (c && strchr(":/?#\\", c))
            buf_printf(text, "%%%02X", (unsigned)c);
        else
            buf_put_char(text, c);
    }
    buf_put(text, STR("/x"));
}

struct tally {
    unsigned rows, excepted, too_long, failed;
};

static void check_row(const struct json *row, const struct exceptions *list,
                      struct tally *tally)
{
    struct str input = json_str(json_get(row, "input"));
    struct str want = json_str(json_get(row, "output"));
    const char *reason = find_reason(list, input, want);
    struct arena arena;
    struct buf text;
    struct url url;

    arena_init(&arena);
    buf_init(&text, 1 << 16);
    put_url(&text, input);
    enum err err = url_parse(&url, &arena, buf_str(&text), NULL, NULL);
    struct str got = err ? STR("") : url_host(&url);
    bool passed = str_eq(want, got);
    tally->rows++;
    tally->too_long += reason == long_label;
    tally->excepted += reason && reason != long_label;
    if (passed == (reason != NULL)) {
        tally->failed++;
        printf("input %s\n want %.*s\n  got %.*s\n%s%s\n", input.ptr,
               (int)want.len, want.ptr, (int)got.len, got.ptr,
               reason ? "passes, but is listed: " : "", reason ? reason : "");
    }
    buf_release(&text);
    arena_release(&arena);
}

static void run_suite(const char *path, const struct exceptions *list,
                      unsigned rows_min)
{
    struct tally tally = {0};
    struct arena arena;

    arena_init(&arena);
    const struct json *rows = conformance_json(path, &arena);
    if (!rows) {
        arena_release(&arena);
        skip();
    }
    for (size_t i = 0; i < json_count(rows); i++)
        if (json_is(json_at(rows, i), JSON_OBJECT))
            check_row(json_at(rows, i), list, &tally);
    arena_release(&arena);
    printf("%s: %u rows, %u excepted, %u with too long a label\n", path,
           tally.rows, tally.excepted, tally.too_long);
    assert_int_equal(tally.failed, 0);
    assert_int_equal(tally.excepted, count_listed(list));
    assert_true(tally.rows >= rows_min);
}

static void toascii(void **state)
{
    (void)state;
    run_suite(OLDER "toascii.json", none, 87);
}

static void idna_test(void **state)
{
    (void)state;
    run_suite(OLDER "IdnaTestV2.json", in_idna_test, 2670);
}

static void toascii_newest(void **state)
{
    (void)state;
    run_suite("url/toascii.json", in_newest_toascii, 87);
}

static void idna_test_removed(void **state)
{
    (void)state;
    run_suite("url/IdnaTestV2-removed.json", none, 20);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(toascii),
        cmocka_unit_test(idna_test),
        cmocka_unit_test(toascii_newest),
        cmocka_unit_test(idna_test_removed),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
