#include "replay/byte_range.h"

/* The last bytes of the file: "-500". */
static enum byte_range_kind take_last(uint64_t count, uint64_t size,
                                      struct byte_range *range)
{
    if (!count || !size)
        return BYTE_RANGE_BAD;
    range->len = count < size ? count : size;
    range->from = size - range->len;
    return BYTE_RANGE_PART;
}

enum byte_range_kind byte_range_parse(struct str value, uint64_t size,
                                      struct byte_range *range)
{
    static const struct str unit = STR_INIT("bytes=");
    uint64_t first, last = UINT64_MAX;

    if (!str_starts_nocase(value, unit))
        return BYTE_RANGE_NONE;
    value = str_trim(str_skip(value, unit.len));
    if (str_find(value, '-') == value.len)
        return BYTE_RANGE_NONE;
    struct str_pair ends = str_cut(value, '-');
    if (ends.tail.len && !str_to_u64(ends.tail, &last))
        return BYTE_RANGE_NONE;
    if (!ends.head.len)
        return ends.tail.len ? take_last(last, size, range) : BYTE_RANGE_NONE;
    if (!str_to_u64(ends.head, &first) || last < first)
        return BYTE_RANGE_NONE;
    if (first >= size)
        return BYTE_RANGE_BAD;
    range->from = first;
    range->len = (last < size ? last : size - 1) - first + 1;
    return BYTE_RANGE_PART;
}
