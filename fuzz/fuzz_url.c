/* The URL parser, keys and scopes. Input: reference, NUL, base. */
#include "fuzz.h"

#include "web/normalize.h"
#include "web/scope.h"
#include "web/url.h"

/* Printable ASCII, and the parts are where they are said to be. */
static void check_parts(const struct url *url)
{
    struct str href = url->href;

    assert(href.len <= URL_LEN_MAX && !href.ptr[href.len]);
    assert(str_starts(href, url->https ? STR("https://") : STR("http://")));
    for (size_t i = 0; i < href.len; i++)
        assert(href.ptr[i] > ' ' && href.ptr[i] < 0x7f && href.ptr[i] != '#');
    assert(url->host_start < url->host_end);
    assert(url->host_end <= url->path_start);
    assert(url->path_start < url->path_end && url->path_end <= href.len);
    assert(href.ptr[url->path_start] == '/');
    assert(url->path_end == href.len || href.ptr[url->path_end] == '?');
}

static void check_parses_to(struct str text, const struct url *base,
                            struct str expected, struct arena *arena)
{
    struct url url;
    enum err err = url_parse(&url, arena, text, base, NULL);

    assert(err == ERR_NONE && str_eq(url.href, expected));
}

/* What was serialised parses to itself, and is what "" and its own path lead
 * to from there. */
static void check_resolves(const struct url *url, struct arena *arena)
{
    struct str rest = str_skip(url->href, url->path_start);

    check_parses_to(url->href, NULL, url->href, arena);
    check_parses_to(STR(""), url, url->href, arena);
    if (!str_starts(rest, STR("//")))
        check_parses_to(rest, url, url->href, arena);
}

/* A key is a URL, and its own key. */
static void check_key(const struct url *url, struct arena *arena)
{
    char text[URL_LEN_MAX], again[URL_LEN_MAX];
    struct url of_key;
    struct str key = {text, url_key(url, text)};
    enum err err = url_parse(&of_key, arena, key, NULL, NULL);

    assert(err == ERR_NONE);
    assert(str_eq((struct str){again, url_key(&of_key, again)}, key));
    assert(url_fingerprint(url, 7) == url_fingerprint(&of_key, 7));
}

static bool is_in(enum scope_kind kind, const struct url *seed,
                  const struct url *url)
{
    static struct domains *domains;

    if (!domains)
        domains = domains_new();
    struct scope *scope = scope_new(domains);
    scope_add_seed(scope, kind, seed);
    bool in = scope_contains(scope, url);
    scope_free(scope);
    return in;
}

/* A seed is in its own scope, and each kind takes in the one before it. */
static void check_scope(const struct url *seed, const struct url *url)
{
    bool inner = false;

    for (unsigned kind = SCOPE_PREFIX; kind < SCOPE_KINDS; kind++) {
        bool in = is_in((enum scope_kind)kind, seed, url);
        assert(is_in((enum scope_kind)kind, seed, seed));
        assert(in || !inner);
        inner = in;
    }
    assert(inner);
}

static void check_course(struct url url, struct arena *arena)
{
    bool html = course_normalize(&url, arena);
    struct str once = url.href;

    check_parts(&url);
    assert(url.href.len <= URL_LEN_MAX);
    url_fingerprint(&url, 1);
    assert(course_normalize(&url, arena) == html && str_eq(url.href, once));
}

/* A login that is cut out of the text is the one that the parser sees, and the
 * rest is the same URL. */
static void check_login(struct str text, struct url url, struct arena *arena)
{
    struct login login;
    struct str rest;

    bool found = login_cut(arena, text, &rest, &login);
    assert(login_drop(&url, arena) == found);
    check_parts(&url);
    check_parses_to(rest, NULL, url.href, arena);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct str_pair input = str_cut(fuzz_input(data, size), 0);
    struct arena arena;
    struct url base, url;

    arena_init(&arena);
    bool based = !url_parse(&base, &arena, input.tail, NULL, NULL);
    if (!url_parse(&url, &arena, input.head, based ? &base : NULL, NULL)) {
        check_parts(&url);
        check_resolves(&url, &arena);
        check_key(&url, &arena);
        check_course(url, &arena);
        check_scope(based ? &base : &url, &url);
        if (!based)
            check_login(input.head, url, &arena);
    }
    arena_release(&arena);
    return 0;
}
