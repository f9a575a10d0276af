/* The handler of `crawler serve` (replay/replay.h), over a pair of sockets:
 * what is looked up for which request, our own pages, and tunnels with and
 * without TLS. The collection is a table; tests/cli/serve.bats has real ones.
 */
#include <openssl/err.h>
#include <openssl/pem.h>
#include <openssl/ssl.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <unistd.h>

#include <cmocka.h>

#include "replay/replay.h"
#include "web/url.h"

#define OWN_ADDRESS "127.0.0.1:8080"
#define OWN_HOST    "Host: " OWN_ADDRESS "\r\n"

enum { SECOND_US = 1000 * 1000, DAY_MS = 24 * 3600 * 1000, LARGE = 3 << 20 };

/* --- the collection ------------------------------------------------------ */

static const struct {
    const char *url;
    uint64_t day; /* since 1970 */
    int status;
    const char *head, *body;
} captures[] = {
    {"http://a.test/", 100, 200, "HTTP/1.1 200 OK\r\nX: old\r\n\r\n", "old"},
    {"http://a.test/", 200, 200, "HTTP/1.1 200 OK\r\nX: new\r\n\r\n", "new"},
    {"http://a.test/a?b", 100, 302, "HTTP/1.1 302 \r\nLocation: /\r\n\r\n", ""},
    {"http://a.test/%C3%A9", 100, 200, "HTTP/1.1 200 OK\r\n\r\n", "escaped"},
    {"http://a.test/bar|x?|", 100, 200, "HTTP/1.1 200 OK\r\n\r\n", "bar"},
    {"http://a.test/7%7Cx", 100, 200, "HTTP/1.1 200 OK\r\n\r\n", "escape"},
    {"http://a.test:8080/", 100, 200, "HTTP/1.1 200 OK\r\n\r\n", "port"},
    {"https://a.test/s", 100, 200, "HTTP/1.1 200 OK\r\n\r\n", "secure"},
    {"https://a.test:8443/s", 100, 200, "HTTP/1.1 200 OK\r\n\r\n", "8443"},
    {"https://[::1]/s", 100, 200, "HTTP/1.1 200 OK\r\n\r\n", "six"},
    {"http://a.test/101", 100, 101, "HTTP/1.1 101 Switch\r\n\r\n", ""},
    {"http://127.0.0.1:8080/", 100, 200, "HTTP/1.1 200 OK\r\n\r\n", "hidden"},
    {"http://a.test/\"><script>", 100, 200, "HTTP/1.1 200 OK\r\n\r\n", "x"},
    {"javascript:alert(1)", 100, 200, "HTTP/1.1 200 OK\r\n\r\n", "x"},
    {"https://a.test/large", 100, 200, "HTTP/1.1 200 OK\r\n\r\n", NULL},
};

static char large[LARGE];

static void read_capture(size_t i, struct captured *captured)
{
    *captured = (struct captured){
        .url = str_of(captures[i].url),
        .date_ms = captures[i].day * DAY_MS,
        .http = {.status = captures[i].status,
                 .head = str_of(captures[i].head),
                 .body = captures[i].body ? str_of(captures[i].body)
                                          : (struct str){large, LARGE},
                 .mime = STR("text/html")},
    };
    captured->body.len = captured->http.body.len;
}

static uint64_t distance(uint64_t a, uint64_t b)
{
    return a < b ? b - a : a - b;
}

const char *collection_problem(const struct collection *collection)
{
    (void)collection;
    return "the test says so";
}

enum collection_answer collection_find(struct collection *collection,
                                       struct str url, uint64_t near_ms,
                                       struct captured *captured)
{
    uint64_t best = UINT64_MAX;
    struct arena arena;
    struct url parsed;

    (void)collection;
    arena_init(&arena);
    if (!url_parse(&parsed, &arena, url, NULL, NULL))
        url = parsed.href;
    for (size_t i = 0; i < ARRAY_LEN(captures); i++) {
        uint64_t far = distance(captures[i].day * DAY_MS, near_ms);

        if (!str_eq(url, str_of(captures[i].url)) || far >= best)
            continue;
        best = far;
        read_capture(i, captured);
    }
    bool is_unreadable = str_eq(url, STR("http://a.test/unreadable"));
    arena_release(&arena);
    if (is_unreadable)
        return CAPTURE_UNREADABLE;
    return best < UINT64_MAX ? CAPTURE_FOUND : CAPTURE_NONE;
}

