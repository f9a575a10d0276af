#include "report/findings.h"

#include <assert.h>
#include <stdlib.h>

#include "base/hashtable.h"
#include "base/mem.h"
#include "base/words.h"
#include "report/findings_internal.h"

/* A subject is at most a URL and a fragment, or a title. */
enum {
    RECORD_MAX = 64 << 10,
    SUBJECT_MAX = 32 << 10, /* whatever a record says */
    DOUBT_MAX = 1000,
    HEAD_LEN = 9,
    TAIL_LEN = 28
};

// clang-format off
static const struct finding_words words[] = {
    [FINDING_BROKEN]     = {"broken", "Broken links",
        "Pages link to them, or they are seeds or in the sitemap, and they are not there."},
    [FINDING_EXTERNAL]   = {"external", "Broken links to other sites",
        "Pages link to them, perhaps through redirects, and they are not there (--check-external)."},
    [FINDING_REQUISITE]  = {"requisite", "Missing files",
        "Pages need them to be shown, and they are not there (--requisites). The first page that needs a file is named."},
    [FINDING_LINK_ELEMENT] = {"link-element", "Broken link elements",
        "Pages name them in their heads, as canonical, next, alternate and the like, and they are not there."},
    [FINDING_FORM]       = {"form", "Forms that lead nowhere",
        "What a form is sent to by GET is not there. Forms of POST are not looked at."},
    [FINDING_FRAGMENT]   = {"fragment", "Links to parts that are not there",
        "The page is there, but no element of it has this id."},
    [FINDING_OUTSIDE_FRAGMENT] = {"external-fragment", "Links to parts of other sites that are not there",
        "The page is there, but its HTML has no such id (--check-external); a script may make it."},
    [FINDING_LOOP]       = {"loop", "Redirects that go round in circles",
        "Nobody gets to see a page behind these links."},
    [FINDING_CHAIN]      = {"chain", "Chains of redirects",
        "More than one redirect stands between the link and its page."},
    [FINDING_REDIRECT]   = {"redirect", "Links to pages that have moved",
        "The redirect is permanent: link to the new place."},
    [FINDING_ROBOTS]     = {"robots", "Links to pages that robots.txt forbids",
        "The site links to them, and asks crawlers not to fetch them."},
    [FINDING_MIXED]      = {"mixed", "Mixed content",
        "Pages of https load them by http; browsers block or warn."},
    [FINDING_ORPHAN]     = {"orphan", "Pages that only the sitemap knows",
        "No page links to them."},
    [FINDING_ORPHAN_CANDIDATE] = {"orphan-candidate", "Pages that may be orphans",
        "Only the sitemap names them so far, but not all pages were read that may link to them."},
    [FINDING_DUPLICATE]  = {"duplicate", "Pages with equal content",
        "Every byte is the same, under several URLs."},
    [FINDING_SAME_TITLE] = {"same-title", "Pages with equal titles",
        "Search results and bookmarks do not tell them apart."},
    [FINDING_NO_TITLE]   = {"no-title", "Pages without a title",
        "There is no title, or an empty one."},
    [FINDING_EMPTY]      = {"empty", "Empty pages",
        "The server answers that all is well, and sends nothing."},
    [FINDING_SLOW]       = {"slow", "Slow pages",
        "The time from the request to the end of the answer."},
    [FINDING_LARGE]      = {"large", "Large pages",
        "The size of the HTML alone."},
    [FINDING_UNKNOWN]    = {"unknown", "Links that could not be judged",
        "The answer says nothing of the page: 401, 403, 429, 503, a time-out."},
};
// clang-format on
static_assert(ARRAY_LEN(words) == FINDINGS, "every kind has its words");

const struct finding_words *finding_words(enum finding_kind kind)
{
    return &words[kind];
}

bool finding_kinds_parse(struct str list, uint32_t *kinds, struct str *bad)
{
    *kinds = 0;
    do {
        struct str_pair parts = str_cut(list, ',');
        uint32_t found = str_eq(parts.head, STR("any")) ? FINDINGS_ANY : 0;
        for (unsigned i = 0; i < FINDINGS; i++)
            if (str_eq(parts.head, str_of(words[i].name)))
                found = 1u << i;
        *bad = parts.head;
        if (!found)
            return false;
        *kinds |= found;
        list = parts.tail;
    } while (list.ptr);
    return true;
}

/* --- life ---------------------------------------------------------------- */

