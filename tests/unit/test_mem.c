#include <setjmp.h>
#include <stdalign.h>
#include <stdarg.h>
#include <stdio.h>

#include <cmocka.h>

#include "base/mem.h"
#include "support/random.h"

enum { BLOCK_SIZE = 16 * 1024 };

/* Pieces of all kinds, filled with their own number, must all still hold it
 * at the end: none overlaps, none moves. */
static void pieces_stay(void **state)
{
    enum { PIECES = 20000 };
    static struct str piece[PIECES];
    struct random random = {11};
    struct arena arena;
    char text[3000];
    size_t used = 0;

    (void)state;
    arena_init(&arena);
    for (size_t i = 0; i < PIECES; i++) {
        uint32_t kind = random_below(&random, 3);
        size_t len = random_below(&random, i % 100 ? 60 : 40000);

        if (kind == 0) {
            char *bytes = arena_new(&arena, len);
            assert_int_equal((uintptr_t)bytes % alignof(max_align_t), 0);
            for (size_t j = 0; j < len; j++)
                assert_int_equal(bytes[j], 0);
            memset(bytes, (int)(i & 0x7f), len);
            piece[i] = (struct str){bytes, len};
            used += len;
        } else if (kind == 1) {
            len %= sizeof(text);
            memset(text, (int)(i & 0x7f), len);
            piece[i] = arena_copy(&arena, (struct str){text, len});
            assert_int_equal(piece[i].len, len);
            used += len + 1;
        } else {
            char *bytes = arena_reserve(&arena, len);
            len = len ? random_below(&random, (uint32_t)len) : 0;
            memset(bytes, (int)(i & 0x7f), len);
            arena_commit(&arena, len);
            piece[i] = (struct str){bytes, len};
            used += len;
        }
        assert_int_equal(arena.used, used);
    }
    for (size_t i = 0; i < PIECES; i++)
        for (size_t j = 0; j < piece[i].len; j++)
            if (piece[i].ptr[j] != (char)(i & 0x7f))
                fail_msg("piece %zu, byte %zu is %d", i, j, piece[i].ptr[j]);
    arena_release(&arena);
}

static void copies(void **state)
{
    struct arena arena;

    (void)state;
    arena_init(&arena);
    struct str empty = arena_copy(&arena, (struct str){0});
    assert_int_equal(empty.len, 0);
    assert_string_equal(empty.ptr, "");
    struct str bytes = arena_copy(&arena, STR("a\0b"));
    assert_memory_equal(bytes.ptr, "a\0b", 4);
    assert_int_equal(bytes.len, 3);
    arena_release(&arena);
}

/* Blocks are filled to the last byte and never beyond (asan looks on). */
static void exact_fits(void **state)
{
    static const size_t sizes[] = {
        BLOCK_SIZE - 17, BLOCK_SIZE - 16, BLOCK_SIZE - 15, BLOCK_SIZE - 1,
        BLOCK_SIZE,      BLOCK_SIZE + 1,  BLOCK_SIZE * 3,
    };

    (void)state;
    for (size_t i = 0; i < ARRAY_LEN(sizes); i++)
        for (size_t first = 0; first < 18; first++) {
            struct arena arena;
            arena_init(&arena);
            memset(arena_reserve(&arena, first), 1, first);
            arena_commit(&arena, first);
            memset(arena_new(&arena, sizes[i]), 2, sizes[i]);
            memset(arena_reserve(&arena, sizes[i]), 3, sizes[i]);
            arena_commit(&arena, sizes[i]);
            arena_release(&arena);
        }
}

static void clear_keeps_one_block(void **state)
{
    struct arena arena;

    (void)state;
    arena_init(&arena);
    arena_clear(&arena);
    assert_int_equal(arena.used, 0);
    for (int round = 0; round < 3; round++) {
        for (int i = 0; i < 10; i++) {
            char *bytes = arena_new(&arena, BLOCK_SIZE / 2 - 64);
            for (int j = 0; j < BLOCK_SIZE / 2 - 64; j++)
                assert_int_equal(bytes[j], 0);
            memset(bytes, 0xff, BLOCK_SIZE / 2 - 64);
        }
        arena_clear(&arena);
        assert_int_equal(arena.used, 0);
        assert_int_equal(arena.end - arena.at, BLOCK_SIZE);
    }
    arena_release(&arena);
    assert_null(arena.block);
    /* As good as new. */
    assert_string_equal(arena_copy(&arena, STR("x")).ptr, "x");
    arena_release(&arena);
    arena_release(&arena);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(pieces_stay),
        cmocka_unit_test(copies),
        cmocka_unit_test(exact_fits),
        cmocka_unit_test(clear_keeps_one_block),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
