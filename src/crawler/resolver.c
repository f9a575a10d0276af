#include "crawler/resolver.h"

#include <assert.h>
#include <netinet/in.h>
#include <stdlib.h>

#include "base/clock.h"
#include "base/hashtable.h"
#include "base/mem.h"
#include "names/dns.h"
#include "names/hosts_file.h"
#include "names/name_cache.h"
#include "page/private_address.h"

struct resolver {
    struct resolver_options options;
    struct mailbox *results;
    struct mailbox inbox; /* questions, and `stop` as the last message */
    struct message stop;
    pthread_t thread;
    bool started; /* by the first question that needs it */
    bool broken;  /* it could not be started */

    /* Only the thread uses these while it runs. */
    struct dns *dns;
    struct hosts_file hosts;
    struct name_cache cache;
    struct hashtable open;   /* questions that name servers were asked */
    struct messages answers; /* to be sent together */
    bool has_ipv6;
    bool quit;
};

/* A name that name servers were asked for, and the jobs that wait for it. */
struct question {
    struct resolver *resolver;
    uint64_t fingerprint;
    struct messages jobs;
};

/* --- answers ------------------------------------------------------------ */

static void take_address(struct job *job, const struct in6_addr *address)
{
    static_assert(sizeof(job->ip.byte) == sizeof(address->s6_addr),
                  "both are IPv6 addresses, or IPv4 ones mapped into them");

    job->address_found = true;
    memcpy(job->ip.byte, address->s6_addr, sizeof(job->ip.byte));
}

static void take_answer(struct job *job, const struct name_answer *answer)
{
    job->name_servers_failed = answer->result == NAME_FAILED;
    if (answer->count)
        take_address(job, &answer->address[job->address_turn % answer->count]);
}

static void send_back(struct resolver *resolver, struct job *job)
{
    struct messages messages = {0};

    messages_add(&messages, &job->message);
    mailbox_put(resolver->results, &messages);
}

/* A literal address, or a name for this machine: nobody needs to be asked. */
static bool is_known(const struct job *job, struct name_answer *answer)
{
    struct sockaddr_storage address;

    *answer = (struct name_answer){.result = NAME_FOUND};
    if (address_is_local_name(job->name)) {
        name_answer_add_v4(answer, &(struct in_addr){htonl(INADDR_LOOPBACK)});
        name_answer_add(answer, &in6addr_loopback);
        return true;
    }
    if (!address_of_literal(job->name, &address))
        return false;
    if (address.ss_family == AF_INET6)
        name_answer_add(answer, &((struct sockaddr_in6 *)&address)->sin6_addr);
    else
        name_answer_add_v4(answer, &((struct sockaddr_in *)&address)->sin_addr);
    return true;
}

/* --- the thread --------------------------------------------------------- */

static struct job *take_job(struct messages *messages)
{
    struct message *message = messages->first;

    if (!message)
        return NULL;
    messages->first = message->next;
    return container_of(message, struct job, message);
}

static void answer_question(void *user, struct name_answer *answer)
{
    struct question *question = user;
    struct resolver *resolver = question->resolver;
    struct job *job;

    name_cache_put(&resolver->cache, question->fingerprint, answer,
                   clock_mono_ms());
    while ((job = take_job(&question->jobs))) {
        take_answer(job, answer);
        messages_add(&resolver->answers, &job->message);
    }
    hashtable_take(&resolver->open, question->fingerprint);
    free(question);
}

static void ask_name_servers(struct resolver *resolver, struct job *job,
                             uint64_t fingerprint)
{
    struct question *question = hashtable_get(&resolver->open, fingerprint);

    if (question) {
        messages_add(&question->jobs, &job->message);
        return;
    }
    question = NEW(struct question);
    question->resolver = resolver;
    question->fingerprint = fingerprint;
    hashtable_put(&resolver->open, fingerprint, question);
    messages_add(&question->jobs, &job->message);
    dns_ask(resolver->dns, job->name.ptr, answer_question, question);
}

static bool is_remembered(struct resolver *resolver, const struct job *job,
                          uint64_t fingerprint, uint64_t now_ms,
                          struct name_answer *answer)
{
    return name_cache_get(&resolver->cache, fingerprint, now_ms, answer) &&
           (answer->result == NAME_FOUND || !job->tried_before);
}

