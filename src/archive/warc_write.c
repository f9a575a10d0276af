#include "archive/warc_write.h"

#include <assert.h>

#include "archive/gzip_member.h"
#include "archive/kept_head.h"
#include "base/date.h"
#include "base/hashtable.h"
#include "base/mem.h"

enum {
    SHORT_BODY = 200, /* not worth to be compressed */
    /* Room for the fields of most records, and for lines that are added to a
     * head: so buffers seldom have to grow. */
    FIELDS_ROOM = 1024,
    CONNECTION_ROOM = 512,
    MORE_HEAD_ROOM = 128,
    FIELDS_MAX = 1 << 20,
};

#define RECORD_MAX ((size_t)1 << 40) /* more than any body that is kept */

#define HTTP_RESPONSE "application/http;msgtype=response"
#define HTTP_REQUEST  "application/http;msgtype=request"
#define IDENTICAL_PAYLOAD                                                      \
    "http://netpreserve.org/warc/1.1/revisit/identical-payload-digest"

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
    if (!buf_put(out, value))
        return;
    char *end = out->ptr + out->len;
    for (char *at = end - value.len; at < end; at++)
        if ((unsigned char)*at < ' ')
            *at = ' ';
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
    const struct date_text date = date_iso(date_ms);

    put_field(out, name, (struct str){date.text, DATE_ISO_LEN});
}

/* The first fields of a record, in a buffer that put_record releases. */
static void begin_fields(struct buf *out, struct str type, const char *id,
                         uint64_t date_ms)
{
    buf_init(out, FIELDS_MAX);
    buf_reserve(out, FIELDS_ROOM);
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
    if (!exchange->is_page)
        return;
    buf_put(out, STR("WARC-Page-Depth: "));
    buf_put_number(out, exchange->depth);
    buf_put(out, STR("\r\n"));
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

/* --- records ---------------------------------------------------------------
 */

struct block {
    struct str content_type;
    struct str head, body;       /* one after the other */
    const struct spool *spooled; /* not NULL: the body is there */
    const char *digest;          /* not NULL: it is known */
};

static uint64_t body_len(const struct block *block)
{
    return block->spooled ? block->spooled->len : block->body.len;
}

static void digest_block(const struct block *block, enum digest_kind kind,
                         char text[DIGEST_TEXT_MAX + 1])
{
    struct digest digest;

    digest_begin(&digest, kind);
    digest_add(&digest, block->head);
    digest_add(&digest, block->body);
    digest_end(&digest, text);
}

/* The last fields, which tell of the block. */
static void put_block_fields(struct buf *fields, const struct warc_style *style,
                             const struct block *block)
{
    char text[DIGEST_TEXT_MAX + 1];

    if (!block->digest)
        digest_block(block, style->digest, text);
    put_field(fields, STR("WARC-Block-Digest"),
              str_of(block->digest ? block->digest : text));
    put_field(fields, STR("Content-Type"), block->content_type);
    buf_put(fields, STR("Content-Length: "));
    buf_put_number(fields, block->head.len + body_len(block));
    buf_put(fields, STR("\r\n\r\n"));
}

/* Append the record to `out`, as a gzip member unless the level is -1. `fields`
 * is released. */
static void put_record(struct buf *out, const struct warc_style *style,
                       int level, struct buf *fields, const struct block *block)
{
    put_block_fields(fields, style, block);
    const struct str piece[] = {buf_str(fields), block->head, block->body,
                                STR("\r\n\r\n")};

    if (level >= 0)
        gzip_member_put(out, level, piece, ARRAY_LEN(piece));
    for (size_t i = 0; level < 0 && i < ARRAY_LEN(piece); i++)
        buf_put(out, piece[i]);
    buf_release(fields);
}

/* Give back the room that was for a record which cannot be compressed. */
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
    spool_free(pair->spooled);
}

size_t warc_pair_bytes(const struct warc_pair *pair)
{
    return sizeof(*pair) + pair->response.room + pair->request.room +
           pair->head.room + pair->connection.room;
}

