#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include <cmocka.h>

#include "page/cookies.h"

enum { NOW = 1700000000 };

struct fixture {
    struct domains *domains;
    struct cookies *jar;
    struct arena arena;
    struct buf out;
};

static void set_up(struct fixture *fixture)
{
    fixture->domains = domains_new();
    fixture->jar = cookies_new(fixture->domains, 1);
    arena_init(&fixture->arena);
    buf_init(&fixture->out, COOKIE_HEADER_MAX);
}

static void tear_down(struct fixture *fixture)
{
    cookies_free(fixture->jar);
    domains_free(fixture->domains);
    arena_release(&fixture->arena);
    buf_release(&fixture->out);
}

static struct url parse(struct fixture *fixture, const char *text)
{
    struct url url;

    assert_int_equal(url_parse(&url, &fixture->arena, str_of(text), NULL, NULL),
                     0);
    return url;
}

static void set(struct fixture *fixture, const char *from, const char *header)
{
    struct url url = parse(fixture, from);

    cookies_take(fixture->jar, &url, str_of(header), NOW);
}

static const char *sent_at(struct fixture *fixture, const char *to,
                           uint64_t now_s)
{
    struct url url = parse(fixture, to);

    buf_clear(&fixture->out);
    cookies_put(fixture->jar, &url, now_s, &fixture->out);
    return buf_cstr(&fixture->out);
}

static const char *sent(struct fixture *fixture, const char *to)
{
    return sent_at(fixture, to, NOW);
}

/* How many there are: a line each, after one that says what the file is. */
static size_t count(struct fixture *fixture)
{
    struct buf file;
    size_t lines = 0;

    buf_init(&file, 16 << 20);
    cookies_put_file(fixture->jar, NOW, &file);
    for (size_t i = 0; i < file.len; i++)
        lines += file.ptr[i] == '\n';
    buf_release(&file);
    return lines - 1;
}

/* --- one cookie ---------------------------------------------------------- */

