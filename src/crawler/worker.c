#include "crawler/worker.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/hashtable.h"
#include "base/mem.h"
#include "base/spool.h"
#include "page/head_lines.h"
#include "page/mime.h"

/* Results are sent when no more pages are ready, or when they are this large.
 */
enum { DONE_BYTES_MAX = 1 << 20 };

struct worker {
    pthread_t thread;
    const struct worker_options *options;
    struct mailbox inbox;
    struct mailbox *results;
    struct fetch_options fetch;
    struct pagefetcher *fetcher;
    bool quit;
};

/* False if a large body cannot be read back. */
static bool digest(struct webpage *page)
{
    const struct exchange *exchange = &page->exchange;

    if (exchange->spooled)
        return spool_hash(exchange->spooled, 0, &page->digest);
    page->digest = hash64(exchange->body, 0);
    return true;
}

static void save(struct worker *worker, struct webpage *page)
{
    if (worker->options->want_digests && !digest(page))
        pagesaver_fail(page);
    else
        pagesaver_prepare(worker->options->saver, page);
}

/* The path of a page through a worker. It is scanned before it is saved,
 * because a noindex in it forbids saving. */
static void work_on_page(struct worker *worker, struct webpage *page)
{
    const struct scan_options *scan = &worker->options->scan;

    if (page->outcome == REDIRECTED)
        pagescanner_follow(page, scan);
    if (page->outcome != FETCHED)
        return;
    if (page->exchange.is_other_type) /* nothing in it can be read here */
        page->want_links = page->want_requisites = false;
    else if (page->want_links || page->want_requisites ||
             scan->robots_agent.len || scan->want_title || scan->want_canonical)
        pagescanner_scan(page, scan);
    if (scan->want_text && !page->exchange.is_other_type)
        pagescanner_keep_texts(page);
    if (page->noindex)
        page->outcome = NOINDEX;
    else if (page->noarchive && worker->options->archive_only)
        page->outcome = NOARCHIVE;
    else
        save(worker, page);
}

static void work_on_robots(struct worker *worker, struct job *job)
{
    const struct scan_options plain = {0};

    if (job->page.outcome == REDIRECTED)
        pagescanner_follow(&job->page, &plain);
    else if (job->page.outcome == FETCHED)
        job->robots =
            robots_new(job->page.exchange.body, worker->options->robots_agent);
    if (job->robots)
        job->page.robots_text =
            arena_copy(&job->page.arena, job->page.exchange.body);
}

static void work_on(struct worker *worker, struct job *job)
{
    switch (job->page.kind) {
    case WEBPAGE_HTML:
        work_on_page(worker, &job->page);
        break;
    case WEBPAGE_ROBOTS:
        work_on_robots(worker, job);
        break;
    case WEBPAGE_SITEMAP:
        if (job->page.outcome == REDIRECTED)
            pagescanner_follow(&job->page, &worker->options->scan);
        else if (job->page.outcome == FETCHED)
            pagescanner_sitemap(&job->page, &worker->options->scan);
        break;
    case WEBPAGE_REQUISITE:
        if (job->page.outcome == REDIRECTED)
            pagescanner_follow(&job->page, &worker->options->scan);
        else if (job->page.outcome == FETCHED)
            pagescanner_requisite(&job->page, &worker->options->scan);
        break;
    }
}

/* `file` gets at least its body. */
static bool read_saved(const struct worker *worker, const struct job *job,
                       struct buf *file, struct str *body)
{
    const struct pagesaver *saver = worker->options->saver;
    const struct saved *saved = &job->saved;
    bool good = true;

    if (!worker->options->archive_only) {
        good = pagesaver_read(saver, saved->page, job->page.url, file, body);
    } else {
        good = saved->archived.file.len &&
               archived_page_read(&saved->archived, saver->dir->fd, file);
        *body = buf_str(file);
    }
    return good && body->len == saved->size &&
           hash64(*body, 0) == saved->digest;
}

/* The links of a page that was saved. The outcome is FETCHED if it could be
 * read. */
