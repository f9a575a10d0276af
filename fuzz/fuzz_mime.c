/* Content-Type values and first bytes. The first line of the input is the
 * value, the rest the body. */
#include "fuzz.h"

#include "page/mime.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct str_pair parts =
        str_cut((struct str){(const char *)data, size}, '\n');
    struct str value = parts.head, body = parts.tail;

    struct str essence = mime_essence(value);
    assert(str_eq(mime_essence(essence), essence));
    mime_verdict(essence);
    mime_sniffs_as_html(body);
    return 0;
}
