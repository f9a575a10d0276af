/* The URLs that a stylesheet, or a style or srcset attribute, makes a browser
 * fetch.
 *
 *     struct css css;
 *     struct str url;
 *
 *     css_init(&css, &arena, text, CSS_SHEET);
 *     while (css_next(&css, &url))
 *         consider(url);
 *
 * The text is cut into the tokens of CSS Syntax 3. These count:
 *
 *     @import "a"; @import url(a);    before all other rules
 *     url(a) url("a")                 in a declaration
 *     image-set("a" 1x, "b" 2x)       the strings, in a declaration
 *
 * Comments, other strings, selectors and what stands before the block of an
 * at-rule (@namespace, @supports, ...) name nothing to fetch. Fonts of all
 * formats and images of all resolutions count: a browser that shows the page
 * later may choose any of them.
 *
 * The text is taken as UTF-8; where it is not, bytes beyond ASCII are kept.
 * One pass, in time that grows with the length of the text and no memory but
 * that for URLs that have escapes.
 */
#ifndef WEB_CSS_H
#define WEB_CSS_H

#include "base/mem.h"
#include "base/str.h"

enum css_place {
    CSS_SHEET,     /* a file, or the content of a style element */
    CSS_ATTRIBUTE, /* declarations without a block around them */
};

/* The at-rule whose text before its block is being read. */
enum css_at_rule {
    CSS_NO_RULE,
    CSS_IMPORT,     /* its URL comes next */
    CSS_OTHER_RULE, /* nothing in it counts */
};

/* Private. */
struct css {
    const char *at, *end;
    struct arena *arena;
    unsigned blocks; /* open ones; a style attribute is inside of one */
    unsigned blocks_min;
    unsigned parens;    /* open ones in this declaration */
    unsigned image_set; /* the number of the paren of image-set(; 0: none */
    enum css_at_rule at_rule;
    bool may_import;
};

void css_init(struct css *css, struct arena *arena, struct str text,
              enum css_place place);

/* The next URL, with its escapes undone: a part of the text, or in the arena.
 * It may be empty, or only a fragment. False at the end. */
bool css_next(struct css *css, struct str *url);

/* --- srcset --------------------------------------------------------------
 *
 * As the HTML standard parses it (4.8.4.3.10).
 *
 *     struct srcset srcset = srcset_of(STR("a.png 1x, b.png 2x"));
 *     struct str url;
 *
 *     while (srcset_next(&srcset, &url))
 *         consider(url);
 *
 * Candidates with descriptors that are no good are left out, as in a browser.
 */

struct srcset {
    const char *at, *end;
};

static inline struct srcset srcset_of(struct str value)
{
    /* An empty value may be NULL. */
    return (struct srcset){value.ptr,
                           value.len ? value.ptr + value.len : value.ptr};
}

bool srcset_next(struct srcset *srcset, struct str *url);

#endif
