#include <assert.h>
#include <errno.h>
#include <stdlib.h>

#include "base/mem.h"
#include "frontier/internal.h"

/* What is queued may take only so much memory. Each domain with something
 * queued has a share of it; beyond its share, once all is used up, what is
 * found goes to the domain's shelf, a queue in a file. When half of the share
 * is free again the oldest come back. Domains that are new have a shelf in
 * common. So a site that makes up URLs, hosts or domains takes no more memory
 * than there is, and none from the sites that are crawled already.
 *
 * The order is the same as without a shelf, but that what stands there is
 * taken oldest first: it does not move up when it is found again, and a host
 * may wait behind others of its domain, a new domain behind others that are
 * new. In breadth-first order depths never get smaller along a shelf (what has
 * a smaller one than the last there stays in memory), and what is on the
 * shelves counts when it is asked whether a depth is done. */

enum {
    SHARE_MIN = 2048,
    /* At a time, so that nobody waits long for it. */
    REFILL_MAX = 1000,
    NEWCOMERS_MAX = 64,

    /* What the allocator and the tables need beside the struct itself. */
    TARGET_BYTES = sizeof(struct target) + 64,
    HOST_BYTES = sizeof(struct host) + 256, /* one with something queued */
};

/* A record: this, then the text. */
struct shelved {
    struct url url; /* without the text */
    uint64_t fingerprint, number;
    uint32_t depth, referrer_id, found;
    uint8_t kind, redirects;
};

/* A shorter way to what may be on a shelf. */
struct lowered {
    uint32_t depth, referrer_id;
};

/* --- in memory ---------------------------------------------------------- */

static size_t bytes_of(const struct target *target)
{
    return TARGET_BYTES + target->url_len;
}

void queue_put(struct frontier *frontier, struct target *target)
{
    struct host *host = target->host;
    struct active *active = domain_active(host->domain, frontier->ranks);
    size_t bytes = bytes_of(target) + (host->queue.count ? 0 : HOST_BYTES);

    heap_put(&host->queue, &target->node);
    frontier->queued_domains += !active->queued_bytes;
    frontier->queued_bytes += bytes;
    active->queued_bytes += bytes;
}

void queue_remove(struct frontier *frontier, struct target *target)
{
    struct host *host = target->host;
    struct active *active = host->domain->active;

    heap_remove(&host->queue, &target->node);
    size_t bytes = bytes_of(target) + (host->queue.count ? 0 : HOST_BYTES);
    assert(active->queued_bytes >= bytes);
    frontier->queued_bytes -= bytes;
    active->queued_bytes -= bytes;
    frontier->queued_domains -= !active->queued_bytes;
    domain_free_unused(host->domain);
}

void count_queued(struct frontier *frontier)
{
    size_t queued = frontier->targets.count + frontier->shelved;

    if (queued > frontier->counts.queued_max)
        frontier->counts.queued_max = queued;
    if (frontier->shelved > frontier->counts.shelved_max)
        frontier->counts.shelved_max = frontier->shelved;
}

/* --- records ------------------------------------------------------------- */

static bool write_record(struct frontier *frontier, struct shelf *shelf,
                         const struct offer *offer, uint64_t number)
{
    struct str text = offer->url->href;
    char record[sizeof(struct shelved) + URL_LEN_MAX];
    struct shelved shelved;

    if (text.len > URL_LEN_MAX)
        return false;
    memset(&shelved, 0, sizeof(shelved)); /* padding, too */
    shelved.url = *offer->url;
    shelved.url.href = (struct str){.len = text.len};
    shelved.fingerprint = offer->fingerprint;
    shelved.number = number;
    shelved.depth = offer->depth;
    shelved.referrer_id = offer->referrer_id;
    shelved.found = offer->found;
    shelved.kind = (uint8_t)offer->kind;
    shelved.redirects = offer->redirects;
    memcpy(record, &shelved, sizeof(shelved));
    memcpy(record + sizeof(shelved), text.ptr, text.len);
    return spill_put(frontier->spill, &shelf->queue,
                     (struct str){record, sizeof(shelved) + text.len});
}

/* The first of a shelf that has one; its text is in frontier->record. */
static bool read_record(struct frontier *frontier, struct shelf *shelf,
                        struct shelved *shelved)
{
    struct buf *record = &frontier->record;

    if (!spill_take(frontier->spill, &shelf->queue, record)) {
        frontier->trouble = errno;
        return false;
    }
    memcpy(shelved, record->ptr, sizeof(*shelved));
    shelved->url.href.ptr = record->ptr + sizeof(*shelved);
    return true;
}

/* NULL, or the shorter way to it that was found since. */
static const struct lowered *find_lowered(const struct frontier *frontier,
                                          const struct shelved *shelved)
{
    const struct lowered *lowered =
        hashtable_get(&frontier->lowered, shelved->fingerprint);

    return lowered && lowered->depth < shelved->depth ? lowered : NULL;
}

