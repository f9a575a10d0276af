#include "page/transfer.h"

#include <assert.h>
#include <stdlib.h>

#include "base/clock.h"
#include "base/mem.h"
#include "page/address.h"
#include "page/connect_fault.h"
#include "page/mime.h"

enum {
    /* Read a small unwanted body (an error page), so that the connection can
     * be used again; cut a larger one. */
    UNWANTED_BYTES_MAX = 64 * 1024,
    /* Of a robots.txt as it would be without its coding, before the rest of it
     * is dropped. */
    CODED_ROBOTS_MAX = 16 << 20,
    RETRY_AFTER_MAX_S = 3600,
    CUT_NOTICE_MS = 50,
    CERTIFICATES_DESCRIBED = 4,
    CERTIFICATE_NAMES_MAX = 300, /* bytes */
    RECEIVE_BUFFER = 64 * 1024,
};

/* --- status ------------------------------------------------------------ */

static bool is_redirect(int status)
{
    return status == 301 || status == 302 || status == 303 || status == 307 ||
           status == 308;
}

static enum outcome outcome_of_status(const struct webpage *page)
{
    if (is_redirect(page->status))
        return page->location.len ? REDIRECTED : BAD_REDIRECT;
    if (page->status == 429)
        return HTTP_TOO_MANY;
    if (page->status / 100 == 4)
        return HTTP_CLIENT_ERROR;
    if (page->status / 100 == 5)
        return HTTP_SERVER_ERROR;
    return HTTP_OTHER;
}

/* --- body -------------------------------------------------------------- */

/* By its first bytes, or all there are. */
static bool sniffs_as_page(struct str body)
{
    return mime_sniffs_as_html(str_first(body, MIME_SNIFF_LEN));
}

/* False if enough has come to tell that it is no page. */
static bool sniff_early(struct transfer *transfer)
{
    if (!transfer->to_sniff || transfer->codings.count ||
        transfer->body.len < MIME_SNIFF_LEN)
        return true;
    transfer->to_sniff = false;
    return sniffs_as_page(buf_str(&transfer->body));
}

static size_t wait_for_room(struct transfer *transfer)
{
    transfer->is_waiting = true;
    transfer->seen_ms = 0; /* that it does not get on is not its fault */
    return CURL_WRITEFUNC_PAUSE;
}

static size_t on_body(char *bytes, size_t size, size_t count, void *user)
{
    struct transfer *transfer = user;
    size_t len = size * count;

    if (!transfer->headers_done)
        return transfer_preview_header(transfer, (struct str){bytes, len});
    if (transfer->page->status != 200) {
        transfer->unwanted_bytes += len;
        if (transfer->unwanted_bytes > UNWANTED_BYTES_MAX)
            return transfer_cut(transfer, outcome_of_status(transfer->page));
        return len;
    }
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
    return sockets_open(transfer->sockets, address->family, address->socktype,
                        address->protocol);
}

/* Connections outlive transfers. */
static int on_close_socket(void *user, curl_socket_t fd)
{
    return sockets_close(user, fd);
}

/* With a proxy the address connected to is the proxy's, which the user named,
 * and it resolves the names; what is left to judge is a literal address and
 * the one name that means the proxy itself. */
