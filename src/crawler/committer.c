#include "crawler/committer.h"

#include <errno.h>
#include <poll.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/container.h"
#include "base/mem.h"
#include "crawler/mailbox.h"

/* A closed batch. It goes to the thread and comes back as its report. */
struct closed {
    struct message message;
    struct store_batch batch;
    size_t pages, bytes;
    struct store_error error; /* how the commit went */
};

/* Batches that are committed in one transaction, at most. */
enum { TOGETHER_MAX = 64 };

struct committer {
    pthread_t thread;
    struct store *store;
    struct pagesaver *saver;
    struct mailbox batches, reports;
    struct closed end; /* the last message to the thread, without a batch */

    /* of the crawler thread alone */
    struct uncommitted uncommitted;
    struct store_error error; /* the first */
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

static void wait_on(const struct mailbox *box)
{
    struct pollfd poll_fd = {.fd = box->fd, .events = POLLIN};

    while (poll(&poll_fd, 1, -1) < 0 && errno == EINTR)
        ;
}

/* --- the thread --------------------------------------------------------- */

/* Pages are synced first, so that every page in the record exists. */
static bool commit(const struct committer *committer,
                   const struct store_batch *const *batch, size_t count,
                   struct store_error *error)
{
    if (pagesaver_sync(committer->saver))
        return store_commit(committer->store, batch, count, error);
    return store_fail(error, STORE_FAILED, "%s", strerror(errno));
}

/* Commit as many of the first batches as fit into one transaction, and report
 * each. After a failure nothing more is committed. Returns the first that is
 * left, or NULL. */
static struct closed *commit_first(struct committer *committer,
                                   struct closed *first,
                                   struct store_error *error)
{
    const struct store_batch *batch[TOGETHER_MAX];
    struct closed *left = first;
    size_t count = 0;

    while (left && left != &committer->end && count < TOGETHER_MAX) {
        batch[count++] = &left->batch;
        left = closed_of(left->message.next);
    }
    if (error->status == STORE_OK)
        commit(committer, batch, count, error);
    for (struct closed *next; first != left; first = next) {
        next = closed_of(first->message.next);
        first->error = *error;
        send_to(&committer->reports, first);
    }
    return left;
}

static void *run(void *user)
{
    struct committer *committer = user;
    struct store_error error = {.status = STORE_OK};
    struct closed *closed = NULL;

    while (!closed) {
        wait_on(&committer->batches);
        closed = closed_of(mailbox_take(&committer->batches));
        while (closed && closed != &committer->end)
            closed = commit_first(committer, closed, &error);
    }
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
                                  struct store_error *error)
{
    struct committer *committer = NEW(struct committer);

    committer->store = store;
    committer->saver = saver;
    committer->error.status = STORE_OK;
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
                   size_t pages)
{
    if (committer->error.status != STORE_OK) {
        store_batch_clear(batch);
        return;
    }
    struct closed *closed = NEW(struct closed);
    closed->batch = *batch;
    closed->pages = pages;
    closed->bytes = store_batch_bytes(batch);
    store_batch_init(batch);
    committer->uncommitted.batches++;
    committer->uncommitted.pages += pages;
    committer->uncommitted.bytes += closed->bytes;
    send_to(&committer->batches, closed);
}

struct uncommitted committer_uncommitted(const struct committer *committer)
{
    return committer->uncommitted;
}

int committer_fd(const struct committer *committer)
{
    return committer->reports.fd;
}

static void take_report(struct committer *committer, struct closed *closed)
{
    committer->uncommitted.batches--;
    committer->uncommitted.pages -= closed->pages;
    committer->uncommitted.bytes -= closed->bytes;
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
        wait_on(&committer->reports);
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

void committer_free(struct committer *committer)
{
    struct store_error error;

    if (!committer)
        return;
    committer_finish(committer, &error);
    send_to(&committer->batches, &committer->end);
    pthread_join(committer->thread, NULL);
    release(committer);
}
