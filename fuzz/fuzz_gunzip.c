/* gzip files. The input is taken as one, and is packed into one. */
#include "fuzz.h"

#include <libdeflate.h>
#include <stdlib.h>

#include "page/coding.h"

enum { UNPACKED_MAX = 1 << 20 };

/* As a file: no more than the cap comes out, and the same twice. */
static void check_unpack(struct str bytes)
{
    struct buf once, twice;

    buf_init(&once, UNPACKED_MAX);
    buf_init(&twice, UNPACKED_MAX);
    enum coding_end end = gunzip(bytes, &once);
    assert(once.len <= UNPACKED_MAX && once.room <= 2 * UNPACKED_MAX);
    assert(gunzip(bytes, &twice) == end);
    assert(str_eq(buf_str(&once), buf_str(&twice)));
    assert(gunzip_is_gzip(bytes) || (!once.len && end == CODING_WHOLE));
    buf_release(&once);
    buf_release(&twice);
}

static void pack(struct libdeflate_compressor *gz, struct str text,
                 struct buf *out)
{
    size_t room = libdeflate_gzip_compress_bound(gz, text.len);
    char *to = buf_reserve(out, room);
    size_t len = libdeflate_gzip_compress(gz, text.ptr, text.len, to, room);

    assert(len);
    out->len += len;
}

/* Two members and padding give the text again; less room than it needs is too
 * little; a member that is cut off gives nothing. */
static void check_packed(struct str text)
{
    struct libdeflate_compressor *gz = libdeflate_alloc_compressor(1);
    struct buf packed, out;
    size_t half = text.len / 2;

    buf_init(&packed, SIZE_MAX);
    pack(gz, str_first(text, half), &packed);
    size_t first_len = packed.len;
    pack(gz, str_skip(text, half), &packed);
    struct str cut = str_first(buf_str(&packed), packed.len - 1);

    buf_init(&out, text.len);
    enum coding_end end = gunzip(cut, &out);
    assert(end != CODING_WHOLE && out.len == half);
    buf_put_char(&packed, '\0');
    buf_clear(&out);
    end = gunzip(buf_str(&packed), &out);
    assert(end == CODING_WHOLE && str_eq(buf_str(&out), text));
    buf_release(&out);

    if (half) {
        buf_init(&out, half - 1);
        end = gunzip(str_first(buf_str(&packed), first_len), &out);
        assert(end == CODING_TOO_LARGE && !out.len);
        buf_release(&out);
    }
    buf_release(&packed);
    libdeflate_free_compressor(gz);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct str input = fuzz_input(data, size);

    check_unpack(input);
    if (size)
        check_packed(input);
    return 0;
}
