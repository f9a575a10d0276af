#include "url/err.h"

#include <assert.h>

static const char *const err_text[] = {
    [ERR_NONE] = "no error",
    [ERR_URL_SCHEME] = "the scheme is neither http nor https",
    [ERR_URL_RELATIVE] =
        "no scheme, where a URL begins with http:// or https://",
    [ERR_URL_HOST] = "the host is empty or not a valid name or address",
    [ERR_URL_PORT] = "the port is not a number from 0 to 65535",
    [ERR_URL_TOO_LONG] = "longer than a URL may be here",
};
static_assert(sizeof(err_text) / sizeof(err_text[0]) == ERR_COUNT,
              "every error has a text");

const char *err_message(enum err err)
{
    return (unsigned)err < ERR_COUNT ? err_text[err] : "unknown error";
}
