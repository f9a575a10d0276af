#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>

#include <cmocka.h>

#include "archive/kept_head.h"

enum { AS_SENT = false, UNDONE = true };

struct head_case {
    const char *name;
    const char *head;
    uint64_t body_len;
    bool coding_undone;
    const char *kept;
};

#define OK   "HTTP/1.1 200 OK\r\n"
#define TYPE "Content-Type: text/html\r\n"

static const struct head_case cases[] = {
    {"nothing to do", OK TYPE "Content-Length: 5\r\n\r\n", 5, AS_SENT,
     OK TYPE "Content-Length: 5\r\n\r\n"},
    {"no length", OK TYPE "\r\n", 5, AS_SENT,
     OK TYPE "Content-Length: 5\r\n\r\n"},
    {"empty body", OK "Content-Length: 0\r\n\r\n", 0, AS_SENT,
     OK "Content-Length: 0\r\n\r\n"},
    {"empty body, no length", OK "\r\n", 0, AS_SENT,
     OK "Content-Length: 0\r\n\r\n"},
    {"chunked", OK "Transfer-Encoding: chunked\r\n" TYPE "\r\n", 12, AS_SENT,
     OK "X-Crawler-Transfer-Encoding: chunked\r\n" TYPE
        "Content-Length: 12\r\n\r\n"},
    {"chunked with a length",
     OK "content-length: 99\r\ntransfer-encoding: Chunked\r\n\r\n", 2, AS_SENT,
     OK "X-Crawler-content-length: 99\r\n"
        "X-Crawler-transfer-encoding: Chunked\r\nContent-Length: 2\r\n\r\n"},
    {"a blank before the colon", OK "Transfer-Encoding : chunked\r\n\r\n", 2,
     AS_SENT,
     OK "X-Crawler-Transfer-Encoding : chunked\r\nContent-Length: 2\r\n\r\n"},
    {"cut body", OK "Content-Length: 1000\r\n" TYPE "\r\n", 10, AS_SENT,
     OK "X-Crawler-Content-Length: 1000\r\n" TYPE "Content-Length: 10\r\n\r\n"},
    {"no number", OK "Content-Length: ten\r\n\r\n", 10, AS_SENT,
     OK "X-Crawler-Content-Length: ten\r\nContent-Length: 10\r\n\r\n"},
    {"a list of lengths", OK "Content-Length: 5, 5\r\n\r\n", 5, AS_SENT,
     OK "X-Crawler-Content-Length: 5, 5\r\nContent-Length: 5\r\n\r\n"},
    {"two lengths", OK "Content-Length: 5\r\nContent-Length: 5\r\n\r\n", 5,
     AS_SENT, OK "Content-Length: 5\r\nX-Crawler-Content-Length: 5\r\n\r\n"},
    {"the second length is true",
     OK "Content-Length: 6\r\nContent-Length: 5\r\n\r\n", 5, AS_SENT,
     OK "X-Crawler-Content-Length: 6\r\nContent-Length: 5\r\n\r\n"},
    {"gzip", OK "Content-Encoding: gzip\r\nContent-Length: 7\r\n\r\n", 7,
     AS_SENT, OK "Content-Encoding: gzip\r\nContent-Length: 7\r\n\r\n"},
    {"x-gzip", OK "content-encoding:x-gzip\r\nContent-Length: 7\r\n\r\n", 7,
     AS_SENT, OK "Content-Encoding: gzip\r\nContent-Length: 7\r\n\r\n"},
    {"GZIP", OK "Content-Encoding: GZIP \r\nContent-Length: 7\r\n\r\n", 7,
     AS_SENT, OK "Content-Encoding: gzip\r\nContent-Length: 7\r\n\r\n"},
    {"BR", OK "Content-Encoding: BR\r\nContent-Length: 7\r\n\r\n", 7, AS_SENT,
     OK "Content-Encoding: br\r\nContent-Length: 7\r\n\r\n"},
    {"identity", OK "Content-Encoding: identity\r\nContent-Length: 7\r\n\r\n",
     7, AS_SENT,
     OK "X-Crawler-Content-Encoding: identity\r\nContent-Length: 7\r\n\r\n"},
    {"unknown", OK "Content-Encoding: rot13\r\nContent-Length: 7\r\n\r\n", 7,
     AS_SENT, OK "Content-Encoding: rot13\r\nContent-Length: 7\r\n\r\n"},
    {"zstd, undone", OK "Content-Encoding: zstd\r\nContent-Length: 7\r\n\r\n",
     70, UNDONE,
     OK "X-Crawler-Content-Encoding: zstd\r\n"
        "X-Crawler-Content-Length: 7\r\nContent-Length: 70\r\n\r\n"},
    {"several, undone",
     OK "Content-Encoding: gzip\r\nContent-Encoding: deflate, br\r\n\r\n", 70,
     UNDONE,
     OK "X-Crawler-Content-Encoding: gzip\r\n"
        "X-Crawler-Content-Encoding: deflate, br\r\n"
        "Content-Length: 70\r\n\r\n"},
    {"folded, undone", OK "Content-Encoding: gzip,\r\n\tbr\r\n\r\n", 70, UNDONE,
     OK "X-Crawler-Content-Encoding: gzip, br\r\nContent-Length: 70\r\n\r\n"},
    {"folded", OK "X-A: one\r\n  two \r\n\tthree\r\nContent-Length: 2\r\n\r\n",
     2, AS_SENT, OK "X-A: one two three\r\nContent-Length: 2\r\n\r\n"},
    {"folded coding", OK "Content-Encoding:\r\n gzip\r\n\r\n", 2, AS_SENT,
     OK "Content-Encoding: gzip\r\nContent-Length: 2\r\n\r\n"},
    {"LF only", "HTTP/1.1 200 OK\nX-A: one\n two\nContent-Length: 2\n\n", 2,
     AS_SENT, OK "X-A: one two\r\nContent-Length: 2\r\n\r\n"},
    {"too many CR", "HTTP/1.1 200 OK\r\r\nX-A: one\r\r\n\r\r\n", 2, AS_SENT,
     OK "X-A: one\r\nContent-Length: 2\r\n\r\n"},
    {"a lone CR", OK "X-A: one\rContent-Length: 9\r\n\r\n", 2, AS_SENT,
     OK "X-A: one Content-Length: 9\r\nContent-Length: 2\r\n\r\n"},
    {"a lone CR at the start of a line", OK "\r X-A: one\r\n\r\n", 2, AS_SENT,
     OK "X-A: one\r\nContent-Length: 2\r\n\r\n"},
    {"a CR and a blank end the head", OK "\r \nX-A: one\r\n\r\n", 2, AS_SENT,
     OK "Content-Length: 2\r\n\r\n"},
    {"8-bit", "HTTP/1.1 200 caf\xe9\r\nX-Raw: \xff\x80\r\n\r\n", 2, AS_SENT,
     "HTTP/1.1 200 caf\xe9\r\nX-Raw: \xff\x80\r\nContent-Length: 2\r\n\r\n"},
    {"repeated, and their case",
     OK "Set-Cookie: a\r\nset-cookie: b\r\nX-Sp :  v  \r\n\r\n", 2, AS_SENT,
     OK "Set-Cookie: a\r\nset-cookie: b\r\nX-Sp :  v  \r\n"
        "Content-Length: 2\r\n\r\n"},
    {"no header at all", OK "no header\r\n:\r\n\r\n", 2, AS_SENT,
     OK "no header\r\n:\r\nContent-Length: 2\r\n\r\n"},
    {"names that only begin so",
     OK "Content-Lengths: 9\r\nX-Content-Encoding: br\r\n\r\n", 2, UNDONE,
     OK "Content-Lengths: 9\r\nX-Content-Encoding: br\r\n"
        "Content-Length: 2\r\n\r\n"},
    {"HTTP/1.0", "HTTP/1.0 200 OK\r\n\r\n", 2, AS_SENT,
     "HTTP/1.0 200 OK\r\nContent-Length: 2\r\n\r\n"},
    {"HTTP/2", "HTTP/2 200 \r\n\r\n", 2, AS_SENT,
     "HTTP/1.1 200 \r\nContent-Length: 2\r\n\r\n"},
    {"no reason", "HTTP/1.1 404\r\n\r\n", 0, AS_SENT,
     "HTTP/1.1 404 \r\nContent-Length: 0\r\n\r\n"},
    {"a folded status line", "HTTP/1.1 200 OK\r\n X-A: one\r\n\r\n", 2, AS_SENT,
     OK "Content-Length: 2\r\n\r\n"},
    {"204", "HTTP/1.1 204 No Content\r\n\r\n", 0, AS_SENT,
     "HTTP/1.1 204 No Content\r\n\r\n"},
    {"304", "HTTP/1.1 304 Not Modified\r\nContent-Length: 77\r\n\r\n", 0,
     AS_SENT,
     "HTTP/1.1 304 Not Modified\r\nX-Crawler-Content-Length: 77\r\n"
     "Content-Length: 0\r\n\r\n"},
    {"nothing after the empty line", OK "\r\nX-T: trailer\r\n\r\n", 2, AS_SENT,
     OK "Content-Length: 2\r\n\r\n"},
    {"cut off", OK "X-A: one", 2, AS_SENT,
     OK "X-A: one\r\nContent-Length: 2\r\n\r\n"},
    {"nothing", "", 0, AS_SENT, "HTTP/1.1  \r\nContent-Length: 0\r\n\r\n"},
};

