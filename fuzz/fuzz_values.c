/* Option values, --connect-to rules, MIME types. */
#include "cli/values.h"
#include "page/mime.h"
#include "page/named.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct str text = {(const char *)data, size};
    struct named named;
    uint64_t value;

    value_duration_ms(text, &value);
    value_size(text, &value);
    mime_is_html(mime_essence(text));
    mime_sniffs_as_html(text);
    named_init(&named);
    named_add_connect_to(&named, text);
    named_allows_private(&named, STR("example.org"), 80);
    named_release(&named);
    return 0;
}
