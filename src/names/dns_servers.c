#include "names/dns_servers.h"

#include <arpa/inet.h>

/* An address, without brackets. */
static bool is_address(int family, struct str text)
{
    char copy[INET6_ADDRSTRLEN];
    struct in6_addr address;

    if (!text.len || text.len >= sizeof(copy))
        return false;
    memcpy(copy, text.ptr, text.len);
    copy[text.len] = '\0';
    return inet_pton(family, copy, &address) == 1;
}

static bool is_port(struct str text)
{
    uint64_t port;

    return str_to_u64(text, &port) && port >= 1 && port <= UINT16_MAX;
}

static bool add_server(struct str text, struct buf *out)
{
    struct str address = text, port = STR("53");
    int family = AF_INET;

    if (str_starts(text, STR("["))) {
        size_t end = str_find(text, ']');
        if (end == text.len)
            return false;
        family = AF_INET6;
        address = str_skip(str_first(text, end), 1);
        text = str_skip(text, end + 1);
        if (text.len && text.ptr[0] != ':')
            return false;
        if (text.len)
            port = str_skip(text, 1);
    } else if (is_address(AF_INET6, text)) {
        family = AF_INET6;
    } else if (str_find(text, ':') < text.len) {
        struct str_pair parts = str_cut(text, ':');
        address = parts.head;
        port = parts.tail;
    }
    return is_address(family, address) && is_port(port) &&
           buf_printf(out, family == AF_INET6 ? "%s[%.*s]:%.*s" : "%s%.*s:%.*s",
                      out->len ? "," : "", (int)address.len, address.ptr,
                      (int)port.len, port.ptr);
}

bool dns_servers_parse(struct str text, struct buf *out)
{
    unsigned count = 0;

    for (;;) {
        size_t len = str_find(text, ',');
        if (++count > DNS_SERVERS_MAX || !add_server(str_first(text, len), out))
            return false;
        if (len == text.len)
            return true;
        text = str_skip(text, len + 1);
    }
}
