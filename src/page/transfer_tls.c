/* TLS of a transfer: who is trusted, which sessions are resumed, and what a
 * server must not do in a connection. */
#include <openssl/err.h>
#include <openssl/ssl.h>
#include <pthread.h>
#include <stdlib.h>

#include "base/clock.h"
#include "base/mem.h"
#include "page/transfer.h"

enum {
    TLS_MESSAGES_MAX = 1000, /* of a connection, besides data */
    /* Every connection holds what was parsed of its server's certificates, ten
     * times as much. */
    TLS_CERTIFICATES_MAX = 32 * 1024,
};

/* --- a connection and who uses it --------------------------------------- */

/* Part of the SSL_CTX of a connection. */
struct tls_link {
    struct connections *connections;
    struct transfer *maker; /* until the first handshake is done */
    int fd;                 /* after it */
};

static int link_index;
static pthread_once_t once = PTHREAD_ONCE_INIT;

static void free_link(void *parent, void *tls_link, CRYPTO_EX_DATA *data,
                      int index, long argl, void *argp)
{
    (void)parent, (void)data, (void)index, (void)argl, (void)argp;
    free(tls_link);
}

static void make_index(void)
{
    link_index = SSL_CTX_get_ex_new_index(0, NULL, NULL, NULL, free_link);
}

static void add_link(SSL_CTX *ctx, struct transfer *maker)
{
    struct tls_link *tls_link = NEW(struct tls_link);

    tls_link->connections = maker->setup->connections;
    tls_link->maker = maker;
    tls_link->fd = -1;
    if (!SSL_CTX_set_ex_data(ctx, link_index, tls_link))
        free(tls_link);
}

static struct tls_link *link_of(const SSL *ssl)
{
    return SSL_CTX_get_ex_data(SSL_get_SSL_CTX(ssl), link_index);
}

static void on_tls_info(const SSL *const_ssl, int where, int value)
{
    /* OpenSSL means it to be used, in spite of the type. */
    SSL *ssl = (SSL *)const_ssl;
    struct tls_link *tls_link = link_of(ssl);

    (void)value;
    if (where & SSL_CB_HANDSHAKE_START)
        tls_sessions_offer(ssl);
    if (!(where & SSL_CB_HANDSHAKE_DONE) || !tls_link || !tls_link->maker)
        return;
    tls_link->fd = tls_link->maker->fd;
    tls_link->maker = NULL;
    connections_secured(tls_link->connections, tls_link->fd, ssl);
}

/* The server says that nothing will follow. */
static void on_close_notify(const SSL *ssl)
{
    const struct tls_link *tls_link = link_of(ssl);
    struct transfer *transfer =
        tls_link ? connections_user(tls_link->connections, tls_link->fd) : NULL;

    if (transfer)
        transfer->is_tls_closed = true;
}

/* --- a connection begins ------------------------------------------------ */

/* OpenSSL reads messages that carry no data until there are no more, in one
 * call: a server that sends them for ever would keep the thread there. They
 * come with the handshake, with a change of keys and with tickets for later
 * connections; no server needs many. */
static void on_tls_message(int is_sent, int version, int type,
                           const void *bytes, size_t len, SSL *ssl, void *user)
{
    size_t count = (uintptr_t)user; /* of this connection so far */
    bool is_record =
        type == SSL3_RT_HEADER || type == SSL3_RT_INNER_CONTENT_TYPE;

    (void)version;
    if (!is_sent && type == SSL3_RT_ALERT && len == 2 &&
        ((const unsigned char *)bytes)[1] == SSL_AD_CLOSE_NOTIFY)
        on_close_notify(ssl);
    if (is_sent ||
        (is_record && *(const char *)bytes == SSL3_RT_APPLICATION_DATA))
        return;
    // NOLINTNEXTLINE(performance-no-int-to-ptr) ; the argument is a number
    SSL_set_msg_callback_arg(ssl, (void *)(uintptr_t)++count);
    if (count <= TLS_MESSAGES_MAX || !is_record)
        return;
    /* OpenSSL looks at this before it goes on with the record, and the error
     * tells libcurl that it is no proper end. Between records something could
     * take the error out of the queue again. */
    SSL_set_shutdown(ssl, SSL_RECEIVED_SHUTDOWN);
    ERR_raise(ERR_LIB_USER, ERR_R_PASSED_INVALID_ARGUMENT);
}

/* An https proxy has an SSL_CTX of its own, which looks the same from here. */
static bool has_one_layer(const struct transfer *transfer)
{
    const char *proxy = transfer->proxy;

    return transfer->tls_host.len &&
           !(proxy &&
             str_eq_nocase(str_first(str_of(proxy), 8), STR("https://")));
}

