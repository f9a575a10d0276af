/* crawler status of a fleet: machines, partitions and mail of one moment. It is
 * made of the engine's snapshot alone, so it asks no machine. */
#ifndef REPORT_FLEET_STATUS_H
#define REPORT_FLEET_STATUS_H

#include <stdio.h>

#include "base/buf.h"
#include "fleet/engine.h"

/* Why nothing goes on, or "for nothing: fetching"; onto a line. */
void fleet_put_waits(const struct fleet_snapshot *snapshot, struct buf *line);

/* `name` is the crawl's, `engine` its engine without a password. */
void fleet_status_print(FILE *out, const struct fleet_snapshot *snapshot,
                        const char *name, const char *engine);

#endif
