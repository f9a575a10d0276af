#include <errno.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include "archive/zip.h"
#include "archive/zip_format.h"
#include "base/mem.h"
#include "base/str.h"

enum {
    COMMENT_MAX = 65535, /* behind the end of the directory */
    DIRECTORY_MAX = 64 << 20,
};

struct zip_reader {
    int fd;
    uint64_t size;
    struct arena arena;
    struct zip_entry *entry;
    size_t count, room;
};

/* Where the directory is. */
struct directory {
    uint64_t at, len, count;
};

static bool read_at(const struct zip_reader *zip, uint64_t at, char *to,
                    size_t len)
{
    if (at > zip->size || len > zip->size - at)
        return false;
    while (len) {
        ssize_t n = pread(zip->fd, to, len, (off_t)at);
        if (n < 0 && errno == EINTR)
            continue;
        if (n <= 0)
            return false;
        to += n;
        at += (size_t)n;
        len -= (size_t)n;
    }
    return true;
}

/* --- the end of the directory -------------------------------------------- */

/* The last end whose comment reaches to the end of the file. */
static bool find_end(const struct zip_reader *zip, uint64_t *at,
                     char end[ZIP_END_LEN])
{
    size_t len = zip->size < ZIP_END_LEN + COMMENT_MAX
                     ? (size_t)zip->size
                     : ZIP_END_LEN + COMMENT_MAX;
    char *tail = mem_new(len + 1);
    bool found = false;

    if (!read_at(zip, zip->size - len, tail, len))
        len = 0;
    for (size_t i = len < ZIP_END_LEN ? 0 : len - ZIP_END_LEN + 1;
         i-- && !found;)
        if (zip_int(tail + i, 4) == ZIP_END &&
            i + ZIP_END_LEN + zip_int(tail + i + 20, 2) == len) {
            memcpy(end, tail + i, ZIP_END_LEN);
            *at = zip->size - len + i;
            found = true;
        }
    free(tail);
    return found;
}

/* The directory as the larger form tells it. */
static bool read_end64(const struct zip_reader *zip, uint64_t end_at,
                       struct directory *directory)
{
    char locator[ZIP64_LOCATOR_LEN], end[ZIP64_END_LEN];

    if (end_at < ZIP64_LOCATOR_LEN ||
        !read_at(zip, end_at - ZIP64_LOCATOR_LEN, locator, sizeof(locator)) ||
        zip_int(locator, 4) != ZIP64_LOCATOR ||
        !read_at(zip, zip_int(locator + 8, 8), end, sizeof(end)) ||
        zip_int(end, 4) != ZIP64_END)
        return false;
    directory->count = zip_int(end + 32, 8);
    directory->len = zip_int(end + 40, 8);
    directory->at = zip_int(end + 48, 8);
    return true;
}

static const char *find_directory(const struct zip_reader *zip,
                                  struct directory *directory)
{
    char end[ZIP_END_LEN];
    uint64_t at;

    if (!find_end(zip, &at, end))
        return "it is no ZIP file, or its end is missing";
    directory->count = zip_int(end + 10, 2);
    directory->len = zip_int(end + 12, 4);
    directory->at = zip_int(end + 16, 4);
    if ((directory->count == ZIP_MAX_16 || directory->len == ZIP_MAX_32 ||
         directory->at == ZIP_MAX_32) &&
        !read_end64(zip, at, directory))
        return "its Zip64 directory is broken";
    if (directory->at > at || directory->len > at - directory->at)
        return "its directory is broken";
    if (directory->len > DIRECTORY_MAX)
        return "its directory is too large";
    return NULL;
}

/* --- entries -------------------------------------------------------------- */

/* "a/b", never "/a", "a/../b" or anything that is not text. */
static bool name_is_safe(struct str name)
{
    if (!name.len || name.ptr[0] == '/')
        return false;
    for (struct str rest = name; rest.len;) {
        uint32_t c;
        size_t len = utf8_read(rest.ptr, rest.ptr + rest.len, &c);

        if (c < 0x20 || c == 0x7f || c == '\\' || c == UTF8_REPLACEMENT)
            return false;
        rest = str_skip(rest, len);
    }
    for (struct str rest = name; rest.len;) {
        struct str_pair part = str_cut(rest, '/');

        if (str_eq(part.head, STR("..")) || str_eq(part.head, STR(".")))
            return false;
        rest = part.tail;
    }
    return true;
}

/* Replace the fields that are too small by those of the Zip64 field, which has
 * only these, in this order. */
