/* The pure parts of the playground: what a path means, where to listen, how a
 * body is played, and that the letters site has the shape it must have. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include <cmocka.h>

#include "testserver/address.h"
#include "testserver/body.h"
#include "testserver/files.h"
#include "testserver/letters.h"
#include "testserver/site.h"

static void check(struct str input, struct str expected, struct str got)
{
    if (!str_eq(expected, got))
        fail_msg("%.*s: expected '%.*s', got '%.*s'", (int)input.len, input.ptr,
                 (int)expected.len, expected.ptr, (int)got.len, got.ptr);
}

/* --- files, addresses, escapes ---------------------------------- */

static void paths(void **state)
{
    static const struct {
        const char *path, *expected; /* NULL: refused */
    } rows[] = {
        {"/", "."},
        {"/a/b.html", "a/b.html"},
        {"/a%20b", "a b"},
        {"//a", "a"},
        {"/%41%2f", "A/"},
        {"/..", NULL},
        {"/a/../b", NULL},
        {"/%2e%2e/b", NULL},
        {"/a/..%2f..", NULL},
        {"/...", "..."},
        {"/..a/b..", "..a/b.."},
        {"/%00", NULL},
        {"/%", NULL},
        {"/%4", NULL},
        {"/%4x", NULL},
        {"/0123456789012345678901234567890", NULL},
    };

    (void)state;
    for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
        char out[30];
        bool good = files_decode_path(str_of(rows[i].path), out, sizeof(out));

        check(str_of(rows[i].path),
              str_of(rows[i].expected ? rows[i].expected : "refused"),
              str_of(good ? out : "refused"));
    }
}

static void types(void **state)
{
    static const struct {
        const char *name, *expected;
    } rows[] = {
        {"a.html", "text/html"},
        {"a.b/c.HTM", "text/html"},
        {"a.xhtml", "application/xhtml+xml"},
        {"a.html/b", "application/octet-stream"},
        {"html", "application/octet-stream"},
        {"a.", "application/octet-stream"},
        {"a.tar.gz", "application/gzip"},
    };

    (void)state;
    for (size_t i = 0; i < ARRAY_LEN(rows); i++)
        check(str_of(rows[i].name), str_of(rows[i].expected),
              files_type(str_of(rows[i].name)));
}

static void addresses(void **state)
{
    static const struct {
        const char *text, *expected; /* NULL: refused */
        uint32_t count;
    } rows[] = {
        {"127.0.0.1:80", "127.0.0.1:80", 1},
        {"127.1.2.3:0", "127.1.2.3:0", 1},
        {"127.0.1.1-100:8080", "127.0.1.1:8080", 100},
        {"127.0.1.7-7:1", "127.0.1.7:1", 1},
        {"[::1]:443", "[::1]:443", 1},
        {"127.0.1.7-6:1", NULL, 0},
        {"127.0.1.7-256:1", NULL, 0},
        {"126.255.255.255:80", NULL, 0},
        {"128.0.0.0:80", NULL, 0},
        {"0.0.0.0:80", NULL, 0},
        {"[::]:80", NULL, 0},
        {"[::1:80", NULL, 0},
        {"::1:80", NULL, 0},
        {"localhost:80", NULL, 0},
        {"127.0.0.1:65536", NULL, 0},
        {"127.0.0.1:", NULL, 0},
        {"127.0.0.1", NULL, 0},
        {":80", NULL, 0},
        {"127.0.0.1:80-90", NULL, 0},
        {"127.0.0.1-:80", NULL, 0},
        {"127.0.0.1-0:80", NULL, 0},
        {"[::1]-9:80", NULL, 0},
        {"unix:/tmp/a-b", "unix:/tmp/a-b", 1},
        {"", NULL, 0},
    };

    (void)state;
    for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
        struct address address;
        const char *problem = NULL;
        char out[HTTP_ADDRESS_TEXT] = "refused";

        if (address_parse(str_of(rows[i].text), &address, &problem)) {
            address_format(&address, 0, out);
            assert_int_equal(rows[i].count, address.count);
        } else {
            assert_non_null(problem);
        }
        check(str_of(rows[i].text),
              str_of(rows[i].expected ? rows[i].expected : "refused"),
              str_of(out));
    }
}

