#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

#include <cmocka.h>

#include "base/str.h"
#include "support/arena_state.h"
#include "web/url.h"

#define FFFD "%EF%BF%BD"

static struct url parse(struct arena *arena, struct str text)
{
    struct url url;
    enum err err = url_parse(&url, arena, text, NULL, NULL);

    if (err)
        fail_msg("%.*s: %s", (int)text.len, text.ptr, err_message(err));
    return url;
}

static void references(void **state)
{
    static const char base_text[] = "http://u:p@Host:8080/a/b/c.html?q=1#f";
    static const struct {
        const char *input, *want;
    } cases[] = {
        {"", "http://u:p@host:8080/a/b/c.html?q=1"},
        {"#x", "http://u:p@host:8080/a/b/c.html?q=1"},
        {"  #x ", "http://u:p@host:8080/a/b/c.html?q=1"},
        {"?", "http://u:p@host:8080/a/b/c.html?"},
        {"?x?y#z", "http://u:p@host:8080/a/b/c.html?x?y"},
        {"d", "http://u:p@host:8080/a/b/d"},
        {"d/", "http://u:p@host:8080/a/b/d/"},
        {".", "http://u:p@host:8080/a/b/"},
        {"..", "http://u:p@host:8080/a/"},
        {"../", "http://u:p@host:8080/a/"},
        {"../..", "http://u:p@host:8080/"},
        {"../../../../x", "http://u:p@host:8080/x"},
        {"./d/./e/../f", "http://u:p@host:8080/a/b/d/f"},
        {"...", "http://u:p@host:8080/a/b/..."},
        {"..a", "http://u:p@host:8080/a/b/..a"},
        {".a", "http://u:p@host:8080/a/b/.a"},
        {"a.", "http://u:p@host:8080/a/b/a."},
        {"%2e%2E/x", "http://u:p@host:8080/a/x"},
        {".%2e", "http://u:p@host:8080/a/"},
        {"%2", "http://u:p@host:8080/a/b/%2"},
        {"..?x", "http://u:p@host:8080/a/?x"},
        {"d//..//e", "http://u:p@host:8080/a/b/d//e"},
        {"/", "http://u:p@host:8080/"},
        {"/x/../y", "http://u:p@host:8080/y"},
        {"\\x\\y", "http://u:p@host:8080/x/y"},
        {"//other/z", "http://other/z"},
        {"/\\other/z", "http://other/z"},
        {"///other/z", "http://other/z"},
        {"http:d", "http://u:p@host:8080/a/b/d"},
        {"HTTP:/d", "http://u:p@host:8080/d"},
        {"https:d", "https://d/"},
        {"a b\"<>`{}^|'", "http://u:p@host:8080/a/b/a%20b%22%3C%3E%60%7B%7D"
                          "%5E|'"},
        {"?a b\"<>`{}^|'", "http://u:p@host:8080/a/b/c.html?a%20b%22%3C%3E`{}"
                           "^|%27"},
        {"d\te\nf\rg", "http://u:p@host:8080/a/b/defg"},
        {".\t./\nd", "http://u:p@host:8080/a/d"},
        {"\x01 d \x1f", "http://u:p@host:8080/a/b/d"},
        {"1a:b", "http://u:p@host:8080/a/b/1a:b"},
        {"a b:c", "http://u:p@host:8080/a/b/a%20b:c"},
        {"%41%zz", "http://u:p@host:8080/a/b/%41%zz"},
    };
    struct url base = parse(*state, str_of(base_text));

    for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
        struct url url;
        enum err err =
            url_parse(&url, *state, str_of(cases[i].input), &base, NULL);
        if (err || !str_eq(url.href, str_of(cases[i].want)))
            fail_msg("'%s': want %s, got %s", cases[i].input, cases[i].want,
                     err ? err_message(err) : url.href.ptr);
    }
}

