/* Content-Type values and first bytes. The first line of the input is the
 * value, the rest the body. */
#include "fuzz.h"

#include "page/mime.h"

static void parse(struct str value)
{
    struct mime_parameter parameter;
    struct buf out;
    struct mime mime;

    buf_init(&out, value.len);
    if (mime_parse(&mime, value))
        assert(mime.essence.len == mime.type.len + 1 + mime.subtype.len);
    struct mime_parameters at = mime_parameters(&mime);
    while (mime_parameters_next(&at, &parameter)) {
        buf_clear(&out);
        bool fits = mime_parameter_put(&parameter, &out);
        assert(fits && parameter.name.len);
        (void)fits;
    }
    buf_clear(&out);
    mime_put_charset(&mime, &out);
    buf_release(&out);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct str_pair parts =
        str_cut((struct str){(const char *)data, size}, '\n');
    struct str value = parts.head, body = parts.tail;

    parse(value);
    for (int nosniff = 0; nosniff < 2; nosniff++) {
        struct str type = mime_sniff(body, nosniff);
        assert(str_eq(mime_essence(type), type) && type.len);
        assert(!nosniff || !mime_is_html(type));
        mime_of_answer(value, nosniff, body);
    }
    for (unsigned family = 0; family < MIME_FAMILIES; family++)
        mime_match((enum mime_family)family, body);
    mime_sniffs_as_html(body);
    return 0;
}