struct findings *findings_new(struct report *report,
                              const struct findings_options *options)
{
    struct findings *findings = NEW(struct findings);

    findings->report = report;
    findings->options = *options;
    site_init(&findings->site, report);
    hashtable_init(&findings->answers);
    hashtable_init(&findings->seeds);
    hashtable_init(&findings->with_parts);
    buf_init(&findings->record, RECORD_MAX);
    buf_init(&findings->last_outside, RECORD_MAX);
    arena_init(&findings->arena);
    findings->found = sorter_new();
    findings->wanted = sorter_new();
    if (options->wants_outside) {
        findings->outside = sorter_new();
        findings->parts = sorter_new();
    }
    if (findings->found && findings->wanted &&
        ((findings->outside && findings->parts) || !options->wants_outside))
        return findings;
    findings_free(findings);
    return NULL;
}

void findings_free(struct findings *findings)
{
    if (!findings)
        return;
    site_release(&findings->site);
    sorter_free(findings->found);
    sorter_free(findings->wanted);
    sorter_free(findings->outside);
    sorter_free(findings->parts);
    hashtable_release(&findings->answers);
    hashtable_release(&findings->seeds);
    hashtable_release(&findings->with_parts);
    buf_release(&findings->record);
    buf_release(&findings->last_outside);
    arena_release(&findings->arena);
    free(findings->size);
    free(findings);
}

const struct findings_summary *findings_summary(const struct findings *findings)
{
    return &findings->summary;
}

/* --- records ------------------------------------------------------------- */

void finding_put_number(struct buf *out, uint64_t value)
{
    for (int shift = 56; shift >= 0; shift -= 8)
        buf_put_char(out, (char)(value >> shift));
}

uint64_t finding_number(const char *bytes)
{
    uint64_t value = 0;

    for (size_t i = 0; i < 8; i++)
        value = value << 8 | (unsigned char)bytes[i];
    return value;
}

/* kind, order, subject, NUL, page (4 bytes), source, number, via, text. Only a
 * text can have a NUL in it. */
void finding_add(struct findings *findings, const struct finding_record *record)
{
    struct buf *out = &findings->record;
    struct str subject = str_first(record->subject, SUBJECT_MAX);

    buf_clear(out);
    buf_put_char(out, (char)record->kind);
    finding_put_number(out, record->order);
    for (size_t i = 0; i < subject.len; i++)
        buf_put_char(out, subject.ptr[i] ? subject.ptr[i] : ' ');
    buf_put_char(out, '\0');
    for (int shift = 24; shift >= 0; shift -= 8)
        buf_put_char(out, (char)(record->page >> shift));
    finding_put_number(out, record->source);
    finding_put_number(out, record->number);
    finding_put_number(out, record->via);
    buf_put(out, record->text);
    sorter_add(findings->found, buf_str(out));
}

bool finding_parse(struct str text, struct finding_record *record)
{
    if (text.len < HEAD_LEN || (unsigned char)text.ptr[0] >= FINDINGS)
        return false;
    struct str rest = str_skip(text, HEAD_LEN);
    size_t len = str_find(rest, '\0');
    if (rest.len < len + 1 + TAIL_LEN)
        return false;
    const char *tail = rest.ptr + len + 1;
    *record = (struct finding_record){
        .kind = (enum finding_kind)text.ptr[0],
        .order = finding_number(text.ptr + 1),
        .subject = str_first(rest, len),
        .page = (uint32_t)(finding_number(tail) >> 32),
        .source = finding_number(tail + 4),
        .number = finding_number(tail + 12),
        .via = finding_number(tail + 20),
        .text = str_skip(rest, len + 1 + TAIL_LEN),
    };
    return true;
}

/* --- links out of the scope ---------------------------------------------- */

const struct outside_answer *findings_answer(const struct findings *findings,
                                             struct str url)
{
    return hashtable_get(&findings->answers, hash64(url, 0));
}

bool findings_next_outside(struct findings *findings, struct str *url)
{
    struct buf *last = &findings->last_outside;
    struct finding_record record;
    struct str text;

    while (findings->outside && sorter_next(findings->outside, &text)) {
        /* Findings of another kind may have had it in an earlier crawl. */
        if (!finding_parse(text, &record) ||
            str_eq(record.subject, buf_str(last)) ||
            findings_answer(findings, record.subject))
            continue;
        buf_clear(last);
        buf_put(last, record.subject);
        *url = buf_str(last);
        return true;
    }
    return false;
}

