/* How long it takes to parse a reference and resolve it against its base.
 *
 *     url [FOLDER]    the links of all pages below it, each with its page's
 *                     URL, instead of the built-in mix
 *
 * CPU time, best of several rounds; the same by libcurl's URL API.
 */
#include "bench/pages.h"

#include <curl/curl.h>

#include "web/html.h"
#include "web/normalize.h"
#include "web/url.h"

enum { ROUNDS = 9, ROUND_URLS = 200000 };

/* The references of a page, which have the same base. */
struct group {
    const char *base;
    struct str *refs;
    size_t count;
};

struct corpus {
    struct group *group;
    size_t count;
    size_t refs; /* of all */
};

// clang-format off
static const char *const mix[] = {
    "index.html", "../c/language.html", "/w/cpp/container/vector/push_back",
    "#Notes", "https://en.wikipedia.org/wiki/Breadth-first_search",
    "vector/begin.html#See_also", "../../../index.html", "?action=edit",
    "/w/index.php?title=cpp/container/vector&action=history",
    "https://www.example.com/", "http://example.org/a/b/c.html?x=1&y=2#z",
    "//static.example.net/s/style.css", "mailto:someone@example.com",
    "page%20with%20escapes.html", "a b.html", "./here.html",
    "https://github.com/user/repository/blob/main/src/file.c#L10-L20",
    "javascript:void(0)", "../string/basic_string/operator%3D.html",
    "https://www.example.co.uk:8443/shop/item.php?id=12345&ref=abc",
};
// clang-format on

static void use_mix(struct corpus *corpus)
{
    struct group *group = NEW(struct group);

    group->base = "https://en.cppreference.com/w/cpp/container/vector.html";
    group->refs = mem_array(ROUND_URLS, sizeof(*group->refs));
    group->count = ROUND_URLS;
    for (size_t i = 0; i < ROUND_URLS; i++)
        group->refs[i] = str_of(mix[i % ARRAY_LEN(mix)]);
    *corpus = (struct corpus){.group = group, .count = 1, .refs = ROUND_URLS};
}

static const char *base_of(struct arena *arena, struct str path)
{
    struct buf url;

    buf_init(&url, 64 << 10);
    buf_put(&url, STR("http://docs.example"));
    buf_put(&url, path);
    struct str copy = arena_copy(arena, buf_str(&url));
    buf_release(&url);
    return copy.ptr;
}

/* What the scanner finds; `arena` and `pages` keep the bytes. */
static void use_pages(struct corpus *corpus, const struct pages *pages,
                      struct arena *arena)
{
    const struct html_scan_options options = {0};

    corpus->group = mem_array(pages->count, sizeof(*corpus->group));
    for (size_t i = 0; i < pages->count; i++) {
        struct group *group = &corpus->group[corpus->count++];
        struct html_links links;

        html_scan(&links, arena, pages->page[i], &options);
        group->base = base_of(arena, pages->path[i]);
        group->refs = mem_array(links.count + 1, sizeof(*group->refs));
        group->count = links.count;
        for (size_t k = 0; k < links.count; k++)
            group->refs[k] = links.link[k].href;
        corpus->refs += links.count;
    }
}

static void release(struct corpus *corpus)
{
    for (size_t i = 0; i < corpus->count; i++)
        free(corpus->group[i].refs);
    free(corpus->group);
}

/* All references once; the sum keeps the work from being optimised away. */
typedef size_t round_function(const struct group *group);

static size_t parse(const struct group *group, bool with_fingerprint)
{
    struct arena base_arena, arena;
    struct url base, url;
    size_t sum = 0;

    arena_init(&base_arena);
    arena_init(&arena);
    if (url_parse(&base, &base_arena, str_of(group->base), NULL, NULL))
        exit(2);
    for (size_t i = 0; i < group->count; i++) {
        if (!url_parse(&url, &arena, group->refs[i], &base, NULL))
            sum += with_fingerprint ? url_fingerprint(&url, 1) : url.href.len;
        if (i % 100 == 99) /* about the links of a page */
            arena_clear(&arena);
    }
    arena_release(&arena);
    arena_release(&base_arena);
    return sum;
}

static size_t round_parse(const struct group *group)
{
    return parse(group, false);
}

static size_t round_parse_and_fingerprint(const struct group *group)
{
    return parse(group, true);
}

static size_t round_curl(const struct group *group)
{
    CURLU *base = curl_url();
    size_t sum = 0;
    char ref[8192];

    curl_url_set(base, CURLUPART_URL, group->base, CURLU_URLENCODE);
    for (size_t i = 0; i < group->count; i++) {
        struct str in = str_first(group->refs[i], sizeof(ref) - 1);
        CURLU *url = curl_url_dup(base);
        char *href = NULL;

        memcpy(ref, in.ptr, in.len);
        ref[in.len] = '\0';
        if (!curl_url_set(url, CURLUPART_URL, ref, CURLU_URLENCODE) &&
            !curl_url_get(url, CURLUPART_URL, &href, 0))
            sum += strlen(href);
        curl_free(href);
        curl_url_cleanup(url);
    }
    curl_url_cleanup(base);
    return sum;
}

static void measure(const char *name, round_function *round,
                    const struct corpus *corpus, int rounds)
{
    double best = 1e9;
    size_t sum = 0;

    for (int i = 0; i < rounds; i++) {
        double start = cpu_seconds();
        for (size_t k = 0; k < corpus->count; k++)
            sum += round(&corpus->group[k]);
        double took = cpu_seconds() - start;
        best = took < best ? took : best;
    }
    printf("url: %-28s %7.1f ns a reference (check %zx)\n", name,
           best * 1e9 / (double)corpus->refs, sum & 0xFFFF);
}

int main(int argc, char **argv)
{
    struct corpus corpus = {0};
    struct pages pages = {0};
    struct arena arena;

    arena_init(&arena);
    if (argc == 2) {
        pages_read(&pages, argv[1]);
        use_pages(&corpus, &pages, &arena);
    } else {
        use_mix(&corpus);
    }
    if (!corpus.refs) {
        fprintf(stderr, "%s: no references\n", argv[1]);
        return 2;
    }
    measure("parse and resolve", round_parse, &corpus, ROUNDS);
    measure("the same and its fingerprint", round_parse_and_fingerprint,
            &corpus, ROUNDS);
    measure("curl_url", round_curl, &corpus, 1);
    release(&corpus);
    pages_free(&pages);
    arena_release(&arena);
    return 0;
}
