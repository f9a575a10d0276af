#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>

#include <cmocka.h>

#include "web/scope.h"

struct fixture {
    struct arena arena;
    struct domains *domains;
    struct scope *scope;
};

static int setup(void **state)
{
    static struct fixture fixture;

    arena_init(&fixture.arena);
    fixture.domains = domains_new();
    fixture.scope = scope_new(fixture.domains);
    *state = &fixture;
    return 0;
}

static int teardown(void **state)
{
    struct fixture *fixture = *state;

    scope_free(fixture->scope);
    domains_free(fixture->domains);
    arena_release(&fixture->arena);
    return 0;
}

static struct url parse(struct fixture *fixture, const char *text)
{
    struct url url;
    enum err err = url_parse(&url, &fixture->arena, str_of(text), NULL, NULL);

    if (err)
        fail_msg("%s: %s", text, err_message(err));
    return url;
}

struct question {
    const char *url;
    bool inside;
};

/* A URL of NULL ends the list. */
static void ask(struct fixture *fixture, const struct question *question)
{
    for (; question->url; question++) {
        struct url url = parse(fixture, question->url);
        if (scope_contains(fixture->scope, &url) != question->inside)
            fail_msg("%s: should be %s", question->url,
                     question->inside ? "inside" : "outside");
    }
}

static void add_seed(struct fixture *fixture, enum scope_kind kind,
                     const char *text)
{
    struct url seed = parse(fixture, text);

    scope_add_seed(fixture->scope, kind, &seed);
}

static void add_prefix(struct fixture *fixture, const char *text)
{
    struct url prefix = parse(fixture, text);

    scope_add_prefix(fixture->scope, &prefix);
}

static void empty(void **state)
{
    static const struct question questions[] = {
        {"http://h/", false},
        {NULL, false},
    };

    ask(*state, questions);
}

static void prefixes(void **state)
{
    static const struct question questions[] = {
        {"http://cs50tse.cs.dartmouth.edu/tse/", true},
        {"HTTP://CS50TSE.cs.dartmouth.edu/tse/letters/A.html", true},
        {"http://cs50tse.cs.dartmouth.edu/tse", false},
        {"http://cs50tse.cs.dartmouth.edu/", false},
        {"http://cs50tse.cs.dartmouth.edu/tse/../x/", false},
        {"https://cs50tse.cs.dartmouth.edu/tse/", false},
        {"http://cs50tse.cs.dartmouth.edu:81/tse/", false},
        {"http://cs50tse.cs.dartmouth.edu.evil/tse/", false},
        {"http://evil/?http://cs50tse.cs.dartmouth.edu/tse/", false},
        {"https://other/abc", true},
        {"https://other/ab", true},
        {"https://other/a", false},
        {"https://third/?q=a/b/", true},
        {"https://third/?q=a/b/c", true},
        {"https://third/?q=a/c", false},
        {NULL, false},
    };

    add_prefix(*state, "http://cs50tse.cs.dartmouth.edu/tse/");
    add_prefix(*state, "https://other/ab");
    add_prefix(*state, "https://third/?q=a/b/");
    ask(*state, questions);
}

static void seed_directory(void **state)
{
    static const struct question questions[] = {
        {"http://h/a/b/", true},    {"http://h/a/b/d/e.html?f", true},
        {"http://h/a/b", false},    {"http://h/a/", false},
        {"https://h/a/b/", false},  {"http://h:81/a/b/", false},
        {"http://u@h/a/b/", false}, {NULL, false},
    };

    add_seed(*state, SCOPE_PREFIX, "http://h/a/b/c.html?x=/y/z");
    ask(*state, questions);
}

static void hosts(void **state)
{
    static const struct question questions[] = {
        {"http://www.example.org/any", true},
        {"https://www.example.org/any", true},
        {"https://user@www.example.org:443/", true},
        {"http://www.example.org./", true},
        {"http://www.example.org:443/", false},
        {"https://www.example.org:80/", false},
        {"http://www.example.org:8080/", false},
        {"http://example.org/", false},
        {"http://a.www.example.org/", false},
        {"http://127.0.0.1:8000/x", true},
        {"https://127.0.0.1:8000/x", true},
        {"http://127.0.0.1/x", false},
        {"http://[::1]/", true},
        {NULL, false},
    };

    add_seed(*state, SCOPE_HOST, "http://www.example.org/page");
    add_seed(*state, SCOPE_HOST, "http://127.0.0.1:8000/");
    add_seed(*state, SCOPE_HOST, "http://[::1]/");
    ask(*state, questions);
}

