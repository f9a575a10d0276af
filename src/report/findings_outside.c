/* The answers to links out of the scope, from the record of the crawl that
 * asked for them. */
#include "page/mime.h"
#include "report/findings_internal.h"

struct asked {
    struct site site;
    struct report report; /* of that crawl, as far as the site needs it */
};

static bool begin(void *user, uint64_t urls, uint64_t last_number)
{
    struct asked *asked = user;

    (void)urls;
    site_begin(&asked->site, last_number);
    return true;
}

static bool read_fetch(void *user, const struct store_fetch *row)
{
    struct asked *asked = user;

    if (!site_add_fetch(&asked->site, row))
        return false;
    /* Also where only the head was asked for. */
    if (row->mime.len && mime_verdict(row->mime) == MIME_OTHER)
        asked->site.url[row->number].flags |= SITE_NOT_HTML;
    return true;
}

static bool read_refusal(void *user, const struct store_refusal *row)
{
    struct asked *asked = user;

    return site_add_refusal(&asked->site, row);
}

static bool read_url(void *user, const struct url_record *url)
{
    struct asked *asked = user;

    return site_add_url(&asked->site, url);
}

/* False if it was not asked to the end. */
static bool answer_of(const struct site *site, uint64_t number,
                      struct outside_answer *answer)
{
    struct site_path path = site_follow(site, number);
    const struct site_url *url = &site->url[path.last];

    *answer = (struct outside_answer){.outcome = BAD_REDIRECT};
    if (path.is_loop)
        return true;
    if (!path.last || url->end == URL_QUEUED)
        return false;
    *answer = (struct outside_answer){
        .outcome = url->outcome,
        .status = url->status,
        .is_refused = url->end == URL_REFUSED || url->flags & SITE_UNASKED ||
                      (url->end == URL_FAILED && site_lacks_robots(url)),
        .verdict = url->verdict,
    };
    return true;
}

bool findings_is_head_doubted(enum outcome outcome, int status)
{
    if (outcome == CONNECTION_LOST || outcome == BAD_HTTP ||
        outcome == HTTP_OTHER)
        return true;
    return status && judge_answer(outcome, (unsigned)status) == LINK_BROKEN;
}

bool findings_judge_crawled(struct findings *findings, const struct str *url,
                            size_t count, struct store *store,
                            struct store_error *error)
{
    struct asked asked = {.report.store = store};
    const struct fold_reader reader = {
        .rows = {.user = &asked, .fetch = read_fetch, .refusal = read_refusal},
        .begin = begin,
        .url = read_url,
    };
    struct outside_answer answer;

    site_init(&asked.site, &asked.report);
    bool good = store_fold(store, 0, &reader, error);
    site_settle(&asked.site);
    for (size_t i = 0; i < count && good; i++) {
        uint64_t number = site_find(&asked.site, url[i]);
        if (number && answer_of(&asked.site, number, &answer))
            findings_judge_outside(findings, url[i], &answer);
    }
    good = good && findings_read_outside(findings, &asked.site, error);
    site_release(&asked.site);
    return good;
}
