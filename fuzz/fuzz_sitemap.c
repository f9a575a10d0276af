/* Sitemaps, feeds, lists; compressed where the input says so. */
#include "fuzz.h"

#include "page/sitemap.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct sitemap sitemap;
    struct arena arena;

    arena_init(&arena);
    sitemap_read(&sitemap, &arena, (struct str){(const char *)data, size});
    assert(sitemap.form != SITEMAP_NONE || sitemap.count == 0);
    assert((unsigned)sitemap.end < SITEMAP_REFUSED + 1);
    assert(sitemap.count <= SITEMAP_ENTRIES_MAX);
    for (size_t i = 0; i < sitemap.count; i++) {
        struct str loc = sitemap.entry[i].loc;
        assert(loc.len && loc.len <= URL_LEN_MAX && !loc.ptr[loc.len]);
        assert(!ascii_is_space(loc.ptr[0]));
        (void)loc;
    }
    arena_release(&arena);
    return 0;
}
