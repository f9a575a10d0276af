/* Captures are in one array; those of a URL are a list through it that begins
 * in a hash table of the URLs' fingerprints. A fingerprint may lie, so the URL
 * of a record is compared when it is read.
 *
 * A revisit names its original by URL and date. If it does not, or there is no
 * such capture, all files are read once more for a table of ids and digests. */
#include "archive/collection.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/random.h>

#include "archive/collection_files.h"
#include "base/hash.h"
#include "base/mem.h"
#include "ds/hashtable.h"
#include "url/url.h"

enum {
    TRIES_MAX = 4, /* captures of a URL that are tried for an original */
    SCRATCH_MAX = WARC_BLOCK_MAX,
    FILE_BITS = 29, /* of the number of a file */
    FILE_MASK = (1 << FILE_BITS) - 1,
};

struct capture {
    uint64_t at, within, date_ms;
    uint32_t file : FILE_BITS;
    uint32_t is_revisit : 1;
    uint32_t is_page : 1;
    uint32_t is_cut : 1; /* a part of it is missing */
    uint32_t next;       /* of the same URL: its index + 1; 0: none */
};

/* A record that has a payload. */
struct original {
    uint64_t at, within;
    uint32_t file;
};

struct collection {
    struct collection_files files;
    struct capture *capture;
    size_t count, room;
    struct hashtable by_url; /* index + 1 of a capture */
    struct original *original;
    size_t original_count, original_room;
    size_t original_files; /* files that are in these tables */
    struct hashtable by_id, by_digest;
    bool has_pages;
    uint64_t unreadable; /* pages, in the last collection_each */
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
    hashtable_init(&collection->by_url);
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
    hashtable_release(&collection->by_url);
    hashtable_release(&collection->by_id);
    hashtable_release(&collection->by_digest);
    arena_release(&collection->arena);
    arena_release(&collection->url_arena);
    buf_release(&collection->scratch);
    buf_release(&collection->other);
    free(collection->capture);
    free(collection->original);
    free(collection);
}

size_t collection_count(const struct collection *collection)
{
    return collection->count;
}

