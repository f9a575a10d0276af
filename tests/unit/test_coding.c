#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>

#include <cmocka.h>

#include <brotli/encode.h>
#include <libdeflate.h>
#include <zstd.h>

#include "page/coding.h"

enum { PAGE_LEN = 100 * 1000, ROOM = 1 << 20, CAP = 16 << 20 };

/* --- names -------------------------------------------------------------- */

struct name_case {
    const char *value;
    bool known;
    size_t count;
    enum coding last;
};

static const struct name_case name_cases[] = {
    {"gzip", true, 1, CODING_GZIP},
    {"X-GZip", true, 1, CODING_GZIP},
    {" deflate ", true, 1, CODING_DEFLATE},
    {"br", true, 1, CODING_BROTLI},
    {"zstd", true, 1, CODING_ZSTD},
    {"gzip,br", true, 2, CODING_BROTLI},
    {" ,br , , gzip,", true, 2, CODING_GZIP},
    {"identity, gzip", true, 1, CODING_GZIP},
    {"", true, 0, 0},
    {"identity", true, 0, 0},
    {"none", true, 0, 0},
    {"rot13", false, 0, 0},
    {"gzip, rot13", false, 1, CODING_GZIP},
    {"gzip gzip", false, 0, 0},
    {"br,br,br,br", true, CODINGS_MAX, CODING_BROTLI},
    {"br,br,br,br,br", false, CODINGS_MAX, CODING_BROTLI},
};

static void names(void **state)
{
    (void)state;
    for (size_t i = 0; i < ARRAY_LEN(name_cases); i++) {
        const struct name_case *c = &name_cases[i];
        struct codings codings = {0};

        print_message("%s\n", c->value);
        assert_int_equal(codings_add(&codings, str_of(c->value)), c->known);
        assert_int_equal(codings.count, c->count);
        if (c->count)
            assert_int_equal(codings.coding[c->count - 1], c->last);
    }
}

static void headers_add_up(void **state)
{
    struct codings codings = {0};

    (void)state;
    assert_true(codings_add(&codings, STR("br")));
    assert_true(codings_add(&codings, STR("gzip")));
    assert_int_equal(codings.count, 2);
    assert_int_equal(codings.coding[0], CODING_BROTLI);
    assert_int_equal(codings.coding[1], CODING_GZIP);
}

static void all_that_is_accepted_is_known(void **state)
{
    struct codings codings = {0};

    (void)state;
    assert_true(codings_add(&codings, STR(CODINGS_ACCEPTED)));
    assert_int_equal(codings.count, CODING_ZSTD + 1);
}

/* --- encoders ----------------------------------------------------------- */

enum format { ZLIB, RAW_DEFLATE, GZIP, BROTLI, ZSTD, FORMATS };

static const struct codings codings_of[FORMATS] = {
    [ZLIB] = {{CODING_DEFLATE}, 1}, [RAW_DEFLATE] = {{CODING_DEFLATE}, 1},
    [GZIP] = {{CODING_GZIP}, 1},    [BROTLI] = {{CODING_BROTLI}, 1},
    [ZSTD] = {{CODING_ZSTD}, 1},
};

static size_t deflate_as(enum format format, struct str in, char *out)
{
    struct libdeflate_compressor *z = libdeflate_alloc_compressor(6);
    size_t len =
        format == ZLIB ? libdeflate_zlib_compress(z, in.ptr, in.len, out, ROOM)
        : format == GZIP
            ? libdeflate_gzip_compress(z, in.ptr, in.len, out, ROOM)
            : libdeflate_deflate_compress(z, in.ptr, in.len, out, ROOM);

    libdeflate_free_compressor(z);
    return len;
}

static struct str encode(enum format format, struct str in)
{
    char *out = malloc(ROOM);
    size_t len = ROOM;

    assert_non_null(out);
    if (format == BROTLI)
        BrotliEncoderCompress(5, 22, BROTLI_MODE_TEXT, in.len,
                              (const uint8_t *)in.ptr, &len, (uint8_t *)out);
    else if (format == ZSTD)
        len = ZSTD_compress(out, ROOM, in.ptr, in.len, 3);
    else
        len = deflate_as(format, in, out);
    assert_in_range(len, 1, ROOM - 1);
    return (struct str){out, len};
}

/* Text that is not all the same. */
static struct str make_page(size_t len)
{
    char *page = malloc(len);
    uint32_t x = 1;

    assert_non_null(page);
    for (size_t i = 0; i < len; i++) {
        x = x * 1664525 + 1013904223;
        page[i] = (char)('a' + (x >> 24) % 16);
    }
    return (struct str){page, len};
}

static void drop(struct str s)
{
    free((char *)s.ptr);
}

/* --- decoding ----------------------------------------------------------- */

