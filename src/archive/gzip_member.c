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
    SAMPLE_LEVEL = 1,
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
    uint8_t coded[GZIP_STEP];
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

static void reserve_stored(struct buf *out, size_t len)
{
    size_t blocks = len / BLOCK_MAX + 1;
    char *room = buf_reserve(out, HEADER_LEN + blocks * BLOCK_HEADER_LEN + len +
                                      TRAILER_LEN);

    assert(room);
    (void)room;
}

static void begin_stored(struct gzip_member *member)
{
    /* Deflate, no flags, no time, fast, an unknown system. */
    buf_put(member->out,
            (struct str){"\x1f\x8b\x08\0\0\0\0\0\x04\xff", HEADER_LEN});
}

/* Each piece is copied once: what came compressed is most of many archives. */
static void add_stored(struct gzip_member *member, struct str piece)
{
    member->crc =
        libdeflate_crc32(member->crc, piece.ptr ? piece.ptr : "", piece.len);
    while (piece.len) {
        if (!member->in_block) {
            member->in_block =
                member->rest < BLOCK_MAX ? (size_t)member->rest : BLOCK_MAX;
            member->rest -= member->in_block;
            begin_block(member->out, member->in_block, !member->rest);
        }
        struct str part = str_first(piece, member->in_block);
        buf_put(member->out, part);
        member->in_block -= part.len;
        piece = str_skip(piece, part.len);
    }
}

static void end_stored(struct gzip_member *member)
{
    assert(!member->rest && !member->in_block);
    if (!member->len)
        begin_block(member->out, 0, true);
    put_le(member->out, member->crc, 4);
    put_le(member->out, (uint32_t)member->len, 4);
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

/* --- by zlib -------------------------------------------------------------- */

static void put_step(struct buf *out, z_stream *z, int flush)
{
    do {
        char *to = buf_reserve(out, GZIP_STEP);

        assert(to);
        z->next_out = (unsigned char *)to;
        z->avail_out = GZIP_STEP;
        deflate(z, flush);
        out->len += GZIP_STEP - z->avail_out;
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

static void begin_zlib(z_stream *z, int level)
{
    int good = deflateInit2(z, level < ZLIB_LEVEL_MAX ? level : ZLIB_LEVEL_MAX,
                            Z_DEFLATED, ZLIB_GZIP_WINDOW, ZLIB_MEMORY,
                            Z_DEFAULT_STRATEGY);

    mem_checked(good == Z_OK ? z : NULL);
}

/* --- any of them, piece by piece ------------------------------------------ */

void gzip_member_begin(struct gzip_member *member, struct buf *out, int level,
                       uint64_t len)
{
    *member = (struct gzip_member){.out = out, .len = len, .rest = len};
    if (level == GZIP_STORED) {
        begin_stored(member);
    } else if (level == FAST_LEVEL) {
        member->fast = begin_fast(tools_of_thread());
    } else {
        member->zlib = NEW(z_stream);
        begin_zlib(member->zlib, level);
    }
}

void gzip_member_add(struct gzip_member *member, struct str piece)
{
    if (member->fast)
        put_piece_fast(member->out, member->fast, piece, false);
    else if (member->zlib)
        put_piece(member->out, member->zlib, piece);
    else
        add_stored(member, piece);
}

void gzip_member_end(struct gzip_member *member)
{
    if (member->fast) {
        put_piece_fast(member->out, member->fast, STR(""), true);
        put_coded(member->out, member->fast);
    } else if (member->zlib) {
        put_step(member->out, member->zlib, Z_FINISH);
    } else {
        end_stored(member);
    }
}

void gzip_member_release(struct gzip_member *member)
{
    if (member->zlib)
        deflateEnd(member->zlib);
    free(member->zlib);
}

/* --- which of them ---------------------------------------------------------
 */

bool gzip_is_noise(struct str sample)
{
    char coded[GZIP_SAMPLES * GZIP_SAMPLE_LEN];
    struct libdeflate_compressor *z =
        compressor(tools_of_thread(), SAMPLE_LEVEL);

    return !libdeflate_deflate_compress(z, sample.ptr, sample.len, coded,
                                        sizeof(coded) / 20 * 19);
}

uint64_t gzip_sample_at(uint64_t len, size_t number)
{
    return (len - GZIP_SAMPLE_LEN) / (GZIP_SAMPLES - 1) * number;
}

/* To try nevertheless would keep the thread from its other work for a second.
 */
static bool is_noise(struct str piece)
{
    struct buf *plain = &tools_of_thread()->plain;

    if (piece.len < 2 * GZIP_SAMPLES * GZIP_SAMPLE_LEN)
        return false;
    buf_clear(plain);
    for (size_t i = 0; i < GZIP_SAMPLES; i++) {
        size_t at = (size_t)gzip_sample_at(piece.len, i);

        buf_put(plain, str_first(str_skip(piece, at), GZIP_SAMPLE_LEN));
    }
    return gzip_is_noise(buf_str(plain));
}

static void put_pieces(struct buf *out, int level, const struct str *piece,
                       size_t count, size_t len)
{
    struct gzip_member member;

    if (level == GZIP_STORED)
        reserve_stored(out, len);
    gzip_member_begin(&member, out, level, len);
    for (size_t i = 0; i < count; i++)
        gzip_member_add(&member, piece[i]);
    gzip_member_end(&member);
    gzip_member_release(&member);
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
    if (level == FAST_LEVEL)
        put_fast(out, piece, count, len);
    else if (level != GZIP_STORED && len <= IN_ONE_GO_MAX)
        put_in_one_go(out, level, piece, count);
    else
        put_pieces(out, level, piece, count, len);
}
