/* The tree-construction documents of html5lib, as far as a link scanner can
 * have an opinion on them:
 *
 * - links: what html_scan finds is what the a, area, frame, iframe and base
 *   elements of the expected tree say. Of an element that the tree builder
 *   clones (adoption agency, formatting elements) one is enough.
 * - elements: the tokenizer and html_tree put the same elements into SVG and
 *   MathML, and the same raw text elements, frames and templates into HTML, as
 *   the expected tree has. That is what links depend on.
 *
 * The insides of templates do not count. Not run: fragments (no page is one)
 * and documents that need scripting.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include <cmocka.h>

#include "base/mem.h"
#include "support/conformance.h"
#include "web/html.h"
#include "web/tree.h"

enum { ITEMS_MAX = 512, FILE_CAP = 1 << 20 };

/* What is compared: strings such as "a x.html" or "svg title". */
struct items {
    struct str item[ITEMS_MAX];
    size_t count;
};

struct seen {
    struct items elements;
    struct items anchors; /* the `a` of HTML, which may have been cloned */
    struct items links;
};

struct document {
    struct str data;
    struct str tree;
    bool is_fragment, needs_script;
};

static void add_item(struct items *items, struct arena *arena, struct str a,
                     struct str b)
{
    char *text = arena_reserve(arena, a.len + 1 + b.len);

    assert_true(items->count < ITEMS_MAX);
    memcpy(text, a.ptr, a.len);
    text[a.len] = ' ';
    memcpy(text + a.len + 1, b.ptr, b.len);
    arena_commit(arena, a.len + 1 + b.len);
    items->item[items->count++] = (struct str){text, a.len + 1 + b.len};
}

static void seen_clear(struct seen *seen)
{
    seen->elements.count = seen->anchors.count = seen->links.count = 0;
}

static size_t count_of(const struct items *items, struct str item)
{
    size_t count = 0;

    for (size_t i = 0; i < items->count; i++)
        count += str_eq(items->item[i], item);
    return count;
}

/* ---- what the suite says ---------------------------------------------- */

struct line {
    size_t depth;
    struct str text;
};

/* "|   <p>" is "<p>" at depth 1. Lines of a text that spans several have no
 * '|' and are of no interest. */
static bool read_line(struct str *tree, struct line *line)
{
    while (tree->len) {
        struct str_pair cut = str_cut(*tree, '\n');
        struct str text = cut.head;

        *tree = cut.tail;
        if (!str_starts(text, STR("| ")))
            continue;
        text = str_skip(text, 2);
        line->depth = 0;
        while (str_starts(text, STR("  "))) {
            text = str_skip(text, 2);
            line->depth++;
        }
        line->text = text;
        return true;
    }
    return false;
}

/* The name in "<svg a>", or empty if it is no element. */
static struct str element_name(struct str text)
{
    if (!str_starts(text, STR("<")) || str_starts(text, STR("<!")) ||
        !str_ends(text, STR(">")))
        return (struct str){"", 0};
    return (struct str){text.ptr + 1, text.len - 2};
}

/* name="value" */
static bool attr_value(struct str text, struct str name, struct str *value)
{
    if (!str_starts(text, name) || text.len < name.len + 3 ||
        memcmp(text.ptr + name.len, "=\"", 2) != 0)
        return false;
    *value = (struct str){text.ptr + name.len + 2, text.len - name.len - 3};
    return true;
}

/* Elements that are compared by name: the tree builder clones none of them. */
static bool is_compared(struct str name)
{
    static const char *const names[] = {
        "area",     "base",     "frame",    "frameset",  "iframe", "link",
        "meta",     "noembed",  "noframes", "plaintext", "script", "style",
        "template", "textarea", "title",    "xmp",
    };

    if (str_starts(name, STR("svg ")) || str_starts(name, STR("math ")))
        return true;
    for (size_t i = 0; i < ARRAY_LEN(names); i++)
        if (str_eq(name, str_of(names[i])))
            return true;
    return false;
}

/* Without the capital letters that some SVG names have. */
static void put_element(struct seen *seen, struct arena *arena,
                        enum html_namespace namespace, struct str raw_name)
{
    static const struct str prefix[] = {
        [HTML_NO_ELEMENT] = STR_INIT(""),
        [HTML_IN_HTML] = STR_INIT(""),
        [HTML_IN_SVG] = STR_INIT("svg "),
        [HTML_IN_MATH] = STR_INIT("math "),
    };
    struct buf name;

    buf_init(&name, 4096);
    buf_put(&name, prefix[namespace]);
    html_text_put(&name, raw_name, HTML_TEXT_RAW);
    for (size_t i = 0; i < name.len; i++)
        name.ptr[i] = ascii_lower(name.ptr[i]);
    if (namespace != HTML_NO_ELEMENT && is_compared(buf_str(&name)))
        add_item(&seen->elements, arena, STR("element"), buf_str(&name));
    if (str_eq(buf_str(&name), STR("a")))
        add_item(&seen->anchors, arena, STR("element"), buf_str(&name));
    buf_release(&name);
}

