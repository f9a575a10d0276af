#include "archive/cdxj.h"

#include "base/date.h"
#include "base/json.h"

enum {
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

static bool read_fields(struct json_reader *reader, struct cdxj_entry *entry)
{
    struct json_item item;
    bool has_offset = false;

    if (!json_next(reader, &item) || item.type != JSON_OBJECT)
        return false;
    while (json_next(reader, &item))
        if (!json_skip(reader, &item) ||
            !set_field(entry, item.name, item.text, &has_offset))
            return false;
    return has_offset && entry->url.len && entry->file_name.len;
}

bool cdxj_parse(struct str line, struct buf *scratch, struct cdxj_entry *entry)
{
    struct str_pair key = str_cut(line, ' ');
    struct str_pair stamp = str_cut(key.tail, ' ');
    struct json_reader reader;

    *entry = (struct cdxj_entry){.mime = STR("")};
    if (!key.head.len || !date_read_digits(stamp.head, &entry->date_ms))
        return false;
    json_read(&reader, stamp.tail, scratch);
    reader.is_lenient = true;
    return read_fields(&reader, entry) && json_is_whole(&reader);
}
