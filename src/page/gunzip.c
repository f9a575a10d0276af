#include "page/gunzip.h"

#include <libdeflate.h>

#include "base/mem.h"

/* What a member may need at first. Libdeflate wants to know the length before,
 * and the one that a member states may be a lie: try with more and more room,
 * so that all tries cost no more than the last one twice. */
enum { FIRST_ROOM = 64 * 1024 };

enum gunzip_end gunzip(struct str bytes, struct buf *out)
{
    struct libdeflate_decompressor *gz =
        mem_checked(libdeflate_alloc_decompressor());
    enum libdeflate_result result = LIBDEFLATE_SUCCESS;
    size_t room = FIRST_ROOM;

    while (gunzip_is_gzip(bytes)) {
        size_t in_len, out_len, most = out->cap - out->len;

        room = room < most ? room : most;
        result = libdeflate_gzip_decompress_ex(gz, bytes.ptr, bytes.len,
                                               buf_reserve(out, room), room,
                                               &in_len, &out_len);
        if (result == LIBDEFLATE_INSUFFICIENT_SPACE && room < most) {
            room *= 2;
            continue;
        }
        if (result != LIBDEFLATE_SUCCESS)
            break;
        out->len += out_len;
        bytes = str_skip(bytes, in_len);
    }
    libdeflate_free_decompressor(gz);
    if (result == LIBDEFLATE_SUCCESS)
        return GUNZIP_WHOLE;
    return result == LIBDEFLATE_INSUFFICIENT_SPACE ? GUNZIP_TOO_LARGE
                                                   : GUNZIP_BROKEN;
}
