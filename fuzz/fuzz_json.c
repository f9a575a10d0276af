/* JSON. What is written for any bytes is valid, in UTF-8, on one line, and of
 * UTF-8 it says exactly that. What is read of any bytes is written again as
 * JSON that says the same. */
#include "fuzz.h"

#include "base/json.h"
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

static void check_writing(struct str input)
{
    struct buf text, decoded, scratch;
    struct json_reader reader;
    struct json_item item;

    buf_init(&text, SIZE_MAX);
    buf_init(&decoded, SIZE_MAX);
    buf_init(&scratch, SIZE_MAX);
    json_put_str(&text, input);
    check_bytes(buf_str(&text));
    decode(buf_str(&text), &decoded);
    assert(str_eq(buf_str(&decoded), buf_str(&text))); /* it is UTF-8 */

    json_read(&reader, buf_str(&text), &scratch);
    bool is_read = json_next(&reader, &item) && json_is_whole(&reader);
    assert(is_read && item.type == JSON_STRING);
    buf_clear(&decoded);
    decode(input, &decoded);
    if (str_eq(buf_str(&decoded), input))
        assert(str_eq(item.text, input));
    buf_release(&scratch);
    buf_release(&decoded);
    buf_release(&text);
}

/* Names and numbers become strings, so that any of them can be written. */
static void copy_items(struct json_reader *reader, struct str text,
                       struct buf *out)
{
    struct json_item item;

    while (json_next(reader, &item)) {
        assert(fuzz_is_inside(item.text, text) ||
               fuzz_is_inside(item.text, buf_str(reader->scratch)));
        assert(reader->depth <= JSON_DEPTH_MAX);
        if (item.name.ptr)
            json_add_str(out, NULL, item.name);
        if (item.type < JSON_STRING)
            assert(item.text.len);
        if (item.type <= JSON_STRING) {
            json_add_str(out, NULL, item.text);
        } else {
            json_open_array(out, NULL);
            copy_items(reader, text, out);
            json_close_array(out);
        }
    }
}

static bool copy(struct str text, bool is_lenient, struct buf *out)
{
    struct json_reader reader;
    struct buf scratch;

    buf_init(&scratch, text.len);
    json_read(&reader, text, &scratch);
    reader.is_lenient = is_lenient;
    copy_items(&reader, text, out);
    buf_release(&scratch);
    return json_is_whole(&reader);
}

static void check_reading(struct str input)
{
    struct buf strict, lenient, again;

    buf_init(&strict, SIZE_MAX);
    buf_init(&lenient, SIZE_MAX);
    buf_init(&again, SIZE_MAX);
    bool is_lenient = copy(input, true, &lenient);
    bool is_strict = copy(input, false, &strict);
    assert(is_strict <= is_lenient);
    if (is_strict)
        assert(str_eq(buf_str(&strict), buf_str(&lenient)));
    if (is_lenient) {
        bool is_read = copy(buf_str(&lenient), false, &again);
        assert(is_read && str_eq(buf_str(&again), buf_str(&lenient)));
    }
    buf_release(&again);
    buf_release(&lenient);
    buf_release(&strict);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    check_writing(fuzz_input(data, size));
    check_reading(fuzz_input(data, size));
    return 0;
}
