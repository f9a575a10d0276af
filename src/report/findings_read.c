/* The findings in the rows of the record: one reading, in which the links come
 * after all URLs. */
#include <inttypes.h>
#include <stdio.h>

#include "base/hashtable.h"
#include "report/findings_internal.h"
#include "view/order.h"
#include "web/filter.h"
#include "web/html.h"

/* --- pages --------------------------------------------------------------- */

static void add_page_finding(struct findings *findings, enum finding_kind kind,
                             uint64_t order, const struct store_fetch *row)
{
    const struct finding_record record = {
        .kind = kind,
        .order = order,
        .subject = site_url_text(&findings->site, row->number),
        .number = row->number,
    };

    finding_add(findings, &record);
}

/* The page is one of a group that has something in common. */
static void add_to_group(struct findings *findings, enum finding_kind kind,
                         uint64_t order, struct str subject, uint32_t page)
{
    const struct finding_record record = {
        .kind = kind, .order = order, .subject = subject, .page = page};

    finding_add(findings, &record);
}

static void check_page(struct findings *findings, const struct store_fetch *row)
{
    uint64_t ms = row->end_ms > row->start_ms ? row->end_ms - row->start_ms : 0;
    char digest[17];

    findings->summary.pages++;
    if (ms > findings->options.slow_ms)
        add_page_finding(findings, FINDING_SLOW, ~ms, row);
    if (row->size > findings->options.large_bytes)
        add_page_finding(findings, FINDING_LARGE, ~row->size, row);
    if (row->canonical.len) /* the site has said so */
        return;
    if (row->digest && row->size) {
        snprintf(digest, sizeof(digest), "%016" PRIx64, row->digest);
        add_to_group(findings, FINDING_DUPLICATE, row->size, str_of(digest),
                     row->page);
    }
    if (row->title.len)
        add_to_group(findings, FINDING_SAME_TITLE, 0, row->title, row->page);
}

static bool read_fetch(void *user, const struct store_fetch *row)
{
    struct findings *findings = user;

    if (!site_add_fetch(&findings->site, row))
        return false;
    if (!row->page)
        return true;
    check_page(findings, row);
    findings->others +=
        (findings->site.url[row->number].flags & SITE_NOT_HTML) != 0;
    return true;
}

static bool read_refusal(void *user, const struct store_refusal *row)
{
    struct findings *findings = user;

    return site_add_refusal(&findings->site, row);
}

/* --- URLs ---------------------------------------------------------------- */

static bool is_seed(const struct findings *findings, struct str text)
{
    return hashtable_get(&findings->seeds, hash64(text, 0));
}

/* Pages that robots.txt forbids are no pages for a crawler. */
static bool is_left_out(uint8_t verdict)
{
    return verdict != TOO_DEEP && verdict != DOMAIN_CAP &&
           verdict != NOFOLLOW && verdict != ROBOTS_REFUSED &&
           verdict != TOO_MANY_REDIRECTS && verdict != BAD_URL;
}

static void note_gaps(struct findings *findings, const struct url_record *url)
{
    struct site_gaps *gaps = &findings->gaps;
    uint8_t end = findings->site.url[url->row->number].end;

    gaps->queued += end == URL_QUEUED;
    if (end == URL_REFUSED) {
        gaps->too_deep += url->verdict == TOO_DEEP;
        gaps->capped += url->verdict == DOMAIN_CAP;
        gaps->nofollow += url->verdict == NOFOLLOW;
        gaps->left_out += is_left_out(url->verdict);
    }
}

/* A sitemap does not count as a page where it was found. */
static void note_page(struct findings *findings, const struct url_record *url)
{
    const struct store_url *row = url->row;

    uint16_t *flags = &findings->site.url[row->number].flags;

    note_gaps(findings, url);
    if (row->referrer || row->via || row->found)
        return;
    if (is_seed(findings, row->url))
        *flags |= SITE_SEED;
    else
        *flags |= url->end == URL_SAVED ? SITE_LISTED | SITE_FROM_SITEMAP
                                        : SITE_LISTED;
}

