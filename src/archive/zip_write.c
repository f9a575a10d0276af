#include <assert.h>
#include <errno.h>
#include <libdeflate.h>
#include <stdlib.h>
#include <unistd.h>

#include "archive/zip.h"
#include "archive/zip_format.h"
#include "base/date.h"
#include "base/io.h"
#include "base/mem.h"

enum {
    DIRECTORY_MAX = 256 << 20,
    NAME_MAX_LEN = 1024,
    PACK_LEVEL = 6,
    /* Versions of the format that a reader must know. */
    NEEDS_PLAIN = 20,
    NEEDS_ZIP64 = 45,
};

/* The entry that is being written. */
struct written {
    uint64_t at;
    uint64_t packed, length;
    uint64_t room; /* bytes that may still come */
    uint32_t crc;
    uint16_t method;
    uint32_t date; /* as MS-DOS has it */
    bool is_large; /* has Zip64 fields, in both headers */
    char name[NAME_MAX_LEN + 1];
};

struct zip_writer {
    int fd;
    uint64_t at;
    uint64_t count;
    struct written entry;
    struct buf directory;
};

struct zip_writer *zip_writer_new(int fd)
{
    off_t at = lseek(fd, 0, SEEK_CUR);

    if (at < 0)
        return NULL;
    struct zip_writer *zip = NEW(struct zip_writer);
    zip->fd = fd;
    zip->at = (uint64_t)at;
    buf_init(&zip->directory, DIRECTORY_MAX);
    return zip;
}

void zip_writer_free(struct zip_writer *zip)
{
    if (!zip)
        return;
    buf_release(&zip->directory);
    free(zip);
}

static bool append(struct zip_writer *zip, struct str bytes)
{
    struct iovec part = {(void *)bytes.ptr, bytes.len};

    if (!io_write_all(zip->fd, &part, 1))
        return false;
    zip->at += bytes.len;
    return true;
}

/* Years from 1980 to 2107, two seconds at a time, in UTC. */
static uint32_t dos_date(uint64_t date_ms)
{
    struct date date = date_of(date_ms);

    if (date.year < 1980 || date.year > 2107)
        return 1 << 21 | 1 << 16;
    return (date.year - 1980) << 25 | date.month << 21 | date.day << 16 |
           date.hour << 11 | date.minute << 5 | date.second / 2;
}

/* From "version needed" to "length of the extra field": the same 26 bytes in
 * both headers. */
static void put_common(char *to, const struct written *entry, size_t extra_len)
{
    bool large = entry->is_large;

    zip_put_int(to, large ? NEEDS_ZIP64 : NEEDS_PLAIN, 2);
    zip_put_int(to + 2, ZIP_UTF8_FLAG, 2);
    zip_put_int(to + 4, entry->method, 2);
    zip_put_int(to + 6, entry->date, 4);
    zip_put_int(to + 10, entry->crc, 4);
    zip_put_int(to + 14, large ? ZIP_MAX_32 : entry->packed, 4);
    zip_put_int(to + 18, large ? ZIP_MAX_32 : entry->length, 4);
    zip_put_int(to + 22, strlen(entry->name), 2);
    zip_put_int(to + 24, extra_len, 2);
}

/* The Zip64 field; `with_place` for the directory. Returns its length. */
static size_t put_extra(char to[28], const struct written *entry,
                        bool with_place)
{
    size_t len = with_place ? 24 : 16;

    if (!entry->is_large)
        return 0;
    zip_put_int(to, ZIP64_EXTRA, 2);
    zip_put_int(to + 2, len, 2);
    zip_put_int(to + 4, entry->length, 8);
    zip_put_int(to + 12, entry->packed, 8);
    if (with_place)
        zip_put_int(to + 20, entry->at, 8);
    return 4 + len;
}

static bool put_local_header(struct zip_writer *zip)
{
    const struct written *entry = &zip->entry;
    char head[ZIP_LOCAL_LEN + NAME_MAX_LEN + 28];
    size_t name_len = strlen(entry->name);
    size_t extra_len = put_extra(head + ZIP_LOCAL_LEN + name_len, entry, false);

    zip_put_int(head, ZIP_LOCAL, 4);
    put_common(head + 4, entry, extra_len);
    memcpy(head + ZIP_LOCAL_LEN, entry->name, name_len);
    return append(zip,
                  (struct str){head, ZIP_LOCAL_LEN + name_len + extra_len});
}

static bool put_central_header(struct zip_writer *zip)
{
    const struct written *entry = &zip->entry;
    char head[ZIP_CENTRAL_LEN] = {0}, extra[28];
    size_t extra_len = put_extra(extra, entry, true);

    zip_put_int(head, ZIP_CENTRAL, 4);
    zip_put_int(head + 4, 3 << 8 | NEEDS_ZIP64, 2); /* made on Unix */
    put_common(head + 6, entry, extra_len);
    zip_put_int(head + 38, UINT64_C(0100644) << 16, 4); /* a plain file */
    zip_put_int(head + 42, entry->is_large ? ZIP_MAX_32 : entry->at, 4);
    zip->count++;
    bool fits = buf_put(&zip->directory, (struct str){head, sizeof(head)}) &&
                buf_put(&zip->directory, str_of(entry->name)) &&
                buf_put(&zip->directory, (struct str){extra, extra_len});
    if (!fits)
        errno = EFBIG;
    return fits;
}