void findings_judge_outside(struct findings *findings, struct str url,
                            const struct outside_answer *answer)
{
    uint64_t key = hash64(url, 0);

    findings->summary.asked++;
    if (hashtable_get(&findings->answers, key))
        return;
    struct outside_answer *kept = arena_new(&findings->arena, sizeof(*kept));
    *kept = *answer;
    hashtable_put(&findings->answers, key, kept);
}

enum link_judgement findings_judge(enum finding_kind kind,
                                   enum link_judgement judgement,
                                   unsigned status)
{
    return kind == FINDING_FORM && judgement == LINK_BROKEN && status &&
                   status != 404 && status != 410
               ? LINK_UNKNOWN
               : judgement;
}

static enum link_judgement judge_outside(const struct findings *findings,
                                         const struct outside_answer *answer)
{
    if (answer->is_refused)
        return answer->verdict == TOO_MANY_REDIRECTS &&
                       findings->report->max_redirects
                   ? LINK_BROKEN
                   : LINK_UNKNOWN;
    return judge_answer((enum outcome)answer->outcome, answer->status);
}

/* The links to a URL come one after the other; it counts once. */
static void note_unasked(struct findings *findings, struct str url)
{
    struct buf *last = &findings->last_outside;

    if (str_eq(url, buf_str(last)))
        return;
    buf_clear(last);
    buf_put(last, url);
    findings->summary.unasked++;
}

static void judge_link_outside(struct findings *findings,
                               struct finding_record *record)
{
    const struct outside_answer *answer =
        findings_answer(findings, record->subject);

    if (!answer && record->kind != FINDING_EXTERNAL) {
        findings->unasked[record->kind]++;
        return;
    }
    if (!answer) {
        note_unasked(findings, record->subject);
        return;
    }
    enum link_judgement judgement = findings_judge(
        record->kind, judge_outside(findings, answer), answer->status);
    if (judgement == LINK_GOOD)
        return;
    if (judgement == LINK_UNKNOWN)
        record->kind = FINDING_UNKNOWN;
    finding_add(findings, record);
}

/* Those that were asked and do not work become findings. */
static void add_outside(struct findings *findings)
{
    struct finding_record record;
    struct str text;

    if (!findings->outside)
        return;
    buf_clear(&findings->last_outside);
    sorter_rewind(findings->outside);
    while (sorter_next(findings->outside, &text))
        if (finding_parse(text, &record))
            judge_link_outside(findings, &record);
}

/* --- doubts -------------------------------------------------------------- */

static const char *keep(struct findings *findings, struct buf *text)
{
    return arena_copy(&findings->arena, buf_str(text)).ptr;
}

static void put_gap(struct buf *out, uint64_t count, const char *what,
                    const char *rest)
{
    if (count)
        buf_printf(out, ", %s %s", words_count(count, what).text, rest);
}

bool findings_has_gaps(const struct findings *findings)
{
    const struct site_gaps *gaps = &findings->gaps;

    return !facts_is_over(findings->report->facts) || gaps->queued ||
           gaps->too_deep || gaps->capped || gaps->left_out || gaps->unknown;
}

/* What was not asked for: links to it may be broken, and it may have links. */
static void put_gaps(struct findings *findings, struct buf *out)
{
    const struct site_gaps *gaps = &findings->gaps;

    if (!facts_is_over(findings->report->facts))
        buf_put(out, STR(", the crawl has not ended"));
    put_gap(out, gaps->queued, "URL", "still to be fetched");
    put_gap(out, gaps->too_deep, "URL", "deeper than maxDepth");
    put_gap(out, gaps->capped, "URL", "beyond --max-per-domain");
    put_gap(out, gaps->left_out, "URL", "left out by other rules");
}

static const char *broken_doubt(struct findings *findings)
{
    const char *doubt = NULL;
    struct buf text;

    buf_init(&text, DOUBT_MAX);
    buf_put(&text, STR("not all links were followed"));
    size_t len = text.len;
    put_gaps(findings, &text);
    put_gap(&text, findings->gaps.nofollow, "URL",
            "that pages ask not to follow");
    if (text.len > len)
        doubt = keep(findings, &text);
    buf_release(&text);
    return doubt;
}

/* A page that seems to be an orphan may be linked from one that was not read.
 */
