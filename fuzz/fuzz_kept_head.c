/* The head of a response as an archive keeps it. The first byte of the input
 * says whether the coding was undone and how long the body is, the rest is the
 * head. */
#include "fuzz.h"

#include "archive/kept_head.h"
#include "base/buf.h"

/* Every line ends with CR LF, none goes on with another, and only the last is
 * empty. */
static void check_lines(struct str kept)
{
    assert(str_starts(kept, STR("HTTP/1.0 ")) ||
           str_starts(kept, STR("HTTP/1.1 ")));
    while (kept.len) {
        struct str line = str_first(kept, str_find(kept, '\n'));

        assert(line.len < kept.len && line.len);
        assert(str_find(line, '\r') == line.len - 1);
        assert(line.ptr[0] != ' ' && line.ptr[0] != '\t');
        kept = str_skip(kept, line.len + 1);
        assert((line.len == 1) == (kept.len == 0));
    }
}

/* What would make a reader take another body for this one. */
static void check_framing(struct str kept, uint64_t body_len)
{
    size_t lengths = 0;

    while (kept.len) {
        struct str_pair line = str_cut(kept, '\n');
        struct str_pair header = str_cut(line.head, ':');
        struct str name = str_trim(header.head);
        uint64_t length = 0;

        assert(!str_eq_nocase(name, STR("transfer-encoding")));
        if (str_eq_nocase(name, STR("content-length"))) {
            assert(str_to_u64(str_trim(header.tail), &length));
            assert(length == body_len);
            lengths++;
        }
        kept = line.tail;
    }
    assert(lengths <= 1 && (lengths || !body_len));
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct buf once, again;

    if (!size)
        return 0;
    bool coding_undone = data[0] & 1;
    uint64_t body_len = data[0] >> 1;
    struct str head = fuzz_input(data + 1, size - 1);

    buf_init(&once, 2 * head.len + 256);
    bool fits = kept_head_put(&once, head, body_len, coding_undone);
    assert(fits);
    check_lines(buf_str(&once));
    check_framing(buf_str(&once), body_len);

    /* A head that is kept is one that stays so. */
    buf_init(&again, 2 * once.len + 256);
    fits = kept_head_put(&again, buf_str(&once), body_len, false);
    assert(fits);
    assert(coding_undone || str_eq(buf_str(&once), buf_str(&again)));
    buf_release(&once);
    buf_release(&again);
    return 0;
}
