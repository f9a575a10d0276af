#include <assert.h>
#include <errno.h>
#include <stdlib.h>

#include "base/mem.h"
#include "frontier/internal.h"

/* What is queued may take only so much memory. Each domain with something
 * queued has a share of it, and each of its hosts a share of that. Once all is
 * used up, what is found beyond the share of its host goes to the host's shelf,
 * in a file, and so does all that comes after until the shelf is empty. When
 * half of the share is free again the first come back. Hosts with nothing in
 * memory have a shelf in common with others of their domain, domains that are
 * new one in common with all that are. So a site that makes up URLs, hosts or
 * domains takes no more memory than there is, and holds up nobody but itself.
 *
 * By priority a shelf is first in, first out: what stands there does not move
 * up when it is found again. In breadth-first order it is by depth and then by
 * age, and what stands there counts when it is asked whether a depth is done.
 */

enum {
    SHARE_MIN = 512,

    /* So many hosts of a domain may be in memory side by side in any case. */
    HOSTS_MIN = 16,

    /* At a time, so that nobody waits long for it. */
    REFILL_MAX = 1000,
    NEWCOMERS_MAX = 64,

    /* After so many others a newcomer is let in, full or not. */
    NEWCOMER_EVERY = 4,

    /* Of one depth: what is put back into memory though memory is full. */
    OPEN_EACH = 4,
    OPEN_ALL = 10000,

    /* What the allocator and the tables need beside the struct itself. */
    TARGET_BYTES = sizeof(struct target) + 64,
    HOST_BYTES = sizeof(struct host) + 256, /* one with something queued */
};

/* A shorter way to what is on a shelf. */
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

    active->queued_hosts += !host->queue.count;
    heap_put(&host->queue, &target->node);
    frontier->queued_domains += !active->queued_bytes;
    frontier->queued_bytes += bytes;
    active->queued_bytes += bytes;
    host->queued_bytes += bytes;
}

void queue_remove(struct frontier *frontier, struct target *target)
{
    struct host *host = target->host;
    struct active *active = host->domain->active;

    heap_remove(&host->queue, &target->node);
    size_t bytes = bytes_of(target) + (host->queue.count ? 0 : HOST_BYTES);
    assert(host->queued_bytes >= bytes && active->queued_bytes >= bytes);
    frontier->queued_bytes -= bytes;
    active->queued_bytes -= bytes;
    host->queued_bytes -= bytes;
    active->queued_hosts -= !host->queue.count;
    frontier->queued_domains -= !active->queued_bytes;
    domain_free_unused(host->domain);
}

