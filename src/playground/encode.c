#include "playground/encode.h"

#include <libdeflate.h>

typedef size_t compress_fn(struct libdeflate_compressor *, const void *, size_t,
                           void *, size_t);
typedef size_t bound_fn(struct libdeflate_compressor *, size_t);

static const struct coding {
    struct str name;
    compress_fn *compress;
    bound_fn *bound;
} codings[] = {
    {STR_INIT("gzip"), libdeflate_gzip_compress,
     libdeflate_gzip_compress_bound},
    {STR_INIT("deflate"), libdeflate_zlib_compress,
     libdeflate_zlib_compress_bound},
    {STR_INIT("deflate-raw"), libdeflate_deflate_compress,
     libdeflate_deflate_compress_bound},
};

static const struct coding *find(struct str name)
{
    for (size_t i = 0; i < ARRAY_LEN(codings); i++)
        if (str_eq(codings[i].name, name))
            return &codings[i];
    return NULL;
}

bool encode_knows(struct str coding)
{
    return find(coding) != NULL;
}

bool encode(struct str coding, struct str body, struct buf *out)
{
    enum { LEVEL = 1 };
    const struct coding *found = find(coding);

    if (!found)
        return false;

    struct libdeflate_compressor *compressor =
        libdeflate_alloc_compressor(LEVEL);
    if (!compressor)
        return false;
    size_t bound = found->bound(compressor, body.len);
    char *at = buf_reserve(out, bound);
    size_t len =
        at ? found->compress(compressor, body.ptr, body.len, at, bound) : 0;
    libdeflate_free_compressor(compressor);
    out->len += len;
    return len > 0;
}
