#include "crawler/committer.h"

#include <errno.h>
#include <poll.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "base/mem.h"
#include "crawler/archive_copies.h"
#include "crawler/mailbox.h"

/* A closed batch. It goes to the thread and comes back as its report. */
struct closed {
    struct message message;
    struct store_batch batch;
    size_t fetches, bytes;
    struct store_error error; /* how the commit went */
    bool is_first;            /* of those that were committed together */
    uint64_t commit_ms;       /* how long that took */
};

/* Batches that are committed in one transaction, at most. */
enum { TOGETHER_MAX = 64 };

struct committer {
    pthread_t thread;
    struct store *store;
    struct pagesaver *saver;
    struct archive_copies *copies; /* or NULL */
    struct mailbox batches, reports;
    struct closed end;  /* the last message to the thread, without a batch */
    atomic_bool ending; /* the last batch is about to come */

    /* of the thread; of the crawler thread when the thread has ended */
    struct messages waiting;
    struct store_error commit_error; /* the first */
    uint64_t renewed_ms;             /* when the last commit was over */
    bool has_ended;

    /* of the crawler thread alone */
    struct uncommitted uncommitted;
    struct view_histogram times;
    struct store_error error; /* the first that was reported */
};

static struct closed *closed_of(struct message *message)
{
    return message ? container_of(message, struct closed, message) : NULL;
}

static void send_to(struct mailbox *box, struct closed *closed)
{
    struct messages one = {0};

    messages_add(&one, &closed->message);
    mailbox_put(box, &one);
}

/* False if nothing came for that long; -1: however long it takes. */
static bool wait_on(const struct mailbox *box, int wait_ms)
{
    struct pollfd poll_fd = {.fd = box->fd, .events = POLLIN};
    int ready;

    while ((ready = poll(&poll_fd, 1, wait_ms)) < 0 && errno == EINTR)
        ;
    return ready != 0;
}

/* --- the thread --------------------------------------------------------- */

/* The crawl ends, so the batches are committed together with the last one. */
static bool is_left_to_end(const struct committer *committer)
{
    return committer->ending && !committer->has_ended &&
           committer->commit_error.status == STORE_OK;
}

/* Nothing is to be committed: an empty batch is a sign of life. */
static void renew(struct committer *committer)
{
    struct store_error *error = &committer->commit_error;

    if (error->status == STORE_OK)
        store_commit(committer->store, NULL, 0, error);
    committer->renewed_ms = clock_mono_ms();
}

/* `user` is the committer. */
static void renew_if_due(void *user)
{
    struct committer *committer = user;
    uint64_t renew_ms = store_renew_ms(committer->store);

    if (renew_ms && clock_mono_ms() >= committer->renewed_ms + renew_ms)
        renew(committer);
}

/* Records of the batches, and of later ones, get their bytes. */
static bool write_copies(struct committer *committer)
{
    if (!committer->copies || !archive_copies_wait(committer->copies))
        return true;
    bool good =
        archive_copies_write(committer->copies, renew_if_due, committer);
    pagesaver_changed(committer->saver);
    return good;
}

/* Commit as many of the first batches as fit into one transaction, and report
 * each. After a failure nothing more is committed. Pages are synced first, so
 * that every page in the record exists.
 * False if nothing was done because the crawl ends. */
static bool commit_first(struct committer *committer)
{
    const struct store_batch *batch[TOGETHER_MAX];
    struct store_error *error = &committer->commit_error;
    struct message *left = committer->waiting.first;
    const struct message *first = left;
    uint64_t start_ms = clock_mono_ms();
    size_t count = 0;

    if (is_left_to_end(committer))
        return false;
    for (; left && count < TOGETHER_MAX; left = left->next)
        batch[count++] = &closed_of(left)->batch;
    if (error->status == STORE_OK &&
        (!write_copies(committer) || !pagesaver_sync(committer->saver)))
        store_fail(error, STORE_FAILED, "%s", strerror(errno));
    if (error->status == STORE_OK) {
        if (is_left_to_end(committer))
            return false;
        (committer->has_ended && !left ? store_commit_last : store_commit)(
            committer->store, batch, count, error);
    }
    committer->renewed_ms = clock_mono_ms();
    while (committer->waiting.first != left) {
        struct closed *closed = closed_of(committer->waiting.first);
        committer->waiting.first = closed->message.next;
        closed->error = *error;
        closed->is_first = &closed->message == first;
        closed->commit_ms = clock_mono_ms() - start_ms;
        send_to(&committer->reports, closed);
    }
    return true;
}