static void escapes(void **state)
{
    static const struct {
        const char *text;
        struct str expected;
        bool good;
    } rows[] = {
        {"plain", STR_INIT("plain"), true},
        {"\\r\\n\\t\\\\", STR_INIT("\r\n\t\\"), true},
        {"a\\0b", STR_INIT("a\0b"), true},
        {"\\x41\\xfF", STR_INIT("A\xff"), true},
        {.text = "\\"},
        {.text = "\\q"},
        {.text = "\\x4"},
        {.text = "\\xg0"},
    };

    (void)state;
    for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
        struct buf out;

        buf_init(&out, 100);
        assert_int_equal(rows[i].good,
                         body_unescape(str_of(rows[i].text), &out));
        if (rows[i].good)
            check(str_of(rows[i].text), rows[i].expected, buf_str(&out));
        buf_release(&out);
    }
}

/* A repeated body is one copy and a number; the length is exact. */
static void repeated(void **state)
{
    static const struct {
        const char *text;
        uint64_t times;
    } rows[] = {{"x", 1},       {"x", 65536},           {"x", 65537},
                {"abc", 21846}, {"abc", 1000000000000}, {"x", 0}};

    (void)state;
    for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
        struct arena arena;
        struct body body;
        struct reply reply;
        struct str text = str_of(rows[i].text);

        arena_init(&arena);
        body_init(&body, &arena);
        reply_init(&reply);
        assert_true(body_repeat(&body, text, rows[i].times));
        reply.parts = body_finish(&body, &reply.part_count);
        assert_int_equal(rows[i].times * text.len, reply_parts_len(&reply));
        assert_true(arena.used < 200 * 1024);
        body_release(&body);
        arena_release(&arena);
    }
}

/* --- sites ------------------------------------------------------------- */

static unsigned ask(struct site *site, const char *text)
{
    static const struct http_request_limits limits = {.max_head = 1000,
                                                      .max_body = 1000};
    struct http_request request;

    assert_int_equal(HTTP_DONE,
                     http_request_parse(str_of(text), &limits, &request));
    const struct site_entry *entry = site_find(site, &request);
    return entry ? entry->reply.http.status : 0;
}

static void site_entries(void **state)
{
    char problem[SITE_PROBLEM] = "";
    struct site *site = site_parse(STR("/a 201\n"
                                       "  times 1\n"
                                       "/a 202\n"
                                       "/p/* 203\n"
                                       "/p/x 204\n"
                                       "/q?1 205\n"
                                       "//h/a 206\n"
                                       "POST /b 207\n"
                                       "/c 208\n"
                                       "  when X: y\n"),
                                   ".", problem);

    (void)state;
    assert_string_equal("", problem);
    assert_non_null(site);
    assert_int_equal(201, ask(site, "GET /a HTTP/1.1\r\nHost: h\r\n\r\n"));
    assert_int_equal(202, ask(site, "GET /a HTTP/1.1\r\nHost: h\r\n\r\n"));
    assert_int_equal(202, ask(site, "GET /a?x HTTP/1.0\r\n\r\n"));
    assert_int_equal(203, ask(site, "GET /p/x HTTP/1.0\r\n\r\n"));
    assert_int_equal(0, ask(site, "GET /p HTTP/1.0\r\n\r\n"));
    assert_int_equal(205, ask(site, "GET /q?1 HTTP/1.0\r\n\r\n"));
    assert_int_equal(0, ask(site, "GET /q HTTP/1.0\r\n\r\n"));
    assert_int_equal(207, ask(site, "POST /b HTTP/1.0\r\n\r\n"));
    assert_int_equal(0, ask(site, "GET /b HTTP/1.0\r\n\r\n"));
    assert_int_equal(208, ask(site, "GET /c HTTP/1.0\r\nx: xyz\r\n\r\n"));
    assert_int_equal(0, ask(site, "GET /c HTTP/1.0\r\nx: z\r\n\r\n"));
    site_free(site);
}

