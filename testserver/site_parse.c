/* The parser of site files: entries that begin in column one, and indented
 * properties, each a word of the table below and its value. */
#include <errno.h>
#include <limits.h>
#include <stdarg.h>
#include <stdio.h>

#include "base/hashtable.h"
#include "base/io.h"
#include "base/mem.h"
#include "base/words.h"
#include "testserver/body.h"
#include "testserver/encode.h"
#include "testserver/files.h"
#include "testserver/site.h"

enum { MAX_HEADERS = 16 * 1024 * 1024, MAX_CHUNK = 64 * 1024 };

struct parser {
    struct site *site;
    const char *dir;
    struct str rest; /* of the file */
    unsigned line;
    char *problem;

    struct site_entry *entry; /* that is being read; NULL before the first */
    struct site_entry *last;  /* finished */
    struct body body;
    struct buf headers;
    struct str encoding;
    bool has_status, has_type;
};

static bool complain(struct parser *parser, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

static bool complain(struct parser *parser, const char *format, ...)
{
    int len =
        snprintf(parser->problem, SITE_PROBLEM, "line %u: ", parser->line);
    va_list args;

    va_start(args, format);
    vsnprintf(parser->problem + len, SITE_PROBLEM - (size_t)len, format, args);
    va_end(args);
    return false;
}

/* --- words ------------------------------------------------------------- */

/* The first word; `text` moves to what follows the blanks after it. */
static struct str take_word(struct str *text)
{
    size_t len = 0;

    while (len < text->len && !ascii_is_space(text->ptr[len]))
        len++;
    struct str word = {text->ptr, len};
    *text = str_skip(*text, len);
    while (text->len && ascii_is_space(text->ptr[0]))
        *text = str_skip(*text, 1);
    return word;
}

static struct str take_line(struct parser *parser)
{
    size_t len = str_find(parser->rest, '\n');
    struct str line = {parser->rest.ptr, len};

    parser->rest =
        str_skip(parser->rest, len < parser->rest.len ? len + 1 : len);
    parser->line++;
    return line;
}

static bool take_number(struct parser *parser, struct str *text, uint64_t *out)
{
    struct str word = take_word(text);

    if (str_to_u64(word, out))
        return true;
    return complain(parser, "'%.*s' is not a number", (int)word.len, word.ptr);
}

static bool take_duration(struct parser *parser, struct str *text, uint64_t *us)
{
    struct str word = take_word(text);

    if (!value_duration_ms(word, us) || *us > UINT32_MAX)
        return complain(parser, "'%.*s' is not a time like 200ms or 3s",
                        (int)word.len, word.ptr);
    *us *= 1000;
    return true;
}

static const char escapes[] = "escapes are \\r \\n \\t \\0 \\\\ \\xHH";
static const char too_large[] = "the body is too large; see repeat and endless";

/* --- the body ---------------------------------------------------------- */

static bool put_text(struct parser *parser, struct str text)
{
    return buf_put(&parser->body.text, text) ||
           complain(parser, "%s", too_large);
}

static bool put_escaped(struct parser *parser, struct str text)
{
    return body_unescape(text, &parser->body.text) ||
           complain(parser, "%s", escapes);
}

static bool put_repeated(struct parser *parser, struct str value,
                         uint64_t times)
{
    struct buf text;
    bool good = true;

    buf_init(&text, BODY_MAX);
    if (!body_unescape(value, &text))
        good = complain(parser, "%s", escapes);
    else if (!text.len)
        good = complain(parser, "a text is missing");
    else if (!body_repeat(&parser->body, buf_str(&text), times))
        good = complain(parser, "%s", too_large);
    buf_release(&text);
    return good;
}

/* "<<END": all lines up to END, as they are. */
static bool put_lines(struct parser *parser, struct str end)
{
    while (parser->rest.len) {
        struct str line = take_line(parser);

        if (str_eq(str_trim(line), end))
            return true;
        if (!put_text(parser, line) || !put_text(parser, STR("\n")))
            return false;
    }
    return complain(parser, "the end of the body, %.*s, is missing",
                    (int)end.len, end.ptr);
}

static bool body(struct parser *parser, struct str value)
{
    if (str_starts(value, STR("<<")) && value.len > 2)
        return put_lines(parser, str_skip(value, 2));
    return put_text(parser, value) && put_text(parser, STR("\n"));
}

static bool bytes(struct parser *parser, struct str value)
{
    return put_escaped(parser, value);
}

static bool raw(struct parser *parser, struct str value)
{
    parser->entry->reply.http.framing = HTTP_RAW;
    return put_escaped(parser, value);
}

static bool file(struct parser *parser, struct str value)
{
    char path[PATH_MAX];
    bool absolute = str_starts(value, STR("/"));

    snprintf(path, sizeof(path), "%s%s%.*s", absolute ? "" : parser->dir,
             absolute ? "" : "/", (int)value.len, value.ptr);
    if (!io_read_file(path, &parser->body.text))
        return complain(parser, "%s: %s", path, strerror(errno));
    if (!parser->has_type)
        parser->entry->reply.http.type = files_type(value);
    return true;
}

static bool repeat_property(struct parser *parser, struct str value)
{
    uint64_t times = 0;

    return take_number(parser, &value, &times) &&
           put_repeated(parser, value, times);
}

static bool endless(struct parser *parser, struct str value)
{
    return put_repeated(parser, value, BODY_ENDLESS);
}

/* "3 p%d.html": links to p1.html, p2.html, p3.html, one a line. */
static bool links(struct parser *parser, struct str value)
{
    uint64_t count = 0;

    if (!take_number(parser, &value, &count))
        return false;
    if (!value.len)
        return complain(parser, "links need a number and a pattern");
    return body_links(&parser->body, value, count) ||
           complain(parser, "%s", too_large);
}

/* --- the head ---------------------------------------------------------- */

static bool status(struct parser *parser, struct str value)
{
    uint64_t number = 0;

    if (!take_number(parser, &value, &number))
        return false;
    if (number > 999)
        return complain(parser, "a status has three digits");
    parser->entry->reply.http.status = (unsigned)number;
    if (value.len)
        parser->entry->reply.http.reason =
            arena_copy(&parser->site->arena, value);
    parser->has_status = true;
    return true;
}

static bool type(struct parser *parser, struct str value)
{
    parser->entry->reply.http.type = arena_copy(&parser->site->arena, value);
    parser->has_type = true;
    return true;
}

static bool header(struct parser *parser, struct str value)
{
    if (str_starts_nocase(value, STR("Content-Length:")) ||
        str_starts_nocase(value, STR("Transfer-Encoding:")))
        parser->entry->reply.http.has_length = true;
    if (!buf_put(&parser->headers, value) ||
        !buf_put(&parser->headers, STR("\r\n")))
        return complain(parser, "too many headers");
    return true;
}

static bool redirect(struct parser *parser, struct str value)
{
    if (!parser->has_status)
        parser->entry->reply.http.status = 302;
    buf_put(&parser->headers, STR("Location: "));
    return header(parser, value);
}

static bool encode_property(struct parser *parser, struct str value)
{
    if (!encode_knows(value))
        return complain(parser, "codings are gzip, deflate and deflate-raw");
    parser->encoding = value;
    return true;
}

/* --- faults and conditions --------------------------------------------- */

static bool delay(struct parser *parser, struct str value)
{
    return take_duration(parser, &value, &parser->entry->reply.delay_us);
}

static bool drip(struct parser *parser, struct str value)
{
    struct reply *reply = &parser->entry->reply;

    if (!take_number(parser, &value, &reply->drip_bytes) ||
        !take_duration(parser, &value, &reply->drip_us))
        return false;
    if (!reply->drip_bytes || !reply->drip_us)
        return complain(parser, "a drip has bytes and a pause above zero");
    return true;
}

static bool cut(struct parser *parser, struct str value)
{
    return take_number(parser, &value, &parser->entry->reply.cut_after);
}

static bool reset(struct parser *parser, struct str value)
{
    parser->entry->reply.reset = true;
    return cut(parser, value);
}

static bool chunked(struct parser *parser, struct str value)
{
    uint64_t size = 4096;

    if (value.len && !take_number(parser, &value, &size))
        return false;
    if (!size || size > MAX_CHUNK)
        return complain(parser, "a chunk has 1 to %d bytes", MAX_CHUNK);
    parser->entry->reply.http.framing = HTTP_CHUNKED;
    parser->entry->reply.chunk_size = (uint32_t)size;
    return true;
}

static bool until_close(struct parser *parser, struct str value)
{
    (void)value;
    parser->entry->reply.http.framing = HTTP_UNTIL_CLOSE;
    return true;
}

static bool close_property(struct parser *parser, struct str value)
{
    (void)value;
    parser->entry->reply.http.close = true;
    return true;
}

static bool http(struct parser *parser, struct str value)
{
    parser->entry->reply.http.http_1_0 = str_eq(value, STR("1.0"));
    if (!parser->entry->reply.http.http_1_0 && !str_eq(value, STR("1.1")))
        return complain(parser, "http is 1.0 or 1.1");
    return true;
}

static bool times(struct parser *parser, struct str value)
{
    return take_number(parser, &value, &parser->entry->times_left);
}

static bool when(struct parser *parser, struct str value)
{
    struct str_pair parts = str_cut(value, ':');

    parser->entry->when_name =
        arena_copy(&parser->site->arena, str_trim(parts.head));
    parser->entry->when_text =
        arena_copy(&parser->site->arena, str_trim(parts.tail));
    return true;
}

/* --- how a fetch of it must end ---------------------------------------- */

/* "KIND OUTCOME [URL]"; without a URL it is the entry's own. */
static bool found(struct parser *parser, struct str value)
{
    struct arena *arena = &parser->site->arena;
    struct site_entry *entry = parser->entry;
    uint64_t kind = 0;
    struct buf url;

    if (!take_number(parser, &value, &kind))
        return false;
    struct str outcome = take_word(&value);
    if (!outcome.len || (!value.len && (!entry->host.len || entry->is_prefix)))
        return complain(parser, "a kind, an outcome and a URL are expected");
    buf_init(&url, BODY_MAX);
    buf_put(&url, STR("http://"));
    buf_put(&url, entry->host);
    buf_put(&url, entry->path);
    entry->expectation = (struct site_expectation){
        .kind = (uint32_t)kind,
        .outcome = arena_copy(arena, outcome),
        .url = arena_copy(arena, value.len ? value : buf_str(&url)),
    };
    buf_release(&url);
    return true;
}

static bool expect(struct parser *parser, struct str value)
{
    bool good = found(parser, value);

    parser->entry->expectation.is_linked = good;
    return good;
}

enum value { NO_VALUE, MAY_HAVE_VALUE, NEEDS_VALUE };

// clang-format off
static const struct property {
    struct str name;
    bool (*set)(struct parser *parser, struct str value);
    enum value value;
} properties[] = {
    {STR_INIT("status"),      status,          NEEDS_VALUE},
    {STR_INIT("type"),        type,            MAY_HAVE_VALUE},
    {STR_INIT("header"),      header,          NEEDS_VALUE},
    {STR_INIT("redirect"),    redirect,        NEEDS_VALUE},
    {STR_INIT("body"),        body,            MAY_HAVE_VALUE},
    {STR_INIT("bytes"),       bytes,           NEEDS_VALUE},
    {STR_INIT("raw"),         raw,             MAY_HAVE_VALUE},
    {STR_INIT("file"),        file,            NEEDS_VALUE},
    {STR_INIT("repeat"),      repeat_property, NEEDS_VALUE},
    {STR_INIT("endless"),     endless,         NEEDS_VALUE},
    {STR_INIT("links"),       links,           NEEDS_VALUE},
    {STR_INIT("encode"),      encode_property, NEEDS_VALUE},
    {STR_INIT("delay"),       delay,           NEEDS_VALUE},
    {STR_INIT("drip"),        drip,            NEEDS_VALUE},
    {STR_INIT("cut"),         cut,             NEEDS_VALUE},
    {STR_INIT("reset"),       reset,           NEEDS_VALUE},
    {STR_INIT("chunked"),     chunked,         MAY_HAVE_VALUE},
    {STR_INIT("until-close"), until_close,     NO_VALUE},
    {STR_INIT("close"),       close_property,  NO_VALUE},
    {STR_INIT("http"),        http,            NEEDS_VALUE},
    {STR_INIT("times"),       times,           NEEDS_VALUE},
    {STR_INIT("when"),        when,            NEEDS_VALUE},
    {STR_INIT("expect"),      expect,          NEEDS_VALUE},
    {STR_INIT("found"),       found,           NEEDS_VALUE},
};
// clang-format on

static bool read_property(struct parser *parser, struct str line)
{
    struct str value = str_trim(line);
    struct str name = take_word(&value);

    if (!parser->entry)
        return complain(parser, "a property before the first path");
    for (size_t i = 0; i < ARRAY_LEN(properties); i++) {
        const struct property *property = &properties[i];

        if (!str_eq(property->name, name))
            continue;
        if (property->value == NEEDS_VALUE && !value.len)
            return complain(parser, "%s needs a value", property->name.ptr);
        if (property->value == NO_VALUE && value.len)
            return complain(parser, "%s has no value", property->name.ptr);
        return property->set(parser, value);
    }
    return complain(parser, "'%.*s' is not a property", (int)name.len,
                    name.ptr);
}

/* --- entries ----------------------------------------------------------- */

static bool encode_body(struct parser *parser)
{
    struct str name = parser->encoding;

    if (str_starts(name, STR("deflate-raw")))
        name = STR("deflate"); /* servers that send it call it so */
    if (!body_encode(&parser->body, parser->encoding))
        return complain(parser, "%s", too_large);
    buf_put(&parser->headers, STR("Content-Encoding: "));
    return header(parser, name);
}

static void index_entry(struct site *site, struct site_entry *entry)
{
    struct site_entry *alike;

    if (entry->is_prefix) {
        alike = site->prefixes;
        if (!alike)
            site->prefixes = entry;
    } else {
        uint64_t key = hash64(entry->path, 0);

        alike = hashtable_get(&site->by_path, key);
        if (!alike)
            hashtable_put(&site->by_path, key, entry);
    }
    while (alike && alike->next_alike)
        alike = alike->next_alike;
    if (alike)
        alike->next_alike = entry;
}

static bool end_entry(struct parser *parser)
{
    struct site_entry *entry = parser->entry;
    struct arena *arena = &parser->site->arena;

    if (!entry)
        return true;
    if (parser->encoding.len && !encode_body(parser))
        return false;

    entry->reply.http.headers = arena_copy(arena, buf_str(&parser->headers));
    entry->reply.parts = body_finish(&parser->body, &entry->reply.part_count);

    if (parser->last)
        parser->last->next = entry;
    else
        parser->site->first = entry;
    entry->order = parser->last ? parser->last->order + 1 : 0;
    parser->last = entry;
    index_entry(parser->site, entry);
    return true;
}

/* "[METHOD] [//HOST]/PATH [STATUS [REASON]]" */
static bool start_entry(struct parser *parser, struct str line)
{
    struct arena *arena = &parser->site->arena;
    struct site_entry *entry;

    if (!end_entry(parser))
        return false;
    parser->entry = entry = arena_new(arena, sizeof(*entry));
    parser->has_status = parser->has_type = false;
    parser->encoding = (struct str){0};
    body_clear(&parser->body);
    buf_clear(&parser->headers);
    reply_init(&entry->reply);
    entry->times_left = UINT64_MAX;

    struct str where = take_word(&line);
    if (where.ptr[0] != '/') {
        entry->method = arena_copy(arena, where);
        where = take_word(&line);
    }
    if (str_starts(where, STR("//"))) {
        where = str_skip(where, 2);
        size_t len = str_find(where, '/');
        entry->host = arena_copy(arena, str_first(where, len));
        where = str_skip(where, len);
    }
    if (!where.len || where.ptr[0] != '/')
        return complain(parser, "an entry is [METHOD] [//HOST]/PATH [STATUS]");
    entry->is_prefix = str_ends(where, STR("*"));
    where.len -= entry->is_prefix;
    entry->path = arena_copy(arena, where);
    return !line.len || status(parser, str_trim(line));
}

static bool read_line(struct parser *parser, struct str line)
{
    struct str text = str_trim(line);

    if (!text.len || text.ptr[0] == '#')
        return true;
    if (ascii_is_space(line.ptr[0]))
        return read_property(parser, line);
    return start_entry(parser, text);
}

struct site *site_parse(struct str text, const char *dir,
                        char problem[SITE_PROBLEM])
{
    struct site *site = NEW(struct site);
    struct parser parser = {
        .site = site, .dir = dir, .rest = text, .problem = problem};
    bool good = true;

    arena_init(&site->arena);
    hashtable_init(&site->by_path);
    body_init(&parser.body, &site->arena);
    buf_init(&parser.headers, MAX_HEADERS);
    while (good && parser.rest.len)
        good = read_line(&parser, take_line(&parser));
    good = good && end_entry(&parser);
    body_release(&parser.body);
    buf_release(&parser.headers);
    if (good)
        return site;
    site_free(site);
    return NULL;
}
