#include "crawler/reasons.h"

#include <stdlib.h>

#include "base/escape.h"
#include "base/hashtable.h"
#include "base/mem.h"
#include "crawler/record_codes.h"
#include "web/robots.h"

enum {
    KINDS_MAX = 64,          /* different reasons */
    HOPS_MAX = 10000,        /* redirects that are remembered */
    LOOP_MAX = 256,          /* the longest redirect loop that is found */
    ROBOTS_MAX = 8,          /* robots.txt files that are kept, */
    ROBOTS_KEPT = 64 * 1024, /* bytes of each */
    RULE_SHOWN = 100,        /* bytes of a rule in a message, */
    URL_SHOWN = 500,         /* bytes of a URL */
    TEXT_MAX = 2048,
};

struct failure {
    int status;
    struct str url, text;
};

struct robots_text {
    struct str host, text;
    bool https;
};

struct hop {
    uint64_t to; /* fingerprint */
};

struct reasons {
    struct reason reason[KINDS_MAX];
    size_t count;
    uint64_t total;
    struct failure failure[OUTCOMES]; /* the first of each */
    struct robots_text robots[ROBOTS_MAX];
    size_t robots_count;
    struct hashtable hops; /* from fingerprint to struct hop */
    struct arena arena;
    struct buf text; /* the explanation that is being written */
};

struct reasons *reasons_new(void)
{
    struct reasons *reasons = NEW(struct reasons);

    arena_init(&reasons->arena);
    hashtable_init(&reasons->hops);
    buf_init(&reasons->text, TEXT_MAX);
    return reasons;
}

void reasons_free(struct reasons *reasons)
{
    if (!reasons)
        return;
    hashtable_release(&reasons->hops);
    buf_release(&reasons->text);
    arena_release(&reasons->arena);
    free(reasons);
}

/* --- counting ----------------------------------------------------------- */

static struct reason *find(struct reasons *reasons, const struct reason *like)
{
    for (size_t i = 0; i < reasons->count; i++) {
        struct reason *reason = &reasons->reason[i];

        if (reason->kind == like->kind && reason->outcome == like->outcome &&
            reason->verdict == like->verdict &&
            reason->status == like->status && reason->sitemap == like->sitemap)
            return reason;
    }
    return NULL;
}

/* Count one more URL with this reason. */
static void add(struct reasons *reasons, const struct reason *like)
{
    struct reason *reason = find(reasons, like);

    reasons->total++;
    if (!reason) {
        if (reasons->count == KINDS_MAX)
            return;
        reason = &reasons->reason[reasons->count++];
        *reason = *like;
        reason->url = arena_copy(&reasons->arena, like->url);
        reason->target = arena_copy(&reasons->arena, like->target);
        reason->text = arena_copy(&reasons->arena, like->text);
    }
    reason->count++;
}

/* Up to the next explanation. */
static struct str explain(struct reasons *reasons, const struct webpage *page)
{
    const struct outcome_details details = webpage_details(page);

    buf_clear(&reasons->text);
    outcome_put(&reasons->text, page->outcome, &details);
    return buf_str(&reasons->text);
}

void reasons_add_fetch(struct reasons *reasons, const struct webpage *page)
{
    if (!reasons)
        return;
    add(reasons, &(struct reason){
                     .kind = REASON_OUTCOME,
                     .outcome = page->outcome,
                     .status = page->exchange.status,
                     .sitemap = page->kind == WEBPAGE_SITEMAP,
                     .url = page->url,
                     .text = explain(reasons, page),
                 });
}

void reasons_add_sitemap(struct reasons *reasons, const struct webpage *page)
{
    if (!reasons || page->links.count)
        return;
    add(reasons, &(struct reason){
                     .kind = REASON_EMPTY_SITEMAP,
                     .sitemap = true,
                     .url = page->url,
                     .text = STR("lists no URL"),
                 });
}

/* --- hosts and their robots.txt ----------------------------------------- */

/* "http://example.org/robots.txt" without its path. */
static struct str site_of(struct str url)
{
    size_t slashes = 0, i = 0;

    for (; i < url.len && slashes < 3; i++)
        slashes += url.ptr[i] == '/';
    return str_first(url, i);
}

void reasons_note_failure(struct reasons *reasons, const struct webpage *page)
{
    if (!reasons || page->outcome == FETCHED || page->outcome == REDIRECTED)
        return;
    struct failure *failure = &reasons->failure[page->outcome];
    bool of_host =
        page->kind == WEBPAGE_ROBOTS && outcome_is_of_host(page->outcome);

    if (failure->url.len)
        return;
    failure->status = page->exchange.status;
    failure->text = arena_copy(&reasons->arena, explain(reasons, page));
    failure->url =
        arena_copy(&reasons->arena, of_host ? site_of(page->url) : page->url);
}

/* The URL's host was given up. */
static void add_unasked(struct reasons *reasons, struct str url,
                        enum verdict verdict, enum outcome cause)
{
    const struct failure *failure = &reasons->failure[cause];
    bool known = failure->url.len > 0;

    add(reasons,
        &(struct reason){
            .kind = verdict == ROBOTS_UNKNOWN && !outcome_is_of_host(cause)
                        ? REASON_NO_ROBOTS
                        : REASON_OUTCOME,
            .outcome = cause,
            .status = failure->status,
            .url = known ? failure->url : url,
            .text = known ? failure->text : str_of(outcome_text(cause)),
        });
}

