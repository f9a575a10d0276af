/* How fast html_scan is over real pages, and others beside it.
 *
 *     bench/scan FOLDER [ROUNDS]
 *
 * Reads every .html and .htm file below FOLDER, then scans all of them ROUNDS
 * times and prints the median in MB (10^6 bytes) per second of CPU time. To
 * compare with: counting every '<' with memchr, and counting start tags with a
 * machine that takes one byte at a time and could stop after any of them;
 * where they were there to compile with, libxml2's SAX parser and gumbo, asked
 * for the same links. What these miss or find beyond ours is printed too.
 */
#include "bench/pages.h"

#include "base/hashtable.h"
#include "base/mem.h"
#include "web/html.h"

#ifdef HAS_PEERS
#include <gumbo.h>
#include <libxml/HTMLparser.h>
#endif

enum { ROUNDS = 7, SLOW_ROUNDS = 1, ROUNDS_MAX = 1000 };

/* What was found: how much, and where somebody asks, which. */
struct finds {
    size_t count, room;
    bool keep;
    uint64_t *hash; /* of the page's number and the address */
    size_t page;
};

static void find(struct finds *finds, struct str href)
{
    if (finds->keep) {
        if (finds->count == finds->room) {
            finds->room = finds->room ? finds->room * 2 : 1 << 16;
            finds->hash =
                mem_resize(finds->hash, finds->room * sizeof(*finds->hash));
        }
        finds->hash[finds->count] = hash64(href, finds->page);
    }
    finds->count++;
}

/* --- ours --------------------------------------------------------------- */

static void scan_pages(const struct pages *pages, struct finds *finds,
                       bool want_text)
{
    struct html_scan_options options = {.want_text = want_text};
    struct arena arena;

    arena_init(&arena);
    for (size_t i = 0; i < pages->count; i++) {
        struct html_links links;

        finds->page = i;
        html_scan(&links, &arena, pages->page[i], &options);
        for (size_t k = 0; k < links.count; k++)
            if (links.link[k].kind < HTML_REFRESH)
                find(finds, links.link[k].href);
        arena_clear(&arena);
    }
    arena_release(&arena);
}

static void scan_links(const struct pages *pages, struct finds *finds)
{
    scan_pages(pages, finds, false);
}

static void scan_texts(const struct pages *pages, struct finds *finds)
{
    scan_pages(pages, finds, true);
}

/* --- others ------------------------------------------------------------- */

#ifdef HAS_PEERS

static void on_start(void *user, const xmlChar *name, const xmlChar **attr)
{
    struct str element = str_of((const char *)name);
    bool is_frame = str_eq_nocase(element, STR("frame")) ||
                    str_eq_nocase(element, STR("iframe"));
    struct str wanted = is_frame ? STR("src") : STR("href");

    if (!is_frame && !str_eq_nocase(element, STR("a")) &&
        !str_eq_nocase(element, STR("area")))
        return;
    for (; attr && attr[0]; attr += 2)
        if (str_eq_nocase(str_of((const char *)attr[0]), wanted)) {
            find(user, str_of(attr[1] ? (const char *)attr[1] : ""));
            return;
        }
}

static void parse_with_libxml2(const struct pages *pages, struct finds *finds)
{
    for (size_t i = 0; i < pages->count; i++) {
        htmlParserCtxtPtr parser = htmlCreateMemoryParserCtxt(
            pages->page[i].ptr, (int)pages->page[i].len);
        if (!parser)
            continue;
        finds->page = i;
        htmlCtxtUseOptions(parser, HTML_PARSE_RECOVER | HTML_PARSE_NOERROR |
                                       HTML_PARSE_NOWARNING | HTML_PARSE_NONET);
        *parser->sax = (htmlSAXHandler){.startElement = on_start};
        parser->userData = finds;
        htmlParseDocument(parser);
        htmlFreeParserCtxt(parser);
    }
}

static void walk(const GumboNode *node, struct finds *finds)
{
    if (node->type != GUMBO_NODE_ELEMENT && node->type != GUMBO_NODE_TEMPLATE)
        return;
    const GumboElement *element = &node->v.element;
    bool is_frame =
        element->tag == GUMBO_TAG_FRAME || element->tag == GUMBO_TAG_IFRAME;
    if (is_frame || element->tag == GUMBO_TAG_A ||
        element->tag == GUMBO_TAG_AREA) {
        const GumboAttribute *attr = gumbo_get_attribute(
            &element->attributes, is_frame ? "src" : "href");
        if (attr)
            find(finds, str_of(attr->value));
    }
    for (unsigned i = 0; i < element->children.length; i++)
        walk(element->children.data[i], finds);
}

static void parse_with_gumbo(const struct pages *pages, struct finds *finds)
{
    for (size_t i = 0; i < pages->count; i++) {
        GumboOutput *output = gumbo_parse_with_options(
            &kGumboDefaultOptions, pages->page[i].ptr, pages->page[i].len);
        finds->page = i;
        walk(output->root, finds);
        gumbo_destroy_output(&kGumboDefaultOptions, output);
    }
}

#endif

static void count_less_signs(const struct pages *pages, struct finds *finds)
{
    for (size_t i = 0; i < pages->count; i++) {
        const char *at = pages->page[i].ptr, *end = at + pages->page[i].len;
        while (at < end && (at = memchr(at, '<', (size_t)(end - at)))) {
            finds->count++;
            at++;
        }
    }
}