bool collection_each(struct collection *collection,
                     bool (*each)(void *user, const struct captured *captured),
                     void *user)
{
    struct captured captured;

    (void)collection;
    for (size_t i = 0; i < ARRAY_LEN(captures); i++) {
        read_capture(i, &captured);
        if (!each(user, &captured))
            return false;
    }
    return true;
}

size_t collection_count(const struct collection *collection)
{
    (void)collection;
    return ARRAY_LEN(captures);
}

/* --- the stage ----------------------------------------------------------- */

struct stage {
    struct replay *replay;
    struct http_conn conn;
    int client;
    SSL_CTX *context;
    SSL *ssl; /* of the client; NULL: plain */
    uint64_t now_us;
    struct buf got;
};

static void stage_open(struct stage *stage)
{
    int pair[2];

    *stage = (struct stage){.now_us = SECOND_US};
    stage->replay = replay_new(NULL);
    assert_non_null(stage->replay);
    assert_int_equal(0,
                     socketpair(AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK, 0, pair));
    stage->client = pair[1];
    buf_init(&stage->got, 1 << 24);
    http_conn_init(&stage->conn, pair[0], 1, STR(OWN_ADDRESS),
                   replay_service(stage->replay), stage->now_us);
}

static void stage_close(struct stage *stage)
{
    SSL_free(stage->ssl);
    SSL_CTX_free(stage->context);
    http_conn_release(&stage->conn);
    close(stage->client);
    replay_free(stage->replay);
    buf_release(&stage->got);
}

static void run(struct stage *stage)
{
    http_conn_ready(&stage->conn, true);
    http_conn_run(&stage->conn, stage->now_us);
}

static ssize_t receive(struct stage *stage, char *bytes, size_t room)
{
    size_t n;

    if (!stage->ssl)
        return recv(stage->client, bytes, room, 0);
    ERR_clear_error();
    return SSL_read_ex(stage->ssl, bytes, room, &n) ? (ssize_t)n : -1;
}

/* The client reads all that comes. */
static void take(struct stage *stage)
{
    char bytes[65536];
    ssize_t n;

    run(stage);
    for (;;) {
        bool came = false;

        while ((n = receive(stage, bytes, sizeof(bytes))) > 0) {
            assert_true(buf_put(&stage->got, (struct str){bytes, (size_t)n}));
            came = true;
        }
        if (!came)
            return;
        run(stage);
    }
}

static void say(struct stage *stage, const char *text)
{
    size_t n;

    buf_clear(&stage->got);
    if (stage->ssl)
        assert_true(SSL_write_ex(stage->ssl, text, strlen(text), &n));
    else
        assert_int_equal(strlen(text),
                         send(stage->client, text, strlen(text), MSG_NOSIGNAL));
    take(stage);
}

static bool has(const struct stage *stage, const char *text)
{
    return stage->got.len &&
           memmem(stage->got.ptr, stage->got.len, text, strlen(text));
}

static void expect(const struct stage *stage, const char *text)
{
    if (!has(stage, text))
        fail_msg("'%s' is not in '%.*s'", text, (int)stage->got.len,
                 stage->got.ptr);
}

/* --- requests in the absolute form ---------------------------------------- */

static void recorded_bytes(void **state)
{
    struct stage stage;

    (void)state;
    stage_open(&stage);
    say(&stage, "GET http://a.test/ HTTP/1.1\r\nHost: a.test\r\n\r\n");
    assert_true(
        str_eq(STR("HTTP/1.1 200 OK\r\nX: new\r\nContent-Length: 3\r\n"
                   "Memento-Datetime: Mon, 20 Jul 1970 00:00:00 GMT\r\n"
                   "Link: <http://a.test/>; rel=\"original\"\r\n\r\nnew"),
               buf_str(&stage.got)));
    say(&stage, "HEAD http://a.test/ HTTP/1.1\r\nHost: a.test\r\n\r\n");
    expect(&stage, "Content-Length: 3\r\n");
    assert_false(has(&stage, "\r\n\r\nnew"));
    say(&stage, "GET http://a.test/a?b HTTP/1.1\r\nHost: a.test\r\n\r\n");
    expect(&stage, "HTTP/1.1 302 \r\nLocation: /\r\n");
    stage_close(&stage);
}

