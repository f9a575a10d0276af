/* A revisit names its original by URL and date. If it does not, or there is no
 * such capture, all files are read once more for a table of ids and digests.
 * Originals in other archives are in that table by their digest. */
#include "archive/collection.h"

#include <stdlib.h>
#include <sys/random.h>

#include "archive/capture_index.h"
#include "archive/collection_files.h"
#include "base/date.h"
#include "base/hashtable.h"
#include "base/mem.h"
#include "web/url.h"

enum {
    TRIES_MAX = 4, /* captures of a URL that are tried for an original */
    SCRATCH_MAX = WARC_START_MAX,
};

/* A record that has a payload. */
struct original {
    uint64_t at, within;
    uint32_t file;
};

struct collection {
    struct collection_files files;
    struct capture_index index;
    uint64_t *revisited; /* digests that revisits have, as hashes */
    size_t revisited_count, revisited_room;
    struct original *original;
    size_t original_count, original_room;
    size_t original_files; /* files that are in these tables */
    struct hashtable by_id, by_digest;
    bool *is_marked; /* by source: its records say which are pages */
    size_t source_count, source_room;
    uint64_t unreadable; /* pages, in the last collection_each */
    const char *problem; /* of the last capture that could not be read */
    uint64_t seed;
    struct arena arena;        /* texts of the capture that was found */
    struct arena url_arena;    /* of one comparison */
    struct buf scratch, other; /* bodies without chunks */
};

struct collection *collection_new(void)
{
    struct collection *collection = NEW(struct collection);

    if (getrandom(&collection->seed, sizeof(collection->seed), 0) < 0)
        collection->seed = (uint64_t)(uintptr_t)collection;
    collection_files_init(&collection->files);
    hashtable_init(&collection->by_id);
    hashtable_init(&collection->by_digest);
    arena_init(&collection->arena);
    arena_init(&collection->url_arena);
    buf_init(&collection->scratch, SCRATCH_MAX);
    buf_init(&collection->other, SCRATCH_MAX);
    return collection;
}

void collection_free(struct collection *collection)
{
    if (!collection)
        return;
    collection_files_release(&collection->files);
    hashtable_release(&collection->by_id);
    hashtable_release(&collection->by_digest);
    arena_release(&collection->arena);
    arena_release(&collection->url_arena);
    buf_release(&collection->scratch);
    buf_release(&collection->other);
    capture_index_release(&collection->index);
    free(collection->revisited);
    free(collection->is_marked);
    free(collection->original);
    free(collection);
}

size_t collection_count(const struct collection *collection)
{
    return collection->index.count;
}

uint64_t collection_unreadable(const struct collection *collection)
{
    return collection->unreadable;
}

/* --- the index ---------------------------------------------------------- */

static void *index_item(size_t index)
{
    // NOLINTNEXTLINE(performance-no-int-to-ptr) ; the table keeps numbers
    return (void *)(uintptr_t)(index + 1);
}

/* As url_parse writes it, or as it is if that is no URL for us. It is in
 * `arena`. */
static struct str plain_url(struct arena *arena, struct str text)
{
    struct url url;

    return url_parse(&url, arena, text, NULL, NULL) ? text : url.href;
}

static uint64_t key_of(struct collection *collection, struct str url)
{
    arena_clear(&collection->url_arena);
    return hash64(plain_url(&collection->url_arena, url), collection->seed);
}

/* False if the record is not of a page that was saved. */
static bool page_depth_of(const struct warc_record *record, uint32_t *depth)
{
    uint64_t number;

    if (!str_to_u64(warc_field(record, STR("WARC-Page-Depth")), &number) ||
        number > UINT32_MAX)
        return false;
    *depth = (uint32_t)number;
    return true;
}

/* A page, picture or the like of which a part is missing. A revisit has that
 * field without the meaning. */
static bool is_cut(const struct warc_record *record)
{
    return record->truncated.len && record->type == WARC_RESPONSE &&
           str_starts(str_cut(record->block, ' ').tail, STR("200"));
}

