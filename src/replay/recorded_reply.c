#include "replay/recorded_reply.h"

#include "base/date.h"
#include "base/head.h"

enum { NAMES_MAX = 32 };

/* The headers that a Connection header names belong to the connection too. */
struct connection_names {
    struct str name[NAMES_MAX];
    size_t count;
};

/* RFC 9110, 7.6.1, and what we say ourselves. Then headers that tell a browser
 * something to remember of the site, also of the real one: to ask it by https
 * alone, to forget what it stored, to go elsewhere, to report or to send more.
 * None is needed to show a page. */
static bool is_dropped_always(struct str name)
{
    static const struct str dropped[] = {
        STR_INIT("Connection"),
        STR_INIT("Keep-Alive"),
        STR_INIT("Proxy-Connection"),
        STR_INIT("Proxy-Authenticate"),
        STR_INIT("Proxy-Authentication-Info"),
        STR_INIT("TE"),
        STR_INIT("Trailer"),
        STR_INIT("Transfer-Encoding"),
        STR_INIT("Upgrade"),
        STR_INIT("Memento-Datetime"),
        STR_INIT("Strict-Transport-Security"),
        STR_INIT("Public-Key-Pins"),
        STR_INIT("Expect-CT"),
        STR_INIT("Clear-Site-Data"),
        STR_INIT("Alt-Svc"),
        STR_INIT("NEL"),
        STR_INIT("Report-To"),
        STR_INIT("Reporting-Endpoints"),
        STR_INIT("Accept-CH"),
        STR_INIT("Service-Worker-Allowed"),
        STR_INIT("Set-Cookie"),
        STR_INIT("Set-Cookie2"),
    };

    for (size_t i = 0; i < ARRAY_LEN(dropped); i++)
        if (str_eq_nocase(name, dropped[i]))
            return true;
    return false;
}

static bool is_dropped(struct str name, const struct connection_names *names)
{
    for (size_t i = 0; i < names->count; i++)
        if (str_eq_nocase(name, names->name[i]))
            return true;
    return is_dropped_always(name);
}

static void find_names(struct str head, struct connection_names *names)
{
    struct head_line line;

    names->count = 0;
    while (head_next(&head, &line)) {
        struct head_field field = head_field(line.text);
        if (str_eq_nocase(str_trim(field.name), STR("Connection")))
            while (field.value.len && names->count < NAMES_MAX)
                names->name[names->count++] = head_take_item(&field.value);
    }
}

static bool is_name(struct str name)
{
    for (size_t i = 0; i < name.len; i++)
        if (name.ptr[i] <= ' ' || name.ptr[i] >= 0x7f)
            return false;
    return name.len > 0;
}

/* --- the lines ----------------------------------------------------------- */

/* The lines as far as they are written. */
struct writer {
    struct buf *lines;
    struct connection_names names;
    uint64_t body_len; /* or CAPTURED_LEN_UNKNOWN */
    bool has_length;
    bool is_open; /* the last line may go on */
    bool fits;
};

static void put(struct writer *writer, struct str text)
{
    writer->fits = writer->fits && buf_put(writer->lines, text);
}

static void end_line(struct writer *writer)
{
    if (writer->is_open)
        put(writer, STR("\r\n"));
    writer->is_open = false;
}

static void put_length(struct writer *writer)
{
    if (writer->has_length || writer->body_len == CAPTURED_LEN_UNKNOWN)
        return;
    writer->has_length = true;
    put(writer, STR("Content-Length: "));
    writer->fits =
        writer->fits && buf_put_number(writer->lines, writer->body_len);
    put(writer, STR("\r\n"));
}

static void put_header(struct writer *writer, struct str line)
{
    struct head_field field = head_field(line);
    struct str name = str_trim(field.name);

    if (!field.value.ptr || !is_name(name) ||
        !str_is_clean(str_skip(line, field.name.len)) ||
        is_dropped(name, &writer->names))
        return;
    if (str_eq_nocase(name, STR("Content-Length"))) {
        put_length(writer);
        return;
    }
    put(writer, name);
    put(writer, STR(": "));
    put(writer, field.value);
    writer->is_open = true;
}

/* Folded lines become one, as a client of today reads them. */
static void put_lines(struct writer *writer, struct str head)
{
    struct head_line line;

    while (head_next(&head, &line) && line.text.len) {
        if (!head_is_folded(line.text)) {
            end_line(writer);
            put_header(writer, line.text);
        } else if (writer->is_open && str_is_clean(line.text)) {
            put(writer, STR(" "));
            put(writer, str_trim(line.text));
        }
    }
    end_line(writer);
}

static bool fits_in_link(struct str url)
{
    for (size_t i = 0; i < url.len; i++)
        if (url.ptr[i] <= ' ' || url.ptr[i] >= 0x7f || url.ptr[i] == '<' ||
            url.ptr[i] == '>')
            return false;
    return url.len > 0;
}

static void put_memento(struct writer *writer, const struct captured *captured)
{
    if (captured->date_ms) {
        put(writer, STR("Memento-Datetime: "));
        put(writer, str_of(date_http(captured->date_ms).text));
        put(writer, STR("\r\n"));
    }
    if (!fits_in_link(captured->url))
        return;
    put(writer, STR("Link: <"));
    put(writer, captured->url);
    put(writer, STR(">; rel=\"original\"\r\n"));
}

/* --- the reply ----------------------------------------------------------- */

static struct str reason_in(struct str status_line)
{
    struct str after = str_cut(status_line, ' ').tail;
    struct str reason = str_trim(str_cut(str_trim_start(after), ' ').tail);

    return reason.len && str_is_clean(reason) ? reason : STR("");
}

bool recorded_reply_fill(struct http_reply *reply, struct buf *lines,
                         const struct captured *captured)
{
    const struct warc_http *http = &captured->http;
    struct writer writer = {
        .lines = lines, .body_len = captured->body.len, .fits = true};
    struct str rest = http->head;
    struct head_line first;
    size_t start = lines->len;

    if (http->status < 200 || http->status > 999 || !head_next(&rest, &first))
        return false;
    find_names(rest, &writer.names);
    put_lines(&writer, rest);
    if (http->status != 204 && http->status != 304)
        put_length(&writer);
    put_memento(&writer, captured);
    reply->status = (unsigned)http->status;
    reply->reason = reason_in(first.text);
    reply->type = STR("");
    /* A client of HTTP/1.0 gets it until the connection ends. */
    if (captured->body.len == CAPTURED_LEN_UNKNOWN)
        reply->framing = HTTP_CHUNKED;
    else
        reply->has_length = true;
    reply->headers = str_skip(buf_str(lines), start);
    return writer.fits;
}