static void check_requisite(struct findings *findings,
                            const struct url_record *url)
{
    const struct store_url *row = url->row;
    const struct finding_record record = {
        .kind = FINDING_REQUISITE,
        .subject = row->url,
        .number = row->number,
        .page = row->referrer,
    };

    if (site_judge(&findings->site, row->number) == LINK_BROKEN)
        finding_add(findings, &record);
}

static bool begin(void *user, uint64_t urls, uint64_t last_number)
{
    struct findings *findings = user;

    (void)urls;
    site_begin(&findings->site, last_number);
    return true;
}

static bool read_url(void *user, const struct url_record *url)
{
    struct findings *findings = user;

    if (!site_add_url(&findings->site, url))
        return false;
    if (url->row->kind == TARGET_PAGE)
        note_page(findings, url);
    else if (url->row->kind == TARGET_REQUISITE)
        check_requisite(findings, url);
    else
        findings->has_sitemap |= url->end == URL_SAVED;
    return true;
}

/* --- links --------------------------------------------------------------- */

static void add_link(struct findings *findings, enum finding_kind kind,
                     uint64_t number, uint64_t via,
                     const struct store_link *link)
{
    const struct finding_record record = {
        .kind = kind,
        .subject = site_url_text(&findings->site, number),
        .number = number,
        .page = link->page,
        .source = link->source,
        .via = via,
        .text = link->text,
    };

    finding_add(findings, &record);
}

/* The fragment of the last redirect that names one counts, or else the link's
 * (RFC 9110, 10.2.2). */
static void check_fragment(struct findings *findings,
                           const struct site_path *path, uint64_t via,
                           const struct store_link *link)
{
    const struct site_url *url = &findings->site.url[path->last];
    const struct str *fragment =
        path->fragment ? site_fragment(&findings->site, path->fragment)
                       : &link->fragment;

    if (site_is_no_html(url)) /* "#page=2" of a PDF is no id */
        return;
    if (!fragment)
        findings->fragments_unknown++;
    else if (fragment->len)
        findings_want(findings, url->page, *fragment, link, via);
}

/* This is its meaning if it is broken. */
static enum finding_kind kind_of(const struct store_link *link)
{
    return link->kind == 1 + HTML_LINK   ? FINDING_LINK_ELEMENT
           : link->kind == 1 + HTML_FORM ? FINDING_FORM
                                         : FINDING_BROKEN;
}

/* `path` is that of the link, which leads through `via` if that is not 0. */
static void check_target(struct findings *findings,
                         const struct site_path *path, uint64_t via,
                         const struct store_link *link)
{
    uint64_t last = path->last;
    const struct site_url *url = &findings->site.url[last];
    enum finding_kind kind = kind_of(link);
    enum link_judgement judgement =
        findings_judge(kind, site_judge(&findings->site, last), url->status);

    if (judgement == LINK_BROKEN)
        add_link(findings, kind, last, via, link);
    else if (judgement == LINK_UNKNOWN)
        add_link(findings, FINDING_UNKNOWN, last, via, link);
    else if (kind != FINDING_BROKEN)
        return;
    else if (url->end == URL_REFUSED && url->verdict == ROBOTS_REFUSED)
        add_link(findings, FINDING_ROBOTS, last, via, link);
    else if (site_is_empty(url))
        add_link(findings, FINDING_EMPTY, last, via, link);
    else
        check_fragment(findings, path, via, link);
}

/* A page's link to itself does not count, nor does one that nobody follows. */
static void note_linked(struct findings *findings, uint64_t number,
                        const struct store_link *link)
{
    struct site_url *url = &findings->site.url[number];

    if (kind_of(link) == FINDING_BROKEN &&
        (link->page ? url->page != link->page : number != link->source))
        url->flags |= SITE_LINKED;
}

/* It is asked for later (--check-external). */
static void ask_later(struct findings *findings, struct str url, uint64_t via,
                      const struct store_link *link)
{
    enum finding_kind kind = kind_of(link);
    const struct finding_record record = {
        .kind = kind == FINDING_BROKEN ? FINDING_EXTERNAL : kind,
        .subject = url,
        .page = link->page,
        .source = link->source,
        .via = via,
        .text = link->text,
    };
    struct sorter *found = findings->found;

    findings->has_outside |= kind == FINDING_BROKEN;
    if (kind == FINDING_BROKEN)
        findings_want_outside(findings, url, link, via);
    if (!findings->outside) {
        findings->unasked[record.kind]++;
        return;
    }
    findings->found = findings->outside;
    finding_add(findings, &record);
    findings->found = found;
}

