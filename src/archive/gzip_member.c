#include "archive/gzip_member.h"

#include <assert.h>
#include <isa-l/igzip_lib.h>
#include <libdeflate.h>
#include <pthread.h>
#include <stdlib.h>
#define ZLIB_CONST
#include <zlib.h>

#include "base/mem.h"

enum {
    /* ISA-L has this level in less than half the time of libdeflate, and takes
     * it piece by piece. Its members are 4 % longer. */
    FAST_LEVEL = 1,
    /* At other levels zlib compresses what is longer than this: it takes twice
     * the time, but not twice the memory. */
    IN_ONE_GO_MAX = 1 << 20,
    SCRATCH_KEEP_MAX = 256 << 10,
    SAMPLES = 4,
    SAMPLE_LEN = 8 << 10,
    SAMPLE_LEVEL = 1,
    STEP = 64 << 10,
    STEP_IN_MAX = 1 << 30, /* of zlib and ISA-L */
    ZLIB_LEVEL_MAX = 9,
    ZLIB_GZIP_WINDOW = 15 + 16, /* the largest, in a gzip frame */
    ZLIB_MEMORY = 8,            /* its default */
    HEADER_LEN = 10,
    TRAILER_LEN = 8,
    BLOCK_MAX = 65535, /* of what is stored */
    BLOCK_HEADER_LEN = 5,
};

/* --- what a thread keeps -------------------------------------------------- */

struct fast {
    struct isal_zstream z;
    uint8_t tables[ISAL_DEF_LVL1_SMALL];
    uint8_t coded[STEP];
};

struct tools {
    struct libdeflate_compressor *compressor[GZIP_LEVEL_MAX + 1];
    struct fast *fast;
    struct buf plain; /* the pieces in a row */
};

static pthread_key_t tools_key;
static pthread_once_t once = PTHREAD_ONCE_INIT;

static void free_tools(void *user)
{
    struct tools *tools = user;

    for (int level = 0; level <= GZIP_LEVEL_MAX; level++)
        libdeflate_free_compressor(tools->compressor[level]);
    free(tools->fast);
    buf_release(&tools->plain);
    free(tools);
}

static void make_key(void)
{
    pthread_key_create(&tools_key, free_tools);
}

static struct tools *tools_of_thread(void)
{
    struct tools *tools;

    pthread_once(&once, make_key);
    tools = pthread_getspecific(tools_key);
    if (!tools) {
        tools = NEW(struct tools);
        buf_init(&tools->plain, IN_ONE_GO_MAX);
        pthread_setspecific(tools_key, tools);
    }
    return tools;
}

static struct libdeflate_compressor *compressor(struct tools *tools, int level)
{
    struct libdeflate_compressor **of_level = &tools->compressor[level];

    if (!*of_level)
        *of_level = mem_checked(libdeflate_alloc_compressor(level));
    return *of_level;
}

static struct str join(struct tools *tools, const struct str *piece,
                       size_t count)
{
    buf_clear(&tools->plain);
    for (size_t i = 0; i < count; i++)
        buf_put(&tools->plain, piece[i]);
    return buf_str(&tools->plain);
}

/* --- stored --------------------------------------------------------------- */

static void put_le(struct buf *out, uint32_t number, size_t bytes)
{
    for (; bytes; bytes--, number >>= 8)
        buf_put_char(out, (char)(number & 0xff));
}

static void begin_block(struct buf *out, size_t len, bool is_last)
{
    put_le(out, is_last, 1);
    put_le(out, (uint32_t)len, 2);
    put_le(out, ~(uint32_t)len, 2);
}

/* Each piece is copied once: what came compressed is most of many archives. */
static void put_stored(struct buf *out, const struct str *piece, size_t count,
                       size_t len)
{
    size_t blocks = len / BLOCK_MAX + 1, rest = len, in_block = 0;
    uint32_t crc = 0;
    char *room = buf_reserve(out, HEADER_LEN + blocks * BLOCK_HEADER_LEN + len +
                                      TRAILER_LEN);

    assert(room);
    (void)room;
    /* Deflate, no flags, no time, fast, an unknown system. */
    buf_put(out, (struct str){"\x1f\x8b\x08\0\0\0\0\0\x04\xff", HEADER_LEN});
    for (size_t i = 0; i < count; i++) {
        struct str left = piece[i];

        crc = libdeflate_crc32(crc, left.ptr ? left.ptr : "", left.len);
        while (left.len) {
            if (!in_block) {
                in_block = rest < BLOCK_MAX ? rest : BLOCK_MAX;
                rest -= in_block;
                begin_block(out, in_block, !rest);
            }
            struct str part = str_first(left, in_block);
            buf_put(out, part);
            in_block -= part.len;
            left = str_skip(left, part.len);
        }
    }
    if (!len)
        begin_block(out, 0, true);
    put_le(out, crc, 4);
    put_le(out, (uint32_t)len, 4);
}

/* --- fast ----------------------------------------------------------------- */

static struct fast *begin_fast(struct tools *tools)
{
    if (!tools->fast)
        tools->fast = NEW(struct fast);
    struct fast *fast = tools->fast;
    isal_deflate_init(&fast->z);
    fast->z.level = FAST_LEVEL;
    fast->z.level_buf = fast->tables;
    fast->z.level_buf_size = sizeof(fast->tables);
    fast->z.gzip_flag = IGZIP_GZIP;
    fast->z.next_out = fast->coded;
    fast->z.avail_out = sizeof(fast->coded);
    return fast;
}

