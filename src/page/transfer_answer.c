/* An answer while it comes: what its headers say, and its body. */
#include <assert.h>
#include <errno.h>

#include "base/clock.h"
#include "base/spool.h"
#include "page/cookies.h"
#include "page/link_header.h"
#include "page/mime.h"
#include "page/robots_tag.h"
#include "page/transfer.h"
#include "web/charset.h"
#include "web/html.h"

/* Of an answer and the 1xx before it; libcurl keeps what it was sent, and in
 * some versions refuses 5,000. */
enum { HEADER_LINES_MAX = 4000 };

static_assert((int)UNWANTED_BYTES_MAX <= (int)BODY_SMALL,
              "what is kept of an unwanted body never waits for room");

static size_t cut(struct transfer *transfer, enum outcome outcome)
{
    transfer->cut_as = outcome;
    return 0; /* for libcurl: not all was taken, so the transfer ends */
}

/* It is no page: it ends so, at once unless its bytes are kept. */
static size_t end_as(struct transfer *transfer, enum outcome outcome,
                     size_t len)
{
    if (!transfer->is_kept_anyway)
        return cut(transfer, outcome);
    transfer->judged = outcome;
    return len;
}

static void copy_cstr(char *out, size_t max, struct str s)
{
    s = str_first(s, max);
    if (s.len)
        memcpy(out, s.ptr, s.len);
    out[s.len] = '\0';
}

/* --- how long the body is ----------------------------------------------- */

/* One number, however often. Libcurl would take the first of a list, the last
 * of several, and what begins like a number, and a part for the whole. */
static void take_length(struct transfer *transfer, struct str value)
{
    do {
        struct str_pair parts = str_cut(value, ',');
        uint64_t length = 0;

        if (!str_to_u64(str_trim(parts.head), &length) || length > INT64_MAX ||
            (transfer->has_length && length != transfer->length))
            transfer->is_length_bad = true;
        transfer->has_length = true;
        transfer->length = length;
        value = parts.tail;
    } while (value.len);
}

/* Nobody asked for another coding than chunked, and of those that it undoes
 * libcurl does not tell whether they came to their end. */
static void take_transfer_coding(struct transfer *transfer, struct str value)
{
    while (value.len) {
        struct str_pair parts = str_cut(value, ',');
        struct str name = str_trim(parts.head);

        if (str_eq_nocase(name, STR("chunked")))
            transfer->is_chunked = true;
        else if (name.len && !str_eq_nocase(name, STR("identity")))
            transfer->has_transfer_coding = true;
        value = parts.tail;
    }
}

/* Digits that libcurl reads no number in: it calls that no Retry-After. */
static bool is_endless(struct str value)
{
    size_t zeros = 0;

    for (size_t i = 0; i < value.len; i++)
        if (value.ptr[i] < '0' || value.ptr[i] > '9')
            return false;
    while (zeros < value.len && value.ptr[zeros] == '0')
        zeros++;
    return value.len - zeros >= 19;
}

/* --- one header --------------------------------------------------------- */