static bool read_extra(struct str extra, uint64_t *const field[3])
{
    while (extra.len >= 4) {
        uint64_t kind = zip_int(extra.ptr, 2), len = zip_int(extra.ptr + 2, 2);

        extra = str_skip(extra, 4);
        if (len > extra.len)
            return false;
        struct str body = str_first(extra, (size_t)len);
        extra = str_skip(extra, (size_t)len);
        for (size_t i = 0; i < 3 && kind == ZIP64_EXTRA; i++)
            if (*field[i] == ZIP_MAX_32) {
                if (body.len < 8)
                    return false;
                *field[i] = zip_int(body.ptr, 8);
                body = str_skip(body, 8);
            }
    }
    return true;
}

/* Where the bytes of an entry begin: the header before them has a name and an
 * extra field of its own. */
static bool find_bytes(const struct zip_reader *zip, struct zip_entry *entry)
{
    char head[ZIP_LOCAL_LEN];

    if (!read_at(zip, entry->at, head, sizeof(head)) ||
        zip_int(head, 4) != ZIP_LOCAL)
        return false;
    entry->at += ZIP_LOCAL_LEN + zip_int(head + 26, 2) + zip_int(head + 28, 2);
    return entry->at <= zip->size && entry->packed <= zip->size - entry->at;
}

/* The entry at the start of `*rest`, which is moved on. */
static const char *read_entry(struct zip_reader *zip, struct str *rest)
{
    const char *head = rest->ptr;

    if (rest->len < ZIP_CENTRAL_LEN || zip_int(head, 4) != ZIP_CENTRAL)
        return "its directory is broken";
    size_t name_len = (size_t)zip_int(head + 28, 2);
    size_t extra_len = (size_t)zip_int(head + 30, 2);
    size_t len =
        ZIP_CENTRAL_LEN + name_len + extra_len + (size_t)zip_int(head + 32, 2);
    if (len > rest->len)
        return "its directory is broken";
    struct str name = {head + ZIP_CENTRAL_LEN, name_len};
    struct str extra = {name.ptr + name_len, extra_len};
    uint64_t method = zip_int(head + 10, 2);
    struct zip_entry entry = {
        .packed = zip_int(head + 20, 4),
        .length = zip_int(head + 24, 4),
        .at = zip_int(head + 42, 4),
        .is_stored = method == ZIP_METHOD_STORED,
    };

    *rest = str_skip(*rest, len);
    if (name_len && name.ptr[name_len - 1] == '/')
        return NULL; /* a directory */
    if (!name_is_safe(name))
        return "the name of an entry is not safe";
    if ((!entry.is_stored && method != ZIP_METHOD_DEFLATED) ||
        zip_int(head + 8, 2) & ZIP_ENCRYPTED_FLAG)
        return "an entry is encrypted, or packed in an unknown way";
    uint64_t *const field[3] = {&entry.length, &entry.packed, &entry.at};
    if (!read_extra(extra, field) || !find_bytes(zip, &entry) ||
        (entry.is_stored && entry.packed != entry.length))
        return "an entry is broken, or its bytes are missing";
    entry.name = arena_copy(&zip->arena, name);
    zip->entry = mem_grow(zip->entry, zip->count, &zip->room, sizeof(entry));
    zip->entry[zip->count++] = entry;
    return NULL;
}

static const char *read_directory(struct zip_reader *zip)
{
    struct directory directory;
    const char *problem = find_directory(zip, &directory);

    if (problem)
        return problem;
    char *bytes = mem_new((size_t)directory.len + 1);
    if (!read_at(zip, directory.at, bytes, (size_t)directory.len))
        problem = "its directory cannot be read";
    struct str rest = {bytes, (size_t)directory.len};
    for (uint64_t i = 0; !problem && i < directory.count; i++)
        problem = read_entry(zip, &rest);
    free(bytes);
    return problem;
}

struct zip_reader *zip_reader_open(int fd, const char **problem)
{
    struct zip_reader *zip = NEW(struct zip_reader);
    struct stat stat;

    zip->fd = fd;
    arena_init(&zip->arena);
    if (fstat(fd, &stat) || !S_ISREG(stat.st_mode))
        *problem = "it is no file";
    else {
        zip->size = (uint64_t)stat.st_size;
        *problem = read_directory(zip);
    }
    if (!*problem)
        return zip;
    zip_reader_free(zip);
    return NULL;
}

void zip_reader_free(struct zip_reader *zip)
{
    if (!zip)
        return;
    arena_release(&zip->arena);
    free(zip->entry);
    free(zip);
}

size_t zip_count(const struct zip_reader *zip)
{
    return zip->count;
}

const struct zip_entry *zip_entry(const struct zip_reader *zip, size_t index)
{
    return &zip->entry[index];
}
