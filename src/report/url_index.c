#include "report/url_index.h"

#include <stdlib.h>

#include "base/hash.h"
#include "base/mem.h"
#include "frontier/target.h"

struct url_entry {
    uint64_t key;   /* fingerprint of the page */
    uint64_t exact; /* hash of the spelling */
    uint64_t via;
    uint32_t referrer, depth, page;
    uint8_t kind, verdict; /* of its own row */
    uint8_t end;           /* enum url_end; URL_NONE: not to be found */
};

/* Where a URL led. */
struct redirect {
    uint64_t number, key, exact;
};

struct reading {
    struct url_index *index;
    struct arena arena; /* of one URL */
};

static uint64_t hash_exact(const struct url_index *index, struct str href)
{
    return hash64(href, index->scan->fingerprint_seed);
}

/* --- a few words on every URL ------------------------------------------- */

static bool begin(void *user, uint64_t urls, uint64_t last_number)
{
    struct url_index *index = ((struct reading *)user)->index;

    (void)urls;
    index->entries = last_number + 1;
    index->entry = mem_array(index->entries, sizeof(*index->entry));
    for (uint64_t i = 0; i < index->entries; i++)
        index->entry[i].end = URL_NONE;
    return true;
}

static struct redirect *new_redirect(struct url_index *index)
{
    index->redirect = mem_grow(index->redirect, index->redirects,
                               &index->redirect_room, sizeof(*index->redirect));
    return &index->redirect[index->redirects++];
}

static bool read_fetch(void *user, const struct store_fetch *row)
{
    struct reading *reading = user;
    struct url_index *index = reading->index;
    struct page_link link;

    if (row->number >= index->entries)
        return false;
    arena_clear(&reading->arena);
    if (!row->target.len ||
        pagescanner_link(&link, &reading->arena, row->target, NULL, NULL,
                         index->scan))
        return true;
    *new_redirect(index) = (struct redirect){
        .number = row->number,
        .key = link.fingerprint,
        .exact = hash_exact(index, link.url.href),
    };
    return true;
}

static bool read_url(void *user, const struct url_record *url)
{
    struct reading *reading = user;
    struct url_index *index = reading->index;
    const struct store_url *row = url->row;
    struct page_link link;

    arena_clear(&reading->arena);
    if (row->kind > TARGET_SITEMAP ||
        pagescanner_link(&link, &reading->arena, row->url, NULL, NULL,
                         index->scan))
        return false;
    index->entry[row->number] = (struct url_entry){
        .key = link.fingerprint,
        .exact = hash_exact(index, row->url),
        .via = row->via,
        .referrer = url->referrer,
        .depth = url->depth,
        .page = url->page,
        .kind = row->kind,
        .verdict = row->verdict,
        .end = (uint8_t)url->end,
    };
    return true;
}

bool url_index_read(struct url_index *index, struct store *store,
                    const struct scan_options *scan, struct store_error *error)
{
    struct reading reading = {.index = index};
    const struct fold_reader reader = {
        .rows = {.user = &reading, .fetch = read_fetch},
        .pages = true,
        .begin = begin,
        .url = read_url,
    };

    *index = (struct url_index){.scan = scan};
    arena_init(&index->arena);
    arena_init(&reading.arena);
    bool good = store_fold(store, 0, &reader, error);
    arena_release(&reading.arena);
    return good;
}

void url_index_release(struct url_index *index)
{
    free(index->entry);
    free(index->redirect);
    arena_release(&index->arena);
}

/* --- finding ------------------------------------------------------------ */

static unsigned rank(const struct url_entry *entry, uint64_t exact)
{
    enum verdict verdict = (enum verdict)entry->verdict;

    return (entry->kind == TARGET_PAGE ? 16u : 0) +
           (verdict == ACCEPT ? 8u : 0) +
           (verdict_basis(verdict) == BASIS_PAGE ? 4u : 0) +
           (entry->exact == exact ? 2u : 0) + (entry->page ? 1u : 0);
}

static uint64_t find(const struct url_index *index, uint64_t key,
                     uint64_t exact)
{
    uint64_t found = 0;

    for (uint64_t i = 1; i < index->entries; i++)
        if (index->entry[i].end != URL_NONE && index->entry[i].key == key &&
            (!found || rank(&index->entry[i], exact) >=
                           rank(&index->entry[found], exact)))
            found = i;
    return found;
}

uint64_t url_index_find(const struct url_index *index,
                        const struct page_link *link)
{
    return find(index, link->fingerprint, hash_exact(index, link->url.href));
}

uint64_t url_index_page(const struct url_index *index, uint32_t page)
{
    for (uint64_t i = 1; i < index->entries && page; i++)
        if (index->entry[i].page == page)
            return i;
    return 0;
}

uint32_t url_index_referrer(const struct url_index *index, uint64_t number)
{
    return number < index->entries ? index->entry[number].referrer : 0;
}

uint64_t url_index_via(const struct url_index *index, uint64_t number)
{
    return number < index->entries ? index->entry[number].via : 0;
}

uint64_t url_index_target(const struct url_index *index, uint64_t number)
{
    for (size_t i = 0; i < index->redirects; i++)
        if (index->redirect[i].number == number)
            return find(index, index->redirect[i].key,
                        index->redirect[i].exact);
    return 0;
}

uint64_t url_index_before(const struct url_index *index, uint64_t number)
{
    const struct url_entry *own = &index->entry[number];
    uint64_t count = 0;

    for (uint64_t i = 1; i < index->entries; i++) {
        const struct url_entry *entry = &index->entry[i];
        count += entry->end == URL_QUEUED &&
                 (entry->depth < own->depth ||
                  (entry->depth == own->depth && i < number));
    }
    return count;
}

/* --- everything that is recorded of some -------------------------------- */

struct filling {
    struct arena *arena;
    struct url_details *details;
    size_t count;
};

static struct url_details *details_of(const struct filling *filling,
                                      uint64_t number)
{
    for (size_t i = 0; i < filling->count; i++)
        if (filling->details[i].number == number && number)
            return &filling->details[i];
    return NULL;
}

static bool fill_fetch(void *user, const struct store_fetch *row)
{
    const struct filling *filling = user;
    struct url_details *details = details_of(filling, row->number);

    if (details) {
        details->fetch = *row;
        row_copy_texts(ROW_fetch, &details->fetch, filling->arena);
    }
    return true;
}

static bool fill_refusal(void *user, const struct store_refusal *row)
{
    struct url_details *details = details_of(user, row->number);

    if (details)
        details->refusal = *row;
    return true;
}

static bool fill_url(void *user, const struct url_record *url)
{
    const struct filling *filling = user;
    struct url_details *details = details_of(filling, url->row->number);

    if (details) {
        details->row = *url->row;
        row_copy_texts(ROW_url, &details->row, filling->arena);
        details->record = *url;
        details->record.row = &details->row;
    }
    return true;
}

bool url_index_fill(struct url_index *index, struct store *store,
                    struct url_details *details, size_t count,
                    struct store_error *error)
{
    struct filling filling = {&index->arena, details, count};
    const struct fold_reader reader = {
        .rows = {.user = &filling,
                 .fetch = fill_fetch,
                 .refusal = fill_refusal},
        .pages = true,
        .url = fill_url,
    };

    return store_fold(store, 0, &reader, error);
}
