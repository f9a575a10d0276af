/* Values of options: durations, sizes, --connect-to rules. */
#include "fuzz.h"

#include <inttypes.h>
#include <stdio.h>

#include "cli/values.h"
#include "page/named.h"

typedef bool value_reader(struct str text, uint64_t *value);

/* What was read is read again from its number and the smallest unit. */
static void check_value(struct str text, value_reader *read, const char *unit)
{
    char written[32];
    uint64_t value, again;

    if (!read(text, &value))
        return;
    snprintf(written, sizeof(written), "%" PRIu64 "%s", value, unit);
    bool good = read(str_of(written), &again);
    assert(good ? again == value : value > UINT64_MAX / 2);
}

/* The rule as it is given to libcurl is a rule, and stays as it is. */
static void check_connect_to(struct str text)
{
    struct named named, again;

    named_init(&named);
    named_init(&again);
    bool good = named_add_connect_to(&named, text);
    const char *const *rules = named_connect_to(&named);
    assert(good == (rules[0] != NULL));
    if (good && str_find(text, '\0') == text.len) {
        bool good_again = named_add_connect_to(&again, str_of(rules[0]));
        assert(good_again && !strcmp(named_connect_to(&again)[0], rules[0]));
        named_connect_host(&named, STR("example.org"), 80);
    }
    named_allows_private(&named, STR("example.org"), 80);
    named_release(&named);
    named_release(&again);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct str text = fuzz_input(data, size);

    check_value(text, value_duration_ms, "ms");
    check_value(text, value_size, "");
    check_connect_to(text);
    return 0;
}
