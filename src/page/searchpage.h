/* The result page of a web search: which links does it give, if any?
 *
 * Three kinds of result pages are read; the page itself says which it is:
 *
 * - DuckDuckGo's html form: `a.result__a` inside of `.web-result`;
 * - its lite form: `a.result-link`;
 * - anything else (--search-url may name any engine): every `a` that leads
 *   away from the engine, that is to a host that is neither the page's own,
 *   nor above or below it, nor DuckDuckGo's. That is rough, since it takes the
 *   links of a footer too. So it is done only if nothing in the page looks like
 *   DuckDuckGo's forms: their page without results has none.
 *
 * In the first two, ads are left out: links inside of `.result--ad` or (lite)
 * `.result-sponsored`, and links to the engine's /y.js. A link of the engine to
 * "/l/?uddg=TARGET" counts as a link to TARGET.
 *
 * The engine blocks with a page that looks like success: a status 202, 403 or
 * 429, or an element with the id or class "challenge-form" or "anomaly-modal"
 * (with whatever ending). Text that only mentions those is no sign.
 */
#ifndef PAGE_SEARCHPAGE_H
#define PAGE_SEARCHPAGE_H

#include "base/mem.h"
#include "base/str.h"
#include "web/url.h"

enum searchpage_kind {
    SEARCH_RESULTS,
    SEARCH_NO_RESULTS,
    SEARCH_BLOCKED,
};

/* Reading takes time and memory in proportion to the body, which the fetcher
 * has capped. */
struct searchpage_answer {
    struct str body;
    struct str http_charset; /* the label of the HTTP header, or empty */
    int status;
    const struct url *base; /* of the page, after redirects */
};

/* More links than this are not read: a result page has ten to thirty. */
enum { SEARCHPAGE_LINKS_MAX = 1000 };

struct searchpage {
    enum searchpage_kind kind;
    struct str *link; /* absolute, as url_parse writes them, each once, in the
                         order of the page; none where blocked */
    size_t count;     /* > 0 exactly if the kind is SEARCH_RESULTS */
};

/* The links live in `arena`; nothing else is kept. */
void searchpage_read(struct searchpage *page, struct arena *arena,
                     const struct searchpage_answer *answer);

#endif
