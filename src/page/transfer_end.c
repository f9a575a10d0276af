/* How a transfer ended: the exchange that is made of it. */
#include "base/clock.h"
#include "base/spool.h"
#include "page/connect_fault.h"
#include "page/mime.h"
#include "page/secret.h"
#include "page/transfer.h"
#include "web/url.h"

enum {
    /* Of a robots.txt as it would be without its coding, before the rest of it
     * is dropped. */
    CODED_ROBOTS_MAX = 16 << 20,
    RETRY_AFTER_MAX_S = 3600,
    CUT_NOTICE_MS = 50,
    CERTIFICATE_NAMES_MAX = 300, /* bytes */
    PROXY_SHOWN_MAX = 4096,
};

/* --- the outcome ------------------------------------------------------- */

static bool is_redirect(int status)
{
    return status == 301 || status == 302 || status == 303 || status == 307 ||
           status == 308;
}

enum outcome transfer_outcome_of_status(const struct exchange *exchange)
{
    if (is_redirect(exchange->status))
        return exchange->location.len ? REDIRECTED : BAD_REDIRECT;
    if (exchange->status == 429)
        return HTTP_TOO_MANY;
    if (exchange->status / 100 == 4)
        return HTTP_CLIENT_ERROR;
    if (exchange->status / 100 == 5)
        return HTTP_SERVER_ERROR;
    return HTTP_OTHER;
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

/* The type says nothing, and neither do the bytes. */
static bool is_unknown_type_wanted(const struct transfer *transfer)
{
    return mime_list_has(&transfer->setup->options->types, (struct str){0});
}

static enum outcome outcome_of_body(const struct transfer *transfer,
                                    struct str body)
{
    if (transfer->page->kind != WEBPAGE_HTML)
        return FETCHED;
    if (!body.len && !transfer->spooled)
        return EMPTY_BODY;
    if (!transfer->to_sniff || mime_sniffs_as_html(body))
        return FETCHED;
    transfer->exchange->is_other_type = is_unknown_type_wanted(transfer);
    return transfer->exchange->is_other_type ? FETCHED : NOT_HTML;
}

/* A time-out before there was a connection is the host's trouble, one after
 * it the page's. */
static bool is_connected(const struct transfer *transfer)
{
    curl_off_t ready_us = 0;

    curl_easy_getinfo(transfer->easy, CURLINFO_PRETRANSFER_TIME_T, &ready_us);
    return ready_us > 0;
}

static uint64_t retry_after_ms(const struct transfer *transfer)
{
    curl_off_t seconds = 0;

    curl_easy_getinfo(transfer->easy, CURLINFO_RETRY_AFTER, &seconds);
    if (transfer->is_retry_endless)
        seconds = RETRY_AFTER_MAX_S;
    if (seconds < 0)
        return 0;
    return seconds < RETRY_AFTER_MAX_S ? (uint64_t)seconds * 1000
                                       : (uint64_t)RETRY_AFTER_MAX_S * 1000;
}

static enum outcome outcome_of(const struct transfer *transfer, CURLcode code)
{
    if (code == CURLE_OPERATION_TIMEDOUT && !is_connected(transfer))
        return CONNECT_TIMED_OUT;
    if (transfer->judged != OUTCOMES && transfer->cut_as != ABANDONED)
        return transfer->judged;
    if (transfer->cut_as != OUTCOMES)
        return transfer->cut_as;
    if (code == CURLE_COULDNT_CONNECT && transfer->refused_private)
        return PRIVATE_ADDRESS;
    /* The body of such an answer is not wanted, so it may be broken. */
    if (transfer->headers_done && transfer->exchange->status != 200)
        return transfer_outcome_of_status(transfer->exchange);
    if (transfer->headers_done && transfer->page->is_only_head)
        return EMPTY_BODY; /* nobody asked for one */
    if (code != CURLE_OK)
        return outcome_of_failure(transfer, code);
    if (!transfer->headers_done || transfer_is_tls_cut(transfer))
        return CONNECTION_LOST; /* in the headers; to libcurl that is an end */
    /* What is coded is judged by what it means: transfer_decode. */
    return transfer->codings.count && !transfer->spooled
               ? FETCHED
               : outcome_of_body(transfer, buf_str(&transfer->body));
}

/* --- the rest of the exchange ------------------------------------------ */

static enum response_end end_of_cut(const struct transfer *transfer)
{
    if (transfer->unwanted_bytes > UNWANTED_BYTES_MAX)
        return RESPONSE_CUT_BY_SIZE;
    switch (transfer->cut_as) {
    case TOO_LARGE:
    case FETCHED: /* a robots.txt, as far as it counts */
        return RESPONSE_CUT_BY_SIZE;
    case TIMED_OUT:
        return RESPONSE_CUT_BY_TIME;
    case CONNECTION_LOST:
        return RESPONSE_CUT_BY_SERVER;
    default:
        return RESPONSE_CUT_BY_US;
    }
}

static enum response_end end_of(const struct transfer *transfer, CURLcode code)
{
    if (!transfer->exchange->status)
        return RESPONSE_NONE;
    if (transfer->cut_as != OUTCOMES)
        return end_of_cut(transfer);
    switch (code) {
    case CURLE_OK:
        return transfer->headers_done && !transfer_is_tls_cut(transfer)
                   ? RESPONSE_WHOLE
                   : RESPONSE_CUT_BY_SERVER;
    case CURLE_OPERATION_TIMEDOUT:
        return RESPONSE_CUT_BY_TIME;
    case CURLE_PARTIAL_FILE:
    case CURLE_RECV_ERROR:
    case CURLE_GOT_NOTHING:
        return RESPONSE_CUT_BY_SERVER;
    default:
        return RESPONSE_CUT_BY_US;
    }
}

static void keep_certificate_names(struct transfer *transfer)
{
    struct exchange *exchange = transfer->exchange;
    struct curl_certinfo *chain = NULL;
    struct buf names;

    if (exchange->outcome != TLS_NAME)
        return;
    curl_easy_getinfo(transfer->easy, CURLINFO_CERTINFO, &chain);
    if (!chain || chain->num_of_certs < 1)
        return;
    buf_init(&names, CERTIFICATE_NAMES_MAX);
    certificate_put_names(&names, chain->certinfo[0]);
    exchange->certificate_for =
        arena_copy(&transfer->page->arena, buf_str(&names));
    buf_release(&names);
}

/* Did the connection to the proxy fail, or did the proxy refuse to connect to
 * the server? `*status` is its answer, or 0. */
static bool is_proxy_at_fault(const struct transfer *transfer, CURLcode code,
                              long *status)
{
    curl_off_t connected_us = 0;

    *status = 0;
    if (!transfer->proxy || code == CURLE_OK)
        return false;
    curl_easy_getinfo(transfer->easy, CURLINFO_HTTP_CONNECTCODE, status);
    if (*status >= 300)
        return true;
    curl_easy_getinfo(transfer->easy, CURLINFO_CONNECT_TIME_T, &connected_us);
    return code == CURLE_COULDNT_RESOLVE_PROXY || code == CURLE_PROXY ||
           code == CURLE_COULDNT_CONNECT ||
           (transfer->exchange->outcome == CONNECT_TIMED_OUT && !connected_us);
}

static void keep_proxy_at_fault(struct transfer *transfer, CURLcode code)
{
    struct arena *arena = &transfer->page->arena;
    struct buf text;
    long status;

    if (!is_proxy_at_fault(transfer, code, &status))
        return;
    buf_init(&text, PROXY_SHOWN_MAX);
    buf_put(&text, str_of(login_hide(arena, transfer->proxy)));
    if (status >= 300)
        buf_printf(&text, " (status %ld)", status);
    transfer->exchange->proxy_at_fault = arena_copy(arena, buf_str(&text));
    buf_release(&text);
}

static struct str without_brackets(struct str address)
{
    if (!str_starts(address, STR("[")))
        return address;
    return str_first(str_skip(address, 1), address.len - 2);
}

static struct str peer_of(const struct transfer *transfer)
{
    const struct fetch_options *options = transfer->setup->options;
    char *address = NULL;

