/* What is kept of answers that a server on loopback sends. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "page/pagerecorder.h"
#include "support/loopback.h"

#define HTML "Content-Type: text/html\r\n"
#define OK   "HTTP/1.1 200 OK\r\n"

/* Records are plain, so that a text can be looked for. */
static const struct warc_style plain = {DIGEST_SHA1, -1, {1, 2}};

struct answer {
    const char *name;
    struct str sent;
    bool hang_up; /* the server closes the connection after that */
    struct str block;
    const char *truncated; /* or NULL */
};

// clang-format off
static const struct answer answers[] = {
    {"a page", STR_INIT(OK HTML "Content-Length: 4\r\n\r\n<p>a"), false,
     STR_INIT(OK HTML "Content-Length: 4\r\n\r\n<p>a"), NULL},
    {"chunks with extensions and trailers",
     STR_INIT(OK HTML "Transfer-Encoding: chunked\r\nTrailer: X-T\r\n\r\n"
              "2;a=b\r\n<p\r\n2\r\n>a\r\n0\r\nX-T: end\r\n\r\n"), false,
     STR_INIT(OK HTML "X-Crawler-Transfer-Encoding: chunked\r\nTrailer: X-T\r\n"
              "Content-Length: 4\r\n\r\n<p>a"), NULL},
    {"chunks and a length",
     STR_INIT(OK HTML "Content-Length: 99\r\nTransfer-Encoding: chunked\r\n\r\n"
              "4\r\n<p>a\r\n0\r\n\r\n"), false,
     STR_INIT(OK HTML "X-Crawler-Content-Length: 99\r\n"
              "X-Crawler-Transfer-Encoding: chunked\r\n"
              "Content-Length: 4\r\n\r\n<p>a"), NULL},
    {"LF, folded, 8-bit",
     STR_INIT("HTTP/1.1 200 \xe9\nContent-Type: text/html\nX-A: \xff\n two\n"
              "Content-Length: 4\n\n<p>a"), false,
     STR_INIT("HTTP/1.1 200 \xe9\r\n" HTML "X-A: \xff two\r\n"
              "Content-Length: 4\r\n\r\n<p>a"), NULL},
    {"HTTP/1.0, to the end of the connection",
     STR_INIT("HTTP/1.0 200 OK\r\n" HTML "\r\n<p>a"), true,
     STR_INIT("HTTP/1.0 200 OK\r\n" HTML "Content-Length: 4\r\n\r\n<p>a"),
     NULL},
    {"103 before it",
     STR_INIT("HTTP/1.1 103 Early Hints\r\nLink: <x>\r\n\r\n"
              OK HTML "Content-Length: 4\r\n\r\n<p>a"), false,
     STR_INIT(OK HTML "Content-Length: 4\r\n\r\n<p>a"), NULL},
    {"a redirect", STR_INIT("HTTP/1.1 302 Found\r\nLocation: /b\r\n"
                            "Content-Length: 4\r\n\r\ngone"), false,
     STR_INIT("HTTP/1.1 302 Found\r\nLocation: /b\r\n"
              "Content-Length: 4\r\n\r\ngone"), NULL},
    {"204", STR_INIT("HTTP/1.1 204 No Content\r\n\r\n"), false,
     STR_INIT("HTTP/1.1 204 No Content\r\n\r\n"), NULL},
    {"404 in two codings",
     STR_INIT("HTTP/1.1 404 No\r\nContent-Encoding: deflate\r\n"
              "Content-Encoding: identity, deflate\r\nContent-Length: 13\r\n\r\n"
              /* stored blocks without a frame, one in the other */
              "\x01\x08\x00\xf7\xff\x01\x03\x00\xfc\xff" "abc"), false,
     STR_INIT("HTTP/1.1 404 No\r\nX-Crawler-Content-Encoding: deflate\r\n"
              "X-Crawler-Content-Encoding: identity, deflate\r\n"
              "X-Crawler-Content-Length: 13\r\nContent-Length: 3\r\n\r\nabc"),
     NULL},
    {"gzip that is none", STR_INIT(OK HTML "Content-Encoding: gzip\r\n"
                                   "Content-Length: 4\r\n\r\n<p>a"), false,
     STR_INIT(OK HTML "Content-Encoding: gzip\r\n"
              "Content-Length: 4\r\n\r\n<p>a"), NULL},
    {"a picture", STR_INIT(OK "Content-Type: image/png\r\n"
                           "Content-Length: 4\r\n\r\n\x89PNG"), false,
     STR_INIT(OK "Content-Type: image/png\r\n"
              "Content-Length: 4\r\n\r\n\x89PNG"), NULL},
    {"an unknown coding", STR_INIT(OK HTML "Content-Encoding: foo\r\n"
                                   "Content-Length: 4\r\n\r\n<p>a"), false,
     STR_INIT(OK HTML "Content-Encoding: foo\r\n"
              "Content-Length: 4\r\n\r\n<p>a"), NULL},
    {"announced too large, and lost",
     STR_INIT(OK HTML "Content-Length: 99999999\r\n\r\n<p>a"), true,
     STR_INIT(OK HTML "X-Crawler-Content-Length: 99999999\r\n"
              "Content-Length: 4\r\n\r\n<p>a"), "disconnect"},
    {"lost", STR_INIT(OK HTML "Content-Length: 99\r\n\r\n<p>a"), true,
     STR_INIT(OK HTML "X-Crawler-Content-Length: 99\r\n"
              "Content-Length: 4\r\n\r\n<p>a"), "disconnect"},
    {"lost in the head", STR_INIT(OK HTML), true, {0}, NULL},
    {"no HTTP", STR_INIT("SSH-2.0-OpenSSH_9.2p1\r\n"), true, {0}, NULL},
};
// clang-format on

