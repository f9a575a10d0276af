/* Segments: what is packed comes back, and damage is found. */
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <zstd.h>

#include <cmocka.h>

#include "base/buf.h"
#include "base/hashtable.h"
#include "base/mem.h"
#include "store/batch.h"
#include "store/pack.h"
#include "store/store.h"

enum { PIECES_MAX = 64, BYTES_MAX = 64 << 20 };

struct pieces {
    struct buf bytes;
    size_t end[PIECES_MAX];
    size_t count;
};

static void keep_piece(void *user, struct str piece)
{
    struct pieces *pieces = user;

    assert_true(pieces->count < PIECES_MAX);
    assert_true(buf_put(&pieces->bytes, piece));
    pieces->end[pieces->count++] = pieces->bytes.len;
}

static struct str piece_at(const struct pieces *pieces, size_t i)
{
    size_t start = i ? pieces->end[i - 1] : 0;

    return (struct str){pieces->bytes.ptr + start, pieces->end[i] - start};
}

static struct pieces *pack_batch(const struct store_batch *batch)
{
    struct pieces *pieces = NEW(struct pieces);
    struct packer *packer;

    buf_init(&pieces->bytes, BYTES_MAX);
    packer = packer_new(keep_piece, pieces);
    for (enum row_kind kind = 0; kind < ROW_KINDS; kind++)
        for (size_t i = 0; i < batch->rows[kind].count; i++)
            assert_true(packer_add(packer, kind,
                                   (char *)batch->rows[kind].item +
                                       i * row_description[kind].size));
    packer_end(packer);
    packer_free(packer);
    return pieces;
}

static void pieces_free(struct pieces *pieces)
{
    buf_release(&pieces->bytes);
    free(pieces);
}

static bool add_row(void *user, enum row_kind kind, const void *row)
{
    store_add(user, kind, row);
    return true;
}

static bool unpack_into(struct store_batch *batch, struct str piece)
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

static void assert_same(const struct store_batch *a,
                        const struct store_batch *b)
{
    for (enum row_kind kind = 0; kind < ROW_KINDS; kind++) {
        size_t size = row_description[kind].size;
        assert_int_equal(a->rows[kind].count, b->rows[kind].count);
        for (size_t i = 0; i < a->rows[kind].count; i++) {
            const void *one = (char *)a->rows[kind].item + i * size;
            const void *other = (char *)b->rows[kind].item + i * size;
            assert_true(row_digest(1, kind, one) == row_digest(1, kind, other));
        }
    }
}

/* --- rows --------------------------------------------------------------- */

static uint64_t random_number(uint64_t *state)
{
    static const uint64_t special[] = {
        0, 1, 127, 128, UINT8_MAX, UINT32_MAX, INT64_MAX, UINT64_MAX,
    };

    *state = *state * 6364136223846793005u + 1442695040888963407u;
    if (*state >> 62)
        return special[*state >> 33 & 7];
    return *state >> (*state >> 58);
}

static struct str random_text(uint64_t *state, bool may_be_null)
{
    static const char bytes[] = "it's \"\0\" \xff;-- http://example.org/";
    uint64_t n = random_number(state);

    if (may_be_null && n % 4 == 0)
        return (struct str){0};
    return (struct str){bytes, n % sizeof(bytes)};
}

/* A row of any kind, with whatever its columns can hold. */
static void add_random(struct store_batch *batch, enum row_kind kind,
                       uint64_t *state)
{
    const struct row_description *description = &row_description[kind];
    union row_any row = {0};
    struct str whole = {0};

    for (size_t i = 0; i < description->columns; i++) {
        const struct row_column *column = &description->column[i];
        struct str *text = row_text_to_set(&row, column);
        if (row_is_text(column))
            *text = whole = random_text(state, column->type == ROW_TEXT);
        else if (column->type == ROW_PART)
            *text = str_skip(whole, whole.len / 2);
        else
            while (!row_set_number(&row, column, random_number(state)))
                ;
    }
    store_add(batch, kind, &row);
}

