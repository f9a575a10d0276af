/* The parts of report/findings.c. Only these files include it. */
#ifndef REPORT_FINDINGS_INTERNAL_H
#define REPORT_FINDINGS_INTERNAL_H

#include "base/sorter.h"
#include "report/findings.h"
#include "report/site.h"

/* Pages that were not read, so that an orphan may have a link after all. */
struct site_gaps {
    uint64_t queued, too_deep, unknown, capped, left_out;
    uint64_t nofollow; /* the site asks not to follow links to them: they count
                        * for broken links alone */
};

struct subject_size {
    uint32_t places, pages;
};

struct findings {
    struct report *report;
    struct findings_options options;
    struct site site;
    struct sorter *found;        /* findings */
    struct sorter *wanted;       /* fragments that links name */
    struct sorter *outside;      /* links out of the scope */
    struct sorter *parts;        /* fragments that these name, */
    struct hashtable with_parts; /* and of which URLs, by their hash */
    struct hashtable answers;    /* of URLs out of the scope, by their hash */
    struct hashtable seeds;      /* fingerprints */
    struct buf record;           /* scratch: one that is added */
    struct buf last_outside;
    struct findings_summary summary;
    struct site_gaps gaps;
    uint64_t unlinked;          /* pages of the sitemap that no page links to */
    uint64_t contents;          /* pages whose ids are known */
    uint64_t others;            /* pages that are no HTML and need none */
    uint64_t fragments_unknown; /* links: of the site, */
    uint64_t parts_unknown;     /* and of others */
    uint64_t targets_unknown;   /* links through redirects to other sites */
    uint64_t unasked[FINDINGS]; /* links: what they name was not asked for */
    bool has_unsaved_links;     /* links of pages that were not saved */
    bool has_outside;           /* links out of the scope */
    bool has_sitemap;           /* one was read */
    struct subject_size *size;  /* of each subject, in order */
    size_t subjects, subject_room;
    struct arena arena;
};

/* One place of a finding, as it is sorted. */
/* In place of the number of a page: who else names a URL. */
#define PLACE_SEED    UINT32_MAX
#define PLACE_SITEMAP (UINT32_MAX - 1)

struct finding_record {
    enum finding_kind kind;
    uint64_t order;     /* before the subject's text */
    struct str subject; /* without NUL */
    uint64_t number;    /* of the subject's URL, or 0 */
    uint32_t page;      /* the place: its number, or PLACE_... */
    uint64_t source; /* of a page that was not saved: its URL's number; or 0 */
    uint64_t via;    /* the number of a redirect, or 0 */
    struct str text;
};

static inline bool finding_has_place(const struct finding_record *record)
{
    return record->page || record->source;
}

static inline bool finding_is_on_page(const struct finding_record *record)
{
    return finding_has_place(record) && record->page < PLACE_SITEMAP;
}

/* Numbers in the records that are sorted. */
void finding_put_number(struct buf *out, uint64_t value);
uint64_t finding_number(const char *bytes);

void finding_add(struct findings *findings,
                 const struct finding_record *record);

/* The record of a text that finding_add made. */
bool finding_parse(struct str text, struct finding_record *record);

/* Does a link of this kind work? A form that comes without its fields may be
 * refused by its page, which is there. */
enum link_judgement findings_judge(enum finding_kind kind,
                                   enum link_judgement judgement,
                                   unsigned status);

/* Are there pages that were not read? */
bool findings_has_gaps(const struct findings *findings);

/* findings_read.c: the rows; findings_fragments.c: the ids of pages. */
bool findings_read_rows(struct findings *findings);

/* A link, through the redirect `via` if that is not 0, names a part of the page
 * `target`; 0: one that was not saved. */
void findings_want(struct findings *findings, uint32_t target,
                   struct str fragment, const struct store_link *link,
                   uint64_t via);
bool findings_read_fragments(struct findings *findings);

/* A link names this part of a page of another site. */
void findings_want_outside(struct findings *findings, struct str url,
                           const struct store_link *link, uint64_t via);

/* Look for these parts in the pages of `site`, whose record is read from
 * `store`. False with `error`. */
bool findings_read_outside(struct findings *findings, struct site *site,
                           struct store_error *error);

/* findings_visit.c: fill in the places of each subject, and the summary. */
void findings_count(struct findings *findings);

/* The answer to a URL out of the scope; NULL: it was not asked. */
const struct outside_answer *findings_answer(const struct findings *findings,
                                             struct str url);

#endif
