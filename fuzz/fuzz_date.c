/* Dates: whatever is read as one is written and read again as the same time. */
#include "fuzz.h"

#include "base/date.h"

#define LAST_MS UINT64_C(253402300799999) /* that can be written */

typedef bool read_date(struct str text, uint64_t *wall_ms);

static bool is_read(read_date *read, struct date_text text, uint64_t wall_ms)
{
    uint64_t again = wall_ms + 1;

    return read(str_of(text.text), &again) && again == wall_ms;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static read_date *const readers[] = {
        date_read_iso,
        date_read_http,
        date_read_digits,
        date_read_cookie,
    };

    for (size_t i = 0; i < ARRAY_LEN(readers); i++) {
        const uint64_t unread = 12345;
        uint64_t ms = unread;
        if (!readers[i](fuzz_input(data, size), &ms)) {
            assert(ms == unread);
            continue;
        }
        if (ms > LAST_MS)
            continue;
        assert(is_read(date_read_iso, date_iso(ms), ms));
        ms -= ms % 1000;
        assert(is_read(date_read_http, date_http(ms), ms));
        assert(is_read(date_read_digits, date_digits(ms), ms));
        assert(is_read(date_read_cookie, date_http(ms), ms));
    }
    return 0;
}
