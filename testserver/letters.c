#include "testserver/letters.h"

struct letter_page {
    struct str name;
    struct str html;
};

#define LINK(name, text) "<a href=" name ".html>" text "</a>\n"
#define HOME             LINK("index", "home")
#define LETTER(letter, topic, article, links)                                  \
    {                                                                          \
        STR_INIT(letter ".html"),                                              \
            STR_INIT("<html>\n<title>" letter "</title>\n<p>\n" letter         \
                     " is for "                                                \
                     "<a href=https://en.wikipedia.org/wiki/" article          \
                     ">" topic "</a>.\n</p>\n<p>\n" links "</p>\n</html>\n"),  \
    }

// clang-format off
static const struct letter_page pages[] = {
    {STR_INIT("index.html"),
     STR_INIT("<html>\n<title>home</title>\n<p>\n"
              "This is the home page for a CS50 TSE playground.\n"
              "</p>\n<p>\n" LINK("A", "A") "</p>\n</html>\n")},
    LETTER("A", "Algorithm", "Algorithm",
           LINK("B", "B") HOME),
    LETTER("B", "Breadth-first search", "Breadth-first_search",
           LINK("C", "C") LINK("D", "D") LINK("E", "E") HOME),
    LETTER("C", "Computational biology", "Computational_biology",
           LINK("D", "D") HOME),
    LETTER("D", "Depth-first search", "Depth-first_search",
           HOME),
    LETTER("E", "ENIAC", "ENIAC",
           LINK("F", "F") LINK("G", "G") LINK("A", "A") HOME),
    LETTER("F", "Fast Fourier transform", "Fast_Fourier_transform",
           LINK("H", "H") HOME),
    LETTER("G", "Graph traversal", "Graph_traversal",
           LINK("H", "H") HOME),
    LETTER("H", "Huffman coding", "Huffman_coding",
           LINK("B", "B") HOME),
};
// clang-format on

struct str letters_page(struct str path)
{
    if (!str_starts(path, STR(LETTERS_PATH)))
        return (struct str){0};

    struct str name = str_skip(path, sizeof(LETTERS_PATH) - 1);
    if (!name.len)
        return pages[0].html;
    for (size_t i = 0; i < ARRAY_LEN(pages); i++)
        if (str_eq(pages[i].name, name))
            return pages[i].html;
    return (struct str){0};
}

static bool answer(void *self, const struct http_request *request,
                   struct buf *scratch, struct reply *reply)
{
    struct str page = letters_page(request->path);

    (void)self;
    if (str_eq(request->path,
               str_first(STR(LETTERS_PATH), sizeof(LETTERS_PATH) - 2))) {
        reply_set_redirect(reply, 301, STR(LETTERS_PATH), scratch);
        return true;
    }
    if (!page.len)
        return false;
    reply_set_body(reply, page);
    return true;
}

struct source letters_source(void)
{
    return (struct source){.answer = answer};
}