static void heads(void **state)
{
    (void)state;
    for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
        const struct head_case *c = &cases[i];
        struct str head = str_of(c->head);
        struct buf out;

        print_message("%s\n", c->name);
        /* Memory of its own, so that asan sees what is read beyond it. */
        char *copy = malloc(head.len + 1);
        memcpy(copy, head.ptr, head.len);
        buf_init(&out, 2 * head.len + 256);
        buf_put(&out, STR(">"));
        assert_true(kept_head_put(&out, (struct str){copy, head.len},
                                  c->body_len, c->coding_undone));
        assert_string_equal(buf_cstr(&out) + 1, c->kept);
        buf_release(&out);
        free(copy);
    }
}

/* With any smaller cap than it needs it says so. */
static void caps(void **state)
{
    (void)state;
    for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
        const struct head_case *c = &cases[i];
        size_t need = strlen(c->kept);

        for (size_t cap = 0; cap < need + 20; cap++) {
            struct buf out;

            buf_init(&out, cap);
            bool fits = kept_head_put(&out, str_of(c->head), c->body_len,
                                      c->coding_undone);
            if (cap < need)
                assert_false(fits);
            if (fits)
                assert_true(str_eq(buf_str(&out), str_of(c->kept)));
            buf_release(&out);
        }
    }
}

/* Every head that is kept is one that stays so. */
static void twice(void **state)
{
    (void)state;
    for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
        const struct head_case *c = &cases[i];
        struct buf out;

        print_message("%s\n", c->name);
        buf_init(&out, 4096);
        assert_true(kept_head_put(&out, str_of(c->kept), c->body_len, AS_SENT));
        assert_string_equal(buf_cstr(&out), c->kept);
        buf_release(&out);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(heads),
        cmocka_unit_test(caps),
        cmocka_unit_test(twice),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
