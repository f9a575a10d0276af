#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>

#include <cmocka.h>

#include <zstd.h>

#include "page/pagerecorder.h"

#define URL_TEXT "http://a.example/a?b"
#define REQUEST  "GET /a?b HTTP/1.1\r\nHost: a.example\r\n\r\n"
#define OK       "HTTP/1.1 200 OK\r\nContent-Type: text/html\r\n"
#define PAGE     "<p>a page</p>"

enum { START_MS = 1000, ROOM = 1 << 20 };

/* Records are plain, so that a text can be looked for. */
static const struct warc_style plain = {DIGEST_SHA1, -1, {1, 2}};

static void begin(struct pagerecorder *recorder, struct body_budget *budget)
{
    pagerecorder_init(recorder, &plain, 1700000000123 - START_MS, budget);
}

/* A page that came back, as a worker has it. */
static void page_of(struct webpage *page, struct str head, struct str body)
{
    webpage_init(page);
    webpage_ask(page, STR(URL_TEXT), 0, true);
    page->exchange = (struct exchange){
        .outcome = FETCHED,
        .end = RESPONSE_WHOLE,
        .status = 200,
        .mime = "text/html",
        .start_ms = START_MS,
        .end_ms = START_MS + 5,
        .request_head = STR(REQUEST),
        .response_head = head,
        .body_as_sent = body,
        .body = body,
        .body_len = body.len,
        .peer = STR("192.0.2.1"),
    };
    webpage_take_exchange(page);
}

static bool has(const struct buf *record, const char *text)
{
    return memmem(record->ptr, record->len, text, strlen(text));
}

static void expect(const struct buf *record, const char *text)
{
    if (!has(record, text))
        fail_msg("no \"%s\" in %.*s", text, (int)record->len, record->ptr);
}

/* --- what is kept --------------------------------------------------------- */

static void a_page(void **state)
{
    struct pagerecorder recorder;
    struct webpage page;

    (void)state;
    begin(&recorder, NULL);
    page_of(&page, STR(OK "\r\n"), STR(PAGE));
    page.exchange.tls_version = "tls/1.3";
    page.exchange.cipher_suite = "TLS_AES_128_GCM_SHA256";
    pagerecorder_record(&recorder, &page);
    assert_non_null(page.pair);
    expect(&page.pair->response, "WARC-Date: 2023-11-14T22:13:20.123Z\r\n");
    expect(&page.pair->response, "WARC-Target-URI: " URL_TEXT "\r\n");
    expect(&page.pair->response, "WARC-IP-Address: 192.0.2.1\r\n");
    expect(&page.pair->response, "WARC-Protocol: tls/1.3\r\n");
    expect(&page.pair->response,
           "WARC-Cipher-Suite: TLS_AES_128_GCM_SHA256\r\n");
    expect(&page.pair->response, OK "Content-Length: 13\r\n\r\n" PAGE);
    expect(&page.pair->request, "\r\n\r\n" REQUEST "\r\n\r\n");
    assert_false(has(&page.pair->response, "WARC-Truncated"));
    webpage_release(&page);
}

struct kept_case {
    const char *name;
    enum webpage_kind kind;
    enum outcome outcome;
    int status;
    bool noindex, noarchive, no_head;
    bool is_kept;
};

