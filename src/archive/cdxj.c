#include "archive/cdxj.h"

#include "base/date.h"
#include "base/json.h"
#include "base/utf8.h"

enum {
    NESTING_MAX = 16,
    /* The longest escape of a character, "\u001f", and of the field names. */
    ESCAPE_MAX = 6,
    FIELDS_LEN_MAX = 256,
};

/* --- writing -------------------------------------------------------------- */

/* All tools write numbers as strings. `before` ends with the quote. */
static void add_number(struct buf *out, struct str before, uint64_t number)
{
    buf_put(out, before);
    buf_put_number(out, number);
    buf_put_char(out, '"');
}

static void add_text(struct buf *out, struct str before, struct str text)
{
    buf_put(out, before);
    json_put_str(out, text);
}

bool cdxj_put(struct buf *out, struct str key, const struct cdxj_entry *entry)
{
    size_t texts = entry->url.len + entry->mime.len + entry->digest.len +
                   entry->file_name.len + entry->method.len;

    if (!buf_reserve(out, key.len + ESCAPE_MAX * texts + FIELDS_LEN_MAX))
        return false;
    buf_put(out, key);
    buf_put_char(out, ' ');
    buf_put(out, str_of(date_digits(entry->date_ms).text));
    add_text(out, STR(" {\"url\":"), entry->url);
    if (entry->method.len)
        add_text(out, STR(",\"method\":"), entry->method);
    if (entry->mime.len)
        add_text(out, STR(",\"mime\":"), entry->mime);
    if (entry->status)
        add_number(out, STR(",\"status\":\""), entry->status);
    if (entry->digest.len)
        add_text(out, STR(",\"digest\":"), entry->digest);
    add_number(out, STR(",\"length\":\""), entry->length);
    add_number(out, STR(",\"offset\":\""), entry->at);
    add_text(out, STR(",\"filename\":"), entry->file_name);
    buf_put(out, STR("}\n"));
    return true;
}

/* --- reading -------------------------------------------------------------- */

/* JSON from `at` to `end`. Strings are unescaped into `scratch`, which has room
 * for all of the line, so that it never moves. */
struct parser {
    const char *at, *end;
    struct buf *scratch;
};

static void skip_space(struct parser *p)
{
    while (p->at < p->end && ascii_is_space(*p->at))
        p->at++;
}

static bool take(struct parser *p, char c)
{
    skip_space(p);
    if (p->at == p->end || *p->at != c)
        return false;
    p->at++;
    return true;
}

static bool take_hex4(struct parser *p, uint32_t *unit)
{
    *unit = 0;
    for (int i = 0; i < 4; i++, p->at++) {
        int digit = p->at < p->end ? hex_value(*p->at) : -1;
        if (digit < 0)
            return false;
        *unit = *unit << 4 | (uint32_t)digit;
    }
    return true;
}

/* After "\u". A surrogate without its other half is U+FFFD. */
static bool take_unicode(struct parser *p)
{
    uint32_t c, low;
    char text[UTF8_LEN_MAX] = {0};

    if (!take_hex4(p, &c))
        return false;
    if (c >= 0xD800 && c < 0xDC00 && p->end - p->at >= 6 && p->at[0] == '\\' &&
        p->at[1] == 'u') {
        struct parser ahead = {p->at + 2, p->end, p->scratch};

        if (take_hex4(&ahead, &low) && low >= 0xDC00 && low < 0xE000) {
            c = 0x10000 + ((c - 0xD800) << 10 | (low - 0xDC00));
            p->at = ahead.at;
        }
    }
    if (c >= 0xD800 && c < 0xE000)
        c = UTF8_REPLACEMENT;
    size_t len = utf8_put(text, c);
    return buf_put(p->scratch, (struct str){text, len});
}

static bool take_escape(struct parser *p)
{
    static const char from[] = "\"\\/bfnrt", to[] = "\"\\/\b\f\n\r\t";

    if (p->at == p->end)
        return false;
    char c = *p->at++;
    if (c == 'u')
        return take_unicode(p);
    const char *found = c ? strchr(from, c) : NULL;
    return found && buf_put_char(p->scratch, to[found - from]);
}

