#include "cli/fleet_plan.h"

#include "fleet/engine_postgres.h"
#include "fleet/fleet_store.h"

/* One machine of a fleet, and what the record has of it. */

const struct fleet_node *fleet_find_node(const struct fleet_snapshot *snapshot,
                                         struct str directory)
{
    for (size_t i = 0; i < snapshot->nodes; i++)
        if (snapshot->node[i].node &&
            str_eq(snapshot->node[i].directory, directory))
            return &snapshot->node[i];
    return NULL;
}

struct store *fleet_open_machine(const char *url, const char *name,
                                 const struct fleet_crawl *crawl, uint32_t node,
                                 const struct store_codes *codes)
{
    const struct fleet_store_options options = {
        .engine = engine_postgres_new(url, name),
        .label = "",
        .codes = codes,
        .crawl = *crawl,
        .node = node,
    };

    return fleet_store_new(&options);
}