static const struct kept_case kept_cases[] = {
    {"page", WEBPAGE_HTML, FETCHED, 200, false, false, false, true},
    {"no head", WEBPAGE_HTML, CONNECTION_LOST, 200, false, false, true, false},
    {"nothing", WEBPAGE_HTML, NO_DNS, 0, false, false, true, false},
    {"redirect", WEBPAGE_HTML, REDIRECTED, 301, false, false, false, true},
    {"404", WEBPAGE_HTML, HTTP_CLIENT_ERROR, 404, false, false, false, true},
    {"500", WEBPAGE_HTML, HTTP_SERVER_ERROR, 500, false, false, false, true},
    {"429", WEBPAGE_HTML, HTTP_TOO_MANY, 429, false, false, false, true},
    {"empty", WEBPAGE_HTML, EMPTY_BODY, 200, false, false, false, true},
    {"lost", WEBPAGE_HTML, CONNECTION_LOST, 200, false, false, false, true},
    {"not HTML", WEBPAGE_HTML, NOT_HTML, 200, false, false, false, true},
    {"large", WEBPAGE_HTML, TOO_LARGE, 200, false, false, false, true},
    {"robots", WEBPAGE_ROBOTS, FETCHED, 200, false, false, false, true},
    {"sitemap", WEBPAGE_SITEMAP, FETCHED, 200, false, false, false, true},
    {"noindex", WEBPAGE_HTML, NOINDEX, 200, true, false, false, false},
    {"noindex, large", WEBPAGE_HTML, TOO_LARGE, 200, true, false, false, false},
    {"noindex, 404", WEBPAGE_HTML, HTTP_CLIENT_ERROR, 404, true, false, false,
     true},
    {"noindex, robots", WEBPAGE_ROBOTS, FETCHED, 200, true, false, false, true},
    {"noindex, sitemap", WEBPAGE_SITEMAP, FETCHED, 200, true, false, false,
     true},
    {"noarchive", WEBPAGE_HTML, FETCHED, 200, false, true, false, false},
    {"noarchive, 301", WEBPAGE_HTML, REDIRECTED, 301, false, true, false,
     false},
    {"noarchive, robots", WEBPAGE_ROBOTS, FETCHED, 200, false, true, false,
     false},
};

static void kept_or_not(void **state)
{
    struct pagerecorder recorder;

    (void)state;
    begin(&recorder, NULL);
    for (size_t i = 0; i < ARRAY_LEN(kept_cases); i++) {
        const struct kept_case *c = &kept_cases[i];
        struct webpage page;

        print_message("%s\n", c->name);
        page_of(&page, STR(OK "\r\n"), STR(PAGE));
        page.kind = c->kind;
        page.outcome = c->outcome;
        page.exchange.status = c->status;
        page.noindex = c->noindex;
        page.noarchive = c->noarchive;
        if (c->no_head)
            page.exchange.response_head = (struct str){0};
        pagerecorder_record(&recorder, &page);
        assert_int_equal(page.pair != NULL, c->is_kept);
        webpage_release(&page);
    }
}

/* --- how it ended ----------------------------------------------------------
 */

static void cuts(void **state)
{
    static const struct {
        enum response_end end;
        enum warc_cut cut;
    } cut_cases[] = {
        {RESPONSE_WHOLE, WARC_WHOLE},
        {RESPONSE_CUT_BY_SIZE, WARC_CUT_BY_LENGTH},
        {RESPONSE_CUT_BY_TIME, WARC_CUT_BY_TIME},
        {RESPONSE_CUT_BY_SERVER, WARC_CUT_BY_DISCONNECT},
        {RESPONSE_CUT_BY_US, WARC_CUT_FOR_NO_REASON},
    };
    struct pagerecorder recorder;

    (void)state;
    begin(&recorder, NULL);
    for (size_t i = 0; i < ARRAY_LEN(cut_cases); i++) {
        struct webpage page;

        page_of(&page, STR(OK "Content-Length: 99\r\n\r\n"), STR(PAGE));
        page.exchange.end = cut_cases[i].end;
        pagerecorder_record(&recorder, &page);
        assert_int_equal(page.pair->cut, cut_cases[i].cut);
        expect(&page.pair->response, "X-Crawler-Content-Length: 99\r\n"
                                     "Content-Length: 13\r\n\r\n" PAGE);
        webpage_release(&page);
    }
}

/* --- codings ---------------------------------------------------------------
 */

#define NONE                                                                   \
    {                                                                          \
        {0}, 0                                                                 \
    }
#define GZIP                                                                   \
    {                                                                          \
        {CODING_GZIP}, 1                                                       \
    }
#define TWO                                                                    \
    {                                                                          \
        {CODING_GZIP, CODING_GZIP}, 2                                          \
    }