/* Others may have the payload. */
static void note_revisit(struct collection *collection, struct str digest)
{
    if (!digest.len)
        return;
    collection->revisited =
        mem_grow(collection->revisited, collection->revisited_count,
                 &collection->revisited_room, sizeof(*collection->revisited));
    collection->revisited[collection->revisited_count++] =
        collection_digest_key(digest);
}

/* A record of a file that is read through. */
static void add_record(void *user, uint32_t file,
                       const struct warc_record *record)
{
    struct collection *collection = user;
    bool is_revisit = record->type == WARC_REVISIT;
    uint64_t date_ms = 0;

    if (!record->url.len || (record->type != WARC_RESPONSE && !is_revisit))
        return;
    if (is_revisit)
        note_revisit(collection, record->payload_digest);
    (void)date_read_iso(record->date, &date_ms);
    bool is_page = page_depth_of(record, &(uint32_t){0});
    if (is_page)
        collection->is_marked[collection->source_count - 1] = true;
    capture_index_add(&collection->index,
                      &(struct capture){
                          .key = key_of(collection, record->url),
                          .at = record->at,
                          .within = record->within,
                          .date_ms = date_ms,
                          .file = file & CAPTURE_FILE_MASK,
                          .is_revisit = is_revisit,
                          .is_page = is_page,
                          .is_cut = is_cut(record),
                      });
}

bool collection_add_path(struct collection *collection, const char *path,
                         collection_note *note, void *user,
                         struct collection_error *error)
{
    struct collection_listener listener = {note, user, add_record, collection};

    collection->is_marked =
        mem_grow(collection->is_marked, collection->source_count,
                 &collection->source_room, sizeof(*collection->is_marked));
    collection->is_marked[collection->source_count++] = false;
    collection->files.source = (uint32_t)collection->source_count - 1;
    return collection_files_add_path(&collection->files, path, &listener,
                                     error);
}

/* --- reading a capture -------------------------------------------------- */

/* Is the record of this URL, whatever the spelling? */
static bool is_same_url(struct collection *collection, struct str a,
                        struct str b)
{
    struct arena *arena = &collection->url_arena;

    arena_clear(arena);
    return str_eq(plain_url(arena, a), plain_url(arena, b));
}

/* Only the start of a long record is read. */
static bool read_at(struct collection *collection, uint32_t file, uint64_t at,
                    uint64_t within, struct warc_record *record)
{
    struct warc_reader *reader =
        collection_files_reader(&collection->files, file);

    if (!reader)
        return false;
    warc_reader_seek(reader, at, within);
    if (warc_begin(reader, record) != WARC_RECORD ||
        warc_keep_start(reader, record) != WARC_RECORD)
        return false;
    return warc_is_long(record) || warc_end(reader, record) == WARC_RECORD;
}

/* The response in a record of that file. False: it is none. */
static bool parse(struct collection *collection, uint32_t file,
                  const struct warc_record *record, struct captured *captured)
{
    const struct collection_file *of = &collection->files.file[file];
    struct warc_http *http = &captured->http;

    if (!warc_http_parse(record, &collection->scratch, http))
        return false;
    captured->body = (struct captured_body){.len = http->body.len};
    if (!warc_is_long(record))
        return true;
    http->body = (struct str){0};
    captured->body = (struct captured_body){
        .is_long = true,
        .len = http->is_chunked ? CAPTURED_LEN_UNKNOWN
                                : record->block_len - http->head.len,
        .place = {.path = of->path,
                  .from = of->from,
                  .len = of->len,
                  .at = record->at,
                  .within = record->within,
                  .head_len = http->head.len,
                  .is_chunked = http->is_chunked},
    };
    return true;
}

/* --- the original of a revisit ------------------------------------------ */

struct wanted {
    struct str url, id, digest; /* of the original; each may be empty */
    uint64_t date_ms;
};

/* Two digests by the same algorithm that differ. */
static bool is_other_digest(struct str a, struct str b)
{
    struct str_pair left = str_cut(a, ':'), right = str_cut(b, ':');

    return left.tail.len && right.tail.len &&
           str_eq_nocase(left.head, right.head) &&
           !str_eq_nocase(left.tail, right.tail);
}

