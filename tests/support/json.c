#include "support/json.h"

#include <stdlib.h>

enum { DEPTH_MAX = 200 };

struct reader {
    struct arena *arena;
    const char *at, *end;
    unsigned depth;
};

/* While a container is read its items are a list; then they become an array,
 * so that json_at needs no walk. */
struct node {
    struct json json;
    struct node *next;
};

static bool read_value(struct reader *in, struct json *out);

static void skip_space(struct reader *in)
{
    while (in->at < in->end && (*in->at == ' ' || *in->at == '\t' ||
                                *in->at == '\n' || *in->at == '\r'))
        in->at++;
}

static bool take(struct reader *in, char c)
{
    skip_space(in);
    if (in->at == in->end || *in->at != c)
        return false;
    in->at++;
    return true;
}

static bool take_word(struct reader *in, struct str word)
{
    if (!str_starts(str_between(in->at, in->end), word))
        return false;
    in->at += word.len;
    return true;
}

static char *put_utf8(char *to, uint32_t c)
{
    if (c < 0x80) {
        *to++ = (char)c;
        return to;
    }
    if (c < 0x800) {
        *to++ = (char)(0xC0 | c >> 6);
    } else {
        if (c < 0x10000) {
            *to++ = (char)(0xE0 | c >> 12);
        } else {
            *to++ = (char)(0xF0 | c >> 18);
            *to++ = (char)(0x80 | (c >> 12 & 0x3F));
        }
        *to++ = (char)(0x80 | (c >> 6 & 0x3F));
    }
    *to++ = (char)(0x80 | (c & 0x3F));
    return to;
}

/* The four digits after "\u". */
static bool read_hex4(struct reader *in, uint32_t *out)
{
    if (in->end - in->at < 4)
        return false;
    *out = 0;
    for (int i = 0; i < 4; i++) {
        int digit = hex_value(*in->at++);
        if (digit < 0)
            return false;
        *out = *out << 4 | (uint32_t)digit;
    }
    return true;
}

/* What follows "\u": one code unit, or two that are a pair. */
static bool read_code_point(struct reader *in, uint32_t *out)
{
    uint32_t low;

    if (!read_hex4(in, out))
        return false;
    if (*out < 0xD800 || *out > 0xDFFF)
        return true;

    const char *mark = in->at;
    if (*out < 0xDC00 && take_word(in, STR("\\u")) && read_hex4(in, &low) &&
        low >= 0xDC00 && low <= 0xDFFF) {
        *out = 0x10000 + ((*out - 0xD800) << 10) + (low - 0xDC00);
        return true;
    }
    in->at = mark;
    *out = 0xFFFD;
    return true;
}

static bool read_escape(struct reader *in, char **to)
{
    static const char from[] = "\"\\/bfnrt", meant[] = "\"\\/\b\f\n\r\t";
    uint32_t c;

    if (in->at == in->end)
        return false;
    char letter = *in->at++;
    if (letter == 'u') {
        if (!read_code_point(in, &c))
            return false;
        *to = put_utf8(*to, c);
        return true;
    }
    const char *found = letter ? strchr(from, letter) : NULL;
    if (!found)
        return false;
    *(*to)++ = meant[found - from];
    return true;
}

/* The escapes are never shorter than what they stand for, so the room up to
 * the closing quote is enough. */
static bool read_string(struct reader *in, struct str *out)
{
    const char *close = in->at;

    while (close < in->end && *close != '"')
        close += *close == '\\' ? 2 : 1;
    if (close >= in->end)
        return false;

    char *start = arena_reserve(in->arena, (size_t)(close - in->at) + 1);
    char *to = start;
    while (in->at < close) {
        char c = *in->at++;
        if (c != '\\')
            *to++ = c;
        else if (!read_escape(in, &to))
            return false;
    }
    in->at = close + 1;
    *to = '\0';
    arena_commit(in->arena, (size_t)(to - start) + 1);
    *out = str_between(start, to);
    return true;
}

static bool read_number(struct reader *in, struct json *out)
{
    char text[64];
    size_t len = 0;
    char *end;

    while (in->at < in->end && len + 1 < sizeof(text) &&
           (ascii_is_digit(*in->at) || (*in->at && strchr("+-.eE", *in->at))))
        text[len++] = *in->at++;
    text[len] = '\0';
    out->type = JSON_NUMBER;
    out->number = strtod(text, &end);
    return len && *end == '\0';
}

/* After the opening bracket. */
static bool read_items(struct reader *in, struct json *out, char close)
{
    struct node *first = NULL, **last = &first;

    out->type = close == '}' ? JSON_OBJECT : JSON_ARRAY;
    if (take(in, close))
        return true;
    do {
        struct node *node = arena_new(in->arena, sizeof(*node));
        if (close == '}' &&
            !(take(in, '"') && read_string(in, &node->json.name) &&
              take(in, ':')))
            return false;
        if (!read_value(in, &node->json))
            return false;
        *last = node;
        last = &node->next;
        out->count++;
    } while (take(in, ','));
    if (!take(in, close))
        return false;

    struct json *items = arena_new(in->arena, out->count * sizeof(*items));
    out->items = items;
    for (struct node *node = first; node; node = node->next)
        *items++ = node->json;
    return true;
}

static bool read_value(struct reader *in, struct json *out)
{
    bool ok;

    if (take(in, '{') || take(in, '[')) {
        char close = in->at[-1] == '{' ? '}' : ']';
        if (++in->depth > DEPTH_MAX)
            return false;
        ok = read_items(in, out, close);
        in->depth--;
        return ok;
    }
    if (take(in, '"')) {
        out->type = JSON_STRING;
        return read_string(in, &out->string);
    }
    if (take_word(in, STR("null")))
        return true;
    out->boolean = take_word(in, STR("true"));
    if (out->boolean || take_word(in, STR("false"))) {
        out->type = JSON_BOOL;
        return true;
    }
    return read_number(in, out);
}

const struct json *json_parse(struct arena *arena, struct str text)
{
    struct reader in = {arena, text.ptr, text.ptr + text.len, 0};
    struct json *root = arena_new(arena, sizeof(*root));

    if (!read_value(&in, root))
        return NULL;
    skip_space(&in);
    return in.at == in.end ? root : NULL;
}

const struct json *json_get(const struct json *object, const char *name)
{
    if (!json_is(object, JSON_OBJECT))
        return NULL;
    for (size_t i = 0; i < object->count; i++)
        if (str_eq(object->items[i].name, str_of(name)))
            return &object->items[i];
    return NULL;
}

const struct json *json_at(const struct json *container, size_t i)
{
    return i < json_count(container) ? &container->items[i] : NULL;
}

size_t json_count(const struct json *container)
{
    return container ? container->count : 0;
}

bool json_is(const struct json *json, enum json_type type)
{
    return json && json->type == type;
}

struct str json_str(const struct json *json)
{
    return json_is(json, JSON_STRING) ? json->string : STR("");
}

double json_number(const struct json *json)
{
    return json_is(json, JSON_NUMBER) ? json->number : 0;
}

bool json_bool(const struct json *json)
{
    return json_is(json, JSON_BOOL) && json->boolean;
}