/* The redirects that begin at `via` lead to another site. */
static void add_way_out(struct findings *findings, const struct site_path *path,
                        uint64_t via, const struct store_link *link)
{
    const struct str *target = site_target(&findings->site, path->way_out);
    const struct str *fragment =
        path->fragment ? site_fragment(&findings->site, path->fragment)
                       : &link->fragment;
    struct store_link way = *link;

    way.fragment = fragment ? *fragment : STR("");
    findings->parts_unknown += !fragment;
    if (target)
        ask_later(findings, *target, via, &way);
    else
        findings->targets_unknown++;
}

static void check_link(struct findings *findings, uint64_t number,
                       const struct store_link *link)
{
    struct site_path path = site_follow(&findings->site, number);

    note_linked(findings, number, link);
    if (path.is_loop) {
        add_link(findings, FINDING_LOOP, number, 0, link);
        return;
    }
    if (path.hops > 1)
        add_link(findings, FINDING_CHAIN, number, 0, link);
    else if (path.hops && path.is_permanent)
        add_link(findings, FINDING_REDIRECT, number, 0, link);
    if (path.way_out)
        add_way_out(findings, &path, number, link);
    if (!path.last)
        return;
    note_linked(findings, path.last, link);
    uint64_t canonical = site_canonical(&findings->site, path.last);
    if (canonical)
        note_linked(findings, canonical, link);
    check_target(findings, &path, path.hops ? number : 0, link);
}

static void add_bad(struct findings *findings, const struct store_link *link)
{
    const struct finding_record record = {
        .kind = kind_of(link),
        .subject = link->url,
        .page = link->page,
        .source = link->source,
        .text = link->text,
    };

    finding_add(findings, &record);
}

/* The link is not followed, and no other one has led the crawl to its page.
 * What the user does not want is not asked for. */
static bool is_aside(const struct findings *findings, uint64_t number,
                     const struct store_link *link)
{
    const struct site_url *url = &findings->site.url[number];
    struct filter *filter = findings->report->filter;

    if (link->verdict != NOT_FOLLOWED ||
        (filter && filter_judge(filter, link->url).verdict != FILTER_INCLUDED))
        return false;
    return !number || url->end == URL_QUEUED ||
           (url->end == URL_REFUSED &&
            (url->verdict == TOO_DEEP || url->verdict == DOMAIN_CAP ||
             url->verdict == NOFOLLOW));
}

static bool read_link(void *user, const struct store_link *row)
{
    struct findings *findings = user;
    struct store_link link = *row;
    bool is_followed = kind_of(row) == FINDING_BROKEN;
    site_settle(&findings->site);
    uint64_t number = site_find(&findings->site, row->url);
    findings->summary.links += is_followed;
    findings->has_unsaved_links |= row->source > 0;
    if (kind_of(row) == FINDING_LINK_ELEMENT)
        link.text = row->rel;
    if (number && !is_aside(findings, number, row)) {
        check_link(findings, number, &link);
    } else if (row->verdict == BAD_URL) {
        add_bad(findings, &link);
    } else if (row->verdict == EXTERNAL ||
               site_is_outside(&findings->site, row->url)) {
        findings->summary.outside += is_followed;
        ask_later(findings, row->url, 0, &link);
    } else if (is_aside(findings, number, row)) {
        ask_later(findings, row->url, 0, &link);
    }
    return true;
}

static bool read_mixed(void *user, const struct store_mixed *row)
{
    const struct finding_record record = {
        .kind = FINDING_MIXED,
        .subject = row->url,
        .page = row->page,
        .text = str_of(
            html_requisite_kind_name((enum html_requisite_kind)row->kind)),
    };

    finding_add(user, &record);
    return true;
}

/* --- all of them --------------------------------------------------------- */

/* Pages whose links are not known. Records of versions before 6 have none of
 * pages that were not saved. */
