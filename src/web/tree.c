#include "web/tree.h"

/* ---- names of tags ------------------------------------------------------ */

const struct html_tag_entry html_tags[TAG_COUNT] = {
    [TAG_OTHER] = {STR_INIT(""), 0},
#define X(id, first, middle, last, name, flags)                                \
    [TAG_##id] = {STR_INIT(name), flags},
    HTML_TAGS(X)
#undef X
};

/* A perfect hash of the first, the middle and the last letter and the length:
 * any odd multiplier without a collision does, and about every 1600th is one.
 * The compiler finds collisions. */
#define SLOT(first, middle, last, len)                                         \
    ((((uint32_t)(first) | (uint32_t)(middle) << 8 | (uint32_t)(last) << 16 |  \
       (uint32_t)(len) << 24) *                                                \
      0xf92eae53u) >>                                                          \
     22)

static const uint8_t slots[1024] = {
#define X(id, first, middle, last, name, flags)                                \
    [SLOT(first, middle, last, sizeof(name) - 1)] = TAG_##id,
    HTML_TAGS(X)
#undef X
};

static unsigned char lower(char c)
{
    return (unsigned char)(c | 0x20);
}

enum html_tag html_tag_find(struct str name)
{
    enum html_tag guess =
        slots[SLOT(lower(name.ptr[0]), lower(name.ptr[name.len / 2]),
                   lower(name.ptr[name.len - 1]), name.len)];

    return html_is_name(name, html_tags[guess].name) ? guess : TAG_OTHER;
}

#define LOW(c) ((c)&31)

const struct html_filter html_watched = {
    .has = {
        [LOW('a')] = {[LOW(' ')] = true, /* a */
                      [LOW('>')] = true,
                      [LOW('/')] = true,
                      [LOW('\t')] = true,
                      [LOW('\n')] = true,
                      [LOW('\f')] = true,
                      [LOW('\r')] = true,
                      [LOW('r')] = true}, /* area */
        [LOW('b')] = {[LOW('a')] = true}, /* base */
        [LOW('i')] = {[LOW('f')] = true}, /* iframe */
        [LOW('l')] = {[LOW('i')] = true}, /* link */
        [LOW('m')] = {[LOW('a')] = true,  /* math */
                      [LOW('e')] = true}, /* meta */
        [LOW('n')] = {[LOW('o')] = true}, /* noembed, noframes */
        [LOW('p')] = {[LOW('l')] = true}, /* plaintext */
        [LOW('s')] = {[LOW('c')] = true,  /* script */
                      [LOW('t')] = true,  /* style */
                      [LOW('v')] = true}, /* svg */
        [LOW('t')] = {[LOW('e')] = true,  /* template, textarea */
                      [LOW('i')] = true}, /* title */
        [LOW('x')] = {[LOW('m')] = true}, /* xmp */
    }};

#define ROW_OF_ALL                                                             \
    {                                                                          \
        1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1,   \
            1, 1, 1, 1, 1, 1, 1, 1, 1                                          \
    }
#define EIGHT_ROWS                                                             \
    ROW_OF_ALL, ROW_OF_ALL, ROW_OF_ALL, ROW_OF_ALL, ROW_OF_ALL, ROW_OF_ALL,    \
        ROW_OF_ALL, ROW_OF_ALL

const struct html_filter html_all_tags = {
    .has = {EIGHT_ROWS, EIGHT_ROWS, EIGHT_ROWS, EIGHT_ROWS}};

/* ---- the open elements -------------------------------------------------- */

static bool has_flag(enum html_tag tag, unsigned flag)
{
    return html_tags[tag].flags & flag;
}

void html_tree_init(struct html_tree *tree)
{
    /* The stack's entries are written before they are read. */
    tree->phase = HTML_BEFORE_BODY;
    tree->framesets = tree->templates = tree->foreigners = 0;
    tree->count = 0;
}

static struct html_open *top(struct html_tree *tree)
{
    return tree->count ? &tree->open[tree->count - 1] : NULL;
}

static bool is_template(const struct html_open *open)
{
    return open->namespace == HTML_IN_HTML && open->tag == TAG_TEMPLATE;
}

/* Nested that deep, what is around the outer half can be forgotten. Open
 * templates are still counted. */
static void forget_half(struct html_tree *tree)
{
    size_t half = HTML_OPEN_MAX / 2;

    for (size_t i = 0; i < half; i++)
        tree->foreigners -= tree->open[i].namespace != HTML_IN_HTML;
    tree->count -= half;
    memmove(tree->open, tree->open + half, tree->count * sizeof(*tree->open));
}

static void push(struct html_tree *tree, struct html_open open)
{
    if (tree->count == HTML_OPEN_MAX)
        forget_half(tree);
    tree->templates += is_template(&open);
    tree->foreigners += open.namespace != HTML_IN_HTML;
    tree->open[tree->count++] = open;
}

static void pop_to(struct html_tree *tree, size_t count)
{
    while (tree->count > count) {
        const struct html_open *open = &tree->open[--tree->count];
        tree->templates -= is_template(open);
        tree->foreigners -= open->namespace != HTML_IN_HTML;
    }
}

static bool is_point(const struct html_open *open)
{
    return open->is_html_point || open->is_text_point;
}

/* Leave foreign content: what is on top is HTML or may contain HTML. */
static void break_out(struct html_tree *tree)
{
    size_t count = tree->count;

    while (count && tree->open[count - 1].namespace != HTML_IN_HTML &&
           !is_point(&tree->open[count - 1]))
        count--;
    pop_to(tree, count);
}

/* The raw value of an attribute; {NULL, 0} where there is no such attribute. */
static struct str attr_of(const struct html_token *token, struct str name)
{
    struct html_attrs attrs = html_attrs(token);
    struct html_attr attr;

    while (html_attrs_next(&attrs, &attr))
        if (html_is_name(attr.name, name))
            return attr.value;
    return (struct str){NULL, 0};
}

/* ---- start tags in foreign content (13.2.6.5) --------------------------- */

static bool breaks_out(enum html_tag tag, const struct html_token *token)
{
    if (tag == TAG_FONT)
        return attr_of(token, STR("color")).ptr ||
               attr_of(token, STR("face")).ptr ||
               attr_of(token, STR("size")).ptr;
    return has_flag(tag, TAG_BREAKS_OUT);
}

static bool is_html_point(enum html_namespace namespace, enum html_tag tag,
                          const struct html_token *token)
{
    if (namespace == HTML_IN_SVG)
        return tag == TAG_FOREIGNOBJECT || tag == TAG_DESC || tag == TAG_TITLE;
    if (tag != TAG_ANNOTATION_XML)
        return false;
    struct str encoding = attr_of(token, STR("encoding"));
    return str_eq_nocase(encoding, STR("text/html")) ||
           str_eq_nocase(encoding, STR("application/xhtml+xml"));
}

static void push_foreign(struct html_tree *tree, enum html_namespace namespace,
                         enum html_tag tag, const struct html_token *token)
{
    bool is_text_point = namespace == HTML_IN_MATH &&
                         (tag == TAG_MI || tag == TAG_MO || tag == TAG_MN ||
                          tag == TAG_MS || tag == TAG_MTEXT);

    if (html_is_self_closing(token))
        return;
    push(tree, (struct html_open){
                   .namespace = namespace,
                   .tag = tag,
                   .name = token->name,
                   .is_html_point = is_html_point(namespace, tag, token),
                   .is_text_point = is_text_point,
               });
}

/* The dispatcher of 13.2.6: is the start tag judged by the rules of HTML? */
static bool starts_html(const struct html_open *open, enum html_tag tag)
{
    if (!open || open->namespace == HTML_IN_HTML || open->is_html_point)
        return true;
    if (open->is_text_point)
        return tag != TAG_MGLYPH && tag != TAG_MALIGNMARK;
    return open->namespace == HTML_IN_MATH && open->tag == TAG_ANNOTATION_XML &&
           tag == TAG_SVG;
}

/* ---- start tags in HTML ------------------------------------------------- */

/* Before the body, and while a frameset may replace it. */
static void start_body(struct html_tree *tree, enum html_tag tag,
                       const struct html_token *token)
{
    if (tree->phase == HTML_BEFORE_BODY && has_flag(tag, TAG_IN_HEAD))
        return;
    if (tag == TAG_FRAMESET && tree->templates == 0) {
        pop_to(tree, 0);
        tree->phase = HTML_FRAMESET;
        tree->framesets = 1;
    } else if (has_flag(tag, TAG_SETTLES_BODY) &&
               (tag != TAG_INPUT ||
                !str_eq_nocase(attr_of(token, STR("type")), STR("hidden")))) {
        tree->phase = HTML_BODY;
    } else if (tree->templates == 0) {
        tree->phase = HTML_BODY_START;
    }
}

/* 13.2.6.4.20 and 21: nothing but frames, and noframes. */
static enum html_namespace start_in_frameset(struct html_tree *tree,
                                             enum html_tag tag)
{
    if (tag == TAG_NOFRAMES)
        return HTML_IN_HTML;
    if (tree->phase == HTML_AFTER_FRAMESET)
        return HTML_NO_ELEMENT;
    if (tag == TAG_FRAMESET)
        tree->framesets++;
    return tag == TAG_FRAME ? HTML_IN_HTML : HTML_NO_ELEMENT;
}

/* Inside of an integration point the open HTML elements count, since only
 * when they are closed an end tag can close the foreign ones. */
static void push_html(struct html_tree *tree, enum html_tag tag,
                      struct str name)
{
    struct html_open *open = top(tree);

    if (open && open->namespace == HTML_IN_HTML &&
        ((open->tag == TAG_P && has_flag(tag, TAG_CLOSES_P)) ||
         (open->tag == TAG_LI && tag == TAG_LI)))
        pop_to(tree, tree->count - 1);
    if (!has_flag(tag, TAG_IS_VOID))
        push(tree, (struct html_open){
                       .namespace = HTML_IN_HTML, .tag = tag, .name = name});
}

static enum html_namespace start_html(struct html_tree *tree, enum html_tag tag,
                                      const struct html_token *token)
{
    if (tree->phase > HTML_BODY)
        return start_in_frameset(tree, tag);
    if (tree->phase < HTML_BODY)
        start_body(tree, tag, token);
    if (tag == TAG_FRAME || tag == TAG_FRAMESET)
        return HTML_NO_ELEMENT;
    if (tag == TAG_SVG || tag == TAG_MATH) {
        enum html_namespace namespace =
            tag == TAG_SVG ? HTML_IN_SVG : HTML_IN_MATH;
        push_foreign(tree, namespace, tag, token);
        return namespace;
    }
    if (tree->foreigners || tag == TAG_TEMPLATE)
        push_html(tree, tag, token->name);
    return HTML_IN_HTML;
}

enum html_namespace html_tree_start(struct html_tree *tree, enum html_tag tag,
                                    const struct html_token *token)
{
    struct html_open *open = top(tree);

    if (starts_html(open, tag))
        return start_html(tree, tag, token);
    if (breaks_out(tag, token)) {
        break_out(tree);
        return start_html(tree, tag, token);
    }
    enum html_namespace namespace = open->namespace;
    push_foreign(tree, namespace, tag, token);
    return namespace;
}

/* ---- end tags ----------------------------------------------------------- */

static void end_template(struct html_tree *tree)
{
    size_t i = tree->count;

    if (tree->templates == 0)
        return;
    while (i > 0 && !is_template(&tree->open[i - 1]))
        i--;
    if (i == 0)
        tree->templates--; /* one that was forgotten */
    pop_to(tree, i > 0 ? i - 1 : 0);
}

/* Can it be that foreign content is inside of such an element of HTML? */
static bool can_be_open(enum html_tag tag)
{
    return tag != TAG_OTHER && tag != TAG_HEAD && tag != TAG_FRAMESET &&
           !has_flag(tag, TAG_IS_FOREIGN | TAG_IS_VOID) &&
           html_tree_state(tag) == HTML_DATA;
}

static void end_html(struct html_tree *tree, enum html_tag tag, struct str name)
{
    if (tag == TAG_TEMPLATE)
        end_template(tree);
    if (tag == TAG_TEMPLATE || tag == TAG_BODY || tag == TAG_HTML)
        return;

    for (size_t i = tree->count; i > 0; i--) {
        const struct html_open *open = &tree->open[i - 1];

        if (is_point(open) || is_template(open))
            return;
        if (open->namespace == HTML_IN_HTML &&
            str_eq_nocase(open->name, name)) {
            pop_to(tree, i - 1);
            return;
        }
    }
    if (can_be_open(tag))
        pop_to(tree, 0);
}

static void end_foreign(struct html_tree *tree, enum html_tag tag,
                        struct str name)
{
    if (tag == TAG_BR || tag == TAG_P) {
        break_out(tree);
        return;
    }
    for (size_t i = tree->count; i > 0; i--) {
        const struct html_open *open = &tree->open[i - 1];

        if (open->namespace == HTML_IN_HTML)
            break;
        if (str_eq_nocase(open->name, name)) {
            pop_to(tree, i - 1);
            return;
        }
    }
    end_html(tree, tag, name);
}

void html_tree_end(struct html_tree *tree, enum html_tag tag,
                   const struct html_token *token)
{
    if (html_tree_is_foreign(tree))
        end_foreign(tree, tag, token->name);
    else if (tree->count || tree->templates)
        end_html(tree, tag, token->name);
    else if (tree->phase == HTML_FRAMESET && tag == TAG_FRAMESET &&
             --tree->framesets == 0)
        tree->phase = HTML_AFTER_FRAMESET;
    else if (tree->phase < HTML_BODY && tag == TAG_BR)
        tree->phase = HTML_BODY; /* a browser makes it a <br> */
}

/* ---- text --------------------------------------------------------------- */

/* Text begins the body, and more than blanks makes it stay. NULs count for
 * nothing there. */
void html_tree_text(struct html_tree *tree, const struct html_token *token)
{
    if (tree->phase >= HTML_BODY || (token->text_kind != HTML_TEXT_DATA &&
                                     token->text_kind != HTML_TEXT_CDATA))
        return;
    if (tree->phase == HTML_BEFORE_BODY && tree->templates)
        return;
    for (size_t i = 0; i < token->text.len; i++) {
        char c = token->text.ptr[i];
        if (c && !ascii_is_space(c)) {
            tree->phase = HTML_BODY;
            return;
        }
    }
}

/* ---- raw text ----------------------------------------------------------- */

/* noscript is not among them: no script is run here. */
enum html_state html_tree_state(enum html_tag tag)
{
    switch (tag) {
    case TAG_TITLE:
    case TAG_TEXTAREA:
        return HTML_RCDATA;
    case TAG_STYLE:
    case TAG_XMP:
    case TAG_IFRAME:
    case TAG_NOEMBED:
    case TAG_NOFRAMES:
        return HTML_RAWTEXT;
    case TAG_SCRIPT:
        return HTML_SCRIPT;
    case TAG_PLAINTEXT:
        return HTML_PLAINTEXT;
    default:
        return HTML_DATA;
    }
}
