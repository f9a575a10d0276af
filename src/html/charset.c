#include "html/charset.h"

#include <stdlib.h>

#include "html/charset_internal.h"

// clang-format off
#include "html/charset_table.inc"
// clang-format on

const struct charset *const CHARSET_UTF_8 = &charsets[UTF_8];
const struct charset *const CHARSET_UTF_16BE = &charsets[UTF_16BE];
const struct charset *const CHARSET_UTF_16LE = &charsets[UTF_16LE];
const struct charset *const CHARSET_WINDOWS_1252 = &charsets[WINDOWS_1252];

static int compare_label(const void *wanted, const void *label)
{
    return strcmp(wanted, label);
}

const struct charset *charset_find(struct str label)
{
    char wanted[LABEL_LEN_MAX + 1] = {0};

    label = str_trim(label);
    if (label.len > LABEL_LEN_MAX || str_find(label, '\0') < label.len)
        return NULL;
    for (size_t i = 0; i < label.len; i++)
        wanted[i] = ascii_lower(label.ptr[i]);

    const struct label *found = bsearch(wanted, labels, ARRAY_LEN(labels),
                                        sizeof(labels[0]), compare_label);
    return found ? &charsets[found->id] : NULL;
}

bool charset_is_markup_safe(const struct charset *charset)
{
    switch (charset->kind) {
    case KIND_UTF_16BE:
    case KIND_UTF_16LE:
    case KIND_ISO_2022_JP:
    case KIND_REPLACEMENT:
        return false;
    default:
        /* Trail bytes of the others start at '0', or at '@' without digits:
         * neither '<', '>', '&', '=', '/', quotes nor blanks are among
         * them, and a lead byte before one of those does not swallow it. */
        return true;
    }
}

/* Cut one parameter off the front of `rest` ("name=value", after the ';').
 * A quoted value ends at its second quote; labels have no backslashes, so
 * escapes are not undone. */
static struct str_pair next_parameter(struct str *rest)
{
    size_t name_len = 0;

    while (name_len < rest->len && rest->ptr[name_len] != ';' &&
           rest->ptr[name_len] != '=')
        name_len++;

    struct str_pair parameter = {.head = str_trim(str_first(*rest, name_len))};
    *rest = str_skip(*rest, name_len);
    if (rest->len && rest->ptr[0] == '=') {
        *rest = str_skip(*rest, 1);
        if (rest->len && rest->ptr[0] == '"') {
            *rest = str_skip(*rest, 1);
            parameter.tail = str_first(*rest, str_find(*rest, '"'));
            *rest = str_skip(*rest, parameter.tail.len);
        } else {
            parameter.tail = str_trim(str_first(*rest, str_find(*rest, ';')));
        }
    }
    *rest = str_cut(*rest, ';').tail;
    return parameter;
}

struct str charset_of_content_type(struct str value)
{
    struct str rest = str_cut(value, ';').tail;

    while (rest.len) {
        struct str_pair parameter = next_parameter(&rest);
        if (parameter.tail.len && str_eq_nocase(parameter.head, STR("charset")))
            return parameter.tail;
    }
    return (struct str){0};
}

static const struct charset *by_byte_order_mark(struct str body, size_t *len)
{
    const struct {
        struct str mark;
        const struct charset *charset;
    } marks[] = {
        {STR("\xEF\xBB\xBF"), CHARSET_UTF_8},
        {STR("\xFE\xFF"), CHARSET_UTF_16BE},
        {STR("\xFF\xFE"), CHARSET_UTF_16LE},
    };

    for (size_t i = 0; i < ARRAY_LEN(marks); i++) {
        if (str_starts(body, marks[i].mark)) {
            *len = marks[i].mark.len;
            return marks[i].charset;
        }
    }
    *len = 0;
    return NULL;
}

const struct charset *charset_sniff(struct str body, struct str http_label,
                                    bool is_xml, size_t *bom_len)
{
    const struct charset *charset = by_byte_order_mark(body, bom_len);

    if (!charset)
        charset = charset_find(http_label);
    if (!charset)
        charset =
            is_xml ? charset_declared_in_xml(body) : charset_declared(body);
    if (!charset)
        charset = is_xml ? CHARSET_UTF_8 : CHARSET_WINDOWS_1252;
    return charset;
}
