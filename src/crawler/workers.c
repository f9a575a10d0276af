#include "crawler/workers.h"

#include <arpa/inet.h>
#include <assert.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/mem.h"
#include "frontier/frontier.h"

enum {
    /* Fetches of one host that overlap need a connection each. They stay with
       the host's worker while it has at most this many fetches more than the
       idlest one. */
    STICKINESS = 4,
};

struct seat {
    struct worker *worker;
    unsigned busy;
    struct messages outbox;
    struct job quit;
};

struct workers {
    struct mailbox inbox;
    struct seat *seat;
    unsigned count;
    unsigned fetches_max, fetches;
    unsigned first_room; /* fetches that the first worker has connections for */
    bool abandoned;      /* all that began before */
    struct message *back;  /* taken from the inbox, not yet by the caller */
    struct message *spare; /* jobs to be used again */
};

struct workers *workers_start(unsigned count, unsigned fetches_max,
                              const struct worker_options *options)
{
    struct workers *workers = NEW(struct workers);

    bool good = mailbox_init(&workers->inbox);
    workers->fetches_max = fetches_max;
    workers->first_room = options->fetch.connections_max - 1;
    workers->seat = mem_array(count, sizeof(*workers->seat));
    while (good && workers->count < count) {
        struct worker *worker = worker_start(options, &workers->inbox);
        good = worker;
        if (good)
            workers->seat[workers->count++].worker = worker;
    }
    if (good)
        return workers;
    int why = errno;
    workers_free(workers);
    errno = why;
    return NULL;
}

void workers_free(struct workers *workers)
{
    assert(!workers->fetches);
    for (unsigned i = 0; i < workers->count; i++) {
        struct seat *seat = &workers->seat[i];
        seat->quit.kind = JOB_QUIT;
        messages_add(&seat->outbox, &seat->quit.message);
    }
    workers_send(workers);
    for (unsigned i = 0; i < workers->count; i++)
        worker_join(workers->seat[i].worker);
    while (workers->spare) {
        struct job *job = container_of(workers->spare, struct job, message);
        workers->spare = workers->spare->next;
        webpage_release(&job->page);
        free(job);
    }
    mailbox_release(&workers->inbox);
    free(workers->seat);
    free(workers);
}

bool workers_has_room(const struct workers *workers)
{
    return workers->fetches < workers->fetches_max;
}

unsigned workers_busy(const struct workers *workers)
{
    return workers->fetches;
}

static struct job *new_job(struct workers *workers)
{
    struct message *message = workers->spare;

    if (message) {
        workers->spare = message->next;
        return container_of(message, struct job, message);
    }
    struct job *job = NEW(struct job);
    webpage_init(&job->page);
    return job;
}

static unsigned idlest_worker(const struct workers *workers)
{
    unsigned idlest = 0;

    for (unsigned i = 1; i < workers->count; i++)
        if (workers->seat[i].busy < workers->seat[idlest].busy)
            idlest = i;
    return idlest;
}

/* A worker with this many fetches has a backlog: half of its share of all
 * fetches, and at least 2. */
static unsigned backlog(const struct workers *workers)
{
    unsigned half = workers->fetches_max / (2 * workers->count);

    return half > 2 ? half : 2;
}

/* A host stays with its worker, which has its connection: a new one costs more
 * than a page. It moves where its worker has a backlog and another nothing. */
static unsigned choose_worker(const struct workers *workers,
                              struct target *target)
{
    struct host_work work = frontier_host_work(target);
    unsigned own = work.worker - 1u, idlest = idlest_worker(workers);

    if (own < workers->count) {
        unsigned busy = workers->seat[own].busy;
        unsigned idle = workers->seat[idlest].busy;

        if (work.in_flight > 1)
            return busy <= idle + STICKINESS ? own : idlest;
        if (idle || busy < backlog(workers))
            return own;
    }
    frontier_set_worker(target, (uint16_t)(idlest + 1));
    return idlest;
}

struct job *workers_lookup(struct workers *workers, struct target *target)
{
    struct job *job = new_job(workers);
    const struct url url = target_url_parts(target);

    webpage_ask_parsed(&job->page, &url, 0, false);
    job->worker = workers->count;
    job->target = target;
    job->address_turn = frontier_address_turn(target);
    return job;
}

struct mailbox *workers_inbox(struct workers *workers)
{
    return &workers->inbox;
}