/* The result is in the memory of a reader. */
static bool is_original(struct collection *collection, uint32_t file,
                        const struct warc_record *record,
                        const struct wanted *wanted, struct captured *original)
{
    original->truncated = record->truncated;
    return record->type == WARC_RESPONSE &&
           !is_other_digest(record->payload_digest, wanted->digest) &&
           parse(collection, file, record, original);
}

static bool find_by_url(struct collection *collection,
                        const struct wanted *wanted, struct captured *original)
{
    struct nearest_captures nearest;
    struct warc_record record;
    size_t i;

    if (!wanted->url.len)
        return false;
    capture_index_near(&collection->index, key_of(collection, wanted->url),
                       wanted->date_ms, true, &nearest);
    for (int tries = 0; tries < TRIES_MAX; tries++) {
        if ((i = nearest_captures_next(&nearest)) == SIZE_MAX)
            return false;
        const struct capture *capture = &collection->index.capture[i];
        if (read_at(collection, capture->file, capture->at, capture->within,
                    &record) &&
            is_same_url(collection, record.url, wanted->url) &&
            is_original(collection, capture->file, &record, wanted, original))
            return true;
    }
    return false;
}

static void put_original(struct collection *collection, struct hashtable *table,
                         struct str name)
{
    uint64_t key = hash64(name, collection->seed);

    if (name.len && !hashtable_get(table, key))
        hashtable_put(table, key, index_item(collection->original_count));
}

static void add_place(struct collection *collection, uint32_t file, uint64_t at,
                      uint64_t within)
{
    collection->original =
        mem_grow(collection->original, collection->original_count,
                 &collection->original_room, sizeof(struct original));
    collection->original[collection->original_count++] =
        (struct original){at, within, file};
}

static void add_original(void *user, uint32_t file,
                         const struct warc_record *record)
{
    struct collection *collection = user;

    if (record->type != WARC_RESPONSE)
        return;
    put_original(collection, &collection->by_id, record->id);
    put_original(collection, &collection->by_digest, record->payload_digest);
    add_place(collection, file, record->at, record->within);
}

uint64_t collection_digest_key(struct str digest)
{
    return hash64(digest, 0);
}

const uint64_t *collection_revisited(const struct collection *collection,
                                     size_t *count)
{
    *count = collection->revisited_count;
    return collection->revisited;
}

void collection_add_original(struct collection *collection, struct str digest,
                             const char *path, uint64_t at)
{
    uint32_t file = collection_files_elsewhere(&collection->files, path);

    put_original(collection, &collection->by_digest, digest);
    add_place(collection, file, at, 0);
}

/* Read the files that are not in the tables yet. */
static void read_originals(struct collection *collection)
{
    struct collection_listener listener = {.each = add_original,
                                           .each_user = collection};

    for (; collection->original_files < collection->files.count;
         collection->original_files++)
        if (!collection->files.file[collection->original_files].is_elsewhere)
            collection_files_read(&collection->files,
                                  (uint32_t)collection->original_files,
                                  &listener, &(bool){false});
}

static bool find_by_name(struct collection *collection,
                         const struct hashtable *table, struct str name,
                         const struct wanted *wanted, struct captured *original)
{
    struct warc_record record;

    if (!name.len)
        return false;
    read_originals(collection);
    size_t i = (uintptr_t)hashtable_get(table, hash64(name, collection->seed));
    if (!i)
        return false;
    const struct original *place = &collection->original[i - 1];
    return read_at(collection, place->file, place->at, place->within,
                   &record) &&
           is_original(collection, place->file, &record, wanted, original);
}

static bool find_original(struct collection *collection,
                          const struct wanted *wanted,
                          struct captured *original)
{
    return find_by_url(collection, wanted, original) ||
           find_by_name(collection, &collection->by_id, wanted->id, wanted,
                        original) ||
           find_by_name(collection, &collection->by_digest, wanted->digest,
                        wanted, original);
}

/* Take the payload of the original, and its head where the revisit has none.
 * The texts of `record` are gone after this. */
