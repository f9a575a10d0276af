/* As much of tree building (13.2.6) as decides what a tag is: an element of
 * HTML, of SVG or MathML, or nothing at all.
 *
 * Followed are
 * - the begin of a page up to the first content of its body, because until
 *   then a frameset may replace it;
 * - foreign content: svg and math with their integration points, and the tags
 *   that break out of it;
 * - template, whose insides are no part of the page.
 *
 * In the rest of a page, which is nearly all of nearly every page, none of
 * this applies: html_tree_is_plain() says so, and the caller then need not
 * tell of any tag without TAG_IS_WATCHED. There is no tree and no stack of HTML
 * elements: an end tag in foreign content that names an HTML element is taken
 * to close one that was open before.
 */
#ifndef HTML_TREE_H
#define HTML_TREE_H

#include "html/tag.h"
#include "html/tokenizer.h"

enum html_namespace {
    HTML_NO_ELEMENT, /* a browser ignores the tag here */
    HTML_IN_HTML,
    HTML_IN_SVG,
    HTML_IN_MATH,
};

enum html_phase {
    HTML_BEFORE_BODY,
    HTML_BODY_START, /* in the body, but a frameset may replace it */
    HTML_BODY,
    HTML_FRAMESET,
    HTML_AFTER_FRAMESET,
};

/* An open element: foreign, a template, or inside of a foreign one. */
struct html_open {
    enum html_namespace namespace;
    enum html_tag tag;
    struct str name;
    bool is_html_point; /* HTML integration point */
    bool is_text_point; /* MathML text integration point */
};

enum { HTML_OPEN_MAX = 64 };

struct html_tree {
    enum html_phase phase;
    unsigned framesets;  /* that are open */
    unsigned templates;  /* that are open: their insides are inert */
    unsigned foreigners; /* in `open` */
    size_t count;
    struct html_open open[HTML_OPEN_MAX]; /* the innermost ones */
};

void html_tree_init(struct html_tree *tree);

static inline bool html_tree_is_plain(const struct html_tree *tree)
{
    return tree->phase == HTML_BODY && !tree->count && !tree->templates;
}

/* In foreign content, where <![CDATA[ is markup. */
static inline bool html_tree_is_foreign(const struct html_tree *tree)
{
    return tree->count && tree->open[tree->count - 1].namespace != HTML_IN_HTML;
}

/* Tell of the text before a tag, of a start tag, of an end tag. The first is
 * needed only in a tree that is not plain. */
void html_tree_text(struct html_tree *tree, const struct html_token *token);
enum html_namespace html_tree_start(struct html_tree *tree, enum html_tag tag,
                                    const struct html_token *token);
void html_tree_end(struct html_tree *tree, enum html_tag tag,
                   const struct html_token *token);

/* How the tokenizer reads on after the start tag of an element of HTML. */
enum html_state html_tree_state(enum html_tag tag);

#endif