void count_queued(struct frontier *frontier)
{
    size_t queued = frontier->targets.count + frontier->shelved;

    if (queued > frontier->counts.queued_max)
        frontier->counts.queued_max = queued;
    if (frontier->shelved > frontier->counts.on_disk_max)
        frontier->counts.on_disk_max = frontier->shelved;
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

static size_t host_share(const struct frontier *frontier,
                         const struct active *active)
{
    size_t bytes = share(frontier) / (active->queued_hosts + 1);

    return bytes > SHARE_MIN ? bytes : SHARE_MIN;
}

/* May there be one more host of the domain in memory? */
static bool has_room_for_host(const struct frontier *frontier,
                              const struct active *active)
{
    return active->queued_hosts < HOSTS_MIN ||
           active->queued_hosts < share(frontier) / 2 / HOST_BYTES;
}

/* Where one more belongs; NULL: in memory. */
static struct shelf *host_shelf(const struct frontier *frontier,
                                struct host *host)
{
    if (host->shelf.rungs)
        return &host->shelf;
    return is_full(frontier) && host->queued_bytes >
                                    host_share(frontier, host->domain->active)
               ? &host->shelf
               : NULL;
}

static struct shelf *domain_shelf(const struct frontier *frontier,
                                  struct active *active)
{
    bool full = is_full(frontier) && !has_room_for_host(frontier, active);

    return full || active->shelf.rungs ? &active->shelf : NULL;
}

static bool has_queue(const struct host *host)
{
    return host->queue.count || host->shelf.rungs;
}

static bool domain_has_queue(const struct active *active)
{
    return active->queued_bytes || active->shelf.rungs;
}

static struct shelf *find_shelf(struct frontier *frontier,
                                struct domain *domain, struct host *host)
{
    struct active *active = domain->active;

    if (host && has_queue(host))
        return host_shelf(frontier, host);
    if (active && domain_has_queue(active))
        return domain_shelf(frontier, active);
    if (domain->crawled)
        return NULL;
    return is_full(frontier) || frontier->newcomers.rungs ? &frontier->newcomers
                                                          : NULL;
}

/* After its first depth, or its turn, has changed. */
static void place_shelf(struct frontier *frontier, struct shelf *shelf)
{
    if (shelf == &frontier->newcomers)
        return;
    if (heap_has(&shelf->node) && shelf_is_empty(shelf))
        heap_remove(&frontier->shelves, &shelf->node);
    else if (heap_has(&shelf->node))
        heap_moved(&frontier->shelves, &shelf->node);
    else if (!shelf_is_empty(shelf))
        heap_put(&frontier->shelves, &shelf->node);
}

static uint32_t rung_of(const struct frontier *frontier, uint32_t depth)
{
    return frontier->options.order == ORDER_BFS ? depth : 0;
}

/* False where there is no place for it. */
static bool put_onto(struct frontier *frontier, struct shelf *shelf,
                     struct shelved *shelved)
{
    struct str text = shelved->url.href;

    shelved->url.href.ptr = NULL;
    bool good = shelf_add(shelf, frontier->spill,
                          rung_of(frontier, shelved->depth), shelved, text);
    shelved->url.href = text;
    if (good)
        place_shelf(frontier, shelf);
    return good;
}

bool overflow_put(struct frontier *frontier, const struct offer *offer,
                  struct queued *queued)
{
    struct shelved shelved;

    if (!frontier->spill || (!frontier->shelved && !is_full(frontier)))
        return false;
    struct domain *domain = offer->domain.len
                                ? domain_named(frontier, offer->domain)
                                : domain_for(frontier, offer->url);
    struct shelf *shelf =
        find_shelf(frontier, domain, host_known(frontier, offer->url));
    if (!shelf)
        return false;
    memset(&shelved, 0, sizeof(shelved)); /* padding, too */
    shelved.url = *offer->url;
    shelved.fingerprint = offer->fingerprint;
    shelved.number = queued->number;
    shelved.depth = offer->depth;
    shelved.referrer_id = offer->referrer_id;
    shelved.found = offer->found;
    shelved.kind = (uint8_t)offer->kind;
    shelved.redirects = offer->redirects;
    /* Without a file there is still the memory. */
    if (!put_onto(frontier, shelf, &shelved))
        return false;
    frontier->shelved++;
    if (frontier->seen)
        seen_mark(frontier->seen, offer->fingerprint, true);
    count_host(frontier, offer->url);
    queued->domain = (struct str){domain->name, domain->name_len};
    return true;
}

/* --- and back ----------------------------------------------------------- */

/* Where a shorter way to it was found since, that counts. */
static void lower(const struct frontier *frontier, struct shelved *shelved)
{
    const struct lowered *lowered =
        hashtable_get(&frontier->lowered, shelved->fingerprint);

    if (!lowered || lowered->depth >= shelved->depth)
        return;
    shelved->depth = lowered->depth;
    shelved->referrer_id = lowered->referrer_id;
    shelved->lowered = true;
}

/* The first of a rung, which is on no shelf until it is put somewhere. */
static bool take(struct frontier *frontier, struct shelf *shelf, uint32_t depth,
                 struct shelved *shelved)
{
    if (!shelf_take(shelf, frontier->spill, depth, shelved,
                    &frontier->record)) {
        frontier->trouble = errno;
        return false;
    }
    lower(frontier, shelved);
    return true;
}

static void put_into_memory(struct frontier *frontier,
                            const struct shelved *shelved, uint64_t now_ms)
{
    frontier->shelved--;
    if (frontier->seen)
        seen_mark(frontier->seen, shelved->fingerprint, false);
    /* A state that was tampered with may have a URL twice. */
    if (hashtable_get(&frontier->targets, shelved->fingerprint))
        return;
    const struct offer offer = {
        .url = &shelved->url,
        .fingerprint = shelved->fingerprint,
        .depth = shelved->depth,
        .referrer_id = shelved->referrer_id,
        .found = shelved->found,
        .redirects = shelved->redirects,
        .kind = (enum target_kind)shelved->kind,
    };
    struct target *target = target_new(frontier, &offer, shelved->number);
    if (shelved->lowered)
        changed_target(frontier, target);
    levels_add(&frontier->levels, target->depth);
    enqueue(frontier, target, now_ms);
}

/* Where it stands in a line of many, and its host, or at least its domain, has
 * a shelf by now: that. NULL: it comes back to memory. */
static struct shelf *nearer_shelf(struct frontier *frontier,
                                  const struct shelf *shelf,
                                  const struct url *url)
{
    struct host *host = host_known(frontier, url);
    struct domain *domain = domain_known(frontier, url);
    struct active *active = domain ? domain->active : NULL;

    if (host && shelf == &host->shelf)
        return NULL;
    if (host && has_queue(host))
        return host_shelf(frontier, host);
    if (shelf == &frontier->newcomers && active && domain_has_queue(active))
        return domain_shelf(frontier, active);
    return NULL;
}

/* The first of a shelf: false where it went to one that is nearer to its
 * turn. */
static bool put_back(struct frontier *frontier, struct shelf *shelf,
                     uint64_t now_ms)
{
    struct shelved shelved;

    if (!take(frontier, shelf, shelf_depth(shelf), &shelved))
        return false;
    place_shelf(frontier, shelf);
    struct shelf *nearer = nearer_shelf(frontier, shelf, &shelved.url);
    if (nearer && put_onto(frontier, nearer, &shelved))
        return false;
    put_into_memory(frontier, &shelved, now_ms);
    return true;
}

/* Newcomers while there is so much room. */
static bool let_in(struct frontier *frontier, size_t bytes, uint64_t now_ms)
{
    unsigned n = 0;

    while (n < NEWCOMERS_MAX && frontier->newcomers.rungs &&
           frontier->queued_bytes < bytes && !frontier->trouble) {
        put_back(frontier, &frontier->newcomers, now_ms);
        n++;
    }
    return n > 0;
}

static void refill_host(struct frontier *frontier, struct host *host,
                        uint64_t now_ms)
{
    if (!host->shelf.rungs)
        return;
    size_t bytes = host->domain->active
                       ? host_share(frontier, host->domain->active)
                       : SHARE_MIN;
    if (host->queued_bytes > bytes / 2)
        return;
    for (unsigned n = 0;
         n < REFILL_MAX && host->shelf.rungs &&
         host->queued_bytes <= bytes * 3 / 4 && !frontier->trouble;
         n++)
        put_back(frontier, &host->shelf, now_ms);
}

static void refill_domain(struct frontier *frontier, struct domain *domain,
                          uint64_t now_ms)
{
    for (unsigned n = 0;
         n < REFILL_MAX && domain->active && domain->active->shelf.rungs &&
         has_room_for_host(frontier, domain->active) && !frontier->trouble;
         n++)
        put_back(frontier, &domain->active->shelf, now_ms);
    domain_free_unused(domain);
}

void overflow_refill(struct frontier *frontier, struct host *host,
                     uint64_t now_ms)
{
    if (!frontier->shelved)
        return;
    refill_host(frontier, host, now_ms);
    refill_domain(frontier, host->domain, now_ms);
    let_in(frontier, frontier->options.queue_bytes, now_ms);
    if (++frontier->refills % NEWCOMER_EVERY)
        return;
    for (unsigned n = 0;
         n < REFILL_MAX && frontier->newcomers.rungs && !frontier->trouble; n++)
        if (put_back(frontier, &frontier->newcomers, now_ms))
            return;
}

/* --- found nearer ------------------------------------------------------- */

/* A redirect has the depth of the page that it came from, so it may lead to
 * what was found one deeper and is on a shelf. Nobody knows where there, so
 * before the next depth begins the shelf is looked through. */

static bool flag(struct frontier *frontier, struct shelf *shelf, uint32_t depth)
{
    if (shelf_is_empty(shelf) || shelf_last_depth(shelf) <= depth)
        return false;
    if (!shelf->lowered) {
        shelf->lowered = true;
        shelf->lowered_next = frontier->lowered_shelves;
        frontier->lowered_shelves = shelf;
    }
    return true;
}

bool overflow_lower(struct frontier *frontier, const struct offer *offer)
{
    if (!frontier->shelved || frontier->options.order != ORDER_BFS ||
        !frontier->seen || !seen_is_marked(frontier->seen, offer->fingerprint))
        return false;
    struct host *host = host_known(frontier, offer->url);
    struct domain *domain = domain_known(frontier, offer->url);
    bool may_be_there = flag(frontier, &frontier->newcomers, offer->depth);
    if (domain && domain->active)
        may_be_there |= flag(frontier, &domain->active->shelf, offer->depth);
    if (host)
        may_be_there |= flag(frontier, &host->shelf, offer->depth);
    if (!may_be_there)
        return false;
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

/* One turn of a rung: what is nearer goes to the rung where it belongs, the
 * others keep their order. */
static void turn_rung(struct frontier *frontier, struct shelf *shelf,
                      uint32_t depth, uint32_t count, uint64_t now_ms)
{
    while (count--) {
        struct shelved shelved;
        if (!take(frontier, shelf, depth, &shelved))
            return;
        if (!put_onto(frontier, shelf, &shelved))
            put_into_memory(frontier, &shelved, now_ms);
    }
}

static void look_through(struct frontier *frontier, struct shelf *shelf,
                         uint64_t now_ms)
{
    struct rung *next;

    for (struct rung *rung = shelf->rungs; rung && !frontier->trouble;
         rung = next) {
        next = rung->next;
        if (rung->depth > frontier->lowered_depth)
            turn_rung(frontier, shelf, rung->depth, rung->queue.count, now_ms);
    }
    place_shelf(frontier, shelf);
}

static void lift_lowered(struct frontier *frontier, uint64_t now_ms)
{
    while (frontier->lowered_shelves) {
        struct shelf *shelf = frontier->lowered_shelves;
        frontier->lowered_shelves = shelf->lowered_next;
        shelf->lowered = false;
        look_through(frontier, shelf, now_ms);
    }
    forget_lowered(frontier);
}

/* --- when nothing can be taken ------------------------------------------- */

static struct shelf *first_shelf(const struct frontier *frontier)
{
    struct heap_node *node = heap_first(&frontier->shelves);

    return node ? container_of(node, struct shelf, node) : NULL;
}

uint32_t overflow_depth(const struct frontier *frontier)
{
    const struct shelf *first = first_shelf(frontier);
    uint32_t depth = first ? shelf_depth(first) : UINT32_MAX;

    if (depth > shelf_depth(&frontier->newcomers))
        depth = shelf_depth(&frontier->newcomers);
    return depth < frontier->lowered_depth ? depth : frontier->lowered_depth;
}

static bool may_open(const struct frontier *frontier, uint32_t depth,
                     size_t bytes)
{
    size_t open = levels_open(&frontier->levels, depth);

    return !open || (open < OPEN_ALL && frontier->queued_bytes < bytes);
}

/* Some of this depth of every shelf that has it: what is in memory of their
 * domains may be deeper, as where a sitemap lists what is nearer. */
static bool open_shelves(struct frontier *frontier, uint32_t depth,
                         size_t bytes, uint64_t now_ms)
{
    struct shelf *shelf;
    bool some = false;

    while ((shelf = first_shelf(frontier)) && shelf_depth(shelf) <= depth &&
           may_open(frontier, depth, bytes)) {
        shelf->turn = ++frontier->turn;
        for (unsigned n = 0; n < OPEN_EACH && shelf_depth(shelf) <= depth;
             n++) {
            put_back(frontier, shelf, now_ms);
            if (frontier->trouble)
                return false;
            some = true;
        }
        place_shelf(frontier, shelf);
    }
    return some;
}

bool overflow_open(struct frontier *frontier, uint64_t now_ms)
{
    uint32_t lowest = levels_lowest(&frontier->levels);
    uint32_t depth = overflow_depth(frontier);
    size_t bytes = 2 * frontier->options.queue_bytes;

    if (frontier->trouble)
        return false;
    if (frontier->options.order != ORDER_BFS)
        return let_in(frontier, bytes, now_ms);
    /* Before the next depth begins. */
    if (frontier->lowered_depth < lowest) {
        lift_lowered(frontier, now_ms);
        return true;
    }
    if (!frontier->shelved || depth > lowest)
        return false;
    bool some = open_shelves(frontier, depth, bytes, now_ms);
    if (shelf_depth(&frontier->newcomers) > depth)
        return some;
    /* Where there is nothing else of this depth it has to be, full or not. */
    return let_in(frontier, depth < lowest && !some ? SIZE_MAX : bytes,
                  now_ms) ||
           some;
}

void overflow_release(struct frontier *frontier)
{
    forget_lowered(frontier);
    shelf_release(&frontier->newcomers);
    heap_release(&frontier->shelves);
    spill_free(frontier->spill);
    buf_release(&frontier->record);
}
