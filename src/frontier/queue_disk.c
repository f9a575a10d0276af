#include <errno.h>
#include <stdlib.h>

#include "base/mem.h"
#include "frontier/frontier.h"
#include "frontier/host.h"
#include "frontier/parts.h"

/* The queue may take only so much memory. Each domain with something queued has
 * a share of it, and each of its hosts a share of that. Once all memory is used
 * up, URLs found beyond the share of their host go to the host's disk queue,
 * and so do all that come after until that is empty. When half of the share is
 * free again the first come back. Hosts with nothing in memory share a disk
 * queue with others of their domain, new domains share one with all new
 * domains. So a site that makes up URLs, hosts or domains takes no more memory
 * than there is, and holds up nobody but itself.
 *
 * By priority a disk queue is first in, first out: a URL there does not move
 * up when it is found again, and takes a smaller depth only after it was
 * fetched (crawler/relax.c). In breadth-first order it is by depth and then by
 * age, and a depth is not done while a disk queue has a URL of it.
 */

enum {
    SHARE_MIN = 512,

    /* So many hosts of a domain may be in memory side by side in any case. */
    HOSTS_MIN = 16,

    /* At a time, so that nobody waits long for it. */
    REFILL_MAX = 1000,
    NEW_DOMAINS_MAX = 64,

    /* After so many refills a new domain is let in, full or not. */
    NEW_DOMAIN_EVERY = 4,

    /* URLs of one depth that come back to memory though memory is full: from
     * each disk queue, and in all. */
    OPEN_EACH = 4,
    OPEN_ALL = 10000,
};

/* A shorter path to a URL on disk. */
struct shorter_path {
    uint32_t depth, referrer_id;
    uint16_t referrer_machine;
};

/* The set of URLs seen that this one is in. */
static struct seen *seen_of(const struct queue *queue, uint32_t part)
{
    if (!queue->seen)
        return NULL;
    return (struct seen *)(void *)((char *)queue->seen +
                                   part * queue->seen_stride);
}

static void flag(const struct queue *queue, uint64_t number,
                 uint64_t fingerprint, bool on_disk)
{
    struct seen *seen = seen_of(queue, partition_of_number(number));

    if (seen)
        seen_set_flag(seen, fingerprint, on_disk);
}

void queue_keep_depth(const struct queue *queue, uint64_t number,
                      uint64_t fingerprint, uint32_t depth)
{
    struct seen *seen = seen_of(queue, partition_of_number(number));

    if (seen && seen->depth)
        seen_set_depth(seen, fingerprint, depth);
}

/* --- onto disk ----------------------------------------------------------- */

static size_t share(const struct queue *queue)
{
    size_t bytes = queue->options->queue_bytes / (queue->domains + 1);

    return bytes > SHARE_MIN ? bytes : SHARE_MIN;
}

static bool is_full(const struct queue *queue)
{
    return queue->bytes > queue->options->queue_bytes;
}

static size_t host_share(const struct queue *queue, const struct active *active)
{
    size_t bytes = share(queue) / (active->queue.hosts + 1);

    return bytes > SHARE_MIN ? bytes : SHARE_MIN;
}

/* May there be one more host of the domain in memory? */
static bool has_room_for_host(const struct queue *queue,
                              const struct active *active)
{
    return active->queue.hosts < HOSTS_MIN ||
           active->queue.hosts < share(queue) / 2 / QUEUE_HOST_BYTES;
}

/* Where one more belongs; NULL: in memory. */
static struct disk_queue *queue_of_host(const struct queue *queue,
                                        struct host *host)
{
    if (host->queue.disk.levels)
        return &host->queue.disk;
    return is_full(queue) &&
                   host->queue.bytes > host_share(queue, host->domain->active)
               ? &host->queue.disk
               : NULL;
}

static struct disk_queue *queue_of_domain(const struct queue *queue,
                                          struct active *active)
{
    bool full = is_full(queue) && !has_room_for_host(queue, active);

    return full || active->queue.disk.levels ? &active->queue.disk : NULL;
}

static bool has_queue(const struct host *host)
{
    return host->queue.targets.count || host->queue.disk.levels;
}

static bool domain_has_queue(const struct active *active)
{
    return active->queue.bytes || active->queue.disk.levels;
}

static struct disk_queue *
find_disk_queue(struct queue *queue, struct domain *domain, struct host *host)
{
    struct active *active = domain->active;

    if (host && has_queue(host))
        return queue_of_host(queue, host);
    if (active && domain_has_queue(active))
        return queue_of_domain(queue, active);
    if (domain->score.crawled)
        return NULL;
    return is_full(queue) || queue->new_domains.levels ? &queue->new_domains
                                                       : NULL;
}

