#include <fcntl.h>
#include <stdlib.h>
#include <unistd.h>

#include "base/mem.h"
#include "store/sqlite.h"

/* SQLite's write-ahead log (https://www.sqlite.org/fileformat2.html#walformat):
 * a head, then frames of a page each. SQLite takes them up to the first that
 * does not fit its checksum, as after a power cut, and says nothing of those
 * behind it. A frame that ends a commit there means that commits are lost. */

enum { HEAD_LEN = 32, FRAME_HEAD_LEN = 24, PAGE_MAX = 65536 };

struct wal {
    int fd;
    uint32_t page_size;
    uint32_t salt[2], sum[2];
    bool big_endian; /* words of the checksum */
    uint8_t *frame;
};

static uint32_t word(const uint8_t *at, bool big_endian)
{
    return big_endian ? (uint32_t)at[0] << 24 | (uint32_t)at[1] << 16 |
                            (uint32_t)at[2] << 8 | at[3]
                      : (uint32_t)at[3] << 24 | (uint32_t)at[2] << 16 |
                            (uint32_t)at[1] << 8 | at[0];
}

static void add_to_sum(struct wal *wal, const uint8_t *bytes, size_t len)
{
    for (size_t i = 0; i + 8 <= len; i += 8) {
        wal->sum[0] += word(bytes + i, wal->big_endian) + wal->sum[1];
        wal->sum[1] += word(bytes + i + 4, wal->big_endian) + wal->sum[0];
    }
}

static bool has_sum(const struct wal *wal, const uint8_t *at)
{
    return word(at, true) == wal->sum[0] && word(at + 4, true) == wal->sum[1];
}

static bool read_head(struct wal *wal)
{
    uint8_t head[HEAD_LEN];

    if (pread(wal->fd, head, HEAD_LEN, 0) != HEAD_LEN)
        return false;
    uint32_t magic = word(head, true);
    wal->big_endian = magic & 1;
    wal->page_size = word(head + 8, true);
    for (size_t i = 0; i < 2; i++)
        wal->salt[i] = word(head + 16 + 4 * i, true);
    add_to_sum(wal, head, 24);
    return (magic & ~1u) == 0x377f0682 && wal->page_size >= 512 &&
           wal->page_size <= PAGE_MAX && has_sum(wal, head + 24);
}

static bool read_frame(struct wal *wal, uint64_t index)
{
    size_t len = FRAME_HEAD_LEN + wal->page_size;

    return pread(wal->fd, wal->frame, len,
                 (off_t)(HEAD_LEN + index * (uint64_t)len)) == (ssize_t)len;
}

/* Of this log, and not of one that the file held before. */
static bool is_of_this_log(const struct wal *wal)
{
    return word(wal->frame + 8, true) == wal->salt[0] &&
           word(wal->frame + 12, true) == wal->salt[1];
}

static bool ends_a_commit(const struct wal *wal)
{
    return is_of_this_log(wal) && word(wal->frame + 4, true);
}

static bool fits(struct wal *wal)
{
    if (!is_of_this_log(wal))
        return false;
    add_to_sum(wal, wal->frame, 8);
    add_to_sum(wal, wal->frame + FRAME_HEAD_LEN, wal->page_size);
    return has_sum(wal, wal->frame + 16);
}

static bool is_whole(struct wal *wal)
{
    uint64_t at = 0;

    if (!read_head(wal))
        return false;
    wal->frame = mem_new(FRAME_HEAD_LEN + (size_t)wal->page_size);
    while (read_frame(wal, at) && fits(wal))
        at++;
    bool whole = true;
    for (; whole && read_frame(wal, at); at++)
        whole = !ends_a_commit(wal);
    free(wal->frame);
    return whole;
}

bool sqlite_wal_is_whole(const char *path)
{
    struct wal wal = {.fd = open(path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW)};
    struct stat st;

    if (wal.fd < 0)
        return true;
    bool whole = fstat(wal.fd, &st) || st.st_size <= HEAD_LEN || is_whole(&wal);
    close(wal.fd);
    return whole;
}
