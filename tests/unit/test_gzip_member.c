#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>

#include <cmocka.h>

#include <libdeflate.h>
#include <pthread.h>

#include "archive/gzip_member.h"
#include "base/mem.h"
#include "support/random.h"

enum { MB = 1 << 20, LEN_MAX = MB + MB / 4, CAP = 8 * MB, PIECE = 99999 };

/* Around the length of stored blocks, of steps, and of what is done in one go.
 */
static const size_t lengths[] = {0,      1,  100,    65535,  65536,
                                 131070, MB, MB + 1, LEN_MAX};

/* Half text, half noise: neither kind of block for all of it. */
static char *make_bytes(void)
{
    char *bytes = mem_array(LEN_MAX, 1);
    struct random random = {7};

    for (size_t i = 0; i < LEN_MAX; i++)
        bytes[i] = i & 4096 ? (char)random_u64(&random) : (char)('a' + i % 26);
    return bytes;
}

static void expect_member(const struct buf *out, size_t from, struct str plain)
{
    struct libdeflate_decompressor *z = libdeflate_alloc_decompressor();
    char *text = mem_array(LEN_MAX + 1, 1);
    size_t used, len;

    assert_int_equal(libdeflate_gzip_decompress_ex(z, out->ptr + from,
                                                   out->len - from, text,
                                                   LEN_MAX + 1, &used, &len),
                     LIBDEFLATE_SUCCESS);
    assert_int_equal(used, out->len - from);
    assert_true(str_eq(plain, (struct str){text, len}));
    libdeflate_free_decompressor(z);
    free(text);
}

/* Piece by piece, with `part` for what is there of the member. */
static void take(struct buf *out, struct buf *part)
{
    buf_put(out, buf_str(part));
    buf_clear(part);
}

static void check_parts(struct str whole, int level)
{
    struct gzip_member member;
    struct buf out, part;
    struct str rest = whole;

    buf_init(&out, CAP);
    buf_init(&part, 2 * PIECE + 1000);
    gzip_member_begin(&member, &part, level, whole.len);
    while (rest.len) {
        struct str piece = str_first(rest, PIECE);

        take(&out, &part);
        gzip_member_add(&member, piece);
        rest = str_skip(rest, piece.len);
    }
    take(&out, &part);
    gzip_member_end(&member);
    gzip_member_release(&member);
    take(&out, &part);
    expect_member(&out, 0, whole);
    buf_release(&part);
    buf_release(&out);
}

/* However the bytes are cut into pieces. */
static void check(const char *bytes, size_t len, int level)
{
    const struct str whole = {bytes, len};
    const struct str pieces[] = {
        str_first(whole, len / 3), {0}, str_skip(whole, len / 3)};
    struct buf out;

    buf_init(&out, CAP);
    buf_put(&out, STR("before"));
    gzip_member_put(&out, level, &whole, 1);
    expect_member(&out, 6, whole);
    size_t next = out.len;
    gzip_member_put(&out, level, pieces, ARRAY_LEN(pieces));
    expect_member(&out, next, whole);
    buf_release(&out);
    check_parts(whole, level);
}

static void members(void **state)
{
    static const int levels[] = {GZIP_STORED, 1, 6, GZIP_LEVEL_MAX};
    char *bytes = make_bytes();

    (void)state;
    for (size_t i = 0; i < ARRAY_LEN(lengths); i++)
        for (size_t j = 0; j < ARRAY_LEN(levels); j++)
            check(bytes, lengths[i], levels[j]);
    free(bytes);
}

static void check_kind(struct str whole, int level, bool is_stored)
{
    struct buf out;

    buf_init(&out, CAP);
    gzip_member_put(&out, level, &whole, 1);
    expect_member(&out, 0, whole);
    assert_int_equal(out.ptr[10] >> 1 & 3, is_stored ? 0 : 2);
    buf_release(&out);
}

/* What is long and cannot be compressed is stored, whatever the level. */
static void noise(void **state)
{
    char *bytes = mem_array(LEN_MAX, 1);
    struct random random = {7};
    struct str whole = {bytes, LEN_MAX};

    (void)state;
    check_kind(whole, 1, false);
    check_kind(whole, 6, false);
    for (size_t i = 0; i < LEN_MAX; i++)
        bytes[i] = (char)random_u64(&random);
    check_kind(whole, 1, true);
    check_kind(whole, 6, true);
    free(bytes);
}

/* What comes compressed grows by the frame and five bytes a block. */
static void stored_length(void **state)
{
    char *bytes = make_bytes();
    struct buf out;

    (void)state;
    for (size_t i = 0; i < ARRAY_LEN(lengths); i++) {
        const struct str whole = {bytes, lengths[i]};
        size_t blocks = whole.len ? (whole.len + 65534) / 65535 : 1;

        buf_init(&out, 10 + 5 * (blocks + 1) + whole.len + 8);
        gzip_member_put(&out, GZIP_STORED, &whole, 1);
        assert_int_equal(out.len, 10 + 5 * blocks + whole.len + 8);
        buf_release(&out);
    }
    free(bytes);
}

struct job {
    pthread_t thread;
    struct str plain;
    struct buf out;
};

static void *make_members(void *user)
{
    struct job *job = user;

    for (int level = 0; level < 3; level++) {
        buf_clear(&job->out);
        gzip_member_put(&job->out, level, &job->plain, 1);
    }
    return NULL;
}

/* What a thread keeps is freed at its end: asan would say so. */
static void threads(void **state)
{
    struct job job[3];
    char *bytes = make_bytes();

    (void)state;
    for (size_t i = 0; i < ARRAY_LEN(job); i++) {
        job[i].plain = (struct str){bytes, 10000 * (i + 1)};
        buf_init(&job[i].out, CAP);
        pthread_create(&job[i].thread, NULL, make_members, &job[i]);
    }
    for (size_t i = 0; i < ARRAY_LEN(job); i++) {
        pthread_join(job[i].thread, NULL);
        expect_member(&job[i].out, 0, job[i].plain);
        buf_release(&job[i].out);
    }
    free(bytes);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(members),
        cmocka_unit_test(noise),
        cmocka_unit_test(stored_length),
        cmocka_unit_test(threads),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
