#include "page/transfer.h"

#include <assert.h>
#include <openssl/err.h>
#include <openssl/ssl.h>
#include <stdlib.h>

#include "base/mem.h"
#include "page/mime.h"
#include "page/private_address.h"

enum {
    CERTIFICATES_DESCRIBED = 4,
    RECEIVE_BUFFER = 64 * 1024,
    TLS_MESSAGES_MAX = 1000, /* of a connection, besides data */
};

static_assert((int)UNWANTED_BYTES_MAX <= (int)BODY_SMALL,
              "what is kept of an unwanted body never waits for room");

/* --- body -------------------------------------------------------------- */

/* False if enough has come to tell that it is no page. */
static bool sniff_early(struct transfer *transfer)
{
    if (!transfer->to_sniff || transfer->codings.count ||
        transfer->body.len < MIME_SNIFF_LEN)
        return true;
    transfer->to_sniff = false;
    return mime_sniffs_as_html(buf_str(&transfer->body));
}

static size_t wait_for_room(struct transfer *transfer)
{
    transfer->is_waiting = true;
    transfer->seen_ms = 0; /* that it does not get on is not its fault */
    return CURL_WRITEFUNC_PAUSE;
}

/* The body of an answer that is no page. It is read to this cap whatever the
 * cap of a page is, and what is kept of it is too little to have to wait. */
static size_t on_unwanted_body(struct transfer *transfer, struct str bytes)
{
    struct buf *body = &transfer->body;

    transfer->unwanted_bytes += bytes.len;
    if (transfer->setup->options->wishes & WISH_EVERY_BODY) {
        body->cap = UNWANTED_BYTES_MAX;
        bodies_put(transfer->bodies, body,
                   str_first(bytes, body->cap - body->len));
    }
    return transfer->unwanted_bytes > UNWANTED_BYTES_MAX
               ? transfer_cut(transfer,
                              transfer_outcome_of_status(transfer->exchange))
               : bytes.len;
}

static size_t on_body(char *bytes, size_t size, size_t count, void *user)
{
    struct transfer *transfer = user;
    size_t len = size * count;

    if (!transfer->headers_done)
        return transfer_preview_header(transfer, (struct str){bytes, len});
    if (transfer->exchange->status != 200)
        return on_unwanted_body(transfer, (struct str){bytes, len});
    if (transfer->is_coding_unknown)
        return transfer_cut(transfer, BAD_ENCODING);
    switch (bodies_put(transfer->bodies, &transfer->body,
                       (struct str){bytes, len})) {
    case BODY_PUT:
        return sniff_early(transfer) ? len : transfer_cut(transfer, NOT_HTML);
    case BODY_WAIT:
        return wait_for_room(transfer);
    case BODY_FULL:
        break;
    }
    if (transfer->page->kind != WEBPAGE_ROBOTS || transfer->codings.count)
        return transfer_cut(transfer, TOO_LARGE);
    /* Of a robots.txt what is beyond the cap does not count. */
    struct str rest = {bytes, transfer->body.cap - transfer->body.len};
    if (bodies_put(transfer->bodies, &transfer->body, rest) == BODY_WAIT)
        return wait_for_room(transfer);
    return transfer_cut(transfer, FETCHED);
}

/* --- the request ------------------------------------------------------- */

/* What is sent before transfer_on_request is for a proxy: CONNECT. What does
 * not go out in the first write is shown as data, but a request of ours has
 * only a head. */
static int on_debug(CURL *easy, curl_infotype type, char *bytes, size_t len,
                    void *user)
{
    struct transfer *transfer = user;

    (void)easy;
    if (transfer->requests &&
        (type == CURLINFO_HEADER_OUT || type == CURLINFO_DATA_OUT))
        heads_put_request(&transfer->heads, (struct str){bytes, len});
    return 0;
}

/* --- addresses --------------------------------------------------------- */

static curl_socket_t on_open_socket(void *user, curlsocktype purpose,
                                    struct curl_sockaddr *address)
{
    struct transfer *transfer = user;

    (void)purpose;
    if (!transfer->may_be_private && address_is_private(&address->addr)) {
        transfer->refused_private = true;
        return CURL_SOCKET_BAD;
    }
    return socket(address->family, address->socktype | SOCK_CLOEXEC,
                  address->protocol);
}

