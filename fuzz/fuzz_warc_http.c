/* The HTTP response in a WARC record's block. */
#include "fuzz.h"

#include "archive/warc_read.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct warc_record record = {.block = fuzz_input(data, size)};
    struct warc_http http;
    struct buf scratch;

    buf_init(&scratch, size);
    if (warc_http_parse(&record, &scratch, &http)) {
        assert(http.status >= 0 && http.status <= 999);
        assert(http.head.len && fuzz_is_inside(http.head, record.block));
        assert(fuzz_is_inside(http.body, record.block) ||
               fuzz_is_inside(http.body, buf_str(&scratch)));
        assert(fuzz_is_inside(http.mime, http.head));
        assert(fuzz_is_inside(http.location, http.head));
        assert(fuzz_is_inside(http.content_encoding, http.head));
    }
    buf_release(&scratch);
    return 0;
}
