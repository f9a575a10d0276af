#include "cli/add_archive.h"

#include "cli/crawl_record.h"
#include "crawler/record_codes.h"
#include "report/originals.h"

/* A path that is no page directory has no record. */
static void add_originals(struct collection *collection, const char *path)
{
    struct crawl_record record;

    crawl_record_read(&record, path);
    const char *other = crawl_record_dedup(&record);
    if (other)
        originals_add_to(collection, other, crawler_codes());
    crawl_record_release(&record);
}

bool add_archive(struct collection *collection, const char *path,
                 collection_note *note, void *user,
                 struct collection_error *error)
{
    if (!collection_add_path(collection, path, note, user, error))
        return false;
    add_originals(collection, path);
    return true;
}
