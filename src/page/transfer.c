#include "page/transfer.h"

#include <assert.h>
#include <netinet/in.h>
#include <stdlib.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/hashtable.h"
#include "base/mem.h"
#include "page/cookies.h"
#include "page/private_address.h"
#include "page/proxies.h"
#include "page/secret.h"

enum {
    CERTIFICATES_DESCRIBED = 4,
    RECEIVE_BUFFER = 64 * 1024,
    DNS_RULE_MAX = 64,
    HEADER_KEEP_MAX = 4096,
    REQUEST_MAX = 16 << 20, /* more than a command line can have of headers */
    /* Where a connection dies before an answer libcurl asks again by itself,
     * up to six times. Connections that were kept may be dead, one or two. */
    REQUESTS_MAX = 3,
    /* While others wait for memory, a large body has to grow so much. */
    SLOW_MS = 1000,
    SLOW_BYTES = 256 * 1024,
};

/* --- the request ------------------------------------------------------- */

/* Whatever is sent before on_request is for a proxy: CONNECT. libcurl shows as
 * data what does not go out in the first write, but a request of ours has only
 * a head. */
static int on_debug(CURL *easy, curl_infotype type, char *bytes, size_t len,
                    void *user)
{
    struct transfer *transfer = user;

    (void)easy;
    if (transfer->requests &&
        (type == CURLINFO_HEADER_OUT || type == CURLINFO_DATA_OUT))
        buf_put(&transfer->request_head, (struct str){bytes, len});
    return 0;
}

static int on_request(void *user, char *ip, char *local_ip, int port,
                      int local_port)
{
    struct transfer *transfer = user;
    const struct fetch_options *options = transfer->setup->options;

    (void)ip, (void)local_ip, (void)port;
    if (transfer->closes_fd >= 0)
        return CURL_PREREQFUNC_ABORT;
    if (options->may_send && !options->may_send(options->may_send_user)) {
        transfer->cut_as = ABANDONED;
        return CURL_PREREQFUNC_ABORT;
    }
    buf_clear(&transfer->request_head);
    /* An end that the server announced before was of another connection. */
    transfer->is_tls_closed = false;
    /* libcurl tells which socket it uses when it has to wait. On a connection
     * that is used again the whole answer may be there before that. */
    int fd = transfer->tls_host.len
                 ? connections_take_at(transfer->setup->connections,
                                       transfer->origin, local_port, transfer)
                 : -1;
    if (fd >= 0)
        transfer->fd = fd;
    /* If it asked again after an answer has begun, that part would be put
     * before the next answer. */
    if (++transfer->requests <= REQUESTS_MAX && !transfer->header_bytes)
        return CURL_PREREQFUNC_OK;
    transfer->cut_as = CONNECTION_LOST;
    return CURL_PREREQFUNC_ABORT;
}

/* --- addresses --------------------------------------------------------- */

/* The address instead of the one that stands in for it; see put_stand_in. They
 * are of one family, and libcurl's struct has room for either. */
static void put_address(const struct transfer *transfer,
                        struct curl_sockaddr *address)
{
    struct sockaddr_storage whole = transfer->address;
    char *to = (char *)address + offsetof(struct curl_sockaddr, addr);

    if (!transfer->has_address || address->family != whole.ss_family)
        return;
    if (whole.ss_family == AF_INET)
        ((struct sockaddr_in *)&whole)->sin_port =
            ((struct sockaddr_in *)(void *)to)->sin_port;
    else
        ((struct sockaddr_in6 *)&whole)->sin6_port =
            ((struct sockaddr_in6 *)(void *)to)->sin6_port;
    memcpy(to, &whole, address->addrlen);
}

/* A page must not lead a crawl to its own orders. */
static bool is_refused(const struct transfer *transfer,
                       const struct sockaddr *address)
{
    const struct sockaddr *own = transfer->setup->options->own_address;

    return (!transfer->may_be_private && address_is_private(address)) ||
           (own && address_leads_to(address, own));
}

/* Without a rule libcurl might look up a name on the way. */
static struct connection_way way_of(const struct transfer *transfer)
{
    const struct url *url = webpage_url_parts(transfer->page);

