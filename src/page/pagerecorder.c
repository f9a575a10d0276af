#include "page/pagerecorder.h"

#include <errno.h>

#include "base/mem.h"

enum { UNDONE_MAX = 1 << 20 }; /* of a body that nobody else has decoded */

void pagerecorder_init(struct pagerecorder *recorder,
                       const struct warc_style *style, int64_t wall_less_ms,
                       struct body_budget *budget)
{
    recorder->style = *style;
    recorder->wall_less_ms = wall_less_ms;
    recorder->budget = budget;
    atomic_init(&recorder->counter, 0);
}

/* A number that no pair has. On any thread. */
static uint64_t next_number(struct pagerecorder *recorder)
{
    return atomic_fetch_add(&recorder->counter, 1) + 1;
}

/* Sites say noindex of robots.txt and sitemaps so that these are not found by a
 * search. They are no pages. */
bool pagerecorder_is_noindex(const struct webpage *page)
{
    return page->kind == WEBPAGE_HTML && page->noindex &&
           page->exchange.status == 200;
}

static bool is_kept(const struct webpage *page)
{
    return page->exchange.response_head.len && page->outcome != NOT_SAVED &&
           !page->noarchive && !pagerecorder_is_noindex(page);
}

static enum warc_cut cut_of(enum response_end end)
{
    switch (end) {
    case RESPONSE_NONE:
    case RESPONSE_WHOLE:
        return WARC_WHOLE;
    case RESPONSE_CUT_BY_SIZE:
        return WARC_CUT_BY_LENGTH;
    case RESPONSE_CUT_BY_TIME:
        return WARC_CUT_BY_TIME;
    case RESPONSE_CUT_BY_SERVER:
        return WARC_CUT_BY_DISCONNECT;
    case RESPONSE_CUT_BY_US:
        break;
    }
    return WARC_CUT_FOR_NO_REASON;
}

/* --- the body ------------------------------------------------------------ */

/* All readers of archives undo gzip, once. Brotli comes only from servers that
 * ignore what we accept; browsers do not undo it without TLS, so it is undone.
 * A coding that is unknown stays: we cannot undo it either. */
static bool is_coding_kept(const struct exchange *exchange)
{
    const struct codings *codings = &exchange->codings;

    if (!codings->count || exchange->is_coding_unknown)
        return true;
    return codings->count == 1 && codings->coding[0] == CODING_GZIP;
}

/* Is it of a type that is compressed already? */
static bool is_dense_type(struct str mime)
{
    static const struct {
        struct str prefix;
        bool is_dense;
    } types[] = {
        {STR_INIT("image/svg"), false}, {STR_INIT("image/bmp"), false},
        {STR_INIT("image/x-"), false},  {STR_INIT("image/vnd."), false},
        {STR_INIT("image/"), true},     {STR_INIT("audio/"), true},
        {STR_INIT("video/"), true},     {STR_INIT("font/woff"), true},
    };

    for (size_t i = 0; i < ARRAY_LEN(types); i++)
        if (str_starts_nocase(mime, types[i].prefix))
            return types[i].is_dense;
    return false;
}

/* The body without its codings, if it can be had; `scratch` has the memory. A
 * robots.txt that was decoded may have been cut there. */
static bool undo_codings(const struct webpage *page, struct str *body,
                         struct buf *scratch)
{
    const struct exchange *exchange = &page->exchange;

    if (exchange->body.ptr && page->kind != WEBPAGE_ROBOTS) {
        *body = exchange->body;
        return true;
    }
    if (exchange->end != RESPONSE_WHOLE ||
        codings_undo(&exchange->codings, exchange->body_as_sent, scratch) !=
            CODING_WHOLE)
        return false;
    *body = buf_str(scratch);
    return true;
}

static void choose_body(const struct webpage *page, struct warc_exchange *kept,
                        struct buf *scratch)
{
    const struct exchange *exchange = &page->exchange;

    kept->body = exchange->body_as_sent;
    kept->spooled = exchange->spooled;
    kept->is_dense = exchange->codings.count ||
                     is_dense_type(str_of(exchange->mime)) ||
                     gunzip_is_gzip(kept->body);
    if (kept->spooled || is_coding_kept(exchange) ||
        !undo_codings(page, &kept->body, scratch))
        return;
    kept->coding_undone = true;
    kept->is_dense = false;
}

/* --- the pair ------------------------------------------------------------ */

/* The crawler thread may be slow: what waits for it counts as bodies do. */
static void count_bytes(struct pagerecorder *recorder, struct webpage *page)
{
    size_t bytes = warc_pair_bytes(page->pair);

    if (!recorder->budget || bytes <= BODY_SMALL)
        return;
    page->pair_budget = recorder->budget;
    page->pair_held = bytes - BODY_SMALL;
    body_budget_hold(page->pair_budget, page->pair_held);
}

void pagerecorder_record(struct pagerecorder *recorder, struct webpage *page)
{
    const struct exchange *exchange = &page->exchange;
    struct buf scratch;

    if (!is_kept(page))
        return;
    struct warc_exchange kept = {
        .url = page->url,
        .date_ms =
            (uint64_t)((int64_t)exchange->start_ms + recorder->wall_less_ms),
        .peer = exchange->peer,
        .tls_version = exchange->tls_version,
        .cipher_suite = exchange->cipher_suite,
        .request_head = exchange->request_head,
        .response_head = exchange->response_head,
        .cut = cut_of(exchange->end),
        .is_page = page->kind == WEBPAGE_HTML && page->outcome == FETCHED,
        .depth = page->depth,
    };
    buf_init(&scratch, UNDONE_MAX);
    choose_body(page, &kept, &scratch);
    page->pair = NEW(struct warc_pair);
    warc_pair_init(page->pair);
    if (!warc_pair_make(page->pair, &recorder->style, &kept,
                        next_number(recorder))) {
        page->save_errno = errno;
        page->outcome = NOT_SAVED;
        webpage_drop_pair(page);
    }
    buf_release(&scratch);
    if (!page->pair)
        return;
    count_bytes(recorder, page);
}
