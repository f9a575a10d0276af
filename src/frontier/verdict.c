#include "frontier/verdict.h"

#include <assert.h>

struct verdict_row {
    const char *word, *name, *text;
};

// clang-format off
static const struct verdict_row rows[] = {
    [ACCEPT]             = {"Added",    "accept",        "queued"},
    [BAD_URL]            = {"IgnBad",   "bad-url",       "not a valid URL"},
    [NOT_HTML_NAME]      = {"IgnName",  "not-html-name", "its name is not that of an HTML page"},
    [EXTERNAL]           = {"IgnExtrn", "external",      "outside the scope of the crawl"},
    [TOO_DEEP]           = {"IgnDepth", "too-deep",      "deeper than the maximum depth"},
    [DUPLICATE]          = {"IgnDupl",  "duplicate",     "seen before"},
    [TOO_MANY_REDIRECTS] = {"IgnRedir", "too-many-redirects", "at the end of too many redirects"},
    [NOFOLLOW]           = {"IgnNoFol", "nofollow",      "the page asks not to follow it"},
    [DOMAIN_CAP]         = {"IgnCap",   "domain-cap",    "its domain has had --max-per-domain fetches"},
    [ROBOTS_REFUSED]     = {"IgnRobot", "robots",        "forbidden by robots.txt"},
    [ROBOTS_UNKNOWN]     = {"IgnRbUnk", "robots-unknown", "the host's robots.txt could not be had"},
    [HOST_DEAD]          = {"IgnDead",  "host-dead",     "its host does not answer and was given up"},
    [TOO_MANY_LINKS]     = {"IgnMany",  "too-many-links", "its page has more links than count"},
    [ELSEWHERE]          = {"SentAway", "elsewhere",     "sent to the machine that has its domain"},
    [EXCLUDED]           = {"IgnExcl",  "excluded",      "excluded by a rule of the user"},
    [RULE_LIMIT]         = {"IgnLimit", "rule-limit",    "a regular expression of the user took too many steps"},
    [BY_HAND]            = {"IgnHand",  "by-hand",       "dropped by hand"},
    [NOT_FOLLOWED]       = {"IgnAside", "not-followed",  "named by a link element or a form, which are not followed"},
};
// clang-format on
static_assert(sizeof(rows) / sizeof(rows[0]) == VERDICTS,
              "every verdict has its words");

enum verdict_basis verdict_basis(enum verdict verdict)
{
    switch (verdict) {
    case BAD_URL:
    case NOT_HTML_NAME:
    case EXTERNAL:
        return BASIS_URL;
    case TOO_DEEP:
    case DUPLICATE:
    case TOO_MANY_REDIRECTS:
    case NOFOLLOW:
    case TOO_MANY_LINKS:
    case ELSEWHERE:
    case NOT_FOLLOWED:
        return BASIS_LINK;
    default:
        return BASIS_PAGE;
    }
}

const char *verdict_word(enum verdict verdict)
{
    return rows[verdict].word;
}

const char *verdict_name(enum verdict verdict)
{
    return rows[verdict].name;
}

const char *verdict_text(enum verdict verdict)
{
    return rows[verdict].text;
}
