#include "frontier/spill.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/io.h"
#include "base/mem.h"

/* In a block there is record after record, each after its length; after the
 * last one a length of 0 and the number of the next block. */

typedef uint16_t len_t;

enum {
    BLOCK = 16 * 1024,
    LINK = sizeof(len_t) + sizeof(uint32_t), /* kept free in every block */
};
_Static_assert(SPILL_RECORD_MAX + sizeof(len_t) + LINK <= BLOCK,
               "a record fits into a block");

/* A part of a block. */
struct piece {
    uint32_t block; /* 0: of none */
    size_t from, len;
    char byte[BLOCK];
};

struct spill {
    int dir_fd, fd; /* fd < 0: not made */
    int no_file;    /* an errno: it cannot be made */
    uint32_t blocks;
    uint32_t *unused;
    size_t unused_count, unused_room;
    struct piece out; /* put and not written: the end of some queue */
    struct piece in;  /* read, nothing of which was changed since */
};

struct spill *spill_new(int dir_fd)
{
    struct spill *spill = NEW(struct spill);

    spill->dir_fd = dir_fd;
    spill->fd = -1;
    return spill;
}

void spill_free(struct spill *spill)
{
    if (!spill)
        return;
    if (spill->fd >= 0)
        close(spill->fd);
    free(spill->unused);
    free(spill);
}

/* --- the file ----------------------------------------------------------- */

static bool make_file(struct spill *spill)
{
    if (spill->fd >= 0)
        return true;
    errno = spill->no_file;
    if (spill->no_file)
        return false;
    spill->fd = io_open_unnamed(spill->dir_fd);
    if (spill->fd < 0)
        spill->no_file = errno;
    return spill->fd >= 0;
}

static off_t place_of(uint32_t block, size_t at)
{
    return (off_t)(block - 1) * BLOCK + (off_t)at;
}

static bool flush(struct spill *spill)
{
    struct piece *out = &spill->out;

    for (size_t done = 0; done < out->len;) {
        ssize_t n = pwrite(spill->fd, out->byte + done, out->len - done,
                           place_of(out->block, out->from + done));
        if (n < 0 && errno == EINTR)
            continue;
        if (n <= 0)
            return false; /* what was written is written again */
        done += (size_t)n;
    }
    out->from += out->len;
    out->len = 0;
    return true;
}

static uint32_t take_block(struct spill *spill)
{
    return spill->unused_count ? spill->unused[--spill->unused_count]
                               : ++spill->blocks;
}

static void give_block(struct spill *spill, uint32_t block)
{
    if (spill->out.block == block) {
        spill->out.block = 0;
        spill->out.len = 0;
    }
    if (spill->in.block == block)
        spill->in.block = 0;
    spill->unused = mem_grow(spill->unused, spill->unused_count,
                             &spill->unused_room, sizeof(*spill->unused));
    spill->unused[spill->unused_count++] = block;
}

/* --- in ----------------------------------------------------------------- */

static void append(struct piece *out, const void *bytes, size_t len)
{
    memcpy(out->byte + out->len, bytes, len);
    out->len += len;
}

/* Make the end of the queue what `out` is about. */
static bool open_end(struct spill *spill, const struct spill_queue *queue)
{
    struct piece *out = &spill->out;

    if (out->block == queue->tail && out->block)
        return true;
    if (!flush(spill))
        return false;
    out->block = queue->tail;
    out->from = queue->tail_at;
    return true;
}

static bool add_block(struct spill *spill, struct spill_queue *queue)
{
    struct piece *out = &spill->out;
    uint32_t next = take_block(spill);

    if (queue->tail) {
        const len_t none = 0;
        append(out, &none, sizeof(none));
        append(out, &next, sizeof(next));
        if (!flush(spill)) {
            out->len -= LINK;
            give_block(spill, next);
            return false;
        }
    } else {
        queue->head = next;
        queue->head_at = 0;
    }
    queue->tail = next;
    queue->tail_at = 0;
    out->block = next;
    out->from = 0;
    return true;
}

