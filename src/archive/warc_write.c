#include "archive/warc_write.h"

#include <assert.h>
#include <libdeflate.h>
#include <pthread.h>
#include <stdlib.h>

#include "archive/kept_head.h"
#include "base/clock.h"
#include "base/hash.h"
#include "base/mem.h"

enum {
    SHORT_BODY = 200,             /* not worth to be compressed */
    SCRATCH_KEEP_MAX = 256 << 10, /* of a thread, from record to record */
    LEVEL_STORED = 0,
    LEVEL_MAX = 12,
};

#define RECORD_MAX ((size_t)1 << 40) /* more than any body that is kept */

#define IDENTICAL_PAYLOAD                                                      \
    "http://netpreserve.org/warc/1.1/revisit/identical-payload-digest"

/* --- what a thread keeps ------------------------------------------------- */

struct tools {
    /* libdeflate's are large: nobody wants to allocate one for a record. */
    struct libdeflate_compressor *compressor[LEVEL_MAX + 1];
    struct buf plain; /* a record before it is compressed */
};

static pthread_key_t tools_key;
static pthread_once_t once = PTHREAD_ONCE_INIT;

static void free_tools(void *user)
{
    struct tools *tools = user;

    for (int level = 0; level <= LEVEL_MAX; level++)
        libdeflate_free_compressor(tools->compressor[level]);
    buf_release(&tools->plain);
    free(tools);
}

static void make_key(void)
{
    pthread_key_create(&tools_key, free_tools);
}

static struct tools *tools_of_thread(void)
{
    struct tools *tools;

    pthread_once(&once, make_key);
    tools = pthread_getspecific(tools_key);
    if (!tools) {
        tools = NEW(struct tools);
        buf_init(&tools->plain, RECORD_MAX);
        pthread_setspecific(tools_key, tools);
    }
    return tools;
}

static struct libdeflate_compressor *compressor(struct tools *tools, int level)
{
    struct libdeflate_compressor **of_level = &tools->compressor[level];

    if (!*of_level)
        *of_level = mem_checked(libdeflate_alloc_compressor(level));
    return *of_level;
}

/* --- ids ------------------------------------------------------------------ */

enum id_kind { ID_RESPONSE, ID_REQUEST, ID_INFO };

/* A UUID of version 8: a hash of our own (RFC 9562, 5.8). */
static void make_id(char id[WARC_ID_LEN + 1], const struct warc_style *style,
                    enum id_kind kind, uint64_t counter)
{
    static const char hex[] = "0123456789abcdef";
    uint64_t of[2] = {counter, kind}, half[2];
    struct str bytes = {(const char *)of, sizeof(of)};
    char *to = stpcpy(id, "urn:uuid:");

    half[0] = hash64(bytes, style->id_seed[0]);
    half[1] = hash64(bytes, style->id_seed[1]);
    half[0] = (half[0] & ~(uint64_t)0xf000) | 0x8000;
    half[1] = half[1] >> 2 | (uint64_t)1 << 63;
    for (int i = 0; i < 32; i++) {
        if (i == 8 || i == 12 || i == 16 || i == 20)
            *to++ = '-';
        *to++ = hex[half[i / 16] >> (60 - i % 16 * 4) & 15];
    }
    *to = '\0';
}

/* --- fields ----------------------------------------------------------------
 */

/* No value has an end of line in it, whoever chose it. */
static void put_value(struct buf *out, struct str value)
{
    size_t start = out->len;

    buf_put(out, value);
    for (size_t i = start; i < out->len; i++)
        if ((unsigned char)out->ptr[i] < ' ')
            out->ptr[i] = ' ';
}

static void put_field(struct buf *out, struct str name, struct str value)
{
    buf_put(out, name);
    buf_put(out, STR(": "));
    put_value(out, value);
    buf_put(out, STR("\r\n"));
}

static void put_id_field(struct buf *out, struct str name, struct str id)
{
    buf_put(out, name);
    buf_put(out, STR(": <"));
    put_value(out, id);
    buf_put(out, STR(">\r\n"));
}

static void put_date_field(struct buf *out, struct str name, uint64_t date_ms)
{
    char date[CLOCK_ISO_LEN + 1];

    clock_format_iso(date_ms, date);
    put_field(out, name, (struct str){date, CLOCK_ISO_LEN});
}