/* The fields of a response up to those of its block. */
static void begin_response(struct buf *fields, const struct warc_pair *pair)
{
    begin_fields(fields, STR("response"), pair->id, pair->date_ms);
    buf_put(fields, buf_str(&pair->connection));
    put_cut(fields, pair->cut);
    put_field(fields, STR("WARC-Payload-Digest"), str_of(pair->payload_digest));
}

static void make_response(struct warc_pair *pair,
                          const struct warc_style *style,
                          const struct warc_exchange *exchange)
{
    const struct block block = {.content_type = STR(HTTP_RESPONSE),
                                .head = buf_str(&pair->head),
                                .body = exchange->body};
    bool is_stored = exchange->is_dense || exchange->body.len < SHORT_BODY;
    int level = is_stored && style->level > 0 ? GZIP_STORED : style->level;
    struct buf fields;

    digest_text(style->digest, exchange->body, pair->payload_digest);
    begin_response(&fields, pair);
    put_record(&pair->response, style, level, &fields, &block);
    fit(&pair->response);
}

/* --- a body in a spool -----------------------------------------------------
 */

struct body_digests {
    struct digest payload, block;
};

static bool digest_piece(void *user, struct str piece)
{
    struct body_digests *digests = user;

    digest_add(&digests->payload, piece);
    digest_add(&digests->block, piece);
    return true;
}

static bool is_noise(const struct spool *spool)
{
    char sample[GZIP_SAMPLES * GZIP_SAMPLE_LEN];

    if (spool->len < sizeof(sample))
        return false;
    for (size_t i = 0; i < GZIP_SAMPLES; i++)
        if (!spool_read(spool, gzip_sample_at(spool->len, i),
                        sample + i * GZIP_SAMPLE_LEN, GZIP_SAMPLE_LEN))
            return false;
    return gzip_is_noise((struct str){sample, sizeof(sample)});
}

/* A record on its way into a spool. */
struct spooled_record {
    struct spool *to;
    bool is_packed;
    struct gzip_member member;
    struct buf packed; /* bytes of the member that are not written */
};

static bool write_piece(void *user, struct str piece)
{
    struct spooled_record *record = user;
    struct buf *packed = &record->packed;

    if (!record->is_packed)
        return spool_put(record->to, piece);
    gzip_member_add(&record->member, piece);
    bool good = spool_put(record->to, buf_str(packed));
    buf_clear(packed);
    return good;
}

static bool end_record(struct spooled_record *record)
{
    if (!write_piece(record, STR("\r\n\r\n")))
        return false;
    if (record->is_packed)
        gzip_member_end(&record->member);
    return spool_put(record->to, buf_str(&record->packed));
}

static bool write_record(struct spool *to, int level, struct str fields,
                         const struct block *block)
{
    struct spooled_record record = {.to = to, .is_packed = level >= 0};

    buf_init(&record.packed, 2 * FIELDS_MAX + GZIP_STEP);
    if (record.is_packed)
        gzip_member_begin(&record.member, &record.packed, level,
                          fields.len + block->head.len + body_len(block) + 4);
    bool good = write_piece(&record, fields) &&
                write_piece(&record, block->head) &&
                spool_each(block->spooled, 0, block->spooled->len, write_piece,
                           &record) &&
                end_record(&record);
    if (record.is_packed)
        gzip_member_release(&record.member);
    buf_release(&record.packed);
    return good;
}

/* As make_response: the body is read once for its digests and once for its
 * record. */
static bool make_spooled(struct warc_pair *pair, const struct warc_style *style,
                         const struct warc_exchange *exchange)
{
    char digest[DIGEST_TEXT_MAX + 1];
    const struct block block = {.content_type = STR(HTTP_RESPONSE),
                                .head = buf_str(&pair->head),
                                .spooled = exchange->spooled,
                                .digest = digest};
    struct body_digests digests;
    struct buf fields;
    int level = style->level;

    digest_begin(&digests.payload, style->digest);
    digest_begin(&digests.block, style->digest);
    digest_add(&digests.block, block.head);
    bool good = spool_each(block.spooled, 0, block.spooled->len, digest_piece,
                           &digests);
    digest_end(&digests.payload, pair->payload_digest);
    digest_end(&digests.block, digest);
    if (level > 0 && (exchange->is_dense || is_noise(block.spooled)))
        level = GZIP_STORED;
    begin_response(&fields, pair);
    put_block_fields(&fields, style, &block);
    pair->spooled = good ? spool_beside(block.spooled) : NULL;
    good = pair->spooled &&
           write_record(pair->spooled, level, buf_str(&fields), &block);
    buf_release(&fields);
    return good;
}

