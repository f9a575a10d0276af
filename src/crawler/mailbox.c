#include "crawler/mailbox.h"

#include <stdint.h>
#include <sys/eventfd.h>
#include <time.h>
#include <unistd.h>

bool mailbox_init(struct mailbox *box)
{
    *box = (struct mailbox){.fd = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK)};
    pthread_mutex_init(&box->lock, NULL);

    pthread_condattr_t attributes;
    pthread_condattr_init(&attributes);
    pthread_condattr_setclock(&attributes, CLOCK_MONOTONIC);
    pthread_cond_init(&box->taken, &attributes);
    pthread_condattr_destroy(&attributes);
    return box->fd >= 0;
}

void mailbox_release(struct mailbox *box)
{
    pthread_cond_destroy(&box->taken);
    pthread_mutex_destroy(&box->lock);
    if (box->fd >= 0)
        close(box->fd);
}

void messages_add(struct messages *messages, struct message *message)
{
    message->next = NULL;
    if (messages->first)
        messages->last->next = message;
    else
        messages->first = message;
    messages->last = message;
}

/* With the lock held. */
static void wait_for_room(struct mailbox *box)
{
    struct timespec until;

    clock_gettime(CLOCK_MONOTONIC, &until);
    until.tv_sec += MAILBOX_WAIT_MAX_S;
    while (box->messages.bytes > MAILBOX_BYTES_MAX &&
           !pthread_cond_timedwait(&box->taken, &box->lock, &until))
        ;
}

void mailbox_put(struct mailbox *box, struct messages *messages)
{
    uint64_t one = 1;

    if (!messages->first)
        return;
    pthread_mutex_lock(&box->lock);
    if (messages->bytes && box->messages.bytes > MAILBOX_BYTES_MAX)
        wait_for_room(box);
    bool was_empty = !box->messages.first;
    if (was_empty)
        box->messages = *messages;
    else {
        box->messages.last->next = messages->first;
        box->messages.last = messages->last;
        box->messages.bytes += messages->bytes;
    }
    pthread_mutex_unlock(&box->lock);
    *messages = (struct messages){0};

    /* A box that was not empty is readable already. Writing can only fail if
     * the counter is full, and then it is readable too. */
    if (was_empty && write(box->fd, &one, sizeof(one)) < 0)
        return;
}

struct message *mailbox_take(struct mailbox *box)
{
    uint64_t count;

    /* Before the list is taken: a message that comes in between makes it
     * readable again. */
    if (read(box->fd, &count, sizeof(count)) < 0)
        count = 0;
    pthread_mutex_lock(&box->lock);
    struct message *first = box->messages.first;
    if (box->messages.bytes > MAILBOX_BYTES_MAX)
        pthread_cond_broadcast(&box->taken);
    box->messages = (struct messages){0};
    pthread_mutex_unlock(&box->lock);
    return first;
}