static void put_into_memory(struct frontier *frontier,
                            const struct shelved *shelved, uint64_t now_ms)
{
    const struct lowered *lowered = find_lowered(frontier, shelved);
    const struct offer offer = {
        .url = &shelved->url,
        .fingerprint = shelved->fingerprint,
        .depth = lowered ? lowered->depth : shelved->depth,
        .referrer_id = lowered ? lowered->referrer_id : shelved->referrer_id,
        .found = shelved->found,
        .redirects = shelved->redirects,
        .kind = (enum target_kind)shelved->kind,
    };

    frontier->shelved--;
    levels_remove(&frontier->shelf_levels, shelved->depth);
    if (frontier->seen)
        seen_mark(frontier->seen, shelved->fingerprint, false);
    /* A state that was tampered with may have a URL twice. */
    if (hashtable_get(&frontier->targets, shelved->fingerprint))
        return;
    struct target *target = target_new(frontier, &offer, shelved->number);
    if (lowered)
        changed_target(frontier, target);
    levels_add(&frontier->levels, target->depth);
    enqueue(frontier, target, now_ms);
}

/* --- onto a shelf ------------------------------------------------------- */

static size_t share(const struct frontier *frontier)
{
    size_t bytes =
        frontier->options.queue_bytes / (frontier->queued_domains + 1);

    return bytes > SHARE_MIN ? bytes : SHARE_MIN;
}

static bool is_full(const struct frontier *frontier)
{
    return frontier->queued_bytes > frontier->options.queue_bytes;
}

/* Where it belongs; NULL: in memory. */
static struct shelf *find_shelf(struct frontier *frontier,
                                struct domain *domain,
                                const struct offer *offer)
{
    struct active *active = domain->active;
    struct shelf *shelf;
    bool full = is_full(frontier);

    if (active && active->queued_bytes) {
        shelf = &active->shelf;
        full = full && active->queued_bytes > share(frontier);
    } else if (!domain->crawled) {
        shelf = &frontier->newcomers;
    } else {
        return NULL;
    }
    if (shelf->queue.count)
        full = frontier->options.order != ORDER_BFS ||
               offer->depth >= shelf->last_depth;
    return full ? shelf : NULL;
}

bool shelf_put(struct frontier *frontier, const struct offer *offer,
               struct queued *queued)
{
    if (!frontier->spill || (!frontier->shelved && !is_full(frontier)))
        return false;
    struct domain *domain = domain_for(frontier, offer->url);
    struct shelf *shelf = find_shelf(frontier, domain, offer);
    /* Without a file there is still the memory. */
    if (!shelf || !write_record(frontier, shelf, offer, queued->number))
        return false;
    if (shelf->queue.count == 1)
        shelf->first_depth = offer->depth;
    shelf->last_depth = offer->depth;
    if (frontier->shelf_deepest < offer->depth)
        frontier->shelf_deepest = offer->depth;
    levels_add(&frontier->shelf_levels, offer->depth);
    frontier->shelved++;
    if (frontier->seen)
        seen_mark(frontier->seen, offer->fingerprint, true);
    queued->domain = (struct str){domain->name, domain->name_len};
    return true;
}

/* --- and back ----------------------------------------------------------- */

static void put_back(struct frontier *frontier, struct shelf *shelf,
                     uint64_t now_ms)
{
    struct shelved shelved;

    if (!read_record(frontier, shelf, &shelved))
        return;
    shelf->first_depth = shelved.depth;
    put_into_memory(frontier, &shelved, now_ms);
}

static bool wants_more(const struct frontier *frontier,
                       const struct domain *domain, size_t bytes)
{
    const struct active *active = domain->active;

    return active && active->shelf.queue.count &&
           active->queued_bytes < bytes && !frontier->trouble;
}

/* Newcomers while there is so much room. */
static bool let_in(struct frontier *frontier, size_t bytes, uint64_t now_ms)
{
    unsigned n = 0;

    while (n < NEWCOMERS_MAX && frontier->newcomers.queue.count &&
           frontier->queued_bytes < bytes && !frontier->trouble) {
        put_back(frontier, &frontier->newcomers, now_ms);
        n++;
    }
    return n > 0;
}

void shelf_refill(struct frontier *frontier, struct domain *domain,
                  uint64_t now_ms)
{
    size_t bytes = share(frontier);

    if (!frontier->shelved)
        return;
    if (wants_more(frontier, domain, bytes / 2)) {
        for (unsigned n = 0;
             n < REFILL_MAX && wants_more(frontier, domain, bytes * 3 / 4); n++)
            put_back(frontier, &domain->active->shelf, now_ms);
        domain_free_unused(domain);
    }
    let_in(frontier, frontier->options.queue_bytes, now_ms);
}

/* --- found nearer ------------------------------------------------------- */

