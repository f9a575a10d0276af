/* Keys of URLs in both dialects: one word each, and the same every time. */
#include "fuzz.h"

#include "archive/surt.h"

enum { KEY_MAX = 1 << 20 };

static void check(bool (*put)(struct buf *, struct str), struct str url)
{
    struct buf once, twice;

    buf_init(&once, KEY_MAX);
    buf_init(&twice, KEY_MAX);
    if (put(&once, url)) {
        bool again = put(&twice, url);
        assert(again && str_eq(buf_str(&once), buf_str(&twice)));
        for (size_t i = 0; i < once.len; i++)
            assert((unsigned char)once.ptr[i] > ' ' && once.ptr[i] != 0x7f);
    } else {
        assert(once.len == 0);
    }
    buf_release(&once);
    buf_release(&twice);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct str url = fuzz_input(data, size);

    check(surt_put_ia, url);
    check(surt_put_warcio, url);
    return 0;
}
