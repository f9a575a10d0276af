/* The charset prescan, the tokenizer and the scanner, with text. */
#include <stdlib.h>

#include "page/pagescanner.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    const struct scan_options options = {.want_text = true};
    struct webpage page;

    webpage_init(&page);
    page.url = STR("http://example.org/a/b?c");
    page.body = (struct str){(const char *)data, size};
    pagescanner_scan(&page, &options);
    for (size_t i = 0; i < page.links.count; i++)
        if (page.links.link[i].url.href.len > URL_LEN_MAX)
            abort();
    webpage_release(&page);
    return 0;
}