static void absolute(void **state)
{
    static const struct {
        const char *input, *want;
    } cases[] = {
        {"http://example.org", "http://example.org/"},
        {"hTTpS:\\\\EXAMPLE.org\\A", "https://example.org/A"},
        {"http:example.org", "http://example.org/"},
        {"http://h?x", "http://h/?x"},
        {"http://h#x", "http://h/"},
        {"http://h:80/", "http://h/"},
        {"https://h:443/", "https://h/"},
        {"http://h:443/", "http://h:443/"},
        {"http://h:0/", "http://h:0/"},
        {"http://h:00080/", "http://h/"},
        {"http://h:/", "http://h/"},
        {"http://@h/", "http://h/"},
        {"http://:@h/", "http://h/"},
        {"http://u@h/", "http://u@h/"},
        {"http://u:@h/", "http://u@h/"},
        {"http://:p@h/", "http://:p@h/"},
        {"http://u:80@h/", "http://u:80@h/"},
        {"http://a@b:c@d/", "http://a%40b:c@d/"},
        {"http://u:p:q@h/", "http://u:p%3Aq@h/"},
        {"http://h./", "http://h./"},
        {"http://a_b~!$&'()*+,;=/", "http://a_b~!$&'()*+,;=/"},
        {"http://%65xample.org/", "http://example.org/"},
        {"http://0x7f.1/", "http://127.0.0.1/"},
        {"http://1.2.3/", "http://1.2.0.3/"},
        {"http://4294967295/", "http://255.255.255.255/"},
        {"http://1.2.3.4./", "http://1.2.3.4/"},
        {"http://1.2.3.4.example/", "http://1.2.3.4.example/"},
        {"http://[::1]:81/", "http://[::1]:81/"},
        {"http://[2001:DB8:0:0:1:0:0:1]/", "http://[2001:db8::1:0:0:1]/"},
        {"http://[::1.2.3.4]/", "http://[::102:304]/"},
        {"http://[1:0:0:0:0:0:0:0]/", "http://[1::]/"},
        {"http://[1:2:3:4:5:6:7:8]/", "http://[1:2:3:4:5:6:7:8]/"},
        {"http://b\xC3\xBC"
         "cher.example/",
         "http://xn--bcher-kva.example/"},
        {"http://xn--bcher-kva.example/", "http://xn--bcher-kva.example/"},
        {"http://i\xE2\x9D\xA4.ws/", "http://xn--i-7iq.ws/"},
        /* A symbol, a Latin letter, and a Syriac mark or a Persian digit. */
        {"http://a\xE2\x98\x83\xDD\x85/", "http://xn--a-c3c327u/"},
        {"http://\xDB\xB0\xE2\x98\x83"
         "a/",
         "http://xn--a-gyc979u/"},
        {"http://\xC3\xA9~b/", "http://xn--~b-9ia/"},
        {"http://xn--~b-9ia/", "http://xn--~b-9ia/"},
        {"http://\xC3\xA9-~-/", "http://xn---~--9la/"},
        {"http://\xC3\xA9\xEF\xBD\x9E"
         "b/",
         "http://xn--~b-9ia/"}, /* a full-width tilde */
        {"http://\xC3\xA9!\"$&'()*+,-;=_`{}~/",
         "http://xn--!\"$&'()*+,-;=_`{}~-9vb/"},
        {"http://r3---sn-x.example/", "http://r3---sn-x.example/"},
        {"http://fa\xC3\x9F.de/", "http://xn--fa-hia.de/"},
        {"http://\xE4\xBE\x8B\xE3\x80\x82jp/", "http://xn--fsq.jp/"},
    };

    for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
        struct url url;
        enum err err =
            url_parse(&url, *state, str_of(cases[i].input), NULL, NULL);
        if (err || !str_eq(url.href, str_of(cases[i].want)))
            fail_msg("'%s': want %s, got %s", cases[i].input, cases[i].want,
                     err ? err_message(err) : url.href.ptr);
    }
}