static void add_expected_link(struct items *links, struct arena *arena,
                              struct str element, struct str attr)
{
    struct str value;

    if (str_eq(element, STR("a")) || str_eq(element, STR("area")) ||
        str_eq(element, STR("base"))) {
        if (attr_value(attr, STR("href"), &value))
            add_item(links, arena, element, value);
    } else if (str_eq(element, STR("svg a"))) {
        if (attr_value(attr, STR("href"), &value) ||
            attr_value(attr, STR("xlink href"), &value))
            add_item(links, arena, STR("a"), value);
    } else if (str_eq(element, STR("frame")) ||
               str_eq(element, STR("iframe"))) {
        if (attr_value(attr, STR("src"), &value) && value.len)
            add_item(links, arena, element, value);
    }
}

static void read_tree(struct str tree, struct arena *arena, struct seen *seen)
{
    struct str element = {"", 0};
    size_t inert_depth = SIZE_MAX;
    struct line line;

    while (read_line(&tree, &line)) {
        if (line.depth <= inert_depth)
            inert_depth = SIZE_MAX;
        if (inert_depth != SIZE_MAX)
            continue;
        if (str_eq(line.text, STR("content")))
            inert_depth = line.depth;

        struct str name = element_name(line.text);
        if (!name.len) {
            add_expected_link(&seen->links, arena, element, line.text);
            continue;
        }
        element = name;
        put_element(seen, arena, HTML_IN_HTML, name);
    }
}

/* ---- what the scanner says -------------------------------------------- */

/* The loop of html_scan, for all elements. */
static void place_elements(struct str page, struct arena *arena,
                           struct seen *seen)
{
    struct html_tokenizer tokenizer;
    struct html_tree tree;
    struct html_token token;

    html_tokenizer_init(&tokenizer, page);
    html_tree_init(&tree);
    while (html_next(&tokenizer, &token)) {
        html_tree_text(&tree, &token);
        if (token.type == HTML_TOKEN_START_TAG) {
            enum html_tag tag = html_tag_find(token.name);
            enum html_phase phase = tree.phase;
            unsigned templates = tree.templates;
            enum html_namespace namespace = html_tree_start(&tree, tag, &token);

            if (phase < HTML_FRAMESET && tree.phase == HTML_FRAMESET)
                seen->elements.count = seen->anchors.count = 0;
            if (tag == TAG_FRAMESET && tree.phase == HTML_FRAMESET)
            namespace = HTML_IN_HTML;
            if (templates == 0)
                put_element(seen, arena, namespace, token.name);
            if (namespace == HTML_IN_HTML)
                html_tokenizer_enter(&tokenizer, html_tree_state(tag),
                                     token.name);
        }
        if (token.type == HTML_TOKEN_END_TAG)
            html_tree_end(&tree, html_tag_find(token.name), &token);
        tokenizer.has_cdata = html_tree_is_foreign(&tree);
    }
}

static void scan_links(struct str page, struct arena *arena,
                       struct items *links)
{
    struct html_scan_options options = {.http_charset = STR("utf-8")};
    struct html_links found;

    html_scan(&found, arena, page, &options);
    if (found.info.base.ptr)
        add_item(links, arena, STR("base"), found.info.base);
    for (size_t i = 0; i < found.count; i++) {
        enum html_link_kind kind = found.link[i].kind;
        if (kind != HTML_REFRESH && kind != HTML_LINK)
            add_item(links, arena, str_of(html_link_kind_name(kind)),
                     found.link[i].href);
    }
}

/* ---- comparison ------------------------------------------------------- */

static void print_items(const char *label, const struct items *items)
{
    printf("  %s:", label);
    for (size_t i = 0; i < items->count; i++)
        printf(" [%.*s]", (int)items->item[i].len, items->item[i].ptr);
    printf("\n");
}

/* Each item of `got` is expected at least as often, each expected one is got
 * as often, or at all if clones are possible. */
static bool is_same(const struct items *expected, const struct items *got,
                    bool has_clones)
{
    for (size_t i = 0; i < got->count; i++)
        if (count_of(got, got->item[i]) > count_of(expected, got->item[i]))
            return false;
    for (size_t i = 0; i < expected->count; i++) {
        size_t wanted = count_of(expected, expected->item[i]);
        size_t found = count_of(got, expected->item[i]);
        if (has_clones ? found == 0 : found != wanted)
            return false;
    }
    return true;
}

struct totals {
    unsigned compared, left_out, failed;
    size_t elements, anchors, links; /* in the expected trees */
};

static bool compare_document(const struct document *document,
                             struct totals *totals)
{
    static struct seen expected, got;
    struct arena arena;

    arena_init(&arena);
    seen_clear(&expected);
    seen_clear(&got);
    read_tree(document->tree, &arena, &expected);
    place_elements(document->data, &arena, &got);
    scan_links(document->data, &arena, &got.links);