/* After its first depth, or its turn, has changed. */
static void update_disk_queue(struct queue *queue, struct disk_queue *disk)
{
    if (disk == &queue->new_domains || disk->is_apart)
        return;
    if (heap_has(&disk->node) && disk_queue_is_empty(disk))
        heap_remove(&queue->disk_queues, &disk->node);
    else if (heap_has(&disk->node))
        heap_moved(&queue->disk_queues, &disk->node);
    else if (!disk_queue_is_empty(disk))
        heap_put(&queue->disk_queues, &disk->node);
}

void queue_set_apart(struct queue *queue, struct disk_queue *disk)
{
    if (heap_has(&disk->node))
        heap_remove(&queue->disk_queues, &disk->node);
    disk->is_apart = true;
}

static uint32_t level_of(const struct queue *queue, uint32_t depth)
{
    return queue->ranking->by_level ? depth : 0;
}

/* False if the file cannot be written. */
static bool put_onto(struct queue *queue, struct disk_queue *disk,
                     const struct disk_record *record)
{
    if (!disk_queue_add(disk, queue->spill, level_of(queue, record->depth),
                        record))
        return false;
    update_disk_queue(queue, disk);
    return true;
}

bool queue_uses_disk(const struct queue *queue, enum target_kind kind)
{
    if (kind == TARGET_REQUISITE &&
        queue->requisite_bytes <= queue->options->queue_bytes / 2)
        return false;
    return queue->spill && (queue->on_disk || is_full(queue));
}

bool queue_put_on_disk(struct queue *queue, struct domain *domain,
                       struct host *host, const struct offer *offer,
                       uint64_t number)
{
    struct disk_queue *disk = find_disk_queue(queue, domain, host);
    struct disk_record record;

    if (!disk)
        return false;
    memset(&record, 0, sizeof(record)); /* padding, too */
    record.url = *offer->url;
    record.fingerprint = offer->fingerprint;
    record.number = number;
    record.depth = offer->depth;
    record.referrer_id = offer->referrer_id;
    record.referrer_machine = offer->referrer_machine;
    record.found = offer->found;
    record.kind = offer->kind & DISK_RECORD_KINDS;
    record.redirects = offer->redirects;
    record.nesting = (unsigned)offer->nesting & NESTING_LAST;
    /* If the file cannot be written the URL stays in memory. */
    if (!put_onto(queue, disk, &record))
        return false;
    queue->on_disk++;
    flag(queue, number, offer->fingerprint, true);
    if (!queue->ranking->by_level)
        queue_keep_depth(queue, number, offer->fingerprint, offer->depth);
    queue_note_count(queue);
    return true;
}

/* --- and back ----------------------------------------------------------- */

/* If a shorter path was found while it was on disk, use that depth. */
static void shorten(const struct queue *queue, struct disk_record *record)
{
    const struct shorter_path *path =
        hashtable_get(&queue->shortened, record->fingerprint);

    if (!path || path->depth >= record->depth)
        return;
    record->depth = path->depth;
    record->referrer_id = path->referrer_id;
    record->referrer_machine = path->referrer_machine;
    record->shortened = true;
}

/* The first URL of a level; the caller puts it somewhere. */
static bool take(struct queue *queue, struct disk_queue *disk, uint32_t depth,
                 struct disk_record *record)
{
    if (!disk_queue_take(disk, queue->spill, depth, record, &queue->record)) {
        queue->trouble = errno;
        return false;
    }
    shorten(queue, record);
    return true;
}

static void put_into_memory(struct queue *queue,
                            const struct disk_record *record)
{
    queue->on_disk--;
    flag(queue, record->number, record->fingerprint, false);
    /* A state that was tampered with may have a URL twice. */
    if (hashtable_get(&queue->targets, record->fingerprint))
        return;
    queue->callbacks.put_back(queue->callbacks.user, record);
}

static struct host *find_host(const struct queue *queue, const struct url *url)
{
    return queue->callbacks.find_host(queue->callbacks.user, url);
}

static struct active *find_active(const struct queue *queue,
                                  const struct url *url)
{
    const struct domain *domain =
        queue->callbacks.find_domain(queue->callbacks.user, url);

    return domain ? domain->active : NULL;
}

/* A URL leaves a disk queue that many share. If its host, or at least its
 * domain, has a disk queue of its own by now it belongs there; NULL: in
 * memory. */
static struct disk_queue *nearer_queue(struct queue *queue,
                                       const struct disk_queue *disk,
                                       const struct url *url)
{
    struct host *host = find_host(queue, url);
    struct active *active = find_active(queue, url);

    if (host && disk == &host->queue.disk)
        return NULL;
    if (host && has_queue(host))
        return queue_of_host(queue, host);
    if (disk == &queue->new_domains && active && domain_has_queue(active))
        return queue_of_domain(queue, active);
    return NULL;
}