/* The states of a tag, as a tokenizer that may be interrupted at any byte has
 * to keep them. No comments, no raw text, no attributes: less than needed. */
enum state {
    DATA,
    TAG_OPEN,
    TAG_NAME,
    BEFORE_NAME,
    NAME,
    BEFORE_VALUE,
    DOUBLE_QUOTED,
    SINGLE_QUOTED,
    UNQUOTED,
};

static enum state next_state(enum state state, char c)
{
    if (c == '>' && state != DOUBLE_QUOTED && state != SINGLE_QUOTED)
        return DATA;
    switch (state) {
    case DATA:
        return c == '<' ? TAG_OPEN : DATA;
    case TAG_OPEN:
        return ascii_is_alpha(c) || c == '/' ? TAG_NAME : DATA;
    case TAG_NAME:
    case UNQUOTED:
        return ascii_is_space(c) ? BEFORE_NAME : state;
    case BEFORE_NAME:
        return ascii_is_space(c) ? BEFORE_NAME : NAME;
    case NAME:
        return c == '=' ? BEFORE_VALUE : ascii_is_space(c) ? BEFORE_NAME : NAME;
    case BEFORE_VALUE:
        return c == '"'            ? DOUBLE_QUOTED
               : c == '\''         ? SINGLE_QUOTED
               : ascii_is_space(c) ? BEFORE_VALUE
                                   : UNQUOTED;
    case DOUBLE_QUOTED:
        return c == '"' ? BEFORE_NAME : DOUBLE_QUOTED;
    case SINGLE_QUOTED:
        return c == '\'' ? BEFORE_NAME : SINGLE_QUOTED;
    }
    return DATA;
}

static void count_by_bytes(const struct pages *pages, struct finds *finds)
{
    for (size_t i = 0; i < pages->count; i++) {
        enum state state = DATA;
        for (size_t j = 0; j < pages->page[i].len; j++) {
            enum state next = next_state(state, pages->page[i].ptr[j]);
            finds->count += state == TAG_OPEN && next == TAG_NAME;
            state = next;
        }
    }
}

/* --- measuring ---------------------------------------------------------- */

typedef void scan_function(const struct pages *pages, struct finds *finds);

static int compare_seconds(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;

    return (x > y) - (x < y);
}

static void measure(const char *name, scan_function *scan,
                    const struct pages *pages, int rounds)
{
    double seconds[ROUNDS_MAX];
    struct finds finds;

    for (int i = 0; i < rounds; i++) {
        finds = (struct finds){0};
        double start = cpu_seconds();
        scan(pages, &finds);
        seconds[i] = cpu_seconds() - start;
    }
    qsort(seconds, (size_t)rounds, sizeof(seconds[0]), compare_seconds);
    printf("%-24s %8.0f MB/s   %zu found", name,
           (double)pages->bytes / seconds[rounds / 2] / 1e6, finds.count);
}

#ifdef HAS_PEERS

static int compare_hashes(const void *a, const void *b)
{
    uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;

    return (x > y) - (x < y);
}

static struct finds all_of(scan_function *scan, const struct pages *pages)
{
    struct finds finds = {.keep = true};

    scan(pages, &finds);
    qsort(finds.hash, finds.count, sizeof(*finds.hash), compare_hashes);
    return finds;
}

/* How many of `some` are not in `others`, each as often as it is there. */
static size_t count_missing(const struct finds *some,
                            const struct finds *others)
{
    size_t missing = 0;

    for (size_t i = 0, k = 0; i < some->count; i++) {
        while (k < others->count && others->hash[k] < some->hash[i])
            k++;
        if (k < others->count && others->hash[k] == some->hash[i])
            k++;
        else
            missing++;
    }
    return missing;
}

static void measure_peer(const char *name, scan_function *scan,
                         const struct pages *pages)
{
    struct finds ours = all_of(scan_links, pages);
    struct finds theirs = all_of(scan, pages);

    measure(name, scan, pages, SLOW_ROUNDS);
    printf(", %zu of ours missing, %zu more\n", count_missing(&ours, &theirs),
           count_missing(&theirs, &ours));
    free(ours.hash);
    free(theirs.hash);
}

#endif

int main(int argc, char **argv)
{
    struct pages pages = {0};
    int rounds = argc > 2 ? (int)strtol(argv[2], NULL, 10) : ROUNDS;

    if (argc < 2 || argc > 3 || rounds < 1 || rounds > ROUNDS_MAX) {
        fprintf(stderr, "usage: scan FOLDER [ROUNDS]\n");
        return 2;
    }
    pages_read(&pages, argv[1]);
    if (pages.count == 0) {
        fprintf(stderr, "scan: no .html file below %s\n", argv[1]);
        return 1;
    }

    printf("%zu pages, %.1f MB, median of %d rounds\n", pages.count,
           (double)pages.bytes / 1e6, rounds);
    measure("html_scan", scan_links, &pages, rounds);
    putchar('\n');
    measure("html_scan with text", scan_texts, &pages, rounds);
    putchar('\n');
    measure("memchr('<')", count_less_signs, &pages, rounds);
    putchar('\n');
    measure("byte by byte", count_by_bytes, &pages, rounds);
    putchar('\n');
#ifdef HAS_PEERS
    measure_peer("libxml2 SAX", parse_with_libxml2, &pages);
    measure_peer("gumbo", parse_with_gumbo, &pages);
#endif
    pages_free(&pages);
    return 0;
}