// clang-format off
static const struct {
    const char *request, *expected;
} rows[] = {
    /* The way in which a URL is written. */
    {"GET http://A.test:80/ HTTP/1.1\r\nHost: x\r\n", "\r\n\r\nnew"},
    {"GET http://a.test HTTP/1.1\r\nHost: x\r\n", "\r\n\r\nnew"},
    {"GET http://a.test:8080/ HTTP/1.1\r\nHost: x\r\n", "\r\n\r\nport"},
    {"GET http://a.test/\xc3\xa9 HTTP/1.1\r\nHost: x\r\n", "\r\n\r\nescaped"},
    {"GET http://a.test/bar%7Cx?| HTTP/1.1\r\nHost: x\r\n", "\r\n\r\nbar"},
    {"GET http://a.test/bar|x?%7C HTTP/1.1\r\nHost: x\r\n", "HTTP/1.1 404 "},
    {"GET http://a.test/7|x HTTP/1.1\r\nHost: x\r\n", "\r\n\r\nescape"},
    {"GET http://a.test/8|x HTTP/1.1\r\nHost: x\r\n",
     "http://a.test/8|x\n"},
    {"GET http://a.test/x/../%C3%A9 HTTP/1.1\r\nHost: x\r\n",
     "\r\n\r\nescaped"},
    /* Memento. */
    {"GET http://a.test/ HTTP/1.1\r\nHost: x\r\n"
     "Accept-Datetime: Sat, 11 Apr 1970 00:00:00 GMT\r\n", "\r\n\r\nold"},
    {"GET http://a.test/ HTTP/1.1\r\nHost: x\r\n"
     "Accept-Datetime: Fri, 01 May 1970 00:00:00 GMT\r\n", "\r\n\r\nold"},
    {"GET http://a.test/ HTTP/1.1\r\nHost: x\r\n"
     "Accept-Datetime: Wed, 01 Jul 2020 00:00:00 GMT\r\n", "\r\n\r\nnew"},
    {"GET http://a.test/ HTTP/1.1\r\nHost: x\r\nAccept-Datetime: yesterday\r\n",
     "HTTP/1.1 400 "},
    /* What is not there, or not for us. */
    {"GET http://a.test/none HTTP/1.1\r\nHost: x\r\n",
     "not recorded\nhttp://a.test/none\n"},
    {"GET http://a.test/s HTTP/1.1\r\nHost: x\r\n", "HTTP/1.1 404 "},
    {"GET http://a.test/unreadable HTTP/1.1\r\nHost: x\r\n",
     "HTTP/1.1 502 "},
    {"POST http://a.test/ HTTP/1.1\r\nHost: x\r\nContent-Length: 0\r\n",
     "HTTP/1.1 405 "},
    {"OPTIONS http://a.test/ HTTP/1.1\r\nHost: x\r\n", "Allow: GET, HEAD\r\n"},
    {"GET http://a.test/101 HTTP/1.1\r\nHost: x\r\n", "HTTP/1.1 502 "},
    /* Our own pages. */
    {"GET / HTTP/1.1\r\n" OWN_HOST, "<h1>Recorded pages</h1>"},
    {"GET / HTTP/1.1\r\nHost: localhost:8080\r\n", "<p>15 captures.</p>"},
    {"GET http://127.0.0.1:8080/ HTTP/1.1\r\nHost: x\r\n", "<h1>Recorded"},
    {"GET http://LOCALHOST:8080/ HTTP/1.1\r\nHost: x\r\n", "<h1>Recorded"},
    {"GET / HTTP/1.1\r\n" OWN_HOST,
     "Content-Security-Policy: default-src 'none';"},
    {"GET / HTTP/1.1\r\n" OWN_HOST, "X-Content-Type-Options: nosniff\r\n"},
    {"GET / HTTP/1.1\r\n" OWN_HOST, "Referrer-Policy: no-referrer\r\n"},
    {"GET /ca.pem HTTP/1.1\r\n" OWN_HOST, "-----BEGIN CERTIFICATE-----\n"},
    {"GET /a HTTP/1.1\r\n" OWN_HOST, "HTTP/1.1 404 "},
    {"POST / HTTP/1.1\r\nContent-Length: 0\r\n" OWN_HOST, "HTTP/1.1 405 "},
    {"GET / HTTP/1.1\r\nHost: a.test\r\n", "HTTP/1.1 421 "},
    {"GET / HTTP/1.1\r\nHost: 127.0.0.1\r\n", "HTTP/1.1 421 "},
    {"GET / HTTP/1.1\r\nHost: 127.0.0.1:8081\r\n", "HTTP/1.1 421 "},
    {"GET / HTTP/1.1\r\nHost: localhost\r\n", "HTTP/1.1 421 "},
    {"GET / HTTP/1.1\r\nHost: localhostx:8080\r\n", "HTTP/1.1 421 "},
    {"GET / HTTP/1.1\r\nHost: a.test:8080\r\n", "HTTP/1.1 421 "},
    {"GET / HTTP/1.0\r\n", "HTTP/1.1 421 "},
    {"GET /archive.wacz HTTP/1.1\r\n" OWN_HOST,
     "404: there is no package of these files\n"},
    {"CONNECT a,DNS:b:443 HTTP/1.1\r\nHost: a\r\n", "HTTP/1.1 400 "},
    {"CONNECT [::x]:443 HTTP/1.1\r\nHost: a\r\n", "HTTP/1.1 400 "},
};
// clang-format on

