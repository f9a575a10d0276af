#include "html/charset.h"

#include "html/charset_internal.h"

#define SINGLE(set) KIND_SINGLE_BYTE, SINGLE_##set

// clang-format off
const struct charset charset_table[CHARSETS] = {
    [ID_UTF_8]          = {STR_INIT("UTF-8"), KIND_UTF_8, 0},
    [ID_IBM866]         = {STR_INIT("IBM866"), SINGLE(IBM866)},
    [ID_ISO_8859_2]     = {STR_INIT("ISO-8859-2"), SINGLE(ISO_8859_2)},
    [ID_ISO_8859_3]     = {STR_INIT("ISO-8859-3"), SINGLE(ISO_8859_3)},
    [ID_ISO_8859_4]     = {STR_INIT("ISO-8859-4"), SINGLE(ISO_8859_4)},
    [ID_ISO_8859_5]     = {STR_INIT("ISO-8859-5"), SINGLE(ISO_8859_5)},
    [ID_ISO_8859_6]     = {STR_INIT("ISO-8859-6"), SINGLE(ISO_8859_6)},
    [ID_ISO_8859_7]     = {STR_INIT("ISO-8859-7"), SINGLE(ISO_8859_7)},
    [ID_ISO_8859_8]     = {STR_INIT("ISO-8859-8"), SINGLE(ISO_8859_8)},
    [ID_ISO_8859_8_I]   = {STR_INIT("ISO-8859-8-I"), SINGLE(ISO_8859_8)},
    [ID_ISO_8859_10]    = {STR_INIT("ISO-8859-10"), SINGLE(ISO_8859_10)},
    [ID_ISO_8859_13]    = {STR_INIT("ISO-8859-13"), SINGLE(ISO_8859_13)},
    [ID_ISO_8859_14]    = {STR_INIT("ISO-8859-14"), SINGLE(ISO_8859_14)},
    [ID_ISO_8859_15]    = {STR_INIT("ISO-8859-15"), SINGLE(ISO_8859_15)},
    [ID_ISO_8859_16]    = {STR_INIT("ISO-8859-16"), SINGLE(ISO_8859_16)},
    [ID_KOI8_R]         = {STR_INIT("KOI8-R"), SINGLE(KOI8_R)},
    [ID_KOI8_U]         = {STR_INIT("KOI8-U"), SINGLE(KOI8_U)},
    [ID_MACINTOSH]      = {STR_INIT("macintosh"), SINGLE(MACINTOSH)},
    [ID_WINDOWS_874]    = {STR_INIT("windows-874"), SINGLE(WINDOWS_874)},
    [ID_WINDOWS_1250]   = {STR_INIT("windows-1250"), SINGLE(WINDOWS_1250)},
    [ID_WINDOWS_1251]   = {STR_INIT("windows-1251"), SINGLE(WINDOWS_1251)},
    [ID_WINDOWS_1252]   = {STR_INIT("windows-1252"), SINGLE(WINDOWS_1252)},
    [ID_WINDOWS_1253]   = {STR_INIT("windows-1253"), SINGLE(WINDOWS_1253)},
    [ID_WINDOWS_1254]   = {STR_INIT("windows-1254"), SINGLE(WINDOWS_1254)},
    [ID_WINDOWS_1255]   = {STR_INIT("windows-1255"), SINGLE(WINDOWS_1255)},
    [ID_WINDOWS_1256]   = {STR_INIT("windows-1256"), SINGLE(WINDOWS_1256)},
    [ID_WINDOWS_1257]   = {STR_INIT("windows-1257"), SINGLE(WINDOWS_1257)},
    [ID_WINDOWS_1258]   = {STR_INIT("windows-1258"), SINGLE(WINDOWS_1258)},
    [ID_X_MAC_CYRILLIC] = {STR_INIT("x-mac-cyrillic"), SINGLE(X_MAC_CYRILLIC)},
    [ID_GBK]            = {STR_INIT("GBK"), KIND_GBK, 0},
    [ID_GB18030]        = {STR_INIT("gb18030"), KIND_GB18030, 0},
    [ID_BIG5]           = {STR_INIT("Big5"), KIND_BIG5, 0},
    [ID_EUC_JP]         = {STR_INIT("EUC-JP"), KIND_EUC_JP, 0},
    [ID_ISO_2022_JP]    = {STR_INIT("ISO-2022-JP"), KIND_ISO_2022_JP, 0},
    [ID_SHIFT_JIS]      = {STR_INIT("Shift_JIS"), KIND_SHIFT_JIS, 0},
    [ID_EUC_KR]         = {STR_INIT("EUC-KR"), KIND_EUC_KR, 0},
    [ID_REPLACEMENT]    = {STR_INIT("replacement"), KIND_REPLACEMENT, 0},
    [ID_UTF_16BE]       = {STR_INIT("UTF-16BE"), KIND_UTF_16BE, 0},
    [ID_UTF_16LE]       = {STR_INIT("UTF-16LE"), KIND_UTF_16LE, 0},
    [ID_X_USER_DEFINED] = {STR_INIT("x-user-defined"), KIND_USER_DEFINED, 0},
};
// clang-format on

const struct charset *const CHARSET_UTF_8 = &charset_table[ID_UTF_8];
const struct charset *const CHARSET_WINDOWS_1252 =
    &charset_table[ID_WINDOWS_1252];

struct str charset_name(const struct charset *charset)
{
    return charset->name;
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
    static const struct {
        struct str mark;
        enum charset_id id;
    } marks[] = {
        {STR_INIT("\xEF\xBB\xBF"), ID_UTF_8},
        {STR_INIT("\xFE\xFF"), ID_UTF_16BE},
        {STR_INIT("\xFF\xFE"), ID_UTF_16LE},
    };

    for (size_t i = 0; i < ARRAY_LEN(marks); i++) {
        if (str_starts(body, marks[i].mark)) {
            *len = marks[i].mark.len;
            return &charset_table[marks[i].id];
        }
    }
    return NULL;
}

static const struct charset *
from_outside(struct str body, struct str http_label, size_t *bom_len)
{
    *bom_len = 0;

    const struct charset *charset = by_byte_order_mark(body, bom_len);
    return charset ? charset : charset_find(http_label);
}

const struct charset *charset_sniff(struct str body, struct str http_label,
                                    size_t *bom_len)
{
    const struct charset *charset = from_outside(body, http_label, bom_len);

    if (!charset)
        charset = charset_declared(body);
    return charset ? charset : CHARSET_WINDOWS_1252;
}

const struct charset *charset_sniff_xml(struct str body, struct str http_label,
                                        size_t *bom_len)
{
    const struct charset *charset = from_outside(body, http_label, bom_len);

    if (!charset)
        charset = charset_declared_in_xml(body);
    return charset ? charset : CHARSET_UTF_8;
}