static void refused(void **state)
{
    static const struct {
        const char *input;
        enum err want;
    } cases[] = {
        {"", ERR_URL_RELATIVE},
        {"page.html", ERR_URL_RELATIVE},
        {"//host/", ERR_URL_RELATIVE},
        {"mailto:a@b", ERR_URL_SCHEME},
        {"javascript:void(0)", ERR_URL_SCHEME},
        {"ftp://host/", ERR_URL_SCHEME},
        {"httpx://host/", ERR_URL_SCHEME},
        {"data:", ERR_URL_SCHEME},
        {"http:", ERR_URL_HOST},
        {"http://", ERR_URL_HOST},
        {"http:///", ERR_URL_HOST},
        {"http://?x", ERR_URL_HOST},
        {"http://:80/", ERR_URL_HOST},
        {"http://u@/", ERR_URL_HOST},
        {"http://u@:80/", ERR_URL_HOST},
        {"http://a b/", ERR_URL_HOST},
        {"http://a<b/", ERR_URL_HOST},
        {"http://a|b/", ERR_URL_HOST},
        {"http://a%20b/", ERR_URL_HOST},
        {"http://a%2Fb/", ERR_URL_HOST},
        {"http://a%/", ERR_URL_HOST},
        {"http://%00/", ERR_URL_HOST},
        {"http://\xFF/", ERR_URL_HOST},
        {"http://1.2.3.4.5/", ERR_URL_HOST},
        {"http://256.1.1.1/", ERR_URL_HOST},
        {"http://4294967296/", ERR_URL_HOST},
        {"http://a.09/", ERR_URL_HOST},
        {"http://[::1/", ERR_URL_HOST},
        {"http://[::1]x/", ERR_URL_HOST},
        {"http://[]/", ERR_URL_HOST},
        {"http://[", ERR_URL_HOST},
        {"http://[1:2:3:4:5:6:7:8:9]/", ERR_URL_HOST},
        {"http://[fe80::1%25eth0]/", ERR_URL_HOST},
        {"http://xn--a/", ERR_URL_HOST},
        {"http://\xC3\xA9^b/", ERR_URL_HOST},
        {"http://xn--^b-9ia/", ERR_URL_HOST},
        /* With an Arabic letter, and an Arabic digit. */
        {"http://a\xE2\x98\x83\xD8\xA7/", ERR_URL_HOST},
        {"http://a\xE2\x98\x83\xD9\xA1/", ERR_URL_HOST},
        {"http://\xC3\xA9\xEF\xBC\xBE"
         "b/",
         ERR_URL_HOST}, /* a full-width circumflex */
        /* The long s is Latin once it is mapped, and the rest is Arabic with
         * a symbol in it. */
        {"http://\xC5\xBF\xD8\xA7\xD9\xAB\xD8\xA7/", ERR_URL_HOST},
        {"http://h:65536/", ERR_URL_PORT},
        {"http://h:99999999999999999999/", ERR_URL_PORT},
        {"http://h:8o/", ERR_URL_PORT},
        {"http://h: 80/", ERR_URL_PORT},
        {"http://h:-1/", ERR_URL_PORT},
    };
    struct arena *arena = *state;
    struct url untouched = {.port = 7};

    for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
        struct url url = untouched;
        size_t used = arena->used;
        enum err err =
            url_parse(&url, arena, str_of(cases[i].input), NULL, NULL);
        if (err != cases[i].want)
            fail_msg("'%s': want '%s', got '%s'", cases[i].input,
                     err_message(cases[i].want), err_message(err));
        assert_int_equal(arena->used, used);
        assert_int_equal(url.port, 7);
    }
}

static void parts(void **state)
{
    struct url url =
        parse(*state, STR("https://me:pw@Example.org:8443/a/b?c=d#e"));

    assert_true(str_eq(url_host(&url), STR("example.org")));
    assert_true(str_eq(url_path(&url), STR("/a/b")));
    assert_true(str_eq(url_query(&url), STR("c=d")));
    assert_int_equal(url.port, 8443);
    assert_true(url.https);
    assert_false(url.default_port_written);
    assert_true(
        str_eq(url_origin(&url, *state), STR("https://example.org:8443")));
    assert_int_equal(url.href.ptr[url.href.len], '\0');

    url = parse(*state, STR("http://u@h:80/x?"));
    assert_true(str_eq(url.href, STR("http://u@h/x?")));
    assert_int_equal(url_query(&url).len, 0);
    assert_int_equal(url.port, 80);
    assert_true(url.default_port_written);
    assert_true(str_eq(url_origin(&url, *state), STR("http://h")));

    struct url relative;
    assert_int_equal(url_parse(&relative, *state, STR("y"), &url, NULL), 0);
    assert_true(relative.default_port_written);
    assert_int_equal(url_parse(&relative, *state, STR("//h2/"), &url, NULL), 0);
    assert_false(relative.default_port_written);
    assert_int_equal(relative.port, 80);
}

