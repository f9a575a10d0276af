/* Values of options: durations, sizes, --connect-to rules. */
#include "fuzz.h"

#include "base/words.h"
#include "page/trusted_origins.h"

typedef bool value_reader(struct str text, uint64_t *value);
typedef void value_writer(struct buf *out, uint64_t value);

/* What was read is read again from what a message would say. */
static void check_value(struct str text, value_reader *read,
                        value_writer *write)
{
    struct buf written;
    uint64_t value, again;

    if (!read(text, &value))
        return;
    buf_init(&written, 64);
    write(&written, value);
    bool good = read(buf_str(&written), &again);
    assert(good ? again == value : value > UINT64_MAX / 2);
    buf_release(&written);
}

/* The rule as it is given to libcurl is a rule, and stays as it is. */
static void check_connect_to(struct str text)
{
    struct trusted_origins origins, again;

    origins_init(&origins);
    origins_init(&again);
    bool good = origins_add_connect_to(&origins, text);
    assert(good == (origins.rules != NULL));
    if (good && str_find(text, '\0') == text.len) {
        bool good_again = origins_add_connect_to(&again, origins.rules->text);
        assert(good_again && str_eq(again.rules->text, origins.rules->text));
        origins_connect_host(&origins, STR("example.org"), 80);
    }
    origins_allow_private(&origins, STR("example.org"), 80);
    origins_release(&origins);
    origins_release(&again);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct str text = fuzz_input(data, size);

    check_value(text, value_duration_ms, value_put_duration);
    check_value(text, value_size, value_put_size);
    check_connect_to(text);
    return 0;
}
