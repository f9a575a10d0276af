#include "crawler/committer.h"

#include <errno.h>
#include <poll.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/container.h"
#include "base/mem.h"
#include "crawler/mailbox.h"

enum order_kind { ORDER_COMMIT, ORDER_TAKE_PLACE, ORDER_END };

/* An order goes to the thread and comes back as its report. */
struct order {
    struct message message;
    enum order_kind kind;
    struct store_batch batch;
    size_t pages, bytes;
    struct store_error error; /* how it went */
};

/* Batches that are committed in one transaction, at most. */
enum { TOGETHER_MAX = 64 };

struct committer {
    pthread_t thread;
    struct store *store;
    struct pagesaver *saver;
    struct mailbox orders, reports;

    /* of the crawler thread alone */
    struct uncommitted uncommitted;
    size_t unanswered; /* orders */
    struct order *spare;
    struct store_error error; /* the first */
};

static struct order *order_of(struct message *message)
{
    return message ? container_of(message, struct order, message) : NULL;
}

/* --- the thread --------------------------------------------------------- */

/* Pages are synced first, so that every page in the record exists. */
static bool commit(const struct committer *committer,
                   const struct store_batch *const *batch, size_t count,
                   struct store_error *error)
{
    if (pagesaver_sync(committer->saver))
        return store_commit(committer->store, batch, count, error);
    error->status = STORE_FAILED;
    snprintf(error->text, sizeof(error->text), "%s", strerror(errno));
    return false;
}

/* Carry out as many of the first orders as fit into one transaction, and
 * report. Returns the first order that is left, or NULL. */
static struct order *carry_out(struct committer *committer, struct order *first,
                               struct store_error *error)
{
    const struct store_batch *batch[TOGETHER_MAX];
    struct messages reports = {0};
    struct order *order = first;
    size_t count = 0;

    while (order && order->kind == ORDER_COMMIT && count < TOGETHER_MAX) {
        batch[count++] = &order->batch;
        order = order_of(order->message.next);
    }
    /* After a failure nothing more is committed. */
    if (error->status == STORE_OK && count)
        commit(committer, batch, count, error);
    if (!count && order) {
        if (error->status == STORE_OK && order->kind == ORDER_TAKE_PLACE)
            store_take_place(committer->store, error);
        order = order_of(order->message.next);
    }
    for (struct order *next; first != order; first = next) {
        next = order_of(first->message.next);
        first->error = *error;
        messages_add(&reports, &first->message);
    }
    mailbox_put(&committer->reports, &reports);
    return order;
}

static void wait_on(int fd)
{
    struct pollfd poll_fd = {.fd = fd, .events = POLLIN};

    while (poll(&poll_fd, 1, -1) < 0 && errno == EINTR)
        ;
}

static bool has_end(const struct order *order)
{
    for (; order; order = order_of(order->message.next))
        if (order->kind == ORDER_END)
            return true;
    return false;
}

static void *run(void *user)
{
    struct committer *committer = user;
    struct store_error error = {.status = STORE_OK};
    bool end = false;

    while (!end) {
        wait_on(committer->orders.fd);
        struct order *order = order_of(mailbox_take(&committer->orders));
        end = has_end(order);
        while (order)
            order = carry_out(committer, order, &error);
    }
    return NULL;
}

/* --- the crawler thread ------------------------------------------------- */

struct committer *committer_start(struct store *store, struct pagesaver *saver,
                                  struct store_error *error)
{
    struct committer *committer = NEW(struct committer);

    committer->store = store;
    committer->saver = saver;
    committer->error.status = STORE_OK;
    bool good = mailbox_init(&committer->orders);
    good = mailbox_init(&committer->reports) && good;
    int why =
        good ? pthread_create(&committer->thread, NULL, run, committer) : errno;
    if (!why)
        return committer;
    error->status = STORE_FAILED;
    snprintf(error->text, sizeof(error->text), "cannot start a thread: %s",
             strerror(why));
    mailbox_release(&committer->orders);
    mailbox_release(&committer->reports);
    free(committer);
    return NULL;
}

static void send(struct committer *committer, struct order *order)
{
    struct messages orders = {0};

    committer->unanswered++;
    messages_add(&orders, &order->message);
    mailbox_put(&committer->orders, &orders);
}

static struct order *new_order(struct committer *committer)
{
    struct order *order = committer->spare;

    committer->spare = NULL;
    return order ? order : NEW(struct order);
}

static void free_order(struct order *order)
{
    store_batch_release(&order->batch);
    free(order);
}

/* Keep the memory of one batch for the next. */
static void keep_spare(struct committer *committer, struct order *order)
{
    if (committer->spare) {
        free_order(order);
        return;
    }
    store_batch_clear(&order->batch);
    committer->spare = order;
}

void committer_put(struct committer *committer, struct store_batch *batch,
                   size_t pages)
{
    struct order *order = new_order(committer);
    struct store_batch empty = order->batch;

    order->kind = ORDER_COMMIT;
    order->batch = *batch;
    order->pages = pages;
    order->bytes = store_batch_bytes(batch);
    *batch = empty;
    committer->uncommitted.batches++;
    committer->uncommitted.pages += pages;
    committer->uncommitted.bytes += order->bytes;
    send(committer, order);
}

struct uncommitted committer_uncommitted(const struct committer *committer)
{
    return committer->uncommitted;
}

int committer_fd(const struct committer *committer)
{
    return committer->reports.fd;
}

static void note_report(struct committer *committer, const struct order *order)
{
    committer->unanswered--;
    if (order->kind == ORDER_COMMIT) {
        committer->uncommitted.batches--;
        committer->uncommitted.pages -= order->pages;
        committer->uncommitted.bytes -= order->bytes;
    }
    if (committer->error.status == STORE_OK)
        committer->error = order->error;
}

bool committer_listen(struct committer *committer, struct store_error *error)
{
    struct order *order = order_of(mailbox_take(&committer->reports));

    for (struct order *next; order; order = next) {
        next = order_of(order->message.next);
        note_report(committer, order);
        keep_spare(committer, order);
    }
    *error = committer->error;
    return error->status == STORE_OK;
}

bool committer_finish(struct committer *committer, struct store_error *error)
{
    bool well = committer_listen(committer, error);

    while (committer->unanswered) {
        wait_on(committer->reports.fd);
        well = committer_listen(committer, error);
    }
    return well;
}

static void give_order(struct committer *committer, enum order_kind kind)
{
    struct order *order = new_order(committer);

    order->kind = kind;
    send(committer, order);
}

bool committer_take_place(struct committer *committer,
                          struct store_error *error)
{
    give_order(committer, ORDER_TAKE_PLACE);
    return committer_finish(committer, error);
}

void committer_free(struct committer *committer)
{
    struct store_error error;

    if (!committer)
        return;
    give_order(committer, ORDER_END);
    committer_finish(committer, &error);
    pthread_join(committer->thread, NULL);
    if (committer->spare)
        free_order(committer->spare);
    mailbox_release(&committer->orders);
    mailbox_release(&committer->reports);
    free(committer);
}