bool collection_has_pages(const struct collection *collection)
{
    return collection->has_pages;
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

/* `capture` has its place and what is known of it. */
static void add_capture(struct collection *collection, struct str url,
                        const struct capture *capture)
{
    uint64_t key = key_of(collection, url);
    size_t index = collection->count;

    if (index >= UINT32_MAX - 1)
        return;
    collection->capture = mem_grow(collection->capture, index,
                                   &collection->room, sizeof(struct capture));
    struct capture *added = &collection->capture[index];
    *added = *capture;
    collection->count++;
    uintptr_t first = (uintptr_t)hashtable_get(&collection->by_url, key);
    if (!first) {
        hashtable_put(&collection->by_url, key, index_item(index));
        return;
    }
    struct capture *head = &collection->capture[first - 1];
    added->next = head->next;
    head->next = (uint32_t)(index + 1);
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

/* A record of a file that is read through. */
static void add_record(void *user, uint32_t file,
                       const struct warc_record *record)
{
    struct collection *collection = user;
    uint64_t date_ms = 0;

    if (!record->url.len ||
        (record->type != WARC_RESPONSE && record->type != WARC_REVISIT))
        return;
    (void)warc_date_ms(record->date, &date_ms);
    bool is_page = page_depth_of(record, &(uint32_t){0});
    collection->has_pages |= is_page;
    add_capture(collection, record->url,
                &(struct capture){.at = record->at,
                                  .within = record->within,
                                  .date_ms = date_ms,
                                  .file = file & FILE_MASK,
                                  .is_revisit = record->type == WARC_REVISIT,
                                  .is_page = is_page,
                                  .is_cut = is_cut(record)});
}

bool collection_add_path(struct collection *collection, const char *path,
                         collection_note *note, void *user,
                         struct collection_error *error)
{
    struct collection_listener listener = {note, user, add_record, collection};

    return collection_files_add_path(&collection->files, path, &listener,
                                     error);
}

/* --- reading a capture -------------------------------------------------- */

static bool is_tried(const size_t tried[], size_t count, size_t index)
{
    for (size_t i = 0; i < count; i++)
        if (tried[i] == index)
            return true;
    return false;
}

static uint64_t distance(uint64_t a, uint64_t b)
{
    return a > b ? a - b : b - a;
}

/* Is `a` to be taken before `b`? One that is whole goes before one that is cut;
 * of two at the same time the later one counts. */
static bool is_better(const struct collection *collection, size_t a, size_t b,
                      uint64_t near_ms)
{
    const struct capture *one = &collection->capture[a - 1];
    const struct capture *other = &collection->capture[b - 1];
    uint64_t far = distance(one->date_ms, near_ms);
    uint64_t other_far = distance(other->date_ms, near_ms);

    if (one->is_cut != other->is_cut)
        return other->is_cut;
    return far != other_far ? far < other_far : a > b;
}

/* The best capture in the list of a URL that was not tried, mostly the one that
 * is nearest to a time; its index + 1, or 0. */
static size_t nearest(const struct collection *collection, size_t first,
                      uint64_t near_ms, const size_t tried[], size_t count)
{
    size_t best = 0;

    for (size_t i = first; i; i = collection->capture[i - 1].next)
        if (!is_tried(tried, count, i) &&
            (!best || is_better(collection, i, best, near_ms)))
            best = i;
    return best;
}

static size_t first_of(struct collection *collection, struct str url)
{
    return (uintptr_t)hashtable_get(&collection->by_url,
                                    key_of(collection, url));
}

/* Is the record of this URL, whatever the spelling? */
static bool is_same_url(struct collection *collection, struct str a,
                        struct str b)
{
    struct arena *arena = &collection->url_arena;

    arena_clear(arena);
    return str_eq(plain_url(arena, a), plain_url(arena, b));
}

static bool read_at(struct collection *collection, uint32_t file, uint64_t at,
                    uint64_t within, struct warc_record *record)
{
    struct warc_reader *reader =
        collection_files_reader(&collection->files, file);

    if (!reader)
        return false;
    warc_reader_seek(reader, at, within);
    return warc_read(reader, record) == WARC_RECORD;
}

/* --- the original of a revisit ------------------------------------------ */

struct wanted {
    struct str url, id, digest; /* of the original; each may be empty */
    uint64_t date_ms;
};

/* What was found; in the memory of a reader. */
struct payload {
    struct warc_http http;
    struct str truncated;
};

/* Two digests by the same algorithm that differ. */
static bool is_other_digest(struct str a, struct str b)
{
    struct str_pair left = str_cut(a, ':'), right = str_cut(b, ':');

    return left.tail.len && right.tail.len &&
           str_eq_nocase(left.head, right.head) &&
           !str_eq_nocase(left.tail, right.tail);
}

static bool is_original(struct collection *collection,
                        const struct warc_record *record,
                        const struct wanted *wanted, struct payload *payload)
{
    payload->truncated = record->truncated;
    return record->type == WARC_RESPONSE &&
           !is_other_digest(record->payload_digest, wanted->digest) &&
           warc_http_parse(record, &collection->scratch, &payload->http);
}

static bool find_by_url(struct collection *collection,
                        const struct wanted *wanted, struct payload *payload)
{
    size_t tried[TRIES_MAX], count = 0;
    size_t first = wanted->url.len ? first_of(collection, wanted->url) : 0;
    struct warc_record record;

    while (count < TRIES_MAX) {
        size_t i = nearest(collection, first, wanted->date_ms, tried, count);
        if (!i)
            return false;
        tried[count++] = i;
        const struct capture *capture = &collection->capture[i - 1];
        if (!capture->is_revisit &&
            read_at(collection, capture->file, capture->at, capture->within,
                    &record) &&
            is_same_url(collection, record.url, wanted->url) &&
            is_original(collection, &record, wanted, payload))
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

static void add_original(void *user, uint32_t file,
                         const struct warc_record *record)
{
    struct collection *collection = user;

    if (record->type != WARC_RESPONSE)
        return;
    put_original(collection, &collection->by_id, record->id);
    put_original(collection, &collection->by_digest, record->payload_digest);
    collection->original =
        mem_grow(collection->original, collection->original_count,
                 &collection->original_room, sizeof(struct original));
    collection->original[collection->original_count++] =
        (struct original){record->at, record->within, file};
}

/* Read the files that are not in the tables yet. */
static void read_originals(struct collection *collection)
{
    struct collection_listener listener = {.each = add_original,
                                           .each_user = collection};

    for (; collection->original_files < collection->files.count;
         collection->original_files++)
        collection_files_read(&collection->files,
                              (uint32_t)collection->original_files, &listener);
}

static bool find_by_name(struct collection *collection,
                         const struct hashtable *table, struct str name,
                         const struct wanted *wanted, struct payload *payload)
{
    struct warc_record record;

    if (!name.len)
        return false;
    read_originals(collection);
    size_t i = (uintptr_t)hashtable_get(table, hash64(name, collection->seed));
    if (!i)
        return false;
    const struct original *original = &collection->original[i - 1];
    return read_at(collection, original->file, original->at, original->within,
                   &record) &&
           is_original(collection, &record, wanted, payload);
}

static bool find_original(struct collection *collection,
                          const struct wanted *wanted, struct payload *payload)
{
    return find_by_url(collection, wanted, payload) ||
           find_by_name(collection, &collection->by_id, wanted->id, wanted,
                        payload) ||
           find_by_name(collection, &collection->by_digest, wanted->digest,
                        wanted, payload);
}

/* Take the payload of the original, and its head where the revisit has none.
 * The texts of `record` are gone after this. */
static bool follow(struct collection *collection,
                   const struct warc_record *record, struct captured *captured)
{
    struct arena *arena = &collection->arena;
    struct payload original;
    struct warc_http own;
    struct warc_record copy = {.block = arena_copy(arena, record->block)};
    struct wanted wanted = {
        .url = arena_copy(arena, record->refers_to_url),
        .id = arena_copy(arena, record->refers_to_id),
        .digest = arena_copy(arena, record->payload_digest),
    };

    if (!warc_date_ms(record->refers_to_date, &wanted.date_ms))
        wanted.date_ms = captured->date_ms;
    if (!wanted.url.len &&
        str_ends(record->profile, STR("/server-not-modified")))
        wanted.url = captured->url;
    bool has_head = warc_http_parse(&copy, &collection->other, &own);
    if (!find_original(collection, &wanted, &original))
        return false;
    captured->http = original.http;
    captured->truncated = original.truncated;
    if (!has_head || own.status == 304)
        return true;
    own.body = original.http.body;
    captured->http = own;
    return true;
}

/* --- captures ----------------------------------------------------------- */

/* By date, then by place: a package may have older captures of another crawl in
 * its last file. */
static bool is_later(const struct collection *collection, size_t index,
                     size_t than)
{
    uint64_t date_ms = collection->capture[index].date_ms;
    uint64_t than_ms = collection->capture[than].date_ms;

    return date_ms == than_ms ? index > than : date_ms > than_ms;
}

static bool has_later_page(struct collection *collection, size_t index,
                           struct str url)
{
    for (size_t i = first_of(collection, url); i;
         i = collection->capture[i - 1].next)
        if (collection->capture[i - 1].is_page &&
            is_later(collection, i - 1, index))
            return true;
    return false;
}

/* Read a capture; its URL must be `url`, unless that is empty. */
static bool read_capture(struct collection *collection, size_t index,
                         struct str url, struct captured *captured)
{
    const struct capture *capture = &collection->capture[index];
    struct arena *arena = &collection->arena;
    struct warc_record record;

    if (!read_at(collection, capture->file, capture->at, capture->within,
                 &record))
        return false;
    if (url.len && !is_same_url(collection, record.url, url))
        return false;
    arena_clear(arena);
    *captured = (struct captured){
        .url = arena_copy(arena, record.url),
        .date_ms = capture->date_ms,
        .record_date = arena_copy(arena, record.date),
        .truncated = arena_copy(arena, record.truncated),
        .is_revisit = record.type == WARC_REVISIT,
    };
    captured->is_page = page_depth_of(&record, &captured->page_depth);
    captured->is_replaced =
        captured->is_page && has_later_page(collection, index, captured->url);
    if (captured->is_revisit)
        return follow(collection, &record, captured);
    return record.type == WARC_RESPONSE &&
           warc_http_parse(&record, &collection->scratch, &captured->http);
}

bool collection_find(struct collection *collection, struct str url,
                     uint64_t near_ms, struct captured *captured)
{
    size_t tried[TRIES_MAX], count = 0;
    size_t first = first_of(collection, url);

    while (count < TRIES_MAX) {
        size_t i = nearest(collection, first, near_ms, tried, count);
        if (!i)
            return false;
        tried[count++] = i;
        if (read_capture(collection, i - 1, url, captured))
            return true;
    }
    return false;
}

/* Heritrix writes the answers of name servers as responses too. Without a URL
 * the record itself could not be read. */
static bool may_be_page(const struct collection *collection, size_t index,
                        const struct captured *captured)
{
    if (collection->has_pages)
        return collection->capture[index].is_page && !captured->is_replaced;
    return !captured->url.len ||
           str_starts_nocase(captured->url, STR("http://")) ||
           str_starts_nocase(captured->url, STR("https://"));
}

bool collection_each(struct collection *collection,
                     bool (*each)(void *user, const struct captured *captured),
                     void *user)
{
    collection->unreadable = 0;
    for (size_t i = 0; i < collection->count; i++) {
        struct captured captured = {0};
        if (!read_capture(collection, i, (struct str){0}, &captured))
            collection->unreadable += may_be_page(collection, i, &captured);
        else if (!each(user, &captured))
            return false;
    }
    return true;
}
