#include "store/fold.h"

#include <assert.h>
#include <stdlib.h>

#include "base/mem.h"
#include "store/store_type.h"
#include "web/partition.h"

static const char *const end_names[] = {
    [URL_QUEUED] = "queued",         [URL_SAVED] = "saved",
    [URL_REDIRECTED] = "redirected", [URL_NOT_KEPT] = "not_kept",
    [URL_FAILED] = "failed",         [URL_REFUSED] = "refused",
    [URL_OUTSIDE] = "outside",       [URL_NONE] = "none",
};
static_assert(ARRAY_LEN(end_names) == URL_ENDS, "every end has a name");

const char *url_end_name(enum url_end end)
{
    return end_names[end];
}

/* The rows of a URL so far. Its own row comes last. */
struct folded {
    uint32_t again; /* index into the list of those found again, + 1; 0: none */
    uint8_t fetches, tries;
    uint8_t outcome;   /* of the last fetch */
    unsigned late : 6; /* the verdict at its turn, + 1; 0: there is none */
    unsigned ends : 2; /* how often it ended; 3: or more */
};
static_assert(sizeof(struct folded) == 8, "there is one for every URL");
enum { VERDICTS_MAX = 63 };

struct again {
    uint32_t depth, referrer, found, referrer_machine;
};

struct folding {
    const struct fold_reader *reader;
    const struct store_codes *codes;
    struct folded *folded; /* by number within the slice */
    uint32_t *page;        /* the same; NULL: nobody asked for it */
    uint64_t count;
    uint64_t base; /* what all numbers of the slice have before theirs in it */
    struct again *again;
    size_t again_count, again_room;
};

static struct folded *folded_at(struct folding *folding, uint64_t number)
{
    /* A number of another slice becomes a large one. */
    return number - folding->base < folding->count
               ? &folding->folded[number - folding->base]
               : NULL;
}

static bool fold_begin(void *user, uint64_t urls, uint64_t last_number)
{
    struct folding *folding = user;
    const struct fold_reader *reader = folding->reader;

    folding->base = partition_number(partition_of_number(last_number), 0);
    folding->count = last_number - folding->base + 1;
    folding->folded = mem_array(folding->count, sizeof(*folding->folded));
    if (reader->pages)
        folding->page = mem_array(folding->count, sizeof(*folding->page));
    return !reader->begin ||
           reader->begin(reader->rows.user, urls, last_number);
}

static struct again *again_of(struct folding *folding, struct folded *folded)
{
    if (folded->again)
        return &folding->again[folded->again - 1];
    folding->again = mem_grow(folding->again, folding->again_count,
                              &folding->again_room, sizeof(*folding->again));
    folded->again = (uint32_t)++folding->again_count;
    return &folding->again[folded->again - 1];
}

static bool fold_change(void *user, const struct store_change *row)
{
    struct folding *folding = user;
    struct folded *folded = folded_at(folding, row->number);

    if (folded)
        *again_of(folding, folded) = (struct again){
            row->depth, row->referrer, row->found, row->referrer_machine};
    return store_give(&folding->reader->rows, ROW_change, row);
}

static void add_end(struct folded *folded)
{
    if (folded->ends < 3)
        folded->ends++;
}

static bool fold_fetch(void *user, const struct store_fetch *row)
{
    struct folding *folding = user;
    struct folded *folded = folded_at(folding, row->number);

    if (row->outcome >= folding->codes->outcomes)
        return false;
    if (folded) {
        /* One that we cut short ourselves is no try. */
        bool is_try = folding->codes->outcome[row->outcome].end != URL_QUEUED;
        if (folded->fetches < UINT8_MAX)
            folded->fetches++;
        if (is_try && folded->tries < UINT8_MAX)
            folded->tries++;
        folded->outcome = row->outcome;
        if (!row->due_ms)
            add_end(folded);
        if (row->page && folding->page)
            folding->page[row->number - folding->base] = row->page;
    }
    return store_give(&folding->reader->rows, ROW_fetch, row);
}

static bool fold_refusal(void *user, const struct store_refusal *row)
{
    struct folding *folding = user;
    struct folded *folded = folded_at(folding, row->number);

    if (row->verdict >= folding->codes->verdicts)
        return false;
    if (folded) {
        folded->late = (row->verdict + 1u) & VERDICTS_MAX;
        if (!folded->fetches)
            folded->outcome = row->outcome;
        if (row->verdict)
            add_end(folded);
    }
    return store_give(&folding->reader->rows, ROW_refusal, row);
}

/* The rules of store/codes.h. */
static enum url_end end_of(const struct store_codes *codes,
                           const struct folded *folded, uint8_t verdict)
{
    unsigned late = folded->late;

    if (late)
        return late > 1 ? codes->verdict[late - 1].end : URL_NONE;
    if (codes->verdict[verdict].end != URL_QUEUED)
        return codes->verdict[verdict].end;
    return folded->ends ? codes->outcome[folded->outcome].end : URL_QUEUED;
}

static bool fold_url(void *user, const struct store_url *row)
{
    struct folding *folding = user;
    const struct folded *folded = folded_at(folding, row->number);

    if (!folded || row->verdict >= folding->codes->verdicts)
        return false;
    unsigned late = folded->late;
    const struct again first = {row->depth, row->referrer, row->found,
                                row->referrer_machine};
    const struct again *again =
        folded->again ? &folding->again[folded->again - 1] : &first;
    const struct url_record url = {
        .row = row,
        .end = end_of(folding->codes, folded, row->verdict),
        .depth = again->depth,
        .referrer = again->referrer,
        .found = again->found,
        .referrer_machine = again->referrer_machine,
        .ended = folded->ends > 0,
        .ends = folded->ends,
        .page = folding->page ? folding->page[row->number - folding->base] : 0,
        .fetches = folded->fetches,
        .tries = folded->tries,
        .outcome = folded->outcome,
        .verdict = late ? (uint8_t)(late - 1) : row->verdict,
        .refused_late = late,
    };

    return !folding->reader->url ||
           folding->reader->url(folding->reader->rows.user, &url);
}

/* Rows that say nothing of a URL. */
#define KIND(kind)                                                             \
    static bool pass_##kind(void *user, const struct store_##kind *row)        \
    {                                                                          \
        struct folding *folding = user;                                        \
        return store_give(&folding->reader->rows, ROW_##kind, row);            \
    }
#include "store/rows.def"

bool store_fold(struct store *store, unsigned slice,
                const struct fold_reader *reader, struct store_error *error)
{
    struct folding folding = {.reader = reader, .codes = store_codes(store)};
    struct store_reader folder = {
        .user = &folding,
        .unchecked = reader->rows.unchecked,
#define KIND(kind) .kind = reader->rows.kind ? pass_##kind : NULL,
#include "store/rows.def"
    };

    folder.begin = fold_begin;
    folder.change = fold_change;
    folder.fetch = fold_fetch;
    folder.refusal = fold_refusal;
    folder.url = fold_url;
    assert(folding.codes->verdicts <= VERDICTS_MAX);
    bool good = store_load(store, slice, &folder, error);
    free(folding.folded);
    free(folding.page);
    free(folding.again);
    return good;
}