    if (!(options->wishes & WISH_PEER) || transfer->proxy)
        return (struct str){0};
    if (transfer->has_address)
        return without_brackets(transfer->page->dns_override);
    curl_easy_getinfo(transfer->easy, CURLINFO_PRIMARY_IP, &address);
    return str_of(address ? address : "");
}

/* The slices of what is kept; what nobody wished for is empty. */
static void show_bytes(struct transfer *transfer)
{
    struct exchange *exchange = transfer->exchange;

    exchange->request_head = secret_leave_out(&transfer->request_head);
    if (transfer->headers_done)
        exchange->response_head = buf_str(&transfer->response_head);
    exchange->peer = peer_of(transfer);
    exchange->codings = transfer->codings;
    exchange->is_coding_unknown = transfer->is_coding_unknown;
    exchange->body_as_sent = buf_str(&transfer->body);
    if (exchange->status == 200 && !transfer->codings.count &&
        !transfer->is_coding_unknown)
        exchange->body = exchange->body_as_sent;
    exchange->spooled = transfer->spooled;
    exchange->body_len =
        transfer->spooled ? transfer->spooled->len : exchange->body.len;
    exchange->received =
        transfer->header_bytes + (transfer->unwanted_bytes
                                      ? transfer->unwanted_bytes
                                      : transfer_body_len(transfer));
}

void transfer_end(struct transfer *transfer, CURLcode code)
{
    struct exchange *exchange = transfer->exchange;

    exchange->end_ms = clock_mono_ms();
    /* A server learns that it was cut off later than we do. */
    if (transfer->cut_as != OUTCOMES && !transfer->setup->options->from)
        exchange->end_ms += CUT_NOTICE_MS;
    exchange->outcome = outcome_of(transfer, code);
    exchange->end = end_of(transfer, code);
    keep_certificate_names(transfer);
    keep_proxy_at_fault(transfer, code);
    transfer_end_tls(transfer, exchange->outcome);
    exchange->retry_after_ms = retry_after_ms(transfer);
    show_bytes(transfer);
}

void transfer_give_up(struct transfer *transfer, enum outcome outcome)
{
    struct exchange *exchange = transfer->exchange;

    exchange->outcome = outcome;
    exchange->end = exchange->status ? RESPONSE_CUT_BY_US : RESPONSE_NONE;
}

void transfer_decode(struct transfer *transfer, struct buf *decoded)
{
    struct exchange *exchange = transfer->exchange;
    bool is_robots = transfer->page->kind == WEBPAGE_ROBOTS;

    if (!transfer->codings.count || transfer->spooled ||
        exchange->outcome != FETCHED)
        return;
    buf_clear(decoded);
    decoded->cap = is_robots ? CODED_ROBOTS_MAX : transfer->body.cap;
    enum coding_end end =
        codings_undo(&transfer->codings, exchange->body_as_sent, decoded);
    if (is_robots && decoded->len > ROBOTS_BODY_MAX)
        decoded->len = ROBOTS_BODY_MAX;
    if (end == CODING_WHOLE)
        exchange->body = buf_str(decoded);
    exchange->body_len = exchange->body.len;
    exchange->outcome = end == CODING_WHOLE
                            ? outcome_of_body(transfer, exchange->body)
                        : end == CODING_TOO_LARGE ? TOO_LARGE
                                                  : BAD_ENCODING;
}
