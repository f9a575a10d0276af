#include "http/reply.h"

#include "base/head.h"

void http_reply_init(struct http_reply *reply)
{
    *reply = (struct http_reply){
        .status = 200,
        .type = STR("text/html"),
        .file_fd = -1,
    };
}

static struct str reason_of(unsigned status)
{
    const char *phrase = http_status_phrase((int)status);

    return phrase ? str_of(phrase) : STR("Unknown");
}

void http_reply_set_error(struct http_reply *reply, unsigned status,
                          struct buf *scratch)
{
    struct str reason = reason_of(status);

    buf_clear(scratch);
    buf_printf(scratch,
               "<html>\n<title>%u %.*s</title>\n<p>%u %.*s</p>\n</html>\n",
               status, (int)reason.len, reason.ptr, status, (int)reason.len,
               reason.ptr);
    reply->status = status;
    reply->body = buf_str(scratch);
}

static bool has_control(struct str text)
{
    for (size_t i = 0; i < text.len; i++)
        if ((unsigned char)text.ptr[i] < 0x20 || text.ptr[i] == 0x7f)
            return true;
    return false;
}

bool http_put_header(struct buf *out, struct str name, struct str value)
{
    size_t before = out->len;

    if (has_control(name) || has_control(value))
        return false;
    if (buf_put(out, name) && buf_put(out, STR(": ")) && buf_put(out, value) &&
        buf_put(out, STR("\r\n")))
        return true;
    out->len = before;
    return false;
}

uint64_t http_reply_body_len(const struct http_reply *reply)
{
    if (reply->stream.pull)
        return reply->stream.len;
    return reply->body.len + (reply->file_fd >= 0 ? reply->file_len : 0);
}

static bool may_have_body(unsigned status)
{
    return status >= 200 && status != 204 && status != 304;
}

static bool put_framing(const struct http_reply *reply, struct buf *out)
{
    uint64_t len = http_reply_body_len(reply);

    if (reply->framing == HTTP_CHUNKED)
        return buf_put(out, STR("Transfer-Encoding: chunked\r\n"));
    if (reply->framing != HTTP_BY_LENGTH || reply->has_length)
        return true;
    if (len == HTTP_LEN_UNKNOWN || !may_have_body(reply->status) ||
        reply->opens_tunnel)
        return true;
    return buf_put(out, STR("Content-Length: ")) && buf_put_number(out, len) &&
           buf_put(out, STR("\r\n"));
}

bool http_reply_write_head(const struct http_reply *reply, struct buf *out)
{
    struct str reason =
        reply->reason.ptr ? reply->reason : reason_of(reply->status);
    struct str version = reply->http_1_0 ? STR("HTTP/1.0 ") : STR("HTTP/1.1 ");

    return buf_put(out, version) && buf_put_number(out, reply->status) &&
           buf_put_char(out, ' ') && buf_put(out, reason) &&
           buf_put(out, STR("\r\n")) &&
           (!reply->type.len ||
            (buf_put(out, STR("Content-Type: ")) && buf_put(out, reply->type) &&
             buf_put(out, STR("\r\n")))) &&
           buf_put(out, reply->headers) && put_framing(reply, out) &&
           (!reply->close || buf_put(out, STR("Connection: close\r\n"))) &&
           buf_put(out, STR("\r\n"));
}
