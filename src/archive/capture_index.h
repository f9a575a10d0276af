/* The captures of a collection, and which of a URL is nearest to a time.
 *
 * Invariant: `order` lists the first `sorted` captures by URL, then by class,
 * date and place; captures that were added since are sorted in by the next
 * question. So a URL with a million captures costs no more than one with two.
 *
 * A URL is a fingerprint here. It may lie: the caller compares the URL of the
 * record that it reads. Private to archive/.
 */
#ifndef ARCHIVE_CAPTURE_INDEX_H
#define ARCHIVE_CAPTURE_INDEX_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum {
    CAPTURE_FILE_BITS = 28, /* of the number of a file */
    CAPTURE_FILE_MASK = (1 << CAPTURE_FILE_BITS) - 1,
};

struct capture {
    uint64_t key; /* of its URL */
    uint64_t at, within, date_ms;
    uint32_t file : CAPTURE_FILE_BITS;
    uint32_t is_revisit : 1;
    uint32_t is_page : 1;
    uint32_t is_cut : 1;      /* a response of which a part is missing */
    uint32_t is_replaced : 1; /* a page, and a later one is there */
};

struct capture_index {
    struct capture *capture;
    size_t count, room;
    uint32_t *order;
    size_t sorted;
};

void capture_index_release(struct capture_index *index);
void capture_index_add(struct capture_index *index,
                       const struct capture *capture);

/* Set `is_replaced`, and be ready for questions. */
void capture_index_sort(struct capture_index *index);

/* --- captures of a URL, the nearest to a time first ------------------------
 *
 * One that is whole goes before one that is cut; of two at the same time the
 * later one goes first. */

enum capture_class {
    CLASS_RESPONSE,
    CLASS_REVISIT,
    CLASS_CUT,
    CAPTURE_CLASSES
};

/* Those of one class: from `before` downwards are the earlier ones, in [`run`,
 * `run_end`) those at the next later time. Positions in `order`. */
struct capture_cursor {
    size_t start, before, run, run_at, run_end, end;
};

struct nearest_captures {
    const struct capture_index *index;
    uint64_t near_ms;
    struct capture_cursor cursor[CAPTURE_CLASSES];
};

void capture_index_near(struct capture_index *index, uint64_t key,
                        uint64_t near_ms, bool only_responses,
                        struct nearest_captures *nearest);
/* The number of the next one in the array, or SIZE_MAX. */
size_t nearest_captures_next(struct nearest_captures *nearest);

#endif