static void invalid_utf8(void **state)
{
    static const struct {
        struct str input;
        const char *want;
    } cases[] = {
        {STR_INIT("http://h/\xFF"), "http://h/" FFFD},
        {STR_INIT("http://h/\xC3"), "http://h/" FFFD},
        {STR_INIT("http://h/\xC3x"), "http://h/" FFFD "x"},
        {STR_INIT("http://h/\xC3\xA9"), "http://h/%C3%A9"},
        {STR_INIT("http://h/\xE2\x82"), "http://h/" FFFD},
        {STR_INIT("http://h/\xE2\x82?"), "http://h/" FFFD "?"},
        {STR_INIT("http://h/\xE2\x82\xAC"), "http://h/%E2%82%AC"},
        {STR_INIT("http://h/\xC0\x80"), "http://h/" FFFD FFFD},
        {STR_INIT("http://h/\xED\xA0\x80"), "http://h/" FFFD FFFD FFFD},
        {STR_INIT("http://h/\xF0\x9F\x92\xA9"), "http://h/%F0%9F%92%A9"},
        {STR_INIT("http://h/\xF4\x90\x80\x80"),
         "http://h/" FFFD FFFD FFFD FFFD},
        {STR_INIT("http://h/\xF0\x9F\x92"), "http://h/" FFFD},
        {STR_INIT("http://h/a\0b"), "http://h/a%00b"},
        {STR_INIT("http://h/?\xFE\x7F"), "http://h/?" FFFD "%7F"},
        {STR_INIT("http://\xFF:\xFE@h/"), "http://" FFFD ":" FFFD "@h/"},
    };

    for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
        struct url url = parse(*state, cases[i].input);
        if (!str_eq(url.href, str_of(cases[i].want)))
            fail_msg("%s: want %s, got %s", cases[i].input.ptr, cases[i].want,
                     url.href.ptr);
    }
}

/* "http://h/" and `count` times `c`. */
static enum err parse_long(struct arena *arena, struct url *url, size_t count,
                           char c, const struct url *base)
{
    static const char start[] = "http://h/";
    size_t start_len = base ? 0 : sizeof(start) - 1;
    char *text = malloc(start_len + count);

    memcpy(text, start, start_len);
    memset(text + start_len, c, count);
    enum err err = url_parse(url, arena, (struct str){text, start_len + count},
                             base, NULL);
    free(text);
    return err;
}

static void long_ones(void **state)
{
    struct url url, base;
    size_t fits = URL_LEN_MAX - 9;

    assert_int_equal(parse_long(*state, &url, fits, 'a', NULL), 0);
    assert_int_equal(url.href.len, URL_LEN_MAX);
    assert_int_equal(url.path_end, URL_LEN_MAX);
    assert_int_equal(url.href.ptr[URL_LEN_MAX], '\0');
    assert_int_equal(parse_long(*state, &url, fits + 1, 'a', NULL),
                     ERR_URL_TOO_LONG);
    assert_int_equal(parse_long(*state, &url, 1 << 20, 'a', NULL),
                     ERR_URL_TOO_LONG);
    assert_int_equal(parse_long(*state, &url, fits, '"', NULL),
                     ERR_URL_TOO_LONG);
    assert_int_equal(parse_long(*state, &url, fits, '\xFF', NULL),
                     ERR_URL_TOO_LONG);

    /* Escapes and the longest growth of all, up to the limit. */
    assert_int_equal(parse_long(*state, &url, fits / 3, '"', NULL), 0);
    assert_int_equal(url.href.len, 9 + fits / 3 * 3);
    assert_int_equal(parse_long(*state, &url, fits / 9, '\xFF', NULL), 0);
    assert_int_equal(url.href.len, 9 + fits / 9 * 9);
    assert_int_equal(parse_long(*state, &url, fits / 9 + 1, '\xFF', NULL),
                     ERR_URL_TOO_LONG);
    assert_int_equal(parse_long(*state, &url, fits / 3 + 1, '"', NULL),
                     ERR_URL_TOO_LONG);

    /* A long reference to a long base. */
    assert_int_equal(parse_long(*state, &base, fits, 'a', NULL), 0);
    assert_int_equal(parse_long(*state, &url, URL_LEN_MAX, '/', &base),
                     ERR_URL_HOST);
    assert_int_equal(parse_long(*state, &url, fits, 'b', &base), 0);
    assert_int_equal(parse_long(*state, &url, URL_LEN_MAX, '?', &base),
                     ERR_URL_TOO_LONG);
    assert_int_equal(parse_long(*state, &url, URL_LEN_MAX, '.', &base),
                     ERR_URL_TOO_LONG);
    assert_int_equal(parse_long(*state, &url, URL_LEN_MAX, '#', &base), 0);
    assert_int_equal(url.href.len, URL_LEN_MAX);
}