static void table(void **state)
{
    (void)state;
    for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
        char text[500];
        struct stage stage;

        stage_open(&stage);
        snprintf(text, sizeof(text), "%s\r\n", rows[i].request);
        say(&stage, text);
        if (!has(&stage, rows[i].expected))
            fail_msg("%s: '%s' is not in '%.*s'", text, rows[i].expected,
                     (int)stage.got.len, stage.got.ptr);
        assert_false(has(&stage, "hidden"));
        stage_close(&stage);
    }
}

/* The list has URLs of the archive, which may be anything. */
static void list_of_pages(void **state)
{
    struct stage stage;

    (void)state;
    stage_open(&stage);
    replay_list_first_pages(stage.replay);
    own_pages_add_seed(replay_own_pages(stage.replay), STR("http://b\nc"));
    say(&stage, "GET / HTTP/1.1\r\n" OWN_HOST "\r\n");
    expect(&stage, "<li><a href=\"http://a.test/\">http://a.test/</a></li>\n"
                   "<li><a href=\"http://a.test/%C3%A9\">");
    expect(&stage, "<a href=\"http://a.test/&quot;&gt;&lt;script&gt;\">");
    assert_false(has(&stage, "<script"));
    assert_false(has(&stage, "javascript:"));
    assert_false(has(&stage, "http://b"));
    assert_false(has(&stage, "archive.wacz"));
    stage_close(&stage);
}

// clang-format off
static const struct {
    const char *method, *range, *expected, *body;
} package_rows[] = {
    {"GET", "", "HTTP/1.1 200 ", "0123456789"},
    {"GET", "Range: bytes=2-4\r\n",
     "Content-Range: bytes 2-4/10\r\nContent-Length: 3\r\n", "234"},
    {"GET", "Range: bytes=-65558\r\n", "Content-Range: bytes 0-9/10\r\n",
     "0123456789"},
    {"GET", "Range: bytes=1-\r\n", "HTTP/1.1 206 ", "123456789"},
    {"GET", "Range: bytes=10-\r\n", "HTTP/1.1 416 ", ""},
    {"GET", "Range: bytes=10-\r\n", "Content-Range: bytes */10\r\n", ""},
    {"GET", "Range: bytes=1-2,4-5\r\n", "HTTP/1.1 200 ", "0123456789"},
    {"HEAD", "Range: bytes=0-\r\n", "Content-Length: 10\r\n", ""},
    {"GET", "", "Content-Type: application/wacz\r\n", "0123456789"},
    {"GET", "", "Access-Control-Allow-Origin: *\r\n", "0123456789"},
    {"GET", "", "Access-Control-Expose-Headers: Content-Length, Content-Range, "
                "Accept-Ranges\r\n", "0123456789"},
    {"GET", "", "Accept-Ranges: bytes\r\n", "0123456789"},
    {"OPTIONS", "", "HTTP/1.1 204 ", ""},
    {"OPTIONS", "", "Access-Control-Allow-Headers: Range\r\n", ""},
    {"OPTIONS", "", "Access-Control-Allow-Origin: *\r\n", ""},
};
// clang-format on

