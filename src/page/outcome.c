#include "page/outcome.h"

#include <assert.h>

#include "base/escape.h"
#include "base/head.h"

struct outcome_row {
    const char *word, *name, *text;
};

// clang-format off
static const struct outcome_row rows[] = {
    [FETCHED]           = {"Fetched", "fetched",         "fetched"},
    [REDIRECTED]        = {"Redirect", "redirected",      "redirected elsewhere"},
    [EMPTY_BODY]        = {"Failed", "empty",           "the answer has no body"},
    [NOT_HTML]          = {"IgnMime", "not-html",        "not an HTML page"},
    [TOO_LARGE]         = {"IgnSize", "too-large",       "larger than --max-size, or than the 50 MB of a sitemap"},
    [NOINDEX]           = {"IgnNoIdx", "noindex",        "a page that asks not to be indexed"},
    [HTTP_TOO_MANY]     = {"Failed", "too-many-requests", "asked too often (429)"},
    [HTTP_CLIENT_ERROR] = {"Failed", "client-error",    "refused by the server (4xx)"},
    [HTTP_SERVER_ERROR] = {"Failed", "server-error",    "failed in the server (5xx)"},
    [HTTP_OTHER]        = {"Failed", "other-status",    "an answer with an unexpected status"},
    [BAD_REDIRECT]      = {"Failed", "bad-redirect",    "a redirect that leads nowhere"},
    [NO_DNS]            = {"Failed", "no-dns",          "host name not found"},
    [PRIVATE_ADDRESS]   = {"IgnPriv", "private-address", "a private address that was not named (--allow-private)"},
    [NOT_CONNECTED]     = {"Failed", "not-connected",   "the server cannot be reached"},
    [TLS_FAILED]        = {"Failed", "tls-failed",      "no secure connection (TLS)"},
    [TIMED_OUT]         = {"Failed", "timed-out",       "took longer than --timeout"},
    [CONNECTION_LOST]   = {"Failed", "connection-lost", "the connection broke before the end"},
    [BAD_HTTP]          = {"Failed", "bad-http",        "the answer is not valid HTTP"},
    [BAD_ENCODING]      = {"Failed", "bad-encoding",    "the content coding is unknown or broken"},
    [ABANDONED]         = {"Failed", "abandoned",       "stopped before the end"},
    [NOT_SAVED]         = {"Failed", "not-saved",       "the page file could not be written"},
    [NOT_SITEMAP]       = {"Failed", "not-a-sitemap",   "not a sitemap that can be read, or one that declares entities"},
    [CONNECTION_REFUSED] = {"Failed", "connection-refused", "connection refused"},
    [CONNECT_TIMED_OUT] = {"Failed", "connect-timed-out", "no connection within --timeout"},
    [TLS_PROTOCOL]      = {"Failed", "tls-protocol",    "no secure connection: the TLS handshake failed"},
    [TLS_NAME]          = {"Failed", "tls-name",        "the certificate is for another host"},
    [TLS_ISSUER]        = {"Failed", "tls-issuer",      "the certificate's issuer is unknown (--cacert)"},
    [TLS_SELF_SIGNED]   = {"Failed", "tls-self-signed", "the certificate is self-signed (--cacert)"},
    [TLS_EXPIRED]       = {"Failed", "tls-expired",     "the certificate has expired"},
    [TLS_NOT_YET_VALID] = {"Failed", "tls-not-yet-valid", "the certificate is not valid yet"},
    [NOT_IN_ARCHIVE]    = {"Failed", "not-in-archive",  "not in the archive (--from)"},
    [DNS_FAILED]        = {"Failed", "dns-failed",      "no name server has answered (--dns-servers)"},
    [CANONICAL]         = {"Canonical", "canonical",    "a page that names another URL as its own"},
    [NOARCHIVE]         = {"IgnNoArch", "noarchive",    "a page that asks not to be archived"},
};
// clang-format on
static_assert(sizeof(rows) / sizeof(rows[0]) == OUTCOMES,
              "every outcome has its words");

const char *outcome_word(enum outcome outcome)
{
    return rows[outcome].word;
}

const char *outcome_name(enum outcome outcome)
{
    return rows[outcome].name;
}

const char *outcome_text(enum outcome outcome)
{
    return rows[outcome].text;
}

bool outcome_is_of_host(enum outcome outcome)
{
    switch (outcome) {
    case NO_DNS:
    case DNS_FAILED:
    case PRIVATE_ADDRESS:
    case NOT_CONNECTED:
    case CONNECTION_REFUSED:
    case CONNECT_TIMED_OUT:
    case TLS_FAILED:
    case TLS_PROTOCOL:
    case TLS_NAME:
    case TLS_ISSUER:
    case TLS_SELF_SIGNED:
    case TLS_EXPIRED:
    case TLS_NOT_YET_VALID:
        return true;
    default:
        return false;
    }
}

static void put_status(struct buf *out, int status)
{
    const char *phrase = http_status_phrase(status);

    if (phrase)
        buf_printf(out, "%d %s", status, phrase);
    else
        buf_printf(out, "status %d", status);
}

void outcome_put(struct buf *out, enum outcome outcome,
                 const struct outcome_details *details)
{
    if (details->proxy_at_fault.len) {
        buf_put(out, STR("the proxy "));
        terminal_put(out, details->proxy_at_fault, '?');
        buf_put(out, STR(": "));
    }
    switch (outcome) {
    case HTTP_CLIENT_ERROR:
    case HTTP_TOO_MANY:
    case HTTP_SERVER_ERROR:
    case HTTP_OTHER:
        if (!details->status)
            break;
        put_status(out, details->status);
        return;
    default:
        break;
    }
    buf_put(out, str_of(rows[outcome].text));
    if (outcome == BAD_REDIRECT && details->status) {
        buf_put(out, STR(" ("));
        put_status(out, details->status);
        buf_put_char(out, ')');
    } else if (outcome == NOT_HTML && details->mime.len) {
        buf_put(out, STR(" but "));
        terminal_put(out, details->mime, '?');
    } else if (outcome == TLS_NAME && details->certificate_for.len) {
        buf_put(out, STR(": "));
        terminal_put(out, details->certificate_for, '?');
    }
}