static void a_cookie_goes_where_it_belongs(void **state)
{
    static const struct {
        const char *from, *header, *to, *sent;
    } rows[] = {
        {"http://a.org/", "n=v", "http://a.org/x", "n=v"},
        {"http://a.org/", " n = v ; x", "http://a.org/", "n=v"},
        {"http://a.org/", "n=v=w", "http://a.org/", "n=v=w"},
        {"http://a.org/", "n=", "http://a.org/", "n="},
        {"http://a.org/", "value", "http://a.org/", "value"},
        {"http://a.org/", "=value", "http://a.org/", "value"},
        {"http://a.org/", "=", "http://a.org/", ""},
        {"http://a.org/", "", "http://a.org/", ""},
        {"http://a.org/", "n=\"v\"", "http://a.org/", "n=\"v\""},
        {"http://a.org/", "n=v\x01", "http://a.org/", ""},
        {"http://a.org/", "n=v\x7f", "http://a.org/", ""},
        /* hosts */
        {"http://a.org/", "n=v", "http://www.a.org/", ""},
        {"http://www.a.org/", "n=v", "http://a.org/", ""},
        {"http://a.org/", "n=v", "http://a.org:81/", "n=v"},
        {"http://a.org/", "n=v; domain=a.org", "http://www.a.org/", "n=v"},
        {"http://a.org/", "n=v; Domain=.A.org", "http://b.a.org/", "n=v"},
        {"http://w.a.org/", "n=v; domain=a.org", "http://a.org/", "n=v"},
        {"http://w.a.org/", "n=v; domain=a.org", "http://ba.org/", ""},
        {"http://a.org/", "n=v; domain=w.a.org", "http://w.a.org/", ""},
        {"http://a.org/", "n=v; domain=b.org", "http://b.org/", ""},
        {"http://a.org/", "n=v; domain=", "http://a.org/", "n=v"},
        {"http://a.org/", "n=v; domain=b.org; domain=a.org", "http://w.a.org/",
         "n=v"},
        /* public suffixes */
        {"http://a.co.uk/", "n=v; domain=co.uk", "http://b.co.uk/", ""},
        {"http://a.co.uk/", "n=v; domain=co.uk", "http://a.co.uk/", ""},
        {"http://a.org/", "n=v; domain=org", "http://a.org/", ""},
        {"http://co.uk/", "n=v; domain=co.uk", "http://co.uk/", "n=v"},
        {"http://co.uk/", "n=v; domain=co.uk", "http://a.co.uk/", ""},
        {"http://localhost/", "n=v; domain=localhost", "http://localhost/",
         "n=v"},
        {"http://a.github.io/", "n=v; domain=github.io", "http://b.github.io/",
         ""},
        /* addresses */
        {"http://127.0.0.1/", "n=v; domain=127.0.0.1", "http://127.0.0.1/",
         "n=v"},
        {"http://127.0.0.1/", "n=v; domain=0.0.1", "http://127.0.0.1/", ""},
        {"http://[::1]/", "n=v", "http://[::1]/", "n=v"},
        /* paths */
        {"http://a.org/x/y", "n=v", "http://a.org/x/z", "n=v"},
        {"http://a.org/x/y", "n=v", "http://a.org/x", "n=v"},
        {"http://a.org/x/y", "n=v", "http://a.org/xx", ""},
        {"http://a.org/x/y", "n=v", "http://a.org/", ""},
        {"http://a.org/x", "n=v", "http://a.org/", "n=v"},
        {"http://a.org/x/y", "n=v; path=/", "http://a.org/", "n=v"},
        {"http://a.org/", "n=v; path=/x/", "http://a.org/x", ""},
        {"http://a.org/", "n=v; path=/x/", "http://a.org/x/y", "n=v"},
        {"http://a.org/x/y", "n=v; path=z", "http://a.org/x/z", "n=v"},
        /* Secure */
        {"https://a.org/", "n=v; secure", "https://a.org/", "n=v"},
        {"https://a.org/", "n=v; secure", "http://a.org/", ""},
        {"http://a.org/", "n=v; secure", "https://a.org/", ""},
        {"https://a.org/", "n=v", "http://a.org/", "n=v"},
        {"https://a.org/", "n=v; samesite=none", "https://a.org/", ""},
        {"https://a.org/", "n=v; samesite=none; secure", "https://a.org/",
         "n=v"},
        {"http://a.org/", "n=v; samesite=lax", "http://a.org/", "n=v"},
        /* promises */
        {"https://a.org/", "__Secure-n=v", "https://a.org/", ""},
        {"https://a.org/", "__Secure-n=v; secure", "https://a.org/",
         "__Secure-n=v"},
        {"https://a.org/", "__host-n=v; secure", "https://a.org/", ""},
        {"https://a.org/", "__Host-n=v; secure; path=/", "https://a.org/",
         "__Host-n=v"},
        {"https://a.org/", "__Host-n=v; secure; path=/; domain=a.org",
         "https://a.org/", ""},
        {"https://a.org/", "=__Secure-n=v; secure", "https://a.org/", ""},
        /* times */
        {"http://a.org/", "n=v; max-age=1", "http://a.org/", "n=v"},
        {"http://a.org/", "n=v; max-age=0", "http://a.org/", ""},
        {"http://a.org/", "n=v; max-age=-5", "http://a.org/", ""},
        {"http://a.org/", "n=v; max-age=x", "http://a.org/", "n=v"},
        {"http://a.org/", "n=v; max-age=1x", "http://a.org/", "n=v"},
        {"http://a.org/", "n=v; expires=Thu, 01 Jan 1970 00:00:00 GMT",
         "http://a.org/", ""},
        {"http://a.org/", "n=v; expires=Thu, 01 Jan 2099 00:00:00 GMT",
         "http://a.org/", "n=v"},
        {"http://a.org/", "n=v; expires=never", "http://a.org/", "n=v"},
        {"http://a.org/",
         "n=v; max-age=9; expires=Thu, 01 Jan 1970 00:00:00 GMT",
         "http://a.org/", "n=v"},
    };

    (void)state;
    for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
        struct fixture fixture;
        set_up(&fixture);
        set(&fixture, rows[i].from, rows[i].header);
        const char *got = sent(&fixture, rows[i].to);
        if (strcmp(got, rows[i].sent) != 0)
            fail_msg("%s: \"%s\", to %s: expected \"%s\", got \"%s\"",
                     rows[i].from, rows[i].header, rows[i].to, rows[i].sent,
                     got);
        tear_down(&fixture);
    }
}