static void domains(void **state)
{
    static const struct question questions[] = {
        {"http://www.example.co.uk/", true},
        {"https://example.co.uk:8443/x", true},
        {"http://a.b.example.co.uk./", true},
        {"http://notexample.co.uk/", false},
        {"http://other.co.uk/", false},
        {"http://co.uk/", false},
        {"http://example.co.uk.evil/", false},
        {"http://user.github.io/", true},
        {"http://a.user.github.io/", true},
        {"http://other.github.io/", false},
        {"http://github.io/", false},
        {"http://localhost:81/", true},
        {"http://x.localhost/", false},
        {"http://10.0.0.1:81/", true},
        {"http://10.0.0.2/", false},
        {"http://blogspot.com/", true},
        {"http://a.blogspot.com/", false},
        {NULL, false},
    };

    add_seed(*state, SCOPE_DOMAIN, "http://www.example.co.uk/page");
    add_seed(*state, SCOPE_DOMAIN, "http://user.github.io/");
    add_seed(*state, SCOPE_DOMAIN, "http://localhost/");
    add_seed(*state, SCOPE_DOMAIN, "http://10.0.0.1/");
    /* A public suffix: its own domain, and those below are others. */
    add_seed(*state, SCOPE_DOMAIN, "http://blogspot.com/");
    ask(*state, questions);
}

static void any(void **state)
{
    static const struct question questions[] = {
        {"http://h/", true},
        {"https://other:1/", true},
        {NULL, false},
    };

    add_seed(*state, SCOPE_ANY, "http://h/");
    ask(*state, questions);
}

static void many(void **state)
{
    enum { COUNT = 100000 };
    char text[64];

    for (int i = 0; i < COUNT; i++) {
        enum scope_kind kind = (enum scope_kind)(i % 3);
        snprintf(text, sizeof(text), "http://www.site%d.example/d%d/", i, i);
        add_seed(*state, kind, text);
    }
    for (int i = 0; i < COUNT; i += 997) {
        const char *form = i % 3 == SCOPE_PREFIX ? "http://www.site%d.example"
                                                   "/d%d/x"
                           : i % 3 == SCOPE_HOST ? "https://www.site%d.example/"
                                                 : "http://a.site%d.example:8/";
        struct question questions[3] = {{text, true}};

        snprintf(text, sizeof(text), form, i, i);
        ask(*state, questions);
        questions[0].inside = false;
        snprintf(text, sizeof(text), form, COUNT + i, i);
        ask(*state, questions);
    }
}

static void assert_described(struct fixture *fixture, const char *expected)
{
    struct buf text;

    buf_init(&text, 4096);
    scope_describe(fixture->scope, &text);
    assert_string_equal(buf_cstr(&text), expected);
    buf_release(&text);
}

static void described_to_people(void **state)
{
    struct fixture *fixture = *state;
    struct buf text;

    assert_described(fixture, "");
    add_prefix(fixture, "http://a.example/x");
    assert_described(fixture, "what begins with http://a.example/x");
    add_seed(fixture, SCOPE_HOST, "http://b.example:8080/y");
    add_seed(fixture, SCOPE_HOST, "http://b.example:8080/z");
    assert_described(fixture, "what begins with http://a.example/x; "
                              "the host b.example:8080");
    add_seed(fixture, SCOPE_DOMAIN, "http://www.example.org/");
    add_seed(fixture, SCOPE_ANY, "http://www.example.org/");
    assert_described(fixture, "what begins with http://a.example/x; "
                              "the host b.example:8080; "
                              "the domain example.org; everything");
    /* Of many names some are enough. */
    for (int i = 0; i < 100; i++) {
        char url[64];
        snprintf(url, sizeof(url), "http://h%d.test/", i);
        add_seed(fixture, SCOPE_HOST, url);
    }
    buf_init(&text, 4096);
    scope_describe(fixture->scope, &text);
    assert_non_null(strstr(buf_cstr(&text), " and others; the domain "));
    assert_true(text.len < 250);
    buf_release(&text);
}