static void put_coded(struct buf *out, struct fast *fast)
{
    size_t len = sizeof(fast->coded) - fast->z.avail_out;
    bool fits = buf_put(out, (struct str){(char *)fast->coded, len});

    assert(fits);
    (void)fits;
    fast->z.next_out = fast->coded;
    fast->z.avail_out = sizeof(fast->coded);
}

static bool is_at_work(const struct isal_zstream *z)
{
    return z->avail_in ||
           (z->end_of_stream && z->internal_state.state != ZSTATE_END);
}

static void put_piece_fast(struct buf *out, struct fast *fast, struct str piece,
                           bool is_last)
{
    struct isal_zstream *z = &fast->z;

    do {
        struct str step = str_first(piece, STEP_IN_MAX);

        piece = str_skip(piece, step.len);
        z->next_in = (uint8_t *)step.ptr;
        z->avail_in = (uint32_t)step.len;
        z->end_of_stream = is_last && !piece.len;
        while (is_at_work(z)) {
            isal_deflate(z);
            if (!z->avail_out)
                put_coded(out, fast);
        }
    } while (piece.len);
}

/* A single piece is read where it is. Given several, ISA-L would copy twice as
 * much, to keep what came before. */
static void put_fast(struct buf *out, const struct str *piece, size_t count,
                     size_t len)
{
    struct tools *tools = tools_of_thread();
    struct fast *fast = begin_fast(tools);
    struct str joined;

    if (len <= SCRATCH_KEEP_MAX / 2) {
        joined = join(tools, piece, count);
        piece = &joined;
        count = 1;
    }
    for (size_t i = 0; i < count; i++)
        put_piece_fast(out, fast, piece[i], i + 1 == count);
    put_coded(out, fast);
}

/* --- in one go --------------------------------------------------------------
 */

static void put_in_one_go(struct buf *out, int level, const struct str *piece,
                          size_t count)
{
    struct tools *tools = tools_of_thread();
    struct libdeflate_compressor *z = compressor(tools, level);
    struct str plain = join(tools, piece, count);
    size_t room = libdeflate_gzip_compress_bound(z, plain.len);
    char *to = buf_reserve(out, room);

    assert(to);
    out->len += libdeflate_gzip_compress(z, plain.ptr, plain.len, to, room);
    if (tools->plain.room > SCRATCH_KEEP_MAX)
        buf_release(&tools->plain);
}

/* --- piece by piece
 * ----------------------------------------------------------- */

static void put_step(struct buf *out, z_stream *z, int flush)
{
    do {
        char *to = buf_reserve(out, STEP);

        assert(to);
        z->next_out = (unsigned char *)to;
        z->avail_out = STEP;
        deflate(z, flush);
        out->len += STEP - z->avail_out;
    } while (!z->avail_out);
}

static void put_piece(struct buf *out, z_stream *z, struct str piece)
{
    while (piece.len) {
        struct str step = str_first(piece, STEP_IN_MAX);

        z->next_in = (const unsigned char *)step.ptr;
        z->avail_in = (unsigned)step.len;
        put_step(out, z, Z_NO_FLUSH);
        piece = str_skip(piece, step.len);
    }
}

static void put_by_pieces(struct buf *out, int level, const struct str *piece,
                          size_t count)
{
    z_stream z = {0};

    int good = deflateInit2(&z, level < ZLIB_LEVEL_MAX ? level : ZLIB_LEVEL_MAX,
                            Z_DEFLATED, ZLIB_GZIP_WINDOW, ZLIB_MEMORY,
                            Z_DEFAULT_STRATEGY);

    mem_checked(good == Z_OK ? &z : NULL);
    for (size_t i = 0; i < count; i++)
        put_piece(out, &z, piece[i]);
    put_step(out, &z, Z_FINISH);
    deflateEnd(&z);
}

/* --- which of them ---------------------------------------------------------
 */

/* Does a sample of it say that it cannot be compressed? To try nevertheless
 * would keep the thread from its other work for a second. */
static bool is_noise(struct str piece)
{
    struct tools *tools = tools_of_thread();
    struct libdeflate_compressor *z = compressor(tools, SAMPLE_LEVEL);
    struct buf *plain = &tools->plain;
    char coded[SAMPLES * SAMPLE_LEN];

    if (piece.len < 2 * sizeof(coded))
        return false;
    buf_clear(plain);
    for (size_t i = 0; i < SAMPLES; i++) {
        size_t from = (piece.len - SAMPLE_LEN) / (SAMPLES - 1) * i;

        buf_put(plain, str_first(str_skip(piece, from), SAMPLE_LEN));
    }
    return !libdeflate_deflate_compress(z, plain->ptr, plain->len, coded,
                                        sizeof(coded) / 20 * 19);
}

static bool has_noise(const struct str *piece, size_t count)
{
    for (size_t i = 0; i < count; i++)
        if (is_noise(piece[i]))
            return true;
    return false;
}

void gzip_member_put(struct buf *out, int level, const struct str *piece,
                     size_t count)
{
    size_t len = 0;

    assert(count && level >= GZIP_STORED && level <= GZIP_LEVEL_MAX);
    for (size_t i = 0; i < count; i++)
        len += piece[i].len;
    if (len > IN_ONE_GO_MAX && level != GZIP_STORED && has_noise(piece, count))
        level = GZIP_STORED;
    if (level == GZIP_STORED)
        put_stored(out, piece, count, len);
    else if (level == FAST_LEVEL)
        put_fast(out, piece, count, len);
    else if (len <= IN_ONE_GO_MAX)
        put_in_one_go(out, level, piece, count);
    else
        put_by_pieces(out, level, piece, count);
}