static void every_kind_comes_back(void **state)
{
    struct store_batch in, out;
    uint64_t random = 1;

    (void)state;
    for (int round = 0; round < 50; round++) {
        store_batch_init(&in);
        store_batch_init(&out);
        for (int i = 0; i < 200; i++)
            add_random(&in, random_number(&random) % ROW_KINDS, &random);
        struct pieces *pieces = pack_batch(&in);
        for (size_t i = 0; i < pieces->count; i++)
            assert_true(unpack_into(&out, piece_at(pieces, i)));
        assert_same(&in, &out);
        pieces_free(pieces);
        store_batch_release(&in);
        store_batch_release(&out);
    }
}

static void add_url(struct store_batch *batch, uint64_t number)
{
    char text[64];
    int len = snprintf(text, sizeof(text), "http://www.example.org/%016llx",
                       (unsigned long long)number * 0x9e3779b97f4a7c15ULL);
    const struct store_url row = {
        .number = number,
        .url = {text, (size_t)len},
        .host = {text + 7, 15},
        .domain = {text + 11, 11},
        .depth = 3,
    };

    store_add_url(batch, &row);
}

static void a_large_segment_is_cut(void **state)
{
    struct store_batch in, out;

    (void)state;
    store_batch_init(&in);
    store_batch_init(&out);
    for (uint64_t i = 1; i <= 50000; i++)
        add_url(&in, (uint64_t)7 << 40 | i);
    struct pieces *pieces = pack_batch(&in);
    assert_true(pieces->count > 2);
    for (size_t i = 0; i < pieces->count; i++) {
        assert_true(piece_at(pieces, i).len < PACK_CUT);
        assert_true(unpack_into(&out, piece_at(pieces, i)));
    }
    assert_same(&in, &out);
    pieces_free(pieces);
    store_batch_release(&in);
    store_batch_release(&out);
}

static void a_row_beyond_every_piece_is_refused(void **state)
{
    char *text = mem_new(PACK_PLAIN_MAX);
    const struct store_setting row = {STR("x"), {text, PACK_PLAIN_MAX}};
    const struct store_robots large = {.host = STR("a"),
                                       .text = {text, 2 << 20}};
    struct pieces pieces = {0};
    struct packer *packer = packer_new(keep_piece, &pieces);

    (void)state;
    buf_init(&pieces.bytes, BYTES_MAX);
    assert_false(packer_add(packer, ROW_setting, &row));
    assert_true(packer_add(packer, ROW_robots, &large));
    packer_end(packer);
    assert_int_equal(pieces.count, 1);
    packer_free(packer);
    buf_release(&pieces.bytes);
    free(text);
}

/* --- what was not packed here ------------------------------------------- */

static void damage_is_found(void **state)
{
    struct store_batch in, out;
    uint64_t random = 7;

    (void)state;
    store_batch_init(&in);
    store_batch_init(&out);
    for (enum row_kind kind = 0; kind < ROW_KINDS; kind++)
        add_random(&in, kind, &random);
    struct pieces *pieces = pack_batch(&in);
    struct str piece = piece_at(pieces, 0);
    for (size_t i = 0; i < piece.len; i++) {
        assert_false(unpack_into(&out, str_first(piece, i)));
        pieces->bytes.ptr[i] = (char)(pieces->bytes.ptr[i] ^ 4);
        /* zstd's frame head may have bits without a meaning. */
        if (unpack_into(&out, piece))
            assert_same(&in, &out);
        store_batch_clear(&out);
        pieces->bytes.ptr[i] = (char)(pieces->bytes.ptr[i] ^ 4);
    }
    pieces_free(pieces);
    store_batch_release(&in);
    store_batch_release(&out);
}

/* A piece of this content, whatever it is, with a digest that is right. */
static struct str make_piece(char *to, size_t room, int version,
                             struct str plain, size_t said)
{
    uint64_t digest = hash64(plain, (uint64_t)version);

    to[0] = (char)version;
    for (int i = 0; i < 8; i++)
        to[1 + i] = (char)(digest >> 8 * i);
    for (int i = 0; i < 4; i++)
        to[9 + i] = (char)(said >> 8 * i);
    size_t len = ZSTD_compress(to + 13, room - 13, plain.ptr, plain.len, 1);
    assert_false(ZSTD_isError(len));
    return (struct str){to, 13 + len};
}