static void check_response(const struct warc_pair *pair,
                           const struct answer *answer)
{
    struct buf record = pair->response;
    struct buf end;

    buf_init(&end, 4096);
    buf_put(&end, STR("\r\n\r\n"));
    buf_put(&end, answer->block);
    buf_put(&end, STR("\r\n\r\n"));
    if (!str_ends(buf_str(&record), buf_str(&end)))
        fail_msg("%s: %.*s", answer->name, (int)record.len, record.ptr);
    buf_release(&end);
    const char *cut = memmem(record.ptr, record.len, "WARC-Truncated: ", 16);
    assert_int_equal(cut != NULL, answer->truncated != NULL);
    if (cut)
        assert_memory_equal(cut + 16, answer->truncated,
                            strlen(answer->truncated));
    assert_non_null(memmem(record.ptr, record.len,
                           "\r\nWARC-IP-Address: 127.0.0.1\r\n", 30));
}

static void play(struct pagerecorder *recorder, const struct answer *answer)
{
    struct loopback loopback;

    loopback_listen(&loopback);
    loopback.options.wishes = PAGERECORDER_WISHES;
    loopback.options.only_gzip = true;
    loopback_start(&loopback);
    loopback_ask(&loopback, WEBPAGE_HTML, "a");
    loopback_serve(&loopback, answer->sent);
    if (answer->hang_up)
        loopback_hang_up(&loopback);
    struct webpage *page = loopback_finish(&loopback);
    pagerecorder_record(recorder, page);
    assert_int_equal(page->pair != NULL, answer->block.len > 0);
    if (page->pair) {
        struct str request = buf_str(&page->pair->request);
        struct str asked = buf_str(&loopback.asked);

        check_response(page->pair, answer);
        assert_non_null(memmem(request.ptr, request.len, asked.ptr, asked.len));
        assert_non_null(
            memmem(asked.ptr, asked.len, "\r\nAccept-Encoding: gzip\r\n", 25));
    }
    loopback_give_back(&loopback);
    loopback_release(&loopback);
}

static void answers_are_kept(void **state)
{
    struct pagerecorder recorder;

    (void)state;
    pagerecorder_init(&recorder, &plain, 0, NULL);
    for (size_t i = 0; i < ARRAY_LEN(answers); i++) {
        print_message("%s\n", answers[i].name);
        play(&recorder, &answers[i]);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(answers_are_kept),
    };

    if (!pagefetcher_setup())
        return 1;
    int failed = cmocka_run_group_tests(tests, NULL, NULL);
    pagefetcher_teardown();
    return failed;
}
