#include "report/originals.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include "archive/archive_name.h"
#include "base/hashtable.h"
#include "base/mem.h"

enum { PATH_LEN_MAX = 8192, LINE_LEN_MAX = 1 << 20 };

void originals_init(struct originals *originals)
{
    *originals = (struct originals){.fd = -1};
    arena_init(&originals->arena);
    seen_init(&originals->answers);
}

void originals_release(struct originals *originals)
{
    if (originals->fd >= 0)
        close(originals->fd);
    seen_release(&originals->answers);
    free(originals->wanted);
    free(originals->place);
    free(originals->file);
    arena_release(&originals->arena);
}

/* --- what is wanted ------------------------------------------------------- */

static void want_key(struct originals *originals, uint64_t key)
{
    originals->wanted =
        mem_grow(originals->wanted, originals->wanted_count,
                 &originals->wanted_room, sizeof(*originals->wanted));
    originals->wanted[originals->wanted_count++] =
        (struct wanted_payload){key, false};
}

void originals_want(struct originals *originals, struct str digest)
{
    want_key(originals, collection_digest_key(digest));
}

static int compare_wanted(const void *a, const void *b)
{
    const struct wanted_payload *x = a, *y = b;

    return (x->digest > y->digest) - (x->digest < y->digest);
}

/* Each once, in order. */
static void sort_wanted(struct originals *originals)
{
    size_t count = 0;

    if (originals->wanted_count)
        qsort(originals->wanted, originals->wanted_count,
              sizeof(*originals->wanted), compare_wanted);
    for (size_t i = 0; i < originals->wanted_count; i++)
        if (!i ||
            originals->wanted[i].digest != originals->wanted[i - 1].digest)
            originals->wanted[count++] = originals->wanted[i];
    originals->wanted_count = count;
}

static struct wanted_payload *find_wanted(struct originals *originals,
                                          struct str digest)
{
    const struct wanted_payload key = {.digest = collection_digest_key(digest)};

    return originals->wanted_count
               ? bsearch(&key, originals->wanted, originals->wanted_count,
                         sizeof(key), compare_wanted)
               : NULL;
}

size_t originals_missing(const struct originals *originals)
{
    size_t missing = 0;

    for (size_t i = 0; i < originals->wanted_count; i++)
        missing += !originals->wanted[i].is_found;
    return missing;
}

/* --- files of the other archive ------------------------------------------- */

/* The number of the file with this name; a new name gets a new number. */
static uint32_t file_number(struct originals *originals, struct str name)
{
    for (size_t i = originals->file_count; i--;)
        if (str_eq(str_of(originals->file[i]), name))
            return (uint32_t)i;
    originals->file = mem_grow(originals->file, originals->file_count,
                               &originals->file_room, sizeof(*originals->file));
    originals->file[originals->file_count] =
        arena_copy(&originals->arena, name).ptr;
    return (uint32_t)originals->file_count++;
}

/* The directory of the other archive; that of an index is where it is. */
static struct str dir_of(const struct originals *originals)
{
    const char *slash = strrchr(originals->path, '/');

    if (!originals->is_index)
        return str_of(originals->path);
    return slash ? str_between(originals->path, slash) : STR(".");
}

static int open_dir(const struct originals *originals)
{
    char path[PATH_LEN_MAX];

    snprintf(path, sizeof(path), "%.*s/", STR_ARGS(dir_of(originals)));
    return open(path, O_PATH | O_DIRECTORY | O_CLOEXEC);
}

/* The files of a page directory are in archive/. Those of an index are beside
 * it, or in archive/ there. */
static int open_file(struct originals *originals, uint32_t number)
{
    enum { FLAGS = O_RDONLY | O_CLOEXEC | O_NONBLOCK };
    struct str name = str_of(originals->file[number]);

    if (originals->fd >= 0 && originals->open == number)
        return originals->fd;
    if (originals->fd >= 0)
        close(originals->fd);
    originals->open = number;
    int dir_fd = open_dir(originals);
    originals->fd = archive_open_below(dir_fd, name, FLAGS);
    if (originals->fd < 0)
        originals->fd = archive_open_named(dir_fd, name, FLAGS);
    if (dir_fd >= 0)
        close(dir_fd);
    return originals->fd;
}

static bool is_there(struct originals *originals,
                     const struct original_place *place)
{
    int fd = open_file(originals, place->file);
    struct stat stat;

    return fd >= 0 && !fstat(fd, &stat) && S_ISREG(stat.st_mode) &&
           place->length && place->at <= (uint64_t)stat.st_size &&
           place->length <= (uint64_t)stat.st_size - place->at;
}

/* --- finding -------------------------------------------------------------- */

/* The digest, the status and the MIME type of a response. */
static uint64_t answer_of(const struct wanted_payload *wanted,
                          const struct cdxj_entry *entry)
{
    return hash64(entry->mime, wanted->digest ^ entry->status);
}

/* A response of the other archive: is it wanted? A collection needs one for its
 * payload. A package needs the one with the status and the type of the revisit,
 * which are not known here: so it gets one of each. */
static bool consider(struct originals *originals, struct cdxj_entry *entry)
{
    struct wanted_payload *wanted = find_wanted(originals, entry->digest);

    if (!wanted || (wanted->is_found && originals->collection) ||
        seen_has(&originals->answers, answer_of(wanted, entry)) ||
        !archive_name_is_safe(entry->file_name))
        return true;
    const struct original_place place = {
        file_number(originals, entry->file_name), entry->at, entry->length};
    if (!is_there(originals, &place))
        return true;
    wanted->is_found = true;
    seen_add(&originals->answers, answer_of(wanted, entry));
    return originals->found(originals, entry, &place);
}