static bool follow(struct collection *collection,
                   const struct warc_record *record, struct captured *captured)
{
    struct arena *arena = &collection->arena;
    struct captured original;
    struct warc_http own;
    struct warc_record copy = {.block = arena_copy(arena, record->block)};
    struct wanted wanted = {
        .url = arena_copy(arena, record->refers_to_url),
        .id = arena_copy(arena, record->refers_to_id),
        .digest = arena_copy(arena, record->payload_digest),
    };

    if (!date_read_iso(record->refers_to_date, &wanted.date_ms))
        wanted.date_ms = captured->date_ms;
    if (!wanted.url.len &&
        str_ends(record->profile, STR("/server-not-modified")))
        wanted.url = captured->url;
    bool has_head = warc_http_parse(&copy, &collection->other, &own);
    if (!find_original(collection, &wanted, &original))
        return false;
    captured->http = original.http;
    captured->body = original.body;
    captured->truncated = original.truncated;
    if (!has_head || own.status == 304)
        return true;
    own.body = original.http.body;
    captured->http = own;
    return true;
}

/* --- captures ----------------------------------------------------------- */

static bool is_marked(const struct collection *collection,
                      const struct capture *capture)
{
    const struct collection_file *file = collection->files.file;

    return collection->is_marked[file[capture->file].source];
}

static bool cannot_read(struct collection *collection, const char *problem)
{
    collection->problem = problem;
    return false;
}

/* Read a capture; its URL must be `url`, unless that is empty. False with the
 * problem, or without one if the URL is another. */
static bool read_capture(struct collection *collection, size_t number,
                         struct str url, struct captured *captured)
{
    const struct capture *capture = &collection->index.capture[number];
    struct arena *arena = &collection->arena;
    struct warc_record record;

    if (!read_at(collection, capture->file, capture->at, capture->within,
                 &record))
        return cannot_read(collection, "its record is damaged");
    if (url.len && !is_same_url(collection, record.url, url))
        return false;
    arena_clear(arena);
    *captured = (struct captured){
        .url = arena_copy(arena, record.url),
        .date_ms = capture->date_ms,
        .truncated = arena_copy(arena, record.truncated),
        .is_revisit = record.type == WARC_REVISIT,
        .is_replaced = capture->is_replaced,
        .is_marked = is_marked(collection, capture),
    };
    captured->is_page = page_depth_of(&record, &captured->page_depth);
    if (captured->is_revisit)
        return follow(collection, &record, captured) ||
               cannot_read(collection,
                           "it refers to a record that is not there");
    if (record.type == WARC_RESPONSE &&
        parse(collection, capture->file, &record, captured))
        return true;
    return cannot_read(collection, "its record is no HTTP response");
}

enum collection_answer collection_find(struct collection *collection,
                                       struct str url, uint64_t near_ms,
                                       struct captured *captured)
{
    struct nearest_captures nearest;
    size_t i;

    collection->problem = NULL;
    capture_index_near(&collection->index, key_of(collection, url), near_ms,
                       false, &nearest);
    for (int tries = 0; tries < TRIES_MAX; tries++) {
        if ((i = nearest_captures_next(&nearest)) == SIZE_MAX)
            break;
        if (read_capture(collection, i, url, captured))
            return CAPTURE_FOUND;
    }
    return collection->problem ? CAPTURE_UNREADABLE : CAPTURE_NONE;
}

const char *collection_problem(const struct collection *collection)
{
    return collection->problem ? collection->problem : "";
}

/* Heritrix writes the answers of name servers as responses too. Without a URL
 * the record itself could not be read. */
static bool may_be_page(const struct collection *collection, size_t number,
                        const struct captured *captured)
{
    const struct capture *capture = &collection->index.capture[number];

    if (is_marked(collection, capture))
        return capture->is_page && !capture->is_replaced;
    return !captured->url.len ||
           str_starts_nocase(captured->url, STR("http://")) ||
           str_starts_nocase(captured->url, STR("https://"));
}

bool collection_each(struct collection *collection,
                     bool (*each)(void *user, const struct captured *captured),
                     void *user)
{
    collection->unreadable = 0;
    capture_index_sort(&collection->index);
    for (size_t i = 0; i < collection->index.count; i++) {
        struct captured captured = {0};
        if (!read_capture(collection, i, (struct str){0}, &captured))
            collection->unreadable += may_be_page(collection, i, &captured);
        else if (!each(user, &captured))
            return false;
    }
    return true;
}
