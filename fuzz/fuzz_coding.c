/* Content codings. The first line of the input is the value of the header, the
 * rest is the body; and that body, packed, must come out again. */
#include "fuzz.h"

#include <libdeflate.h>
#include <zstd.h>

#include "page/coding.h"

enum { UNPACKED_MAX = 1 << 18, PACKED_MAX = 1 << 16 };

/* No more than the cap comes out, and the same twice. */
static void check_undo(const struct codings *codings, struct str body)
{
    struct buf once, twice;

    buf_init(&once, UNPACKED_MAX);
    buf_init(&twice, UNPACKED_MAX);
    enum coding_end end = codings_undo(codings, body, &once);
    assert(once.len <= UNPACKED_MAX);
    assert(codings_undo(codings, body, &twice) == end);
    assert(str_eq(buf_str(&once), buf_str(&twice)));
    buf_release(&once);
    buf_release(&twice);
}

static size_t pack(enum coding coding, struct str text, char *to, size_t room)
{
    struct libdeflate_compressor *z = libdeflate_alloc_compressor(1);
    size_t len = 0;

    if (coding == CODING_GZIP)
        len = libdeflate_gzip_compress(z, text.ptr, text.len, to, room);
    else if (coding == CODING_DEFLATE)
        len = libdeflate_zlib_compress(z, text.ptr, text.len, to, room);
    else if (coding == CODING_ZSTD)
        len = ZSTD_compress(to, room, text.ptr, text.len, 1);
    libdeflate_free_compressor(z);
    return coding == CODING_ZSTD && ZSTD_isError(len) ? 0 : len;
}

/* What was packed twice comes out; cut off it is broken, and with a byte less
 * of room too large. There is no packer for brotli here. */
static void check_packed(enum coding first, enum coding second, struct str text)
{
    static char once[2 * PACKED_MAX], twice[3 * PACKED_MAX];
    const struct codings codings = {{first, second}, 2};
    size_t once_len = pack(first, text, once, sizeof(once));
    struct str inner = {once, once_len};
    size_t len = once_len ? pack(second, inner, twice, sizeof(twice)) : 0;
    struct buf out;

    if (!len)
        return;
    /* What is between the two has the same cap. */
    buf_init(&out, text.len > once_len ? text.len : once_len);
    enum coding_end end =
        codings_undo(&codings, (struct str){twice, len}, &out);
    assert(end == CODING_WHOLE && str_eq(buf_str(&out), text));
    buf_clear(&out);
    end = codings_undo(&codings, (struct str){twice, len - 1}, &out);
    assert(end != CODING_WHOLE);
    buf_release(&out);
    buf_init(&out, text.len - 1);
    end = codings_undo(&codings, (struct str){twice, len}, &out);
    assert(end == CODING_TOO_LARGE && out.len < text.len);
    buf_release(&out);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct str_pair input = str_cut(fuzz_input(data, size), '\n');
    struct codings codings = {.count = 0};

    if (!codings_add(&codings, input.head))
        return 0;
    assert(codings.count <= CODINGS_MAX);
    if (codings.count)
        check_undo(&codings, input.tail);
    if (codings.count > 1 && input.tail.len && input.tail.len < PACKED_MAX)
        check_packed(codings.coding[0], codings.coding[1], input.tail);
    return 0;
}
