/* ZIP files: whatever the directory says, entries are within the file. */
#include "fuzz.h"

#include <sys/mman.h>
#include <unistd.h>

#include "archive/zip.h"

static void check_all(const struct zip_reader *zip, size_t size)
{
    for (size_t i = 0; i < zip_count(zip); i++) {
        const struct zip_entry *entry = zip_entry(zip, i);

        assert(entry->at <= size && entry->packed <= size - entry->at);
        assert(entry->name.len && entry->name.ptr[0] != '/');
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    int fd = memfd_create("zip", MFD_CLOEXEC);
    ssize_t written = write(fd, data, size);
    const char *problem = NULL;

    assert(written == (ssize_t)size);
    struct zip_reader *zip = zip_reader_open(fd, &problem);
    assert(!zip == !!problem);
    if (zip)
        check_all(zip, size);
    zip_reader_free(zip);
    close(fd);
    return 0;
}
