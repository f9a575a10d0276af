#include "testserver/dns_message.h"

enum { HEAD = 12, CLASS_IN = 1, COUNT_AT = 6, LABEL_MAX = 63 };

static unsigned get16(const char *at)
{
    return (unsigned)(uint8_t)at[0] << 8 | (uint8_t)at[1];
}

static void put16(struct buf *out, unsigned value)
{
    buf_put_char(out, (char)(value >> 8));
    buf_put_char(out, (char)value);
}

/* The name at the start of `rest`, which moves past it. */
static bool take_name(struct str *rest, char out[DNS_NAME_MAX + 1])
{
    size_t len = 0;

    while (rest->len && rest->ptr[0]) {
        size_t label = (uint8_t)rest->ptr[0];

        if (label > LABEL_MAX || label >= rest->len ||
            len + label + 1 > DNS_NAME_MAX)
            return false;
        if (len)
            out[len++] = '.';
        for (size_t i = 1; i <= label; i++)
            out[len++] = ascii_lower(rest->ptr[i]);
        *rest = str_skip(*rest, label + 1);
    }
    out[len] = '\0';
    if (!rest->len)
        return false;
    *rest = str_skip(*rest, 1);
    return true;
}

bool dns_query_parse(struct str bytes, struct dns_query *query)
{
    if (bytes.len < HEAD)
        return false;
    struct str rest = str_skip(bytes, HEAD);

    /* A query, with one question. */
    if ((bytes.ptr[2] & 0xf8) || get16(bytes.ptr + 4) != 1 ||
        !take_name(&rest, query->name) || rest.len < 4 ||
        get16(rest.ptr + 2) != CLASS_IN)
        return false;
    query->id = (uint16_t)get16(bytes.ptr);
    query->type = (uint16_t)get16(rest.ptr);
    query->question = str_between(bytes.ptr + HEAD, rest.ptr + 4);
    return true;
}

void dns_reply_begin(struct buf *out, const struct dns_query *query,
                     unsigned flags)
{
    put16(out, query->id);
    put16(out, DNS_FLAG_ANSWER | flags);
    put16(out, 1);
    put16(out, 0); /* records: counted as they are added */
    put16(out, 0);
    put16(out, 0);
    buf_put(out, query->question);
}

static void put_name(struct buf *out, const char *name)
{
    struct str rest = str_of(name);

    while (rest.len) {
        struct str_pair parts = str_cut(rest, '.');
        struct str label = str_first(parts.head, LABEL_MAX);

        buf_put_char(out, (char)label.len);
        buf_put(out, label);
        rest = parts.tail;
    }
    buf_put_char(out, 0);
}

static void begin_record(struct buf *out, const char *name, unsigned type,
                         uint32_t ttl_s)
{
    unsigned count = get16(out->ptr + COUNT_AT) + 1;

    out->ptr[COUNT_AT] = (char)(count >> 8);
    out->ptr[COUNT_AT + 1] = (char)count;
    put_name(out, name);
    put16(out, type);
    put16(out, CLASS_IN);
    put16(out, ttl_s >> 16);
    put16(out, ttl_s & 0xffff);
}

void dns_reply_add_cname(struct buf *out, const char *name, uint32_t ttl_s,
                         const char *target)
{
    struct buf data;

    buf_init(&data, DNS_NAME_MAX + 2);
    put_name(&data, target);
    begin_record(out, name, DNS_TYPE_CNAME, ttl_s);
    put16(out, (unsigned)data.len);
    buf_put(out, buf_str(&data));
    buf_release(&data);
}

void dns_reply_add_address(struct buf *out, const char *name, uint32_t ttl_s,
                           const struct in6_addr *address)
{
    bool v4 = IN6_IS_ADDR_V4MAPPED(address);
    struct str bytes = {(const char *)address->s6_addr, 16};

    if (v4)
        bytes = str_skip(bytes, 12);
    begin_record(out, name, v4 ? DNS_TYPE_A : DNS_TYPE_AAAA, ttl_s);
    put16(out, (unsigned)bytes.len);
    buf_put(out, bytes);
}
