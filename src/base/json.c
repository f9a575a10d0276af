#include "base/json.h"

#include "base/escape.h"
#include "base/str.h"

#define EACH_BYTE(byte) (UINT64_C(0x0101010101010101) * (byte))

/* Has the word a byte of this value? */
static bool word_has(uint64_t word, uint64_t byte)
{
    uint64_t zero = word ^ EACH_BYTE(byte);

    return (zero - EACH_BYTE(1)) & ~zero & EACH_BYTE(0x80);
}

/* Are all eight bytes written as they are? */
static bool word_is_plain(const char *bytes)
{
    uint64_t word;

    memcpy(&word, bytes, sizeof(word));
    return !((word | ((word - EACH_BYTE(' ')) & ~word)) & EACH_BYTE(0x80)) &&
           !word_has(word, '"') && !word_has(word, '\\') &&
           !word_has(word, 0x7f);
}

/* How many bytes at the start are written as they are; the rest may begin with
 * one, too. */
static size_t plain_len(struct str s)
{
    size_t len = 0;

    while (s.len - len >= sizeof(uint64_t) && word_is_plain(s.ptr + len))
        len += sizeof(uint64_t);
    while (len < s.len && s.ptr[len] >= ' ' && s.ptr[len] < 0x7f &&
           s.ptr[len] != '"' && s.ptr[len] != '\\')
        len++;
    return len;
}

void json_put_str(struct buf *buf, struct str s)
{
    buf_put_char(buf, '"');
    while (s.len) {
        size_t plain = plain_len(s);
        uint32_t c;

        buf_put(buf, str_first(s, plain));
        s = str_skip(s, plain);
        if (!s.len)
            break;
        size_t len = utf8_read(s.ptr, s.ptr + s.len, &c);

        if (c == '"' || c == '\\')
            buf_printf(buf, "\\%c", (char)c);
        else if (terminal_obeys(c)) /* JSON is looked at, too */
            buf_printf(buf, "\\u%04x", (unsigned)c);
        else if (c == UTF8_REPLACEMENT)
            buf_put(buf, STR("\xef\xbf\xbd"));
        else
            buf_put(buf, str_first(s, len));
        s = str_skip(s, len);
    }
    buf_put_char(buf, '"');
}

/* The comma and the name of a value. A value ends with a quote, a digit, a
 * letter or a bracket that closes. */
static void put_name(struct buf *buf, const char *name)
{
    char last = buf->len ? buf->ptr[buf->len - 1] : '\0';

    if (last == '"' || last == '}' || last == ']' || ascii_is_alnum(last))
        buf_put_char(buf, ',');
    if (!name)
        return;
    json_put_str(buf, str_of(name));
    buf_put_char(buf, ':');
}

void json_open(struct buf *buf, const char *name)
{
    put_name(buf, name);
    buf_put_char(buf, '{');
}

void json_close(struct buf *buf)
{
    buf_put_char(buf, '}');
}

void json_open_array(struct buf *buf, const char *name)
{
    put_name(buf, name);
    buf_put_char(buf, '[');
}

void json_close_array(struct buf *buf)
{
    buf_put_char(buf, ']');
}

void json_add_str(struct buf *buf, const char *name, struct str value)
{
    put_name(buf, name);
    json_put_str(buf, value);
}

void json_add_number(struct buf *buf, const char *name, uint64_t value)
{
    put_name(buf, name);
    buf_put_number(buf, value);
}

void json_add_decimal(struct buf *buf, const char *name, double value)
{
    put_name(buf, name);
    buf_printf(buf, "%.3f", value);
}

void json_add_bool(struct buf *buf, const char *name, bool value)
{
    put_name(buf, name);
    buf_put(buf, value ? STR("true") : STR("false"));
}

void json_add_null(struct buf *buf, const char *name)
{
    put_name(buf, name);
    buf_put(buf, STR("null"));
}

void json_add_cstr_or_null(struct buf *buf, const char *name, const char *cstr)
{
    if (cstr)
        json_add_str(buf, name, str_of(cstr));
    else
        json_add_null(buf, name);
}

void json_add_number_or_null(struct buf *buf, const char *name, uint64_t value)
{
    if (value)
        json_add_number(buf, name, value);
    else
        json_add_null(buf, name);
}

/* --- reading -------------------------------------------------------------- */

void json_read(struct json_reader *reader, struct str text, struct buf *scratch)
{
    buf_clear(scratch);
    *reader = (struct json_reader){
        .rest = text,
        .scratch = scratch,
        /* Room for all escapes at once, so that no text moves. */
        .is_broken = !buf_reserve(scratch, text.len),
    };
}

static bool take(struct json_reader *reader, char c)
{
    reader->rest = str_trim_start(reader->rest);
    if (!reader->rest.len || reader->rest.ptr[0] != c)
        return false;
    reader->rest = str_skip(reader->rest, 1);
    return true;
}

static bool take_hex4(struct str *rest, uint32_t *unit)
{
    *unit = 0;
    if (rest->len < 4)
        return false;
    for (size_t i = 0; i < 4; i++) {
        int digit = hex_value(rest->ptr[i]);
        if (digit < 0)
            return false;
        *unit = *unit << 4 | (uint32_t)digit;
    }
    *rest = str_skip(*rest, 4);
    return true;
}

