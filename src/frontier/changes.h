/* The memory of changes, for the record: targets found again, domains
 * mentioned, hosts whose health changed.
 *
 * Invariant: each of them is in its list at most once, and nothing that was
 * freed is in a list. What has changed is read when it is taken out. It knows
 * nothing of the other parts. Private to src/frontier/.
 */
#ifndef FRONTIER_CHANGES_H
#define FRONTIER_CHANGES_H

#include <stdbool.h>
#include <stddef.h>

struct domain;
struct host;
struct target;

struct change_list {
    void **item;
    size_t count, room;
};

struct changes {
    bool wanted; /* else nothing is kept */
    struct change_list targets, domains, hosts;
};

void changes_init(struct changes *changes, bool wanted);
void changes_release(struct changes *changes);

void changes_add_target(struct changes *changes, struct target *target);
void changes_add_domain(struct changes *changes, struct domain *domain);
void changes_add_host(struct changes *changes, struct host *host);

/* Before it is freed. */
void changes_remove_target(struct changes *changes, struct target *target);
void changes_remove_host(struct changes *changes, struct host *host);

/* The next one, no longer in its list; NULL at the end. */
struct target *changes_take_target(struct changes *changes);
struct domain *changes_take_domain(struct changes *changes);
struct host *changes_take_host(struct changes *changes);

#endif
