/* The journal of a fleet: batches of rows to segments, each of one partition,
 * and the segments of a partition back to rows.
 *
 * A row of a URL belongs to the partition in the URL's number; a row of a
 * domain or a host to the partition of that domain. All that is about page
 * files and archives belongs to the machine that has them: to a journal beyond
 * the partitions. Settings are not rows of a journal: there is one value of
 * each, the machine's `figures` (fleet/engine.h).
 *
 * One thread at a time uses a journal.
 */
#ifndef FLEET_JOURNAL_H
#define FLEET_JOURNAL_H

#include "fleet/engine.h"
#include "store/store.h"
#include "web/domain.h"

/* Journals of links are apart: nobody needs them to go on with a crawl. */
enum { JOURNAL_LINKS = 1 << 20 };

/* The number of a journal beyond the partitions. */
static inline uint32_t journal_of_machine(uint32_t partitions, uint32_t node)
{
    return partitions + node;
}

static inline uint32_t journal_of_links(uint32_t partitions, uint32_t node)
{
    return partitions + JOURNAL_LINKS + node;
}

struct journal;

/* `domains` must outlive it. */
struct journal *journal_new(uint32_t partitions, uint64_t seed,
                            const struct domains *domains);
void journal_free(struct journal *journal);

/* --- writing -------------------------------------------------------------- */

/* All rows of the batches as segments, by partition; settings become figures.
 * They are valid until the next call. `epoch` is by partition, `own_epoch` of
 * the machine's own journal. False if a row is too large. */
struct journal_segments {
    const struct fleet_segment *segment;
    size_t segments;
    struct str figures;
};
bool journal_pack(struct journal *journal,
                  const struct store_batch *const *batch, size_t count,
                  uint32_t node, const uint32_t *epoch, uint32_t own_epoch,
                  struct journal_segments *out);

/* The settings of the crawl and its seeds, for fleet_begin. */
bool journal_pack_crawl(struct journal *journal,
                        const struct store_batch *first,
                        struct journal_segments *out);

/* The figures as an earlier run left them. False if they are damaged. */
bool journal_set_figures(struct journal *journal, struct str figures);

/* --- reading -------------------------------------------------------------- */

/* A part of the journal in memory: segments as they are added. */
struct journal_part {
    struct journal_piece *piece;
    size_t pieces, room;
    struct unpacker *unpacker;
};

/* False if the segment is damaged. */
bool journal_part_add(struct journal_part *part, uint32_t node,
                      struct str payload);
void journal_part_release(struct journal_part *part);

/* Page numbers count within a machine. How to show them: as they are, and as 0
 * for pages of other machines than `own`; a referrer with its machine, which is
 * 0 for `own`. Or, where `offset` is set, as if the pages of all machines were
 * numbered one after the other; 0 for those beyond. */
struct journal_pages {
    uint32_t own;
    const uint32_t *offset; /* by machine; behind the last: of all */
    size_t machines;
    /* By machine: its pages are lost, so nothing is told of them. */
    const bool *lost;
    size_t lost_room;
};

/* Give the rows of this kind to the reader. False if one cannot be valid, or
 * the reader said so. */
bool journal_part_read(const struct journal_part *part, enum row_kind kind,
                       const struct journal_pages *pages,
                       const struct store_reader *reader);

/* How many URLs, and the greatest number. False if the rows are damaged. */
bool journal_part_count(const struct journal_part *part, uint64_t *urls,
                        uint64_t *last_number);

#endif