static void seeds_that_move(void **state)
{
    static const struct {
        const char *from, *to;
        bool may;
    } rows[] = {
        {"http://example.org/", "http://www.example.org/a", true},
        {"http://www.example.org/", "http://example.org/", true},
        {"http://example.org/", "https://example.org/", true},
        {"http://example.org/", "https://www.example.org/", true},
        {"http://example.org:8080/", "https://www.example.org:8080/", true},
        {"http://127.0.0.1/", "https://127.0.0.1/", true},
        {"http://example.org/a/", "http://example.org/b/", false},
        {"http://example.org/", "http://example.net/", false},
        {"http://example.org/", "http://www.example.org:8080/", false},
        {"http://example.org:8080/", "https://example.org/", false},
        {"http://a.github.io/", "http://b.github.io/", false},
        {"http://127.0.0.1/", "http://127.0.0.2/", false},
    };
    struct fixture *fixture = *state;

    for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
        struct url from = parse(fixture, rows[i].from);
        struct url to = parse(fixture, rows[i].to);
        if (scope_may_move(fixture->scope, &from, &to) != rows[i].may)
            fail_msg("%s to %s", rows[i].from, rows[i].to);
    }
}

static void kind_names(void **state)
{
    (void)state;
    for (unsigned i = 0; i < SCOPE_KINDS; i++)
        assert_non_null(scope_kind_name((enum scope_kind)i));
}

static void domain_of_hosts(void **state)
{
    static const struct {
        const char *host, *want;
    } cases[] = {
        {"www.example.com", "example.com"},
        {"example.com", "example.com"},
        {"com", "com"},
        {"a.b.example.co.uk.", "example.co.uk"},
        {"co.uk", "co.uk"},
        {"x.y.unknowntld", "y.unknowntld"},
        {"localhost", "localhost"},
        {"localhost.", "localhost"},
        {".", "."},
        {"127.0.0.1", "127.0.0.1"},
        {"[::1]", "[::1]"},
        {"www.xn--85x722f.com.cn", "xn--85x722f.com.cn"},
        {"a.user.github.io", "user.github.io"},
    };
    struct fixture *fixture = *state;

    for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
        struct str host = str_of(cases[i].host);
        struct str got = domain_of_host(fixture->domains, host);
        if (!str_eq(got, str_of(cases[i].want)))
            fail_msg("%s: want %s, got %.*s", cases[i].host, cases[i].want,
                     (int)got.len, got.ptr);
        assert_true(got.ptr >= host.ptr && got.ptr < host.ptr + host.len);
    }
}

/* More hosts than answers are remembered, several times over: no host gets the
 * answer of another. */
static void domain_of_many_hosts(void **state)
{
    static const struct {
        const char *format;
        size_t before; /* the domain */
    } kinds[] = {
        {"d%u.com", 0},
        {"www.d%u.com", 4},
        {"a.b.d%u.co.uk", 4},
        {"d%u", 0},
    };
    enum { COUNT = 40000, TIMES = 3 };
    struct fixture *fixture = *state;

    for (unsigned i = 0; i < TIMES * COUNT; i++) {
        unsigned number = i % COUNT;
        size_t kind = number % ARRAY_LEN(kinds);
        char text[64];
        snprintf(text, sizeof(text), kinds[kind].format, number);
        struct str host = str_of(text);
        struct str got = domain_of_host(fixture->domains, host);
        if (!str_eq(got, str_skip(host, kinds[kind].before)))
            fail_msg("%s: got %.*s", text, (int)got.len, got.ptr);
    }
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, setup, teardown)

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(empty),
        TEST(prefixes),
        TEST(seed_directory),
        TEST(hosts),
        TEST(domains),
        TEST(any),
        TEST(many),
        TEST(described_to_people),
        TEST(seeds_that_move),
        TEST(kind_names),
        TEST(domain_of_hosts),
        TEST(domain_of_many_hosts),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
