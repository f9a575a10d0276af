/* The Range header (replay/byte_range.h). */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "replay/byte_range.h"

// clang-format off
static const struct {
    const char *value;
    uint64_t size;
    enum byte_range_kind kind;
    uint64_t from, len;
} rows[] = {
    {"bytes=0-", 10, BYTE_RANGE_PART, 0, 10},
    {"bytes=0-0", 10, BYTE_RANGE_PART, 0, 1},
    {"bytes=9-", 10, BYTE_RANGE_PART, 9, 1},
    {"bytes=2-4", 10, BYTE_RANGE_PART, 2, 3},
    {"Bytes= 2-4 ", 10, BYTE_RANGE_PART, 2, 3},
    {"bytes=2-9", 10, BYTE_RANGE_PART, 2, 8},
    {"bytes=2-10", 10, BYTE_RANGE_PART, 2, 8},
    {"bytes=0-18446744073709551615", 10, BYTE_RANGE_PART, 0, 10},
    {"bytes=-3", 10, BYTE_RANGE_PART, 7, 3},
    {"bytes=-10", 10, BYTE_RANGE_PART, 0, 10},
    {"bytes=-65558", 10, BYTE_RANGE_PART, 0, 10},
    {"bytes=10-", 10, BYTE_RANGE_BAD, 0, 0},
    {"bytes=10-20", 10, BYTE_RANGE_BAD, 0, 0},
    {"bytes=-0", 10, BYTE_RANGE_BAD, 0, 0},
    {"bytes=0-", 0, BYTE_RANGE_BAD, 0, 0},
    {"bytes=-1", 0, BYTE_RANGE_BAD, 0, 0},
    {"bytes=4-2", 10, BYTE_RANGE_NONE, 0, 0},
    {"bytes=-", 10, BYTE_RANGE_NONE, 0, 0},
    {"bytes=", 10, BYTE_RANGE_NONE, 0, 0},
    {"bytes=1", 10, BYTE_RANGE_NONE, 0, 0},
    {"bytes=a-b", 10, BYTE_RANGE_NONE, 0, 0},
    {"bytes=1-2,4-5", 10, BYTE_RANGE_NONE, 0, 0},
    {"bytes=--1", 10, BYTE_RANGE_NONE, 0, 0},
    {"bytes=0-18446744073709551616", 10, BYTE_RANGE_NONE, 0, 0},
    {"lines=0-1", 10, BYTE_RANGE_NONE, 0, 0},
    {"", 10, BYTE_RANGE_NONE, 0, 0},
};
// clang-format on

static void ranges(void **state)
{
    (void)state;
    for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
        struct byte_range range = {0};
        enum byte_range_kind kind =
            byte_range_parse(str_of(rows[i].value), rows[i].size, &range);

        if (kind != rows[i].kind || range.from != rows[i].from ||
            range.len != rows[i].len)
            fail_msg("%s of %u: kind %d, %u bytes from %u", rows[i].value,
                     (unsigned)rows[i].size, kind, (unsigned)range.len,
                     (unsigned)range.from);
    }
    assert_int_equal(
        BYTE_RANGE_NONE,
        byte_range_parse((struct str){0}, 10, &(struct byte_range){0}));
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(ranges)};

    return cmocka_run_group_tests(tests, NULL, NULL);
}
