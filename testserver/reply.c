#include "testserver/reply.h"

void reply_init(struct reply *reply)
{
    *reply = (struct reply){.cut_after = REPLY_WHOLE};
    http_reply_init(&reply->http);
}

void reply_set_redirect(struct reply *reply, unsigned status,
                        struct str location, struct buf *scratch)
{
    static const struct str page = STR_INIT("<html>\n<title>Moved</title>\n"
                                            "<p>Moved.</p>\n</html>\n");

    buf_clear(scratch);
    http_put_header(scratch, STR("Location"), location);
    reply->http.status = status;
    reply->http.headers = buf_str(scratch);
    reply->http.body = page;
}

uint64_t reply_parts_len(const struct reply *reply)
{
    uint64_t len = 0;

    for (size_t i = 0; i < reply->part_count; i++) {
        const struct body_part *part = &reply->parts[i];

        if (part->times == BODY_ENDLESS)
            return BODY_ENDLESS;
        len += part->times * part->bytes.len;
    }
    return len;
}