bool spill_put(struct spill *spill, struct spill_queue *queue,
               struct str record)
{
    const len_t len = (len_t)record.len;

    if (!record.len || record.len > SPILL_RECORD_MAX) {
        errno = EMSGSIZE;
        return false;
    }
    if (!make_file(spill) || !open_end(spill, queue))
        return false;
    if ((!queue->tail ||
         queue->tail_at + sizeof(len) + record.len + LINK > BLOCK) &&
        !add_block(spill, queue))
        return false;
    append(&spill->out, &len, sizeof(len));
    append(&spill->out, record.ptr, record.len);
    queue->tail_at = (uint16_t)(queue->tail_at + sizeof(len) + len);
    queue->count++;
    return true;
}

/* --- out ---------------------------------------------------------------- */

static const char *part_of(const struct piece *piece, uint32_t block, size_t at,
                           size_t len)
{
    bool has = piece->block == block && at >= piece->from &&
               at + len <= piece->from + piece->len;

    return has ? piece->byte + (at - piece->from) : NULL;
}

/* The rest of a block as far as it was written. */
static bool read_rest(struct spill *spill, const struct spill_queue *queue)
{
    struct piece *in = &spill->in;
    size_t end = queue->head == spill->out.block ? spill->out.from
                 : queue->head == queue->tail    ? queue->tail_at
                                                 : BLOCK;
    ssize_t n;

    in->block = 0;
    do
        n = pread(spill->fd, in->byte, end - queue->head_at,
                  place_of(queue->head, queue->head_at));
    while (n < 0 && errno == EINTR);
    if (n < 0)
        return false;
    in->block = queue->head;
    in->from = queue->head_at;
    in->len = (size_t)n;
    return true;
}

/* Bytes from the head on, NULL with errno. */
static const char *peek(struct spill *spill, const struct spill_queue *queue,
                        size_t skip, size_t len)
{
    size_t at = queue->head_at + skip;
    const char *bytes = part_of(&spill->out, queue->head, at, len);

    if (!bytes)
        bytes = part_of(&spill->in, queue->head, at, len);
    if (bytes)
        return bytes;
    if (!read_rest(spill, queue))
        return NULL;
    bytes = part_of(&spill->in, queue->head, at, len);
    if (!bytes)
        errno = EIO; /* somebody has cut it */
    return bytes;
}

static bool next_block(struct spill *spill, struct spill_queue *queue)
{
    const char *bytes = peek(spill, queue, sizeof(len_t), sizeof(uint32_t));
    uint32_t next;

    if (!bytes)
        return false;
    memcpy(&next, bytes, sizeof(next));
    if (!next || next > spill->blocks || queue->head == queue->tail) {
        errno = EIO;
        return false;
    }
    give_block(spill, queue->head);
    queue->head = next;
    queue->head_at = 0;
    return true;
}

/* The length of the record at the head, 0 with errno. */
static len_t find_record(struct spill *spill, struct spill_queue *queue)
{
    len_t len;

    do {
        const char *bytes = peek(spill, queue, 0, sizeof(len));
        if (!bytes)
            return 0;
        memcpy(&len, bytes, sizeof(len));
    } while (!len && next_block(spill, queue));
    return len;
}

bool spill_take(struct spill *spill, struct spill_queue *queue,
                struct buf *record)
{
    len_t len = find_record(spill, queue);
    const char *bytes = len ? peek(spill, queue, sizeof(len), len) : NULL;

    if (!bytes)
        return false;
    buf_clear(record);
    if (!buf_put(record, (struct str){bytes, len})) {
        errno = EMSGSIZE;
        return false;
    }
    queue->head_at = (uint16_t)(queue->head_at + sizeof(len) + len);
    if (!--queue->count) {
        give_block(spill, queue->head);
        *queue = (struct spill_queue){0};
    }
    return true;
}