static void take_header(struct transfer *transfer, struct str line)
{
    struct exchange *exchange = transfer->exchange;
    struct str agent = transfer->setup->options->robots_agent;
    struct str_pair header = str_cut(line, ':');
    struct str value = str_trim(header.tail);

    if (str_eq_nocase(header.head, STR("content-type"))) {
        copy_cstr(exchange->mime, MIME_MAX, mime_essence(value));
        copy_cstr(exchange->charset_label, CHARSET_LABEL_MAX,
                  charset_of_content_type(value));
    } else if (str_eq_nocase(header.head, STR("content-encoding"))) {
        transfer->is_coding_unknown |= !codings_add(&transfer->codings, value);
    } else if (str_eq_nocase(header.head, STR("content-length"))) {
        take_length(transfer, value);
    } else if (str_eq_nocase(header.head, STR("retry-after"))) {
        transfer->is_retry_endless = is_endless(value);
    } else if (str_eq_nocase(header.head, STR("transfer-encoding"))) {
        take_transfer_coding(transfer, value);
    } else if (str_eq_nocase(header.head, STR("location")) &&
               !exchange->location.ptr && value.len <= URL_LEN_MAX) {
        exchange->location = arena_copy(&transfer->page->arena, value);
    } else if (str_eq_nocase(header.head, STR("refresh")) &&
               !exchange->refresh.ptr && value.len <= URL_LEN_MAX) {
        exchange->refresh = arena_copy(&transfer->page->arena, value);
    } else if (str_eq_nocase(header.head, STR("content-language")) &&
               !exchange->language.ptr && value.len <= LANGUAGE_MAX) {
        exchange->language = arena_copy(&transfer->page->arena, value);
    } else if (str_eq_nocase(header.head, STR("link")) &&
               !exchange->canonical.ptr) {
        struct str canonical = link_header_find(value, STR("canonical"));
        if (canonical.ptr && canonical.len <= URL_LEN_MAX)
            exchange->canonical = arena_copy(&transfer->page->arena, canonical);
    } else if (agent.len && str_eq_nocase(header.head, STR("x-robots-tag"))) {
        robots_tag_read(value, agent, &exchange->noindex, &exchange->nofollow,
                        &exchange->noarchive);
    } else if (str_eq_nocase(header.head, STR("content-security-policy"))) {
        exchange->upgrades_http |= html_policy_upgrades(value);
    } else if (transfer->setup->options->cookies &&
               str_eq_nocase(header.head, STR("set-cookie"))) {
        cookies_take(transfer->setup->options->cookies,
                     webpage_url_parts(transfer->page), value,
                     clock_wall_ms() / 1000);
    }
}

/* With cookies the answer's are secret: the next request proves with them who
 * we are. `is_folded`: the line goes on with the header before it. */
static bool is_secret_line(const struct transfer *transfer, struct str line,
                           bool is_folded)
{
    struct str header = is_folded ? buf_str(&transfer->header) : line;

    return transfer->setup->options->cookies &&
           str_eq_nocase(str_cut(header, ':').head, STR("set-cookie"));
}

/* The one before this line is whole. */
static void take_last(struct transfer *transfer)
{
    if (transfer->header.len)
        take_header(transfer, buf_str(&transfer->header));
    buf_clear(&transfer->header);
}

/* A line that goes on with the header before it. False where libcurl goes by
 * that header itself, which it has not read like that. */
static bool unfold(struct transfer *transfer, struct str rest)
{
    struct str name = str_cut(buf_str(&transfer->header), ':').head;

    if (str_eq_nocase(name, STR("content-length")) ||
        str_eq_nocase(name, STR("transfer-encoding")))
        return false;
    buf_put_char(&transfer->header, ' ');
    buf_put(&transfer->header, rest);
    return true;
}

/* --- all of them -------------------------------------------------------- */

/* What the last status line began. */
static void forget_answer(struct transfer *transfer)
{
    buf_clear(&transfer->header);
    transfer->codings.count = 0;
    transfer->is_coding_unknown = transfer->has_transfer_coding = false;
    transfer->is_chunked = false;
    transfer->has_length = transfer->is_length_bad = false;
    transfer->is_retry_endless = false;
    transfer->has_header = false;
    transfer->is_kept_anyway = false;
    transfer->judged = OUTCOMES;
}

void transfer_forget_headers(struct transfer *transfer)
{
    forget_answer(transfer);
    transfer->header_bytes = transfer->header_lines = 0;
    transfer->in_headers = transfer->in_line = false;
    transfer->headers_done = false;
}

/* Three digits after the version, or 0: versions of libcurl differ in what they
 * make of anything else. */
