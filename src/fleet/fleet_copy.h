/* The record of a fleet as that of one machine: a file with the usual tables
 * and views, for people and for all reports.
 *
 * In a fleet the numbers of URLs count within a partition, and pages within a
 * machine. In the copy both are one sequence. URLs keep their order within a
 * partition, and one partition follows the other; so do pages of machines
 * (fleet_store_pages_before). A setting "machine.00003" of the copy is the
 * number of pages before those of machine 3; referrers are such numbers, too,
 * so the machine of a referrer is 0 there.
 *
 * The order of time is lost between partitions: a URL may have a smaller number
 * than the one that redirected to it, and a page may stand before the one where
 * it was found.
 *
 * Memory: 4 bytes a URL.
 */
#ifndef FLEET_FLEET_COPY_H
#define FLEET_FLEET_COPY_H

#include "store/store.h"

/* From the store of a report (fleet_store_open) to a new record of that name
 * (store/store.h). False with `error`. */
bool fleet_copy(struct store *from, const char *to, struct store_error *error);

#endif
