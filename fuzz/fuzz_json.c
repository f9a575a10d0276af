/* The JSON that is written: for any bytes it is valid JSON, in UTF-8, on one
 * line, and of UTF-8 it says exactly that. */
#include "fuzz.h"

#include "base/json.h"
#include "support/json.h"
#include "web/charset.h"

static void check_bytes(struct str text)
{
    for (size_t i = 0; i < text.len; i++) {
        unsigned char c = (unsigned char)text.ptr[i];
        assert(c >= 0x20 && c != 0x7f);
    }
}

/* The text as the Encoding standard reads it. */
static void decode(struct str bytes, struct buf *out)
{
    bool fits = charset_decode(CHARSET_UTF_8, bytes, out);

    assert(fits);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct str input = fuzz_input(data, size);
    struct buf text, written, decoded;
    struct arena arena;

    arena_init(&arena);
    buf_init(&text, SIZE_MAX);
    buf_init(&written, SIZE_MAX);
    buf_init(&decoded, SIZE_MAX);
    json_put_str(&text, input);
    check_bytes(buf_str(&text));
    decode(buf_str(&text), &written);
    assert(str_eq(buf_str(&written), buf_str(&text))); /* it is UTF-8 */

    const struct json *json = json_parse(&arena, buf_str(&text));
    assert(json_is(json, JSON_STRING));
    decode(input, &decoded);
    if (str_eq(buf_str(&decoded), input))
        assert(str_eq(json_str(json), input));
    buf_release(&decoded);
    buf_release(&written);
    buf_release(&text);
    arena_release(&arena);
    return 0;
}
