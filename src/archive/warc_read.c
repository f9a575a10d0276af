/* A record is read in four steps: find its start, read its fields, read its
 * block, find its end. After a broken record the reader is lost: it looks for
 * the next line that begins with "WARC/", or the next gzip member that does. */
#include "archive/warc_read.h"

#include <stdlib.h>

#include "archive/warc_source.h"
#include "base/head.h"
#include "base/mem.h"

#define MAGIC "WARC/"

struct warc_reader {
    struct warc_source source;
    struct buf fields, start;
    uint64_t left;    /* bytes of the block that were not taken */
    bool in_unit;     /* a gzip member, or the plain file, is open */
    bool is_lost;     /* look for the next record first */
    bool magic_taken; /* of the next record; it is at `next_at` */
    uint64_t next_at, next_within;
    uint64_t pass_over; /* bytes of the next member, after a seek */
    const char *problem;
};

struct warc_reader *warc_reader_open(int fd, uint64_t from, uint64_t len)
{
    struct warc_reader *reader = NEW(struct warc_reader);

    warc_source_init(&reader->source, fd, from, len);
    buf_init(&reader->fields, WARC_FIELDS_MAX);
    buf_init(&reader->start, WARC_START_MAX);
    reader->problem = "";
    return reader;
}

void warc_reader_free(struct warc_reader *reader)
{
    if (!reader)
        return;
    warc_source_release(&reader->source);
    buf_release(&reader->fields);
    buf_release(&reader->start);
    free(reader);
}

void warc_reader_seek(struct warc_reader *reader, uint64_t at, uint64_t within)
{
    warc_source_seek(&reader->source, at);
    reader->in_unit = reader->is_lost = reader->magic_taken = false;
    reader->pass_over = within;
}

const char *warc_reader_problem(const struct warc_reader *reader)
{
    return reader->problem;
}

static enum warc_got broken(struct warc_reader *reader, const char *problem)
{
    reader->problem = problem;
    reader->is_lost = true;
    return WARC_BROKEN;
}

/* A record has begun, and the source has no more bytes for it. */
static enum warc_got no_bytes(struct warc_reader *reader, enum source_got got)
{
    switch (got) {
    case SOURCE_FAILED:
        return WARC_FAILED;
    case SOURCE_CUT:
    case SOURCE_END:
        reader->problem = "the file ends within the record";
        return WARC_CUT;
    case SOURCE_BOUNDARY:
        return broken(reader, "the gzip member ends within the record");
    default:
        return broken(reader, "the gzip member is damaged");
    }
}

/* --- the start of a record ---------------------------------------------- */

/* Open the next unit. WARC_RECORD: it is open. */
static enum warc_got open_unit(struct warc_reader *reader)
{
    enum source_got got = warc_source_begin(&reader->source);

    reader->in_unit = got == SOURCE_BYTES;
    if (got == SOURCE_END)
        return WARC_END;
    if (got == SOURCE_FAILED)
        return WARC_FAILED;
    if (got == SOURCE_BROKEN)
        return broken(reader, "no gzip member begins here");
    uint64_t pass_over = reader->pass_over;
    reader->pass_over = 0;
    got = warc_source_skip(&reader->source, pass_over);
    return got == SOURCE_BYTES ? WARC_RECORD : no_bytes(reader, got);
}

static void set_place(const struct warc_reader *reader,
                      struct warc_record *record)
{
    const struct warc_source *source = &reader->source;

    record->at = reader->in_unit && !source->is_packed
                     ? warc_source_place(source)
                     : source->unit_at;
    record->within = source->is_packed ? source->taken : 0;
}

/* Pass over empty lines, to the first byte of a record. */
static enum warc_got find_start(struct warc_reader *reader,
                                struct warc_record *record)
{
    struct str bytes;

    if (reader->magic_taken) {
        record->at = reader->next_at;
        record->within = reader->next_within;
        return WARC_RECORD;
    }
    for (;;) {
        if (!reader->in_unit) {
            enum warc_got opened = open_unit(reader);
            if (opened != WARC_RECORD) {
                set_place(reader, record);
                return opened;
            }
        }
        enum source_got got = warc_source_peek(&reader->source, &bytes);
        set_place(reader, record);
        if (got == SOURCE_END)
            return WARC_END;
        if (got == SOURCE_BOUNDARY)
            reader->in_unit = false;
        else if (got != SOURCE_BYTES)
            return no_bytes(reader, got);
        else if (bytes.ptr[0] == '\r' || bytes.ptr[0] == '\n')
            warc_source_take(&reader->source, 1);
        else
            return WARC_RECORD;
    }
}

/* Pass over the bytes of a unit up to a line that begins with "WARC/".
 * SOURCE_BYTES: it was found and taken. */
static enum source_got find_magic(struct warc_reader *reader)
{
    static const char magic[] = MAGIC;
    size_t matched = 0;
    struct str before = buf_str(&reader->fields);
    bool is_line_start =
        reader->source.taken == 0 || str_ends(before, STR("\n"));
    struct warc_record place;
    struct str bytes;

