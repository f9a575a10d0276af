#include "testserver/encode.h"

#include <libdeflate.h>
#include <stdlib.h>

#include "base/mem.h"

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

struct encoder {
    struct libdeflate_compressor *compressor;
};

struct encoder *encoder_new(void)
{
    enum { LEVEL = 1 };
    struct encoder *encoder = NEW(struct encoder);

    encoder->compressor = libdeflate_alloc_compressor(LEVEL);
    return encoder;
}

void encoder_free(struct encoder *encoder)
{
    if (encoder->compressor)
        libdeflate_free_compressor(encoder->compressor);
    free(encoder);
}

bool encode(struct encoder *encoder, struct str coding, struct str body,
            struct buf *out)
{
    struct libdeflate_compressor *compressor = encoder->compressor;
    const struct coding *found = find(coding);

    if (!found || !compressor)
        return false;
    size_t bound = found->bound(compressor, body.len);
    char *at = buf_reserve(out, bound);
    size_t len =
        at ? found->compress(compressor, body.ptr, body.len, at, bound) : 0;
    out->len += len;
    return len > 0;
}
