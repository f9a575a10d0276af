#include "crawler/crew.h"

#include <arpa/inet.h>
#include <assert.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/container.h"
#include "base/mem.h"
#include "frontier/frontier.h"
#include "page/address.h"
#include "url/key.h"

/* How many more pages a host's own worker may have than the idlest one. */
enum { STICKINESS = 4 };

struct member {
    struct worker *worker;
    unsigned busy;
    struct messages outbox;
    struct job abandon, quit;
};

struct crew {
    struct mailbox inbox;
    struct member *member;
    unsigned count;
    unsigned fetches_max, fetches;
    unsigned first_room; /* what the first worker has connections for */
    bool abandoned;
    struct message *back;  /* taken from the inbox, not yet handed out */
    struct message *spare; /* jobs to be used again */
};

struct crew *crew_start(unsigned workers, unsigned fetches_max,
                        const struct worker_options *options)
{
    struct crew *crew = NEW(struct crew);

    mailbox_init(&crew->inbox);
    crew->count = workers;
    crew->fetches_max = fetches_max;
    crew->first_room = options->fetch.connections_max - 1;
    crew->member = mem_array(workers, sizeof(*crew->member));
    for (unsigned i = 0; i < workers; i++)
        crew->member[i].worker = worker_start(options, &crew->inbox);
    return crew;
}

static void tell_all(struct crew *crew, enum job_kind kind)
{
    for (unsigned i = 0; i < crew->count; i++) {
        struct member *member = &crew->member[i];
        struct job *job = kind == JOB_QUIT ? &member->quit : &member->abandon;
        job->kind = kind;
        messages_add(&member->outbox, &job->message);
    }
    crew_send(crew);
}

void crew_free(struct crew *crew)
{
    assert(!crew->fetches);
    tell_all(crew, JOB_QUIT);
    for (unsigned i = 0; i < crew->count; i++)
        worker_join(crew->member[i].worker);
    while (crew->spare) {
        struct job *job = container_of(crew->spare, struct job, message);
        crew->spare = crew->spare->next;
        webpage_release(&job->page);
        free(job);
    }
    mailbox_release(&crew->inbox);
    free(crew->member);
    free(crew);
}

bool crew_has_room(const struct crew *crew)
{
    return crew->fetches < crew->fetches_max;
}

unsigned crew_busy(const struct crew *crew)
{
    return crew->fetches;
}

static struct job *new_job(struct crew *crew)
{
    struct message *message = crew->spare;

    if (message) {
        crew->spare = message->next;
        return container_of(message, struct job, message);
    }
    struct job *job = NEW(struct job);
    webpage_init(&job->page);
    return job;
}

static unsigned choose_worker(const struct crew *crew, const struct host *host)
{
    unsigned own = (unsigned)(((uintptr_t)host >> 6) % crew->count);
    unsigned idlest = own;

    for (unsigned i = 0; i < crew->count; i++)
        if (crew->member[i].busy < crew->member[idlest].busy)
            idlest = i;
    return crew->member[own].busy <= crew->member[idlest].busy + STICKINESS
               ? own
               : idlest;
}

struct job *crew_errand(struct crew *crew, struct target *target)
{
    struct job *job = new_job(crew);

    webpage_ask(&job->page, target_url(target), 0, false);
    job->worker = crew->count;
    job->target = target;
    job->address_turn = frontier_address_turn(target);
    return job;
}

struct mailbox *crew_inbox(struct crew *crew)
{
    return &crew->inbox;
}

/* Connect to the address that was looked up and that the pause counts for,
 * not to one that another look-up might give. */
static struct str make_pin(struct arena *arena, const struct target *target)
{
    const struct ip *ip = frontier_host_ip(target);
    struct sockaddr_storage literal;
    char address[INET6_ADDRSTRLEN], pin[URL_LEN_MAX];
    struct url url;

    if (!ip || url_parse(&url, arena, target_url(target), NULL, NULL) ||
        url_has_final_dot(&url) || /* rules for it are of its other name */
        address_of_literal(url_host(&url), &literal) ||
        !inet_ntop(AF_INET6, ip->byte, address, sizeof(address)))
        return (struct str){0};

    bool mapped = str_starts(str_of(address), STR("::ffff:"));
    int len = snprintf(pin, sizeof(pin), mapped ? "%.*s:%u:%s" : "%.*s:%u:[%s]",
                       (int)url_host(&url).len, url_host(&url).ptr,
                       (unsigned)url.port, mapped ? address + 7 : address);
    if (len < 0 || (size_t)len >= sizeof(pin))
        return (struct str){0};
    return arena_copy(arena, (struct str){pin, (size_t)len});
}

void crew_fetch(struct crew *crew, struct target *target, bool want_links)
{
    struct job *job = new_job(crew);
    /* A sitemap may be larger than any page: one worker has all of them, as far
     * as it has room. */
    bool is_first = target->kind == TARGET_SITEMAP &&
                    crew->member[0].busy < crew->first_room;
    unsigned worker = is_first ? 0 : choose_worker(crew, target->host);

    job->kind = JOB_FETCH;
    job->worker = worker;
    job->target = target;
    webpage_ask(&job->page, target_url(target), target->depth, want_links);
    job->page.kind = target->kind == TARGET_ROBOTS    ? WEBPAGE_ROBOTS
                     : target->kind == TARGET_SITEMAP ? WEBPAGE_SITEMAP
                                                      : WEBPAGE_HTML;
    job->page.pin = make_pin(&job->page.arena, target);
    crew->member[worker].busy++;
    crew->fetches++;
    messages_add(&crew->member[worker].outbox, &job->message);
}

void crew_send(struct crew *crew)
{
    for (unsigned i = 0; i < crew->count; i++)
        worker_put(crew->member[i].worker, &crew->member[i].outbox);
}

int crew_fd(const struct crew *crew)
{
    return crew->inbox.fd;
}

struct job *crew_take(struct crew *crew)
{
    if (!crew->back)
        crew->back = mailbox_take(&crew->inbox);
    if (!crew->back)
        return NULL;

    struct job *job = container_of(crew->back, struct job, message);
    crew->back = crew->back->next;
    if (job->worker < crew->count) {
        crew->member[job->worker].busy--;
        crew->fetches--;
    }
    return job;
}

void crew_put_back(struct crew *crew, struct job *job)
{
    job->target = NULL;
    webpage_rest(&job->page);
    job->message.next = crew->spare;
    crew->spare = &job->message;
}

void crew_watch(struct crew *crew)
{
    for (unsigned i = 0; i < crew->count; i++)
        worker_watch(crew->member[i].worker);
}

void crew_abandon(struct crew *crew)
{
    /* A message cannot be in the post twice. */
    if (!crew->abandoned)
        tell_all(crew, JOB_ABANDON);
    crew->abandoned = true;
}
