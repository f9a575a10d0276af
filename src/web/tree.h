/* The names of tags, and as much of tree building (13.2.6) as decides what a
 * tag is: an element of HTML, of SVG or MathML, or nothing at all.
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
#ifndef WEB_TREE_H
#define WEB_TREE_H

#include "base/str.h"
#include "web/tokenizer.h"

/* --- tags: the element names that a link scanner has to tell apart ------- */

enum {
    TAG_IS_WATCHED = 1 << 0,   /* its start tag matters even in a plain page */
    TAG_BREAKS_OUT = 1 << 1,   /* its start tag ends foreign content */
    TAG_IS_VOID = 1 << 2,      /* has no content, so it is never open */
    TAG_CLOSES_P = 1 << 3,     /* its start tag ends an open p */
    TAG_IN_HEAD = 1 << 4,      /* may stand before the body */
    TAG_SETTLES_BODY = 1 << 5, /* no frameset can follow it */
    TAG_IS_FOREIGN = 1 << 6,   /* has a meaning in SVG or MathML only */
};

/* X(id, first letter, middle letter, last letter, name, flags). The letters
 * make the hash (web/tree.c); the middle one is name[len / 2]. */
// clang-format off
#define HTML_TAGS(X) \
    X(A, 'a', 'a', 'a', "a", TAG_IS_WATCHED) \
    X(ADDRESS, 'a', 'r', 's', "address", TAG_CLOSES_P) \
    X(ANNOTATION_XML, 'a', 'i', 'l', "annotation-xml", TAG_IS_FOREIGN) \
    X(APPLET, 'a', 'l', 't', "applet", TAG_SETTLES_BODY) \
    X(AREA, 'a', 'e', 'a', "area", \
      TAG_IS_WATCHED | TAG_IS_VOID | TAG_SETTLES_BODY) \
    X(ARTICLE, 'a', 'i', 'e', "article", TAG_CLOSES_P) \
    X(ASIDE, 'a', 'i', 'e', "aside", TAG_CLOSES_P) \
    X(B, 'b', 'b', 'b', "b", TAG_BREAKS_OUT) \
    X(BASE, 'b', 's', 'e', "base", TAG_IS_WATCHED | TAG_IS_VOID | TAG_IN_HEAD) \
    X(BASEFONT, 'b', 'f', 't', "basefont", TAG_IS_VOID | TAG_IN_HEAD) \
    X(BGSOUND, 'b', 'o', 'd', "bgsound", TAG_IS_VOID | TAG_IN_HEAD) \
    X(BIG, 'b', 'i', 'g', "big", TAG_BREAKS_OUT) \
    X(BLOCKQUOTE, 'b', 'q', 'e', "blockquote", TAG_BREAKS_OUT | TAG_CLOSES_P) \
    X(BODY, 'b', 'd', 'y', "body", TAG_BREAKS_OUT | TAG_SETTLES_BODY) \
    X(BR, 'b', 'r', 'r', "br", \
      TAG_BREAKS_OUT | TAG_IS_VOID | TAG_SETTLES_BODY) \
    X(BUTTON, 'b', 't', 'n', "button", TAG_SETTLES_BODY) \
    X(CAPTION, 'c', 't', 'n', "caption", 0) \
    X(CENTER, 'c', 't', 'r', "center", TAG_BREAKS_OUT | TAG_CLOSES_P) \
    X(CODE, 'c', 'd', 'e', "code", TAG_BREAKS_OUT) \
    X(COL, 'c', 'o', 'l', "col", TAG_IS_VOID) \
    X(DD, 'd', 'd', 'd', "dd", \
      TAG_BREAKS_OUT | TAG_CLOSES_P | TAG_SETTLES_BODY) \
    X(DESC, 'd', 's', 'c', "desc", TAG_IS_FOREIGN) \
    X(DETAILS, 'd', 'a', 's', "details", TAG_CLOSES_P) \
    X(DIALOG, 'd', 'l', 'g', "dialog", TAG_CLOSES_P) \
    X(DIR, 'd', 'i', 'r', "dir", TAG_CLOSES_P) \
    X(DIV, 'd', 'i', 'v', "div", TAG_BREAKS_OUT | TAG_CLOSES_P) \
    X(DL, 'd', 'l', 'l', "dl", TAG_BREAKS_OUT | TAG_CLOSES_P) \
    X(DT, 'd', 't', 't', "dt", \
      TAG_BREAKS_OUT | TAG_CLOSES_P | TAG_SETTLES_BODY) \
    X(EM, 'e', 'm', 'm', "em", TAG_BREAKS_OUT) \
    X(EMBED, 'e', 'b', 'd', "embed", \
      TAG_BREAKS_OUT | TAG_IS_VOID | TAG_SETTLES_BODY) \
    X(FIELDSET, 'f', 'd', 't', "fieldset", TAG_CLOSES_P) \
    X(FIGCAPTION, 'f', 'p', 'n', "figcaption", TAG_CLOSES_P) \
    X(FIGURE, 'f', 'u', 'e', "figure", TAG_CLOSES_P) \
    X(FONT, 'f', 'n', 't', "font", 0) \
    X(FOOTER, 'f', 't', 'r', "footer", TAG_CLOSES_P) \
    X(FOREIGNOBJECT, 'f', 'n', 't', "foreignobject", TAG_IS_FOREIGN) \
    X(FORM, 'f', 'r', 'm', "form", TAG_CLOSES_P) \
    X(FRAME, 'f', 'a', 'e', "frame", TAG_IS_VOID) \
    X(FRAMESET, 'f', 'e', 't', "frameset", 0) \
    X(H1, 'h', '1', '1', "h1", TAG_BREAKS_OUT | TAG_CLOSES_P) \
    X(H2, 'h', '2', '2', "h2", TAG_BREAKS_OUT | TAG_CLOSES_P) \
    X(H3, 'h', '3', '3', "h3", TAG_BREAKS_OUT | TAG_CLOSES_P) \
    X(H4, 'h', '4', '4', "h4", TAG_BREAKS_OUT | TAG_CLOSES_P) \
    X(H5, 'h', '5', '5', "h5", TAG_BREAKS_OUT | TAG_CLOSES_P) \
    X(H6, 'h', '6', '6', "h6", TAG_BREAKS_OUT | TAG_CLOSES_P) \
    X(HEAD, 'h', 'a', 'd', "head", TAG_BREAKS_OUT | TAG_IN_HEAD) \
    X(HEADER, 'h', 'd', 'r', "header", TAG_CLOSES_P) \
    X(HGROUP, 'h', 'o', 'p', "hgroup", TAG_CLOSES_P) \
    X(HR, 'h', 'r', 'r', "hr", \
      TAG_BREAKS_OUT | TAG_IS_VOID | TAG_CLOSES_P | TAG_SETTLES_BODY) \
    X(HTML, 'h', 'm', 'l', "html", TAG_IN_HEAD) \
    X(I, 'i', 'i', 'i', "i", TAG_BREAKS_OUT) \
    X(IFRAME, 'i', 'a', 'e', "iframe", TAG_IS_WATCHED | TAG_SETTLES_BODY) \
    X(IMAGE, 'i', 'a', 'e', "image", TAG_SETTLES_BODY) \
    X(IMG, 'i', 'm', 'g', "img", \
      TAG_BREAKS_OUT | TAG_IS_VOID | TAG_SETTLES_BODY) \
    X(INPUT, 'i', 'p', 't', "input", TAG_IS_VOID | TAG_SETTLES_BODY) \
    X(KEYGEN, 'k', 'g', 'n', "keygen", TAG_IS_VOID | TAG_SETTLES_BODY) \
    X(LABEL, 'l', 'b', 'l', "label", 0) \
    X(LI, 'l', 'i', 'i', "li", \
      TAG_BREAKS_OUT | TAG_CLOSES_P | TAG_SETTLES_BODY) \
    X(LINK, 'l', 'n', 'k', "link", TAG_IS_WATCHED | TAG_IS_VOID | TAG_IN_HEAD) \
    X(LISTING, 'l', 't', 'g', "listing", \
      TAG_BREAKS_OUT | TAG_CLOSES_P | TAG_SETTLES_BODY) \
    X(MAIN, 'm', 'i', 'n', "main", TAG_CLOSES_P) \
    X(MALIGNMARK, 'm', 'n', 'k', "malignmark", TAG_IS_FOREIGN) \
    X(MARQUEE, 'm', 'q', 'e', "marquee", TAG_SETTLES_BODY) \
    X(MATH, 'm', 't', 'h', "math", TAG_IS_WATCHED) \
    X(MENU, 'm', 'n', 'u', "menu", TAG_BREAKS_OUT | TAG_CLOSES_P) \
    X(META, 'm', 't', 'a', "meta", \
      TAG_IS_WATCHED | TAG_BREAKS_OUT | TAG_IS_VOID | TAG_IN_HEAD) \
    X(MGLYPH, 'm', 'y', 'h', "mglyph", TAG_IS_FOREIGN) \
    X(MI, 'm', 'i', 'i', "mi", TAG_IS_FOREIGN) \
    X(MN, 'm', 'n', 'n', "mn", TAG_IS_FOREIGN) \
    X(MO, 'm', 'o', 'o', "mo", TAG_IS_FOREIGN) \
    X(MS, 'm', 's', 's', "ms", TAG_IS_FOREIGN) \
    X(MTEXT, 'm', 'e', 't', "mtext", TAG_IS_FOREIGN) \
    X(NAV, 'n', 'a', 'v', "nav", TAG_CLOSES_P) \
    X(NOBR, 'n', 'b', 'r', "nobr", TAG_BREAKS_OUT) \
    X(NOEMBED, 'n', 'm', 'd', "noembed", TAG_IS_WATCHED) \
    X(NOFRAMES, 'n', 'a', 's', "noframes", TAG_IS_WATCHED | TAG_IN_HEAD) \
    X(NOSCRIPT, 'n', 'r', 't', "noscript", TAG_IN_HEAD) \
    X(OBJECT, 'o', 'e', 't', "object", TAG_SETTLES_BODY) \
    X(OL, 'o', 'l', 'l', "ol", TAG_BREAKS_OUT | TAG_CLOSES_P) \
    X(OPTGROUP, 'o', 'r', 'p', "optgroup", 0) \
    X(OPTION, 'o', 'i', 'n', "option", 0) \
    X(P, 'p', 'p', 'p', "p", TAG_BREAKS_OUT | TAG_CLOSES_P) \
    X(PARAM, 'p', 'r', 'm', "param", TAG_IS_VOID) \
    X(PLAINTEXT, 'p', 'n', 't', "plaintext", TAG_IS_WATCHED | TAG_CLOSES_P) \
    X(PRE, 'p', 'r', 'e', "pre", \
      TAG_BREAKS_OUT | TAG_CLOSES_P | TAG_SETTLES_BODY) \
    X(RUBY, 'r', 'b', 'y', "ruby", TAG_BREAKS_OUT) \
    X(S, 's', 's', 's', "s", TAG_BREAKS_OUT) \
    X(SCRIPT, 's', 'i', 't', "script", TAG_IS_WATCHED | TAG_IN_HEAD) \
    X(SEARCH, 's', 'r', 'h', "search", TAG_CLOSES_P) \
    X(SECTION, 's', 't', 'n', "section", TAG_CLOSES_P) \
    X(SELECT, 's', 'e', 't', "select", TAG_SETTLES_BODY) \
    X(SMALL, 's', 'a', 'l', "small", TAG_BREAKS_OUT) \
    X(SOURCE, 's', 'r', 'e', "source", TAG_IS_VOID) \
    X(SPAN, 's', 'a', 'n', "span", TAG_BREAKS_OUT) \
    X(STRIKE, 's', 'i', 'e', "strike", TAG_BREAKS_OUT) \
    X(STRONG, 's', 'o', 'g', "strong", TAG_BREAKS_OUT) \
    X(STYLE, 's', 'y', 'e', "style", TAG_IS_WATCHED | TAG_IN_HEAD) \
    X(SUB, 's', 'u', 'b', "sub", TAG_BREAKS_OUT) \
    X(SUMMARY, 's', 'm', 'y', "summary", TAG_CLOSES_P) \
    X(SUP, 's', 'u', 'p', "sup", TAG_BREAKS_OUT) \
    X(SVG, 's', 'v', 'g', "svg", TAG_IS_WATCHED) \
    X(TABLE, 't', 'b', 'e', "table", \
      TAG_BREAKS_OUT | TAG_CLOSES_P | TAG_SETTLES_BODY) \
    X(TBODY, 't', 'o', 'y', "tbody", 0) \
    X(TD, 't', 'd', 'd', "td", 0) \
    X(TEMPLATE, 't', 'l', 'e', "template", TAG_IS_WATCHED | TAG_IN_HEAD) \
    X(TEXTAREA, 't', 'a', 'a', "textarea", TAG_IS_WATCHED | TAG_SETTLES_BODY) \
    X(TFOOT, 't', 'o', 't', "tfoot", 0) \
    X(TH, 't', 'h', 'h', "th", 0) \
    X(THEAD, 't', 'e', 'd', "thead", 0) \
    X(TITLE, 't', 't', 'e', "title", TAG_IS_WATCHED | TAG_IN_HEAD) \
    X(TR, 't', 'r', 'r', "tr", 0) \
    X(TRACK, 't', 'a', 'k', "track", TAG_IS_VOID) \
    X(TT, 't', 't', 't', "tt", TAG_BREAKS_OUT) \
    X(U, 'u', 'u', 'u', "u", TAG_BREAKS_OUT) \
    X(UL, 'u', 'l', 'l', "ul", TAG_BREAKS_OUT | TAG_CLOSES_P) \
    X(VAR, 'v', 'a', 'r', "var", TAG_BREAKS_OUT) \
    X(WBR, 'w', 'b', 'r', "wbr", TAG_IS_VOID | TAG_SETTLES_BODY) \
    X(XMP, 'x', 'm', 'p', "xmp", \
      TAG_IS_WATCHED | TAG_CLOSES_P | TAG_SETTLES_BODY) \
    /* for requisites only */ \
    X(AUDIO, 'a', 'd', 'o', "audio", 0) \
    X(FEIMAGE, 'f', 'm', 'e', "feimage", TAG_IS_FOREIGN) \
    X(USE, 'u', 's', 'e', "use", TAG_IS_FOREIGN) \
    X(VIDEO, 'v', 'd', 'o', "video", 0)
// clang-format on

enum html_tag {
    TAG_OTHER,
#define X(id, first, middle, last, name, flags) TAG_##id,
    HTML_TAGS(X)
#undef X
        TAG_COUNT,
};

struct html_tag_entry {
    struct str name;
    unsigned flags;
};

extern const struct html_tag_entry html_tags[TAG_COUNT];

/* The watched tags and a few more. */
extern const struct html_filter html_watched;

/* Every tag: any element may need an image, by its style attribute. */
extern const struct html_filter html_all_tags;

/* Letters of either case; TAG_OTHER for a name not in the list. */
enum html_tag html_tag_find(struct str name);

/* --- the tree ------------------------------------------------------------ */

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
