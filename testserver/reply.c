#include "testserver/reply.h"

void reply_init(struct reply *reply)
{
    *reply = (struct reply){
        .status = 200,
        .type = STR("text/html"),
        .file_fd = -1,
        .cut_after = REPLY_WHOLE,
    };
}

// clang-format off
static const struct reason {
    unsigned status;
    struct str text;
} reasons[] = {
    {200, STR_INIT("OK")},
    {201, STR_INIT("Created")},
    {202, STR_INIT("Accepted")},
    {204, STR_INIT("No Content")},
    {206, STR_INIT("Partial Content")},
    {301, STR_INIT("Moved Permanently")},
    {302, STR_INIT("Found")},
    {303, STR_INIT("See Other")},
    {304, STR_INIT("Not Modified")},
    {307, STR_INIT("Temporary Redirect")},
    {308, STR_INIT("Permanent Redirect")},
    {400, STR_INIT("Bad Request")},
    {401, STR_INIT("Unauthorized")},
    {403, STR_INIT("Forbidden")},
    {404, STR_INIT("Not Found")},
    {405, STR_INIT("Method Not Allowed")},
    {410, STR_INIT("Gone")},
    {429, STR_INIT("Too Many Requests")},
    {431, STR_INIT("Request Header Fields Too Large")},
    {500, STR_INIT("Internal Server Error")},
    {502, STR_INIT("Bad Gateway")},
    {503, STR_INIT("Service Unavailable")},
    {504, STR_INIT("Gateway Timeout")},
};
// clang-format on

struct str reply_reason(unsigned status)
{
    for (size_t i = 0; i < ARRAY_LEN(reasons); i++)
        if (reasons[i].status == status)
            return reasons[i].text;
    return STR("Unknown");
}

void reply_set_error(struct reply *reply, unsigned status, struct buf *scratch)
{
    struct str reason = reply_reason(status);

    buf_clear(scratch);
    buf_printf(scratch,
               "<html>\n<title>%u %.*s</title>\n<p>%u %.*s</p>\n</html>\n",
               status, (int)reason.len, reason.ptr, status, (int)reason.len,
               reason.ptr);
    reply->status = status;
    reply_set_body(reply, buf_str(scratch));
}

void reply_set_redirect(struct reply *reply, unsigned status,
                        struct str location, struct buf *scratch)
{
    static const struct str page = STR_INIT("<html>\n<title>Moved</title>\n"
                                            "<p>Moved.</p>\n</html>\n");

    buf_clear(scratch);
    buf_put(scratch, STR("Location: "));
    buf_put(scratch, location);
    buf_put(scratch, STR("\r\n"));
    reply->status = status;
    reply->headers = buf_str(scratch);
    reply_set_body(reply, page);
}

static uint64_t part_len(const struct body_part *part)
{
    if (part->times == BODY_ENDLESS)
        return BODY_ENDLESS;
    return part->times * part->bytes.len;
}

uint64_t reply_body_len(const struct reply *reply)
{
    uint64_t len = reply->file_fd >= 0 ? reply->file_len : 0;

    if (!reply->parts)
        return len + part_len(&reply->one);
    for (size_t i = 0; i < reply->part_count; i++) {
        uint64_t more = part_len(&reply->parts[i]);
        if (more == BODY_ENDLESS)
            return BODY_ENDLESS;
        len += more;
    }
    return len;
}

static bool may_have_body(unsigned status)
{
    return status >= 200 && status != 204 && status != 304;
}

static void put_framing(const struct reply *reply, struct buf *out)
{
    uint64_t len = reply_body_len(reply);

    if (reply->framing == FRAMING_CHUNKED)
        buf_put(out, STR("Transfer-Encoding: chunked\r\n"));
    if (reply->framing != FRAMING_LENGTH || reply->has_length)
        return;
    if (len == BODY_ENDLESS || !may_have_body(reply->status))
        return;
    buf_put(out, STR("Content-Length: "));
    buf_put_number(out, len);
    buf_put(out, STR("\r\n"));
}

void reply_write_head(const struct reply *reply, struct buf *out)
{
    struct str reason =
        reply->reason.len ? reply->reason : reply_reason(reply->status);

    buf_put(out, reply->http_1_0 ? STR("HTTP/1.0 ") : STR("HTTP/1.1 "));
    buf_put_number(out, reply->status);
    buf_put_char(out, ' ');
    buf_put(out, reason);
    buf_put(out, STR("\r\n"));
    if (reply->type.len) {
        buf_put(out, STR("Content-Type: "));
        buf_put(out, reply->type);
        buf_put(out, STR("\r\n"));
    }
    buf_put(out, reply->headers);
    put_framing(reply, out);
    if (reply->close)
        buf_put(out, STR("Connection: close\r\n"));
    buf_put(out, STR("\r\n"));
}
