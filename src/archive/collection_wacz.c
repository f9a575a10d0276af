/* The WARC files in a WACZ, which is a ZIP file: they are stored, so they are
 * read in place. */
#include "archive/collection_files.h"

#include <errno.h>
#include <fcntl.h>
#include <unistd.h>

#include "archive/zip.h"

static bool add_entries(struct collection_files *files, const char *path,
                        const struct zip_reader *zip,
                        const struct collection_listener *listener,
                        struct collection_error *error)
{
    size_t count = 0;

    for (size_t i = 0; i < zip_count(zip); i++) {
        const struct zip_entry *entry = zip_entry(zip, i);
        if (!str_starts(entry->name, STR("archive/")) ||
            !collection_files_is_warc(entry->name) || !entry->length)
            continue;
        count++;
        if (!entry->is_stored) {
            collection_files_note(listener, path, entry->at,
                                  "the WARC file is deflated once "
                                  "more, which is not supported");
            continue;
        }
        uint32_t file =
            collection_files_put(files, path, entry->at, entry->length);
        if (!collection_files_take(files, file, listener))
            return collection_files_fail(error, path, strerror(errno));
    }
    return count ||
           collection_files_fail(error, path, "there is no WARC file in it");
}

bool collection_files_add_wacz(struct collection_files *files, const char *path,
                               const struct collection_listener *listener,
                               struct collection_error *error)
{
    const char *problem = "";
    int fd = open(path, O_RDONLY | O_CLOEXEC);

    if (fd < 0)
        return collection_files_fail(error, path, strerror(errno));
    struct zip_reader *zip = zip_reader_open(fd, &problem);
    bool good = zip ? add_entries(files, path, zip, listener, error)
                    : collection_files_fail(error, path, problem);
    zip_reader_free(zip);
    close(fd);
    return good;
}
