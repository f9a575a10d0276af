#include "page/secret.h"

/* What browsers and crawlers send to everybody: which answer they would like,
 * and what they are. */
static bool is_harmless(struct str name)
{
    static const struct str names[] = {
        STR_INIT("accept"),
        STR_INIT("accept-charset"),
        STR_INIT("accept-encoding"),
        STR_INIT("accept-language"),
        STR_INIT("cache-control"),
        STR_INIT("dnt"),
        STR_INIT("from"),
        STR_INIT("pragma"),
        STR_INIT("priority"),
        STR_INIT("save-data"),
        STR_INIT("sec-gpc"),
        STR_INIT("upgrade-insecure-requests"),
        STR_INIT("user-agent"),
    };

    for (size_t i = 0; i < ARRAY_LEN(names); i++)
        if (str_eq_nocase(name, names[i]))
            return true;
    return str_starts_nocase(name, STR("sec-ch-")) ||
           str_starts_nocase(name, STR("sec-fetch-"));
}

struct str secret_header(struct str header)
{
    struct str name = str_cut(header, ':').head;

    if (is_harmless(name))
        name = (struct str){0};
    return name;
}
