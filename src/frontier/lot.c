#include <stdlib.h>

#include "base/mem.h"
#include "frontier/internal.h"

/* Hosts that wait for their address. When it has rested, one of thousands may
 * be asked: so they stay where they are, in order, and the frontier looks at
 * the best of each open address beside the best of the ready ones.
 *
 *     open addresses > lots of an address > hosts of a lot > targets of a host
 *
 * each ordered by its best member. A lot is what one domain has parked with
 * one address, because inside it the domain's part of the score is equal: a
 * change of that part moves the domain's lots and not all of its hosts. A lot
 * whose domain has enough in flight is in no address's heap.
 *
 * A change moves one entry of each heap, from the bottom up, so that every
 * other entry is in its place: heaps can bear no more. Where the score of a
 * domain changes, several of the open addresses may be concerned, so these
 * are taken out before. */

/* More lots of a domain are not kept in order: every link to it moves all of
 * them, and whoever has names has them for thousands of addresses. */
enum { LOTS_MAX = 16 };

static bool is_open(const struct frontier *frontier,
                    const struct address *address)
{
    return !address->rests && address->in_flight < frontier->options.per_host &&
           address->lots.count;
}

void place_address(struct frontier *frontier, struct address *address)
{
    bool belongs = is_open(frontier, address);

    if (address->rests)
        return;
    if (belongs && heap_has(&address->node))
        heap_moved(&frontier->open, &address->node);
    else if (belongs)
        heap_put(&frontier->open, &address->node);
    else if (heap_has(&address->node))
        heap_remove(&frontier->open, &address->node);
}

/* --- one lot ------------------------------------------------------------- */

static struct lot *lot_find(const struct domain *domain,
                            const struct address *address)
{
    struct lot *lot = domain_lots(domain);

    while (lot && lot->address != address)
        lot = lot->next;
    return lot;
}

static struct lot *lot_new(struct frontier *frontier, struct host *host)
{
    struct active *active = domain_active(host->domain, frontier->ranks);

    if (active->lot_count == LOTS_MAX)
        return NULL;
    struct lot *lot = NEW(struct lot);
    heap_init(&lot->hosts, frontier->ranks->host);
    lot->address = host->address;
    lot->domain = host->domain;
    lot->next = active->lots;
    active->lots = lot;
    active->lot_count++;
    return lot;
}

static void lot_free(struct lot *lot)
{
    struct domain *domain = lot->domain;
    struct lot **link = &domain->active->lots;

    while (*link != lot)
        link = &(*link)->next;
    *link = lot->next;
    domain->active->lot_count--;
    heap_release(&lot->hosts);
    free(lot);
    domain_free_unused(domain);
}

static void place_lot(struct frontier *frontier, struct lot *lot, bool belongs)
{
    struct heap *lots = &lot->address->lots;

    if (belongs && heap_has(&lot->node))
        heap_moved(lots, &lot->node);
    else if (belongs)
        heap_put(lots, &lot->node);
    else if (heap_has(&lot->node))
        heap_remove(lots, &lot->node);
    place_address(frontier, lot->address);
}

bool lot_put(struct frontier *frontier, struct host *host)
{
    struct lot *lot = lot_find(host->domain, host->address);

    if (!lot)
        lot = lot_new(frontier, host);
    if (!lot)
        return false;
    host->lot = lot;
    heap_put(&lot->hosts, &host->node);
    place_lot(frontier, lot,
              host->domain->in_flight < frontier->options.per_host);
    return true;
}

void lot_remove(struct frontier *frontier, struct host *host)
{
    struct lot *lot = host->lot;

    host->lot = NULL;
    heap_remove(&lot->hosts, &host->node);
    place_lot(frontier, lot, heap_has(&lot->node) && lot->hosts.count);
    if (!lot->hosts.count)
        lot_free(lot);
}

void lot_moved(struct frontier *frontier, struct host *host)
{
    heap_moved(&host->lot->hosts, &host->node);
    place_lot(frontier, host->lot, heap_has(&host->lot->node));
}

/* --- all lots of a domain ------------------------------------------------ */

void lots_place(struct frontier *frontier, const struct domain *domain,
                bool belong)
{
    for (struct lot *lot = domain_lots(domain); lot; lot = lot->next)
        if (heap_has(&lot->node) != belong)
            place_lot(frontier, lot, belong);
}

void lots_lift(struct frontier *frontier, const struct domain *domain)
{
    for (struct lot *lot = domain_lots(domain); lot; lot = lot->next)
        if (!lot->address->rests && heap_has(&lot->address->node))
            heap_remove(&frontier->open, &lot->address->node);
}

void lots_settle(struct frontier *frontier, const struct domain *domain)
{
    for (struct lot *lot = domain_lots(domain); lot; lot = lot->next)
        place_lot(frontier, lot, heap_has(&lot->node));
}

void lots_free(struct domain *domain)
{
    struct lot *lot = domain_lots(domain);

    while (lot) {
        struct lot *next = lot->next;
        heap_release(&lot->hosts);
        free(lot);
        lot = next;
    }
    if (domain->active)
        domain->active->lots = NULL;
}
