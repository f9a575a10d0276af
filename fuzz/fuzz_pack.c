/* Segments of rows. Bytes that can be read as rows are the same rows after they
 * were packed anew. The input is what stands before compression: the fuzzer
 * could not guess a digest. */
#include "fuzz.h"

#include <stdlib.h>
#include <zstd.h>

#include "base/hashtable.h"
#include "store/batch.h"
#include "store/pack.h"
#include "store/store.h"

enum { HEAD = 13 };

static bool add_row(void *user, enum row_kind kind, const void *row)
{
    store_add(user, kind, row);
    return true;
}

static bool read_piece(struct str piece, struct store_batch *batch)
{
    struct unpacker *unpacker = unpacker_new();
    struct unpacked unpacked;
    bool good = unpack(unpacker, &unpacked, piece);

    for (enum row_kind kind = 0; kind < ROW_KINDS && good; kind++)
        good = unpack_rows(&unpacked, kind, add_row, batch);
    unpack_release(&unpacked);
    unpacker_free(unpacker);
    return good;
}

static void read_again(void *user, struct str piece)
{
    bool good = read_piece(piece, user);

    assert(good);
}

static const void *row_at(const struct store_batch *batch, enum row_kind kind,
                          size_t i)
{
    return (const char *)batch->rows[kind].item +
           i * row_description[kind].size;
}

static void check_again(const struct store_batch *batch)
{
    struct store_batch again;

    store_batch_init(&again);
    struct packer *packer = packer_new(read_again, &again);
    for (enum row_kind kind = 0; kind < ROW_KINDS; kind++)
        for (size_t i = 0; i < batch->rows[kind].count; i++)
            packer_add(packer, kind, row_at(batch, kind, i));
    packer_end(packer);
    for (enum row_kind kind = 0; kind < ROW_KINDS; kind++) {
        assert(again.rows[kind].count == batch->rows[kind].count);
        for (size_t i = 0; i < batch->rows[kind].count; i++)
            assert(row_digest(1, kind, row_at(batch, kind, i)) ==
                   row_digest(1, kind, row_at(&again, kind, i)));
    }
    packer_free(packer);
    store_batch_release(&again);
}

/* A piece with this content and the right digest. */
static struct str make_piece(char *to, size_t room, int version,
                             struct str plain)
{
    uint64_t digest = hash64(plain, (uint64_t)version);

    to[0] = (char)version;
    for (int i = 0; i < 8; i++)
        to[1 + i] = (char)(digest >> 8 * i);
    for (int i = 0; i < 4; i++)
        to[9 + i] = (char)(plain.len >> 8 * i);
    size_t len = ZSTD_compress(to + HEAD, room - HEAD, plain.ptr, plain.len, 1);
    assert(!ZSTD_isError(len));
    return (struct str){to, HEAD + len};
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct str input = fuzz_input(data, size);
    struct store_batch batch;

    store_batch_init(&batch);
    read_piece(input, &batch);
    store_batch_clear(&batch);
    if (size) {
        struct str plain = str_skip(input, 1);
        size_t room = HEAD + ZSTD_compressBound(plain.len);
        char *bytes = malloc(room);
        assert(bytes);
        if (read_piece(
                make_piece(bytes, room, data[0] % (STORE_VERSION + 1), plain),
                &batch))
            check_again(&batch);
        free(bytes);
    }
    store_batch_release(&batch);
    return 0;
}
