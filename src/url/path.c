#include "url/path.h"

#include "base/utf8.h"

/* One dot, written as such or as "%2e"; 0 where there is none. */
static size_t dot_len(const char *at, const char *end)
{
    if (at < end && *at == '.')
        return 1;
    if (end - at >= 3 && at[0] == '%' && at[1] == '2' &&
        ascii_lower(at[2]) == 'e')
        return 3;
    return 0;
}

/* Whether the segment at `at` is "." or "..": the number of dots, and where
 * the segment ends. */
static int dot_segment(const char *at, const char *end, const char **after)
{
    int dots = 0;

    for (size_t len; dots < 3 && (len = dot_len(at, end)); at += len)
        dots++;
    *after = at;
    if (dots == 3 ||
        (at < end && !url_is_slash(*at) && *at != '?' && *at != '#'))
        return 0;
    return dots;
}

/* "/a/b/" -> "/a/"; "/" stays. */
static void remove_segment(struct out *out, const char *root)
{
    if (out->at - root == 1)
        return;
    do
        out->at--;
    while (out->at[-1] != '/');
}

/* Copy up to the end of a segment. */
static const char *put_segment(struct out *out, const char *at, const char *end)
{
    for (;;) {
        char *to = out->at;
        while (at < end && url_is_plain(*at, URL_PLAIN_PATH))
            *to++ = *at++;
        out->at = to;
        if (at == end || url_is_slash(*at) || *at == '?' || *at == '#')
            return at;
        at = out_escape(out, at, end);
    }
}

void path_put(struct out *out, const char *root, struct str *in)
{
    const char *at = in->ptr, *end = in->ptr + in->len;

    for (;;) {
        /* Here `out` ends with '/' and a segment begins. */
        int dots = 0;
        if (at < end && (*at == '.' || *at == '%')) {
            const char *after;
            dots = dot_segment(at, end, &after);
            if (dots)
                at = after;
            if (dots == 2)
                remove_segment(out, root);
        }
        if (!dots)
            at = put_segment(out, at, end);
        if (at == end || !url_is_slash(*at))
            break;
        if (!dots)
            out_char(out, '/');
        at++;
    }
    *in = str_between(at, end);
}

/* The query as the encoder wants it: all at once, for encodings with a state,
 * and valid. */
static bool encode_query(struct str query, struct buf *valid,
                         const struct url_query_encoder *encoder,
                         struct buf *encoded)
{
    const char *at = query.ptr, *end = query.ptr + query.len;

    while (at < end) {
        uint32_t c;
        at += utf8_read(at, end, &c);
        char *to = buf_reserve(valid, UTF8_LEN_MAX);
        if (!to)
            return false;
        valid->len += utf8_put(to, c);
    }
    return encoder->encode(encoder->ctx, buf_str(valid), encoded);
}

static void put_encoded_query(struct out *out, struct str query,
                              const struct url_query_encoder *encoder)
{
    struct buf valid, encoded;

    buf_init(&valid, UTF8_LEN_MAX * (URL_LEN_MAX + 1));
    buf_init(&encoded, UTF8_LEN_MAX * URL_LEN_MAX);
    if (!encode_query(query, &valid, encoder, &encoded))
        out->full = true;
    for (size_t i = 0; i < encoded.len && !out->full; i++) {
        char c = encoded.ptr[i];
        if (!url_is_plain(c, URL_PLAIN_QUERY))
            out_escape_byte(out, c);
        else if (out_has_room(out, 1, 0))
            out_char(out, c);
    }
    buf_release(&encoded);
    buf_release(&valid);
}

/* Printable ASCII is the same bytes in every encoding that a page can have;
 * not so the rest of ASCII: ISO-2022-JP has no escape character to encode. */
static bool needs_encoder(char c)
{
    return (unsigned char)c >= 0x7F || (unsigned char)c < 0x20;
}

void query_put(struct out *out, struct str *in,
               const struct url_query_encoder *encoder)
{
    const char *at = in->ptr, *end = in->ptr + str_find(*in, '#');

    out_char(out, '?');
    char *start = out->at;
    for (;;) {
        char *to = out->at;
        while (at < end && url_is_plain(*at, URL_PLAIN_QUERY))
            *to++ = *at++;
        out->at = to;
        if (at == end)
            break;
        if (encoder && needs_encoder(*at)) {
            out->at = start;
            put_encoded_query(out, str_between(in->ptr, end), encoder);
            break;
        }
        at = out_escape(out, at, end);
    }
    *in = str_skip(*in, (size_t)(end - in->ptr));
}
