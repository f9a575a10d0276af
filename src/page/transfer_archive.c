/* A transfer that takes its answer out of an archive. The recorded head and
 * body pass through the callbacks that libcurl would call, so the same code
 * judges them. */
#include "base/head.h"
#include "page/page_archive.h"
#include "page/transfer.h"

/* As libcurl does it at most. */
enum { PART_MAX = 16 * 1024 };

void transfer_aim_at_archive(struct transfer *transfer, struct webpage *page)
{
    const struct fetch_options *options = transfer->setup->options;
    const struct url *url = webpage_url_parts(page);

    transfer->page = page;
    transfer->exchange = &page->exchange;
    page->exchange.outcome = BAD_HTTP;
    transfer->tls_host = (struct str){0};
    transfer->body.cap = transfer_body_max(options, page->kind);
    transfer->fd = -1;
    transfer->has_address = false;
    transfer->origin = page->origin =
        url ? pagefetcher_origin(options, url) : 0;
}

/* Give bytes to a callback of libcurl, which does not change them. False if it
 * wants no more. */
static bool give(struct transfer *transfer, struct str bytes,
                 size_t (*callback)(char *, size_t, size_t, void *))
{
    return callback((char *)bytes.ptr, 1, bytes.len, transfer) == bytes.len;
}

static bool give_head(struct transfer *transfer, struct str head)
{
    struct head_line line;

    while (head_next(&head, &line))
        if (!give(transfer, line.all, transfer_on_header))
            return false;
    /* A revisit's head may be without its empty line. */
    return transfer->headers_done ||
           give(transfer, STR("\r\n"), transfer_on_header);
}

static bool give_body(struct transfer *transfer, struct str body)
{
    while (body.len) {
        struct str part = str_first(body, PART_MAX);
        if (!give(transfer, part, transfer_on_body))
            return false;
        body = str_skip(body, part.len);
    }
    return true;
}

/* Why the writer of the archive has not the whole body: the fetch ended like
 * this for it. */
static enum outcome cut_of(struct str truncated)
{
    if (str_eq_nocase(truncated, STR("time")))
        return TIMED_OUT;
    if (str_eq_nocase(truncated, STR("disconnect")))
        return CONNECTION_LOST;
    return TOO_LARGE;
}

/* The callbacks copy what they keep, as libcurl wants it, so that nothing in
 * the collection's memory is needed after this. */
static void give_answer(struct transfer *transfer,
                        const struct captured *captured)
{
    bool is_whole = give_head(transfer, captured->http.head) &&
                    give_body(transfer, captured->http.body);

    if (is_whole && captured->truncated.len &&
        transfer->exchange->status == 200 &&
        transfer->page->kind != WEBPAGE_ROBOTS)
        transfer->cut_as = cut_of(captured->truncated);
}

void transfer_read_archive(struct transfer *transfer)
{
    struct page_archive *from = transfer->setup->options->from;
    struct captured captured;

    pthread_mutex_lock(&from->lock);
    bool is_found = collection_find(from->collection, transfer->page->url,
                                    UINT64_MAX, &captured) == CAPTURE_FOUND;
    if (is_found)
        give_answer(transfer, &captured);
    pthread_mutex_unlock(&from->lock);
    /* The body is decoded here, by several threads at a time. */
    if (is_found)
        transfer_end(transfer, transfer->cut_as == OUTCOMES
                                   ? CURLE_OK
                                   : CURLE_WRITE_ERROR);
    else
        transfer_give_up(transfer, NOT_IN_ARCHIVE);
}