static int status_of(struct str line)
{
    struct str rest = str_trim(str_cut(line, ' ').tail);
    struct str digits = str_cut(rest, ' ').head;
    uint64_t status;

    if (digits.len != 3 || !str_to_u64(digits, &status) || status < 100)
        return 0;
    return (int)status;
}

/* A status line: of the answer, or of one more after a 1xx. */
static void begin_headers(struct transfer *transfer, struct str line)
{
    struct exchange *exchange = transfer->exchange;

    exchange->status = status_of(line);
    exchange->mime[0] = exchange->charset_label[0] = '\0';
    exchange->location = exchange->refresh = exchange->canonical =
        exchange->language = (struct str){0};
    exchange->noindex = exchange->nofollow = exchange->noarchive = false;
    exchange->upgrades_http = false;
    exchange->is_other_type = false;
    buf_clear(&transfer->response_head);
    forget_answer(transfer);
    transfer->in_headers = true;
}

/* Is it saved though it is no HTML? The course's contract knows no types. */
static bool is_wanted_type(const struct transfer *transfer)
{
    const struct fetch_options *options = transfer->setup->options;
    struct str essence = str_of(transfer->exchange->mime);

    return transfer->page->kind == WEBPAGE_HTML && !options->any_mime &&
           mime_verdict(essence) == MIME_OTHER &&
           mime_list_has(&options->types, essence);
}

/* What the headers say: a page, not one, or that the bytes must tell. */
static enum mime_verdict type_verdict(const struct transfer *transfer)
{
    if (transfer->page->kind != WEBPAGE_HTML ||
        transfer->setup->options->any_mime || transfer->exchange->is_other_type)
        return MIME_PAGE;
    return mime_verdict(str_of(transfer->exchange->mime));
}

static bool is_announced_too_large(const struct transfer *transfer)
{
    return transfer->has_length && !transfer->is_chunked &&
           transfer->length > transfer->body.cap &&
           transfer->page->kind != WEBPAGE_ROBOTS;
}

/* An archive keeps every body, but for those of pages that ask it not to. */
static bool is_for_archive(const struct transfer *transfer)
{
    const struct exchange *exchange = transfer->exchange;
    bool is_left_out =
        exchange->noarchive ||
        (exchange->noindex && transfer->page->kind == WEBPAGE_HTML);

    return transfer->setup->options->wishes & WISH_EVERY_BODY && !is_left_out;
}

static size_t end_headers(struct transfer *transfer, size_t len)
{
    int status = transfer->exchange->status;

    transfer->in_headers = false;
    if (status / 100 == 1)
        return len;
    /* Where its end is, nobody can tell. */
    if (transfer->is_length_bad && !transfer->is_chunked)
        return cut(transfer, BAD_HTTP);
    transfer->headers_done = true;
    transfer_describe_tls(transfer);
    if (status != 200 || transfer->page->is_only_head)
        return len;
    transfer->exchange->is_other_type = is_wanted_type(transfer);
    enum mime_verdict verdict = type_verdict(transfer);
    transfer->is_kept_anyway = is_for_archive(transfer);
    if (verdict == MIME_OTHER)
        return end_as(transfer, NOT_HTML, len);
    transfer->to_sniff = verdict == MIME_SNIFF;
    if (is_announced_too_large(transfer))
        return end_as(transfer, TOO_LARGE, len);
    return transfer->has_transfer_coding ? end_as(transfer, BAD_ENCODING, len)
                                         : len;
}

/* Some servers send more than one carriage return. */
static bool is_empty_line(struct str line)
{
    while (line.len && line.ptr[0] == '\r')
        line = str_skip(line, 1);
    return str_eq(line, STR("\n"));
}

