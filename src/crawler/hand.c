#include "crawler/hand.h"

#include <stdio.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

#include "base/container.h"
#include "base/hash.h"
#include "base/mem.h"

/* Results are sent when there is nothing more to do at once, or are so large.
 */
enum { DONE_BYTES_MAX = 1 << 20 };

/* What a call of libcurl may take of the processor before it is looked at, and
 * then before it is ended; usual are a few. With a sanitizer all takes longer,
 * large bodies above all. */
#if defined(__SANITIZE_THREAD__) || defined(__SANITIZE_ADDRESS__)
enum { CALL_CPU_MAX_MS = 2000 };
#else
enum { CALL_CPU_MAX_MS = 200 };
#endif

struct hand {
    pthread_t thread;
    const struct hand_options *options;
    struct mailbox inbox;
    struct mailbox *mind;
    struct fetch_options fetch;
    struct pagefetcher *fetcher;
    bool quit;
    /* the mind's, for hand_watch */
    unsigned watched_call, watched_connects;
    bool marked;
    uint64_t watched_cpu_ms;
};

static void save(struct hand *hand, struct webpage *page)
{
    if (hand->options->remember)
        page->digest = hash64(page->exchange.body, 0);
    pagesaver_prepare(hand->options->saver, page);
}

/* The path of a page through a hand. What a page says of itself decides
 * whether it is kept, so it is scanned first. */
static void work_on_page(struct hand *hand, struct webpage *page)
{
    const struct scan_options *scan = &hand->options->scan;

    if (page->outcome == REDIRECTED)
        pagescanner_follow(page, scan);
    if (page->outcome != FETCHED)
        return;
    if (page->want_links || scan->robots_agent.len)
        pagescanner_scan(page, scan);
    if (scan->want_text)
        pagescanner_keep_texts(page);
    if (page->noindex)
        page->outcome = NOINDEX;
    else
        save(hand, page);
}

static void work_on_robots(struct hand *hand, struct job *job)
{
    const struct scan_options plain = {0};

    if (job->page.outcome == REDIRECTED)
        pagescanner_follow(&job->page, &plain);
    else if (job->page.outcome == FETCHED)
        job->robots =
            robots_new(job->page.exchange.body, hand->options->robots_agent);
    if (job->robots)
        job->page.robots_text =
            arena_copy(&job->page.arena, job->page.exchange.body);
}

static void work_on(struct hand *hand, struct job *job)
{
    switch (job->page.kind) {
    case WEBPAGE_HTML:
        work_on_page(hand, &job->page);
        break;
    case WEBPAGE_ROBOTS:
        work_on_robots(hand, job);
        break;
    case WEBPAGE_SITEMAP:
        if (job->page.outcome == REDIRECTED)
            pagescanner_follow(&job->page, &hand->options->scan);
        else if (job->page.outcome == FETCHED)
            pagescanner_sitemap(&job->page, &hand->options->scan);
        break;
    }
}

static void read_inbox(struct hand *hand)
{
    struct message *message = mailbox_take(&hand->inbox);

    while (message) {
        struct job *job = container_of(message, struct job, message);
        message = message->next;
        switch (job->kind) {
        case JOB_FETCH:
            pagefetcher_start(hand->fetcher, &job->page);
            break;
        case JOB_ABANDON:
            pagefetcher_abandon(hand->fetcher);
            break;
        case JOB_QUIT:
            hand->quit = true;
            break;
        }
    }
}

static void *run(void *user)
{
    struct hand *hand = user;

    while (!hand->quit) {
        struct messages done = {0};
        struct webpage *page;

        if (pagefetcher_wait(hand->fetcher, -1))
            read_inbox(hand);
        while ((page = pagefetcher_take(hand->fetcher))) {
            struct job *job = container_of(page, struct job, page);
            work_on(hand, job);
            pagefetcher_give_back(hand->fetcher, page);
            messages_add(&done, &job->message);
            done.bytes += page->arena.used;
            if (done.bytes > DONE_BYTES_MAX)
                mailbox_put(hand->mind, &done);
        }
        mailbox_put(hand->mind, &done);
    }
    return NULL;
}

struct hand *hand_start(const struct hand_options *options,
                        struct mailbox *mind)
{
    struct hand *hand = NEW(struct hand);

    hand->options = options;
    hand->mind = mind;
    mailbox_init(&hand->inbox);
    hand->fetch = options->fetch;
    hand->fetch.wishes = options->saver->type->wishes;
    hand->fetcher = pagefetcher_new(&hand->fetch);
    pagefetcher_watch(hand->fetcher, hand->inbox.fd);

    int err = pthread_create(&hand->thread, NULL, run, hand);
    if (err) {
        fprintf(stderr, "crawler: cannot start a thread: %s\n", strerror(err));
        _exit(1);
    }
    return hand;
}

void hand_put(struct hand *hand, struct messages *jobs)
{
    mailbox_put(&hand->inbox, jobs);
}

/* The processor's time, not the clock's: neither a busy machine nor a stop of
 * the program is the server's fault. */
static uint64_t cpu_ms(pthread_t thread)
{
    struct timespec time = {0};
    clockid_t clock;

    if (!pthread_getcpuclockid(thread, &clock))
        clock_gettime(clock, &time);
    return (uint64_t)time.tv_sec * 1000 + (uint64_t)time.tv_nsec / 1000000;
}

void hand_watch(struct hand *hand)
{
    unsigned call = pagefetcher_calls(hand->fetcher);

    if (call % 2 == 0)
        return;
    unsigned connects = pagefetcher_connects(hand->fetcher);
    uint64_t now_ms = cpu_ms(hand->thread);
    /* To begin thousands of connections in a call takes a while too. */
    if (call != hand->watched_call || connects != hand->watched_connects) {
        hand->watched_call = call;
        hand->watched_connects = connects;
        hand->watched_cpu_ms = now_ms;
        hand->marked = false;
    } else if (now_ms - hand->watched_cpu_ms >= CALL_CPU_MAX_MS) {
        hand->watched_cpu_ms = now_ms;
        if (hand->marked)
            pagefetcher_cut_busiest(hand->fetcher);
        else
            pagefetcher_mark(hand->fetcher);
        hand->marked = true;
    }
}

void hand_join(struct hand *hand)
{
    pthread_join(hand->thread, NULL);
    pagefetcher_free(hand->fetcher);
    mailbox_release(&hand->inbox);
    free(hand);
}