static void count_unread(struct findings *findings)
{
    const struct site *site = &findings->site;
    bool has_all = findings->has_unsaved_links;

    for (uint64_t i = 1; i <= site->last_number; i++) {
        const struct site_url *url = &site->url[i];
        bool is_unread = url->end == URL_NOT_KEPT
                             ? url->outcome == TOO_LARGE ||
                                   (url->outcome == NOINDEX && !has_all)
                             : site_judge(site, i) == LINK_UNKNOWN;
        findings->gaps.unknown += url->flags & SITE_PAGE && is_unread;
    }
}

/* A page is only in the sitemap, too, if a redirect is that leads to it. */
static void note_redirects_of_sitemap(struct site *site)
{
    for (uint64_t i = 1; i <= site->last_number; i++) {
        if ((site->url[i].flags & (SITE_LISTED | SITE_LINKED)) != SITE_LISTED)
            continue;
        struct site_path path = site_follow(site, i);
        struct site_url *last = &site->url[path.last];
        if (path.hops && path.last && last->end == URL_SAVED &&
            !(last->flags & SITE_SEED))
            last->flags |= SITE_FROM_SITEMAP;
    }
}

/* They are orphans only if every page was read that could link to them; else
 * candidates. */
static void add_orphans(struct findings *findings)
{
    struct site *site = &findings->site;
    enum finding_kind kind =
        findings_has_gaps(findings) ? FINDING_ORPHAN_CANDIDATE : FINDING_ORPHAN;

    note_redirects_of_sitemap(site);

    for (uint64_t i = 1; i <= site->last_number; i++) {
        if ((site->url[i].flags & (SITE_FROM_SITEMAP | SITE_LINKED)) !=
            SITE_FROM_SITEMAP)
            continue;
        findings->unlinked++;
        finding_add(findings, &(struct finding_record){
                                  .kind = kind,
                                  .subject = site_url_text(site, i),
                                  .number = i,
                              });
    }
}

/* A URL that the user or a sitemap names is broken or empty, too, if no page
 * links to it. */
static void add_named(struct findings *findings)
{
    struct site *site = &findings->site;

    for (uint64_t i = 1; i <= site->last_number; i++) {
        if (!(site->url[i].flags & (SITE_SEED | SITE_LISTED)))
            continue;
        struct site_path path = site_follow(site, i);
        uint32_t place =
            site->url[i].flags & SITE_SEED ? PLACE_SEED : PLACE_SITEMAP;
        if (path.way_out)
            add_way_out(findings, &path, i,
                        &(struct store_link){.page = place});
        if (path.is_loop || !path.last)
            continue;
        bool is_empty = site_is_empty(&site->url[path.last]);
        if (!is_empty && site_judge(site, path.last) != LINK_BROKEN)
            continue;
        finding_add(findings,
                    &(struct finding_record){
                        .kind = is_empty ? FINDING_EMPTY : FINDING_BROKEN,
                        .subject = site_url_text(site, path.last),
                        .number = path.last,
                        .page = place,
                        .via = path.hops ? i : 0,
                    });
    }
}

static void note_seeds(struct findings *findings)
{
    const struct facts *facts = findings->report->facts;

    for (size_t i = 0; i < facts->seeds; i++) {
        uint64_t key = hash64(facts->seed[i].url, 0);
        if (!hashtable_get(&findings->seeds, key))
            hashtable_put(&findings->seeds, key, &facts->seed[i]);
    }
}

/* Seeds that the user named while the crawl ran. */
static bool read_order(void *user, const struct store_hand_order *row)
{
    struct findings *findings = user;
    uint64_t key = hash64(row->text, 0);

    if (row->kind == ORDER_SEED && !hashtable_get(&findings->seeds, key))
        hashtable_put(&findings->seeds, key, findings);
    return true;
}

bool findings_read_rows(struct findings *findings)
{
    const struct fold_reader reader = {
        .rows = {.user = findings,
                 .hand_order = read_order,
                 .fetch = read_fetch,
                 .refusal = read_refusal,
                 .link = read_link,
                 .mixed = read_mixed},
        .begin = begin,
        .url = read_url,
    };
    struct report *report = findings->report;

    note_seeds(findings);
    if (!store_fold(report->store, 0, &reader, &report->error))
        return false;
    site_settle(&findings->site);
    count_unread(findings);
    add_orphans(findings);
    add_named(findings);
    return true;
}
