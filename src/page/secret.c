#include "page/secret.h"

struct str secret_header(struct str header)
{
    static const struct str secrets[] = {
        STR_INIT("authorization"),
        STR_INIT("proxy-authorization"),
        STR_INIT("cookie"),
    };
    struct str name = str_cut(header, ':').head;

    for (size_t i = 0; i < ARRAY_LEN(secrets); i++)
        if (str_eq_nocase(name, secrets[i]))
            return name;
    return (struct str){0};
}