/* With a proxy the address connected to is the proxy's, which the user named,
 * and it resolves the names; what is left to judge is a literal address and
 * the one name that means the proxy itself. */
static bool is_private_on_its_face(struct str host)
{
    struct sockaddr_storage address;

    if (address_of_literal(host, &address))
        return address_is_private((struct sockaddr *)&address);
    return address_is_local_name(host);
}

/* --- setting up -------------------------------------------------------- */

static void allow_only_web(CURL *easy)
{
#if LIBCURL_VERSION_NUM >= 0x075500
    curl_easy_setopt(easy, CURLOPT_PROTOCOLS_STR, "http,https");
#else
    curl_easy_setopt(easy, CURLOPT_PROTOCOLS,
                     (long)(CURLPROTO_HTTP | CURLPROTO_HTTPS));
#endif
}

/* OpenSSL reads messages that carry no data until there are no more, in one
 * call: a server that sends them for ever would keep the thread there. They
 * come with the handshake, with a change of keys and with tickets for later
 * connections; no server needs many. */
static void on_tls_message(int is_sent, int version, int type,
                           const void *bytes, size_t len, SSL *ssl, void *user)
{
    size_t count = (uintptr_t)user;           /* of this connection so far */
    bool is_data = (type == SSL3_RT_HEADER || /* of a record */
                    type == SSL3_RT_INNER_CONTENT_TYPE) &&
                   len && *(const char *)bytes == SSL3_RT_APPLICATION_DATA;

    (void)version;
    if (is_sent || is_data)
        return;
    SSL_set_msg_callback_arg(ssl, (void *)(uintptr_t)++count);
    if (count <= TLS_MESSAGES_MAX)
        return;
    /* The next read fails, with an error, so that it is not taken for an end.
     */
    SSL_set_shutdown(ssl, SSL_RECEIVED_SHUTDOWN);
    ERR_raise(ERR_LIB_USER, ERR_R_PASSED_INVALID_ARGUMENT);
}

static CURLcode on_tls_setup(CURL *easy, void *ssl_ctx, void *user)
{
    (void)easy, (void)user;
    SSL_CTX_set_msg_callback(ssl_ctx, on_tls_message);
    SSL_CTX_set_msg_callback_arg(ssl_ctx, NULL);
    return CURLE_OK;
}

/* One file and no directory (page/trust.h). An https proxy is no different. */
static void trust(CURL *easy, const struct fetch_options *options)
{
    curl_easy_setopt(easy, CURLOPT_SSL_CTX_FUNCTION, on_tls_setup);
    curl_easy_setopt(easy, CURLOPT_SSL_VERIFYPEER, options->insecure ? 0L : 1L);
    curl_easy_setopt(easy, CURLOPT_SSL_VERIFYHOST, options->insecure ? 0L : 2L);
    if (!options->trusted)
        return;
    curl_easy_setopt(easy, CURLOPT_CAINFO, options->trusted);
    curl_easy_setopt(easy, CURLOPT_CAPATH, NULL);
    curl_easy_setopt(easy, CURLOPT_PROXY_CAINFO, options->trusted);
    curl_easy_setopt(easy, CURLOPT_PROXY_CAPATH, NULL);
}

/* Before every round: libcurl counts how often it had to try a connection
 * again that had died, and starts to count anew only after a reset. */
