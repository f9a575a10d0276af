#include "page/coding.h"

#include <brotli/decode.h>
#include <libdeflate.h>
#include <zstd.h>
#include <zstd_errors.h>

#include "base/mem.h"

/* Some decoders need to know the room for their output. The first try has
 * FIRST_ROOM, or USUAL_RATIO times the input if that is more: compressed text
 * is a fifth of its size or less. */
enum { FIRST_ROOM = 64 * 1024, USUAL_RATIO = 6 };

/* --- names -------------------------------------------------------------- */

static bool find(struct str name, enum coding *coding)
{
    static const struct {
        struct str name;
        enum coding coding;
    } names[] = {
        {STR_INIT("gzip"), CODING_GZIP}, {STR_INIT("x-gzip"), CODING_GZIP},
        {STR_INIT("br"), CODING_BROTLI}, {STR_INIT("deflate"), CODING_DEFLATE},
        {STR_INIT("zstd"), CODING_ZSTD},
    };

    for (size_t i = 0; i < ARRAY_LEN(names); i++)
        if (str_eq_nocase(name, names[i].name)) {
            *coding = names[i].coding;
            return true;
        }
    return false;
}

bool codings_add(struct codings *codings, struct str value)
{
    while (value.len) {
        struct str_pair cut = str_cut(value, ',');
        struct str name = str_trim(cut.head);

        value = cut.tail;
        if (!name.len || str_eq_nocase(name, STR("identity")) ||
            str_eq_nocase(name, STR("none")))
            continue;
        if (codings->count == CODINGS_MAX ||
            !find(name, &codings->coding[codings->count]))
            return false;
        codings->count++;
    }
    return true;
}

/* --- decoders ----------------------------------------------------------- */

/* Decode one stream at the beginning of `in` to `out`, which has `room` bytes.
 */
typedef enum coding_end one_go(struct str in, char *out, size_t room,
                               size_t *in_len, size_t *len);

/* Each try has twice the room of the one before, so that all of them together
 * cost no more than the last one twice. */
static enum coding_end decode(one_go *decoder, struct str *in, struct buf *out)
{
    size_t most = out->cap - out->len, room = FIRST_ROOM, in_len, len;

    if (in->len > FIRST_ROOM / USUAL_RATIO)
        room = in->len * USUAL_RATIO;
    for (;;) {
        room = room < most ? room : most;
        enum coding_end end =
            decoder(*in, buf_reserve(out, room), room, &in_len, &len);
        if (end == CODING_WHOLE) {
            out->len += len;
            *in = str_skip(*in, in_len);
        }
        if (end != CODING_TOO_LARGE || room == most)
            return end;
        room *= 2;
    }
}

static enum coding_end end_of_deflate(enum libdeflate_result result)
{
    return result == LIBDEFLATE_SUCCESS              ? CODING_WHOLE
           : result == LIBDEFLATE_INSUFFICIENT_SPACE ? CODING_TOO_LARGE
                                                     : CODING_BROKEN;
}

/* "deflate" is the zlib format, but some servers send it without its frame. */
static enum coding_end inflate_in_one_go(struct str in, char *out, size_t room,
                                         size_t *in_len, size_t *len)
{
    struct libdeflate_decompressor *z =
        mem_checked(libdeflate_alloc_decompressor());
    enum libdeflate_result result = libdeflate_zlib_decompress_ex(
        z, in.ptr, in.len, out, room, in_len, len);

    if (result == LIBDEFLATE_BAD_DATA)
        result = libdeflate_deflate_decompress_ex(z, in.ptr, in.len, out, room,
                                                  in_len, len);
    libdeflate_free_decompressor(z);
    return end_of_deflate(result);
}

static enum coding_end unzip_in_one_go(struct str in, char *out, size_t room,
                                       size_t *in_len, size_t *len)
{
    struct libdeflate_decompressor *z =
        mem_checked(libdeflate_alloc_decompressor());
    enum libdeflate_result result = libdeflate_gzip_decompress_ex(
        z, in.ptr, in.len, out, room, in_len, len);

    libdeflate_free_decompressor(z);
    return end_of_deflate(result);
}

/* Into a flat buffer no window is needed, whatever size a frame asks for. */
static enum coding_end zstd_in_one_go(struct str in, char *out, size_t room,
                                      size_t *in_len, size_t *len)
{
    *in_len = in.len;
    *len = ZSTD_decompress(out, room, in.ptr, in.len);
    if (!ZSTD_isError(*len))
        return CODING_WHOLE;
    return ZSTD_getErrorCode(*len) == ZSTD_error_dstSize_tooSmall
               ? CODING_TOO_LARGE
               : CODING_BROKEN;
}

bool gunzip_is_gzip(struct str bytes)
{
    return str_starts(bytes, STR("\x1f\x8b"));
}

enum coding_end gunzip(struct str bytes, struct buf *out)
{
    enum coding_end end = CODING_WHOLE;

    while (end == CODING_WHOLE && gunzip_is_gzip(bytes))
        end = decode(unzip_in_one_go, &bytes, out);
    return end;
}

static enum coding_end brotli(struct str in, struct buf *out)
{
    BrotliDecoderState *state =
        mem_checked(BrotliDecoderCreateInstance(NULL, NULL, NULL));
    BrotliDecoderResult result = BROTLI_DECODER_RESULT_NEEDS_MORE_OUTPUT;
    const uint8_t *next_in = (const uint8_t *)in.ptr;
    size_t left_in = in.len;

    while (result == BROTLI_DECODER_RESULT_NEEDS_MORE_OUTPUT &&
           out->len < out->cap) {
        size_t most = out->cap - out->len;
        size_t left = FIRST_ROOM < most ? FIRST_ROOM : most;
        uint8_t *start = (uint8_t *)buf_reserve(out, left), *next = start;

        result = BrotliDecoderDecompressStream(state, &left_in, &next_in, &left,
                                               &next, NULL);
        out->len += (size_t)(next - start);
    }
    BrotliDecoderDestroyInstance(state);
    if (result == BROTLI_DECODER_RESULT_SUCCESS)
        return CODING_WHOLE;
    return result == BROTLI_DECODER_RESULT_NEEDS_MORE_OUTPUT ? CODING_TOO_LARGE
                                                             : CODING_BROKEN;
}

static enum coding_end undo(enum coding coding, struct str in, struct buf *out)
{
    /* Some servers name a coding where there is nothing to encode. */
    if (!in.len)
        return CODING_WHOLE;
    switch (coding) {
    case CODING_DEFLATE:
        return decode(inflate_in_one_go, &in, out);
    case CODING_ZSTD:
        return decode(zstd_in_one_go, &in, out);
    case CODING_BROTLI:
        return brotli(in, out);
    case CODING_GZIP:
        break;
    }
    return gunzip_is_gzip(in) ? gunzip(in, out) : CODING_BROKEN;
}

/* The last coding applied comes off first. The steps in between have the same
 * cap as the end. */
enum coding_end codings_undo(const struct codings *codings, struct str body,
                             struct buf *out)
{
    enum coding_end end = CODING_WHOLE;
    struct buf from, to;

    buf_init(&from, out->cap);
    for (size_t i = codings->count - 1; i > 0 && end == CODING_WHOLE; i--) {
        buf_init(&to, out->cap);
        end = undo(codings->coding[i], body, &to);
        body = buf_str(&to);
        buf_release(&from);
        from = to;
    }
    if (end == CODING_WHOLE)
        end = undo(codings->coding[0], body, out);
    buf_release(&from);
    return end;
}