static void scan_again(struct worker *worker, struct job *job)
{
    enum { SPARE = 1 << 17 }; /* for its first lines, and to read on */
    struct webpage *page = &job->page;
    struct buf file;
    struct str body;

    snprintf(page->exchange.mime, sizeof(page->exchange.mime), "%.*s",
             STR_ARGS(job->saved.mime));
    head_lines_read(&page->exchange, job->saved.head, &page->arena);
    page->nofollow = page->exchange.nofollow;
    page->outcome = NOT_SAVED;
    buf_init(&file, job->saved.size + page->url.len + SPARE);
    if (read_saved(worker, job, &file, &body)) {
        page->outcome = FETCHED;
        page->exchange.body = body;
        if (mime_verdict(job->saved.mime) != MIME_OTHER)
            pagescanner_scan(page, &worker->options->scan);
        if (worker->options->scan.want_text)
            pagescanner_keep_texts(page);
    }
    page->exchange.body = (struct str){0};
    buf_release(&file);
}

/* Is all that there is of the URL in the archive? HTML must be fetched as a
 * page, what --types saves too, and a stylesheet must be read for more. */
static bool is_settled(const struct worker *worker, const struct webpage *page)
{
    struct str mime = str_of(page->exchange.mime);

    if (!page->pair || page->exchange.status != 200 ||
        mime_verdict(mime) != MIME_OTHER ||
        (page->pair->cut != WARC_WHOLE &&
         page->pair->cut != WARC_CUT_BY_LENGTH))
        return false;
    return page->kind == WEBPAGE_REQUISITE
               ? !mime_list_has(&worker->fetch.types, mime)
               : page->kind == WEBPAGE_HTML && !webpage_names_more(page);
}

/* After the work, which tells whether the page may be kept; before its bytes
 * go.
 */
static void record(struct worker *worker, struct webpage *page)
{
    if (!worker->options->recorder)
        return;
    pagerecorder_record(worker->options->recorder, page);
    page->is_settled = is_settled(worker, page);
}

static size_t bytes_of(const struct webpage *page)
{
    return page->arena.used + (page->pair ? warc_pair_bytes(page->pair) : 0);
}

static void free_order(struct job *job)
{
    webpage_release(&job->page);
    free(job);
}

static void read_inbox(struct worker *worker, struct messages *done)
{
    struct message *message = mailbox_take(&worker->inbox);

    while (message) {
        struct job *job = container_of(message, struct job, message);
        message = message->next;
        switch (job->kind) {
        case JOB_FETCH:
            pagefetcher_start(worker->fetcher, &job->page);
            break;
        case JOB_SCAN:
            scan_again(worker, job);
            messages_add(done, &job->message);
            break;
        case JOB_NEED:
            pagefetcher_need(worker->fetcher, job->page.origin,
                             job->page.is_host_needed);
            free_order(job);
            break;
        case JOB_ABANDON:
            pagefetcher_abandon(worker->fetcher);
            free_order(job);
            break;
        case JOB_QUIT:
            worker->quit = true;
            break;
        }
    }
}

static void *run(void *user)
{
    struct worker *worker = user;

    while (!worker->quit) {
        struct messages done = {0};
        struct webpage *page;

        if (pagefetcher_wait(worker->fetcher, -1))
            read_inbox(worker, &done);
        while ((page = pagefetcher_take(worker->fetcher))) {
            struct job *job = container_of(page, struct job, page);
            work_on(worker, job);
            record(worker, page);
            pagefetcher_give_back(worker->fetcher, page);
            messages_add(&done, &job->message);
            done.bytes += bytes_of(page);
            if (done.bytes > DONE_BYTES_MAX)
                mailbox_put(worker->results, &done);
        }
        mailbox_put(worker->results, &done);
    }
    return NULL;
}

static void free_worker(struct worker *worker)
{
    if (worker->fetcher)
        pagefetcher_free(worker->fetcher);
    mailbox_release(&worker->inbox);
    free(worker);
}

struct worker *worker_start(const struct worker_options *options,
                            struct mailbox *results)
{
    struct worker *worker = NEW(struct worker);

    worker->options = options;
    worker->results = results;
    worker->fetch = options->fetch;
    if (options->recorder) {
        worker->fetch.wishes = PAGERECORDER_WISHES;
        worker->fetch.only_gzip = true;
    }
    if (mailbox_init(&worker->inbox))
        worker->fetcher = pagefetcher_new(&worker->fetch);
    int why = errno;
    if (worker->fetcher) {
        pagefetcher_watch(worker->fetcher, worker->inbox.fd);
        why = pthread_create(&worker->thread, NULL, run, worker);
        if (!why)
            return worker;
    }
    free_worker(worker);
    errno = why;
    return NULL;
}

void worker_put(struct worker *worker, struct messages *jobs)
{
    mailbox_put(&worker->inbox, jobs);
}

void worker_join(struct worker *worker)
{
    pthread_join(worker->thread, NULL);
    free_worker(worker);
}
