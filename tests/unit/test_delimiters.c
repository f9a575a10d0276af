#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

#include <cmocka.h>

#include "base/mem.h"
#include "support/random.h"
#include "web/delimiters.h"

static bool is_delimiter(char c)
{
    return c == '<' || c == '>' || c == '"' || c == '\'';
}

/* In a buffer that ends with the chunk, so that a sanitizer sees who reads
 * beyond it. */
static void check(delimiters_finder *finder, const char *bytes, unsigned len)
{
    char *chunk = mem_array(1, len ? len : 1);
    uint16_t *offset =
        mem_array(DELIMITERS_CHUNK + DELIMITERS_SPARE, sizeof(*offset));
    unsigned expected = 0;

    memcpy(chunk, bytes, len);
    unsigned count = finder(offset, chunk, len);
    for (unsigned i = 0; i < len; i++)
        if (is_delimiter(chunk[i])) {
            assert_true(expected < count);
            assert_int_equal(offset[expected++], i);
        }
    assert_int_equal(count, expected);
    free(offset);
    free(chunk);
}

static void check_all(delimiters_finder *finder)
{
    struct random random = {1};
    char bytes[DELIMITERS_CHUNK];

    /* From no delimiter at all to nothing but delimiters, any byte between
     * them. */
    for (unsigned rate = 0; rate <= 64; rate += 4) {
        for (unsigned i = 0; i < DELIMITERS_CHUNK; i++)
            bytes[i] = random_below(&random, 64) < rate
                           ? "<>\"'"[random_below(&random, 4)]
                           : (char)random_below(&random, 256);
        for (unsigned len = 0; len <= 200; len++)
            check(finder, bytes, len);
        check(finder, bytes, DELIMITERS_CHUNK - 1);
        check(finder, bytes, DELIMITERS_CHUNK);
    }
    for (unsigned c = 0; c < 256; c++) {
        memset(bytes, (int)c, 65);
        check(finder, bytes, 65);
    }
}

static void on_every_processor(void **state)
{
    (void)state;
    check_all(delimiters_find);
}

static void on_this_one(void **state)
{
    delimiters_finder *wide = delimiters_find_wide();

    (void)state;
    if (!wide) {
        printf("skipped: this processor has no wide instructions\n");
        skip();
    }
    check_all(wide);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(on_every_processor),
        cmocka_unit_test(on_this_one),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