static bool take_string(struct parser *p, struct str *out)
{
    size_t start = p->scratch->len;

    if (!take(p, '"'))
        return false;
    while (p->at < p->end && *p->at != '"') {
        char c = *p->at++;
        if (!(c == '\\' ? take_escape(p) : buf_put_char(p->scratch, c)))
            return false;
    }
    *out = str_skip(buf_str(p->scratch), start);
    return take(p, '"');
}

/* A number, true, false or null, as it is written. */
static bool take_word(struct parser *p, struct str *out)
{
    skip_space(p);
    const char *from = p->at;
    while (p->at < p->end && (ascii_is_alnum(*p->at) || *p->at == '-' ||
                              *p->at == '+' || *p->at == '.'))
        p->at++;
    *out = str_between(from, p->at);
    return out->len > 0;
}

/* An array or object, of which nothing is wanted. */
static bool skip_nested(struct parser *p)
{
    char close[NESTING_MAX];
    size_t depth = 0;

    do {
        struct str ignored;
        skip_space(p);
        if (p->at == p->end)
            return false;
        char c = *p->at;
        if (c == '"') {
            size_t len = p->scratch->len;
            if (!take_string(p, &ignored))
                return false;
            p->scratch->len = len;
            continue;
        }
        p->at++;
        if ((c == '{' || c == '[') && depth == NESTING_MAX)
            return false;
        if (c == '{' || c == '[')
            close[depth++] = c == '{' ? '}' : ']';
        else if ((c == '}' || c == ']') && (!depth || close[--depth] != c))
            return false;
    } while (depth);
    return true;
}

/* `text` is empty for an array or object. */
static bool take_value(struct parser *p, struct str *text)
{
    skip_space(p);
    if (p->at == p->end)
        return false;
    *text = (struct str){"", 0};
    if (*p->at == '"')
        return take_string(p, text);
    if (*p->at == '{' || *p->at == '[')
        return skip_nested(p);
    return take_word(p, text);
}

/* What is written where a value is not known. */
static bool is_absent(struct str value)
{
    return !value.len || str_eq(value, STR("-")) || str_eq(value, STR("null"));
}

static bool set_field(struct cdxj_entry *entry, struct str name,
                      struct str value, bool *has_offset)
{
    uint64_t status;

    if (str_eq(name, STR("url")))
        entry->url = value;
    else if (str_eq(name, STR("filename")))
        entry->file_name = value;
    else if (is_absent(value))
        return true;
    else if (str_eq(name, STR("mime")))
        entry->mime = value;
    else if (str_eq(name, STR("digest")))
        entry->digest = value;
    else if (str_eq(name, STR("length")))
        return str_to_u64(value, &entry->length);
    else if (str_eq(name, STR("offset")))
        return *has_offset = str_to_u64(value, &entry->at);
    else if (str_eq(name, STR("status"))) {
        if (!str_to_u64(value, &status) || status > 999)
            return false;
        entry->status = (unsigned)status;
    }
    return true;
}

static bool take_fields(struct parser *p, struct cdxj_entry *entry)
{
    bool has_offset = false;

    if (!take(p, '{'))
        return false;
    do {
        struct str name, value;
        if (!take_string(p, &name) || !take(p, ':') || !take_value(p, &value) ||
            !set_field(entry, name, value, &has_offset))
            return false;
    } while (take(p, ','));
    return take(p, '}') && has_offset && entry->url.len && entry->file_name.len;
}

bool cdxj_parse(struct str line, struct buf *scratch, struct cdxj_entry *entry)
{
    struct str_pair key = str_cut(line, ' ');
    struct str_pair stamp = str_cut(key.tail, ' ');

    *entry = (struct cdxj_entry){.mime = STR("")};
    buf_clear(scratch);
    if (!key.head.len || !stamp.tail.len ||
        !date_read_digits(stamp.head, &entry->date_ms) ||
        !buf_reserve(scratch, line.len))
        return false;
    struct parser p = {stamp.tail.ptr, stamp.tail.ptr + stamp.tail.len,
                       scratch};
    if (!take_fields(&p, entry))
        return false;
    skip_space(&p);
    return p.at == p.end;
}
