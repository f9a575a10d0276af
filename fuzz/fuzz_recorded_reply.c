/* The head of a recorded response, which an archive of anybody may have, as it
 * is sent to a client (replay/recorded_reply.h). The first byte is the status
 * divided by four and the first line the URL. */
#include "fuzz.h"

#include "replay/recorded_reply.h"

enum { LINES_MAX = 4096 };

/* A name, a colon, no character that would end the line early. */
static void check_line(struct str line)
{
    size_t colon = str_find(line, ':');

    assert(colon > 0 && colon < line.len);
    for (size_t i = 0; i < line.len; i++) {
        unsigned char c = (unsigned char)line.ptr[i];

        assert(c >= 0x20 ? c != 0x7f : c == '\t' && i > colon);
        assert(i >= colon || (c > ' ' && c < 0x7f));
    }
}

static void check_headers(struct str headers, bool has_body)
{
    unsigned lengths = 0, dates = 0;

    while (headers.len) {
        size_t end = str_find(headers, '\r');
        struct str line = str_first(headers, end);

        check_line(line);
        assert(str_starts(str_skip(headers, end), STR("\r\n")));
        headers = str_skip(headers, end + 2);
        lengths += str_starts_nocase(line, STR("Content-Length:"));
        dates += str_starts_nocase(line, STR("Memento-Datetime:"));
        assert(!str_starts_nocase(line, STR("Transfer-Encoding:")));
        assert(!str_starts_nocase(line, STR("Connection:")));
    }
    assert(lengths <= 1 && (lengths == 1 || !has_body));
    assert(dates == 1);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct http_reply reply;
    struct buf lines;

    if (!size)
        return 0;
    struct str_pair in = str_cut(fuzz_input(data + 1, size - 1), '\n');
    struct captured captured = {
        .url = in.head,
        .date_ms = size * 1000000007ULL,
        .http = {.status = data[0] * 4, .head = in.tail, .body = STR("body")},
        .body = {.len = 4},
    };

    buf_init(&lines, LINES_MAX);
    http_reply_init(&reply);
    if (recorded_reply_fill(&reply, &lines, &captured)) {
        assert(reply.status >= 200);
        check_headers(reply.headers,
                      reply.status != 204 && reply.status != 304);
        for (size_t i = 0; i < reply.reason.len; i++)
            assert((unsigned char)reply.reason.ptr[i] >= 0x20 ||
                   reply.reason.ptr[i] == '\t');
    }
    buf_release(&lines);
    return 0;
}
