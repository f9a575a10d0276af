/* The resolver: threads that look up host names, because getaddrinfo waits. A
 * literal address needs no thread. */
#ifndef CRAWLER_RESOLVER_H
#define CRAWLER_RESOLVER_H

#include "crawler/worker.h"

struct resolver;

/* Answers go to `results`: jobs with `address_found` and `ip`. With
 * --connect-to the name that will be connected to is looked up. */
struct resolver *resolver_start(const struct trusted_origins *origins,
                                struct mailbox *results);

/* No question may be open. NULL is fine. */
void resolver_free(struct resolver *resolver);

/* End it with questions open: their targets are given to `drop`. A look-up
 * cannot be cancelled, so its job and the resolver stay in memory until it ends
 * or the program does. */
void resolver_abandon(struct resolver *resolver,
                      void (*drop)(void *user, struct target *target),
                      void *user);

void resolver_ask(struct resolver *resolver, struct job *job);

#endif