static void package(void **state)
{
    (void)state;
    for (size_t i = 0; i < ARRAY_LEN(package_rows); i++) {
        struct own_pages *own;
        char text[500];
        struct stage stage;

        stage_open(&stage);
        own = replay_own_pages(stage.replay);
        own->package_fd = memfd_create("package", MFD_CLOEXEC);
        assert_int_equal(10, write(own->package_fd, "0123456789", 10));
        own->package_len = 10;
        snprintf(text, sizeof(text),
                 "%s /archive.wacz HTTP/1.1\r\n" OWN_HOST "%s\r\n",
                 package_rows[i].method, package_rows[i].range);
        say(&stage, text);
        expect(&stage, package_rows[i].expected);
        snprintf(text, sizeof(text), "\r\n\r\n%s", package_rows[i].body);
        assert_true(str_ends(buf_str(&stage.got), str_of(text)));
        say(&stage, "GET / HTTP/1.1\r\n" OWN_HOST "\r\n");
        expect(&stage, "<a href=\"/archive.wacz\">");
        stage_close(&stage);
    }
}

/* --- tunnels ---------------------------------------------------------------
 */

/* The client trusts the authority and wants a certificate for `name`. */
static void start_tls(struct stage *stage, const char *name, bool is_address)
{
    struct str pem = replay_own_pages(stage->replay)->pem;
    BIO *bio = BIO_new_mem_buf(pem.ptr, (int)pem.len);
    X509 *root = PEM_read_bio_X509(bio, NULL, NULL, NULL);

    assert_non_null(root);
    stage->context = SSL_CTX_new(TLS_client_method());
    X509_STORE_add_cert(SSL_CTX_get_cert_store(stage->context), root);
    SSL_CTX_set_verify(stage->context, SSL_VERIFY_PEER, NULL);
    stage->ssl = SSL_new(stage->context);
    SSL_set_fd(stage->ssl, stage->client);
    X509_VERIFY_PARAM *param = SSL_get0_param(stage->ssl);
    X509_VERIFY_PARAM_set_flags(param, X509_V_FLAG_X509_STRICT);
    assert_true(is_address ? X509_VERIFY_PARAM_set1_ip_asc(param, name)
                           : SSL_set1_host(stage->ssl, name));
    SSL_set_connect_state(stage->ssl);
    X509_free(root);
    BIO_free(bio);
}

static bool shake_hands(struct stage *stage)
{
    for (int i = 0; i < 10; i++) {
        ERR_clear_error();
        if (SSL_do_handshake(stage->ssl) == 1)
            return true;
        run(stage);
    }
    return false;
}

static void connect_to(struct stage *stage, const char *to)
{
    char text[500];

    snprintf(text, sizeof(text), "CONNECT %s HTTP/1.1\r\nHost: %s\r\n\r\n", to,
             to);
    say(stage, text);
    assert_true(str_eq(STR("HTTP/1.1 200 Connection established\r\n\r\n"),
                       buf_str(&stage->got)));
}

// clang-format off
static const struct {
    const char *to, *name, *request, *expected;
} tls_rows[] = {
    {"a.test:443", "a.test", "GET /s HTTP/1.1\r\nHost: a.test\r\n", "secure"},
    {"A.TEST:443", "a.test", "GET /s HTTP/1.1\r\nHost: a.test\r\n", "secure"},
    {"a.test:443", "a.test", "GET /s HTTP/1.1\r\nHost: a.test:443\r\n",
     "secure"},
    {"a.test:8443", "a.test", "GET /s HTTP/1.1\r\nHost: a.test:8443\r\n",
     "8443"},
    {"[::1]:443", "::1", "GET /s HTTP/1.1\r\nHost: [::1]\r\n", "six"},
    {"127.0.0.1:443", "127.0.0.1", "GET / HTTP/1.1\r\nHost: 127.0.0.1\r\n",
     "https://127.0.0.1/"},
    {"a.test:443", "a.test", "GET / HTTP/1.1\r\nHost: a.test\r\n",
     "HTTP/1.1 404 "},
    {"a.test:443", "a.test", "GET /s HTTP/1.1\r\nHost: b.test\r\n",
     "HTTP/1.1 421 "},
    {"a.test:443", "a.test", "GET / HTTP/1.1\r\n" OWN_HOST, "HTTP/1.1 421 "},
    {"a.test:443", "a.test", "GET http://a.test/ HTTP/1.1\r\nHost: a.test\r\n",
     "HTTP/1.1 421 "},
    {"a.test:443", "a.test", "CONNECT b:443 HTTP/1.1\r\nHost: b:443\r\n",
     "HTTP/1.1 421 "},
    {"a.test:443", "a.test", "nonsense\r\n", "HTTP/1.1 400 "},
};
// clang-format on

