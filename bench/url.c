/* How long it takes to parse a reference and resolve it against its base.
 *
 *     url [FILE BASE]    references, one a line, instead of the built-in mix
 *
 * CPU time, best of several rounds; the same by libcurl's URL API.
 */
#include <curl/curl.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#include "base/buf.h"
#include "base/mem.h"
#include "url/key.h"
#include "url/url.h"

enum { ROUNDS = 15, ROUND_URLS = 200000, FILE_MAX = 256 << 20 };

struct corpus {
    const char *base;
    struct str *refs;
    size_t count;
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

static uint64_t cpu_ns(void)
{
    struct timespec now;

    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
    return (uint64_t)now.tv_sec * 1000000000u + (uint64_t)now.tv_nsec;
}

static void use_mix(struct corpus *corpus)
{
    corpus->base = "https://en.cppreference.com/w/cpp/container/vector.html";
    corpus->count = ARRAY_LEN(mix);
    corpus->refs = mem_array(corpus->count, sizeof(*corpus->refs));
    for (size_t i = 0; i < corpus->count; i++)
        corpus->refs[i] = str_of(mix[i]);
}

/* The lines of a file; `text` keeps the bytes. */
static bool read_lines(struct corpus *corpus, struct buf *text,
                       const char *path)
{
    FILE *file = fopen(path, "rb");
    char *room;
    size_t got = 1;

    if (!file)
        return false;
    while (got && (room = buf_reserve(text, 64 << 10))) {
        got = fread(room, 1, 64 << 10, file);
        text->len += got;
    }
    fclose(file);

    size_t lines = 1;
    for (size_t i = 0; i < text->len; i++)
        lines += text->ptr[i] == '\n';
    corpus->refs = mem_array(lines, sizeof(*corpus->refs));
    for (struct str rest = buf_str(text); rest.len;) {
        struct str_pair cut = str_cut(rest, '\n');
        corpus->refs[corpus->count++] = cut.head;
        rest = cut.tail;
    }
    return corpus->count > 0;
}

/* One round over `urls` references; the sum keeps the work from being
 * optimised away. */
typedef size_t round_function(const struct corpus *corpus, size_t urls);

static size_t round_parse(const struct corpus *corpus, size_t urls)
{
    struct arena base_arena, arena;
    struct url base, url;
    size_t sum = 0;

    arena_init(&base_arena);
    arena_init(&arena);
    if (url_parse(&base, &base_arena, str_of(corpus->base), NULL, NULL))
        exit(2);
    for (size_t i = 0, k = 0; i < urls; i++) {
        if (!url_parse(&url, &arena, corpus->refs[k], &base, NULL))
            sum += url.href.len;
        if (++k == corpus->count)
            k = 0;
        if (i % 100 == 99) /* about the links of a page */
            arena_clear(&arena);
    }
    arena_release(&arena);
    arena_release(&base_arena);
    return sum;
}

static size_t round_parse_and_fingerprint(const struct corpus *corpus,
                                          size_t urls)
{
    struct arena base_arena, arena;
    struct url base, url;
    size_t sum = 0;

    arena_init(&base_arena);
    arena_init(&arena);
    if (url_parse(&base, &base_arena, str_of(corpus->base), NULL, NULL))
        exit(2);
    for (size_t i = 0, k = 0; i < urls; i++) {
        if (!url_parse(&url, &arena, corpus->refs[k], &base, NULL))
            sum += url_fingerprint(&url, 1);
        if (++k == corpus->count)
            k = 0;
        if (i % 100 == 99)
            arena_clear(&arena);
    }
    arena_release(&arena);
    arena_release(&base_arena);
    return sum;
}

static size_t round_curl(const struct corpus *corpus, size_t urls)
{
    size_t sum = 0;
    char ref[8192];

    for (size_t i = 0, k = 0; i < urls; i++) {
        struct str in = str_first(corpus->refs[k], sizeof(ref) - 1);
        CURLU *url = curl_url();
        char *href = NULL;

        memcpy(ref, in.ptr, in.len);
        ref[in.len] = '\0';
        if (!curl_url_set(url, CURLUPART_URL, corpus->base, 0) &&
            !curl_url_set(url, CURLUPART_URL, ref, CURLU_URLENCODE) &&
            !curl_url_get(url, CURLUPART_URL, &href, 0))
            sum += strlen(href);
        curl_free(href);
        curl_url_cleanup(url);
        if (++k == corpus->count)
            k = 0;
    }
    return sum;
}

static void measure(const char *name, round_function *round,
                    const struct corpus *corpus, size_t urls)
{
    uint64_t best = UINT64_MAX;
    size_t sum = 0;

    for (int i = 0; i < ROUNDS; i++) {
        uint64_t start = cpu_ns();
        sum += round(corpus, urls);
        uint64_t took = cpu_ns() - start;
        best = took < best ? took : best;
    }
    printf("url: %-28s %7.1f ns a reference (check %zx)\n", name,
           (double)best / (double)urls, sum & 0xFFFF);
}

int main(int argc, char **argv)
{
    struct corpus corpus = {0};
    struct buf text;

    buf_init(&text, FILE_MAX);
    if (argc == 3) {
        corpus.base = argv[2];
        if (!read_lines(&corpus, &text, argv[1])) {
            fprintf(stderr, "%s: no references\n", argv[1]);
            return 2;
        }
    } else {
        use_mix(&corpus);
    }
    measure("parse and resolve", round_parse, &corpus, ROUND_URLS);
    measure("the same and its fingerprint", round_parse_and_fingerprint,
            &corpus, ROUND_URLS);
    measure("curl_url", round_curl, &corpus, ROUND_URLS / 10);
    free(corpus.refs);
    buf_release(&text);
    return 0;
}