static void set_up_handle(struct transfer *transfer)
{
    const struct transfer_setup *setup = transfer->setup;
    const struct fetch_options *options = setup->options;
    CURL *easy = transfer->easy;

    curl_easy_reset(easy);
    allow_only_web(easy);
    curl_easy_setopt(easy, CURLOPT_PRIVATE, transfer);
    curl_easy_setopt(easy, CURLOPT_NOSIGNAL, 1L);
    curl_easy_setopt(easy, CURLOPT_PATH_AS_IS, 1L);
    curl_easy_setopt(easy, CURLOPT_BUFFERSIZE, (long)RECEIVE_BUFFER);
    curl_easy_setopt(easy, CURLOPT_HTTP_VERSION, CURL_HTTP_VERSION_1_1);
    curl_easy_setopt(easy, CURLOPT_USERAGENT, options->user_agent);
    curl_easy_setopt(easy, CURLOPT_CONNECT_TO, setup->connect_to);
    curl_easy_setopt(easy, CURLOPT_SUPPRESS_CONNECT_HEADERS, 1L);
    curl_easy_setopt(easy, CURLOPT_PROXY, options->proxy ? options->proxy : "");
    curl_easy_setopt(easy, CURLOPT_NOPROXY, ""); /* nor the environment's */
    curl_easy_setopt(easy, CURLOPT_TIMEOUT_MS, (long)options->timeout_ms);
    curl_easy_setopt(easy, CURLOPT_CONNECTTIMEOUT_MS,
                     (long)options->timeout_ms);
    trust(easy, options);
    curl_easy_setopt(easy, CURLOPT_ERRORBUFFER, transfer->message);
    if (setup->preview_headers)
        curl_easy_setopt(easy, CURLOPT_HEADER, 1L);
    curl_easy_setopt(easy, CURLOPT_HEADERFUNCTION, transfer_on_header);
    curl_easy_setopt(easy, CURLOPT_HEADERDATA, transfer);
    curl_easy_setopt(easy, CURLOPT_WRITEFUNCTION, on_body);
    curl_easy_setopt(easy, CURLOPT_WRITEDATA, transfer);
    curl_easy_setopt(easy, CURLOPT_OPENSOCKETFUNCTION, on_open_socket);
    curl_easy_setopt(easy, CURLOPT_OPENSOCKETDATA, transfer);
#if LIBCURL_VERSION_NUM >= 0x075000
    curl_easy_setopt(easy, CURLOPT_PREREQFUNCTION, transfer_on_request);
    curl_easy_setopt(easy, CURLOPT_PREREQDATA, transfer);
#endif
    if (options->wishes & WISH_REQUEST_HEAD) {
        curl_easy_setopt(easy, CURLOPT_VERBOSE, 1L);
        curl_easy_setopt(easy, CURLOPT_DEBUGFUNCTION, on_debug);
        curl_easy_setopt(easy, CURLOPT_DEBUGDATA, transfer);
    }
#if LIBCURL_VERSION_NUM >= 0x075700
    /* Do not wait at the end for a name lookup that hangs. */
    curl_easy_setopt(easy, CURLOPT_QUICK_EXIT, 1L);
#endif
}

struct transfer *transfer_new(const struct transfer_setup *setup,
                              struct bodies *bodies,
                              struct dns_overrides *overrides)
{
    struct transfer *transfer = NEW(struct transfer);

    transfer->dns_overrides = overrides;
    transfer->setup = setup;
    transfer->bodies = bodies;
    transfer->cut_as = OUTCOMES;
    transfer->hidden_fd = -1;
    buf_init(&transfer->body, setup->options->max_size);
    buf_init(&transfer->header, HEADER_BYTES_MAX);
    heads_init(&transfer->heads, setup->options->wishes, HEADER_BYTES_MAX);
    transfer->easy = curl_easy_init();
    assert(transfer->easy); /* pagefetcher_setup sees to memory */
    return transfer;
}

void transfer_free(struct transfer *transfer)
{
    curl_easy_cleanup(transfer->easy);
    curl_slist_free_all(transfer->dns_override);
    buf_release(&transfer->header);
    heads_release(&transfer->heads);
    bodies_drop(transfer->bodies, &transfer->body);
    free(transfer);
}

/* An http proxy is asked for the page itself; through any other, and through
 * one that has to connect elsewhere, the server is. */
static bool asks_proxy(const struct fetch_options *options,
                       const struct url *url, bool is_led_elsewhere)
{
    struct str scheme = str_first(str_of(options->proxy), 5);

    return !url->https && !is_led_elsewhere &&
           !str_eq_nocase(scheme, STR("socks"));
}

/* Ask for exactly what the URL says: some versions of libcurl leave out the
 * "?" of an empty query. A proxy is asked for the whole URL. */
