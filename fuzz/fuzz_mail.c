/* A mail from another machine. Every entry that can be read is read the same
 * after it was written anew. */
#include "fuzz.h"

#include "fleet/mail.h"

static void check_again(const struct mail_entry *entry)
{
    struct mail_entry again;
    struct buf payload;
    size_t at = 0;

    buf_init(&payload, 1 << 20);
    mail_write(&payload, entry);
    bool good = mail_read(buf_str(&payload), &at, &again);
    assert(good && at == payload.len);
    assert(str_eq(again.url, entry->url) && again.via == entry->via);
    assert(again.depth == entry->depth && again.found == entry->found);
    assert(again.node == entry->node && again.page == entry->page);
    assert(again.kind == entry->kind && again.nesting == entry->nesting);
    assert(str_eq(again.asker, entry->asker));
    assert(str_eq(again.text, entry->text) &&
           !again.text.ptr == !entry->text.ptr);
    assert(again.outcome == entry->outcome && again.status == entry->status);
    assert(again.retry_after_ms == entry->retry_after_ms);
    buf_release(&payload);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct str payload = {(const char *)data, size};
    struct mail_entry entry;

    for (size_t at = 0; mail_read(payload, &at, &entry);) {
        assert(at <= size && entry.url.len <= size);
        check_again(&entry);
    }
    return 0;
}