/* A redirect has the depth of the page that it came from, so it may lead to
 * what was found one deeper and is on a shelf. Nobody knows where there, so
 * before the next depth begins the shelf is looked through. */

static bool may_have(const struct shelf *shelf, uint32_t depth)
{
    return shelf->queue.count && shelf->last_depth > depth;
}

bool shelf_lower(struct frontier *frontier, const struct offer *offer)
{
    if (!frontier->shelved || frontier->options.order != ORDER_BFS ||
        offer->depth >= frontier->shelf_deepest || !frontier->seen ||
        !seen_is_marked(frontier->seen, offer->fingerprint))
        return false;
    struct domain *domain = domain_known(frontier, offer->url);
    if (domain->active && may_have(&domain->active->shelf, offer->depth))
        domain->active->shelf.lowered = true;
    if (may_have(&frontier->newcomers, offer->depth))
        frontier->newcomers.lowered = true;
    struct lowered *lowered =
        hashtable_get(&frontier->lowered, offer->fingerprint);
    if (!lowered) {
        lowered = NEW(struct lowered);
        lowered->depth = UINT32_MAX;
        hashtable_put(&frontier->lowered, offer->fingerprint, lowered);
    }
    if (lowered->depth <= offer->depth)
        return false;
    lowered->depth = offer->depth;
    lowered->referrer_id = offer->referrer_id;
    if (frontier->lowered_depth > offer->depth)
        frontier->lowered_depth = offer->depth;
    return true;
}

static void forget_lowered(struct frontier *frontier)
{
    void *lowered;

    for (size_t at = 0; (lowered = hashtable_next(&frontier->lowered, &at));)
        free(lowered);
    hashtable_release(&frontier->lowered);
    hashtable_init(&frontier->lowered);
    frontier->lowered_depth = UINT32_MAX;
}

/* One turn of a shelf: those that are nearer get out, the others keep their
 * order. */
static void look_through(struct frontier *frontier, struct shelf *shelf,
                         uint64_t now_ms)
{
    struct shelved shelved;

    for (uint32_t n = shelf->lowered ? shelf->queue.count : 0;
         n-- && read_record(frontier, shelf, &shelved);)
        if (find_lowered(frontier, &shelved) ||
            !spill_put(frontier->spill, &shelf->queue,
                       buf_str(&frontier->record)))
            put_into_memory(frontier, &shelved, now_ms);
    shelf->lowered = false;
}

static void lift_lowered(struct frontier *frontier, uint64_t now_ms)
{
    struct domain *domain;

    look_through(frontier, &frontier->newcomers, now_ms);
    for (size_t at = 0; (domain = hashtable_next(&frontier->domains, &at));)
        if (domain->active) {
            look_through(frontier, &domain->active->shelf, now_ms);
            domain_free_unused(domain);
        }
    forget_lowered(frontier);
}

/* --- when nothing can be taken ------------------------------------------- */

/* Some of what may be of this depth or a smaller one. */
static unsigned open_depth(struct frontier *frontier, struct shelf *shelf,
                           uint32_t depth, unsigned max, uint64_t now_ms)
{
    unsigned n = 0;

    while (n < max && shelf->queue.count && shelf->first_depth <= depth &&
           !frontier->trouble) {
        put_back(frontier, shelf, now_ms);
        n++;
    }
    return n;
}

/* Where the depths of a domain do not come in order, as those that a sitemap
 * lists, the lowest may be behind a larger one in memory. */
static bool open_lowest(struct frontier *frontier, uint64_t now_ms)
{
    uint32_t lowest = levels_lowest(&frontier->shelf_levels);
    unsigned n = open_depth(frontier, &frontier->newcomers, lowest,
                            NEWCOMERS_MAX, now_ms);
    struct domain *domain;

    for (size_t at = 0;
         !n && (domain = hashtable_next(&frontier->domains, &at));)
        if (domain->active)
            n = open_depth(frontier, &domain->active->shelf, lowest, REFILL_MAX,
                           now_ms);
    return n > 0;
}

bool shelf_open(struct frontier *frontier, uint64_t now_ms)
{
    uint32_t lowest = levels_lowest(&frontier->levels);
    size_t bytes = 2 * frontier->options.queue_bytes;

    if (!frontier->shelved || frontier->trouble)
        return false;
    if (frontier->options.order != ORDER_BFS)
        return let_in(frontier, bytes, now_ms);
    if (frontier->lowered_depth < lowest) {
        lift_lowered(frontier, now_ms);
        return true;
    }
    if (levels_lowest(&frontier->shelf_levels) < lowest)
        return open_lowest(frontier, now_ms);
    return frontier->newcomers.first_depth <= lowest &&
           let_in(frontier, bytes, now_ms);
}

void shelves_release(struct frontier *frontier)
{
    forget_lowered(frontier);
    levels_release(&frontier->shelf_levels);
    spill_free(frontier->spill);
    buf_release(&frontier->record);
}