/* True if the end was among the messages. */
static bool take_batches(struct committer *committer)
{
    struct message *message = mailbox_take(&committer->batches);
    bool is_end = false;

    for (struct message *next; message; message = next) {
        next = message->next;
        if (message == &committer->end.message)
            is_end = true;
        else
            messages_add(&committer->waiting, message);
    }
    return is_end;
}

static void *run(void *user)
{
    struct committer *committer = user;
    uint64_t renew_ms = store_renew_ms(committer->store);
    bool is_end;

    do {
        while (!wait_on(&committer->batches, renew_ms ? (int)renew_ms : -1))
            renew(committer);
        is_end = take_batches(committer);
        while (committer->waiting.first && commit_first(committer))
            ;
    } while (!is_end);
    return NULL;
}

/* --- the crawler thread ------------------------------------------------- */

static void release(struct committer *committer)
{
    mailbox_release(&committer->batches);
    mailbox_release(&committer->reports);
    free(committer);
}

struct committer *committer_start(struct store *store, struct pagesaver *saver,
                                  struct archive_copies *copies,
                                  struct store_error *error)
{
    struct committer *committer = NEW(struct committer);

    committer->store = store;
    committer->saver = saver;
    committer->copies = copies;
    committer->error.status = STORE_OK;
    committer->commit_error.status = STORE_OK;
    bool good = mailbox_init(&committer->batches);
    good = mailbox_init(&committer->reports) && good;
    int why =
        good ? pthread_create(&committer->thread, NULL, run, committer) : errno;
    if (!why)
        return committer;
    store_fail(error, STORE_FAILED, "cannot start a thread: %s", strerror(why));
    release(committer);
    return NULL;
}

void committer_put(struct committer *committer, struct store_batch *batch,
                   size_t fetches)
{
    if (committer->error.status != STORE_OK || committer->has_ended) {
        store_batch_clear(batch);
        return;
    }
    struct closed *closed = NEW(struct closed);
    closed->batch = *batch;
    closed->fetches = fetches;
    closed->bytes = store_batch_bytes(batch);
    store_batch_init(batch);
    committer->uncommitted.batches++;
    committer->uncommitted.fetches += fetches;
    committer->uncommitted.bytes += closed->bytes;
    send_to(&committer->batches, closed);
}

struct uncommitted committer_uncommitted(const struct committer *committer)
{
    return committer->uncommitted;
}

struct view_histogram committer_times(const struct committer *committer)
{
    return committer->times;
}

int committer_fd(const struct committer *committer)
{
    return committer->reports.fd;
}

static void take_report(struct committer *committer, struct closed *closed)
{
    committer->uncommitted.batches--;
    committer->uncommitted.fetches -= closed->fetches;
    committer->uncommitted.bytes -= closed->bytes;
    if (closed->is_first)
        view_histogram_add(&committer->times, closed->commit_ms);
    if (committer->error.status == STORE_OK)
        committer->error = closed->error;
    store_batch_release(&closed->batch);
    free(closed);
}

bool committer_listen(struct committer *committer, struct store_error *error)
{
    struct closed *closed = closed_of(mailbox_take(&committer->reports));

    for (struct closed *next; closed; closed = next) {
        next = closed_of(closed->message.next);
        take_report(committer, closed);
    }
    *error = committer->error;
    return error->status == STORE_OK;
}

bool committer_finish(struct committer *committer, struct store_error *error)
{
    bool good = committer_listen(committer, error);

    while (committer->uncommitted.batches) {
        wait_on(&committer->reports, -1);
        good = committer_listen(committer, error);
    }
    return good;
}

/* All batches are committed then, so the thread does not use the store. */
bool committer_replace_old(struct committer *committer,
                           struct store_error *error)
{
    if (!committer_finish(committer, error))
        return false;
    if (!store_replace_old(committer->store, error))
        committer->error = *error;
    return committer->error.status == STORE_OK;
}

static void end_thread(struct committer *committer)
{
    send_to(&committer->batches, &committer->end);
    pthread_join(committer->thread, NULL);
    committer->has_ended = true;
}

/* The pages are synced while the thread brings its commit to an end. */
bool committer_end(struct committer *committer, struct store_batch *last,
                   struct store_error *error)
{
    committer->ending = true;
    committer_put(committer, last, 0);
    bool good = pagesaver_sync(committer->saver);
    int why = errno;
    end_thread(committer);
    if (!good && committer->commit_error.status == STORE_OK)
        store_fail(&committer->commit_error, STORE_FAILED, "%s", strerror(why));
    while (committer->waiting.first)
        commit_first(committer);
    return committer_listen(committer, error);
}

void committer_free(struct committer *committer)
{
    struct store_error error;

    if (!committer)
        return;
    committer_finish(committer, &error);
    if (!committer->has_ended)
        end_thread(committer);
    release(committer);
}
