/* The resolver: looks host names up, away from the mind and from the workers,
 * because the system's function waits. A few threads; a literal address needs
 * none of them. */
#ifndef CRAWLER_RESOLVER_H
#define CRAWLER_RESOLVER_H

#include "crawler/worker.h"

struct resolver;

/* Answers go to `mind`: jobs with `address_found` and `ip`. --connect-to is
 * taken into account: what is looked up is what will be connected to. */
struct resolver *resolver_start(const struct named *named,
                                struct mailbox *mind);

/* No question may be open. NULL is fine. */
void resolver_free(struct resolver *resolver);

/* The other way to end it, with questions open: they are not answered any
 * more, but their targets are given back. A look-up cannot be cut short, so
 * what it works with, the job and the resolver itself, stays in memory until
 * it is through or the program ends. */
void resolver_abandon(struct resolver *resolver,
                      void (*drop)(void *user, struct target *target),
                      void *user);

void resolver_ask(struct resolver *resolver, struct job *job);

#endif