    if (!transfer->dns_override)
        return (struct connection_way){0};
    return (struct connection_way){
        .url = mem_checked(
            strndup(url->href.ptr, url->href.len - url_path_query(url).len)),
        .rule = mem_checked(strdup(transfer->dns_override->data)),
    };
}

static curl_socket_t on_open_socket(void *user, curlsocktype purpose,
                                    struct curl_sockaddr *address)
{
    struct transfer *transfer = user;

    (void)purpose;
    if (transfer->closes_fd >= 0)
        return CURL_SOCKET_BAD;
    put_address(transfer, address);
    if (is_refused(transfer, &address->addr)) {
        transfer->refused_private = true;
        return CURL_SOCKET_BAD;
    }
    int fd = socket(address->family, address->socktype | SOCK_CLOEXEC,
                    address->protocol);
    if (fd >= 0)
        connections_opened(transfer->setup->connections, fd, transfer->origin,
                           way_of(transfer));
    return fd;
}

static int on_close_socket(void *user, curl_socket_t fd)
{
    connections_closed(user, fd);
    return close(fd);
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

/* --- what all transfers share ------------------------------------------- */

/* Libcurl from 7.83 to 8.1 keeps a pointer to the last header of a handle's
 * former round, and an answer whose first header line begins with a blank, as
 * if it went on with a header, makes it write there, into freed memory. With
 * CURLOPT_HEADER these versions show each header line to the callback of the
 * body before they store it, so that such an answer can be cut in time. */
static bool must_preview_headers(void)
{
    unsigned version = curl_version_info(CURLVERSION_NOW)->version_num;

    return version >= 0x075300 && version < 0x080200;
}

/* One without a value is sent so; to libcurl that is another spelling. */
static struct curl_slist *add_header(struct curl_slist *list,
                                     const char *header)
{
    struct str_pair parts = str_cut(str_of(header), ':');
    struct buf empty;

    if (str_trim(parts.tail).len)
        return curl_slist_append(list, header);
    buf_init(&empty, parts.head.len + 2);
    buf_put(&empty, parts.head);
    buf_put_char(&empty, ';');
    list = curl_slist_append(list, buf_cstr(&empty));
    buf_release(&empty);
    return list;
}

/* Add ours unless the user has one of that name. */
static void add_default(struct transfer_setup *setup, const char *header)
{
    struct str name = str_cut(str_of(header), ':').head;

    for (const char *const *own = setup->options->headers; own && *own; own++)
        if (str_eq_nocase(str_cut(str_of(*own), ':').head, name))
            return;
    setup->headers = curl_slist_append(setup->headers, header);
    setup->public_headers = curl_slist_append(setup->public_headers, header);
}

void transfer_setup_init(struct transfer_setup *setup,
                         const struct fetch_options *options)
{
    *setup = (struct transfer_setup){
        .options = options,
        .preview_headers = must_preview_headers(),
    };
    for (const struct connect_rule *rule = options->origins->rules; rule;
         rule = rule->next)
        setup->connect_to =
            curl_slist_append(setup->connect_to, rule->text.ptr);
    for (const char *const *own = options->headers; own && *own; own++) {
        setup->headers = add_header(setup->headers, *own);
        if (!secret_header(str_of(*own)).len)
            setup->public_headers = add_header(setup->public_headers, *own);
    }
    add_default(setup, "Accept: text/html,application/xhtml+xml,*/*;q=0.1");
    add_default(setup, options->only_gzip
                           ? "Accept-Encoding: gzip"
                           : "Accept-Encoding: " CODINGS_ACCEPTED);
}

void transfer_setup_release(struct transfer_setup *setup)
{
    curl_slist_free_all(setup->headers);
    curl_slist_free_all(setup->public_headers);
    curl_slist_free_all(setup->connect_to);
}

/* --- setting up -------------------------------------------------------- */

/* Before every round: libcurl counts how often it had to try a connection
 * again that had died, and starts to count anew only after a reset. */
static void set_up_handle(struct transfer *transfer)
{
    const struct transfer_setup *setup = transfer->setup;
    const struct fetch_options *options = setup->options;
    CURL *easy = transfer->easy;

    curl_easy_reset(easy);
    curl_easy_setopt(easy, CURLOPT_PROTOCOLS_STR, "http,https");
    curl_easy_setopt(easy, CURLOPT_PRIVATE, transfer);
    curl_easy_setopt(easy, CURLOPT_NOSIGNAL, 1L);
    curl_easy_setopt(easy, CURLOPT_PATH_AS_IS, 1L);
    curl_easy_setopt(easy, CURLOPT_BUFFERSIZE, (long)RECEIVE_BUFFER);
    curl_easy_setopt(easy, CURLOPT_HTTP_VERSION, CURL_HTTP_VERSION_1_1);
    curl_easy_setopt(easy, CURLOPT_USERAGENT, options->user_agent);
    curl_easy_setopt(easy, CURLOPT_CONNECT_TO, setup->connect_to);
    curl_easy_setopt(easy, CURLOPT_SUPPRESS_CONNECT_HEADERS, 1L);
    curl_easy_setopt(easy, CURLOPT_PROXY,
                     transfer->proxy ? transfer->proxy : "");
    curl_easy_setopt(easy, CURLOPT_NOPROXY, ""); /* nor the environment's */
    curl_easy_setopt(easy, CURLOPT_TIMEOUT_MS, (long)options->timeout_ms);
    curl_easy_setopt(easy, CURLOPT_CONNECTTIMEOUT_MS,
                     (long)options->timeout_ms);
    transfer_set_up_tls(transfer);
    curl_easy_setopt(easy, CURLOPT_ERRORBUFFER, transfer->message);
    if (setup->preview_headers)
        curl_easy_setopt(easy, CURLOPT_HEADER, 1L);
    curl_easy_setopt(easy, CURLOPT_HEADERFUNCTION, transfer_on_header);
    curl_easy_setopt(easy, CURLOPT_HEADERDATA, transfer);
    curl_easy_setopt(easy, CURLOPT_WRITEFUNCTION, transfer_on_body);
    curl_easy_setopt(easy, CURLOPT_WRITEDATA, transfer);
    curl_easy_setopt(easy, CURLOPT_OPENSOCKETFUNCTION, on_open_socket);
    curl_easy_setopt(easy, CURLOPT_OPENSOCKETDATA, transfer);
    curl_easy_setopt(easy, CURLOPT_CLOSESOCKETFUNCTION, on_close_socket);
    curl_easy_setopt(easy, CURLOPT_CLOSESOCKETDATA, setup->connections);
    curl_easy_setopt(easy, CURLOPT_MAXAGE_CONN, (long)CONNECTION_AGE_MAX_S);
    curl_easy_setopt(easy, CURLOPT_PREREQFUNCTION, on_request);
    curl_easy_setopt(easy, CURLOPT_PREREQDATA, transfer);
    if (options->wishes & WISH_REQUEST_HEAD) {
        curl_easy_setopt(easy, CURLOPT_VERBOSE, 1L);
        curl_easy_setopt(easy, CURLOPT_DEBUGFUNCTION, on_debug);
        curl_easy_setopt(easy, CURLOPT_DEBUGDATA, transfer);
    }
    /* Do not wait at the end for a name lookup that hangs. */
    curl_easy_setopt(easy, CURLOPT_QUICK_EXIT, 1L);
}

struct transfer *transfer_new(const struct transfer_setup *setup,
                              struct bodies *bodies)
{
    struct transfer *transfer = NEW(struct transfer);

    transfer->setup = setup;
    transfer->bodies = bodies;
    transfer->cut_as = transfer->judged = OUTCOMES;
    transfer->hidden_fd = transfer->fd = transfer->closes_fd = -1;
    buf_init(&transfer->body, setup->options->max_size);
    buf_init(&transfer->header, HEADER_BYTES_MAX);
    buf_init(&transfer->request_head, REQUEST_MAX);
    buf_init(&transfer->response_head, HEADER_BYTES_MAX);
    transfer->easy = curl_easy_init();
    assert(transfer->easy); /* pagefetcher_setup sees to memory */
    return transfer;
}

void transfer_free(struct transfer *transfer)
{
    curl_easy_cleanup(transfer->easy);
    curl_slist_free_all(transfer->dns_override);
    buf_release(&transfer->header);
    buf_release(&transfer->request_head);
    buf_release(&transfer->response_head);
    bodies_drop(transfer->bodies, &transfer->body);
    transfer_drop_spool(transfer);
    free(transfer);
}

/* An http proxy is asked for the page itself; through any other, and through
 * one that has to connect elsewhere, the server is. */
static bool asks_proxy(const char *proxy, const struct url *url,
                       bool is_led_elsewhere)
{
    struct str scheme = str_first(str_of(proxy), 5);

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
        transfer->proxy && origins_has_rule(options->origins, url);
    struct buf whole;

    buf_init(&whole, URL_LEN_MAX + 8);
    if (transfer->proxy && asks_proxy(transfer->proxy, url, is_led_elsewhere)) {
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

/* libcurl has one list of connections for each address that it connects to, and
 * for each transfer it looks for a good one among them and at whether they are
 * alive. Thousands of hosts may share an address. So each host gets an address
 * of its own from networks that nobody has (240.0.0.0/4, 100::/64), and
 * on_open_socket puts the true one in its place. */
static void put_stand_in(struct transfer *transfer, struct buf *rule,
                         const struct url *url)
{
    struct str address = transfer->page->dns_override;
    uint64_t hash = hash64(address, hash64(url_host(url), url->port));

    if (!address_of_literal(address, &transfer->address)) {
        buf_put(rule, address);
        return;
    }
    transfer->has_address = true;
    if (transfer->address.ss_family == AF_INET)
        buf_printf(rule, "%u.%u.%u.%u", 240 + (unsigned)(hash & 7),
                   (unsigned)(hash >> 8 & 255), (unsigned)(hash >> 16 & 255),
                   (unsigned)(hash >> 24 & 255));
    else
        buf_printf(rule, "[100::%x:%x:%x:%x]", (unsigned)(hash & 0xffff),
                   (unsigned)(hash >> 16 & 0xffff),
                   (unsigned)(hash >> 32 & 0xffff), (unsigned)(hash >> 48));
}

/* Connect to the address that the pauses count for, not to what another look-up
 * might give. It is the address of what a --connect-to rule leads to, whose
 * port is added. A proxy has its own address. */
static void override_dns(struct transfer *transfer, const struct url *url)
{
    const struct fetch_options *options = transfer->setup->options;
    struct buf rule;

    if (!transfer->page->dns_override.len || transfer->proxy)
        return;
    buf_init(&rule, DNS_RULE_MAX);
    buf_put(&rule, STR("::"));
    put_stand_in(transfer, &rule, url);
    buf_put(&rule, STR(":"));
    buf_put(&rule,
            origins_connect_port(options->origins, url_host(url), url->port));
    transfer->dns_override = curl_slist_append(NULL, buf_cstr(&rule));
    buf_release(&rule);
    curl_easy_setopt(transfer->easy, CURLOPT_CONNECT_TO,
                     transfer->dns_override);
    /* libcurl walks through all that it remembers after every transfer. */
    curl_easy_setopt(transfer->easy, CURLOPT_DNS_CACHE_TIMEOUT, 0L);
}

/* The proxy for this URL, or NULL. */
static const char *proxy_of(const struct fetch_options *options,
                            const struct url *url)
{
    return options->proxies ? proxies_for(options->proxies, url)
                            : options->proxy;
}

/* Scheme, host and port in one number. Through a proxy that is asked for pages
 * every connection serves all hosts. */
uint64_t pagefetcher_origin(const struct fetch_options *options,
                            const struct url *url)
{
    const char *proxy = proxy_of(options, url);

    if (proxy &&
        asks_proxy(proxy, url, origins_has_rule(options->origins, url)))
        return 0;
    return hash64(url_host(url), (uint64_t)url->port << 1 | url->https);
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

size_t transfer_body_max(const struct fetch_options *options,
                         enum webpage_kind kind)
{
    switch (kind) {
    case WEBPAGE_ROBOTS:
        return ROBOTS_BODY_MAX;
    case WEBPAGE_SITEMAP:
        return SITEMAP_BODY_MAX;
    default:
        return options->max_size;
    }
}

/* libcurl's own cookies stay off: it sends these as they are. */
static void set_cookies(struct transfer *transfer, const struct url *url)
{
    struct buf value;

    buf_init(&value, COOKIE_HEADER_MAX);
    transfer->exchange->cookies_sent = cookies_put(
        transfer->setup->options->cookies, url, clock_wall_ms() / 1000, &value);
    if (value.len)
        curl_easy_setopt(transfer->easy, CURLOPT_COOKIE, buf_cstr(&value));
    buf_release(&value);
}

bool transfer_begin(struct transfer *transfer, struct webpage *page)
{
    const struct fetch_options *options = transfer->setup->options;
    const struct url *url = webpage_url_parts(page);

    transfer->page = page;
    transfer->exchange = &page->exchange;
    page->exchange.outcome = BAD_HTTP;
    if (!url)
        return false;
    transfer->proxy = proxy_of(options, url);
    transfer->may_be_private =
        options->allow_private || transfer->proxy ||
        origins_allow_private(options->origins, url_host(url), url->port);
    if (transfer->proxy && !options->allow_private &&
        is_private_on_its_face(url_host(url)) &&
        !origins_allow_private(options->origins, url_host(url), url->port)) {
        page->exchange.outcome = PRIVATE_ADDRESS;
        return false;
    }
    transfer->tls_host = url->https ? url_host(url) : (struct str){0};
    transfer->tls_port = url->port;
    transfer->is_tls_closed = false;
    set_up_handle(transfer);
    describe_certificate(transfer, url);
    curl_easy_setopt(transfer->easy, CURLOPT_HTTPHEADER,
                     origins_get_secrets(options->origins, url)
                         ? transfer->setup->headers
                         : transfer->setup->public_headers);
    const struct login *login = origins_login(options->origins, url);
    if (login) {
        curl_easy_setopt(transfer->easy, CURLOPT_USERNAME, login->name.ptr);
        curl_easy_setopt(transfer->easy, CURLOPT_PASSWORD, login->password.ptr);
    }
    if (options->cookies)
        set_cookies(transfer, url);
    curl_easy_setopt(transfer->easy, CURLOPT_NOBODY, (long)page->is_only_head);
    transfer->body.cap =
        page->is_body_unwanted ? 1 : transfer_body_max(options, page->kind);
    transfer->fd = -1;
    transfer->has_address = false;
    transfer->origin = page->origin = pagefetcher_origin(options, url);
    override_dns(transfer, url);
    aim(transfer, url);
    return true;
}

void transfer_aim_at_connection(struct transfer *transfer, int fd,
                                uint64_t origin,
                                const struct connection_way *way)
{
    transfer->origin = origin;
    transfer->proxy = NULL;
    transfer->closes_fd = fd;
    set_up_handle(transfer);
    transfer->dns_override = curl_slist_append(NULL, way->rule);
    curl_easy_setopt(transfer->easy, CURLOPT_CONNECT_TO,
                     transfer->dns_override);
    curl_easy_setopt(transfer->easy, CURLOPT_URL, way->url);
}

bool transfer_is_slow(struct transfer *transfer, uint64_t now_ms)
{
    size_t len = transfer_body_len(transfer);

    if (transfer->is_waiting || len <= BODY_SMALL)
        return false;
    if (transfer->seen_ms && now_ms - transfer->seen_ms < SLOW_MS)
        return false;
    bool is_slow = transfer->seen_ms && len - transfer->seen_len < SLOW_BYTES;
    transfer->seen_ms = now_ms;
    transfer->seen_len = len;
    return is_slow;
}

static void clear(struct buf *head)
{
    buf_clear(head);
    if (head->room > HEADER_KEEP_MAX)
        buf_release(head);
}

void transfer_clear(struct transfer *transfer)
{
    curl_easy_setopt(transfer->easy, CURLOPT_CONNECT_TO, NULL);
    curl_slist_free_all(transfer->dns_override);
    transfer->dns_override = NULL;
    transfer->exchange->request_head = transfer->exchange->response_head =
        transfer->exchange->body_as_sent = transfer->exchange->body =
            transfer->exchange->peer = (struct str){0};
    transfer->exchange->spooled = NULL;
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
    clear(&transfer->header);
    clear(&transfer->request_head);
    clear(&transfer->response_head);
    bodies_drop(transfer->bodies, &transfer->body);
    transfer_drop_spool(transfer);
}
