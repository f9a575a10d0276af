#include "url/authority.h"

#include "url/idna.h"
#include "url/ip.h"

enum { PORT_MAX = 65535 };

static uint16_t default_port(const struct url *url)
{
    return url->https ? 443 : 80;
}

/* `digits` is the text after ':'. An empty port is no port. */
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
    if (url->port == default_port(url))
        return;
    out_char(out, ':');
    for (unsigned unit = 10000; unit; unit /= 10)
        if (url->port >= unit || unit == 1)
            out_char(out, (char)('0' + url->port / unit % 10));
}

/* ---- the host --------------------------------------------------------- */

static bool starts_ace(const char *at, const char *end)
{
    return end - at >= 4 && at[0] == 'x' && at[1] == 'n' && at[2] == '-' &&
           at[3] == '-';
}

/* Would put_host write the name as it is? It would if there are no escapes,
 * nothing beyond ASCII, no "xn--" and no number at its end. `host` is in lower
 * case and has only URL_PLAIN_HOST bytes. */
static bool is_plain_name(struct str host)
{
    const char *at = host.ptr, *end = host.ptr + host.len;
    const char *label = at;

    for (;;) {
        if (starts_ace(label, end))
            return false;
        const char *dot = memchr(label, '.', (size_t)(end - label));
        if (!dot || dot + 1 == end)
            break;
        label = dot + 1;
    }
    /* A number starts with a digit, also "0x7f". */
    return label < end && !ascii_is_digit(*label);
}

static enum err put_ipv6(struct out *out, struct str text)
{
    struct in6_addr address;

    if (!ipv6_parse(text, &address))
        return ERR_URL_HOST;
    if (!out_has_room(out, IPV6_TEXT_MAX + 2, 0))
        return ERR_URL_TOO_LONG;
    out_char(out, '[');
    out->at += ipv6_write(out->at, &address);
    out_char(out, ']');
    return ERR_NONE;
}

static enum err put_ipv4(struct out *out, struct str name)
{
    uint32_t address;

    if (!ipv4_parse(name, &address))
        return ERR_URL_HOST;
    if (!out_has_room(out, IPV4_TEXT_MAX, 0))
        return ERR_URL_TOO_LONG;
    out->at += ipv4_write(out->at, address);
    return ERR_NONE;
}

/* Write the host that `host` means, not empty and without a port: a lower-case
 * ASCII name, "1.2.3.4" or "[1::2]". */
static enum err put_host(struct out *out, struct str host)
{
    char decoded[URL_LEN_MAX], name[URL_LEN_MAX];
    size_t len;

    if (host.ptr[0] == '[') {
        if (host.ptr[host.len - 1] != ']')
            return ERR_URL_HOST;
        return put_ipv6(out, (struct str){host.ptr + 1, host.len - 2});
    }

    len = url_unescape(decoded, host);
    if (!idna_to_ascii((struct str){decoded, len}, name, sizeof(name), &len) ||
        !len)
        return ERR_URL_HOST;
    for (size_t i = 0; i < len; i++)
        if (!url_is_plain(name[i], URL_PLAIN_HOST))
            return ERR_URL_HOST;

    if (ipv4_is_meant((struct str){name, len}))
        return put_ipv4(out, (struct str){name, len});
    if (!out_has_room(out, len, 0))
        return ERR_URL_TOO_LONG;
    out_str(out, (struct str){name, len});
    return ERR_NONE;
}

/* ---- user name and password ------------------------------------------- */

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

/* ---- all of it --------------------------------------------------------- */

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
    enum err err = put_host(out, str_first(text, host_len));
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
    if (!is_plain_name(str_between(out->at, to)))
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
    struct str text = url_authority(*in);

    *in = str_skip(*in, text.len);
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