/* Authorities that are nothing but one part, as long as can be. */
static void long_authorities(void **state)
{
    static const char *const forms[] = {
        "http://%s@h/", "http://:%s@h/", "http://%s:%s@h/", "http://%s/",
        "http://h:%s/", "http://[%s]/",  "http://%s.%s/",
    };
    static const char fills[] = {'a', '@', '.', '%', '\xFF', '"', '1', ':'};
    static char fill[URL_LEN_MAX + 1], text[2 * URL_LEN_MAX + 64];
    struct url url;

    for (size_t i = 0; i < ARRAY_LEN(forms); i++) {
        for (size_t k = 0; k < sizeof(fills); k++) {
            for (int len = 4096; len <= URL_LEN_MAX; len += 1024) {
                memset(fill, fills[k], (size_t)len);
                fill[len] = '\0';
                int n = snprintf(text, sizeof(text), forms[i], fill, fill);
                struct str input = {text, (size_t)n};
                /* No more is asked of it than to keep within bounds. */
                if (!url_parse(&url, *state, input, NULL, NULL))
                    assert_true(url.href.len <= URL_LEN_MAX);
                arena_clear(*state);
            }
        }
    }
}

struct fake {
    unsigned calls;
    bool fails;
};

/* Everything becomes "~\x80'%26%23N%3B" and then what came. */
static bool fake_encode(void *ctx, struct str utf8, struct buf *out)
{
    struct fake *fake = ctx;

    fake->calls++;
    return !fake->fails && buf_put(out, STR("~\x80'\\%26%2399%3B")) &&
           buf_put(out, utf8);
}

static void query_encoder(void **state)
{
    struct fake fake = {.calls = 0};
    struct url_query_encoder encoder = {fake_encode, &fake};
    struct url url;

    /* Printable ASCII does not need it, nor does a path. */
    assert_int_equal(url_parse(&url, *state, STR("http://h/\xC3\xA9?a 'b#\xFF"),
                               NULL, &encoder),
                     0);
    assert_true(str_eq(url.href, STR("http://h/%C3%A9?a%20%27b")));
    assert_int_equal(fake.calls, 0);

    /* The whole query at once; invalid bytes are U+FFFD by then; what comes
     * back is escaped byte by byte, but for '%'. */
    assert_int_equal(url_parse(&url, *state, STR("http://h/?a b\xC3\xA9\xFF#x"),
                               NULL, &encoder),
                     0);
    assert_int_equal(fake.calls, 1);
    assert_true(
        str_eq(url_query(&url), STR("~%80%27\\%26%2399%3Ba%20b%C3%A9" FFFD)));

    /* Control characters go there too. */
    assert_int_equal(url_parse(&url, *state,
                               STR("http://h/?\x0E"
                                   "A"),
                               NULL, &encoder),
                     0);
    assert_int_equal(fake.calls, 2);

    fake.fails = true;
    assert_int_equal(
        url_parse(&url, *state, STR("http://h/?\xC3\xA9"), NULL, &encoder),
        ERR_URL_TOO_LONG);
}

/* Bytes that the parser drops, or that end the part in which they stand. */
static bool is_told_elsewhere(const char *meant, int c)
{
    return c == '\t' || c == '\n' || c == '\r' || (c && strchr(meant, c));
}

/* Every byte in every part, against the percent-encode sets of the standard. */
static void escaped_bytes(void **state)
{
    static const struct {
        const char *head, *tail;
        const char *escaped; /* among printable ASCII */
        const char *meant;
    } parts[] = {
        {"http://h/a", "b", "\"<>^`{}", "#?/\\"},
        {"http://h/?a", "b", "\"<>'", "#"},
        {"http://u:a", "b@h/", "\"<>^`{}:;=@[]|", "#?/\\"},
    };

    for (size_t i = 0; i < ARRAY_LEN(parts) * 256; i++) {
        const char *head = parts[i / 256].head, *tail = parts[i / 256].tail;
        int c = (int)(i % 256);
        bool escaped =
            c <= 0x20 || c >= 0x7F || strchr(parts[i / 256].escaped, c) != NULL;
        char input[32], want[32];

        if (is_told_elsewhere(parts[i / 256].meant, c))
            continue;
        int len = snprintf(input, sizeof(input), "%s?%s", head, tail);
        input[strlen(head)] = (char)c;
        if (c >= 0x80)
            snprintf(want, sizeof(want), "%s%s%s", head, FFFD, tail);
        else
            snprintf(want, sizeof(want), escaped ? "%s%%%02X%s" : "%s%c%s",
                     head, (unsigned)c, tail);
        struct url url = parse(*state, (struct str){input, (size_t)len});
        if (!str_eq(url.href, str_of(want)))
            fail_msg("byte 0x%02x: want %s, got %s", (unsigned)c, want,
                     url.href.ptr);
    }
}

