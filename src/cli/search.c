#include <stdio.h>

#include "base/arena.h"
#include "cli/commands.h"
#include "cli/seeds.h"
#include "page/searchpage.h"

/* --search: one page is fetched before the crawl begins. */

/* As application/x-www-form-urlencoded: what is not unreserved is escaped. */
static void put_escaped(struct buf *out, const char *text)
{
    for (; *text; text++) {
        if (ascii_is_alnum(*text) || strchr("-._~", *text))
            buf_put_char(out, *text);
        else if (*text == ' ')
            buf_put_char(out, '+');
        else
            buf_printf(out, "%%%02X", (unsigned char)*text);
    }
}

static bool make_url(struct buf *url, const struct options *options)
{
    struct str rest = str_of(options->search_url);

    while (rest.len) {
        const char *mark = strstr(rest.ptr, "{query}");
        if (!buf_put(url, mark ? str_between(rest.ptr, mark) : rest))
            return false;
        if (!mark)
            break;
        put_escaped(url, options->search);
        rest = str_of(mark + strlen("{query}"));
    }
    return url->len <= URL_LEN_MAX;
}

static void fetch_one(struct pagefetcher *fetcher, struct webpage *page)
{
    pagefetcher_start(fetcher, page);
    while (!pagefetcher_take(fetcher))
        pagefetcher_wait(fetcher, -1);
}

/* The URL and its redirects; the body is good until the fetcher is freed. */
static void fetch(struct pagefetcher *fetcher, struct webpage *page,
                  struct str url, uint64_t max_redirects)
{
    const struct scan_options plain = {0};

    for (uint64_t hops = 0;; hops++) {
        webpage_ask(page, url, 0, false);
        fetch_one(fetcher, page);
        if (page->outcome != REDIRECTED || hops == max_redirects)
            return;
        pagescanner_follow(page, &plain);
        if (page->outcome != REDIRECTED)
            return;
        struct buf next;
        buf_init(&next, URL_LEN_MAX + 1);
        buf_put(&next, page->links.link[0].url.href);
        pagefetcher_give_back(fetcher, page);
        /* The page's arena is emptied by the next round. */
        url = arena_copy(&page->arena, buf_str(&next));
        buf_release(&next);
    }
}

static int complain(const struct options *options, const char *what)
{
    fprintf(stderr, "crawler: the search for '%s' %s\n", options->search, what);
    return CRAWL_NOTHING;
}

static int add_results(struct plan *plan, const struct options *options,
                       const struct searchpage *results)
{
    size_t before = plan->seed_count;

    for (size_t i = 0; i < results->count; i++)
        seeds_add_result(plan, options, results->link[i]);
    return plan->seed_count > before
               ? 0
               : complain(options, "has no results that can be crawled");
}

static int read_answer(struct plan *plan, const struct options *options,
                       struct webpage *page)
{
    struct searchpage results;
    struct url base;
    bool based = !url_parse(&base, &plan->arena, page->url, NULL, NULL);
    const struct searchpage_answer answer = {
        .body = page->body,
        .http_charset = str_of(page->charset_label),
        .status = page->status,
        .base = based ? &base : NULL,
    };
    bool answered = page->status == 200 || page->status == 202 ||
                    page->status == 403 || page->status == 429;
    char why[512];

    if (!answered) {
        snprintf(why, sizeof(why), "could not be made: %s (status %d)",
                 outcome_text(page->outcome), page->status);
        return complain(options, why);
    }
    searchpage_read(&results, &plan->arena, &answer);
    if (results.kind == SEARCH_BLOCKED)
        return complain(options, "was refused: the search engine takes this "
                                 "for a robot's; try later, or another "
                                 "--search-url");
    if (results.kind == SEARCH_NO_RESULTS)
        return complain(options, "has no results");
    return add_results(plan, options, &results);
}

int seeds_add_search(struct plan *plan, const struct options *options)
{
    struct fetch_options fetch_options = plan->crawl.hand.fetch;
    struct webpage page;
    struct buf url;
    int status;

    fetch_options.any_mime = true;
    buf_init(&url, 4 * URL_LEN_MAX);
    webpage_init(&page);
    if (!make_url(&url, options)) {
        status = usage_error("--search: too long");
    } else {
        struct pagefetcher *fetcher = pagefetcher_new(&fetch_options);
        struct str text = {buf_cstr(&url), url.len};
        fetch(fetcher, &page, text, options->max_redirects);
        status = read_answer(plan, options, &page);
        pagefetcher_give_back(fetcher, &page);
        pagefetcher_free(fetcher);
    }
    webpage_release(&page);
    buf_release(&url);
    return status;
}