static bool is_private_on_its_face(struct str host)
{
    struct sockaddr_storage address;

    if (address_of_literal(host, &address))
        return address_is_private((struct sockaddr *)&address);
    return str_eq(host, STR("localhost")) ||
           str_ends(host, STR(".localhost")) ||
           str_eq(host, STR("localhost.localdomain"));
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

/* One file and no directory (page/trust.h). An https proxy is no different. */
static void trust(CURL *easy, const struct fetch_options *options)
{
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
    curl_easy_setopt(easy, CURLOPT_CLOSESOCKETFUNCTION, on_close_socket);
    curl_easy_setopt(easy, CURLOPT_CLOSESOCKETDATA, transfer->sockets);
#if LIBCURL_VERSION_NUM >= 0x075000
    curl_easy_setopt(easy, CURLOPT_PREREQFUNCTION, transfer_on_request);
    curl_easy_setopt(easy, CURLOPT_PREREQDATA, transfer);
#endif
#if LIBCURL_VERSION_NUM >= 0x075700
    /* Do not wait at the end for a name lookup that hangs. */
    curl_easy_setopt(easy, CURLOPT_QUICK_EXIT, 1L);
#endif
}

struct transfer *transfer_new(const struct transfer_setup *setup,
                              struct bodies *bodies, struct sockets *sockets,
                              struct pins *pins)
{
    struct transfer *transfer = NEW(struct transfer);

    transfer->sockets = sockets;
    transfer->pins = pins;
    transfer->setup = setup;
    transfer->bodies = bodies;
    transfer->cut_as = OUTCOMES;
    transfer->hidden_fd = -1;
    buf_init(&transfer->body, setup->options->max_size);
    buf_init(&transfer->header, HEADER_BYTES_MAX);
    transfer->easy = curl_easy_init();
    assert(transfer->easy); /* pagefetcher_setup sees to memory */
    return transfer;
}

void transfer_free(struct transfer *transfer)
{
    curl_easy_cleanup(transfer->easy);
    curl_slist_free_all(transfer->pin);
    buf_release(&transfer->header);
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
    const char *target = url->href.ptr + url->path_start;
    bool is_led_elsewhere =
        options->proxy && named_has_rule(options->named, url);
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
    page->outcome = BAD_HTTP;
    if (url_parse(&url, &page->arena, page->url, NULL, NULL))
        return false;
    transfer->may_be_private =
        options->allow_private || options->proxy ||
        named_allows_private(options->named, url_host(&url), url.port);
    if (options->proxy && !options->allow_private &&
        is_private_on_its_face(url_host(&url)) &&
        !named_allows_private(options->named, url_host(&url), url.port)) {
        page->outcome = PRIVATE_ADDRESS;
        return false;
    }
    set_up_handle(transfer);
    describe_certificate(transfer, &url);
    curl_easy_setopt(transfer->easy, CURLOPT_HTTPHEADER,
                     named_gets_secrets(options->named, &url)
                         ? transfer->setup->headers
                         : transfer->setup->public_headers);
    const struct login *login = named_login(options->named, &url);
    if (login) {
        curl_easy_setopt(transfer->easy, CURLOPT_USERNAME, login->name.ptr);
        curl_easy_setopt(transfer->easy, CURLOPT_PASSWORD, login->password.ptr);
    }
    transfer->body.cap = page->kind == WEBPAGE_ROBOTS    ? ROBOTS_BODY_MAX
                         : page->kind == WEBPAGE_SITEMAP ? SITEMAP_BODY_MAX
                                                         : options->max_size;
    if (page->pin.len) {
        transfer->pin = pins_take(transfer->pins, page->pin);
        curl_easy_setopt(transfer->easy, CURLOPT_RESOLVE, transfer->pin);
        /* They are taken out when they are no longer used: it need not look,
         * unless it looks up names itself. */
        if (!transfer->setup->connect_to)
            curl_easy_setopt(transfer->easy, CURLOPT_DNS_CACHE_TIMEOUT, -1L);
    }
    aim(transfer, &url);
    return true;
}

static enum outcome outcome_of_code(CURLcode code)
{
    switch (code) {
    case CURLE_COULDNT_RESOLVE_HOST:
    case CURLE_COULDNT_RESOLVE_PROXY:
        return NO_DNS;
    case CURLE_COULDNT_CONNECT:
        return NOT_CONNECTED;
    case CURLE_OPERATION_TIMEDOUT:
        return TIMED_OUT;
    case CURLE_BAD_CONTENT_ENCODING:
    case CURLE_WRITE_ERROR: /* libcurl's decoders: ours have set cut_as */
        return BAD_ENCODING;
    case CURLE_SSL_CONNECT_ERROR:
    case CURLE_PEER_FAILED_VERIFICATION:
    case CURLE_SSL_CERTPROBLEM:
    case CURLE_SSL_CIPHER:
    case CURLE_SSL_CACERT_BADFILE:
    case CURLE_SSL_ISSUER_ERROR:
    case CURLE_SSL_INVALIDCERTSTATUS:
        return TLS_FAILED;
    case CURLE_GOT_NOTHING:
    case CURLE_PARTIAL_FILE:
    case CURLE_SEND_ERROR:
    case CURLE_RECV_ERROR:
        return CONNECTION_LOST;
    default:
        return BAD_HTTP;
    }
}

/* The same, by what else libcurl tells of a failed connection. */
static enum outcome outcome_of_failure(const struct transfer *transfer,
                                       CURLcode code)
{
    enum outcome outcome = outcome_of_code(code);
    long os_errno = 0, verify_result = 0;

    if (outcome == NOT_CONNECTED) {
        curl_easy_getinfo(transfer->easy, CURLINFO_OS_ERRNO, &os_errno);
        return connect_fault(os_errno);
    }
    if (outcome != TLS_FAILED)
        return outcome;
    curl_easy_getinfo(transfer->easy, CURLINFO_SSL_VERIFYRESULT,
                      &verify_result);
    return tls_fault(code, verify_result, str_of(transfer->message));
}

static enum outcome outcome_of_body(const struct transfer *transfer,
                                    struct str body)
{
    if (transfer->page->kind != WEBPAGE_HTML)
        return FETCHED;
    if (!body.len)
        return EMPTY_BODY;
    if (transfer->to_sniff && !sniffs_as_page(body))
        return NOT_HTML;
    return FETCHED;
}

/* A time-out before there was a connection is the host's trouble, one after
 * it the page's. */
static bool is_connected(const struct transfer *transfer)
{
    curl_off_t ready_us = 0;

    curl_easy_getinfo(transfer->easy, CURLINFO_PRETRANSFER_TIME_T, &ready_us);
    return ready_us > 0;
}

static uint64_t retry_after_ms(CURL *easy)
{
    curl_off_t seconds = 0;

    curl_easy_getinfo(easy, CURLINFO_RETRY_AFTER, &seconds);
    if (seconds < 0)
        return 0;
    return seconds < RETRY_AFTER_MAX_S ? (uint64_t)seconds * 1000
                                       : (uint64_t)RETRY_AFTER_MAX_S * 1000;
}

static enum outcome outcome_of(const struct transfer *transfer, CURLcode code)
{
    if (code == CURLE_OPERATION_TIMEDOUT && !is_connected(transfer))
        return CONNECT_TIMED_OUT;
    if (transfer->cut_as != OUTCOMES)
        return transfer->cut_as;
    if (code == CURLE_COULDNT_CONNECT && transfer->refused_private)
        return PRIVATE_ADDRESS;
    /* The body of such an answer is not wanted, so it may be broken. */
    if (transfer->headers_done && transfer->page->status != 200)
        return outcome_of_status(transfer->page);
    if (code != CURLE_OK)
        return outcome_of_failure(transfer, code);
    if (!transfer->headers_done)
        return CONNECTION_LOST; /* in the headers; to libcurl that is an end */
    /* What is coded is judged by what it means: transfer_decode. */
    return transfer->codings.count
               ? FETCHED
               : outcome_of_body(transfer, buf_str(&transfer->body));
}

static void keep_certificate_names(struct transfer *transfer)
{
    struct webpage *page = transfer->page;
    struct curl_certinfo *chain = NULL;
    struct buf names;

    if (page->outcome != TLS_NAME)
        return;
    curl_easy_getinfo(transfer->easy, CURLINFO_CERTINFO, &chain);
    if (!chain || chain->num_of_certs < 1)
        return;
    buf_init(&names, CERTIFICATE_NAMES_MAX);
    certificate_put_names(&names, chain->certinfo[0]);
    page->certificate_for = arena_copy(&page->arena, buf_str(&names));
    buf_release(&names);
}

void transfer_end(struct transfer *transfer, CURLcode code)
{
    struct webpage *page = transfer->page;

    page->end_ms = clock_mono_ms();
    /* A server learns that it was cut off later than we do. */
    if (transfer->cut_as != OUTCOMES)
        page->end_ms += CUT_NOTICE_MS;
    page->outcome = outcome_of(transfer, code);
    keep_certificate_names(transfer);
    page->retry_after_ms = retry_after_ms(transfer->easy);
    page->body = buf_str(&transfer->body);
    page->body_len = page->body.len;
}

void transfer_decode(struct transfer *transfer, struct buf *decoded)
{
    struct webpage *page = transfer->page;
    bool is_robots = page->kind == WEBPAGE_ROBOTS;

    if (!transfer->codings.count || page->outcome != FETCHED)
        return;
    buf_clear(decoded);
    decoded->cap = is_robots ? CODED_ROBOTS_MAX : transfer->body.cap;
    enum coding_end end = codings_undo(&transfer->codings, page->body, decoded);
    if (is_robots && decoded->len > ROBOTS_BODY_MAX)
        decoded->len = ROBOTS_BODY_MAX;
    page->body = buf_str(decoded);
    page->body_len = page->body.len;
    page->outcome = end == CODING_WHOLE ? outcome_of_body(transfer, page->body)
                    : end == CODING_TOO_LARGE ? TOO_LARGE
                                              : BAD_ENCODING;
}

void transfer_clear(struct transfer *transfer)
{
    if (transfer->pin) {
        curl_easy_setopt(transfer->easy, CURLOPT_RESOLVE, NULL);
        curl_slist_free_all(transfer->pin);
        transfer->pin = NULL;
        pins_drop(transfer->pins, transfer->page->pin);
    }
    transfer->page = NULL;
    transfer->unwanted_bytes = 0;
    transfer->refused_private = transfer->to_sniff = false;
    transfer->cut_as = OUTCOMES;
    transfer->message[0] = '\0';
    transfer->is_waiting = false;
    transfer->requests = 0;
    transfer->seen_ms = 0;
    transfer_forget_headers(transfer);
    bodies_drop(transfer->bodies, &transfer->body);
}