static void bytes_in_hosts(void **state)
{
    for (int c = 0; c < 256; c++) {
        bool good = c > 0x20 && c < 0x7F && !strchr("<>[]^|%", c);
        char input[] = "http://a?b/";
        struct url url;

        if (is_told_elsewhere("#?/\\:@", c))
            continue;
        input[strlen("http://a")] = (char)c;
        enum err err = url_parse(
            &url, *state, (struct str){input, sizeof(input) - 1}, NULL, NULL);
        if (err != (good ? ERR_NONE : ERR_URL_HOST))
            fail_msg("byte 0x%02x: %s", (unsigned)c, err_message(err));
        input[strlen("http://a")] = ascii_lower((char)c);
        if (good && !str_eq(url.href, str_of(input)))
            fail_msg("byte 0x%02x: %s", (unsigned)c, url.href.ptr);
    }
}

/* --- errors -------------------------------------------------------------- */

static void every_error_has_a_sentence(void **state)
{
    (void)state;
    for (int i = 0; i < ERR_COUNT; i++) {
        const char *text = err_message((enum err)i);
        if (!text || !text[0] || str_ends(str_of(text), STR(".")) ||
            strchr(text, '\n'))
            fail_msg("error %d: %s", i, text ? text : "NULL");
        for (int j = 0; j < i; j++)
            if (!strcmp(text, err_message((enum err)j)))
                fail_msg("errors %d and %d: %s", j, i, text);
    }
}

static void beyond_the_list(void **state)
{
    (void)state;
    assert_string_equal(err_message(ERR_COUNT), "unknown error");
    assert_string_equal(err_message((enum err) - 1), "unknown error");
}

/* --- names and passwords ------------------------------------------------- */

static void a_login_is_taken_out_of_a_url(void **state)
{
    static const struct {
        const char *url, *rest, *name, *password; /* name NULL: none */
    } cases[] = {
        {"http://me:pw@h/", "http://h/", "me", "pw"},
        {"https://me:pw@h:8443/a?b#c", "https://h:8443/a?b#c", "me", "pw"},
        {"HTTP://me@h", "HTTP://h", "me", ""},
        {"http://:pw@h/", "http://h/", "", "pw"},
        {"http://me:@h/", "http://h/", "me", ""},
        {"http://me:a:b@h/", "http://h/", "me", "a:b"},
        {"http://a@b:c@d@h/", "http://h/", "a@b", "c@d"},
        {"http://m%65:p%40%2F%3a@h/", "http://h/", "me", "p@/:"},
        {"http://me:%00%zz%4@h/", "http://h/", "me", "%00%zz%4"},
        {"http://me:\xc3\xa4%C3%A4@h/", "http://h/", "me", "\xc3\xa4\xc3\xa4"},
        {"http://me:pw@[::1]:81/", "http://[::1]:81/", "me", "pw"},
        /* As the parser reads them. */
        {" http:me:pw@h/", " http:h/", "me", "pw"},
        {"http:/me:pw@h/", "http:/h/", "me", "pw"},
        {"ht\ttp:/\n/me:p\rw@h/", "http://h/", "me", "pw"},
        {"http:\\\\me:pw@h\\a", "http:\\\\h\\a", "me", "pw"},
        {"http:////me:pw@h/", "http:////h/", "me", "pw"},
        /* Nothing that could be sent, but no part of the URL either. */
        {"http://@h/", "http://h/", NULL, NULL},
        {"http://:@h/", "http://h/", NULL, NULL},
        /* No login. */
        {"http://h/", "http://h/", NULL, NULL},
        {"http://h/me:pw@x", "http://h/me:pw@x", NULL, NULL},
        {"http://h?me:pw@x", "http://h?me:pw@x", NULL, NULL},
        {"http://h#me:pw@x", "http://h#me:pw@x", NULL, NULL},
        {"http:\\\\h\\me:pw@x", "http:\\\\h\\me:pw@x", NULL, NULL},
        {"me:pw@h", "me:pw@h", NULL, NULL},
        {"mailto:me@h", "mailto:me@h", NULL, NULL},
        {"", "", NULL, NULL},
    };

    (void)state;
    for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
        struct arena arena;
        struct login login;
        struct str rest;
        struct url with, without;

        arena_init(&arena);
        bool found = login_cut(&arena, str_of(cases[i].url), &rest, &login);
        if (found != (cases[i].name != NULL) ||
            !str_eq(rest, str_of(cases[i].rest)))
            fail_msg("%s: %d %.*s", cases[i].url, found, (int)rest.len,
                     rest.ptr);
        if (found) {
            assert_string_equal(login.name.ptr, cases[i].name);
            assert_string_equal(login.password.ptr, cases[i].password);
        }
        /* The parser sees the same. */
        if (!url_parse(&with, &arena, str_of(cases[i].url), NULL, NULL)) {
            assert_int_equal(url_parse(&without, &arena, rest, NULL, NULL),
                             ERR_NONE);
            assert_int_equal(login_drop(&with, &arena), found);
            assert_false(login_drop(&without, &arena));
            assert_true(str_eq(with.href, without.href));
            assert_true(str_eq(url_host(&with), url_host(&without)));
            assert_true(str_eq(url_path(&with), url_path(&without)));
            assert_true(str_eq(url_query(&with), url_query(&without)));
            assert_false(login_drop(&with, &arena));
        }
        arena_release(&arena);
    }
}

