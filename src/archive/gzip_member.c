#include "archive/gzip_member.h"

#include <assert.h>
#include <libdeflate.h>
#include <pthread.h>
#include <stdlib.h>
#define ZLIB_CONST
#include <zlib.h>

#include "base/mem.h"

enum {
    /* What is longer is compressed piece by piece. That takes twice the time,
     * but not twice the memory. */
    IN_ONE_GO_MAX = 1 << 20,
    SCRATCH_KEEP_MAX = 256 << 10,
    SAMPLES = 4,
    SAMPLE_LEN = 8 << 10,
    SAMPLE_LEVEL = 1,
    STEP = 64 << 10,
    STEP_IN_MAX = 1 << 30, /* of zlib */
    ZLIB_LEVEL_MAX = 9,
    ZLIB_GZIP_WINDOW = 15 + 16, /* the largest, in a gzip frame */
    ZLIB_MEMORY = 8,            /* its default */
};

/* --- what a thread keeps -------------------------------------------------- */

struct tools {
    struct libdeflate_compressor *compressor[GZIP_LEVEL_MAX + 1];
    struct buf plain; /* the pieces in a row */
};

static pthread_key_t tools_key;
static pthread_once_t once = PTHREAD_ONCE_INIT;

static void free_tools(void *user)
{
    struct tools *tools = user;

    for (int level = 0; level <= GZIP_LEVEL_MAX; level++)
        libdeflate_free_compressor(tools->compressor[level]);
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

/* --- in one go --------------------------------------------------------------
 */

static void put_in_one_go(struct buf *out, int level, const struct str *piece,
                          size_t count)
{
    struct tools *tools = tools_of_thread();
    struct libdeflate_compressor *z = compressor(tools, level);
    struct buf *plain = &tools->plain;

    buf_clear(plain);
    for (size_t i = 0; i < count; i++)
        buf_put(plain, piece[i]);
    size_t room = libdeflate_gzip_compress_bound(z, plain->len);
    char *to = buf_reserve(out, room);
    assert(to);
    out->len += libdeflate_gzip_compress(z, plain->ptr, plain->len, to, room);
    if (plain->room > SCRATCH_KEEP_MAX)
        buf_release(plain);
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

static void put_by_pieces(struct buf *out, int level, const struct str *piece,
                          size_t count)
{
    z_stream z = {0};

    for (size_t i = 0; i < count; i++)
        if (is_noise(piece[i]))
            level = GZIP_STORED;
    int good = deflateInit2(&z, level < ZLIB_LEVEL_MAX ? level : ZLIB_LEVEL_MAX,
                            Z_DEFLATED, ZLIB_GZIP_WINDOW, ZLIB_MEMORY,
                            Z_DEFAULT_STRATEGY);

    mem_checked(good == Z_OK ? &z : NULL);
    for (size_t i = 0; i < count; i++)
        put_piece(out, &z, piece[i]);
    put_step(out, &z, Z_FINISH);
    deflateEnd(&z);
}

void gzip_member_put(struct buf *out, int level, const struct str *piece,
                     size_t count)
{
    size_t len = 0;

    assert(level >= GZIP_STORED && level <= GZIP_LEVEL_MAX);
    for (size_t i = 0; i < count; i++)
        len += piece[i].len;
    if (len <= IN_ONE_GO_MAX)
        put_in_one_go(out, level, piece, count);
    else
        put_by_pieces(out, level, piece, count);
}
