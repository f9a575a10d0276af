/* A transfer that takes its answer out of an archive. The recorded head and
 * body pass through the callbacks that libcurl would call, so the same code
 * judges them. */
#include <time.h>

#include "base/head.h"
#include "page/page_archive.h"
#include "page/transfer.h"

enum {
    PART_MAX = 16 * 1024, /* as libcurl does it at most */
    WAIT_NS = 5 * 1000 * 1000,
};

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
 * wants no more. This thread has nothing else to do, so it may wait for the
 * disk. */
static bool give(struct transfer *transfer, struct str bytes,
                 size_t (*callback)(char *, size_t, size_t, void *))
{
    const struct timespec wait = {.tv_nsec = WAIT_NS};
    size_t taken;

    while ((taken = callback((char *)bytes.ptr, 1, bytes.len, transfer)) ==
           CURL_WRITEFUNC_PAUSE)
        nanosleep(&wait, NULL);
    return taken == bytes.len;
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

static bool give_long_body(struct transfer *transfer, struct long_body *body)
{
    enum long_body_got got;
    struct str bytes;

    while ((got = long_body_read(body, &bytes)) == LONG_BODY_BYTES)
        if (!give_body(transfer, bytes))
            return false;
    if (got == LONG_BODY_BROKEN)
        transfer->cut_as = CONNECTION_LOST;
    return got == LONG_BODY_END;
}

/* The capture of the page. The callbacks copy what they keep, as libcurl wants
 * it, so that nothing in the collection's memory is needed after this. False:
 * there is none. */
static bool give_capture(struct transfer *transfer, bool *is_whole,
                         enum outcome *cut, struct long_body **long_body)
{
    struct collection *collection = transfer->setup->options->from->collection;
    struct captured captured;

    if (collection_find(collection, transfer->page->url, UINT64_MAX,
                        &captured) != CAPTURE_FOUND)
        return false;
    *is_whole = give_head(transfer, captured.http.head);
    *cut = captured.truncated.len ? cut_of(captured.truncated) : OUTCOMES;
    if (!*is_whole)
        return true;
    if (captured.body.is_long) {
        *long_body = long_body_open(&captured.body.place);
        *is_whole = *long_body;
        transfer->cut_as = *long_body ? transfer->cut_as : CONNECTION_LOST;
    } else {
        *is_whole = give_body(transfer, captured.http.body);
    }
    return true;
}

void transfer_read_archive(struct transfer *transfer)
{
    struct page_archive *from = transfer->setup->options->from;
    struct long_body *long_body = NULL;
    enum outcome cut = OUTCOMES;
    bool is_whole = false;

    pthread_mutex_lock(&from->lock);
    bool is_found = give_capture(transfer, &is_whole, &cut, &long_body);
    pthread_mutex_unlock(&from->lock);
    /* What is long is read here, and decoded later, by several threads at a
     * time. */
    if (long_body)
        is_whole = give_long_body(transfer, long_body);
    long_body_free(long_body);
    if (is_whole && cut != OUTCOMES && transfer->exchange->status == 200 &&
        transfer->page->kind != WEBPAGE_ROBOTS)
        transfer->cut_as = cut;
    if (is_found)
        transfer_end(transfer, transfer->cut_as == OUTCOMES
                                   ? CURLE_OK
                                   : CURLE_WRITE_ERROR);
    else
        transfer_give_up(transfer, NOT_IN_ARCHIVE);
}
