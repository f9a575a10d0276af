#include "archive/kept_head.h"

#include "base/head.h"

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

/* Some servers send several CR. */
static struct str without_cr(struct str text)
{
    while (text.len && text.ptr[text.len - 1] == '\r')
        text.len--;
    return text;
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
    struct head_line more;
    bool fits = put_without_cr(out, line);

    while (fits && head_is_folded(*head)) {
        head_next(head, &more);
        fits =
            buf_put_char(out, ' ') && put_without_cr(out, str_trim(more.text));
    }
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
    struct head_field field = head_field(line_from(kept->out, start));
    struct str name = str_trim(field.name);

    if (str_eq_nocase(name, STR("transfer-encoding")))
        return rename_line(kept->out, start);
    if (str_eq_nocase(name, STR("content-length")))
        return keep_length(kept, start, field.value);
    if (str_eq_nocase(name, STR("content-encoding")))
        return keep_coding(kept, start, field.value);
    return true;
}

static bool put_status_line(struct kept_head *kept, struct str text)
{
    struct str_pair line = str_cut(text, ' ');
    struct str rest = str_trim_start(line.tail);
    struct str status = str_first(rest, 3);
    bool is_known = str_eq(line.head, STR("HTTP/1.0")) ||
                    str_eq(line.head, STR("HTTP/1.1"));

    kept->is_bodiless =
        str_eq(status, STR("204")) || str_eq(status, STR("304"));
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
    struct head_line line = {0};

    head_next(&head, &line);
    bool fits = put_status_line(&kept, without_cr(line.text));

    while (fits && head_next(&head, &line)) {
        /* A lone CR at its start must not become a blank: that would fold. */
        struct str text = str_trim_start(without_cr(line.text));
        size_t start = out->len;

        /* What seems to go on with the first line is passed over (RFC 9112,
         * 2.2). */
        if (head_is_folded(line.text))
            continue;
        if (!text.len)
            break;
        fits = put_logical_line(out, text, &head) &&
               keep_header(&kept, start) && buf_put(out, STR("\r\n"));
    }
    return fits && put_true_length(&kept) && buf_put(out, STR("\r\n"));
}
