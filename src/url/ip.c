#include "url/ip.h"

#include <stdio.h>

/* A part of an IPv4 address larger than this is too large in any place. */
static const uint64_t part_max = UINT32_MAX;

/* Decimal, octal with a leading "0", hexadecimal with "0x"; "0x" alone is 0.
 * A larger one than part_max becomes part_max + 1. */
static bool read_part(struct str text, uint64_t *value)
{
    int base = 10;

    *value = 0;
    if (!text.len)
        return false;
    if (str_starts_nocase(text, STR("0x"))) {
        base = 16;
        text = str_skip(text, 2);
    } else if (text.len > 1 && text.ptr[0] == '0') {
        base = 8;
        text = str_skip(text, 1);
    }
    for (size_t i = 0; i < text.len; i++) {
        int digit = hex_value(text.ptr[i]);
        if (digit < 0 || digit >= base)
            return false;
        *value = *value * (uint64_t)base + (uint64_t)digit;
        if (*value > part_max)
            *value = part_max + 1;
    }
    return true;
}

static struct str without_final_dot(struct str host)
{
    if (host.len > 1 && host.ptr[host.len - 1] == '.')
        host.len--;
    return host;
}

static bool all_digits(struct str s)
{
    for (size_t i = 0; i < s.len; i++)
        if (!ascii_is_digit(s.ptr[i]))
            return false;
    return s.len > 0;
}

bool ipv4_is_meant(struct str host)
{
    uint64_t value;

    host = without_final_dot(host);
    size_t start = host.len;
    while (start && host.ptr[start - 1] != '.')
        start--;
    struct str last = str_skip(host, start);
    return all_digits(last) || read_part(last, &value);
}

bool ipv4_parse(struct str host, uint32_t *address)
{
    struct str rest = without_final_dot(host);
    uint64_t sum = 0, part = 0;

    for (unsigned shift = 24;; shift -= 8) {
        size_t dot = str_find(rest, '.');
        if (!read_part(str_first(rest, dot), &part))
            return false;
        if (dot == rest.len) {
            /* The last part fills all the bytes that are left. */
            if (part >> (shift + 8))
                return false;
            *address = (uint32_t)(sum | part);
            return true;
        }
        if (part > 255 || !shift)
            return false;
        sum |= part << shift;
        rest = str_skip(rest, dot + 1);
    }
}

size_t ipv4_write(char to[static IPV4_TEXT_MAX], uint32_t address)
{
    return (size_t)snprintf(to, IPV4_TEXT_MAX, "%u.%u.%u.%u", address >> 24,
                            address >> 16 & 255, address >> 8 & 255,
                            address & 255);
}

bool ipv6_parse(struct str text, struct in6_addr *address)
{
    char copy[INET6_ADDRSTRLEN];

    if (text.len >= sizeof(copy) || memchr(text.ptr, '\0', text.len))
        return false;
    memcpy(copy, text.ptr, text.len);
    copy[text.len] = '\0';
    return inet_pton(AF_INET6, copy, address) == 1;
}

size_t ipv6_write(char to[static IPV6_TEXT_MAX], const struct in6_addr *address)
{
    const uint8_t *tail = address->s6_addr + 12;

    inet_ntop(AF_INET6, address, to, IPV6_TEXT_MAX);
    /* The standard wants "::ffff:102:304" for "::ffff:1.2.3.4". */
    if (strchr(to, '.'))
        snprintf(strrchr(to, ':') + 1, sizeof("ffff:ffff"), "%x:%x",
                 (unsigned)(tail[0] << 8 | tail[1]),
                 (unsigned)(tail[2] << 8 | tail[3]));
    return strlen(to);
}