static void look_up(struct resolver *resolver, struct job *job, uint64_t now_ms)
{
    uint64_t fingerprint = hash64(job->name, resolver->options.hash_seed);
    struct name_answer answer;

    if (hosts_file_find(&resolver->hosts, job->name, now_ms, &answer))
        name_answer_sort(&answer, resolver->has_ipv6);
    else if (!is_remembered(resolver, job, fingerprint, now_ms, &answer)) {
        ask_name_servers(resolver, job, fingerprint);
        return;
    }
    take_answer(job, &answer);
    messages_add(&resolver->answers, &job->message);
}

static void take_questions(struct resolver *resolver)
{
    struct message *message = mailbox_take(&resolver->inbox);
    uint64_t now_ms = clock_mono_ms();

    while (message) {
        struct message *next = message->next;

        if (message == &resolver->stop)
            resolver->quit = true;
        else
            look_up(resolver, container_of(message, struct job, message),
                    now_ms);
        message = next;
    }
}

static void *run(void *user)
{
    struct resolver *resolver = user;

    while (!resolver->quit) {
        if (dns_wait(resolver->dns))
            take_questions(resolver);
        mailbox_put(resolver->results, &resolver->answers);
    }
    return NULL;
}

/* --- the crawler thread ------------------------------------------------- */

struct resolver *resolver_start(const struct resolver_options *options,
                                struct mailbox *results)
{
    struct resolver *resolver = NEW(struct resolver);

    resolver->options = *options;
    resolver->results = results;
    resolver->broken = !mailbox_init(&resolver->inbox);
    hosts_file_init(&resolver->hosts, options->hosts_file, options->hash_seed);
    name_cache_init(&resolver->cache, RESOLVER_CACHE_MAX);
    hashtable_init(&resolver->open);
    return resolver;
}

/* A machine without a descriptor or a thread to spare will not get far; its
 * look-ups fail like others. */
static bool start_thread(struct resolver *resolver)
{
    if (resolver->started || resolver->broken)
        return resolver->started;
    resolver->has_ipv6 = dns_has_ipv6();
    resolver->dns = dns_new(resolver->options.dns_servers, resolver->inbox.fd);
    resolver->started = resolver->dns &&
                        !pthread_create(&resolver->thread, NULL, run, resolver);
    resolver->broken = !resolver->started;
    return resolver->started;
}

/* The name or address that this URL's host is connected to, normalised; empty
 * if it cannot be one. */
static struct str find_name(const struct resolver *resolver, struct job *job)
{
    char text[NAME_LEN_MAX + 1];
    struct str name = {.ptr = text};
    struct url url;

    if (url_parse(&url, &job->page.arena, target_url(job->target), NULL, NULL))
        return (struct str){0};

    struct str host = origins_connect_host(resolver->options.origins,
                                           url_host(&url), url.port);
    if (!name_normalize(host, text, &name.len))
        return (struct str){0};
    /* A copy: the rules of --connect-to may be gone before the answer. */
    return arena_copy(&job->page.arena, name);
}

void resolver_ask(struct resolver *resolver, struct job *job)
{
    struct messages messages = {0};
    struct name_answer answer;

    job->name = find_name(resolver, job);
    job->address_found = job->name_servers_failed = false;
    if (!job->name.len) {
        send_back(resolver, job);
    } else if (is_known(job, &answer)) {
        take_answer(job, &answer);
        send_back(resolver, job);
    } else if (!start_thread(resolver)) {
        job->name_servers_failed = true;
        send_back(resolver, job);
    } else {
        messages_add(&messages, &job->message);
        mailbox_put(&resolver->inbox, &messages);
    }
}

static void stop_thread(struct resolver *resolver)
{
    struct messages messages = {0};

    if (!resolver->started)
        return;
    messages_add(&messages, &resolver->stop);
    mailbox_put(&resolver->inbox, &messages);
    pthread_join(resolver->thread, NULL);
}

void resolver_free(struct resolver *resolver,
                   void (*drop)(void *user, struct target *target), void *user)
{
    struct question *question;
    struct job *job;
    size_t at = 0;

    if (!resolver)
        return;
    stop_thread(resolver);
    dns_free(resolver->dns);
    while ((question = hashtable_next(&resolver->open, &at))) {
        while ((job = take_job(&question->jobs))) {
            drop(user, job->target);
            webpage_release(&job->page);
            free(job);
        }
        free(question);
    }
    hashtable_release(&resolver->open);
    name_cache_release(&resolver->cache);
    hosts_file_release(&resolver->hosts);
    mailbox_release(&resolver->inbox);
    free(resolver);
}
