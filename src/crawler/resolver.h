/* The resolver: one thread that looks host names up, thousands at a time.
 *
 * In this order a name is looked for: literal addresses and names that mean
 * this machine (localhost) need nobody; /etc/hosts (names/hosts_file.h); the
 * answers that are remembered (names/name_cache.h); the name servers
 * (names/dns.h). A name that several jobs want at a time is asked for once.
 * That is the order "files dns" of nsswitch.conf, which is not read.
 */
#ifndef CRAWLER_RESOLVER_H
#define CRAWLER_RESOLVER_H

#include "crawler/worker.h"

/* Answers that are remembered; 2 MB as a rule, 6 MB at worst. */
enum { RESOLVER_CACHE_MAX = 16 * 1024 };

struct resolver_options {
    const struct trusted_origins *origins;
    const char *dns_servers; /* as of dns_servers_parse; NULL: the system's */
    const char *hosts_file;
    uint64_t hash_seed;
};

struct resolver;

/* Answers go to `results`: jobs with `address_found` and `ip`, or
 * `name_servers_failed`. With --connect-to the name that will be connected to
 * is looked up. Options are copied, but not what they point to. */
struct resolver *resolver_start(const struct resolver_options *options,
                                struct mailbox *results);

/* End it. Targets whose look-ups are open are given to `drop`; their answers
 * will not come. NULL is fine. */
void resolver_free(struct resolver *resolver,
                   void (*drop)(void *user, struct target *target), void *user);

/* The job's target says which name; job->address_turn which address; and
 * job->tried_before that a failure that is remembered is not good enough. */
void resolver_ask(struct resolver *resolver, struct job *job);

#endif
