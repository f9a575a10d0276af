#include "crawler/resolver.h"

#include <netdb.h>
#include <netinet/in.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "base/container.h"
#include "base/mem.h"
#include "page/private_address.h"

enum { THREADS = 16 };

struct resolver {
    const struct trusted_origins *origins;
    struct mailbox *results;
    pthread_mutex_t lock;
    pthread_cond_t asked;
    struct messages questions;
    struct job *current[THREADS]; /* being looked up, by thread */
    bool quit;
    pthread_t thread[THREADS];
    unsigned threads; /* started: the first question starts them */
    unsigned users;   /* the threads and the owner; the last one frees it */
};

static void take_ip(struct ip *ip, const struct sockaddr *address)
{
    static const uint8_t mapped[12] = {[10] = 0xff, [11] = 0xff};

    if (address->sa_family == AF_INET6) {
        struct sockaddr_in6 v6;
        memcpy(&v6, address, sizeof(v6));
        memcpy(ip->byte, v6.sin6_addr.s6_addr, 16);
    } else {
        struct sockaddr_in v4;
        memcpy(&v4, address, sizeof(v4));
        memcpy(ip->byte, mapped, 12);
        memcpy(ip->byte + 12, &v4.sin_addr, 4);
    }
}

/* The name or address that this URL's host is connected to. */
static struct str find_name(const struct resolver *resolver, struct job *job)
{
    const struct url url = target_url_parts(job->target);

    /* A copy: the look-up may go on when the target is gone. */
    return arena_copy(
        &job->page.arena,
        origins_connect_host(resolver->origins, url_host(&url), url.port));
}

static bool is_literal(struct job *job)
{
    struct sockaddr_storage address;

    job->address_found = address_of_literal(job->name, &address);
    if (job->address_found)
        take_ip(&job->ip, (struct sockaddr *)&address);
    return job->address_found;
}

static const struct addrinfo *address_of_turn(const struct addrinfo *list,
                                              unsigned turn)
{
    const struct addrinfo *address = list;

    while (turn--)
        address = address->ai_next ? address->ai_next : list;
    return address;
}

/* A machine without /etc/hosts does not know its own name. */
static void take_loopback(struct job *job)
{
    struct sockaddr_storage address;
    struct str host = job->address_turn % 2 ? STR("[::1]") : STR("127.0.0.1");

    job->address_found = address_of_literal(host, &address);
    take_ip(&job->ip, (struct sockaddr *)&address);
}

static void look_up(struct job *job)
{
    const struct addrinfo hints = {.ai_socktype = SOCK_STREAM};
    struct addrinfo *list = NULL;

    job->address_found =
        job->name.len && !getaddrinfo(job->name.ptr, NULL, &hints, &list);
    if (job->address_found) {
        take_ip(&job->ip, address_of_turn(list, job->address_turn)->ai_addr);
        freeaddrinfo(list);
    } else if (address_is_local_name(job->name)) {
        take_loopback(job);
    }
}

static void answer(struct resolver *resolver, struct job *job)
{
    struct messages messages = {0};

    messages_add(&messages, &job->message);
    mailbox_put(resolver->results, &messages);
}

/* The entry of the thread that has this job; of a free one for NULL. */
static struct job **current_entry(struct resolver *resolver,
                                  const struct job *job)
{
    size_t i = 0;

    while (resolver->current[i] != job)
        i++;
    return &resolver->current[i];
}

static struct job *wait_for_question(struct resolver *resolver)
{
    struct message *message;
    struct job *job = NULL;

    pthread_mutex_lock(&resolver->lock);
    while (!resolver->questions.first && !resolver->quit)
        pthread_cond_wait(&resolver->asked, &resolver->lock);
    message = resolver->questions.first;
    if (message) {
        resolver->questions.first = message->next;
        job = container_of(message, struct job, message);
        *current_entry(resolver, NULL) = job;
    }
    pthread_mutex_unlock(&resolver->lock);
    return job;
}

static void drop_job(struct job *job)
{
    webpage_release(&job->page);
    free(job);
}

static void leave(struct resolver *resolver)
{
    pthread_mutex_lock(&resolver->lock);
    bool last = !--resolver->users;
    pthread_mutex_unlock(&resolver->lock);
    if (!last)
        return;
    pthread_cond_destroy(&resolver->asked);
    pthread_mutex_destroy(&resolver->lock);
    free(resolver);
}

static void *run(void *user)
{
    struct resolver *resolver = user;
    struct job *job;

    while ((job = wait_for_question(resolver))) {
        look_up(job);
        pthread_mutex_lock(&resolver->lock);
        *current_entry(resolver, job) = NULL;
        if (resolver->quit)
            drop_job(job);
        else
            answer(resolver, job);
        pthread_mutex_unlock(&resolver->lock);
    }
    leave(resolver);
    return NULL;
}

struct resolver *resolver_start(const struct trusted_origins *origins,
                                struct mailbox *results)
{
    struct resolver *resolver = NEW(struct resolver);

    resolver->origins = origins;
    resolver->results = results;
    resolver->users = 1;
    pthread_mutex_init(&resolver->lock, NULL);
    pthread_cond_init(&resolver->asked, NULL);
    return resolver;
}

static void start_threads(struct resolver *resolver)
{
    while (resolver->threads < THREADS &&
           !pthread_create(&resolver->thread[resolver->threads], NULL, run,
                           resolver))
        resolver->threads++;
    /* No thread leaves before `quit` is set. */
    resolver->users += resolver->threads;
}

void resolver_ask(struct resolver *resolver, struct job *job)
{
    /* A copy: the rules of --connect-to may be gone before the answer. */
    job->name = arena_copy(&job->page.arena, find_name(resolver, job));
    if (is_literal(job)) {
        answer(resolver, job);
        return;
    }
    if (!resolver->threads)
        start_threads(resolver);
    if (!resolver->threads) { /* slow, but it works */
        look_up(job);
        answer(resolver, job);
        return;
    }
    pthread_mutex_lock(&resolver->lock);
    messages_add(&resolver->questions, &job->message);
    pthread_cond_signal(&resolver->asked);
    pthread_mutex_unlock(&resolver->lock);
}

void resolver_abandon(struct resolver *resolver,
                      void (*drop)(void *user, struct target *target),
                      void *user)
{
    struct message *message;

    pthread_mutex_lock(&resolver->lock);
    resolver->quit = true;
    for (unsigned i = 0; i < THREADS; i++)
        if (resolver->current[i])
            drop(user, resolver->current[i]->target);
    while ((message = resolver->questions.first)) {
        struct job *job = container_of(message, struct job, message);
        resolver->questions.first = message->next;
        drop(user, job->target);
        drop_job(job);
    }
    pthread_cond_broadcast(&resolver->asked);
    for (unsigned i = 0; i < resolver->threads; i++)
        pthread_detach(resolver->thread[i]);
    pthread_mutex_unlock(&resolver->lock);
    leave(resolver);
}

void resolver_free(struct resolver *resolver)
{
    if (!resolver)
        return;
    pthread_mutex_lock(&resolver->lock);
    resolver->quit = true;
    pthread_cond_broadcast(&resolver->asked);
    pthread_mutex_unlock(&resolver->lock);
    for (unsigned i = 0; i < resolver->threads; i++)
        pthread_join(resolver->thread[i], NULL);
    leave(resolver);
}
