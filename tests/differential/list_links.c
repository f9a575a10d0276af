/* What html_scan finds in pages, for tests/differential/links.mjs.
 *
 *     list_links [--xhtml] < names-of-files
 *     list_links [--xhtml] - < pages
 *
 * With "-" the pages themselves are read, each after a line with its length,
 * and are called 1, 2, ... With "--xhtml" they are read as XML.
 *
 * For each file a line "file", its name and its charset, then one line for
 * each link: "link", kind, href, rel, text; then one for each requisite,
 * "need", kind, href; and at last "base" and its href if there is one. Fields
 * are separated by tabs; bytes below 0x20 and the backslash are written as
 * \xHH.
 */
#include <stdio.h>

#include "base/buf.h"
#include "web/charset.h"
#include "web/html.h"

enum { PAGE_CAP = 64 << 20, NAME_CAP = 4096 };

static void put_field(struct str s)
{
    putchar('\t');
    for (size_t i = 0; i < s.len; i++) {
        unsigned char c = (unsigned char)s.ptr[i];
        if (c < 0x20 || c == '\\')
            printf("\\x%02x", c);
        else
            putchar(c);
    }
}

static bool read_file(const char *name, struct buf *out)
{
    FILE *file = fopen(name, "rb");
    char chunk[65536];
    size_t len;

    if (!file)
        return false;
    while ((len = fread(chunk, 1, sizeof(chunk), file)) > 0)
        if (!buf_put(out, (struct str){chunk, len}))
            break;
    fclose(file);
    return true;
}

static void list(const char *name, struct str html, bool is_xhtml)
{
    const struct html_scan_options options = {
        .want_text = true, .is_xhtml = is_xhtml, .want_requisites = true};
    struct html_links links;
    struct arena arena;

    arena_init(&arena);
    html_scan(&links, &arena, html, &options);
    printf("file");
    put_field(str_of(name));
    put_field(links.info.charset->name);
    putchar('\n');
    for (size_t i = 0; i < links.count; i++) {
        const struct html_link *link = &links.link[i];
        printf("link");
        put_field(str_of(html_link_kind_name(link->kind)));
        put_field(link->href);
        put_field(link->rel);
        put_field(link->text);
        putchar('\n');
    }
    for (size_t i = 0; i < links.requisites; i++) {
        printf("need");
        put_field(str_of(html_requisite_kind_name(links.requisite[i].kind)));
        put_field(links.requisite[i].href);
        putchar('\n');
    }
    if (links.info.base.ptr) {
        printf("base");
        put_field(links.info.base);
        putchar('\n');
    }
    arena_release(&arena);
}

static bool list_files(struct buf *html, bool is_xhtml)
{
    char name[NAME_CAP];

    while (fgets(name, sizeof(name), stdin)) {
        name[strcspn(name, "\n")] = '\0';
        buf_clear(html);
        if (!read_file(name, html)) {
            perror(name);
            return false;
        }
        list(name, buf_str(html), is_xhtml);
    }
    return true;
}

static bool list_pages(struct buf *html, bool is_xhtml)
{
    char name[32];
    size_t len;

    for (unsigned number = 1; scanf("%zu%*1[\n]", &len) == 1; number++) {
        buf_clear(html);
        char *to = buf_reserve(html, len + 1);
        if (!to || fread(to, 1, len, stdin) != len)
            return false;
        html->len = len;
        snprintf(name, sizeof(name), "%u", number);
        list(name, buf_str(html), is_xhtml);
    }
    return true;
}

int main(int argc, char **argv)
{
    struct buf html;

    buf_init(&html, PAGE_CAP);
    bool is_xhtml = argc > 1 && !strcmp(argv[1], "--xhtml");
    bool pages = argc > 1 + is_xhtml && !strcmp(argv[1 + is_xhtml], "-");
    bool good =
        pages ? list_pages(&html, is_xhtml) : list_files(&html, is_xhtml);
    buf_release(&html);
    return good ? 0 : 1;
}