static void whole(void **state)
{
    static const size_t lens[] = {1, 50, 40 * 1000, PAGE_LEN};

    (void)state;
    for (size_t i = 0; i < ARRAY_LEN(lens); i++) {
        struct str page = make_page(lens[i]);
        for (enum format format = 0; format < FORMATS; format++) {
            struct str coded = encode(format, page);
            struct buf out;

            buf_init(&out, CAP);
            assert_int_equal(codings_undo(&codings_of[format], coded, &out),
                             CODING_WHOLE);
            assert_true(str_eq(buf_str(&out), page));
            buf_release(&out);
            drop(coded);
        }
        drop(page);
    }
}

/* Every beginning of a stream but the empty one is broken. */
static void cut_off(void **state)
{
    struct str page = make_page(3000);

    (void)state;
    for (enum format format = 0; format < FORMATS; format++) {
        struct str coded = encode(format, page);
        for (size_t len = 1; len < coded.len; len++) {
            struct buf out;

            buf_init(&out, CAP);
            assert_int_equal(
                codings_undo(&codings_of[format], str_first(coded, len), &out),
                CODING_BROKEN);
            buf_release(&out);
        }
        drop(coded);
    }
    drop(page);
}

static void nothing(void **state)
{
    struct buf out;

    (void)state;
    buf_init(&out, CAP);
    for (enum format format = 0; format < FORMATS; format++)
        assert_int_equal(codings_undo(&codings_of[format], STR(""), &out),
                         CODING_WHOLE);
    assert_int_equal(out.len, 0);
    buf_release(&out);
}

static void not_coded_at_all(void **state)
{
    struct buf out;

    (void)state;
    buf_init(&out, CAP);
    for (enum format format = 0; format < FORMATS; format++)
        assert_int_equal(codings_undo(&codings_of[format],
                                      STR("<p>this was never compressed"),
                                      &out),
                         CODING_BROKEN);
    buf_release(&out);
}

static void exactly_the_cap(void **state)
{
    struct str page = make_page(PAGE_LEN);

    (void)state;
    for (enum format format = 0; format < FORMATS; format++) {
        struct str coded = encode(format, page);
        struct buf out;

        buf_init(&out, PAGE_LEN);
        assert_int_equal(codings_undo(&codings_of[format], coded, &out),
                         CODING_WHOLE);
        assert_int_equal(out.len, PAGE_LEN);
        buf_release(&out);
        buf_init(&out, PAGE_LEN - 1);
        assert_int_equal(codings_undo(&codings_of[format], coded, &out),
                         CODING_TOO_LARGE);
        assert_in_range(out.room, 0, 2 * PAGE_LEN);
        buf_release(&out);
        drop(coded);
    }
    drop(page);
}

/* A bomb is no larger than its cap, also inside of another coding. */
static void bomb(void **state)
{
    struct str zeros = {calloc(1, 2 * CAP), 2 * CAP};

    (void)state;
    assert_non_null(zeros.ptr);
    for (enum format format = 0; format < FORMATS; format++) {
        struct codings both = {{CODING_GZIP, codings_of[format].coding[0]}, 2};
        struct str coded = encode(format, zeros);
        struct buf out;

        buf_init(&out, CAP);
        assert_int_equal(codings_undo(&codings_of[format], coded, &out),
                         CODING_TOO_LARGE);
        assert_in_range(out.room, 0, 2 * CAP);
        buf_clear(&out);
        assert_int_equal(codings_undo(&both, coded, &out), CODING_TOO_LARGE);
        assert_int_equal(out.len, 0);
        buf_release(&out);
        drop(coded);
    }
    drop(zeros);
}

static void several(void **state)
{
    const struct codings codings = {{CODING_ZSTD, CODING_BROTLI, CODING_GZIP},
                                    3};
    struct str page = make_page(PAGE_LEN);
    struct str inner = encode(ZSTD, page);
    struct str middle = encode(BROTLI, inner);
    struct str outer = encode(GZIP, middle);
    struct buf out;

    (void)state;
    buf_init(&out, CAP);
    assert_int_equal(codings_undo(&codings, outer, &out), CODING_WHOLE);
    assert_true(str_eq(buf_str(&out), page));
    buf_clear(&out);
    outer.len--;
    assert_int_equal(codings_undo(&codings, outer, &out), CODING_BROKEN);
    buf_clear(&out);
    assert_int_equal(codings_undo(&codings, middle, &out), CODING_BROKEN);
    buf_release(&out);
    drop(page);
    drop(inner);
    drop(middle);
    drop(outer);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(names),
        cmocka_unit_test(headers_add_up),
        cmocka_unit_test(all_that_is_accepted_is_known),
        cmocka_unit_test(whole),
        cmocka_unit_test(cut_off),
        cmocka_unit_test(nothing),
        cmocka_unit_test(not_coded_at_all),
        cmocka_unit_test(exactly_the_cap),
        cmocka_unit_test(bomb),
        cmocka_unit_test(several),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
