/* The URL parser against web-platform-tests' urltestdata and ada's extra
 * rows. Every row is run; those that concern http and https must give the
 * href without its fragment and the same parts, or fail where the row says so;
 * those of other schemes must be refused. */
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>

#include <cmocka.h>

#include "support/conformance.h"
#include "web/charset.h"
#include "web/url.h"

#define OLDER "url/older/2026-06-25-f28876b96a/"

/* A row that must not pass, and why. */
struct exception {
    const char *input;
    const char *reason;
};

/* The newest version of the suite takes ASCII names as they are; the version
 * of June 2026, which is the one to hold, has the same rows as failures. */
static const char ace[] = "an invalid xn-- label is refused";

static const struct exception none[] = {{NULL, NULL}};

static const struct exception in_newest[] = {
    {"http://a.b.c.xn--pokxncvks", ace},
    {"http://10.0.0.xn--pokxncvks", ace},
    {"http://a.b.c.XN--pokxncvks", ace},
    {"http://a.b.c.Xn--pokxncvks", ace},
    {"http://10.0.0.XN--pokxncvks", ace},
    {"http://10.0.0.xN--pokxncvks", ace},
    {"https://xn--/", ace},
    {NULL, NULL},
};

static const struct exception in_ada_long[] = {
    {"http://"
     "ğığığığığığığığığığığığığığığığığığığığığığığığığığığığığığığı"
     "ğığığığığığığığığığığığığığığığığığığığığığığığığığığığığığığı"
     ".com",
     "a label of more than 63 bytes is refused"},
    {NULL, NULL},
};

static const struct exception *find_exception(const struct exception *list,
                                              struct str input)
{
    for (; list->input; list++)
        if (str_eq(str_of(list->input), input))
            return list;
    return NULL;
}

static struct str without_fragment(struct str href)
{
    return str_first(href, str_find(href, '#'));
}

static bool is_http(struct str href)
{
    return str_starts(href, STR("http://")) ||
           str_starts(href, STR("https://"));
}

/* `search` is empty or starts with '?'. */
static bool parts_match(const struct url *url, const struct json *row)
{
    struct str search = json_str(json_get(row, "search"));
    struct str port = json_str(json_get(row, "port"));
    uint64_t number = url->https ? 443 : 80;

    if (search.len)
        search = str_skip(search, 1);
    if (port.len && !str_to_u64(port, &number))
        return false;
    return str_eq(url_host(url), json_str(json_get(row, "hostname"))) &&
           str_eq(url_path(url), json_str(json_get(row, "pathname"))) &&
           str_eq(url_query(url), search) && url->port == number &&
           url->href.ptr[url->href.len] == '\0';
}

struct tally {
    unsigned rows, http, excepted, failed;
};

/* What the parser makes of a row, "" where it refuses. */
static struct str run(const struct json *row, struct arena *arena,
                      struct url *url)
{
    const struct json *base_text = json_get(row, "base");
    struct str input = json_str(json_get(row, "input"));
    struct url base;
    enum err err = ERR_NONE;

    /* A base of another scheme is none: an absolute URL does not need it. */
    bool has_base = json_is(base_text, JSON_STRING);
    if (has_base)
        err = url_parse(&base, arena, json_str(base_text), NULL, NULL);
    if (err == ERR_URL_SCHEME) {
        has_base = false;
        err = ERR_NONE;
    }
    if (!err)
        err = url_parse(url, arena, input, has_base ? &base : NULL, NULL);
    return err ? STR("") : url->href;
}

static void check_row(const struct json *row, const struct exception *list,
                      struct tally *tally)
{
    struct str input = json_str(json_get(row, "input"));
    struct str href = json_str(json_get(row, "href"));
    const struct exception *exception = find_exception(list, input);
    struct arena arena;
    struct url url;

    arena_init(&arena);
    struct str want = is_http(href) ? without_fragment(href) : STR("");
    struct str got = run(row, &arena, &url);
    bool passed = str_eq(want, got) && (!got.len || parts_match(&url, row));
    tally->rows++;
    tally->http += want.len > 0;
    tally->excepted += exception != NULL;
    if (passed == (exception != NULL)) {
        tally->failed++;
        printf("input %s\n base %s\n want %.*s\n  got %.*s\n%s%s\n", input.ptr,
               json_str(json_get(row, "base")).ptr, (int)want.len, want.ptr,
               (int)got.len, got.ptr,
               exception ? "passes, but is listed: " : "",
               exception ? exception->reason : "");
    }
    arena_release(&arena);
}

static void run_suite(const char *path, const struct exception *list,
                      unsigned http_min)
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

    unsigned listed = 0;
    while (list[listed].input)
        listed++;
    printf("%s: %u rows, %u with an http(s) result, %u excepted\n", path,
           tally.rows, tally.http, tally.excepted);
    assert_int_equal(tally.failed, 0);
    assert_int_equal(tally.excepted, listed);
    assert_true(tally.http >= http_min);
}

static void urltestdata(void **state)
{
    (void)state;
    run_suite(OLDER "urltestdata.json", none, 237);
}

static void urltestdata_newest(void **state)
{
    (void)state;
    run_suite("url/urltestdata.json", in_newest, 237);
}

static void urltestdata_javascript_only(void **state)
{
    (void)state;
    run_suite("url/urltestdata-javascript-only.json", none, 1);
}

static void ada_extra(void **state)
{
    (void)state;
    run_suite("url/ada_extra_urltestdata.json", none, 5);
}

static void ada_long(void **state)
{
    (void)state;
    run_suite("url/ada_long_urltestdata.json", in_ada_long, 1);
}

/* A query on a page of that charset. */
static bool check_encoding(struct str input, const struct json *output)
{
    const struct charset *charset = charset_find(output->name);
    struct url_query_encoder encoder = {charset_encode_query,
                                        (void *)(uintptr_t)charset};
    struct arena arena;
    struct url url;
    char text[256];

    assert_non_null(charset);
    snprintf(text, sizeof(text), "https://host.invalid/?%s#%s", input.ptr,
             input.ptr);
    arena_init(&arena);
    enum err err = url_parse(&url, &arena, str_of(text), NULL, &encoder);
    struct str got = err ? STR("!") : url_query(&url);
    bool same = str_eq(got, json_str(output));
    if (!same)
        printf("%s in %s: want %s, got %.*s\n", input.ptr, output->name.ptr,
               json_str(output).ptr, (int)got.len, got.ptr);
    arena_release(&arena);
    return same;
}

static void percent_encoding(void **state)
{
    unsigned checked = 0, failed = 0;
    struct arena arena;

    (void)state;
    arena_init(&arena);
    const struct json *rows =
        conformance_json("url/percent-encoding.json", &arena);
    if (!rows) {
        arena_release(&arena);
        skip();
    }
    for (size_t i = 0; i < json_count(rows); i++) {
        struct str input = json_str(json_get(json_at(rows, i), "input"));
        const struct json *outputs = json_get(json_at(rows, i), "output");
        for (size_t k = 0; k < json_count(outputs); k++) {
            checked++;
            failed += !check_encoding(input, json_at(outputs, k));
        }
    }
    arena_release(&arena);
    printf("percent-encoding.json: %u queries\n", checked);
    assert_int_equal(failed, 0);
    assert_true(checked >= 16);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(urltestdata),
        cmocka_unit_test(urltestdata_newest),
        cmocka_unit_test(urltestdata_javascript_only),
        cmocka_unit_test(ada_extra),
        cmocka_unit_test(ada_long),
        cmocka_unit_test(percent_encoding),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