static void begin(struct zip_writer *zip, const char *name, uint64_t packed,
                  uint64_t length, uint64_t date_ms)
{
    assert(strlen(name) <= NAME_MAX_LEN);
    zip->entry = (struct written){
        .at = zip->at,
        .packed = packed,
        .length = length,
        .room = packed,
        .date = dos_date(date_ms),
        .is_large = length >= ZIP_MAX_32 || packed >= ZIP_MAX_32 ||
                    zip->at >= ZIP_MAX_32,
    };
    memcpy(zip->entry.name, name, strlen(name) + 1);
}

bool zip_begin(struct zip_writer *zip, const char *name, uint64_t length_max,
               uint64_t date_ms)
{
    begin(zip, name, length_max, length_max, date_ms);
    return put_local_header(zip);
}

bool zip_add(struct zip_writer *zip, struct str bytes)
{
    struct written *entry = &zip->entry;

    assert(bytes.len <= entry->room);
    entry->crc = libdeflate_crc32(entry->crc, bytes.ptr, bytes.len);
    entry->room -= bytes.len;
    return append(zip, bytes);
}

/* Now the length and the checksum are known: they go into the header before the
 * bytes. */
bool zip_end(struct zip_writer *zip)
{
    struct written *entry = &zip->entry;
    uint64_t end = zip->at;

    entry->packed = entry->length -= entry->room;
    zip->at = entry->at;
    if (lseek(zip->fd, (off_t)entry->at, SEEK_SET) < 0 ||
        !put_local_header(zip) || lseek(zip->fd, (off_t)end, SEEK_SET) < 0)
        return false;
    zip->at = end;
    return put_central_header(zip);
}

/* The deflated bytes, if they are fewer; the caller frees them. */
static char *deflate(struct str bytes, size_t *packed)
{
    struct libdeflate_compressor *z =
        mem_checked(libdeflate_alloc_compressor(PACK_LEVEL));
    char *out = bytes.len > 1 ? mem_new(bytes.len - 1) : NULL;

    *packed = out ? libdeflate_deflate_compress(z, bytes.ptr, bytes.len, out,
                                                bytes.len - 1)
                  : 0;
    libdeflate_free_compressor(z);
    return out;
}

bool zip_put(struct zip_writer *zip, const char *name, struct str bytes,
             uint64_t date_ms)
{
    size_t packed;
    char *deflated = deflate(bytes, &packed);
    struct str body = packed ? (struct str){deflated, packed} : bytes;

    begin(zip, name, body.len, bytes.len, date_ms);
    zip->entry.crc = libdeflate_crc32(0, bytes.ptr, bytes.len);
    zip->entry.method = packed ? ZIP_METHOD_DEFLATED : ZIP_METHOD_STORED;
    bool good =
        put_local_header(zip) && append(zip, body) && put_central_header(zip);
    free(deflated);
    return good;
}

/* The larger form of the end, and where it is. */
static bool put_end64(struct zip_writer *zip, uint64_t from)
{
    char end[ZIP64_END_LEN + ZIP64_LOCATOR_LEN] = {0};
    char *locator = end + ZIP64_END_LEN;

    zip_put_int(end, ZIP64_END, 4);
    zip_put_int(end + 4, ZIP64_END_LEN - 12, 8);
    zip_put_int(end + 12, 3 << 8 | NEEDS_ZIP64, 2);
    zip_put_int(end + 14, NEEDS_ZIP64, 2);
    zip_put_int(end + 24, zip->count, 8);
    zip_put_int(end + 32, zip->count, 8);
    zip_put_int(end + 40, zip->directory.len, 8);
    zip_put_int(end + 48, from, 8);
    zip_put_int(locator, ZIP64_LOCATOR, 4);
    zip_put_int(locator + 8, from + zip->directory.len, 8);
    zip_put_int(locator + 16, 1, 4);
    return append(zip, (struct str){end, sizeof(end)});
}

static uint64_t at_most(uint64_t value, uint64_t max)
{
    return value < max ? value : max;
}

bool zip_finish(struct zip_writer *zip)
{
    char end[ZIP_END_LEN] = {0};
    uint64_t from = zip->at;

    zip_put_int(end, ZIP_END, 4);
    zip_put_int(end + 8, at_most(zip->count, ZIP_MAX_16), 2);
    zip_put_int(end + 10, at_most(zip->count, ZIP_MAX_16), 2);
    zip_put_int(end + 12, at_most(zip->directory.len, ZIP_MAX_32), 4);
    zip_put_int(end + 16, at_most(from, ZIP_MAX_32), 4);
    if (!append(zip, buf_str(&zip->directory)))
        return false;
    if ((zip->count >= ZIP_MAX_16 || from >= ZIP_MAX_32) &&
        !put_end64(zip, from))
        return false;
    return append(zip, (struct str){end, sizeof(end)});
}