static void put_beginning(struct buf *out, struct str type, const char *id,
                          uint64_t date_ms)
{
    buf_put(out, STR("WARC/1.1\r\n"));
    put_field(out, STR("WARC-Type"), type);
    put_id_field(out, STR("WARC-Record-ID"), str_of(id));
    put_date_field(out, STR("WARC-Date"), date_ms);
}

/* No brackets around the URL: the standard of 1.0 had them by mistake, and
 * readers stumble over them. */
static void put_connection(struct buf *out,
                           const struct warc_exchange *exchange,
                           struct str protocol)
{
    put_field(out, STR("WARC-Target-URI"), exchange->url);
    if (exchange->peer.len)
        put_field(out, STR("WARC-IP-Address"), exchange->peer);
    put_field(out, STR("WARC-Protocol"), protocol);
    if (exchange->tls_version)
        put_field(out, STR("WARC-Protocol"), str_of(exchange->tls_version));
    if (exchange->cipher_suite)
        put_field(out, STR("WARC-Cipher-Suite"),
                  str_of(exchange->cipher_suite));
}

static void put_depth(struct buf *out, const struct warc_exchange *exchange)
{
    if (exchange->is_page)
        buf_printf(out, "WARC-Page-Depth: %u\r\n", (unsigned)exchange->depth);
}

static struct str protocol_of(const struct buf *response_head)
{
    return str_starts(buf_str(response_head), STR("HTTP/1.0"))
               ? STR("http/1.0")
               : STR("http/1.1");
}

static void put_cut(struct buf *out, enum warc_cut cut)
{
    static const struct str reasons[] = {
        [WARC_CUT_BY_LENGTH] = STR_INIT("length"),
        [WARC_CUT_BY_TIME] = STR_INIT("time"),
        [WARC_CUT_BY_DISCONNECT] = STR_INIT("disconnect"),
        [WARC_CUT_FOR_NO_REASON] = STR_INIT("unspecified"),
    };

    if (cut != WARC_WHOLE)
        put_field(out, STR("WARC-Truncated"), reasons[cut]);
}

/* The last fields, which tell of the block, and the block itself. */
static void put_block(struct buf *out, const struct warc_style *style,
                      struct str content_type, struct str head, struct str body)
{
    char text[DIGEST_TEXT_MAX + 1];
    struct digest digest;

    digest_begin(&digest, style->digest);
    digest_add(&digest, head);
    digest_add(&digest, body);
    digest_end(&digest, text);
    put_field(out, STR("WARC-Block-Digest"), str_of(text));
    put_field(out, STR("Content-Type"), content_type);
    buf_put(out, STR("Content-Length: "));
    buf_put_number(out, head.len + body.len);
    buf_put(out, STR("\r\n\r\n"));
    buf_put(out, head);
    buf_put(out, body);
    buf_put(out, STR("\r\n\r\n"));
}

/* --- members ---------------------------------------------------------------
 */

/* Where a record is put together. */
static struct buf *begin_record(struct tools *tools)
{
    buf_clear(&tools->plain);
    return &tools->plain;
}

/* Append the record to `out`, as a gzip member unless the level is -1. */
static void end_record(struct tools *tools, int level, struct buf *out)
{
    struct str plain = buf_str(&tools->plain);

    if (level < 0) {
        buf_put(out, plain);
    } else {
        struct libdeflate_compressor *z = compressor(tools, level);
        size_t room = libdeflate_gzip_compress_bound(z, plain.len);
        char *to = buf_reserve(out, room);

        assert(to);
        out->len += libdeflate_gzip_compress(z, plain.ptr, plain.len, to, room);
    }
    if (tools->plain.room > SCRATCH_KEEP_MAX)
        buf_release(&tools->plain);
}

/* Give back the memory that was for a record which compresses badly. */
static void fit(struct buf *record)
{
    if (record->room == record->len || !record->len)
        return;
    record->ptr = mem_resize(record->ptr, record->len);
    record->room = record->len;
}

/* --- pairs ------------------------------------------------------------------
 */

void warc_pair_init(struct warc_pair *pair)
{
    *pair = (struct warc_pair){0};
    buf_init(&pair->response, RECORD_MAX);
    buf_init(&pair->request, RECORD_MAX);
    buf_init(&pair->head, RECORD_MAX);
    buf_init(&pair->connection, RECORD_MAX);
}

void warc_pair_release(struct warc_pair *pair)
{
    buf_release(&pair->response);
    buf_release(&pair->request);
    buf_release(&pair->head);
    buf_release(&pair->connection);
}