#define BROTLI                                                                 \
    {                                                                          \
        {CODING_BROTLI}, 1                                                     \
    }
#define DEFLATE                                                                \
    {                                                                          \
        {CODING_DEFLATE}, 1                                                    \
    }
#define ZSTD                                                                   \
    {                                                                          \
        {CODING_ZSTD}, 1                                                       \
    }

struct coding_case {
    const char *name;
    struct codings codings;
    enum webpage_kind kind;
    enum response_end end;
    bool is_unknown;
    bool is_decoded; /* the fetcher did it */
    bool is_broken;
    bool is_undone; /* expected */
};

// clang-format off
static const struct coding_case coding_cases[] = {
    {"none", NONE, WEBPAGE_HTML, RESPONSE_WHOLE, false, true, false, false},
    {"gzip", GZIP, WEBPAGE_HTML, RESPONSE_WHOLE, false, true, false, false},
    {"br", BROTLI, WEBPAGE_HTML, RESPONSE_WHOLE, false, true, false, true},
    {"unknown", NONE, WEBPAGE_HTML, RESPONSE_CUT_BY_US, true, false, false, false},
    {"gzip and unknown", GZIP, WEBPAGE_HTML, RESPONSE_WHOLE, true, false, false, false},
    {"zstd", ZSTD, WEBPAGE_HTML, RESPONSE_WHOLE, false, true, false, true},
    {"deflate", DEFLATE, WEBPAGE_HTML, RESPONSE_WHOLE, false, true, false, true},
    {"two", TWO, WEBPAGE_HTML, RESPONSE_WHOLE, false, true, false, true},
    {"zstd, an error page", ZSTD, WEBPAGE_HTML, RESPONSE_WHOLE, false, false, false, true},
    {"zstd, a robots.txt", ZSTD, WEBPAGE_ROBOTS, RESPONSE_WHOLE, false, true, false, true},
    {"zstd, cut", ZSTD, WEBPAGE_HTML, RESPONSE_CUT_BY_SERVER, false, false, false, false},
    {"zstd, broken", ZSTD, WEBPAGE_HTML, RESPONSE_WHOLE, false, false, true, false},
};
// clang-format on

/* The recorder itself undoes zstd only, in these cases. */
static size_t compress(char *to, struct str page)
{
    size_t len = ZSTD_compress(to, ROOM, page.ptr, page.len, 1);

    assert_false(ZSTD_isError(len));
    return len;
}

static void codings(void **state)
{
    static char coded[ROOM];
    struct pagerecorder recorder;

    (void)state;
    begin(&recorder, NULL);
    for (size_t i = 0; i < ARRAY_LEN(coding_cases); i++) {
        const struct coding_case *c = &coding_cases[i];
        struct str as_sent = {coded, compress(coded, STR(PAGE))};
        struct webpage page;

        print_message("%s\n", c->name);
        if (c->is_broken)
            coded[0] ^= 1;
        page_of(&page, STR(OK "Content-Encoding: something\r\n\r\n"), as_sent);
        page.kind = c->kind;
        page.exchange.end = c->end;
        page.exchange.codings = c->codings;
        page.exchange.is_coding_unknown = c->is_unknown;
        page.exchange.body = c->is_decoded ? STR(PAGE) : (struct str){0};
        pagerecorder_record(&recorder, &page);
        assert_int_equal(has(&page.pair->response,
                             "\r\nX-Crawler-Content-Encoding: something\r\n"),
                         c->is_undone);
        assert_int_equal(has(&page.pair->response, "\r\n\r\n" PAGE "\r\n\r\n"),
                         c->is_undone);
        assert_int_equal(page.pair->payload_len,
                         c->is_undone ? sizeof(PAGE) - 1 : as_sent.len);
        webpage_release(&page);
    }
}