/* The first URL of a disk queue leaves it: false if it went to another one. */
static bool put_back(struct queue *queue, struct disk_queue *disk)
{
    struct disk_record record;

    if (!take(queue, disk, disk_queue_depth(disk), &record))
        return false;
    update_disk_queue(queue, disk);
    struct disk_queue *nearer = nearer_queue(queue, disk, &record.url);
    if (nearer && put_onto(queue, nearer, &record))
        return false;
    put_into_memory(queue, &record);
    return true;
}

/* Let new domains in while the queue takes less than `bytes`. */
static bool let_in(struct queue *queue, size_t bytes)
{
    unsigned n = 0;

    while (n < NEW_DOMAINS_MAX && queue->new_domains.levels &&
           queue->bytes < bytes && !queue->trouble) {
        put_back(queue, &queue->new_domains);
        n++;
    }
    return n > 0;
}

static void refill_host(struct queue *queue, struct host *host)
{
    if (!host->queue.disk.levels)
        return;
    size_t bytes = host->domain->active
                       ? host_share(queue, host->domain->active)
                       : SHARE_MIN;
    if (host->queue.bytes > bytes / 2)
        return;
    for (unsigned n = 0; n < REFILL_MAX && host->queue.disk.levels &&
                         host->queue.bytes <= bytes * 3 / 4 && !queue->trouble;
         n++)
        put_back(queue, &host->queue.disk);
}

static void refill_domain(struct queue *queue, struct domain *domain)
{
    for (unsigned n = 0;
         n < REFILL_MAX && domain->active &&
         domain->active->queue.disk.levels &&
         has_room_for_host(queue, domain->active) && !queue->trouble;
         n++)
        put_back(queue, &domain->active->queue.disk);
    domain_free_unused(domain);
}

void queue_refill(struct queue *queue, struct host *host)
{
    if (!queue->on_disk)
        return;
    refill_host(queue, host);
    refill_domain(queue, host->domain);
    let_in(queue, queue->options->queue_bytes);
    if (++queue->refills % NEW_DOMAIN_EVERY)
        return;
    for (unsigned n = 0;
         n < REFILL_MAX && queue->new_domains.levels && !queue->trouble; n++)
        if (put_back(queue, &queue->new_domains))
            return;
}

/* --- found nearer ------------------------------------------------------- */

/* A redirect has the depth of the page that it came from, so it may lead to a
 * URL that was found one deeper and is on disk. Nobody knows where in its disk
 * queue that is, so before the next depth begins the queue is read through. */

/* The disk queue may have the URL deeper than `depth`: then it will be read. */
static bool note_shortened(struct queue *queue, struct disk_queue *disk,
                           uint32_t depth)
{
    if (disk_queue_is_empty(disk) || disk_queue_last_depth(disk) <= depth)
        return false;
    if (!disk->shortened) {
        disk->shortened = true;
        disk->shortened_next = queue->shortened_queues;
        queue->shortened_queues = disk;
    }
    return true;
}

bool queue_shorten_on_disk(struct queue *queue, const struct offer *offer)
{
    if (!queue->on_disk || !queue->ranking->by_level || !queue->seen ||
        !seen_has_flag(seen_of(queue, part_of_url(queue->options, offer->url,
                                                  offer->domain)),
                       offer->fingerprint))
        return false;
    struct host *host = find_host(queue, offer->url);
    struct active *active = find_active(queue, offer->url);
    bool may_be_there =
        note_shortened(queue, &queue->new_domains, offer->depth);
    if (active)
        may_be_there |=
            note_shortened(queue, &active->queue.disk, offer->depth);
    if (host)
        may_be_there |= note_shortened(queue, &host->queue.disk, offer->depth);
    if (!may_be_there)
        return false;
    struct shorter_path *path =
        hashtable_get(&queue->shortened, offer->fingerprint);
    if (!path) {
        path = NEW(struct shorter_path);
        path->depth = UINT32_MAX;
        hashtable_put(&queue->shortened, offer->fingerprint, path);
    }
    if (path->depth <= offer->depth)
        return false;
    path->depth = offer->depth;
    path->referrer_id = offer->referrer_id;
    path->referrer_machine = offer->referrer_machine;
    if (queue->shortened_depth > offer->depth)
        queue->shortened_depth = offer->depth;
    return true;
}

static void forget_shortened(struct queue *queue)
{
    void *path;

    for (size_t at = 0; (path = hashtable_next(&queue->shortened, &at));)
        free(path);
    hashtable_release(&queue->shortened);
    hashtable_init(&queue->shortened);
    queue->shortened_depth = UINT32_MAX;
}

/* Read a level once: URLs with a shorter path go to the level where they
 * belong, the others to its end, so they keep their order. */
static void go_through_level(struct queue *queue, struct disk_queue *disk,
                             uint32_t depth, uint32_t count)
{
    while (count--) {
        struct disk_record record;
        if (!take(queue, disk, depth, &record))
            return;
        if (!put_onto(queue, disk, &record))
            put_into_memory(queue, &record);
    }
}