/* --- the letters site -------------------------------------------------- */

enum { LETTER_PAGES = 10, MAX_LINKS = 8, MAX_DEPTH = 10 };

static const char *const letter_names[LETTER_PAGES] = {
    "index.html", "A.html", "B.html", "C.html", "D.html",
    "E.html",     "F.html", "G.html", "H.html", ""};

struct letter_links {
    int internal[MAX_LINKS]; /* numbers in letter_names */
    size_t internal_count, external_count;
};

static int letter_number(struct str name)
{
    for (int i = 0; i < LETTER_PAGES; i++)
        if (str_eq(str_of(letter_names[i]), name))
            return i;
    fail_msg("a link leads to '%.*s'", (int)name.len, name.ptr);
    return -1;
}

static struct letter_links letter_links_of(int page)
{
    struct letter_links links = {0};
    char path[64];

    snprintf(path, sizeof(path), LETTERS_PATH "%s", letter_names[page]);
    struct str html = letters_page(str_of(path));
    assert_true(html.len > 0);
    for (;;) {
        const char *at = memmem(html.ptr, html.len, "href=", 5);
        if (!at)
            return links;
        html = str_between(at + 5, html.ptr + html.len);
        struct str href = str_first(html, str_find(html, '>'));
        if (str_starts(href, STR("https://en.wikipedia.org/wiki/")))
            links.external_count++;
        else
            links.internal[links.internal_count++] = letter_number(href);
    }
}

struct letter_crawl {
    int pages, lines; /* saved; of the log */
};

static struct letter_crawl crawl_letters(int seed, int max_depth)
{
    int queue[LETTER_PAGES] = {seed}, depth[LETTER_PAGES] = {0}, count = 1;
    bool seen[LETTER_PAGES] = {false};
    struct letter_crawl crawl = {0};

    seen[seed] = true;
    for (int i = 0; i < count; i++) {
        int page = queue[i];
        struct letter_links links = letter_links_of(page);

        crawl.pages++;
        crawl.lines++; /* Fetched */
        if (depth[page] == max_depth)
            continue;
        crawl.lines++; /* Scanning */
        crawl.lines += 2 * (int)(links.internal_count + links.external_count);
        for (size_t j = 0; j < links.internal_count; j++) {
            int to = links.internal[j];
            if (!seen[to]) {
                seen[to] = true;
                depth[to] = depth[page] + 1;
                queue[count++] = to;
            }
        }
    }
    return crawl;
}

static void letters_counts(void **state)
{
    static const int pages[LETTER_PAGES][7] = {
        {1, 2, 3, 6, 8, 9, 9},   {1, 3, 6, 8, 9, 9, 9}, {1, 5, 8, 9, 9, 9, 9},
        {1, 3, 4, 5, 6, 8, 9},   {1, 2, 3, 4, 6, 8, 9}, {1, 5, 7, 9, 9, 9, 9},
        {1, 3, 5, 8, 9, 9, 9},   {1, 3, 5, 8, 9, 9, 9}, {1, 3, 7, 9, 9, 9, 9},
        {1, 2, 4, 7, 9, 10, 10},
    };
    static const int lines[MAX_DEPTH + 1] = {1,  5,  13, 27, 52, 67,
                                             74, 74, 74, 74, 74};

    (void)state;
    for (int seed = 0; seed < LETTER_PAGES; seed++)
        for (int depth = 0; depth < 7; depth++) {
            int got = crawl_letters(seed, depth).pages;
            if (got != pages[seed][depth])
                fail_msg("%s at depth %d: expected %d pages, got %d",
                         letter_names[seed], depth, pages[seed][depth], got);
        }
    for (int depth = 0; depth <= MAX_DEPTH; depth++)
        assert_int_equal(lines[depth], crawl_letters(0, depth).lines);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(paths),          cmocka_unit_test(types),
        cmocka_unit_test(addresses),      cmocka_unit_test(escapes),
        cmocka_unit_test(repeated),       cmocka_unit_test(site_entries),
        cmocka_unit_test(letters_counts),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