static void messages_show_no_login(void **state)
{
    static const struct {
        const char *text, *shown;
    } cases[] = {
        {"http://me:pw@h/", "http://...@h/"},
        {"https://a@b:pw@h/x@y", "https://...@y"},
        {"http:me:pw@h/", "http:...@h/"},
        {"ht\ttp:/\n/me:pw@h/", "http://...@h/"},
        {"socks5://me:pw@h:1", "socks5://...@h:1"},
        {"me:pw@h:1", "...@h:1"},
        /* Characters that end the host, in a password. */
        {"http://me:p/w@h/", "http://...@h/"},
        {"http://me:p?w@h/", "http://...@h/"},
        {"http://me:p w#x@h/", "http://...@h/"},
        {"me:p/w@h", "...@h"},
        {"http://me:p@w/x@h/", "http://...@h/"},
        {"http://me:12/w@h/", "http://...@h/"},
        {"postgres://me:p/w@h:1/db", "postgres://...@h:1/db"},
        /* A slip in the scheme. */
        {"http//me:pw@h/", "http//...@h/"},
        {"//me:pw@h/", "//...@h/"},
        {"http//token@h/", "http//...@h/"},
        {"postgres:/me:pw@h/", "...@h/"},
        {"1.1.1.1,http//me:pw@h", "1.1.1.1,http//...@h"},
        /* Nothing to hide. */
        {"http://h/", "http://h/"},
        {"http://h/@name", "http://h/@name"},
        {"/home/me@work/pages", "/home/me@work/pages"},
        {"word", "word"},
        {"", ""},
    };

    (void)state;
    for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
        struct arena arena;

        arena_init(&arena);
        assert_string_equal(login_hide(&arena, cases[i].text), cases[i].shown);
        arena_release(&arena);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(references, setup, teardown),
        cmocka_unit_test_setup_teardown(absolute, setup, teardown),
        cmocka_unit_test_setup_teardown(refused, setup, teardown),
        cmocka_unit_test_setup_teardown(parts, setup, teardown),
        cmocka_unit_test_setup_teardown(invalid_utf8, setup, teardown),
        cmocka_unit_test_setup_teardown(long_ones, setup, teardown),
        cmocka_unit_test_setup_teardown(long_authorities, setup, teardown),
        cmocka_unit_test_setup_teardown(query_encoder, setup, teardown),
        cmocka_unit_test_setup_teardown(escaped_bytes, setup, teardown),
        cmocka_unit_test_setup_teardown(bytes_in_hosts, setup, teardown),
        cmocka_unit_test(every_error_has_a_sentence),
        cmocka_unit_test(beyond_the_list),
        cmocka_unit_test(a_login_is_taken_out_of_a_url),
        cmocka_unit_test(messages_show_no_login),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
