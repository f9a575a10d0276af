#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

#include <cmocka.h>

#include <libdeflate.h>
#include <openssl/evp.h>

#include <errno.h>
#include <signal.h>
#include <sys/resource.h>

#include "archive/warc_write.h"
#include "support/random.h"
#include "support/tempdir.h"

enum { ROOM = 4 << 20, DATE_MS = 1700000000 };

#define DATE       "2023-11-14T22:13:20.123Z"
#define DATE_AT    ((uint64_t)DATE_MS * 1000 + 123)
#define REQUEST    "GET /a HTTP/1.1\r\nHost: a.example\r\n\r\n"
#define HEAD       "HTTP/1.1 200 OK\r\nContent-Type: text/html\r\n"
#define WHOLE_HEAD HEAD "\r\n"

static const struct warc_style usual = {
    .digest = DIGEST_SHA1,
    .level = 1,
    .id_seed = {1, 2},
};

/* --- a reader of our own ----------------------------------------------------
 */

struct record {
    char text[ROOM];
    size_t len;
    struct str fields, block;
};

/* Unpack exactly one member, or take plain bytes; find the parts. */
static void read_record(struct str bytes, int level, struct record *record)
{
    if (level < 0) {
        assert_true(bytes.len < ROOM);
        memcpy(record->text, bytes.ptr, bytes.len);
        record->len = bytes.len;
    } else {
        struct libdeflate_decompressor *z = libdeflate_alloc_decompressor();
        size_t used;

        assert_int_equal(libdeflate_gzip_decompress_ex(z, bytes.ptr, bytes.len,
                                                       record->text, ROOM - 1,
                                                       &used, &record->len),
                         LIBDEFLATE_SUCCESS);
        assert_int_equal(used, bytes.len);
        libdeflate_free_decompressor(z);
    }
    record->text[record->len] = '\0';
    char *end = strstr(record->text, "\r\n\r\n");
    assert_non_null(end);
    record->fields = str_between(record->text, end + 2);
    record->block = str_between(end + 4, record->text + record->len);
    assert_true(str_ends(record->block, STR("\r\n\r\n")));
    record->block.len -= 4;
}

/* The value of the nth field of that name; without a pointer: none. */
static struct str nth_field(const struct record *record, const char *name,
                            unsigned n)
{
    struct str rest = record->fields;

    while (rest.len) {
        struct str_pair line = str_cut(rest, '\n');
        struct str_pair field = str_cut(line.head, ':');

        assert_true(str_ends(line.head, STR("\r")));
        if (str_eq(field.head, str_of(name)) && !n--)
            return str_trim(field.tail);
        rest = line.tail;
    }
    return (struct str){0};
}

static void expect_field(const struct record *record, const char *name,
                         const char *value)
{
    struct str got = nth_field(record, name, 0);

    if (!value) {
        assert_null(got.ptr);
        return;
    }
    assert_non_null(got.ptr);
    if (!str_eq(got, str_of(value)))
        fail_msg("%s: %.*s, not %s", name, STR_ARGS(got), value);
    assert_null(nth_field(record, name, 1).ptr);
}