static void aim(struct transfer *transfer, const struct url *url)
{
    const struct fetch_options *options = transfer->setup->options;
    const char *target = url_path_query(url).ptr;
    bool is_led_elsewhere =
        options->proxy && origins_has_rule(options->origins, url);
    struct buf whole;

    buf_init(&whole, URL_LEN_MAX + 8);
    if (options->proxy && asks_proxy(options, url, is_led_elsewhere)) {
        buf_put(&whole, STR("http://"));
        buf_put(&whole, str_skip(url->href, url->host_start));
        target = buf_cstr(&whole);
    }
    curl_easy_setopt(transfer->easy, CURLOPT_URL, url->href.ptr);
    curl_easy_setopt(transfer->easy, CURLOPT_REQUEST_TARGET, target);
    curl_easy_setopt(transfer->easy, CURLOPT_HTTPPROXYTUNNEL,
                     (long)is_led_elsewhere);
    buf_release(&whole);
}

/* --- one round --------------------------------------------------------- */

/* So that a failure can say whom a certificate is for. libcurl needs a fifth
 * more of the processor for a connection then, so only the first few of a
 * handle have it: the user who got the name of a seed wrong is told. */
static void describe_certificate(struct transfer *transfer,
                                 const struct url *url)
{
    if (!url->https ||
        transfer->certificates_described >= CERTIFICATES_DESCRIBED)
        return;
    transfer->certificates_described++;
    curl_easy_setopt(transfer->easy, CURLOPT_CERTINFO, 1L);
}

bool transfer_begin(struct transfer *transfer, struct webpage *page)
{
    const struct fetch_options *options = transfer->setup->options;
    struct url url;

    transfer->page = page;
    transfer->exchange = &page->exchange;
    page->exchange.outcome = BAD_HTTP;
    if (url_parse(&url, &page->arena, page->url, NULL, NULL))
        return false;
    transfer->may_be_private =
        options->allow_private || options->proxy ||
        origins_allow_private(options->origins, url_host(&url), url.port);
    if (options->proxy && !options->allow_private &&
        is_private_on_its_face(url_host(&url)) &&
        !origins_allow_private(options->origins, url_host(&url), url.port)) {
        page->exchange.outcome = PRIVATE_ADDRESS;
        return false;
    }
    set_up_handle(transfer);
    describe_certificate(transfer, &url);
    curl_easy_setopt(transfer->easy, CURLOPT_HTTPHEADER,
                     origins_get_secrets(options->origins, &url)
                         ? transfer->setup->headers
                         : transfer->setup->public_headers);
    const struct login *login = origins_login(options->origins, &url);
    if (login) {
        curl_easy_setopt(transfer->easy, CURLOPT_USERNAME, login->name.ptr);
        curl_easy_setopt(transfer->easy, CURLOPT_PASSWORD, login->password.ptr);
    }
    transfer->body.cap = page->kind == WEBPAGE_ROBOTS    ? ROBOTS_BODY_MAX
                         : page->kind == WEBPAGE_SITEMAP ? SITEMAP_BODY_MAX
                                                         : options->max_size;
    if (page->dns_override.len) {
        transfer->dns_override =
            dns_overrides_take(transfer->dns_overrides, page->dns_override);
        curl_easy_setopt(transfer->easy, CURLOPT_RESOLVE,
                         transfer->dns_override);
        /* They are taken out when they are no longer used: it need not look,
         * unless it looks up names itself. */
        if (!transfer->setup->connect_to)
            curl_easy_setopt(transfer->easy, CURLOPT_DNS_CACHE_TIMEOUT, -1L);
    }
    aim(transfer, &url);
    return true;
}

void transfer_clear(struct transfer *transfer)
{
    if (transfer->dns_override) {
        curl_easy_setopt(transfer->easy, CURLOPT_RESOLVE, NULL);
        curl_slist_free_all(transfer->dns_override);
        transfer->dns_override = NULL;
        dns_overrides_drop(transfer->dns_overrides,
                           transfer->page->dns_override);
    }
    exchange_drop_bytes(transfer->exchange);
    transfer->page = NULL;
    transfer->exchange = NULL;
    transfer->unwanted_bytes = 0;
    transfer->refused_private = transfer->to_sniff = false;
    transfer->cut_as = OUTCOMES;
    transfer->message[0] = '\0';
    transfer->is_waiting = false;
    transfer->requests = 0;
    transfer->seen_ms = 0;
    transfer_forget_headers(transfer);
    heads_clear(&transfer->heads);
    bodies_drop(transfer->bodies, &transfer->body);
}
