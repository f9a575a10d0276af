/* How long it takes to make the records of an archive.
 *
 *     records FOLDER    of all HTML pages below it, as a server would send them
 *                       with gzip and without, at several levels, and what the
 *                       libraries take of it: the rest is ours
 *
 * CPU time and bytes a page, best of several rounds.
 */
#include "bench/pages.h"

#include <libdeflate.h>

#include "archive/gzip_member.h"
#include "archive/warc_write.h"

enum { ROUNDS = 5 };

#define REQUEST                                                                \
    "GET /w/cpp/container/vector HTTP/1.1\r\nHost: en.cppreference.com\r\n"    \
    "User-Agent: crawler/1.0\r\n"                                              \
    "Accept: text/html,application/xhtml+xml,*/*;q=0.1\r\n"                    \
    "Accept-Encoding: gzip\r\n\r\n"
#define HEAD                                                                   \
    "HTTP/1.1 200 OK\r\nServer: nginx/1.22.1\r\n"                              \
    "Date: Tue, 14 Nov 2023 22:13:20 GMT\r\nContent-Type: text/html\r\n"       \
    "Last-Modified: Sun, 15 Oct 2023 12:00:00 GMT\r\n"                         \
    "Transfer-Encoding: chunked\r\nConnection: keep-alive\r\n"

/* All pages once, each with a stand-in for its URL. */
static size_t make_all(const struct pages *pages, int level, bool is_coded)
{
    const struct warc_style style = {DIGEST_SHA1, level, {1, 2}};
    size_t bytes = 0;

    for (size_t i = 0; i < pages->count; i++) {
        const struct warc_exchange exchange = {
            .url = STR("https://en.cppreference.com/w/cpp/container/vector"),
            .date_ms = 1700000000000,
            .peer = STR("192.0.2.1"),
            .tls_version = "tls/1.3",
            .cipher_suite = "TLS_AES_128_GCM_SHA256",
            .request_head = STR(REQUEST),
            .response_head = is_coded
                                 ? STR(HEAD "Content-Encoding: gzip\r\n\r\n")
                                 : STR(HEAD "\r\n"),
            .body = pages->page[i],
            .is_dense = is_coded,
        };
        struct warc_pair pair;

        warc_pair_init(&pair);
        warc_pair_make(&pair, &style, &exchange, i);
        bytes += pair.response.len + pair.request.len;
        warc_pair_release(&pair);
    }
    return bytes;
}

/* The two digests alone, of the payload and of the block. */
static size_t digest_all(const struct pages *pages, int level, bool is_coded)
{
    char text[DIGEST_TEXT_MAX + 1];

    (void)level, (void)is_coded;
    for (size_t i = 0; i < pages->count; i++)
        for (int j = 0; j < 2; j++)
            digest_text(DIGEST_SHA1, pages->page[i], text);
    return 0;
}

/* The gzip members alone, without fields and heads. */
static size_t compress_all(const struct pages *pages, int level, bool is_coded)
{
    struct buf out;
    size_t bytes = 0;

    buf_init(&out, (size_t)1 << 30);
    for (size_t i = 0; i < pages->count; i++) {
        buf_clear(&out);
        gzip_member_put(&out, is_coded ? GZIP_STORED : level, &pages->page[i],
                        1);
        bytes += out.len;
    }
    buf_release(&out);
    return bytes;
}

static void measure(const char *name,
                    size_t (*work)(const struct pages *, int, bool),
                    const struct pages *pages, int level, bool is_coded)
{
    double best = 0;
    size_t bytes = 0;

    for (int i = 0; i < ROUNDS; i++) {
        double start = cpu_seconds();
        bytes = work(pages, level, is_coded);
        double seconds = cpu_seconds() - start;
        if (i == 0 || seconds < best)
            best = seconds;
    }
    printf("%s, level %2d, %-8s %6.1f us and %5zu bytes a page of %zu\n",
           is_coded ? "gzip " : "plain", level, name,
           best * 1e6 / (double)pages->count, bytes / pages->count,
           pages->bytes / pages->count);
}

static void measure_level(const struct pages *pages, int level, bool is_coded)
{
    measure("records:", make_all, pages, level, is_coded);
    measure("digests:", digest_all, pages, level, is_coded);
    measure("members:", compress_all, pages, level, is_coded);
}

/* As a server sends them. */
static void code(struct pages *pages)
{
    struct libdeflate_compressor *z = libdeflate_alloc_compressor(6);

    pages->bytes = 0;
    for (size_t i = 0; i < pages->count; i++) {
        struct str *page = &pages->page[i];
        size_t room = libdeflate_gzip_compress_bound(z, page->len);
        char *coded = mem_array(room, 1);
        size_t len =
            libdeflate_gzip_compress(z, page->ptr, page->len, coded, room);

        free((char *)page->ptr);
        *page = (struct str){coded, len};
        pages->bytes += len;
    }
    libdeflate_free_compressor(z);
}

int main(int argc, char *argv[])
{
    struct pages pages = {0};

    if (argc != 2) {
        fprintf(stderr, "usage: records FOLDER\n");
        return 2;
    }
    pages_read(&pages, argv[1]);
    if (!pages.count) {
        fprintf(stderr, "records: no page below %s\n", argv[1]);
        return 1;
    }
    for (int level = 0; level <= 6; level = level ? level * 6 : 1)
        measure_level(&pages, level, false);
    code(&pages);
    measure_level(&pages, 1, true);
    pages_free(&pages);
    return 0;
}