/* libcurl makes an SSL_CTX for every connection. */
static CURLcode on_tls_setup(CURL *easy, void *ssl_ctx, void *user)
{
    struct transfer *transfer = user;
    const struct fetch_options *options = transfer->setup->options;
    unsigned generation = 0;

    (void)easy;
    pthread_once(&once, make_index);
    SSL_CTX_set_msg_callback(ssl_ctx, on_tls_message);
    SSL_CTX_set_msg_callback_arg(ssl_ctx, NULL);
    SSL_CTX_set_mode(ssl_ctx, SSL_MODE_RELEASE_BUFFERS);
    SSL_CTX_set_max_cert_list(ssl_ctx, TLS_CERTIFICATES_MAX);
    if (options->trust) {
        X509_STORE *store =
            trust_store(options->trust, clock_mono_ms(), &generation);

        if (!store)
            return CURLE_SSL_CACERT_BADFILE;
        SSL_CTX_set_cert_store(ssl_ctx, store); /* takes it */
    }
    if (!has_one_layer(transfer))
        return CURLE_OK;
    add_link(ssl_ctx, transfer);
    SSL_CTX_set_info_callback(ssl_ctx, on_tls_info);
    tls_sessions_use(transfer->setup->sessions, ssl_ctx, transfer->tls_host,
                     transfer->tls_port, generation);
    return CURLE_OK;
}

/* An https proxy is no different. libcurl must read no certificates itself: not
 * from files, which are in page/trust.h, nor keep ours for later, or it would
 * not see that they have changed. */
void transfer_set_up_tls(struct transfer *transfer)
{
    const struct fetch_options *options = transfer->setup->options;
    CURL *easy = transfer->easy;

    curl_easy_setopt(easy, CURLOPT_SSL_CTX_FUNCTION, on_tls_setup);
    curl_easy_setopt(easy, CURLOPT_SSL_CTX_DATA, transfer);
    curl_easy_setopt(easy, CURLOPT_SSL_SESSIONID_CACHE, 0L);
    curl_easy_setopt(easy, CURLOPT_SSL_VERIFYPEER, options->insecure ? 0L : 1L);
    curl_easy_setopt(easy, CURLOPT_SSL_VERIFYHOST, options->insecure ? 0L : 2L);
    if (!options->trust && !options->insecure)
        return; /* libcurl's own choice */
    curl_easy_setopt(easy, CURLOPT_CAINFO, NULL);
    curl_easy_setopt(easy, CURLOPT_CAPATH, NULL);
    curl_easy_setopt(easy, CURLOPT_PROXY_CAINFO, NULL);
    curl_easy_setopt(easy, CURLOPT_PROXY_CAPATH, NULL);
    curl_easy_setopt(easy, CURLOPT_CA_CACHE_TIMEOUT, 0L);
}

bool transfer_is_tls_cut(const struct transfer *transfer)
{
    return transfer->tls_host.len && has_one_layer(transfer) &&
           !transfer->has_length && !transfer->is_chunked &&
           !transfer->is_tls_closed;
}

static const char *version_name(int version)
{
    switch (version) {
    case TLS1_VERSION:
        return "tls/1.0";
    case TLS1_1_VERSION:
        return "tls/1.1";
    case TLS1_2_VERSION:
        return "tls/1.2";
    case TLS1_3_VERSION:
        return "tls/1.3";
    default:
        return NULL;
    }
}

void transfer_describe_tls(struct transfer *transfer)
{
    struct curl_tlssessioninfo *session = NULL;

    if (!(transfer->setup->options->wishes & WISH_TLS) ||
        !has_one_layer(transfer))
        return;
    curl_easy_getinfo(transfer->easy, CURLINFO_TLS_SSL_PTR, &session);
    if (!session || session->backend != CURLSSLBACKEND_OPENSSL ||
        !session->internals)
        return;
    const SSL *ssl = session->internals;
    const SSL_CIPHER *cipher = SSL_get_current_cipher(ssl);
    transfer->exchange->tls_version = version_name(SSL_version(ssl));
    transfer->exchange->cipher_suite =
        cipher ? SSL_CIPHER_standard_name(cipher) : NULL;
}

/* A server may stumble over a session instead of passing it over. */
void transfer_end_tls(struct transfer *transfer, enum outcome outcome)
{
    if (!transfer->tls_host.len || transfer->exchange->status ||
        outcome == ABANDONED)
        return;
    tls_sessions_forget(transfer->setup->sessions, transfer->tls_host,
                        transfer->tls_port);
}