static struct str make_dns_override(struct arena *arena,
                                    const struct target *target)
{
    const struct ip *ip = frontier_host_ip(target);
    char address[INET6_ADDRSTRLEN], text[INET6_ADDRSTRLEN + 2];

    if (!ip || !inet_ntop(AF_INET6, ip->byte, address, sizeof(address)))
        return (struct str){0};
    if (IN6_IS_ADDR_V4MAPPED((const struct in6_addr *)ip->byte))
        return arena_copy(arena, str_skip(str_of(address), 7));
    snprintf(text, sizeof(text), "[%s]", address);
    return arena_copy(arena, str_of(text));
}

static enum webpage_kind kind_of_page(const struct target *target)
{
    switch ((enum target_kind)target->kind) {
    case TARGET_ROBOTS:
        return WEBPAGE_ROBOTS;
    case TARGET_SITEMAP:
        return WEBPAGE_SITEMAP;
    case TARGET_REQUISITE:
        return WEBPAGE_REQUISITE;
    default:
        return WEBPAGE_HTML;
    }
}

void workers_fetch(struct workers *workers, struct target *target,
                   const struct page_wishes *wishes)
{
    struct job *job = new_job(workers);
    /* A sitemap may be larger than any page: the first worker gets all of them
     * while it has room. */
    bool is_first = target->kind == TARGET_SITEMAP &&
                    workers->seat[0].busy < workers->first_room;
    unsigned worker = is_first ? 0 : choose_worker(workers, target);
    const struct url url = target_url_parts(target);

    job->kind = JOB_FETCH;
    job->worker = worker;
    job->target = target;
    webpage_ask_parsed(&job->page, &url, target->depth, wishes->links);
    job->page.kind = kind_of_page(target);
    job->page.want_requisites = wishes->requisites;
    job->page.is_only_head = wishes->only_head;
    job->page.is_body_unwanted = wishes->no_body;
    job->page.is_document = target->nesting == NESTING_FRAME;
    job->page.is_host_needed = frontier_host_work(target).has_more;
    job->page.dns_override = make_dns_override(&job->page.arena, target);
    workers->seat[worker].busy++;
    workers->fetches++;
    workers->abandoned = false;
    messages_add(&workers->seat[worker].outbox, &job->message);
}

/* The worker frees it. */
static struct job *add_order(struct workers *workers, unsigned worker,
                             enum job_kind kind)
{
    struct job *job = NEW(struct job);

    webpage_init(&job->page);
    job->kind = kind;
    messages_add(&workers->seat[worker].outbox, &job->message);
    return job;
}

struct job *workers_scan_again(struct workers *workers, const struct url *url,
                               uint32_t depth, const struct saved *saved)
{
    struct job *job = new_job(workers);

    job->kind = JOB_SCAN;
    job->worker = idlest_worker(workers);
    job->saved = *saved;
    webpage_ask_parsed(&job->page, url, depth, true);
    workers->seat[job->worker].busy++;
    workers->fetches++;
    messages_add(&workers->seat[job->worker].outbox, &job->message);
    return job;
}

void workers_need_host(struct workers *workers, unsigned worker,
                       uint64_t origin, bool is_needed)
{
    if (worker >= workers->count)
        return;
    struct job *job = add_order(workers, worker, JOB_NEED);
    job->page.origin = origin;
    job->page.is_host_needed = is_needed;
}

void workers_send(struct workers *workers)
{
    for (unsigned i = 0; i < workers->count; i++)
        worker_put(workers->seat[i].worker, &workers->seat[i].outbox);
}

int workers_fd(const struct workers *workers)
{
    return workers->inbox.fd;
}

struct job *workers_take(struct workers *workers)
{
    if (!workers->back)
        workers->back = mailbox_take(&workers->inbox);
    if (!workers->back)
        return NULL;

    struct job *job = container_of(workers->back, struct job, message);
    workers->back = workers->back->next;
    if (job->worker < workers->count) {
        workers->seat[job->worker].busy--;
        workers->fetches--;
    }
    return job;
}

void workers_put_back(struct workers *workers, struct job *job)
{
    job->target = NULL;
    job->kind = JOB_FETCH;
    webpage_rest(&job->page);
    job->message.next = workers->spare;
    workers->spare = &job->message;
}

void workers_abandon(struct workers *workers)
{
    for (unsigned i = 0; i < workers->count && !workers->abandoned; i++)
        add_order(workers, i, JOB_ABANDON);
    workers->abandoned = true;
    workers_send(workers);
}