    for (;;) {
        enum source_got got = warc_source_peek(&reader->source, &bytes);
        if (got != SOURCE_BYTES)
            return got;
        char c = bytes.ptr[0];
        if (matched == 0 && is_line_start && c == magic[0]) {
            set_place(reader, &place);
            reader->next_at = place.at;
            reader->next_within = place.within;
        }
        matched =
            c == magic[matched] && (matched || is_line_start) ? matched + 1 : 0;
        is_line_start = c == '\n';
        warc_source_take(&reader->source, 1);
        if (matched == sizeof(magic) - 1) {
            reader->magic_taken = true;
            return SOURCE_BYTES;
        }
    }
}

/* Find the next record after a broken one; WARC_RECORD if there is one. What
 * is wrong on the way was reported with the broken one. */
static enum warc_got find_way(struct warc_reader *reader)
{
    enum source_got got = reader->in_unit ? SOURCE_BYTES : reader->source.state;

    while (got != SOURCE_END) {
        if (got == SOURCE_BROKEN)
            got = warc_source_recover(&reader->source);
        if (got == SOURCE_BOUNDARY) {
            got = warc_source_begin(&reader->source);
            buf_clear(&reader->fields);
        }
        reader->in_unit = got == SOURCE_BYTES;
        if (got == SOURCE_BYTES)
            got = find_magic(reader);
        if (got == SOURCE_FAILED)
            return WARC_FAILED;
        if (got == SOURCE_BYTES)
            break;
        reader->in_unit = false;
        if (got == SOURCE_CUT)
            break;
    }
    reader->is_lost = false;
    return got == SOURCE_BYTES ? WARC_RECORD : WARC_END;
}

/* --- its fields --------------------------------------------------------- */

/* Append a line, with its LF, to the fields. */
static enum warc_got read_line(struct warc_reader *reader)
{
    struct str bytes;

    for (;;) {
        enum source_got got = warc_source_peek(&reader->source, &bytes);
        if (got != SOURCE_BYTES)
            return no_bytes(reader, got);
        size_t len = str_find(bytes, '\n');
        bool is_whole = len < bytes.len;
        struct str part = str_first(bytes, len + is_whole);
        bool is_kept = buf_put(&reader->fields, part);
        warc_source_take(&reader->source, part.len);
        if (!is_kept)
            return broken(reader, "the fields of the record are too long");
        if (is_whole)
            return WARC_RECORD;
    }
}

/* Without its end. */
static struct str line_of(struct str bytes)
{
    struct str line = str_first(bytes, str_find(bytes, '\n'));

    if (line.len && line.ptr[line.len - 1] == '\r')
        line.len--;
    return line;
}

static bool is_version(struct str line)
{
    struct str number = str_skip(line, str_starts(line, STR(MAGIC)) ? 5 : 0);

    return number.len < line.len && number.len && ascii_is_digit(number.ptr[0]);
}

/* A line that begins with a blank goes on with the one before. */
static void unfold(struct buf *fields, size_t line_at)
{
    char first = fields->ptr[line_at];

    if (first != ' ' && first != '\t')
        return;
    for (size_t i = line_at; i > 0; i--) {
        char *c = &fields->ptr[i - 1];
        if (*c != '\r' && *c != '\n')
            return;
        *c = ' ';
    }
}

/* Up to the empty line, which is taken. */
static enum warc_got read_fields(struct warc_reader *reader,
                                 struct warc_record *record)
{
    struct buf *fields = &reader->fields;

    buf_clear(fields);
    if (reader->magic_taken)
        buf_put(fields, STR(MAGIC));
    reader->magic_taken = false;
    enum warc_got got = read_line(reader);
    if (got != WARC_RECORD)
        return got;
    size_t version_len = fields->len;
    if (!is_version(line_of(buf_str(fields))))
        return broken(reader, "no record begins here");
    for (;;) {
        size_t line_at = fields->len;
        got = read_line(reader);
        if (got != WARC_RECORD)
            return got;
        if (!line_of(str_skip(buf_str(fields), line_at)).len) {
            fields->len = line_at;
            break;
        }
        if (line_at > version_len)
            unfold(fields, line_at);
    }
    record->version = line_of(buf_str(fields));
    record->fields = str_skip(buf_str(fields), version_len);
    return WARC_RECORD;
}

struct str warc_field(const struct warc_record *record, struct str name)
{
    return head_find(record->fields, name);
}

static struct str without_brackets(struct str s)
{
    if (s.len >= 2 && s.ptr[0] == '<' && s.ptr[s.len - 1] == '>')
        return (struct str){s.ptr + 1, s.len - 2};
    return s;
}

static enum warc_type type_of(struct str name)
{
    static const struct str names[] = {
        [WARC_INFO] = STR_INIT("warcinfo"),
        [WARC_RESPONSE] = STR_INIT("response"),
        [WARC_REQUEST] = STR_INIT("request"),
        [WARC_REVISIT] = STR_INIT("revisit"),
        [WARC_RESOURCE] = STR_INIT("resource"),
        [WARC_METADATA] = STR_INIT("metadata"),
        [WARC_CONVERSION] = STR_INIT("conversion"),
        [WARC_CONTINUATION] = STR_INIT("continuation"),
    };