size_t transfer_on_header(char *bytes, size_t size, size_t count, void *user)
{
    struct transfer *transfer = user;
    size_t len = size * count;
    struct str line = str_trim((struct str){bytes, len});

    transfer->header_bytes += len;
    if (transfer->header_bytes > HEADER_BYTES_MAX ||
        ++transfer->header_lines > HEADER_LINES_MAX)
        return cut(transfer, BAD_HTTP);
    if (transfer->headers_done)
        return len; /* a trailer */
    bool is_status_line = !transfer->in_headers;
    if (is_status_line)
        begin_headers(transfer, line);
    if (transfer->setup->options->wishes & WISH_RESPONSE_HEAD &&
        !is_secret_line(transfer, line, bytes[0] == ' ' || bytes[0] == '\t'))
        buf_put(&transfer->response_head, (struct str){bytes, len});
    if (is_status_line)
        return transfer->exchange->status ? len : cut(transfer, BAD_HTTP);
    if (bytes[0] == ' ' || bytes[0] == '\t')
        return transfer->has_header && unfold(transfer, line)
                   ? len
                   : cut(transfer, BAD_HTTP);
    take_last(transfer);
    /* To libcurl such a line ends the head, whatever else is in it. */
    if (bytes[0] == '\r' || bytes[0] == '\n')
        return is_empty_line((struct str){bytes, len})
                   ? end_headers(transfer, len)
                   : cut(transfer, BAD_HTTP);
    transfer->has_header = true;
    buf_put(&transfer->header, line);
    return len;
}

static size_t preview_header(struct transfer *transfer, struct str part)
{
    bool goes_on =
        !transfer->in_line && (part.ptr[0] == ' ' || part.ptr[0] == '\t');

    transfer->in_line = !str_ends(part, STR("\n"));
    if (goes_on && transfer->in_headers && !transfer->has_header)
        return cut(transfer, BAD_HTTP);
    return part.len;
}

/* --- what is no page ------------------------------------------------------ */

/* False if enough has come to tell that it is no page. */
static bool sniff_early(struct transfer *transfer)
{
    if (!transfer->to_sniff || transfer->codings.count ||
        transfer->judged != OUTCOMES || transfer->body.len < MIME_SNIFF_LEN)
        return true;
    transfer->to_sniff = false;
    if (mime_sniffs_as_html(buf_str(&transfer->body)))
        return true;
    transfer->exchange->is_other_type =
        mime_list_has(&transfer->setup->options->types, (struct str){0});
    return transfer->exchange->is_other_type;
}

static size_t wait_for_room(struct transfer *transfer)
{
    transfer->is_waiting = true;
    transfer->seen_ms = 0; /* that it does not get on is not its fault */
    return CURL_WRITEFUNC_PAUSE;
}

/* The body of an answer that is no page. It is read to this cap whatever the
 * cap of a page is, and what is kept of it is too little to have to wait. */
static size_t on_unwanted_body(struct transfer *transfer, struct str bytes)
{
    struct buf *body = &transfer->body;

    transfer->unwanted_bytes += bytes.len;
    if (transfer->setup->options->wishes & WISH_EVERY_BODY) {
        body->cap = UNWANTED_BYTES_MAX;
        bodies_put(transfer->bodies, body,
                   str_first(bytes, body->cap - body->len));
    }
    return transfer->unwanted_bytes > UNWANTED_BYTES_MAX
               ? cut(transfer, transfer_outcome_of_status(transfer->exchange))
               : bytes.len;
}

/* --- a body that is too large for memory ---------------------------------- */

size_t transfer_body_len(const struct transfer *transfer)
{
    return transfer->spooled ? transfer->spooled->len : transfer->body.len;
}

static void stop_waiting_for_spool(struct transfer *transfer)
{
    if (transfer->waits_for_spool)
        transfer->setup->options->spools->waiting--;
    transfer->waits_for_spool = false;
}

void transfer_drop_spool(struct transfer *transfer)
{
    stop_waiting_for_spool(transfer);
    spool_free(transfer->spooled);
    transfer->spooled = NULL;
}

/* Is it only kept, as it is, or not even that? HTML, stylesheets and what must
 * be decoded are needed in memory. */
