/* Which URLs a user wants: rules that include or exclude, in order.
 *
 *     struct filter *filter = filter_new();
 *     if (!filter_add(filter, RULE_EXCLUDE, STR("**.pdf"), &fault)) ...
 *     struct filter_answer answer = filter_judge(filter, url.href);
 *     filter_free(filter);
 *
 * A URL is included unless a rule says otherwise; of the rules that match it
 * the last one decides. A pattern is a glob for the whole URL (below), or
 * after "re:" a regular expression (PCRE2) that is searched in it. The steps,
 * the depth and the memory of a search are limited: if a limit is reached, the
 * answer is that it is not known.
 *
 * A filter holds the memory of its searches, so one thread at a time may ask.
 */
#ifndef WEB_FILTER_H
#define WEB_FILTER_H

#include "base/buf.h"
#include "base/str.h"

enum filter_rule_kind { RULE_INCLUDE, RULE_EXCLUDE };

struct filter;

struct filter *filter_new(void);
void filter_free(struct filter *filter);

/* Add a rule behind the others; the pattern is copied. False: it is wrong, and
 * `fault` has the reason and where, for people. */
bool filter_add(struct filter *filter, enum filter_rule_kind kind,
                struct str pattern, struct buf *fault);

/* Why this glob is wrong for a rule, or NULL; where that is, from 0, in `at`.
 */
const char *filter_glob_fault(struct str pattern, size_t *at);

enum filter_verdict {
    FILTER_INCLUDED,
    FILTER_EXCLUDED,
    FILTER_UNDECIDED, /* a regular expression reached a limit */
};

struct filter_answer {
    enum filter_verdict verdict;
    enum filter_rule_kind kind; /* of the rule that decided, or could not: */
    struct str pattern;         /* NULL: no rule matches */
};

struct filter_answer filter_judge(struct filter *filter, struct str url);

/* "--include" or "--exclude". */
const char *filter_option(enum filter_rule_kind kind);

/* --- globs ---------------------------------------------------------------
 *
 *     *      any characters but '/', also none
 *     **     any characters, also none; "/ ** /" without the blanks is also
 *            a single '/', as in .gitignore
 *     ?      one character, not '/'
 *     \c     the character c itself
 *
 * Everything else stands for itself, letter for letter. The time for an answer
 * is at most the length of the pattern times that of the text, whatever both
 * are. Pure: any thread may ask.
 */

enum { GLOB_LEN_MAX = 2000 };

/* The fault of the pattern, for people, and where it is; NULL: none. */
const char *glob_fault(struct str pattern, size_t *at);

/* Does the pattern match all of the text? It has no fault. */
bool glob_matches(struct str pattern, struct str text);

/* Does the pattern match a text that begins so? It has no fault. */
bool glob_may_begin(struct str pattern, struct str head);

#endif