/* Computed another way than by the code under test. */
static void expect_digest(const struct record *record, const char *name,
                          enum digest_kind kind, struct str bytes)
{
    static const char digits[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZ234567";
    unsigned char raw[EVP_MAX_MD_SIZE];
    char text[DIGEST_TEXT_MAX + 1] = "sha1:";
    size_t len, at = 5;

    assert_int_equal(EVP_Q_digest(NULL, kind == DIGEST_SHA1 ? "SHA1" : "SHA256",
                                  NULL, bytes.ptr, bytes.len, raw, &len),
                     1);
    if (kind == DIGEST_SHA1) {
        for (size_t bit = 0; bit < len * 8; bit += 5) {
            unsigned value = 0;

            for (size_t i = bit; i < bit + 5; i++)
                value = value << 1 | ((unsigned)raw[i / 8] >> (7 - i % 8) & 1u);
            text[at++] = digits[value];
        }
    } else {
        at = (size_t)sprintf(text, "sha256:");
        for (size_t i = 0; i < len; i++)
            at += (size_t)sprintf(text + at, "%02x", raw[i]);
    }
    expect_field(record, name, text);
}

static void expect_id(struct str id)
{
    static const char form[] =
        "<urn:uuid:xxxxxxxx-xxxx-8xxx-vxxx-xxxxxxxxxxxx>";

    assert_int_equal(id.len, sizeof(form) - 1);
    for (size_t i = 0; i < id.len; i++)
        if (form[i] == 'x' && i > 9)
            assert_true(strchr("0123456789abcdef", id.ptr[i]));
        else if (form[i] == 'v')
            assert_true(strchr("89ab", id.ptr[i]));
        else
            assert_int_equal(id.ptr[i], form[i]);
}

/* What holds for all records: length and digest of the block, id, date, no
 * brackets, lines without an end in them. */
static void check(const struct record *record, const char *type,
                  const struct warc_style *style)
{
    char length[32];

    assert_true(str_starts(record->fields, STR("WARC/1.1\r\n")));
    expect_field(record, "WARC-Type", type);
    expect_field(record, "WARC-Date", DATE);
    snprintf(length, sizeof(length), "%zu", record->block.len);
    expect_field(record, "Content-Length", length);
    expect_digest(record, "WARC-Block-Digest", style->digest, record->block);
    expect_id(nth_field(record, "WARC-Record-ID", 0));
    expect_field(record, "WARC-Warcinfo-ID", NULL);
}

/* --- pairs
 * -------------------------------------------------------------------- */

static struct warc_exchange exchange_of(struct str head, struct str body)
{
    return (struct warc_exchange){
        .url = STR("http://a.example/a"),
        .date_ms = DATE_AT,
        .peer = STR("192.0.2.7"),
        .request_head = STR(REQUEST),
        .response_head = head,
        .body = body,
    };
}

/* Make a pair, read it back, check what always holds, compare the block. */
static void make(struct warc_pair *pair, const struct warc_style *style,
                 const struct warc_exchange *exchange, struct record *response,
                 struct record *request, const char *kept_head)
{
    char id[WARC_ID_LEN + 3];

    warc_pair_init(pair);
    warc_pair_make(pair, style, exchange, 7);
    read_record(buf_str(&pair->response), style->level, response);
    check(response, "response", style);
    expect_field(response, "Content-Type", "application/http;msgtype=response");
    expect_digest(response, "WARC-Payload-Digest", style->digest,
                  exchange->body);
    expect_field(response, "WARC-Payload-Digest", pair->payload_digest);
    snprintf(id, sizeof(id), "<%s>", pair->id);
    expect_field(response, "WARC-Record-ID", id);
    assert_int_equal(pair->payload_len, exchange->body.len);
    assert_int_equal(pair->date_ms, DATE_AT);
    assert_string_equal(buf_cstr(&pair->head), kept_head);
    assert_true(str_starts(response->block, buf_str(&pair->head)));
    assert_true(
        str_eq(str_skip(response->block, pair->head.len), exchange->body));