/* To compress a request takes half as long as all the rest of a page that came
 * compressed, and saves 240 bytes: it is not for the level that is to be fast.
 */
static int request_level(const struct warc_style *style)
{
    return style->level == 1 ? GZIP_STORED : style->level;
}

static void make_request(struct warc_pair *pair, const struct warc_style *style,
                         const struct warc_exchange *exchange, uint64_t counter)
{
    const struct block block = {.content_type = STR(HTTP_REQUEST),
                                .head = exchange->request_head};
    char id[WARC_ID_LEN + 1];
    struct buf fields;

    make_id(id, style, ID_REQUEST, counter);
    begin_fields(&fields, STR("request"), id, pair->date_ms);
    put_connection(&fields, exchange, STR("http/1.1"));
    put_id_field(&fields, STR("WARC-Concurrent-To"), str_of(pair->id));
    put_record(&pair->request, style, request_level(style), &fields, &block);
    fit(&pair->request);
}

bool warc_pair_make(struct warc_pair *pair, const struct warc_style *style,
                    const struct warc_exchange *exchange, uint64_t counter)
{
    const struct spool *spooled = exchange->spooled;

    pair->payload_len = spooled ? spooled->len : exchange->body.len;
    buf_reserve(&pair->head, exchange->response_head.len + MORE_HEAD_ROOM);
    buf_reserve(&pair->connection, CONNECTION_ROOM);
    bool fits = kept_head_put(&pair->head, exchange->response_head,
                              pair->payload_len, exchange->coding_undone);

    assert(fits);
    (void)fits;
    put_connection(&pair->connection, exchange, protocol_of(&pair->head));
    put_depth(&pair->connection, exchange);
    make_id(pair->id, style, ID_RESPONSE, counter);
    pair->date_ms = exchange->date_ms;
    pair->cut = exchange->cut;
    bool good = true;
    if (spooled)
        good = make_spooled(pair, style, exchange);
    else
        make_response(pair, style, exchange);
    if (exchange->request_head.len)
        make_request(pair, style, exchange, counter);
    return good;
}

/* The block is the head alone: by the standard the payload counts as cut for
 * its length, whatever was cut of the original. */
void warc_put_revisit(struct buf *out, const struct warc_style *style,
                      const struct warc_pair *pair,
                      const struct warc_original *original)
{
    const struct block block = {.content_type = STR(HTTP_RESPONSE),
                                .head = buf_str(&pair->head)};
    struct buf fields;

    begin_fields(&fields, STR("revisit"), pair->id, pair->date_ms);
    buf_put(&fields, buf_str(&pair->connection));
    put_field(&fields, STR("WARC-Profile"), STR(IDENTICAL_PAYLOAD));
    if (original->id.len)
        put_id_field(&fields, STR("WARC-Refers-To"), original->id);
    put_field(&fields, STR("WARC-Refers-To-Target-URI"), original->url);
    put_date_field(&fields, STR("WARC-Refers-To-Date"), original->date_ms);
    put_cut(&fields, WARC_CUT_BY_LENGTH);
    put_field(&fields, STR("WARC-Payload-Digest"),
              str_of(pair->payload_digest));
    put_record(out, style, style->level, &fields, &block);
}

void warc_put_info(struct buf *out, const struct warc_style *style,
                   struct str file_name, uint64_t date_ms, struct str fields,
                   uint64_t counter)
{
    const struct block block = {.content_type = STR("application/warc-fields"),
                                .head = fields};
    char id[WARC_ID_LEN + 1];
    struct buf own;

    make_id(id, style, ID_INFO, counter);
    begin_fields(&own, STR("warcinfo"), id, date_ms);
    put_field(&own, STR("WARC-Filename"), file_name);
    put_record(out, style, style->level, &own, &block);
}