static bool is_unread(const struct transfer *transfer)
{
    const struct webpage *page = transfer->page;

    if (!transfer->setup->options->spools)
        return false;
    if (transfer->judged != OUTCOMES)
        return true;
    if (page->kind == WEBPAGE_REQUISITE)
        return !webpage_names_more(page);
    return transfer->exchange->is_other_type && !transfer->codings.count;
}

/* A disk that is full is no fault of the page: the crawl ends. */
static size_t fail_to_spool(struct transfer *transfer)
{
    transfer->page->save_errno = errno;
    transfer->judged = OUTCOMES;
    return cut(transfer, NOT_SAVED);
}

/* The body moves to a file. False: it has to wait, or cannot. */
static bool begin_spool(struct transfer *transfer)
{
    struct spools *spools = transfer->setup->options->spools;

    transfer->spooled = spool_new(spools);
    if (!transfer->spooled)
        return false;
    stop_waiting_for_spool(transfer);
    if (!spool_put(transfer->spooled, buf_str(&transfer->body)))
        return false;
    bodies_drop(transfer->bodies, &transfer->body);
    return true;
}

static size_t wait_for_spool(struct transfer *transfer)
{
    if (!transfer->waits_for_spool)
        transfer->setup->options->spools->waiting++;
    transfer->waits_for_spool = true;
    bodies_await(transfer->bodies);
    return wait_for_room(transfer);
}

static size_t on_large_body(struct transfer *transfer, struct str bytes)
{
    if (!transfer->spooled && !begin_spool(transfer))
        return !transfer->spooled && (errno == EMFILE || errno == ENFILE)
                   ? wait_for_spool(transfer)
                   : fail_to_spool(transfer);
    struct str rest =
        str_first(bytes, transfer->body.cap - (size_t)transfer->spooled->len);
    if (!spool_put(transfer->spooled, rest))
        return fail_to_spool(transfer);
    return rest.len == bytes.len ? rest.len : cut(transfer, TOO_LARGE);
}

/* --- the body --------------------------------------------------------------
 */

/* More has come than the cap allows. What is within it counts for a robots.txt,
 * and is kept for an archive. */
static size_t on_full_body(struct transfer *transfer, const char *bytes)
{
    bool is_robots =
        transfer->page->kind == WEBPAGE_ROBOTS && !transfer->codings.count;
    struct str rest = {bytes, transfer->body.cap - transfer->body.len};

    if ((is_robots || transfer->is_kept_anyway) &&
        bodies_put(transfer->bodies, &transfer->body, rest) == BODY_WAIT)
        return wait_for_room(transfer);
    return cut(transfer, is_robots ? FETCHED : TOO_LARGE);
}

size_t transfer_on_body(char *bytes, size_t size, size_t count, void *user)
{
    struct transfer *transfer = user;
    size_t len = size * count;

    if (!transfer->headers_done)
        return preview_header(transfer, (struct str){bytes, len});
    if (transfer->exchange->status != 200)
        return on_unwanted_body(transfer, (struct str){bytes, len});
    if (transfer->is_coding_unknown && transfer->judged == OUTCOMES &&
        !end_as(transfer, BAD_ENCODING, len))
        return 0;
    if (transfer->spooled ||
        (transfer->body.len + len > BODY_LARGE && is_unread(transfer)))
        return on_large_body(transfer, (struct str){bytes, len});
    switch (bodies_put(transfer->bodies, &transfer->body,
                       (struct str){bytes, len})) {
    case BODY_PUT:
        return sniff_early(transfer) ? len : end_as(transfer, NOT_HTML, len);
    case BODY_WAIT:
        return is_unread(transfer)
                   ? on_large_body(transfer, (struct str){bytes, len})
                   : wait_for_room(transfer);
    case BODY_FULL:
        break;
    }
    return on_full_body(transfer, bytes);
}