void reasons_note_robots(struct reasons *reasons, struct str host, bool https,
                         struct str text)
{
    if (!reasons || reasons->robots_count == ROBOTS_MAX)
        return;
    reasons->robots[reasons->robots_count++] = (struct robots_text){
        .host = arena_copy(&reasons->arena, host),
        .text = arena_copy(&reasons->arena, str_first(text, ROBOTS_KEPT)),
        .https = https,
    };
}

static bool is_robots_of(const struct robots_text *robots, struct str url)
{
    struct str scheme = robots->https ? STR("https://") : STR("http://");
    struct str site = site_of(url);

    return str_starts(site, scheme) &&
           site.len == scheme.len + robots->host.len + 1 &&
           str_starts(str_skip(site, scheme.len), robots->host);
}

/* Append " (line 2: Disallow: /)", or less if less is known. */
static void put_rule(struct reasons *reasons, struct str url, unsigned line)
{
    const struct robots_text *robots = NULL;
    struct buf *out = &reasons->text;
    struct buf rule;

    if (!line)
        return;
    for (size_t i = 0; i < reasons->robots_count && !robots; i++)
        if (is_robots_of(&reasons->robots[i], url))
            robots = &reasons->robots[i];
    buf_init(&rule, ROBOTS_KEPT);
    buf_printf(out, " (line %u", line);
    if (robots && robots_line(robots->text, line, &rule)) {
        buf_put(out, STR(": "));
        terminal_put(out, str_first(str_trim(buf_str(&rule)), RULE_SHOWN), '?');
    }
    buf_put_char(out, ')');
    buf_release(&rule);
}

void reasons_add_verdict(struct reasons *reasons, struct str url,
                         enum verdict verdict, enum outcome cause,
                         unsigned line)
{
    if (!reasons)
        return;
    if (verdict_end(verdict) == URL_FAILED) {
        add_unasked(reasons, url, verdict, cause);
        return;
    }
    buf_clear(&reasons->text);
    buf_put(&reasons->text, str_of(verdict_text(verdict)));
    if (verdict == ROBOTS_REFUSED)
        put_rule(reasons, url, line);
    add(reasons, &(struct reason){
                     .kind = REASON_VERDICT,
                     .verdict = verdict,
                     .url = url,
                     .text = buf_str(&reasons->text),
                 });
}

/* --- redirects ---------------------------------------------------------- */

/* The URL, cut if it is very long. */
static void put_url(struct buf *out, struct str url)
{
    buf_put(out, str_first(url, URL_SHOWN));
    if (url.len > URL_SHOWN)
        buf_put(out, STR("..."));
}

static void remember_hop(struct reasons *reasons, uint64_t from, uint64_t to)
{
    if (reasons->hops.count >= HOPS_MAX || hashtable_get(&reasons->hops, from))
        return;
    struct hop *hop = arena_new(&reasons->arena, sizeof(*hop));
    hop->to = to;
    hashtable_put(&reasons->hops, from, hop);
}

static bool leads_back(const struct reasons *reasons, uint64_t from,
                       uint64_t to)
{
    for (int i = 0; i < LOOP_MAX; i++) {
        if (to == from)
            return true;
        const struct hop *hop = hashtable_get(&reasons->hops, to);
        if (!hop)
            return false;
        to = hop->to;
    }
    return false;
}

void reasons_add_redirect(struct reasons *reasons, const struct target *from,
                          const struct page_link *link, enum verdict verdict)
{
    if (!reasons)
        return;
    struct buf *text = &reasons->text;
    bool sitemap = from->kind == TARGET_SITEMAP;
    uint64_t to = sitemap ? ~link->fingerprint : link->fingerprint;
    bool loop = leads_back(reasons, from->fingerprint, to);
    remember_hop(reasons, from->fingerprint, to);
    /* A target that was seen before has its own end. */
    if (verdict == ACCEPT || (verdict == DUPLICATE && !loop))
        return;
    buf_clear(text);
    buf_put(text, STR("redirects to "));
    if (str_eq(link->url.href, target_url(from)))
        buf_put(text, STR("itself"));
    else
        put_url(text, link->url.href);
    if (loop)
        buf_put(text, STR(", a redirect loop"));
    else
        buf_printf(text, ": %s", verdict_text(verdict));
    add(reasons, &(struct reason){
                     .kind = loop ? REASON_LOOP : REASON_REDIRECT,
                     .verdict = verdict,
                     .sitemap = sitemap,
                     .url = target_url(from),
                     .target = link->url.href,
                     .text = buf_str(text),
                 });
}

/* --- at the end --------------------------------------------------------- */

const struct reason *reasons_main(const struct reasons *reasons)
{
    const struct reason *main = NULL;

    for (size_t i = 0; reasons && i < reasons->count; i++)
        if (!main || reasons->reason[i].count > main->count)
            main = &reasons->reason[i];
    return main;
}

uint64_t reasons_total(const struct reasons *reasons)
{
    return reasons ? reasons->total : 0;
}

void reason_put(struct buf *out, const struct reason *reason)
{
    if (reason->sitemap)
        buf_put(out, STR("the sitemap "));
    put_url(out, reason->url);
    buf_put(out, STR(": "));
    buf_put(out, reason->text);
    if (reason->kind == REASON_NO_ROBOTS)
        buf_put(out, STR(", and without its robots.txt nothing of the host may "
                         "be fetched"));
}
