/* The queue: the targets of every host that wait for their turn, in memory and
 * beyond it on disk.
 *
 * Invariant: a URL that was put and not taken is in exactly one place: in the
 * heap of its host, among the retries of its domain, or on disk; the first two
 * are in the table by fingerprint. `levels` counts every target that is in
 * memory or in flight, but no requisite, so in breadth-first order no depth is
 * left before its pages are done.
 *
 * It knows no clocks of hosts, no addresses and no robots.txt. What it reads
 * back from disk it hands to `put_back`. Private to src/frontier/.
 */
#ifndef FRONTIER_QUEUE_H
#define FRONTIER_QUEUE_H

#include "base/hashtable.h"
#include "frontier/disk_queue.h"
#include "frontier/frontier_options.h"
#include "frontier/levels.h"
#include "frontier/ranking.h"
#include "frontier/seen.h"
#include "frontier/target.h"
#include "web/partition.h"

struct active;
struct domain;
struct host;
struct offer;

/* The queue's part of a host, and of a domain with work. */
struct host_queue {
    struct heap targets;
    uint32_t retrying;      /* targets that will come back to the heap */
    size_t bytes;           /* of memory */
    struct disk_queue disk; /* beyond that */
};

struct domain_queue {
    struct heap_node node; /* among all with retries */
    uint32_t hosts;        /* with something in memory */
    size_t bytes;
    struct heap retries;    /* targets, by due_ms */
    struct disk_queue disk; /* of hosts with nothing in memory */
};

/* What the queue asks of others: the host and the domain of a URL, or NULL if
 * they are not known; and a place in memory for a URL that was on disk. */
struct queue_callbacks {
    void *user;
    struct host *(*find_host)(void *user, const struct url *url);
    struct domain *(*find_domain)(void *user, const struct url *url);
    void (*put_back)(void *user, const struct disk_record *record);
};

struct queue {
    const struct frontier_options *options;
    const struct ranking *ranking;
    struct queue_callbacks callbacks;
    struct hashtable targets; /* by fingerprint */
    struct levels levels;
    uint32_t level;         /* nothing deeper is taken */
    struct heap retries;    /* active domains, by their first retry */
    size_t bytes;           /* of memory, for what is queued */
    size_t requisite_bytes; /* of them: for requisites */
    size_t domains;         /* with something queued in memory */
    size_t most, most_on_disk;

    /* queue_disk.c */
    struct spill *spill; /* NULL: all is in memory */
    size_t on_disk;
    struct disk_queue new_domains; /* nothing was fetched from them yet */
    struct heap disk_queues;       /* of hosts and domains, in opening order */
    uint64_t turn;                 /* of opening them */
    uint64_t refills;
    struct hashtable shortened; /* URLs on disk with a shorter path now */
    struct disk_queue *shortened_queues;
    uint32_t shortened_depth; /* the smallest of them */
    struct seen *seen;        /* or NULL; of partition 0; its flag: on disk */
    size_t seen_stride;       /* bytes to that of the next one */
    struct buf record;        /* one of them */
    int trouble;              /* an errno */
};

void queue_init(struct queue *queue, const struct frontier_options *options,
                const struct ranking *ranking,
                const struct queue_callbacks *callbacks);
void queue_release(struct queue *queue);

/* With the targets that it holds. */
void queue_release_host(struct host_queue *queue);
void queue_release_domain(struct domain_queue *queue);
bool queue_domain_is_unused(const struct domain_queue *queue);
void queue_init_domain(struct domain_queue *queue);

/* A target of the offered URL; its depth is open until queue_close. */
struct target *queue_new_target(struct queue *queue, struct host *host,
                                const struct offer *offer, uint64_t number);
void queue_close(struct queue *queue, const struct target *target);

/* In the set of URLs seen, if it keeps depths: from here on the URL cannot take
 * a smaller depth by itself. */
void queue_keep_depth(const struct queue *queue, uint64_t number,
                      uint64_t fingerprint, uint32_t depth);

/* Into the heap of its host, whose domain is active, and out again. */
void queue_put(struct queue *queue, struct target *target);
void queue_take(struct queue *queue, struct target *target);

/* It comes back to the heap of its host at `due_ms`. */
void queue_put_retry(struct queue *queue, struct target *target,
                     uint64_t due_ms);
const struct target *queue_next_retry(const struct queue *queue); /* or NULL */
/* The first retry of the domain is back in the heap of its host. */
struct target *queue_release_retry(struct queue *queue, struct active *active);
struct target *queue_release_due(struct queue *queue, uint64_t now_ms);

/* Everything of the host that is to be tried again is due now. */
void queue_hasten_retries(struct queue *queue, const struct host *host);

/* The target was found again with this offer. */
void queue_found_again(struct queue *queue, struct target *target,
                       const struct offer *offer);

/* From now on no depth waits for the host, and it waits for none. What is in
 * flight is still waited for. */
void queue_leave_behind(struct queue *queue, struct host *host);

/* In breadth-first order: is no smaller depth open? */
bool queue_is_its_level(const struct queue *queue, const struct target *target);

static inline size_t queue_count(const struct queue *queue)
{
    return queue->targets.count + queue->on_disk;
}
void queue_note_count(struct queue *queue); /* for the highest counts */

/* --- queue_disk.c -------------------------------------------------------- */

void queue_init_disk(struct queue *queue);
void queue_release_disk(struct queue *queue);

/* May a new URL belong on disk? If not, queue_put_on_disk need not be asked. A
 * requisite does only if they take half of the memory: on disk it would be
 * behind pages that it goes before. */
bool queue_uses_disk(const struct queue *queue, enum target_kind kind);
/* Put it on disk, if that is where it belongs. `host` may be NULL. */
bool queue_put_on_disk(struct queue *queue, struct domain *domain,
                       struct host *host, const struct offer *offer,
                       uint64_t number);
/* It was found again and is not in memory; see frontier_found_again. */
bool queue_shorten_on_disk(struct queue *queue, const struct offer *offer);
/* Something of the host left its heap: bring some back from disk. */
void queue_refill(struct queue *queue, struct host *host);
/* Nothing can be taken, perhaps because all that is in memory has to wait: true
 * if something came back from disk that need not. */
bool queue_open_disk(struct queue *queue);
/* No depth waits for this disk queue: only its host reads it. */
void queue_set_apart(struct queue *queue, struct disk_queue *disk);
/* A partition is forgotten: call the first once, then the second for the disk
 * queue of each of its hosts and domains. */
void queue_begin_drop(struct queue *queue, uint32_t part);
void queue_drop_disk(struct queue *queue, struct disk_queue *disk,
                     uint32_t part);

/* In breadth-first order: the smallest depth on disk. */
uint32_t queue_disk_depth(const struct queue *queue);

#endif
