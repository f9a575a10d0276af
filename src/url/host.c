#include "url/host.h"

#include "url/idna.h"
#include "url/ip.h"
#include "url/url.h"

static bool starts_ace(const char *at, const char *end)
{
    return end - at >= 4 && at[0] == 'x' && at[1] == 'n' && at[2] == '-' &&
           at[3] == '-';
}

bool host_is_plain_name(struct str host)
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
    uint16_t pieces[8];

    if (!ipv6_parse(text, pieces))
        return ERR_URL_HOST;
    if (!out_has_room(out, IPV6_TEXT_MAX + 2, 0))
        return ERR_URL_TOO_LONG;
    out_char(out, '[');
    out->at += ipv6_write(out->at, pieces);
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

static size_t percent_decode(char *to, struct str from)
{
    size_t len = 0;

    for (size_t i = 0; i < from.len; i++) {
        char c = from.ptr[i];
        if (c == '%' && i + 2 < from.len && hex_value(from.ptr[i + 1]) >= 0 &&
            hex_value(from.ptr[i + 2]) >= 0) {
            c = (char)(hex_value(from.ptr[i + 1]) << 4 |
                       hex_value(from.ptr[i + 2]));
            i += 2;
        }
        to[len++] = c;
    }
    return len;
}

enum err host_put(struct out *out, struct str host)
{
    char decoded[URL_LEN_MAX], name[URL_LEN_MAX];
    size_t len;

    if (host.ptr[0] == '[') {
        if (host.ptr[host.len - 1] != ']')
            return ERR_URL_HOST;
        return put_ipv6(out, (struct str){host.ptr + 1, host.len - 2});
    }

    len = percent_decode(decoded, host);
    if (!idna_to_ascii((struct str){decoded, len}, name, sizeof(name), &len))
        return ERR_URL_HOST;
    if (!len)
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