/* After "\u": a code unit, or two that are a pair. */
static bool take_unicode(struct json_reader *reader, uint32_t *c)
{
    uint32_t low;

    if (!take_hex4(&reader->rest, c))
        return false;
    if (*c < 0xD800 || *c > 0xDFFF)
        return true;
    struct str ahead = reader->rest;
    if (*c < 0xDC00 && str_starts(ahead, STR("\\u"))) {
        ahead = str_skip(ahead, 2);
        if (take_hex4(&ahead, &low) && low >= 0xDC00 && low <= 0xDFFF) {
            *c = 0x10000 + ((*c - 0xD800) << 10) + (low - 0xDC00);
            reader->rest = ahead;
            return true;
        }
    }
    *c = UTF8_REPLACEMENT;
    return reader->is_lenient;
}

/* After a backslash. */
static bool take_escape(struct json_reader *reader)
{
    static const char from[] = "\"\\/bfnrt", to[] = "\"\\/\b\f\n\r\t";
    char text[UTF8_LEN_MAX] = "";
    uint32_t c;

    if (!reader->rest.len)
        return false;
    char letter = reader->rest.ptr[0];
    reader->rest = str_skip(reader->rest, 1);
    if (letter == 'u')
        return take_unicode(reader, &c) &&
               buf_put(reader->scratch, (struct str){text, utf8_put(text, c)});
    const char *found = letter ? strchr(from, letter) : NULL;
    return found && buf_put_char(reader->scratch, to[found - from]);
}

/* After the quote at its start. */
static bool take_string(struct json_reader *reader, struct str *text)
{
    struct buf *scratch = reader->scratch;
    size_t start = scratch->len;

    for (;;) {
        struct str run = reader->rest;
        size_t len = 0;

        while (len < run.len && run.ptr[len] != '"' && run.ptr[len] != '\\' &&
               (reader->is_lenient || (unsigned char)run.ptr[len] >= ' '))
            len++;
        if (len == run.len)
            return false;
        reader->rest = str_skip(run, len + 1);
        *text = str_first(run, len);
        if (run.ptr[len] == '"' && scratch->len == start)
            return true; /* it has no escapes */
        buf_put(scratch, *text);
        if (run.ptr[len] == '"') {
            *text = str_skip(buf_str(scratch), start);
            return true;
        }
        if (run.ptr[len] != '\\' || !take_escape(reader))
            return false;
    }
}

static bool take_digits(struct str *text)
{
    size_t len = 0;

    while (len < text->len && ascii_is_digit(text->ptr[len]))
        len++;
    *text = str_skip(*text, len);
    return len;
}

/* "-1.5e+9" */
static bool is_number(struct str text)
{
    if (str_starts(text, STR("-")))
        text = str_skip(text, 1);
    struct str whole = text;
    if (!take_digits(&text) ||
        (whole.ptr[0] == '0' && whole.len > text.len + 1))
        return false;
    if (str_starts(text, STR("."))) {
        text = str_skip(text, 1);
        if (!take_digits(&text))
            return false;
    }
    if (str_starts_nocase(text, STR("e"))) {
        text = str_skip(text, 1);
        if (str_starts(text, STR("+")) || str_starts(text, STR("-")))
            text = str_skip(text, 1);
        if (!take_digits(&text))
            return false;
    }
    return !text.len;
}

/* A number, true, false or null. */
static bool take_word(struct json_reader *reader, struct json_item *item)
{
    static const struct str words[] = {
        [JSON_NULL] = STR_INIT("null"),
        [JSON_FALSE] = STR_INIT("false"),
        [JSON_TRUE] = STR_INIT("true"),
    };
    struct str rest = reader->rest;
    size_t len = 0;

    while (len < rest.len &&
           (ascii_is_alnum(rest.ptr[len]) || rest.ptr[len] == '-' ||
            rest.ptr[len] == '+' || rest.ptr[len] == '.'))
        len++;
    item->text = str_first(rest, len);
    reader->rest = str_skip(rest, len);
    item->type = JSON_NULL;
    while (item->type < JSON_NUMBER && !str_eq(item->text, words[item->type]))
        item->type++;
    return item->type < JSON_NUMBER || is_number(item->text);
}

static bool enter(struct json_reader *reader, char close)
{
    if (reader->depth == JSON_DEPTH_MAX)
        return false;
    reader->close[reader->depth++] = close;
    reader->has_value = false;
    return true;
}

static bool take_value(struct json_reader *reader, struct json_item *item)
{
    item->type = JSON_OBJECT;
    if (take(reader, '{'))
        return enter(reader, '}');
    item->type = JSON_ARRAY;
    if (take(reader, '['))
        return enter(reader, ']');
    reader->has_value = true;
    item->type = JSON_STRING;
    if (take(reader, '"'))
        return take_string(reader, &item->text);
    return take_word(reader, item);
}

bool json_next(struct json_reader *reader, struct json_item *item)
{
    char close = reader->depth ? reader->close[reader->depth - 1] : '\0';

    *item = (struct json_item){0};
    if (reader->is_broken || (!close && reader->has_value))
        return false;
    if (close && take(reader, close)) {
        reader->depth--;
        reader->has_value = true;
        return false;
    }
    reader->is_broken = (reader->has_value && !take(reader, ',')) ||
                        (close == '}' && (!take(reader, '"') ||
                                          !take_string(reader, &item->name) ||
                                          !take(reader, ':'))) ||
                        !take_value(reader, item);
    return !reader->is_broken;
}

bool json_skip(struct json_reader *reader, const struct json_item *item)
{
    struct json_item inner;
    unsigned depth = reader->depth;

    if (item->type < JSON_ARRAY)
        return true;
    /* It is left where the depth is less than inside of it. */
    while (json_next(reader, &inner) || reader->depth >= depth)
        if (reader->is_broken)
            return false;
    return true;
}

bool json_is_whole(const struct json_reader *reader)
{
    return !reader->is_broken && !reader->depth && reader->has_value &&
           !str_trim_start(reader->rest).len;
}