static const char *orphan_doubt(struct findings *findings)
{
    struct buf text;

    if (!findings->unlinked || !findings_has_gaps(findings))
        return NULL;
    buf_init(&text, DOUBT_MAX);
    buf_printf(&text,
               "%s of the sitemap without a link to it, but not all "
               "pages were read",
               words_count(findings->unlinked, "page").text);
    put_gaps(findings, &text);
    put_gap(&text, findings->gaps.unknown, "page", "that could not be read");
    const char *doubt = keep(findings, &text);
    buf_release(&text);
    return doubt;
}

/* A number of 0 says nothing of these. */
static void note_unchecked(struct findings *findings)
{
    const struct findings_options *options = &findings->options;
    const char **unchecked = findings->summary.unchecked;

    if (findings->has_outside && !options->wants_outside)
        unchecked[FINDING_EXTERNAL] = "--check-external was not given";
    if (findings->with_parts.count && !options->wants_outside)
        unchecked[FINDING_OUTSIDE_FRAGMENT] = "--check-external was not given";
    if (!options->has_requisites)
        unchecked[FINDING_REQUISITE] = "the crawl was run without --requisites";
    if (!options->has_sitemaps)
        unchecked[FINDING_ORPHAN] = "the crawl was run without --sitemaps";
    else if (!findings->has_sitemap)
        unchecked[FINDING_ORPHAN] = "no sitemap was read";
    unchecked[FINDING_ORPHAN_CANDIDATE] = unchecked[FINDING_ORPHAN];
}

static void note_doubts(struct findings *findings)
{
    struct findings_summary *summary = &findings->summary;
    struct buf text;

    buf_init(&text, DOUBT_MAX);
    summary->doubts[FINDING_BROKEN] = broken_doubt(findings);
    summary->doubts[FINDING_ORPHAN] = orphan_doubt(findings);
    uint64_t known = findings->contents + findings->others;
    if (known < summary->pages) {
        buf_printf(&text,
                   "titles and ids of %s are not known: fetched by an earlier "
                   "version of this program, or of no known type",
                   words_count(summary->pages - known, "page").text);
        summary->doubts[FINDING_NO_TITLE] = keep(findings, &text);
    }
    if (findings->fragments_unknown) {
        buf_clear(&text);
        buf_printf(&text, "%s to pages whose ids are not known",
                   words_count(findings->fragments_unknown, "link").text);
        summary->doubts[FINDING_FRAGMENT] = keep(findings, &text);
    }
    if (findings->parts_unknown) {
        buf_clear(&text);
        buf_printf(&text, "%s to pages whose ids are not known",
                   words_count(findings->parts_unknown, "link").text);
        summary->doubts[FINDING_OUTSIDE_FRAGMENT] = keep(findings, &text);
    }
    buf_release(&text);
}

/* The check may have been stopped. */
static void note_outside_doubt(struct findings *findings)
{
    const struct findings_summary *summary = &findings->summary;
    struct buf text;

    if (!findings->outside)
        return;
    buf_init(&text, DOUBT_MAX);
    buf_put(&text, STR("not all pages of other sites were asked for"));
    size_t len = text.len;
    put_gap(&text, summary->unasked, "page", "left");
    put_gap(&text, findings->targets_unknown, "link",
            "through redirects that are too many to remember");
    if (text.len > len)
        findings->summary.doubts[FINDING_EXTERNAL] = keep(findings, &text);
    buf_release(&text);
}

/* Nobody follows them, so the crawl has asked for a few of them alone. */
static void note_aside_doubt(struct findings *findings, enum finding_kind kind)
{
    struct buf text;

    if (!findings->unasked[kind])
        return;
    buf_init(&text, DOUBT_MAX);
    buf_printf(&text, "%s to pages that were not asked for%s",
               words_count(findings->unasked[kind], "link").text,
               findings->outside ? "" : " (--check-external)");
    findings->summary.doubts[kind] = keep(findings, &text);
    buf_release(&text);
}

bool findings_read(struct findings *findings)
{
    if (!findings_read_rows(findings) || !findings_read_fragments(findings))
        return false;
    note_unchecked(findings);
    if (findings->outside)
        sorter_rewind(findings->outside);
    return true;
}

bool findings_sort(struct findings *findings)
{
    add_outside(findings);
    note_doubts(findings);
    note_outside_doubt(findings);
    note_aside_doubt(findings, FINDING_LINK_ELEMENT);
    note_aside_doubt(findings, FINDING_FORM);
    findings_count(findings);
    return !sorter_failed(findings->found) &&
           !sorter_failed(findings->wanted) &&
           (!findings->outside || (!sorter_failed(findings->outside) &&
                                   !sorter_failed(findings->parts)));
}
