#include "url/authority.h"

#include "url/host.h"

enum { PORT_MAX = 65535 };

static bool ends_authority(char c)
{
    return url_is_slash(c) || c == '?' || c == '#';
}

static uint16_t default_port(const struct url *url)
{
    return url->https ? 443 : 80;
}

/* What follows ':'. An empty port is no port. */
static enum err read_port(struct url *url, struct str digits)
{
    unsigned port = 0;

    for (size_t i = 0; i < digits.len; i++) {
        if (!ascii_is_digit(digits.ptr[i]))
            return ERR_URL_PORT;
        port = port * 10 + (unsigned)(digits.ptr[i] - '0');
        if (port > PORT_MAX)
            return ERR_URL_PORT;
    }
    if (!digits.len)
        return ERR_NONE;
    url->port = (uint16_t)port;
    url->default_port_written = port == default_port(url);
    return ERR_NONE;
}

static void put_port(const struct url *url, struct out *out)
{
    char digits[5];
    size_t len = 0;

    if (url->port == default_port(url))
        return;
    unsigned port = url->port;
    do
        digits[len++] = (char)('0' + port % 10);
    while (port /= 10);
    out_char(out, ':');
    while (len)
        out_char(out, digits[--len]);
}

static void put_userinfo_part(struct out *out, struct str part)
{
    const char *at = part.ptr, *end = part.ptr + part.len;

    while (at < end && out_has_room(out, 1, 0)) {
        if (url_is_plain(*at, URL_PLAIN_USERINFO))
            out_char(out, *at++);
        else
            at = out_escape(out, at, end);
    }
}

/* Nothing is written where both parts are empty: "http://:@host". */
static void put_userinfo(struct out *out, struct str userinfo)
{
    struct str_pair parts = str_cut(userinfo, ':');

    put_userinfo_part(out, parts.head);
    if (parts.tail.len && out_has_room(out, 1, 0)) {
        out_char(out, ':');
        put_userinfo_part(out, parts.tail);
    }
    if ((parts.head.len || parts.tail.len) && out_has_room(out, 1, 0))
        out_char(out, '@');
}

/* The ':' before the port, not one between brackets; or the length. */
static size_t find_port(struct str text)
{
    bool in_brackets = false;

    for (size_t i = 0; i < text.len; i++) {
        if (text.ptr[i] == '[')
            in_brackets = true;
        else if (text.ptr[i] == ']')
            in_brackets = false;
        else if (text.ptr[i] == ':' && !in_brackets)
            return i;
    }
    return text.len;
}

static enum err put_any(struct url *url, struct out *out, const char *start,
                        struct str text)
{
    const char *at_sign = text.len ? memrchr(text.ptr, '@', text.len) : NULL;

    if (at_sign) {
        put_userinfo(out, str_between(text.ptr, at_sign));
        text = str_skip(text, (size_t)(at_sign + 1 - text.ptr));
    }
    url->host_start = (uint16_t)(out->at - start);

    size_t host_len = find_port(text);
    if (!host_len)
        return ERR_URL_HOST;
    enum err err = host_put(out, str_first(text, host_len));
    if (err)
        return err;
    url->host_end = (uint16_t)(out->at - start);
    return host_len == text.len ? ERR_NONE
                                : read_port(url, str_skip(text, host_len + 1));
}

/* The common case in one loop: a name of plain characters and nothing, or a
 * port, after it. False if it is not so; then nothing was written. */
static bool put_plain_name(struct url *url, struct out *out, const char *start,
                           struct str text)
{
    const char *at = text.ptr, *end = text.ptr + text.len;
    char *to = out->at;

    while (at < end && url_is_plain(*at, URL_PLAIN_HOST))
        *to++ = ascii_lower(*at++);
    if (at < end && *at != ':')
        return false;
    if (!host_is_plain_name(str_between(out->at, to)))
        return false;
    if (at < end && read_port(url, str_between(at + 1, end)))
        return false; /* "user:password@host" looks the same up to here */

    url->host_start = (uint16_t)(out->at - start);
    out->at = to;
    url->host_end = (uint16_t)(to - start);
    return true;
}

enum err authority_put(struct url *url, struct out *out, const char *start,
                       struct str *in)
{
    size_t len = 0;

    while (len < in->len && !ends_authority(in->ptr[len]))
        len++;
    struct str text = str_first(*in, len);
    *in = str_skip(*in, len);

    url->port = default_port(url);
    url->default_port_written = false;
    if (!put_plain_name(url, out, start, text)) {
        enum err err = put_any(url, out, start, text);
        if (err)
            return err;
    }
    if (!out_has_room(out, sizeof(":65535"), in->len))
        return ERR_URL_TOO_LONG;
    put_port(url, out);
    url->path_start = (uint16_t)(out->at - start);
    return ERR_NONE;
}