/* --- several ------------------------------------------------------------- */

static void the_longest_path_and_the_oldest_come_first(void **state)
{
    struct fixture fixture;

    (void)state;
    set_up(&fixture);
    set(&fixture, "http://a.org/", "one=1; path=/");
    set(&fixture, "http://a.org/", "two=2; path=/x");
    set(&fixture, "http://a.org/", "three=3; path=/");
    /* A new value keeps its place. */
    set(&fixture, "http://a.org/", "one=new; path=/");
    assert_string_equal(sent(&fixture, "http://a.org/x"),
                        "two=2; one=new; three=3");
    set(&fixture, "http://a.org/", "two=; path=/x; max-age=0");
    assert_string_equal(sent(&fixture, "http://a.org/x"), "one=new; three=3");
    tear_down(&fixture);
}

static void cookies_expire(void **state)
{
    struct fixture fixture;

    (void)state;
    set_up(&fixture);
    set(&fixture, "http://a.org/", "short=1; max-age=10");
    set(&fixture, "http://a.org/", "session=1");
    set(&fixture, "http://a.org/", "long=1; max-age=99999999999999999999");
    assert_string_equal(sent_at(&fixture, "http://a.org/", NOW + 9),
                        "short=1; session=1; long=1");
    assert_string_equal(sent_at(&fixture, "http://a.org/", NOW + 10),
                        "session=1; long=1");
    assert_string_equal(
        sent_at(&fixture, "http://a.org/", NOW + COOKIE_AGE_MAX_S),
        "session=1");
    tear_down(&fixture);
}

static void
what_comes_unprotected_does_not_replace_a_secure_cookie(void **state)
{
    struct fixture fixture;

    (void)state;
    set_up(&fixture);
    set(&fixture, "https://w.a.org/", "id=good; secure; domain=a.org; path=/");
    set(&fixture, "http://w.a.org/", "id=bad; domain=a.org; path=/");
    set(&fixture, "http://w.a.org/", "id=bad; path=/deep");
    set(&fixture, "http://w.a.org/", "other=fine");
    assert_string_equal(sent(&fixture, "https://w.a.org/deep"),
                        "id=good; other=fine");
    set(&fixture, "https://w.a.org/", "id=new; domain=a.org; path=/");
    assert_string_equal(sent(&fixture, "http://w.a.org/"),
                        "id=new; other=fine");
    tear_down(&fixture);
}

/* --- bounds -------------------------------------------------------------- */

static void a_domain_and_the_jar_are_bounded(void **state)
{
    struct fixture fixture;
    char text[COOKIE_BYTES_MAX + 64], host[64];

    (void)state;
    set_up(&fixture);
    set(&fixture, "https://a.org/", "kept=1; secure");
    for (int i = 0; i < 10 * COOKIES_PER_DOMAIN; i++) {
        snprintf(text, sizeof(text), "n%d=v; domain=a.org", i);
        snprintf(host, sizeof(host), "https://h%d.a.org/", i);
        set(&fixture, host, text);
    }
    assert_int_equal(count(&fixture), COOKIES_PER_DOMAIN);
    assert_non_null(strstr(sent(&fixture, "https://a.org/"), "kept=1"));
    for (int i = 0; i < 2 * COOKIES_MAX; i++) {
        snprintf(host, sizeof(host), "http://host%d.org/", i);
        set(&fixture, host, "n=v");
        /* In use: it stays. */
        sent(&fixture, "https://a.org/");
    }
    assert_int_equal(count(&fixture), COOKIES_MAX);
    assert_non_null(strstr(sent(&fixture, "https://a.org/"), "kept=1"));
    assert_string_equal(sent(&fixture, "http://host0.org/"), "");
    assert_string_equal(sent(&fixture, "http://host5999.org/"), "n=v");
    tear_down(&fixture);
}