    for (size_t i = 0; i < ARRAY_LEN(names); i++)
        if (str_eq_nocase(name, names[i]))
            return (enum warc_type)i;
    return WARC_OTHER_TYPE;
}

static void set_fields(struct warc_record *record)
{
    const struct {
        struct str name;
        struct str *value;
    } wanted[] = {
        {STR("WARC-Record-ID"), &record->id},
        {STR("WARC-Target-URI"), &record->url},
        {STR("WARC-Date"), &record->date},
        {STR("Content-Type"), &record->content_type},
        {STR("WARC-Payload-Digest"), &record->payload_digest},
        {STR("WARC-Block-Digest"), &record->block_digest},
        {STR("WARC-Refers-To"), &record->refers_to_id},
        {STR("WARC-Refers-To-Target-URI"), &record->refers_to_url},
        {STR("WARC-Refers-To-Date"), &record->refers_to_date},
        {STR("WARC-Concurrent-To"), &record->concurrent_to},
        {STR("WARC-Truncated"), &record->truncated},
        {STR("WARC-Profile"), &record->profile},
    };

    for (size_t i = 0; i < ARRAY_LEN(wanted); i++)
        *wanted[i].value = without_brackets(warc_field(record, wanted[i].name));
    record->type = type_of(warc_field(record, STR("WARC-Type")));
}

/* --- its block and its end ---------------------------------------------- */

enum warc_got warc_block(struct warc_reader *reader, struct str *bytes)
{
    if (!reader->left)
        return WARC_END;
    enum source_got got = warc_source_peek(&reader->source, bytes);
    if (got != SOURCE_BYTES)
        return no_bytes(reader, got);
    if (bytes->len > reader->left)
        bytes->len = (size_t)reader->left;
    warc_source_take(&reader->source, bytes->len);
    reader->left -= bytes->len;
    return WARC_RECORD;
}

enum warc_got warc_keep_start(struct warc_reader *reader,
                              struct warc_record *record)
{
    struct buf *start = &reader->start;
    struct str bytes;

    while (reader->left && start->len < start->cap) {
        enum source_got got = warc_source_peek(&reader->source, &bytes);
        if (got != SOURCE_BYTES)
            return no_bytes(reader, got);
        bytes = str_first(bytes, start->cap - start->len);
        if (bytes.len > reader->left)
            bytes.len = (size_t)reader->left;
        buf_put(start, bytes);
        warc_source_take(&reader->source, bytes.len);
        reader->left -= bytes.len;
    }
    record->block = buf_str(start);
    return WARC_RECORD;
}

/* Then the two line ends after the block; in a gzip member all of them, to see
 * whether the member ends here. */
enum warc_got warc_end(struct warc_reader *reader, struct warc_record *record)
{
    struct warc_source *source = &reader->source;
    unsigned lines = 0;
    struct str bytes;
    enum source_got got = warc_source_skip(source, reader->left);

    if (got != SOURCE_BYTES)
        return no_bytes(reader, got);

    while ((got = warc_source_peek(source, &bytes)) == SOURCE_BYTES) {
        if (bytes.ptr[0] != '\r' && bytes.ptr[0] != '\n')
            break;
        if (bytes.ptr[0] == '\n')
            lines++;
        warc_source_take(source, 1);
        if (!source->is_packed && lines == 2)
            break;
    }
    if (got == SOURCE_FAILED)
        return WARC_FAILED;
    if (got == SOURCE_CUT || got == SOURCE_BROKEN)
        return no_bytes(reader, got);
    if (got == SOURCE_BOUNDARY)
        reader->in_unit = false;
    if (!source->is_packed || got == SOURCE_BOUNDARY)
        record->end = warc_source_place(source);
    if (record->end && record->within == 0)
        record->length = record->end - record->at;
    return WARC_RECORD;
}

enum warc_got warc_begin(struct warc_reader *reader, struct warc_record *record)
{
    enum warc_got got;

    *record = (struct warc_record){0};
    reader->problem = "";
    buf_clear(&reader->start);
    if (reader->is_lost && (got = find_way(reader)) != WARC_RECORD)
        return got;
    if ((got = find_start(reader, record)) != WARC_RECORD ||
        (got = read_fields(reader, record)) != WARC_RECORD)
        return got;
    set_fields(record);
    if (!str_to_u64(warc_field(record, STR("Content-Length")),
                    &record->block_len))
        return broken(reader, "the record has no Content-Length");
    reader->left = record->block_len;
    return WARC_RECORD;
}

enum warc_got warc_read(struct warc_reader *reader, struct warc_record *record)
{
    enum warc_got got = warc_begin(reader, record);

    if (got == WARC_RECORD)
        got = warc_keep_start(reader, record);
    return got == WARC_RECORD ? warc_end(reader, record) : got;
}
