#include "page/outcome.h"

#include <assert.h>

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
    [NO_DNS]            = {"Failed", "no-dns",          "the host name has no address"},
    [PRIVATE_ADDRESS]   = {"IgnPriv", "private-address", "a private address that was not named (--allow-private)"},
    [NOT_CONNECTED]     = {"Failed", "not-connected",   "no connection to the server"},
    [TLS_FAILED]        = {"Failed", "tls-failed",      "no secure connection (certificate or handshake)"},
    [TIMED_OUT]         = {"Failed", "timed-out",       "took longer than --timeout"},
    [CONNECTION_LOST]   = {"Failed", "connection-lost", "the connection broke before the end"},
    [BAD_HTTP]          = {"Failed", "bad-http",        "the answer is not valid HTTP"},
    [BAD_ENCODING]      = {"Failed", "bad-encoding",    "the content coding is unknown or broken"},
    [ABANDONED]         = {"Failed", "abandoned",       "stopped before the end"},
    [NOT_SAVED]         = {"Failed", "not-saved",       "the page file could not be written"},
    [NOT_SITEMAP]       = {"Failed", "not-a-sitemap",   "not a sitemap that can be read, or one that declares entities"},
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
