#include "archive/collection_files.h"

bool collection_files_add_wacz(struct collection_files *files, const char *path,
                               const struct collection_listener *listener,
                               struct collection_error *error)
{
    (void)files;
    (void)listener;
    return collection_files_fail(error, path, "WACZ files cannot be read yet");
}