size_t warc_pair_bytes(const struct warc_pair *pair)
{
    return sizeof(*pair) + pair->response.room + pair->request.room +
           pair->head.room + pair->connection.room;
}

static void make_response(struct warc_pair *pair,
                          const struct warc_style *style,
                          const struct warc_exchange *exchange)
{
    struct tools *tools = tools_of_thread();
    struct buf *out = begin_record(tools);
    bool is_stored = exchange->is_dense || exchange->body.len < SHORT_BODY;

    put_beginning(out, STR("response"), pair->id, pair->date_ms);
    buf_put(out, buf_str(&pair->connection));
    put_cut(out, pair->cut);
    put_field(out, STR("WARC-Payload-Digest"), str_of(pair->payload_digest));
    put_block(out, style, STR("application/http;msgtype=response"),
              buf_str(&pair->head), exchange->body);
    end_record(tools,
               is_stored && style->level > 0 ? LEVEL_STORED : style->level,
               &pair->response);
    fit(&pair->response);
}

static void make_request(struct warc_pair *pair, const struct warc_style *style,
                         const struct warc_exchange *exchange, uint64_t counter)
{
    struct tools *tools = tools_of_thread();
    struct buf *out = begin_record(tools);
    char id[WARC_ID_LEN + 1];

    make_id(id, style, ID_REQUEST, counter);
    put_beginning(out, STR("request"), id, pair->date_ms);
    put_connection(out, exchange, STR("http/1.1"));
    put_id_field(out, STR("WARC-Concurrent-To"), str_of(pair->id));
    put_block(out, style, STR("application/http;msgtype=request"),
              exchange->request_head, (struct str){0});
    end_record(tools, style->level, &pair->request);
    fit(&pair->request);
}

void warc_pair_make(struct warc_pair *pair, const struct warc_style *style,
                    const struct warc_exchange *exchange, uint64_t counter)
{
    bool fits = kept_head_put(&pair->head, exchange->response_head,
                              exchange->body.len, exchange->coding_undone);

    assert(fits);
    (void)fits;
    put_connection(&pair->connection, exchange, protocol_of(&pair->head));
    put_depth(&pair->connection, exchange);
    make_id(pair->id, style, ID_RESPONSE, counter);
    digest_text(style->digest, exchange->body, pair->payload_digest);
    pair->payload_len = exchange->body.len;
    pair->date_ms = exchange->date_ms;
    pair->cut = exchange->cut;
    make_response(pair, style, exchange);
    if (exchange->request_head.len)
        make_request(pair, style, exchange, counter);
}

/* The block is the head alone: by the standard the payload counts as cut for
 * its length, whatever was cut of the original. */
void warc_put_revisit(struct buf *out, const struct warc_style *style,
                      const struct warc_pair *pair,
                      const struct warc_original *original)
{
    struct tools *tools = tools_of_thread();
    struct buf *plain = begin_record(tools);

    put_beginning(plain, STR("revisit"), pair->id, pair->date_ms);
    buf_put(plain, buf_str(&pair->connection));
    put_field(plain, STR("WARC-Profile"), STR(IDENTICAL_PAYLOAD));
    if (original->id.len)
        put_id_field(plain, STR("WARC-Refers-To"), original->id);
    put_field(plain, STR("WARC-Refers-To-Target-URI"), original->url);
    put_date_field(plain, STR("WARC-Refers-To-Date"), original->date_ms);
    put_cut(plain, WARC_CUT_BY_LENGTH);
    put_field(plain, STR("WARC-Payload-Digest"), str_of(pair->payload_digest));
    put_block(plain, style, STR("application/http;msgtype=response"),
              buf_str(&pair->head), (struct str){0});
    end_record(tools, style->level, out);
}

void warc_put_info(struct buf *out, const struct warc_style *style,
                   struct str file_name, uint64_t date_ms, struct str fields,
                   uint64_t counter)
{
    struct tools *tools = tools_of_thread();
    struct buf *plain = begin_record(tools);
    char id[WARC_ID_LEN + 1];

    make_id(id, style, ID_INFO, counter);
    put_beginning(plain, STR("warcinfo"), id, date_ms);
    put_field(plain, STR("WARC-Filename"), file_name);
    put_block(plain, style, STR("application/warc-fields"), fields,
              (struct str){0});
    end_record(tools, style->level, out);
}
