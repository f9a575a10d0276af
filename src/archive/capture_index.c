#include "archive/capture_index.h"

#include <stdlib.h>

#include "base/mem.h"

void capture_index_release(struct capture_index *index)
{
    free(index->capture);
    free(index->order);
}

void capture_index_add(struct capture_index *index,
                       const struct capture *capture)
{
    if (index->count >= UINT32_MAX)
        return;
    index->capture = mem_grow(index->capture, index->count, &index->room,
                              sizeof(*index->capture));
    index->capture[index->count++] = *capture;
}

/* --- the order ------------------------------------------------------------ */

static enum capture_class class_of(const struct capture *capture)
{
    if (capture->is_revisit)
        return CLASS_REVISIT;
    return capture->is_cut ? CLASS_CUT : CLASS_RESPONSE;
}

static int compare_u64(uint64_t a, uint64_t b)
{
    return (a > b) - (a < b);
}

static int compare(const void *a, const void *b, void *user)
{
    const struct capture *capture = user;
    uint32_t i = *(const uint32_t *)a, k = *(const uint32_t *)b;
    const struct capture *one = &capture[i], *other = &capture[k];
    int result = compare_u64(one->key, other->key);

    if (!result)
        result = (int)class_of(one) - (int)class_of(other);
    if (!result)
        result = compare_u64(one->date_ms, other->date_ms);
    return result ? result : compare_u64(i, k);
}

/* By date, then by place: a package may have older captures of another crawl in
 * its last file. */
static bool is_later(const struct capture_index *index, uint32_t one,
                     uint32_t than)
{
    uint64_t date_ms = index->capture[one].date_ms;
    uint64_t than_ms = index->capture[than].date_ms;

    return date_ms == than_ms ? one > than : date_ms > than_ms;
}

/* All pages of one URL but the latest are replaced. */
static void mark_replaced(struct capture_index *index, size_t from, size_t to)
{
    size_t latest = SIZE_MAX;

    for (size_t i = from; i < to; i++)
        if (index->capture[index->order[i]].is_page &&
            (latest == SIZE_MAX ||
             is_later(index, index->order[i], index->order[latest])))
            latest = i;
    for (size_t i = from; i < to; i++)
        index->capture[index->order[i]].is_replaced =
            index->capture[index->order[i]].is_page && i != latest;
}

void capture_index_sort(struct capture_index *index)
{
    size_t count = index->count;

    if (index->sorted == count)
        return;
    free(index->order);
    index->order = mem_array(count, sizeof(*index->order));
    for (size_t i = 0; i < count; i++)
        index->order[i] = (uint32_t)i;
    qsort_r(index->order, count, sizeof(*index->order), compare,
            index->capture);
    for (size_t i = 0, end; i < count; i = end) {
        uint64_t key = index->capture[index->order[i]].key;
        for (end = i + 1;
             end < count && index->capture[index->order[end]].key == key;)
            end++;
        mark_replaced(index, i, end);
    }
    index->sorted = count;
}

/* --- the nearest ---------------------------------------------------------- */

/* The first position in the order that is not before (key, class, date). */
static size_t lower_bound(const struct capture_index *index, uint64_t key,
                          unsigned class, uint64_t date_ms)
{
    size_t low = 0, high = index->sorted;

    while (low < high) {
        size_t middle = low + (high - low) / 2;
        const struct capture *at = &index->capture[index->order[middle]];
        unsigned at_class = class_of(at);
        bool is_before = at->key != key      ? at->key < key
                         : at_class != class ? at_class < class
                                             : at->date_ms < date_ms;
        if (is_before)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

static uint64_t date_at(const struct capture_index *index, size_t position)
{
    return index->capture[index->order[position]].date_ms;
}

/* The captures at the first time from position `from` on. */
static void begin_run(const struct nearest_captures *nearest, uint64_t key,
                      unsigned class, struct capture_cursor *cursor,
                      size_t from)
{
    cursor->run = cursor->run_end = from;
    if (from < cursor->end) {
        uint64_t date_ms = date_at(nearest->index, from);
        cursor->run_end =
            date_ms == UINT64_MAX
                ? cursor->end
                : lower_bound(nearest->index, key, class, date_ms + 1);
    }
    cursor->run_at = cursor->run_end;
}

void capture_index_near(struct capture_index *index, uint64_t key,
                        uint64_t near_ms, bool only_responses,
                        struct nearest_captures *nearest)
{
    capture_index_sort(index);
    *nearest = (struct nearest_captures){.index = index, .near_ms = near_ms};
    for (unsigned class = 0; class < CAPTURE_CLASSES; class ++) {
        struct capture_cursor *cursor = &nearest->cursor[class];
        if (only_responses && class == CLASS_REVISIT)
            continue;
        cursor->start = lower_bound(index, key, class, 0);
        cursor->end = lower_bound(index, key, class + 1, 0);
        cursor->before = lower_bound(index, key, class, near_ms);
        begin_run(nearest, key, class, cursor, cursor->before);
    }
}

static uint64_t distance(uint64_t a, uint64_t b)
{
    return a > b ? a - b : b - a;
}

/* Is the capture at position `a` to be taken before that at `b`? */
static bool is_nearer(const struct nearest_captures *nearest, size_t a,
                      size_t b)
{
    uint64_t far = distance(date_at(nearest->index, a), nearest->near_ms);
    uint64_t other = distance(date_at(nearest->index, b), nearest->near_ms);

    return far != other ? far < other
                        : nearest->index->order[a] > nearest->index->order[b];
}

/* The best position of a class, or SIZE_MAX. */
static size_t best_of(const struct nearest_captures *nearest,
                      const struct capture_cursor *cursor)
{
    size_t earlier =
        cursor->before > cursor->start ? cursor->before - 1 : SIZE_MAX;
    size_t later = cursor->run_at > cursor->run ? cursor->run_at - 1 : SIZE_MAX;

    if (earlier == SIZE_MAX || later == SIZE_MAX)
        return earlier == SIZE_MAX ? later : earlier;
    return is_nearer(nearest, earlier, later) ? earlier : later;
}

static void take(struct nearest_captures *nearest, unsigned class,
                 size_t position)
{
    struct capture_cursor *cursor = &nearest->cursor[class];

    if (position < cursor->run) {
        cursor->before--;
        return;
    }
    if (--cursor->run_at == cursor->run)
        begin_run(nearest,
                  nearest->index->capture[nearest->index->order[position]].key,
                  class, cursor, cursor->run_end);
}

size_t nearest_captures_next(struct nearest_captures *nearest)
{
    size_t best = SIZE_MAX;
    unsigned best_class = 0;

    for (unsigned class = 0; class < CAPTURE_CLASSES; class ++) {
        if (class == CLASS_CUT && best != SIZE_MAX)
            break;
        size_t one = best_of(nearest, &nearest->cursor[class]);
        if (one != SIZE_MAX &&
            (best == SIZE_MAX || is_nearer(nearest, one, best))) {
            best = one;
            best_class = class;
        }
    }
    if (best == SIZE_MAX)
        return SIZE_MAX;
    take(nearest, best_class, best);
    return nearest->index->order[best];
}