static void a_cookie_and_a_header_are_bounded(void **state)
{
    struct fixture fixture;
    char text[COOKIE_BYTES_MAX + 64];

    (void)state;
    set_up(&fixture);
    memset(text, 'x', sizeof(text));
    for (int i = 0; i < 9; i++) {
        int len = snprintf(text, sizeof(text), "n%d=", i);
        text[len] = 'x';
        text[COOKIE_BYTES_MAX + 1] =
            '\0'; /* with the '=' that does not count */
        set(&fixture, "http://a.org/", text);
        text[COOKIE_BYTES_MAX + 1] = 'x';
        text[COOKIE_BYTES_MAX + 2] = '\0';
        set(&fixture, "http://b.org/", text);
        text[COOKIE_BYTES_MAX + 2] = 'x';
    }
    assert_int_equal(count(&fixture), 9);
    sent(&fixture, "http://a.org/");
    assert_in_range(fixture.out.len, COOKIE_BYTES_MAX, COOKIE_HEADER_MAX);
    assert_string_equal(sent(&fixture, "http://b.org/"), "");
    tear_down(&fixture);
}

/* --- files --------------------------------------------------------------- */

static void files_are_read_and_written(void **state)
{
    static const char *const lines[] = {
        "# a comment",
        "",
        ".A.org\tTRUE\t/\tFALSE\t0\tall\tone",
        "a.org\tFALSE\t/x\tTRUE\t1800000000\thost\ttwo\r",
        "#HttpOnly_a.org\tFALSE\t/\tFALSE\t0\tonly\t",
        "a.org\tFALSE\t/\tFALSE\t1\told\tgone",
        "co.uk\tTRUE\t/\tFALSE\t0\tn\tv",
    };
    static const char *const bad[] = {
        "a.org",
        "a.org\tFALSE\t/\tFALSE\t0",
        "a.org\tMAYBE\t/\tFALSE\t0\tn\tv",
        "a.org\tTRUE\tx\tFALSE\t0\tn\tv",
        "a.org\tTRUE\t/\tFALSE\tsoon\tn\tv",
        "\tTRUE\t/\tFALSE\t0\tn\tv",
        "a.org\tTRUE\t/\tFALSE\t0\tn\tv\rX: y",
    };
    struct fixture fixture;
    struct buf file;

    (void)state;
    set_up(&fixture);
    buf_init(&file, 1 << 20);
    for (size_t i = 0; i < ARRAY_LEN(lines); i++)
        assert_true(cookies_take_line(fixture.jar, str_of(lines[i]), NOW));
    for (size_t i = 0; i < ARRAY_LEN(bad); i++)
        if (cookies_take_line(fixture.jar, str_of(bad[i]), NOW))
            fail_msg("'%s' is taken", bad[i]);
    assert_string_equal(sent(&fixture, "http://w.a.org/"), "all=one");
    assert_string_equal(sent(&fixture, "https://a.org/x"),
                        "host=two; all=one; only=");
    assert_string_equal(sent(&fixture, "http://b.co.uk/"), "");
    cookies_put_file(fixture.jar, NOW, &file);
    assert_non_null(strstr(buf_cstr(&file), "# Netscape HTTP Cookie File\n"));
    assert_non_null(
        strstr(buf_cstr(&file), "\n.a.org\tTRUE\t/\tFALSE\t0\tall\tone\n"));
    assert_non_null(strstr(
        buf_cstr(&file), "\na.org\tFALSE\t/x\tTRUE\t1800000000\thost\ttwo\n"));
    assert_non_null(strstr(buf_cstr(&file),
                           "\n#HttpOnly_a.org\tFALSE\t/\tFALSE\t0\tonly\t\n"));
    assert_null(strstr(buf_cstr(&file), "old"));
    buf_release(&file);
    tear_down(&fixture);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_cookie_goes_where_it_belongs),
        cmocka_unit_test(the_longest_path_and_the_oldest_come_first),
        cmocka_unit_test(cookies_expire),
        cmocka_unit_test(
            what_comes_unprotected_does_not_replace_a_secure_cookie),
        cmocka_unit_test(a_domain_and_the_jar_are_bounded),
        cmocka_unit_test(a_cookie_and_a_header_are_bounded),
        cmocka_unit_test(files_are_read_and_written),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
