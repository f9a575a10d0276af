#include "frontier/changes.h"

#include <stdlib.h>

#include "base/mem.h"
#include "frontier/host.h"

void changes_init(struct changes *changes, bool wanted)
{
    *changes = (struct changes){.wanted = wanted};
}

void changes_release(struct changes *changes)
{
    free(changes->targets.item);
    free(changes->domains.item);
    free(changes->hosts.item);
}

/* Its position, from 1 on. */
static uint32_t add(struct change_list *list, void *item)
{
    list->item =
        mem_grow(list->item, list->count, &list->room, sizeof(*list->item));
    list->item[list->count++] = item;
    return (uint32_t)list->count;
}

/* The last item, which takes the position that becomes free. */
static void *fill_gap(struct change_list *list, uint32_t at)
{
    return list->item[at - 1] = list->item[--list->count];
}

static void *last(const struct change_list *list)
{
    return list->count ? list->item[list->count - 1] : NULL;
}

void changes_add_target(struct changes *changes, struct target *target)
{
    if (changes->wanted && !target->changed_at)
        target->changed_at = add(&changes->targets, target);
}

void changes_add_domain(struct changes *changes, struct domain *domain)
{
    if (!changes->wanted || domain->changed)
        return;
    add(&changes->domains, domain);
    domain->changed = true;
}

void changes_add_host(struct changes *changes, struct host *host)
{
    if (changes->wanted && !host->changed_at)
        host->changed_at = add(&changes->hosts, host);
}

void changes_remove_target(struct changes *changes, struct target *target)
{
    if (!target->changed_at)
        return;
    struct target *moved = fill_gap(&changes->targets, target->changed_at);
    moved->changed_at = target->changed_at;
    target->changed_at = 0;
}

void changes_remove_host(struct changes *changes, struct host *host)
{
    if (!host->changed_at)
        return;
    struct host *moved = fill_gap(&changes->hosts, host->changed_at);
    moved->changed_at = host->changed_at;
    host->changed_at = 0;
}

struct target *changes_take_target(struct changes *changes)
{
    struct target *target = last(&changes->targets);

    if (target)
        changes_remove_target(changes, target);
    return target;
}

struct domain *changes_take_domain(struct changes *changes)
{
    struct domain *domain = last(&changes->domains);

    if (domain) {
        changes->domains.count--;
        domain->changed = false;
    }
    return domain;
}

struct host *changes_take_host(struct changes *changes)
{
    struct host *host = last(&changes->hosts);

    if (host)
        changes_remove_host(changes, host);
    return host;
}
