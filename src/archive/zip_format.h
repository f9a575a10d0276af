/* The numbers of ZIP files (APPNOTE 6.3) that writing and reading share.
 * Private to zip_write.c and zip_read.c. */
#ifndef ARCHIVE_ZIP_FORMAT_H
#define ARCHIVE_ZIP_FORMAT_H

enum {
    ZIP_LOCAL_LEN = 30, /* of the headers, without names and extra fields */
    ZIP_CENTRAL_LEN = 46,
    ZIP_END_LEN = 22,
    ZIP64_END_LEN = 56,
    ZIP64_LOCATOR_LEN = 20,
    ZIP64_EXTRA = 0x0001,
    ZIP_UTF8_FLAG = 1 << 11,
    ZIP_ENCRYPTED_FLAG = 1,
    ZIP_METHOD_STORED = 0,
    ZIP_METHOD_DEFLATED = 8,
};

/* In the bytes of the file: "PK", then two bytes that say which. */
enum zip_signature {
    ZIP_LOCAL = 0x04034b50,
    ZIP_CENTRAL = 0x02014b50,
    ZIP_END = 0x06054b50,
    ZIP64_END = 0x06064b50,
    ZIP64_LOCATOR = 0x07064b50,
};

/* "See the Zip64 field": the largest number that a short field has. */
#define ZIP_MAX_16 UINT64_C(0xFFFF)
#define ZIP_MAX_32 UINT64_C(0xFFFFFFFF)

static inline void zip_put_int(char *to, uint64_t value, size_t bytes)
{
    for (size_t i = 0; i < bytes; i++)
        to[i] = (char)(value >> 8 * i & 255);
}

static inline uint64_t zip_int(const char *from, size_t bytes)
{
    uint64_t value = 0;

    for (size_t i = bytes; i--;)
        value = value << 8 | (unsigned char)from[i];
    return value;
}

#endif