    totals->elements += expected.elements.count;
    totals->anchors += expected.anchors.count;
    totals->links += expected.links.count;
    bool is_ok = is_same(&expected.elements, &got.elements, false) &&
                 is_same(&expected.anchors, &got.anchors, true) &&
                 is_same(&expected.links, &got.links, true);
    if (!is_ok) {
        printf("  input: %.*s\n", (int)document->data.len, document->data.ptr);
        print_items("expected elements", &expected.elements);
        print_items("got elements     ", &got.elements);
        print_items("expected a       ", &expected.anchors);
        print_items("got a            ", &got.anchors);
        print_items("expected links   ", &expected.links);
        print_items("got links        ", &got.links);
    }
    arena_release(&arena);
    return is_ok;
}

/* ---- the files -------------------------------------------------------- */

/* The text up to the next line that is `mark`, which is passed. */
static struct str take_until(struct str *file, struct str mark)
{
    struct str rest = *file;

    while (rest.len) {
        struct str_pair cut = str_cut(rest, '\n');
        if (str_eq(cut.head, mark)) {
            struct str before = str_between(file->ptr, rest.ptr);
            *file = cut.tail;
            return before;
        }
        rest = cut.tail;
    }
    return (struct str){NULL, 0};
}

static bool has_line(struct str text, struct str line)
{
    while (text.len) {
        struct str_pair cut = str_cut(text, '\n');
        if (str_eq(cut.head, line))
            return true;
        text = cut.tail;
    }
    return false;
}

/* A tree ends where the next "#data" begins or the file does. */
static struct str take_tree(struct str *file)
{
    struct str rest = *file;

    while (rest.len && !str_starts(rest, STR("#data\n"))) {
        struct str_pair cut = str_cut(rest, '\n');
        rest = cut.tail.ptr ? cut.tail : (struct str){NULL, 0};
    }
    const char *end = rest.len ? rest.ptr : file->ptr + file->len;
    struct str tree = str_between(file->ptr, end);
    *file = rest;
    return tree;
}

static bool read_document(struct str *file, struct document *document)
{
    take_until(file, STR("#data"));
    document->data = take_until(file, STR("#errors"));
    if (!document->data.ptr)
        return false;
    if (document->data.len)
        document->data.len--; /* the line end before "#errors" */

    struct str head = take_until(file, STR("#document"));
    document->is_fragment = has_line(head, STR("#document-fragment"));
    document->needs_script = has_line(head, STR("#script-on"));
    document->tree = take_tree(file);
    return true;
}

static void run_file(const char *name, struct totals *totals)
{
    struct document document;
    struct buf buf;
    char path[512];

    buf_init(&buf, FILE_CAP);
    snprintf(path, sizeof(path), "html5lib/tree-construction/%s", name);
    if (!conformance_read(path, &buf))
        skip();
    for (struct str file = buf_str(&buf); read_document(&file, &document);) {
        if (document.is_fragment || document.needs_script) {
            totals->left_out++;
            continue;
        }
        totals->compared++;
        if (!compare_document(&document, totals)) {
            printf("  file: %s\n\n", name);
            totals->failed++;
        }
    }
    buf_release(&buf);
}

static const char *const files[] = {
    "adoption01.dat",
    "adoption02.dat",
    "blocks.dat",
    "comments01.dat",
    "doctype01.dat",
    "domjs-unsafe.dat",
    "entities01.dat",
    "entities02.dat",
    "foreign-fragment.dat",
    "html5test-com.dat",
    "inbody01.dat",
    "isindex.dat",
    "main-element.dat",
    "math.dat",
    "menuitem-element.dat",
    "namespace-sensitivity.dat",
    "noscript01.dat",
    "pending-spec-changes-plain-text-unsafe.dat",
    "pending-spec-changes.dat",
    "plain-text-unsafe.dat",
    "quirks01.dat",
    "ruby.dat",
    "scriptdata01.dat",
    "search-element.dat",
    "svg.dat",
    "tables01.dat",
    "template.dat",
    "tests1.dat",
    "tests10.dat",
    "tests11.dat",
    "tests12.dat",
    "tests14.dat",
    "tests15.dat",
    "tests16.dat",
    "tests17.dat",
    "tests18.dat",
    "tests19.dat",
    "tests2.dat",
    "tests20.dat",
    "tests21.dat",
    "tests22.dat",
    "tests23.dat",
    "tests24.dat",
    "tests25.dat",
    "tests26.dat",
    "tests3.dat",
    "tests4.dat",
    "tests5.dat",
    "tests6.dat",
    "tests7.dat",
    "tests8.dat",
    "tests9.dat",
    "tests_innerHTML_1.dat",
    "tricky01.dat",
    "void-in-phrasing.dat",
    "webkit01.dat",
    "webkit02.dat",
};

static void all_documents(void **state)
{
    struct totals totals = {0};

    (void)state;
    for (size_t i = 0; i < ARRAY_LEN(files); i++)
        run_file(files[i], &totals);
    printf("%u documents with %zu elements, %zu of a and %zu links compared, "
           "%u not run, %u failed\n",
           totals.compared, totals.elements, totals.anchors, totals.links,
           totals.left_out, totals.failed);
    assert_true(totals.compared > 1500);
    assert_true(totals.elements > 1000);
    assert_true(totals.anchors > 100);
    assert_true(totals.links > 10);
    assert_int_equal(totals.failed, 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(all_documents),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
