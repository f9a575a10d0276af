/* The URL parser with a base, the key's idempotence, and that what was
 * serialised parses to itself. Input: reference, NUL, base. */
#include <stdlib.h>

#include "url/course.h"
#include "url/key.h"
#include "url/url.h"

static void check(const struct url *url, struct arena *arena)
{
    struct url again, of_key;
    struct str key = url_key(url, arena);

    if (url_parse(&again, arena, url->href, NULL, NULL) ||
        !str_eq(again.href, url->href))
        abort();
    if (url_parse(&of_key, arena, key, NULL, NULL) ||
        !str_eq(url_key(&of_key, arena), key))
        abort();
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct str_pair input = str_cut((struct str){(const char *)data, size}, 0);
    struct arena arena;
    struct url base, url;

    arena_init(&arena);
    bool based = !url_parse(&base, &arena, input.tail, NULL, NULL);
    if (!url_parse(&url, &arena, input.head, based ? &base : NULL, NULL)) {
        check(&url, &arena);
        course_normalize(&url, &arena);
    }
    arena_release(&arena);
    return 0;
}
