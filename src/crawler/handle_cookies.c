#include "base/clock.h"
#include "crawler/crawler_thread.h"
#include "page/cookies.h"

/* Some sites answer with a cookie and a redirect back to the same URL, at once
 * or over others, and with the page once the cookie comes back. The URL was
 * seen by then, so it would be lost as a loop.
 *
 * So with a cookie jar a URL that redirects is remembered, with the cookies
 * that went with its request. If a redirect leads back to it, it is asked again
 * if other cookies would go with it now, at most ASKS_MAX times. It is queued
 * like any other URL: its host has its pause, and the hops count as redirects.
 *
 * The cookies are compared as they were sent, and not by what an answer has
 * set: with many fetches in flight the answer to another may have set the same
 * cookie a moment before. After a resume the cookies that were sent are not
 * known, and count as none. */

enum { ASKS_MAX = 2, REDIRECTING_MAX = 1 << 20 };

/* A URL that redirects. */
struct redirecting {
    uint64_t cookies_sent; /* the hash of cookies_put */
    uint8_t asks;          /* how often it was asked again */
    bool is_queued;        /* again; until it ends with another redirect */
};

void redirecting_init(struct crawler *crawler)
{
    hashtable_init(&crawler->redirecting);
    arena_init(&crawler->redirecting_items);
}

void redirecting_release(struct crawler *crawler)
{
    hashtable_release(&crawler->redirecting);
    arena_release(&crawler->redirecting_items);
}

static struct cookies *jar(const struct crawler *crawler)
{
    return crawler->options->worker.fetch.cookies;
}

/* NULL: there are too many to remember another one. */
static struct redirecting *find(struct crawler *crawler, uint64_t fingerprint)
{
    struct redirecting *redirecting =
        hashtable_get(&crawler->redirecting, fingerprint);

    if (!redirecting && crawler->redirecting.count < REDIRECTING_MAX) {
        redirecting =
            arena_new(&crawler->redirecting_items, sizeof(*redirecting));
        hashtable_put(&crawler->redirecting, fingerprint, redirecting);
    }
    return redirecting;
}

void note_redirecting(struct crawler *crawler, const struct job *job)
{
    if (!jar(crawler))
        return;
    struct redirecting *redirecting = find(crawler, job->target->fingerprint);
    if (!redirecting)
        return;
    redirecting->cookies_sent = job->page.exchange.cookies_sent;
    redirecting->is_queued = false;
}

void note_queued_again(struct crawler *crawler, uint64_t fingerprint)
{
    struct redirecting *redirecting =
        hashtable_get(&crawler->redirecting, fingerprint);

    if (redirecting)
        redirecting->is_queued = true;
}

static uint64_t cookies_now(const struct crawler *crawler,
                            const struct url *url)
{
    struct buf value;

    buf_init(&value, COOKIE_HEADER_MAX);
    uint64_t hash =
        cookies_put(jar(crawler), url, clock_wall_ms() / 1000, &value);
    buf_release(&value);
    return hash;
}

bool is_asked_again(struct crawler *crawler, const struct job *job,
                    const struct page_link *to)
{
    struct redirecting *redirecting =
        hashtable_get(&crawler->redirecting, to->fingerprint);
    bool may_lead_back = to->fingerprint == job->target->fingerprint ||
                         job->target->redirects > 0;

    if (!redirecting || !may_lead_back || redirecting->is_queued ||
        redirecting->asks == ASKS_MAX ||
        redirecting->cookies_sent == cookies_now(crawler, &to->url))
        return false;
    redirecting->asks++;
    redirecting->is_queued = true;
    return true;
}

void restore_redirecting(void *user, uint64_t fingerprint, bool is_again,
                         bool is_queued)
{
    struct crawler *crawler = user;
    struct redirecting *redirecting = find(crawler, fingerprint);

    if (!redirecting)
        return;
    if (is_again && redirecting->asks < ASKS_MAX)
        redirecting->asks++;
    redirecting->is_queued = is_queued;
}
