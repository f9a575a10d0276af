#include "support/zip_bytes.h"

#include <libdeflate.h>
#include <stdlib.h>
#include <unistd.h>

#include "base/mem.h"

const struct zip_entry *zip_find(const struct zip_reader *zip, struct str name)
{
    for (size_t i = 0; i < zip_count(zip); i++)
        if (str_eq(zip_entry(zip, i)->name, name))
            return zip_entry(zip, i);
    return NULL;
}

static bool unpack(struct str packed, char *to, size_t len)
{
    struct libdeflate_decompressor *z =
        mem_checked(libdeflate_alloc_decompressor());
    enum libdeflate_result result =
        libdeflate_deflate_decompress(z, packed.ptr, packed.len, to, len, NULL);

    libdeflate_free_decompressor(z);
    return result == LIBDEFLATE_SUCCESS;
}

bool zip_bytes(int fd, const struct zip_entry *entry, struct buf *out)
{
    size_t packed = (size_t)entry->packed, len = (size_t)entry->length;
    char *bytes = mem_new(packed + 1), *to = buf_reserve(out, len + 1);
    bool good =
        to && pread(fd, bytes, packed, (off_t)entry->at) == (ssize_t)packed;

    if (good && entry->is_stored)
        memcpy(to, bytes, len);
    else
        good = good && unpack((struct str){bytes, packed}, to, len);
    out->len += good ? len : 0;
    free(bytes);
    return good;
}
