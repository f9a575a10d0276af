/* Records of another archive that revisits refer to (--warc-dedup).
 *
 * A package has copies of them, in a WARC file of their own, so that it can
 * stand alone. A collection, which serve, --from and the export of pages use,
 * reads them where they are. Both find them here. */
#ifndef REPORT_ORIGINALS_H
#define REPORT_ORIGINALS_H

#include "archive/collection.h"
#include "archive/wacz.h"
#include "base/mem.h"
#include "frontier/seen.h"
#include "store/store.h"

#define ORIGINALS_NAME "originals.warc.gz"

struct wanted_payload {
    uint64_t digest; /* a hash of it */
    bool is_found;
};

struct original_place {
    uint32_t file;
    uint64_t at, length;
};

struct originals {
    struct wanted_payload *wanted; /* sorted by originals_find */
    size_t wanted_count, wanted_room;
    struct seen answers; /* that were found: digest, status and MIME type */
    struct original_place *place;
    size_t place_count, place_room;
    uint64_t bytes; /* of all places */

    /* The other archive: a page directory, or an index and files beside it. */
    const char *path;
    bool is_index;
    const char **file;
    size_t file_count, file_room;
    int fd; /* of file number `open`, or -1 */
    uint32_t open;
    struct arena arena;
    /* It is called for each that is found. */
    bool (*found)(struct originals *originals, struct cdxj_entry *entry,
                  const struct original_place *place);
    bool (*add)(void *user, const struct cdxj_entry *entry);
    struct collection *collection;
    void *user;
};

/* Tell the collection where the payloads of its revisits are, as far as they
 * are in the archive of a page directory, or in one with an index. */
void originals_add_to(struct collection *collection, const char *path,
                      const struct store_codes *codes);

/* --- for packages ----------------------------------------------------------
 */

void originals_init(struct originals *originals);
void originals_release(struct originals *originals);

/* A revisit refers to a payload with this digest. */
void originals_want(struct originals *originals, struct str digest);

/* Look for the payloads in the archive of a page directory, or with an index;
 * nothing is found if that cannot be read. `add` gets an entry for each that is
 * found, where it will be in the file of originals. False if `add` fails. */
bool originals_find(struct originals *originals, const char *path,
                    const struct store_codes *codes,
                    bool (*add)(void *user, const struct cdxj_entry *entry),
                    void *user);
size_t originals_missing(const struct originals *originals);

/* Copy what was found into the package. False with errno. */
bool originals_write(struct originals *originals, struct wacz *wacz);

#endif