static void look_through(struct queue *queue, struct disk_queue *disk)
{
    struct disk_level *next;

    for (struct disk_level *level = disk->levels; level && !queue->trouble;
         level = next) {
        next = level->next;
        if (level->depth > queue->shortened_depth)
            go_through_level(queue, disk, level->depth, level->queue.count);
    }
    update_disk_queue(queue, disk);
}

static void move_shortened(struct queue *queue)
{
    while (queue->shortened_queues) {
        struct disk_queue *disk = queue->shortened_queues;
        queue->shortened_queues = disk->shortened_next;
        disk->shortened = false;
        look_through(queue, disk);
    }
    forget_shortened(queue);
}

/* --- a partition leaves ------------------------------------------------- */

void queue_drop_disk(struct queue *queue, struct disk_queue *disk,
                     uint32_t part)
{
    struct disk_level *next;

    for (struct disk_level *level = disk->levels; level && !queue->trouble;
         level = next) {
        uint32_t depth = level->depth;
        next = level->next;
        for (uint32_t count = level->queue.count; count; count--) {
            struct disk_record record;
            if (!take(queue, disk, depth, &record))
                return;
            if (partition_of_number(record.number) == part)
                queue->on_disk--;
            else if (!put_onto(queue, disk, &record))
                put_into_memory(queue, &record);
        }
    }
    update_disk_queue(queue, disk);
}

void queue_begin_drop(struct queue *queue, uint32_t part)
{
    if (queue->shortened_queues)
        move_shortened(queue);
    queue_drop_disk(queue, &queue->new_domains, part);
}

/* --- when nothing can be taken ------------------------------------------- */

static struct disk_queue *first_disk_queue(const struct queue *queue)
{
    struct heap_node *node = heap_first(&queue->disk_queues);

    return node ? container_of(node, struct disk_queue, node) : NULL;
}

uint32_t queue_disk_depth(const struct queue *queue)
{
    const struct disk_queue *first = first_disk_queue(queue);
    uint32_t depth = first ? disk_queue_depth(first) : UINT32_MAX;

    if (depth > disk_queue_depth(&queue->new_domains))
        depth = disk_queue_depth(&queue->new_domains);
    return depth < queue->shortened_depth ? depth : queue->shortened_depth;
}

static bool may_open(const struct queue *queue, uint32_t depth, size_t bytes)
{
    size_t open = levels_open(&queue->levels, depth);

    return !open || (open < OPEN_ALL && queue->bytes < bytes);
}

/* Bring back some URLs of this depth from every disk queue that has it: the
 * URLs of their domains that are in memory may be deeper, as after a sitemap.
 */
static bool open_disk_queues(struct queue *queue, uint32_t depth, size_t bytes)
{
    struct disk_queue *disk;
    bool some = false;

    while ((disk = first_disk_queue(queue)) &&
           disk_queue_depth(disk) <= depth && may_open(queue, depth, bytes)) {
        disk->turn = ++queue->turn;
        for (unsigned n = 0; n < OPEN_EACH && disk_queue_depth(disk) <= depth;
             n++) {
            put_back(queue, disk);
            if (queue->trouble)
                return false;
            some = true;
        }
        update_disk_queue(queue, disk);
    }
    return some;
}

bool queue_open_disk(struct queue *queue)
{
    uint32_t lowest = levels_lowest(&queue->levels);
    uint32_t depth = queue_disk_depth(queue);
    size_t bytes = 2 * queue->options->queue_bytes;

    if (queue->trouble)
        return false;
    if (!queue->ranking->by_level)
        return let_in(queue, bytes);
    /* Before the next depth begins. */
    if (queue->shortened_depth < lowest) {
        move_shortened(queue);
        return true;
    }
    if (!queue->on_disk || depth > lowest)
        return false;
    bool some = open_disk_queues(queue, depth, bytes);
    if (disk_queue_depth(&queue->new_domains) > depth)
        return some;
    /* If nothing else has this depth they come in, full or not. */
    return let_in(queue, depth < lowest && !some ? SIZE_MAX : bytes) || some;
}

void queue_init_disk(struct queue *queue)
{
    hashtable_init(&queue->shortened);
    heap_init(&queue->disk_queues, disk_queue_is_opened_before);
    queue->shortened_depth = UINT32_MAX;
    buf_init(&queue->record, SPILL_RECORD_MAX);
    if (queue->options->queue_bytes)
        queue->spill = spill_new(queue->options->queue_dir_fd);
}

void queue_release_disk(struct queue *queue)
{
    forget_shortened(queue);
    disk_queue_release(&queue->new_domains);
    heap_release(&queue->disk_queues);
    spill_free(queue->spill);
    buf_release(&queue->record);
}
