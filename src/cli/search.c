#include <errno.h>
#include <string.h>

#include "base/mem.h"
#include "cli/plan.h"
#include "cli/usage.h"
#include "page/searchpage.h"

/* --search: one page is fetched before the crawl begins. */

enum { WHY_MAX = 1024 };

/* All but unreserved characters are escaped, blanks too: "+" means a blank only
 * in a query, and a template may have the words elsewhere. */
static void put_escaped(struct buf *out, const char *text)
{
    for (; *text; text++) {
        if (ascii_is_alnum(*text) || strchr("-._~", *text))
            buf_put_char(out, *text);
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

/* Fetch `url` and follow its redirects; `url` is the last one then. The body is
 * good until the fetcher is freed. */
static void fetch(struct pagefetcher *fetcher, struct webpage *page,
                  struct buf *url, uint64_t max_redirects)
{
    const struct scan_options plain = {0};

    for (uint64_t hops = 0;; hops++) {
        webpage_ask(page, (struct str){buf_cstr(url), url->len}, 0, false);
        pagefetcher_start(fetcher, page);
        while (!pagefetcher_take(fetcher))
            pagefetcher_wait(fetcher, -1);
        if (page->outcome != REDIRECTED || hops == max_redirects)
            return;
        pagescanner_follow(page, &plain);
        if (page->outcome != REDIRECTED)
            return;
        buf_clear(url);
        buf_put(url, page->links.link[0].url.href);
        pagefetcher_give_back(fetcher, page);
    }
}

static int fail_search(const struct plan *plan, const char *what)
{
    complain("the search for '%s' %s", plan->options->search, what);
    return CRAWL_NOTHING;
}

static int add_results(struct plan *plan, const struct searchpage *results)
{
    size_t before = plan->seed_count;

    for (size_t i = 0; i < results->count; i++)
        seeds_add_result(plan, results->link[i]);
    return plan->seed_count > before
               ? 0
               : fail_search(plan, "has no results that can be crawled");
}

/* Can the page be read? It is whole, or it says that we are refused. */
static bool is_answer(const struct webpage *page)
{
    if (page->exchange.status == 200)
        return page->outcome == FETCHED || page->outcome == EMPTY_BODY;
    return page->exchange.status == 202 || page->exchange.status == 403 ||
           page->exchange.status == 429;
}

static int complain_of_fetch(const struct plan *plan,
                             const struct webpage *page)
{
    const struct outcome_details details = webpage_details(page);
    struct buf why;

    buf_init(&why, WHY_MAX);
    buf_put(&why, STR("could not be made: "));
    outcome_put(&why, page->outcome, &details);
    int status = fail_search(plan, buf_cstr(&why));
    buf_release(&why);
    return status;
}

static int read_answer(struct plan *plan, struct webpage *page)
{
    struct searchpage results;
    struct url base;
    const struct searchpage_answer answer = {
        .body = page->exchange.body,
        .http_charset = str_of(page->exchange.charset_label),
        .status = page->exchange.status,
        .base = &base,
    };

    if (!is_answer(page) ||
        url_parse(&base, &plan->arena, page->url, NULL, NULL))
        return complain_of_fetch(plan, page);
    searchpage_read(&results, &plan->arena, &answer);
    if (results.kind == SEARCH_BLOCKED)
        return fail_search(plan, "was refused: the search engine takes this "
                                 "for a robot's; try later, or another "
                                 "--search-url");
    if (results.kind == SEARCH_NO_RESULTS)
        return fail_search(plan, "has no results");
    return add_results(plan, &results);
}

int seeds_add_search(struct plan *plan)
{
    struct fetch_options fetch_options = plan->crawl.worker.fetch;
    struct webpage page;
    struct buf url;
    int status;

    fetch_options.any_mime = true;
    buf_init(&url, 4 * URL_LEN_MAX);
    webpage_init(&page);
    struct pagefetcher *fetcher = pagefetcher_new(&fetch_options);
    if (!make_url(&url, plan->options)) {
        status = complain("--search has too many words for a URL");
    } else if (!fetcher) {
        status = complain_failure("--search: %s", strerror(errno));
    } else {
        fetch(fetcher, &page, &url, plan->options->max_redirects);
        status = read_answer(plan, &page);
        pagefetcher_give_back(fetcher, &page);
    }
    if (fetcher)
        pagefetcher_free(fetcher);
    webpage_release(&page);
    buf_release(&url);
    return status;
}