/* A piece with one block of this kind, or whatever has that name. */
static bool reads_block(struct store_batch *out, int version, const char *kind,
                        struct str block)
{
    char bytes[256], plain[64];

    assert_true(block.len + strlen(kind) + 1 < sizeof(plain));
    int len =
        snprintf(plain, sizeof(plain), "%c%s", (int)strlen(kind) + 1, kind);
    memcpy(plain + len, block.ptr, block.len);
    struct str whole = {plain, (size_t)len + block.len};
    return unpack_into(
        out, make_piece(bytes, sizeof(bytes), version, whole, whole.len));
}

static void a_row_of_an_earlier_version_lacks_a_column(void **state)
{
    struct store_batch out;

    (void)state;
    store_batch_init(&out);
    /* rows, length; name, failures, mute, given_up, outcome, until_ms */
    assert_true(
        reads_block(&out, 1, "host", STR("\x01\x07\x02z\x01\x02\x00\x03\x08")));
    assert_int_equal(out.rows[ROW_host].count, 1);
    const struct store_host *host = out.rows[ROW_host].item;
    assert_true(str_eq(host->name, STR("z")));
    assert_int_equal(host->until_ms, 4);
    assert_int_equal(host->backoffs, 0);
    store_batch_release(&out);
}

static void what_cannot_be_is_refused(void **state)
{
    static const struct {
        const char *why;
        int version;
        const char *kind;
        struct str block;
    } cases[] = {
        {"a later version", STORE_VERSION + 1, "host", STR_INIT("\0\0")},
        {"no such kind", STORE_VERSION, "ghost", STR_INIT("\0\0")},
        {"a block beyond the end", 1, "host", STR_INIT("\x01\x7f")},
        {"rows beyond the block", 1, "host",
         STR_INIT("\x02\x07\x02z\x01\x02\x00\x03\x08")},
        {"bytes left in the block", 1, "host",
         STR_INIT("\x01\x08\x02z\x01\x02\x00\x03\x08\x07")},
        {"a text beyond the block", 1, "host",
         STR_INIT("\x01\x07\x7fz\x01\x02\x00\x03\x08")},
        {"a name that is NULL", 1, "host",
         STR_INIT("\x01\x06\x00\x01\x02\x00\x03\x08")},
        {"a number too large for its column", 1, "host",
         STR_INIT("\x01\x08\x02z\xff\x02\x02\x00\x03\x08")},
        {"a number without an end", 1, "host",
         STR_INIT("\x01\x0d\x02z\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff"
                  "\xff")},
        {"rows of a kind that the version did not have", 1, "archive",
         STR_INIT("\xff\xff\xff\xff\xff\xff\xff\xff\x7f\x00")},
    };
    struct store_batch out;

    (void)state;
    store_batch_init(&out);
    for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
        print_message("%s\n", cases[i].why);
        assert_false(
            reads_block(&out, cases[i].version, cases[i].kind, cases[i].block));
    }
    store_batch_release(&out);
}

static void a_bomb_does_not_go_off(void **state)
{
    size_t size = (size_t)PACK_PLAIN_MAX * 4;
    char *zeros = mem_new(size);
    char *bytes = mem_new(1 << 16);
    struct store_batch out;

    (void)state;
    store_batch_init(&out);
    struct str plain = {zeros, size};
    assert_false(unpack_into(
        &out, make_piece(bytes, 1 << 16, STORE_VERSION, plain, size)));
    assert_false(
        unpack_into(&out, make_piece(bytes, 1 << 16, STORE_VERSION, plain, 9)));
    store_batch_release(&out);
    free(bytes);
    free(zeros);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_kind_comes_back),
        cmocka_unit_test(a_large_segment_is_cut),
        cmocka_unit_test(a_row_beyond_every_piece_is_refused),
        cmocka_unit_test(damage_is_found),
        cmocka_unit_test(a_row_of_an_earlier_version_lacks_a_column),
        cmocka_unit_test(what_cannot_be_is_refused),
        cmocka_unit_test(a_bomb_does_not_go_off),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
