#include "store/pack.h"

#include <assert.h>
#include <stdlib.h>
#include <zstd.h>

#include "base/buf.h"
#include "base/hashtable.h"
#include "base/mem.h"
#include "store/store.h"

enum {
    COLUMNS_MAX = 20,
    VARINT_MAX = 10,
    LEVEL = 1, /* of compression */
    /* version, digest, length before compression */
    HEAD = 1 + 8 + 4,
    KIND_NAME_MAX = 32,
    BLOCK_HEAD_MAX = KIND_NAME_MAX + 3 * VARINT_MAX,
    ROW_MAX = PACK_PLAIN_MAX - PACK_CUT - BLOCK_HEAD_MAX,
};
static_assert(STORE_VERSION <= UINT8_MAX, "it is one byte in a piece");

// NOLINTBEGIN(bugprone-macro-parentheses) ; it adds up
// clang-format off
#define KIND(kind)                      enum { kind##_columns = 0
#define COLUMN(kind, type, name, since) + 1
#define END(kind)                                                              \
    };                                                                         \
    static_assert((int)kind##_columns <= (int)COLUMNS_MAX, "raise COLUMNS_MAX");
#include "store/rows.def"
// clang-format on
// NOLINTEND(bugprone-macro-parentheses)

/* The numbers of the row before, of columns that are written as differences. */
struct before {
    uint64_t number[COLUMNS_MAX];
};

static bool is_difference(const struct row_column *column)
{
    return column->type == ROW_ID || column->type == ROW_NUMBER;
}

/* --- writing ------------------------------------------------------------ */

struct packer {
    pack_piece_fn *take;
    void *user;
    ZSTD_CCtx *zstd;
    struct buf plain; /* the blocks that are complete */
    struct buf block; /* the rows of the one that is not, */
    enum row_kind kind;
    uint64_t rows;
    struct before before;
    struct buf piece;
};

struct packer *packer_new(pack_piece_fn *take, void *user)
{
    struct packer *packer = NEW(struct packer);

    packer->take = take;
    packer->user = user;
    packer->zstd = mem_checked(ZSTD_createCCtx());
    buf_init(&packer->plain, PACK_PLAIN_MAX);
    buf_init(&packer->block, PACK_PLAIN_MAX);
    buf_init(&packer->piece, HEAD + ZSTD_compressBound(PACK_PLAIN_MAX));
    return packer;
}

void packer_free(struct packer *packer)
{
    if (!packer)
        return;
    ZSTD_freeCCtx(packer->zstd);
    buf_release(&packer->plain);
    buf_release(&packer->block);
    buf_release(&packer->piece);
    free(packer);
}

static char *put_varint(char *to, uint64_t value)
{
    for (; value >= 0x80; value >>= 7)
        *to++ = (char)(value | 0x80);
    *to++ = (char)value;
    return to;
}

static char *put_fixed(char *to, uint64_t value, size_t bytes)
{
    for (size_t i = 0; i < bytes; i++)
        *to++ = (char)(value >> 8 * i);
    return to;
}

/* Small differences in both directions become small numbers. */
static uint64_t fold_sign(uint64_t difference)
{
    return difference << 1 ^ (difference >> 63 ? UINT64_MAX : 0);
}

static uint64_t unfold_sign(uint64_t value)
{
    return value >> 1 ^ (value & 1 ? UINT64_MAX : 0);
}

static char *put_text(char *to, struct str text)
{
    if (!text.ptr)
        return put_varint(to, 0);
    to = put_varint(to, text.len + 1);
    if (text.len)
        memcpy(to, text.ptr, text.len);
    return to + text.len;
}

static char *put_number(char *to, uint64_t value,
                        const struct row_column *column, uint64_t *before)
{
    if (column->type == ROW_BITS)
        return put_fixed(to, value, sizeof(value));
    if (!is_difference(column))
        return put_varint(to, value);
    to = put_varint(to, fold_sign(value - *before));
    *before = value;
    return to;
}

static char *put_row(char *to, enum row_kind kind, const void *row,
                     struct before *before)
{
    const struct row_description *description = &row_description[kind];
    const char *whole = NULL;

    for (size_t i = 0; i < description->columns; i++) {
        const struct row_column *column = &description->column[i];
        const struct str *text = row_text(row, column);
        if (row_is_text(column)) {
            whole = text->ptr;
            to = put_text(to, *text);
        } else if (column->type == ROW_PART) {
            to = put_varint(to, (uint64_t)(text->ptr - whole));
            to = put_varint(to, text->len);
        } else {
            to = put_number(to, row_get_number(row, column), column,
                            &before->number[i]);
        }
    }
    return to;
}

/* At most so many bytes. */
static size_t size_of_row(enum row_kind kind, const void *row)
{
    const struct row_description *description = &row_description[kind];
    size_t size = 0;

    for (size_t i = 0; i < description->columns; i++) {
        const struct row_column *column = &description->column[i];
        size += 2 * VARINT_MAX;
        if (row_is_text(column))
            size += row_text(row, column)->len;
    }
    return size;
}

static void close_block(struct packer *packer)
{
    char *start, *to;

    if (!packer->rows)
        return;
    start = to = buf_reserve(&packer->plain, BLOCK_HEAD_MAX);
    assert(to);
    to = put_text(to, str_of(row_description[packer->kind].name));
    to = put_varint(to, packer->rows);
    to = put_varint(to, packer->block.len);
    packer->plain.len += (size_t)(to - start);
    bool fits = buf_put(&packer->plain, buf_str(&packer->block));
    assert(fits);
    (void)fits;
    buf_clear(&packer->block);
    packer->rows = 0;
    packer->before = (struct before){0};
}

void packer_end(struct packer *packer)
{
    close_block(packer);
    if (!packer->plain.len)
        return;
    struct str plain = buf_str(&packer->plain);
    size_t room = ZSTD_compressBound(plain.len);
    buf_clear(&packer->piece);
    char *to = buf_reserve(&packer->piece, HEAD + room);
    assert(to);
    *to++ = (char)STORE_VERSION;
    to = put_fixed(to, hash64(plain, STORE_VERSION), 8);
    to = put_fixed(to, plain.len, 4);
    size_t len =
        ZSTD_compressCCtx(packer->zstd, to, room, plain.ptr, plain.len, LEVEL);
    assert(!ZSTD_isError(len));
    packer->piece.len = HEAD + len;
    packer->take(packer->user, buf_str(&packer->piece));
    buf_clear(&packer->plain);
}

bool packer_add(struct packer *packer, enum row_kind kind, const void *row)
{
    size_t size = size_of_row(kind, row);

    if (size > ROW_MAX)
        return false;
    if (packer->rows && kind != packer->kind)
        close_block(packer);
    packer->kind = kind;
    char *to = buf_reserve(&packer->block, size);
    assert(to);
    packer->block.len += (size_t)(put_row(to, kind, row, &packer->before) - to);
    packer->rows++;
    if (packer->plain.len + packer->block.len >= PACK_CUT)
        packer_end(packer);
    return true;
}

/* --- reading ------------------------------------------------------------ */

/* The bytes that are left to read. After a fault there are none. */
struct source {
    const char *at, *end;
    bool good;
};

static uint64_t fail(struct source *source)
{
    source->at = source->end;
    source->good = false;
    return 0;
}

static uint64_t get_varint(struct source *source)
{
    uint64_t value = 0;

    for (unsigned shift = 0; source->at < source->end && shift < 64;
         shift += 7) {
        uint64_t byte = (unsigned char)*source->at++;
        if (shift == 63 && byte > 1)
            break;
        value |= (byte & 0x7f) << shift;
        if (!(byte & 0x80))
            return value;
    }
    return fail(source);
}

static uint64_t get_fixed(struct source *source, size_t bytes)
{
    uint64_t value = 0;

    if ((size_t)(source->end - source->at) < bytes)
        return fail(source);
    for (size_t i = 0; i < bytes; i++)
        value |= (uint64_t)(unsigned char)*source->at++ << 8 * i;
    return value;
}

static struct str get_text(struct source *source)
{
    uint64_t len = get_varint(source);
    struct str text = {source->at, (size_t)len - 1};

    if (!len)
        return (struct str){0};
    if (len - 1 > (uint64_t)(source->end - source->at)) {
        fail(source);
        return (struct str){0};
    }
    source->at += len - 1;
    return text;
}

static struct str get_part(struct source *source, struct str whole)
{
    uint64_t start = get_varint(source);
    uint64_t len = get_varint(source);

    if (start <= whole.len && len <= whole.len - start)
        return (struct str){whole.ptr + start, (size_t)len};
    fail(source);
    return (struct str){0};
}

static uint64_t get_number(struct source *source,
                           const struct row_column *column, uint64_t *before)
{
    if (column->type == ROW_BITS)
        return get_fixed(source, sizeof(uint64_t));
    if (!is_difference(column))
        return get_varint(source);
    return *before += unfold_sign(get_varint(source));
}

static bool get_row(struct source *source, enum row_kind kind, int version,
                    struct before *before, void *row)
{
    const struct row_description *description = &row_description[kind];
    struct str whole = {0};

    for (size_t i = 0; i < description->columns; i++) {
        const struct row_column *column = &description->column[i];
        struct str *text = row_text_to_set(row, column);
        bool is_there = column->since <= version;
        if (row_is_text(column)) {
            *text = whole = is_there ? get_text(source) : (struct str){0};
            if (!text->ptr && column->type == ROW_NAME)
                return false;
        } else if (column->type == ROW_PART) {
            *text = get_part(source, whole);
        } else {
            uint64_t number =
                is_there ? get_number(source, column, &before->number[i]) : 0;
            if (!source->good || !row_set_number(row, column, number))
                return false;
        }
    }
    return source->good;
}

struct unpacker {
    ZSTD_DCtx *zstd;
};

struct unpacker *unpacker_new(void)
{
    struct unpacker *unpacker = NEW(struct unpacker);

    unpacker->zstd = mem_checked(ZSTD_createDCtx());
    return unpacker;
}

void unpacker_free(struct unpacker *unpacker)
{
    if (!unpacker)
        return;
    ZSTD_freeDCtx(unpacker->zstd);
    free(unpacker);
}

bool unpack(struct unpacker *unpacker, struct unpacked *unpacked,
            struct str piece)
{
    struct source head = {piece.ptr, piece.ptr + piece.len, true};

    *unpacked = (struct unpacked){0};
    if (piece.len < HEAD)
        return false;
    int version = (int)get_fixed(&head, 1);
    uint64_t digest = get_fixed(&head, 8);
    size_t len = (size_t)get_fixed(&head, 4);
    if (version > STORE_VERSION || len > PACK_PLAIN_MAX)
        return false;
    *unpacked = (struct unpacked){mem_new(len + 1), len, version};
    size_t got = ZSTD_decompressDCtx(unpacker->zstd, unpacked->plain, len,
                                     head.at, (size_t)(head.end - head.at));
    if (got == len &&
        hash64((struct str){unpacked->plain, len}, (uint64_t)version) == digest)
        return true;
    unpack_release(unpacked);
    return false;
}

void unpack_release(struct unpacked *unpacked)
{
    free(unpacked->plain);
    *unpacked = (struct unpacked){0};
}

/* ROW_KINDS: none has this name. */
static enum row_kind kind_named(struct str name)
{
    enum row_kind kind = 0;

    while (kind < ROW_KINDS &&
           !str_eq(name, str_of(row_description[kind].name)))
        kind++;
    return kind;
}

static bool unpack_block(struct source block, uint64_t rows, enum row_kind kind,
                         int version, unpack_row_fn *take, void *user)
{
    struct before before = {0};
    union row_any row;

    /* A version without this kind had no such rows; they would be 0 bytes. */
    if (row_kind_since(kind) > version)
        return !rows;
    for (; rows; rows--)
        if (!get_row(&block, kind, version, &before, &row) ||
            !take(user, kind, &row))
            return false;
    return block.at == block.end;
}

bool unpack_rows(const struct unpacked *unpacked, enum row_kind kind,
                 unpack_row_fn *take, void *user)
{
    struct source source = {unpacked->plain, unpacked->plain + unpacked->len,
                            true};

    while (source.at < source.end) {
        enum row_kind its_kind = kind_named(get_text(&source));
        uint64_t rows = get_varint(&source);
        uint64_t len = get_varint(&source);
        if (!source.good || its_kind == ROW_KINDS ||
            len > (uint64_t)(source.end - source.at))
            return false;
        struct source block = {source.at, source.at + len, true};
        source.at += len;
        if (its_kind == kind &&
            !unpack_block(block, rows, kind, unpacked->version, take, user))
            return false;
    }
    return source.good;
}
