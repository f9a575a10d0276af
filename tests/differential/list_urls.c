/* What url_parse makes of references, for tests/differential/spoiled_urls.mjs.
 *
 *     list_urls < cases
 *
 * A case is a line with the lengths of the reference and of the base, then the
 * bytes of both. For each a line is printed: the URL, "!" where the scheme is
 * not ours, or "-" and why there is none.
 */
#include <stdio.h>

#include "web/url.h"

enum { TEXT_CAP = 1 << 20 };

static bool read_text(struct buf *text, size_t len)
{
    buf_clear(text);
    char *to = buf_reserve(text, len + 1);
    if (!to || fread(to, 1, len, stdin) != len)
        return false;
    text->len = len;
    return true;
}

static void list(struct str reference, struct str base_text)
{
    struct url base, url;
    struct arena arena;

    arena_init(&arena);
    enum err err = url_parse(&base, &arena, base_text, NULL, NULL);
    if (!err)
        err = url_parse(&url, &arena, reference, &base, NULL);
    if (!err)
        printf("%.*s\n", (int)url.href.len, url.href.ptr);
    else if (err == ERR_URL_SCHEME)
        printf("!\n");
    else
        printf("- %s\n", err_message(err));
    arena_release(&arena);
}

int main(void)
{
    struct buf reference, base;
    size_t reference_len, base_len;

    buf_init(&reference, TEXT_CAP);
    buf_init(&base, TEXT_CAP);
    while (scanf("%zu %zu%*1[\n]", &reference_len, &base_len) == 2) {
        if (!read_text(&reference, reference_len) ||
            !read_text(&base, base_len))
            return 1;
        list(buf_str(&reference), buf_str(&base));
    }
    buf_release(&reference);
    buf_release(&base);
    return 0;
}
