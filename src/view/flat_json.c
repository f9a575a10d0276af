#include "view/flat_json.h"

#include "base/utf8.h"

static bool take(struct flat_json *json, char c)
{
    json->rest = str_trim_start(json->rest);
    if (!json->rest.len || json->rest.ptr[0] != c)
        return false;
    json->rest = str_skip(json->rest, 1);
    return true;
}

/* The four digits of "\uXXXX", or -1. */
static int32_t take_hex(struct flat_json *json)
{
    int32_t value = 0;

    if (json->rest.len < 4)
        return -1;
    for (size_t i = 0; i < 4; i++) {
        int digit = hex_value(json->rest.ptr[i]);
        if (digit < 0)
            return -1;
        value = value * 16 + digit;
    }
    json->rest = str_skip(json->rest, 4);
    return value;
}

/* After "\u". A surrogate must be one of a pair; U+0000 is refused. */
static int32_t take_unicode(struct flat_json *json)
{
    int32_t high = take_hex(json);

    if (high <= 0 || (high & 0xfc00) == 0xdc00)
        return -1;
    if ((high & 0xfc00) != 0xd800)
        return high;
    if (!str_starts(json->rest, STR("\\u")))
        return -1;
    json->rest = str_skip(json->rest, 2);
    int32_t low = take_hex(json);
    if (low < 0 || (low & 0xfc00) != 0xdc00)
        return -1;
    return 0x10000 + ((high & 0x3ff) << 10) + (low & 0x3ff);
}

/* After a backslash; -1: no such escape. */
static int32_t take_escape(struct flat_json *json)
{
    static const char from[] = "\"\\/bfnrt", to[] = "\"\\/\b\f\n\r\t";
    char c = json->rest.len ? json->rest.ptr[0] : '\0';
    const char *at = c ? strchr(from, c) : NULL;

    if (!c)
        return -1;
    json->rest = str_skip(json->rest, 1);
    if (c == 'u')
        return take_unicode(json);
    return at ? to[at - from] : -1;
}

/* One character of a string, as UTF-8; false where it is broken. */
static bool take_char(struct flat_json *json, char *to, size_t room,
                      size_t *len)
{
    char utf8[UTF8_LEN_MAX];
    size_t n = 1;
    char c = json->rest.ptr[0];

    json->rest = str_skip(json->rest, 1);
    utf8[0] = c;
    if (c == '\\') {
        int32_t code = take_escape(json);
        if (code < 0)
            return false;
        n = utf8_put(utf8, (uint32_t)code);
    } else if ((unsigned char)c < ' ') {
        return false;
    }
    if (*len + n > room)
        return false;
    memcpy(to + *len, utf8, n);
    *len += n;
    return true;
}

static bool take_string(struct flat_json *json, char *to, size_t room,
                        struct str *text)
{
    size_t len = 0;

    if (!take(json, '"'))
        return false;
    while (json->rest.len && json->rest.ptr[0] != '"')
        if (!take_char(json, to, room, &len))
            return false;
    *text = (struct str){to, len};
    return take(json, '"');
}

static bool take_word(struct flat_json *json, struct flat_json_member *member)
{
    static const struct json_word {
        enum flat_json_type type;
        struct str text;
    } words[] = {
        {FLAT_JSON_TRUE, STR_INIT("true")},
        {FLAT_JSON_FALSE, STR_INIT("false")},
        {FLAT_JSON_NULL, STR_INIT("null")},
    };

    for (size_t i = 0; i < ARRAY_LEN(words); i++) {
        if (!str_starts(json->rest, words[i].text))
            continue;
        member->type = words[i].type;
        json->rest = str_skip(json->rest, words[i].text.len);
        return true;
    }
    return false;
}

static bool take_value(struct flat_json *json, struct flat_json_member *member)
{
    size_t digits = 0;

    json->rest = str_trim_start(json->rest);
    member->text = (struct str){0};
    if (json->rest.len && json->rest.ptr[0] == '"') {
        member->type = FLAT_JSON_STRING;
        return take_string(json, member->text_bytes, sizeof(member->text_bytes),
                           &member->text);
    }
    if (take_word(json, member))
        return true;
    while (digits < json->rest.len && ascii_is_digit(json->rest.ptr[digits]))
        digits++;
    member->type = FLAT_JSON_NUMBER;
    if (!str_to_u64(str_first(json->rest, digits), &member->number))
        return false;
    json->rest = str_skip(json->rest, digits);
    return true;
}

static bool take_end(struct flat_json *json)
{
    if (!take(json, '}'))
        return false;
    json->ended = true;
    json->broken = str_trim_start(json->rest).len;
    return true;
}

bool flat_json_next(struct flat_json *json, struct flat_json_member *member)
{
    bool first = !json->began;

    if (json->ended || json->broken)
        return false;
    json->broken = first && !take(json, '{');
    json->began = true;
    if (json->broken || take_end(json))
        return false;
    json->broken = (!first && !take(json, ',')) ||
                   !take_string(json, member->name_bytes,
                                sizeof(member->name_bytes), &member->name) ||
                   !take(json, ':') || !take_value(json, member);
    return !json->broken;
}
