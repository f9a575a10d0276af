/* The findings of `crawler report`: what is wrong with a site, from the
 * record of a crawl with --links alone.
 *
 *     struct findings *findings = findings_new(&report, &options);
 *     if (!findings_read(findings))
 *         ... report.error says why
 *     while (findings_next_outside(findings, &url))     with --check-external
 *         findings_judge_outside(findings, url, &answer);
 *     findings_sort(findings);
 *     findings_visit(findings, &visitor);
 *     findings_free(findings);
 *
 * A finding has a kind, a subject (a URL, a title), and the places where it is:
 * pages, each with the text of its link. Findings are sorted in a temporary
 * file (base/sorter.h), so their number costs no memory but 8 bytes a
 * subject. All texts are those of the site: printers escape them.
 */
#ifndef REPORT_FINDINGS_H
#define REPORT_FINDINGS_H

#include "report/report.h"

/* In the order in which they are shown. */
enum finding_kind {
    FINDING_BROKEN,
    FINDING_EXTERNAL,
    FINDING_REQUISITE,
    FINDING_LINK_ELEMENT,
    FINDING_FORM,
    FINDING_FRAGMENT,
    FINDING_OUTSIDE_FRAGMENT,
    FINDING_LOOP,
    FINDING_CHAIN,
    FINDING_REDIRECT,
    FINDING_ROBOTS,
    FINDING_MIXED,
    FINDING_ORPHAN,
    FINDING_ORPHAN_CANDIDATE,
    FINDING_DUPLICATE,
    FINDING_SAME_TITLE,
    FINDING_NO_TITLE,
    FINDING_EMPTY,
    FINDING_SLOW,
    FINDING_LARGE,
    FINDING_UNKNOWN,
    FINDINGS,
};

/* As a set: `any` of --fail-on. A candidate may be no orphan. */
#define FINDINGS_ANY                                                           \
    (((1u << FINDINGS) - 1) & ~(1u << FINDING_ORPHAN_CANDIDATE))

struct finding_words {
    const char *name;  /* "broken": of --fail-on, JSON and JUnit */
    const char *title; /* "Broken links" */
    const char *help;  /* a sentence for people */
};
const struct finding_words *finding_words(enum finding_kind kind);

/* A set of kinds: bit 1 << kind. False for a name that is none. */
bool finding_kinds_parse(struct str list, uint32_t *kinds, struct str *bad);

struct findings_options {
    uint64_t slow_ms, large_bytes; /* more than this is a finding */
    bool wants_outside;            /* links out of the scope are collected */
    bool has_requisites, has_sitemaps; /* the crawl asked for them */
};

struct finding_subject {
    enum finding_kind kind;
    struct str text;   /* a URL; of some kinds a title or a digest */
    struct str detail; /* "404 Not Found"; may be empty */
    uint64_t places;
    uint64_t pages; /* on which these are */
};

struct finding_place {
    uint32_t page;       /* its number; 0: there is none */
    struct str url;      /* of the page */
    struct str named_by; /* instead of a page: "a seed"; else empty */
    struct str text;     /* of the link; may be empty */
    struct str via;      /* the redirect that it goes through; may be empty */
};

struct findings_counts {
    uint64_t subjects, places;
};

struct findings_summary {
    uint64_t pages, links, outside;
    uint64_t asked, unasked; /* pages of other sites */
    struct findings_counts counts[FINDINGS];
    /* Whether a kind could be looked for everywhere: NULL, or why not. */
    const char *doubts[FINDINGS];
    /* Whether it was looked for at all: NULL, or why not. */
    const char *unchecked[FINDINGS];
};

struct findings;

/* NULL if there is no room for a temporary file. The report has been planned
 * (cli/command_record.c). */
struct findings *findings_new(struct report *report,
                              const struct findings_options *options);
void findings_free(struct findings *findings);

/* Read the record. False with report->error. */
bool findings_read(struct findings *findings);

/* Each URL out of the scope that a page links to, once; and the answer to it.
 * The text is valid until the next call. */
bool findings_next_outside(struct findings *findings, struct str *url);

/* Does a link name a part of it? */
bool findings_wants_ids(const struct findings *findings, struct str url);

struct outside_answer {
    uint8_t outcome;
    uint16_t status;
    bool is_refused; /* by a rule, which `verdict` names */
    uint8_t verdict;
};
void findings_judge_outside(struct findings *findings, struct str url,
                            const struct outside_answer *answer);

/* The same for several, from the record of a crawl that had them as seeds: a
 * redirect has the answer of its target. URLs that were not asked get none. The
 * parts that links name are looked for in the pages. False with `error`. */
bool findings_judge_crawled(struct findings *findings, const struct str *url,
                            size_t count, struct store *store,
                            struct store_error *error);

/* Does the answer to HEAD say too little, so that the page must be asked for by
 * GET? Yes if it would make a link broken: some servers refuse HEAD (405, 501)
 * and some do not know it. No if the server says who may ask and when (403,
 * 429), or if none answered. */
bool findings_is_head_doubted(enum outcome outcome, int status);

/* All is known. False if there was no room for the temporary file. */
bool findings_sort(struct findings *findings);

const struct findings_summary *
findings_summary(const struct findings *findings);

/* Kinds without a finding have no subjects, but are begun and ended. Functions
 * that are NULL are not called. */
struct findings_visitor {
    void *user;
    void (*begin)(void *user, enum finding_kind kind);
    void (*subject)(void *user, const struct finding_subject *subject);
    void (*place)(void *user, const struct finding_place *place);
    void (*end_subject)(void *user);
    void (*end)(void *user, enum finding_kind kind);
};
bool findings_visit(struct findings *findings,
                    const struct findings_visitor *visitor);

#endif