struct record_walk {
    struct originals *originals;
    bool has_failed;
    const char **name; /* of files, by number */
    size_t count, room;
};

static bool read_archive(void *user, const struct store_archive *row)
{
    struct record_walk *walk = user;

    if (row->number != walk->count + 1)
        return false;
    walk->name =
        mem_grow(walk->name, walk->count, &walk->room, sizeof(*walk->name));
    walk->name[walk->count++] =
        arena_copy(&walk->originals->arena, row->name).ptr;
    return true;
}

static bool read_capture(void *user, const struct store_capture *row)
{
    struct record_walk *walk = user;

    if (!row->archive || row->archive > walk->count)
        return false;
    struct cdxj_entry entry = {
        .url = row->url,
        .date_ms = row->start_ms,
        .status = row->status,
        .mime = row->mime,
        .digest = row->digest,
        .file_name = str_of(walk->name[row->archive - 1]),
        .at = row->at,
        .length = row->length,
    };
    if (row->kind == CAPTURE_RESPONSE && row->digest.len)
        walk->has_failed = !consider(walk->originals, &entry);
    return !walk->has_failed;
}

static bool find_in_record(struct originals *originals,
                           const struct store_codes *codes)
{
    struct record_walk walk = {.originals = originals};
    const struct store_reader reader = {
        .user = &walk, .archive = read_archive, .capture = read_capture};
    struct store_error error;
    struct store *store =
        store_open(store_name_in(originals->path, &originals->arena),
                   STORE_READ, codes, &error);

    if (store)
        store_load(store, 0, &reader, &error);
    store_close(store);
    free(walk.name);
    return !walk.has_failed;
}

static bool find_in_index(struct originals *originals)
{
    FILE *file = fopen(originals->path, "re");
    struct cdxj_entry entry;
    struct buf scratch;
    char *line = NULL;
    size_t room = 0;
    ssize_t len;
    bool good = true;

    buf_init(&scratch, LINE_LEN_MAX);
    while (good && file && (len = getline(&line, &room, file)) > 0 &&
           len < LINE_LEN_MAX)
        if (cdxj_parse((struct str){line, (size_t)len}, &scratch, &entry) &&
            entry.digest.len && !str_eq(entry.mime, STR("warc/revisit")))
            good = consider(originals, &entry);
    free(line);
    buf_release(&scratch);
    if (file)
        fclose(file);
    return good;
}

static bool find_all(struct originals *originals, const char *path,
                     const struct store_codes *codes)
{
    struct stat st;

    sort_wanted(originals);
    if (!originals->wanted_count || !path || stat(path, &st))
        return true;
    originals->path = path;
    originals->is_index = !S_ISDIR(st.st_mode);
    return originals->is_index ? find_in_index(originals)
                               : find_in_record(originals, codes);
}

/* --- for a collection ----------------------------------------------------- */

static bool add_to_collection(struct originals *originals,
                              struct cdxj_entry *entry,
                              const struct original_place *place)
{
    /* As open_file looks for it. */
    static const char *const folder[] = {"/" ARCHIVE_DIR "/", "/"};
    static const char *const suffix[] = {"", ARCHIVE_OPEN_SUFFIX};
    const char *name = originals->file[place->file];
    char path[PATH_LEN_MAX];

    for (size_t i = 0; i < 4; i++) {
        snprintf(path, sizeof(path), "%.*s%s%s%s", STR_ARGS(dir_of(originals)),
                 folder[i / 2], name, suffix[i % 2]);
        if (!access(path, R_OK)) {
            collection_add_original(originals->collection, entry->digest, path,
                                    place->at);
            break;
        }
    }
    return true;
}

void originals_add_to(struct collection *collection, const char *path,
                      const struct store_codes *codes)
{
    struct originals originals;
    size_t count;
    const uint64_t *key = collection_revisited(collection, &count);

    originals_init(&originals);
    for (size_t i = 0; i < count; i++)
        want_key(&originals, key[i]);
    originals.found = add_to_collection;
    originals.collection = collection;
    find_all(&originals, path, codes);
    originals_release(&originals);
}

/* --- for a package -------------------------------------------------------- */

static bool keep_place(struct originals *originals, struct cdxj_entry *entry,
                       const struct original_place *place)
{
    originals->place =
        mem_grow(originals->place, originals->place_count,
                 &originals->place_room, sizeof(*originals->place));
    originals->place[originals->place_count++] = *place;
    entry->file_name = STR(ORIGINALS_NAME);
    entry->at = originals->bytes;
    originals->bytes += place->length;
    return originals->add(originals->user, entry);
}

bool originals_find(struct originals *originals, const char *path,
                    const struct store_codes *codes,
                    bool (*add)(void *user, const struct cdxj_entry *entry),
                    void *user)
{
    originals->found = keep_place;
    originals->add = add;
    originals->user = user;
    return find_all(originals, path, codes);
}

bool originals_write(struct originals *originals, struct wacz *wacz)
{
    if (!originals->place_count)
        return true;
    if (!wacz_begin_file(wacz, ORIGINALS_NAME, originals->bytes))
        return false;
    for (size_t i = 0; i < originals->place_count; i++) {
        const struct original_place *place = &originals->place[i];
        int fd = open_file(originals, place->file);

        if (fd < 0 || !wacz_copy(wacz, fd, place->at, place->length))
            return false;
    }
    return wacz_end_file(wacz, ORIGINALS_NAME);
}
