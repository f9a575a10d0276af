#include "archive/kept_head.h"

#define RENAMED "X-Crawler-"

/* A head while it is put together. */
struct kept_head {
    struct buf *out;
    uint64_t body_len;
    bool coding_undone;
    bool has_length;  /* the true one */
    bool is_bodiless; /* the status says that there is no body */
};

/* --- lines as they came -------------------------------------------------- */

static struct str next_line(struct str *head)
{
    struct str line = str_first(*head, str_find(*head, '\n'));
    bool has_end = line.len < head->len;

    *head = str_skip(*head, line.len + has_end);
    while (line.len && line.ptr[line.len - 1] == '\r')
        line.len--;
    return line;
}

static bool is_folded(struct str head)
{
    return head.len && (head.ptr[0] == ' ' || head.ptr[0] == '\t');
}

/* Readers differ in what they take a lone CR for. */
static bool put_without_cr(struct buf *out, struct str text)
{
    size_t start = out->len;

    if (!buf_put(out, text))
        return false;
    while (start < out->len) {
        start +=
            str_find(str_between(out->ptr + start, out->ptr + out->len), '\r');
        if (start < out->len)
            out->ptr[start] = ' ';
    }
    return true;
}

/* Append a line and those that go on with it, without an end. */
static bool put_logical_line(struct buf *out, struct str line, struct str *head)
{
    bool fits = put_without_cr(out, line);

    while (fits && is_folded(*head))
        fits = buf_put_char(out, ' ') &&
               put_without_cr(out, str_trim(next_line(head)));
    return fits;
}

/* --- lines as they are kept ----------------------------------------------- */

static struct str line_from(const struct buf *out, size_t start)
{
    return str_skip(buf_str(out), start);
}

/* Put RENAMED before the line that begins there. */
static bool rename_line(struct buf *out, size_t start)
{
    struct str prefix = STR(RENAMED);

    if (!buf_reserve(out, prefix.len))
        return false;
    memmove(out->ptr + start + prefix.len, out->ptr + start, out->len - start);
    memcpy(out->ptr + start, prefix.ptr, prefix.len);
    out->len += prefix.len;
    return true;
}

static bool replace_line(struct buf *out, size_t start, struct str line)
{
    out->len = start;
    return buf_put(out, line);
}

static bool keep_length(struct kept_head *kept, size_t start, struct str value)
{
    uint64_t length;

    if (!kept->has_length && str_to_u64(value, &length) &&
        length == kept->body_len) {
        kept->has_length = true;
        return true;
    }
    kept->is_bodiless = false;
    return rename_line(kept->out, start);
}

static bool keep_coding(struct kept_head *kept, size_t start, struct str value)
{
    if (kept->coding_undone || !value.len ||
        str_eq_nocase(value, STR("identity")) ||
        str_eq_nocase(value, STR("none")))
        return rename_line(kept->out, start);
    if (str_eq_nocase(value, STR("gzip")) ||
        str_eq_nocase(value, STR("x-gzip")))
        return replace_line(kept->out, start, STR("Content-Encoding: gzip"));
    if (str_eq_nocase(value, STR("br")))
        return replace_line(kept->out, start, STR("Content-Encoding: br"));
    return true;
}

static bool keep_header(struct kept_head *kept, size_t start)
{
    struct str_pair header = str_cut(line_from(kept->out, start), ':');
    struct str name = str_trim(header.head), value = str_trim(header.tail);

    if (str_eq_nocase(name, STR("transfer-encoding")))
        return rename_line(kept->out, start);
    if (str_eq_nocase(name, STR("content-length")))
        return keep_length(kept, start, value);
    if (str_eq_nocase(name, STR("content-encoding")))
        return keep_coding(kept, start, value);
    return true;
}

static bool put_status_line(struct kept_head *kept, struct str *head)
{
    struct str_pair line = str_cut(next_line(head), ' ');
    struct str rest = str_trim_start(line.tail);
    struct str status = str_first(rest, 3);
    bool is_known = str_eq(line.head, STR("HTTP/1.0")) ||
                    str_eq(line.head, STR("HTTP/1.1"));

    kept->is_bodiless =
        str_eq(status, STR("204")) || str_eq(status, STR("304"));
    /* What seems to go on with it is passed over (RFC 9112, 2.2). */
    while (is_folded(*head))
        next_line(head);
    return buf_put(kept->out, is_known ? line.head : STR("HTTP/1.1")) &&
           buf_put_char(kept->out, ' ') && put_without_cr(kept->out, rest) &&
           (str_find(rest, ' ') < rest.len || buf_put_char(kept->out, ' ')) &&
           buf_put(kept->out, STR("\r\n"));
}

static bool put_true_length(struct kept_head *kept)
{
    if (kept->has_length || (kept->is_bodiless && !kept->body_len))
        return true;
    return buf_put(kept->out, STR("Content-Length: ")) &&
           buf_put_number(kept->out, kept->body_len) &&
           buf_put(kept->out, STR("\r\n"));
}

bool kept_head_put(struct buf *out, struct str head, uint64_t body_len,
                   bool coding_undone)
{
    struct kept_head kept = {
        .out = out,
        .body_len = body_len,
        .coding_undone = coding_undone,
    };
    bool fits = put_status_line(&kept, &head);

    while (fits && head.len) {
        /* A lone CR at its start must not become a blank: that would fold. */
        struct str line = str_trim_start(next_line(&head));
        size_t start = out->len;

        if (!line.len)
            break;
        fits = put_logical_line(out, line, &head) &&
               keep_header(&kept, start) && buf_put(out, STR("\r\n"));
    }
    return fits && put_true_length(&kept) && buf_put(out, STR("\r\n"));
}
