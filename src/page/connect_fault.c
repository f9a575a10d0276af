#include "page/connect_fault.h"

#include <errno.h>

enum {
    /* X509_V_ERR_..., which OpenSSL keeps for ever. */
    NO_ISSUER = 2,
    NOT_YET_VALID = 9,
    EXPIRED = 10,
    SELF_SIGNED = 18,
    SELF_SIGNED_IN_CHAIN = 19,
    NO_ISSUER_LOCALLY = 20,
    NO_LEAF_SIGNATURE = 21,
    HOST_MISMATCH = 62,
    ADDRESS_MISMATCH = 64,

    NAMES_SHOWN = 3,
    NAME_SHOWN = 80, /* of each, bytes */
};

enum outcome connect_fault(long os_errno)
{
    switch (os_errno) {
    case ECONNREFUSED:
        return CONNECTION_REFUSED;
    case ETIMEDOUT:
        return CONNECT_TIMED_OUT;
    default:
        return NOT_CONNECTED;
    }
}

/* libcurl compares names itself, after OpenSSL had nothing to object to. */
static bool is_about_name(struct str message)
{
    static const struct str starts[] = {
        STR_INIT("SSL: no alternative certificate subject name"),
        STR_INIT("SSL: certificate subject name "),
        STR_INIT("SSL: unable to obtain common name"),
        STR_INIT("SSL: illegal cert name field"),
    };

    for (size_t i = 0; i < ARRAY_LEN(starts); i++)
        if (str_starts(message, starts[i]))
            return true;
    return false;
}

enum outcome tls_fault(CURLcode code, long verify_result, struct str message)
{
    if (code == CURLE_SSL_CONNECT_ERROR)
        return TLS_PROTOCOL;
    if (code != CURLE_PEER_FAILED_VERIFICATION)
        return TLS_FAILED;
    switch (verify_result) {
    case NO_ISSUER:
    case NO_ISSUER_LOCALLY:
    case NO_LEAF_SIGNATURE:
    case SELF_SIGNED_IN_CHAIN: /* the root came along, and is not ours */
        return TLS_ISSUER;
    case SELF_SIGNED:
        return TLS_SELF_SIGNED;
    case NOT_YET_VALID:
        return TLS_NOT_YET_VALID;
    case EXPIRED:
        return TLS_EXPIRED;
    case HOST_MISMATCH:
    case ADDRESS_MISMATCH:
        return TLS_NAME;
    default:
        return is_about_name(message) ? TLS_NAME : TLS_FAILED;
    }
}

/* --- names -------------------------------------------------------------- */

static void put_name(struct buf *out, struct str name)
{
    name = str_first(name, NAME_SHOWN);
    for (size_t i = 0; i < name.len; i++) {
        char c = name.ptr[i];
        bool good = ascii_is_alnum(c) || (c && strchr("-.*_:", c));

        buf_put_char(out, good ? c : '?');
    }
}

/* "DNS:a.example, IP Address:192.0.2.1"; other kinds are no hosts. */
static struct str host_in(struct str entry)
{
    static const struct str kinds[] = {
        STR_INIT("DNS:"),
        STR_INIT("IP Address:"),
    };

    entry = str_trim(entry);
    for (size_t i = 0; i < ARRAY_LEN(kinds); i++)
        if (str_starts(entry, kinds[i]))
            return str_skip(entry, kinds[i].len);
    return (struct str){0};
}

void certificate_put_names(struct buf *out, const struct curl_slist *fields)
{
    struct str field = STR("X509v3 Subject Alternative Name:");
    struct str rest = {0};
    unsigned count = 0;

    for (; fields && !rest.len; fields = fields->next)
        if (str_starts(str_of(fields->data), field))
            rest = str_skip(str_of(fields->data), field.len);
    while (rest.len) {
        struct str_pair parts = str_cut(rest, ',');
        struct str name = host_in(parts.head);

        rest = parts.tail;
        if (!name.len || ++count > NAMES_SHOWN)
            continue;
        if (count > 1)
            buf_put(out, STR(", "));
        put_name(out, name);
    }
    if (count > NAMES_SHOWN)
        buf_printf(out, " and %u more", count - NAMES_SHOWN);
}