static void tls(void **state)
{
    (void)state;
    for (size_t i = 0; i < ARRAY_LEN(tls_rows); i++) {
        char text[500];
        struct stage stage;

        stage_open(&stage);
        connect_to(&stage, tls_rows[i].to);
        start_tls(&stage, tls_rows[i].name, tls_rows[i].name[1] != '.');
        assert_true(shake_hands(&stage));
        snprintf(text, sizeof(text), "%s\r\n", tls_rows[i].request);
        say(&stage, text);
        expect(&stage, tls_rows[i].expected);
        stage_close(&stage);
    }
}

/* The certificate is for that name and no other. */
static void wrong_name(void **state)
{
    struct stage stage;

    (void)state;
    stage_open(&stage);
    connect_to(&stage, "b.test:443");
    start_tls(&stage, "a.test", false);
    assert_false(shake_hands(&stage));
    assert_int_equal(X509_V_ERR_HOSTNAME_MISMATCH,
                     SSL_get_verify_result(stage.ssl));
    stage_close(&stage);
}

static void large_body_by_tls(void **state)
{
    struct stage stage;

    (void)state;
    memset(large, 'x', LARGE);
    stage_open(&stage);
    connect_to(&stage, "a.test:443");
    start_tls(&stage, "a.test", false);
    assert_true(shake_hands(&stage));
    say(&stage, "GET /large HTTP/1.1\r\nHost: a.test\r\n\r\n");
    expect(&stage, "Content-Length: 3145728\r\n");
    assert_true(stage.got.len > LARGE);
    assert_memory_equal(large, stage.got.ptr + stage.got.len - LARGE, LARGE);
    /* Closed by both: the server says so first. */
    say(&stage, "GET /s HTTP/1.1\r\nHost: a.test\r\nConnection: close\r\n\r\n");
    expect(&stage, "secure");
    assert_int_equal(SSL_RECEIVED_SHUTDOWN, SSL_get_shutdown(stage.ssl));
    stage_close(&stage);
}

/* Browsers tunnel plain requests too. */
static void plain_tunnel(void **state)
{
    struct stage stage;

    (void)state;
    stage_open(&stage);
    connect_to(&stage, "a.test:80");
    say(&stage, "GET / HTTP/1.1\r\nHost: a.test\r\n\r\n");
    expect(&stage, "\r\n\r\nnew");
    say(&stage, "GET /none HTTP/1.1\r\nHost: a.test\r\n\r\n");
    expect(&stage, "http://a.test/none\n");
    stage_close(&stage);
}

/* The beginning of a handshake and no more; bytes that are none. */
static void broken_handshakes(void **state)
{
    static const char *const sent[] = {
        "", "\x16", "\x16\x03\x01\x02", "\x16\x03\x01\xff\xff",
        "\x16nonsense and no TLS at all\r\n\r\n"};

    (void)state;
    for (size_t i = 0; i < ARRAY_LEN(sent); i++) {
        struct stage stage;

        stage_open(&stage);
        connect_to(&stage, "a.test:443");
        say(&stage, sent[i]);
        stage.now_us += 2 * SECOND_US;
        run(&stage);
        assert_int_equal(HTTP_CONN_OVER, stage.conn.state);
        stage_close(&stage);
    }
}

/* A browser opens connections before it needs them. */
static void a_tunnel_may_wait_for_its_first_request(void **state)
{
    struct stage stage;

    (void)state;
    stage_open(&stage);
    connect_to(&stage, "a.test:443");
    start_tls(&stage, "a.test", false);
    assert_true(shake_hands(&stage));
    stage.now_us += 59 * SECOND_US;
    run(&stage);
    say(&stage, "GET /s HTTP/1.1\r\nHost: a.test\r\n\r\n");
    expect(&stage, "secure");
    stage_close(&stage);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(recorded_bytes),
        cmocka_unit_test(table),
        cmocka_unit_test(list_of_pages),
        cmocka_unit_test(package),
        cmocka_unit_test(tls),
        cmocka_unit_test(wrong_name),
        cmocka_unit_test(large_body_by_tls),
        cmocka_unit_test(plain_tunnel),
        cmocka_unit_test(a_tunnel_may_wait_for_its_first_request),
        cmocka_unit_test(broken_handshakes),
    };

    signal(SIGPIPE, SIG_IGN);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
