/* The cases of crawler-commons, which reads leniently as we do. */
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>

#include <cmocka.h>

#include "page/sitemap.h"
#include "support/conformance.h"

#define FOLDER "sitemaps/"

/* Where a case leaves a choice, ours. */
static const struct choice {
    const char *test;
    enum sitemap_form form;
    enum sitemap_end end;
    size_t count;
    const char *why;
} choices[] = {
    {"testSitemapXXE*", SITEMAP_NONE, SITEMAP_REFUSED, 0,
     "\"or reject\": a document that declares entities is refused"},
    {"testSitemapParserBrokenXml", SITEMAP_URLSET, SITEMAP_CUT, 1,
     "what came before the error counts"},
    {"testSitemapWithInvalidContent", SITEMAP_NONE, SITEMAP_WHOLE, 0,
     "\"reject\" is not a sitemap here"},
};

static const struct choice *choice_of(struct str test)
{
    for (size_t i = 0; i < ARRAY_LEN(choices); i++)
        if (str_eq(test, str_of(choices[i].test)))
            return &choices[i];
    return NULL;
}

static struct str body_of(const struct json *row, struct buf *file)
{
    char path[512];

    if (json_get(row, "content"))
        return json_str(json_get(row, "content"));
    snprintf(path, sizeof(path), FOLDER "%s",
             json_str(json_get(row, "file")).ptr);
    assert_true(conformance_read(path, file));
    return buf_str(file);
}

static bool has_loc(const struct sitemap *sitemap, struct str loc)
{
    for (size_t i = 0; i < sitemap->count; i++)
        if (str_eq(sitemap->entry[i].loc, loc))
            return true;
    return false;
}

static bool are_locs(const struct sitemap *sitemap, const struct json *locs)
{
    if (!locs)
        return true;
    if (json_count(locs) != sitemap->count)
        return false;
    for (size_t i = 0; i < sitemap->count; i++)
        if (!str_eq(sitemap->entry[i].loc, json_str(json_at(locs, i))))
            return false;
    return true;
}

/* As the suite calls them. */
static const char *const form_names[] = {
    [SITEMAP_NONE] = "not a sitemap", [SITEMAP_URLSET] = "urlset",
    [SITEMAP_INDEX] = "sitemapindex", [SITEMAP_RSS] = "rss",
    [SITEMAP_ATOM] = "atom",          [SITEMAP_TEXT] = "text",
};

static bool is_good(const struct json *row, const struct sitemap *sitemap)
{
    const struct json *expect = json_get(row, "expect");
    const struct json *contains = json_get(expect, "contains");
    const struct choice *choice = choice_of(json_str(json_get(row, "test")));

    if (choice)
        return sitemap->form == choice->form && sitemap->end == choice->end &&
               sitemap->count == choice->count;
    for (size_t i = 0; i < json_count(contains); i++)
        if (!has_loc(sitemap, json_str(json_at(contains, i))))
            return false;
    for (size_t i = 0; i < sitemap->count; i++)
        if (sitemap->entry[i].is_sitemap != (sitemap->form == SITEMAP_INDEX))
            return false;
    return str_eq(json_str(json_get(expect, "type")),
                  str_of(form_names[sitemap->form])) &&
           json_number(json_get(expect, "count")) == (double)sitemap->count &&
           are_locs(sitemap, json_get(expect, "locs"));
}

static bool run(const struct json *row)
{
    const struct json *expect = json_get(row, "expect");
    struct sitemap sitemap;
    struct arena arena;
    struct buf file;

    arena_init(&arena);
    buf_init(&file, 64 << 20);
    sitemap_read(&sitemap, &arena, body_of(row, &file));
    bool good = is_good(row, &sitemap);
    if (!good) {
        printf("%s: want %s, %.0f entries; got %s, %zu entries (end %d)\n",
               json_str(json_get(row, "test")).ptr,
               json_str(json_get(expect, "type")).ptr,
               json_number(json_get(expect, "count")), form_names[sitemap.form],
               sitemap.count, (int)sitemap.end);
        for (size_t i = 0; i < sitemap.count; i++)
            printf("    %s\n", sitemap.entry[i].loc.ptr);
    }
    buf_release(&file);
    arena_release(&arena);
    return good;
}

static void cases(void **state)
{
    unsigned failed = 0, chosen = 0, rows_run = 0;
    struct arena arena;

    (void)state;
    arena_init(&arena);
    const struct json *rows = json_get(
        conformance_json(FOLDER "sitemap_cases.json", &arena), "cases");
    for (size_t i = 0; i < json_count(rows); i++) {
        const struct json *row = json_at(rows, i);
        const struct choice *choice =
            choice_of(json_str(json_get(row, "test")));

        rows_run++;
        failed += !run(row);
        if (choice) {
            chosen++;
            printf("our choice in %s: %s\n", choice->test, choice->why);
        }
    }
    arena_release(&arena);
    if (!rows_run)
        skip();
    printf("sitemap_cases.json: %u cases; lastmod and changefreq are not "
           "read\n",
           rows_run);
    assert_int_equal(failed, 0);
    assert_int_equal(chosen, ARRAY_LEN(choices));
    assert_int_equal(rows_run, 35);
}

/* Files with the extensions of search engines: only the pages come out. */
static void extensions(void **state)
{
    static const struct {
        const char *file;
        size_t count;
        const char *first;
    } rows[] = {
        {"sitemap-images.xml", 1,
         "http://www.example.com/images/some_image_landing_page.html"},
        {"sitemap-links.xml", 3, "http://www.example.com/english/"},
        {"sitemap-mobile.xml", 3, "http://www.example.com/mobile-friendly-1/"},
        {"sitemap-news.xml", 2,
         "http://www.example.org/business/article55.html"},
        {"sitemap-videos.xml", 3,
         "http://www.example.com/videos/some_video_landing_page.html"},
        {"pagemaps-sitemap.xml", 2, "http://www.example.com/foo"},
        {"hebdenbridgetimes-articles-sitemap.xml", 74,
         "http://www.hebdenbridgetimes.co.uk/news/local/"
         "video-tour-de-yorkshire-in-calderdale-1-7242580"},
    };
    unsigned rows_run = 0;

    (void)state;
    for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
        struct sitemap sitemap;
        struct arena arena;
        struct buf file;
        char path[256];

        arena_init(&arena);
        buf_init(&file, 64 << 20);
        snprintf(path, sizeof(path),
                 FOLDER "crawler-commons/sitemaps/extension/%s", rows[i].file);
        if (conformance_read(path, &file)) {
            rows_run++;
            sitemap_read(&sitemap, &arena, buf_str(&file));
            if (sitemap.form != SITEMAP_URLSET ||
                sitemap.end != SITEMAP_WHOLE ||
                sitemap.count != rows[i].count ||
                !str_eq(sitemap.entry[0].loc, str_of(rows[i].first)))
                fail_msg("%s: want %zu, got %zu from %s", rows[i].file,
                         rows[i].count, sitemap.count,
                         sitemap.count ? sitemap.entry[0].loc.ptr : "");
        }
        buf_release(&file);
        arena_release(&arena);
    }
    if (!rows_run)
        skip();
    assert_int_equal(rows_run, ARRAY_LEN(rows));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(cases),
        cmocka_unit_test(extensions),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
