/* Lines of an index. A line that can be read is read the same after it was
 * written anew. */
#include "fuzz.h"

#include "archive/cdxj.h"

enum { LINE_MAX_LEN = 1 << 20 };

static void check_again(const struct cdxj_entry *entry)
{
    struct buf line, scratch;
    struct cdxj_entry again;

    buf_init(&line, LINE_MAX_LEN);
    buf_init(&scratch, LINE_MAX_LEN);
    bool good = cdxj_put(&line, STR("key"), entry) &&
                cdxj_parse(buf_str(&line), &scratch, &again);
    assert(good && again.at == entry->at && again.length == entry->length);
    assert(again.status == entry->status);
    assert(again.date_ms / 1000 == entry->date_ms / 1000);
    buf_release(&line);
    buf_release(&scratch);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct cdxj_entry entry;
    struct buf scratch;

    buf_init(&scratch, LINE_MAX_LEN);
    if (cdxj_parse(fuzz_input(data, size), &scratch, &entry)) {
        assert(entry.url.len && entry.file_name.len);
        check_again(&entry);
    }
    buf_release(&scratch);
    return 0;
}