    read_record(buf_str(&pair->request), style->level, request);
    check(request, "request", style);
    expect_field(request, "Content-Type", "application/http;msgtype=request");
    expect_field(request, "WARC-Concurrent-To", id);
    expect_field(request, "WARC-Payload-Digest", NULL);
    assert_true(str_eq(request->block, exchange->request_head));
    assert_false(str_eq(nth_field(request, "WARC-Record-ID", 0), str_of(id)));
}

static struct record response, request; /* large */

struct pair_case {
    const char *name;
    struct warc_style style;
    struct str head, body;
    bool coding_undone, is_dense;
    enum warc_cut cut;
    const char *kept_head, *truncated, *protocol;
};

// clang-format off
static const struct pair_case pair_cases[] = {
    {"usual", {DIGEST_SHA1, 1, {1, 2}}, STR_INIT(WHOLE_HEAD), STR_INIT("hello"),
     false, false, WARC_WHOLE, HEAD "Content-Length: 5\r\n\r\n", NULL,
     "http/1.1"},
    {"sha256", {DIGEST_SHA256, 6, {1, 2}}, STR_INIT(WHOLE_HEAD),
     STR_INIT("hello"), false, false, WARC_WHOLE,
     HEAD "Content-Length: 5\r\n\r\n", NULL, "http/1.1"},
    {"plain", {DIGEST_SHA1, -1, {1, 2}}, STR_INIT(WHOLE_HEAD),
     STR_INIT("hello"), false, false, WARC_WHOLE,
     HEAD "Content-Length: 5\r\n\r\n", NULL, "http/1.1"},
    {"plain and dense", {DIGEST_SHA1, -1, {1, 2}}, STR_INIT(WHOLE_HEAD),
     STR_INIT("hello"), false, true, WARC_WHOLE,
     HEAD "Content-Length: 5\r\n\r\n", NULL, "http/1.1"},
    {"stored", {DIGEST_SHA1, 0, {1, 2}}, STR_INIT(WHOLE_HEAD),
     STR_INIT("hello"), false, false, WARC_WHOLE,
     HEAD "Content-Length: 5\r\n\r\n", NULL, "http/1.1"},
    {"the highest level", {DIGEST_SHA1, 12, {1, 2}}, STR_INIT(WHOLE_HEAD),
     STR_INIT("hello"), false, false, WARC_WHOLE,
     HEAD "Content-Length: 5\r\n\r\n", NULL, "http/1.1"},
    {"empty body", {DIGEST_SHA1, 1, {1, 2}}, STR_INIT(WHOLE_HEAD), {0},
     false, false, WARC_WHOLE, HEAD "Content-Length: 0\r\n\r\n", NULL,
     "http/1.1"},
    {"HTTP/1.0", {DIGEST_SHA1, 1, {1, 2}}, STR_INIT("HTTP/1.0 200 OK\r\n\r\n"),
     STR_INIT("x"), false, false, WARC_WHOLE,
     "HTTP/1.0 200 OK\r\nContent-Length: 1\r\n\r\n", NULL, "http/1.0"},
    {"a coding undone", {DIGEST_SHA1, 1, {1, 2}},
     STR_INIT(HEAD "Content-Encoding: zstd\r\n\r\n"), STR_INIT("hello"),
     true, false, WARC_WHOLE,
     HEAD "X-Crawler-Content-Encoding: zstd\r\nContent-Length: 5\r\n\r\n",
     NULL, "http/1.1"},
    {"bytes of all kinds", {DIGEST_SHA1, 1, {1, 2}}, STR_INIT(WHOLE_HEAD),
     STR_INIT("\0\r\n\r\n\xff WARC/1.1\r\n"), false, false, WARC_WHOLE,
     HEAD "Content-Length: 17\r\n\r\n", NULL, "http/1.1"},
    {"too long", {DIGEST_SHA1, 1, {1, 2}},
     STR_INIT(HEAD "Content-Length: 99\r\n\r\n"), STR_INIT("hello"),
     false, false, WARC_CUT_BY_LENGTH,
     HEAD "X-Crawler-Content-Length: 99\r\nContent-Length: 5\r\n\r\n",
     "length", "http/1.1"},
    {"too slow", {DIGEST_SHA1, 1, {1, 2}}, STR_INIT(WHOLE_HEAD),
     STR_INIT("hello"), false, false, WARC_CUT_BY_TIME,
     HEAD "Content-Length: 5\r\n\r\n", "time", "http/1.1"},
    {"lost", {DIGEST_SHA1, 1, {1, 2}}, STR_INIT(WHOLE_HEAD), STR_INIT("hello"),
     false, false, WARC_CUT_BY_DISCONNECT, HEAD "Content-Length: 5\r\n\r\n",
     "disconnect", "http/1.1"},
    {"not wanted", {DIGEST_SHA1, 1, {1, 2}}, STR_INIT(WHOLE_HEAD), {0},
     false, false, WARC_CUT_FOR_NO_REASON, HEAD "Content-Length: 0\r\n\r\n",
     "unspecified", "http/1.1"},
};
// clang-format on

static void pairs(void **state)
{
    (void)state;
    for (size_t i = 0; i < ARRAY_LEN(pair_cases); i++) {
        const struct pair_case *c = &pair_cases[i];
        struct warc_exchange exchange = exchange_of(c->head, c->body);
        struct warc_pair pair;

        print_message("%s\n", c->name);
        exchange.coding_undone = c->coding_undone;
        exchange.is_dense = c->is_dense;
        exchange.cut = c->cut;
        make(&pair, &c->style, &exchange, &response, &request, c->kept_head);
        expect_field(&response, "WARC-Target-URI", "http://a.example/a");
        expect_field(&request, "WARC-Target-URI", "http://a.example/a");
        expect_field(&response, "WARC-IP-Address", "192.0.2.7");
        expect_field(&response, "WARC-Protocol", c->protocol);
        expect_field(&request, "WARC-Protocol", "http/1.1");
        expect_field(&response, "WARC-Cipher-Suite", NULL);
        expect_field(&response, "WARC-Truncated", c->truncated);
        expect_field(&request, "WARC-Truncated", NULL);
        assert_int_equal(pair.cut, c->cut);
        warc_pair_release(&pair);
    }
}

static void connections(void **state)
{
    struct warc_exchange exchange = exchange_of(STR(WHOLE_HEAD), STR("hello"));
    struct warc_pair pair;

    (void)state;
    exchange.peer = STR("2001:db8::7");
    exchange.tls_version = "tls/1.3";
    exchange.cipher_suite = "TLS_AES_128_GCM_SHA256";
    make(&pair, &usual, &exchange, &response, &request,
         HEAD "Content-Length: 5\r\n\r\n");
    for (int i = 0; i < 2; i++) {
        const struct record *record = i ? &request : &response;

        expect_field(record, "WARC-IP-Address", "2001:db8::7");
        expect_field(record, "WARC-Cipher-Suite", "TLS_AES_128_GCM_SHA256");
        assert_true(
            str_eq(nth_field(record, "WARC-Protocol", 0), STR("http/1.1")));
        assert_true(
            str_eq(nth_field(record, "WARC-Protocol", 1), STR("tls/1.3")));
        assert_null(nth_field(record, "WARC-Protocol", 2).ptr);
    }
    warc_pair_release(&pair);

    exchange.peer = (struct str){0};
    make(&pair, &usual, &exchange, &response, &request,
         HEAD "Content-Length: 5\r\n\r\n");
    expect_field(&response, "WARC-IP-Address", NULL);
    warc_pair_release(&pair);
}

/* The depth of a page is a field of its response and of a revisit. */
static void depths(void **state)
{
    struct warc_exchange exchange = exchange_of(STR(WHOLE_HEAD), STR("hello"));
    const struct warc_original original = {.url = STR("http://b.example/")};
    struct warc_pair pair;
    struct buf revisit;

    (void)state;
    buf_init(&revisit, 1 << 20);
    exchange.depth = 3;
    make(&pair, &usual, &exchange, &response, &request,
         HEAD "Content-Length: 5\r\n\r\n");
    expect_field(&response, "WARC-Page-Depth", NULL);
    warc_pair_release(&pair);

    exchange.is_page = true;
    make(&pair, &usual, &exchange, &response, &request,
         HEAD "Content-Length: 5\r\n\r\n");
    expect_field(&response, "WARC-Page-Depth", "3");
    expect_field(&request, "WARC-Page-Depth", NULL);
    warc_put_revisit(&revisit, &usual, &pair, &original);
    read_record(buf_str(&revisit), usual.level, &response);
    expect_field(&response, "WARC-Page-Depth", "3");
    warc_pair_release(&pair);
    buf_release(&revisit);
}

/* --- a body in a spool -----------------------------------------------------
 */

enum { SPOOLED_LEN = 700 * 1000, PIECE = 256 << 10 };

static void read_spool(const struct spool *spool, struct buf *out)
{
    char *to = buf_reserve(out, spool->len);

    assert_true(spool_read(spool, 0, to, spool->len));
    out->len += spool->len;
}

/* The record says the same, and is stored or not, as from memory. */
static void check_spooled(struct spools *spools, struct str body, int level,
                          bool is_dense, bool is_stored)
{
    static struct record spooled;
    struct warc_style style = usual;
    struct warc_exchange exchange = exchange_of(STR(WHOLE_HEAD), body);
    struct spool *spool = spool_new(spools);
    struct warc_pair pair, of_spool;
    struct buf bytes;

    style.level = level;
    exchange.is_dense = is_dense;
    warc_pair_init(&pair);
    warc_pair_init(&of_spool);
    assert_true(warc_pair_make(&pair, &style, &exchange, 7));
    assert_null(pair.spooled);
    assert_true(spool_put(spool, body));
    exchange.spooled = spool;
    exchange.body = (struct str){0};
    assert_true(warc_pair_make(&of_spool, &style, &exchange, 7));
    assert_int_equal(of_spool.response.len, 0);
    assert_int_equal(of_spool.payload_len, body.len);
    assert_string_equal(of_spool.payload_digest, pair.payload_digest);

    buf_init(&bytes, ROOM);
    read_spool(of_spool.spooled, &bytes);
    if (level >= 0)
        assert_int_equal(bytes.ptr[10] >> 1 & 3, is_stored ? 0 : 2);
    read_record(buf_str(&bytes), level, &spooled);
    read_record(buf_str(&pair.response), level, &response);
    assert_true(str_eq((struct str){spooled.text, spooled.len},
                       (struct str){response.text, response.len}));
    assert_true(str_eq(buf_str(&of_spool.request), buf_str(&pair.request)));
    buf_release(&bytes);
    warc_pair_release(&of_spool);
    warc_pair_release(&pair);
    spool_free(spool);
    assert_int_equal(spools->count, 0);
}

static void spooled(void **state)
{
    static char text[SPOOLED_LEN], noise[SPOOLED_LEN];
    struct tempdir *temp = *state;
    struct spools spools = {.dir_fd = temp->fd, .max = 1};
    const struct str plain = {text, sizeof(text)};
    struct random random = {7};

    for (size_t i = 0; i < sizeof(text); i++) {
        text[i] = (char)('a' + i * i % 23);
        noise[i] = (char)random_u64(&random);
    }
    for (int level = -1; level <= 12; level++)
        check_spooled(&spools, plain, level, false, level == 0);
    check_spooled(&spools, plain, 1, true, true);
    check_spooled(&spools, (struct str){noise, sizeof(noise)}, 1, false, true);
    check_spooled(&spools, (struct str){noise, sizeof(noise)}, 6, false, true);
    check_spooled(&spools, str_first(plain, 300), 1, false, false);
    check_spooled(&spools, str_first(plain, PIECE), 6, false, false);
    assert_string_equal(tempdir_list(temp), "");
}

/* No room for the record: the pair says so, and can be released. */
static void no_room_for_a_spool(void **state)
{
    static const int levels[] = {-1, 0, 1, 6};
    static char text[SPOOLED_LEN];
    struct tempdir *temp = *state;
    struct spools spools = {.dir_fd = temp->fd, .max = 1};
    struct warc_exchange exchange = exchange_of(STR(WHOLE_HEAD), STR(""));
    struct spool *spool = spool_new(&spools);
    struct rlimit old, limit = {SPOOLED_LEN / 2, RLIM_INFINITY};
    struct random random = {7};

    for (size_t i = 0; i < sizeof(text); i++)
        text[i] = (char)random_u64(&random);
    assert_true(spool_put(spool, (struct str){text, sizeof(text)}));
    exchange.spooled = spool;
    assert_int_equal(getrlimit(RLIMIT_FSIZE, &old), 0);
    signal(SIGXFSZ, SIG_IGN);
    for (size_t i = 0; i < ARRAY_LEN(levels); i++) {
        struct warc_style style = usual;
        struct warc_pair pair;

        style.level = levels[i];
        warc_pair_init(&pair);
        assert_int_equal(setrlimit(RLIMIT_FSIZE, &limit), 0);
        bool good = warc_pair_make(&pair, &style, &exchange, 7);
        int why = errno;
        setrlimit(RLIMIT_FSIZE, &old);
        assert_false(good);
        assert_int_equal(why, EFBIG);
        warc_pair_release(&pair);
    }
    spool_free(spool);
    assert_int_equal(spools.count, 0);
}

static void no_request(void **state)
{
    struct warc_exchange exchange = exchange_of(STR(WHOLE_HEAD), STR("hello"));
    struct warc_pair pair;

    (void)state;
    exchange.request_head = (struct str){0};
    warc_pair_init(&pair);
    warc_pair_make(&pair, &usual, &exchange, 7);
    assert_int_equal(pair.request.len, 0);
    assert_true(pair.response.len > 0);
    warc_pair_release(&pair);
}

/* The type of a member's first block: 0 is stored. */
static int first_block_type(const struct buf *member)
{
    return member->ptr[10] >> 1 & 3;
}

/* Only a body that is long enough and not dense is worth the time. */
static void levels(void **state)
{
    enum { PAGE_LEN = 100 * 1000, LARGE_LEN = 3000 * 1000 };
    static char page[LARGE_LEN];
    static const struct {
        size_t body_len;
        bool is_dense;
        int level;
        bool is_stored;
    } level_cases[] = {
        {199, false, 6, true},         {200, false, 6, false},
        {PAGE_LEN, false, 1, false},   {PAGE_LEN, true, 1, true},
        {PAGE_LEN, false, 0, true},    {LARGE_LEN, false, 1, false},
        {LARGE_LEN, false, 12, false}, {LARGE_LEN, true, 6, true},
        {LARGE_LEN, false, 0, true},   {LARGE_LEN, false, -1, false},
    };

    (void)state;
    memset(page, 'x', sizeof(page));
    for (size_t i = 0; i < ARRAY_LEN(level_cases); i++) {
        struct warc_exchange exchange = exchange_of(
            STR(WHOLE_HEAD), (struct str){page, level_cases[i].body_len});
        struct warc_style style = usual;
        struct warc_pair pair;
        char kept_head[200];

        exchange.is_dense = level_cases[i].is_dense;
        style.level = level_cases[i].level;
        snprintf(kept_head, sizeof(kept_head),
                 HEAD "Content-Length: %zu\r\n\r\n", level_cases[i].body_len);
        make(&pair, &style, &exchange, &response, &request, kept_head);
        if (style.level >= 0)
            assert_int_equal(first_block_type(&pair.response) == 0,
                             level_cases[i].is_stored);
        if (!level_cases[i].is_stored && style.level > 0)
            assert_true(pair.response.len < response.len);
        /* A pair waits for the crawler thread: it holds no more than it is. */
        assert_int_equal(pair.response.room, pair.response.len);
        assert_int_equal(pair.request.room, pair.request.len);
        warc_pair_release(&pair);
    }
}

static void no_value_ends_its_line(void **state)
{
    struct warc_exchange exchange = exchange_of(STR(WHOLE_HEAD), STR("hello"));
    const struct warc_original original = {.id = STR("a\r\nX: b"),
                                           .url = STR("http://b/\r\nX: b")};
    struct warc_pair pair;
    struct buf out;

    (void)state;
    exchange.url = STR("http://a/\r\nX: a");
    exchange.peer = STR("\n1");
    warc_pair_init(&pair);
    warc_pair_make(&pair, &usual, &exchange, 1);
    read_record(buf_str(&pair.response), 1, &response);
    expect_field(&response, "X", NULL);
    buf_init(&out, ROOM);
    warc_put_revisit(&out, &usual, &pair, &original);
    read_record(buf_str(&out), 1, &response);
    expect_field(&response, "X", NULL);
    buf_clear(&out);
    warc_put_info(&out, &usual, STR("a\r\nX: c"), DATE_AT, STR("a: b\r\n"), 1);
    read_record(buf_str(&out), 1, &response);
    expect_field(&response, "X", NULL);
    buf_release(&out);
    warc_pair_release(&pair);
}

/* --- the other records
 * ---------------------------------------------------------- */

static void revisits(void **state)
{
    struct warc_exchange exchange = exchange_of(STR(WHOLE_HEAD), STR("hello"));
    struct warc_original original = {
        .id = STR("urn:uuid:11111111-2222-3333-4444-555555555555"),
        .url = STR("http://b.example/b"),
        .date_ms = DATE_AT - 123,
    };
    struct warc_pair pair;
    struct buf out;

    (void)state;
    exchange.tls_version = "tls/1.2";
    warc_pair_init(&pair);
    warc_pair_make(&pair, &usual, &exchange, 7);
    read_record(buf_str(&pair.response), usual.level, &response);
    buf_init(&out, ROOM);
    for (int has_id = 1; has_id >= 0; has_id--) {
        buf_clear(&out);
        if (!has_id)
            original.id = (struct str){0};
        warc_put_revisit(&out, &usual, &pair, &original);
        read_record(buf_str(&out), usual.level, &request);
        check(&request, "revisit", &usual);
        assert_true(str_eq(request.block, buf_str(&pair.head)));
        assert_true(str_eq(nth_field(&request, "WARC-Record-ID", 0),
                           nth_field(&response, "WARC-Record-ID", 0)));
        expect_field(&request, "WARC-Profile",
                     "http://netpreserve.org/warc/1.1/revisit/"
                     "identical-payload-digest");
        expect_digest(&request, "WARC-Payload-Digest", usual.digest,
                      exchange.body);
        expect_field(&request, "WARC-Target-URI", "http://a.example/a");
        expect_field(&request, "WARC-IP-Address", "192.0.2.7");
        assert_true(
            str_eq(nth_field(&request, "WARC-Protocol", 1), STR("tls/1.2")));
        expect_field(&request, "WARC-Refers-To",
                     has_id ? "<urn:uuid:11111111-2222-3333-4444-555555555555>"
                            : NULL);
        expect_field(&request, "WARC-Refers-To-Target-URI",
                     "http://b.example/b");
        expect_field(&request, "WARC-Refers-To-Date",
                     "2023-11-14T22:13:20.000Z");
        expect_field(&request, "WARC-Truncated", "length");
        expect_field(&request, "Content-Type",
                     "application/http;msgtype=response");
    }
    buf_release(&out);
    warc_pair_release(&pair);
}

static void infos(void **state)
{
    struct buf out;

    (void)state;
    buf_init(&out, ROOM);
    for (int level = -1; level <= 12; level++) {
        struct warc_style style = usual;

        style.level = level;
        buf_clear(&out);
        warc_put_info(&out, &style, STR("a-00000.warc.gz"), DATE_AT,
                      STR("software: x\r\nformat: WARC\r\n"), 3);
        read_record(buf_str(&out), level, &response);
        check(&response, "warcinfo", &style);
        expect_field(&response, "WARC-Filename", "a-00000.warc.gz");
        expect_field(&response, "Content-Type", "application/warc-fields");
        expect_field(&response, "WARC-Target-URI", NULL);
        assert_true(
            str_eq(response.block, STR("software: x\r\nformat: WARC\r\n")));
    }
    buf_release(&out);
}

/* --- ids
 * ---------------------------------------------------------------------- */

static int compare_ids(const void *a, const void *b)
{
    return memcmp(a, b, WARC_ID_LEN);
}

/* Of every counter, kind and seed; the same when they are made again. */
static void ids_differ(void **state)
{
    enum { COUNTERS = 100, SEEDS = 3, PER_PAIR = 2 };
    static char id[COUNTERS * SEEDS * PER_PAIR][WARC_ID_LEN];
    struct warc_exchange exchange = exchange_of(STR(WHOLE_HEAD), STR("x"));
    size_t count = 0;

    (void)state;
    for (unsigned seed = 0; seed < SEEDS; seed++)
        for (unsigned counter = 0; counter < COUNTERS; counter++) {
            struct warc_style style = usual;
            struct warc_pair pair, again;

            style.level = -1;
            style.id_seed[seed % 2] += seed;
            warc_pair_init(&pair);
            warc_pair_make(&pair, &style, &exchange, counter);
            warc_pair_init(&again);
            warc_pair_make(&again, &style, &exchange, counter);
            assert_true(
                str_eq(buf_str(&pair.request), buf_str(&again.request)));
            read_record(buf_str(&pair.request), -1, &request);
            memcpy(id[count++], pair.id, WARC_ID_LEN);
            memcpy(id[count++],
                   nth_field(&request, "WARC-Record-ID", 0).ptr + 1,
                   WARC_ID_LEN);
            warc_pair_release(&pair);
            warc_pair_release(&again);
        }
    qsort(id, count, sizeof(id[0]), compare_ids);
    for (size_t i = 1; i < count; i++)
        assert_true(compare_ids(id[i - 1], id[i]) < 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(pairs),
        cmocka_unit_test(connections),
        cmocka_unit_test(depths),
        cmocka_unit_test(no_request),
        cmocka_unit_test_setup_teardown(spooled, tempdir_setup,
                                        tempdir_teardown),
        cmocka_unit_test_setup_teardown(no_room_for_a_spool, tempdir_setup,
                                        tempdir_teardown),
        cmocka_unit_test(levels),
        cmocka_unit_test(no_value_ends_its_line),
        cmocka_unit_test(revisits),
        cmocka_unit_test(infos),
        cmocka_unit_test(ids_differ),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