/* A small error page may be a bomb. It is kept as it was sent. */
static void bomb(void **state)
{
    enum { BOMB_LEN = 64 << 20 };
    static char coded[ROOM];
    char *zeros = calloc(BOMB_LEN, 1);
    struct str as_sent = {coded,
                          compress(coded, (struct str){zeros, BOMB_LEN})};
    struct pagerecorder recorder;
    struct webpage page;

    (void)state;
    begin(&recorder, NULL);
    page_of(&page, STR("HTTP/1.1 404 No\r\nContent-Encoding: zstd\r\n\r\n"),
            as_sent);
    page.exchange.status = 404;
    page.exchange.body = (struct str){0};
    page.exchange.codings = (struct codings){{CODING_ZSTD}, 1};
    pagerecorder_record(&recorder, &page);
    assert_int_equal(page.pair->payload_len, as_sent.len);
    assert_true(warc_pair_bytes(page.pair) < ROOM);
    webpage_release(&page);
    free(zeros);
}

/* What is compressed is stored, everything else is not. */
static void dense(void **state)
{
    static char text[10000];
    static const struct {
        const char *mime;
        size_t codings;
        bool is_dense;
    } dense_cases[] = {
        {"text/html", 0, false},     {"text/html", 1, true},
        {"image/png", 0, true},      {"IMAGE/JPEG", 0, true},
        {"image/svg+xml", 0, false}, {"image/x-icon", 0, false},
        {"video/mp4", 0, true},      {"font/woff2", 0, true},
        {"text/css", 0, false},      {"", 0, false},
    };
    struct pagerecorder recorder;

    (void)state;
    memset(text, 'x', sizeof(text));
    begin(&recorder, NULL);
    recorder.style.level = 1;
    for (size_t i = 0; i < ARRAY_LEN(dense_cases); i++) {
        struct webpage page;

        page_of(&page, STR(OK "\r\n"), (struct str){text, sizeof(text)});
        strcpy(page.exchange.mime, dense_cases[i].mime);
        page.exchange.codings =
            (struct codings){{CODING_GZIP}, dense_cases[i].codings};
        pagerecorder_record(&recorder, &page);
        assert_int_equal(page.pair->response.len > sizeof(text),
                         dense_cases[i].is_dense);
        webpage_release(&page);
    }
}

/* --- memory ----------------------------------------------------------------
 */

static void large_pairs_count(void **state)
{
    static char text[ROOM];
    struct body_budget budget;
    struct pagerecorder recorder;
    struct webpage page;

    (void)state;
    body_budget_init(&budget, ROOM);
    begin(&recorder, &budget);
    for (int again = 0; again < 3; again++) {
        page_of(&page, STR(OK "\r\n"), (struct str){text, ROOM});
        pagerecorder_record(&recorder, &page);
        assert_int_equal(budget.used, warc_pair_bytes(page.pair) - BODY_SMALL);
        if (again == 0)
            webpage_drop_pair(&page);
        else if (again == 1)
            webpage_rest(&page);
        else
            webpage_ask(&page, STR(URL_TEXT), 0, true);
        assert_null(page.pair);
        assert_int_equal(budget.used, 0);
        webpage_release(&page);
    }
    page_of(&page, STR(OK "\r\n"), STR(PAGE));
    pagerecorder_record(&recorder, &page);
    assert_int_equal(budget.used, 0);
    webpage_release(&page);
    body_budget_release(&budget);
}

static void ids_differ(void **state)
{
    struct pagerecorder recorder;
    char last[WARC_ID_LEN + 1] = "";

    (void)state;
    begin(&recorder, NULL);
    for (int i = 0; i < 3; i++) {
        struct webpage page;

        page_of(&page, STR(OK "\r\n"), STR(PAGE));
        pagerecorder_record(&recorder, &page);
        assert_string_not_equal(page.pair->id, last);
        memcpy(last, page.pair->id, sizeof(last));
        webpage_release(&page);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_page),     cmocka_unit_test(kept_or_not),
        cmocka_unit_test(cuts),       cmocka_unit_test(codings),
        cmocka_unit_test(bomb),       cmocka_unit_test(dense),
        cmocka_unit_test(ids_differ), cmocka_unit_test(large_pairs_count),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
