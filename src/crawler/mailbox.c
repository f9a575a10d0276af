#include "crawler/mailbox.h"

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <sys/eventfd.h>
#include <time.h>
#include <unistd.h>

void mailbox_init(struct mailbox *box)
{
    *box = (struct mailbox){.fd = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK)};
    if (box->fd < 0) {
        perror("crawler: cannot make an eventfd");
        _exit(1);
    }
    pthread_mutex_init(&box->lock, NULL);

    pthread_condattr_t attributes;
    pthread_condattr_init(&attributes);
    pthread_condattr_setclock(&attributes, CLOCK_MONOTONIC);
    pthread_cond_init(&box->taken, &attributes);
    pthread_condattr_destroy(&attributes);
}

void mailbox_release(struct mailbox *box)
{
    pthread_cond_destroy(&box->taken);
    pthread_mutex_destroy(&box->lock);
    close(box->fd);
}

void letters_add(struct letters *letters, struct letter *letter)
{
    letter->next = NULL;
    if (letters->first)
        letters->last->next = letter;
    else
        letters->first = letter;
    letters->last = letter;
}

/* With the lock held. */
static void wait_for_room(struct mailbox *box)
{
    struct timespec until;

    clock_gettime(CLOCK_MONOTONIC, &until);
    until.tv_sec += MAILBOX_WAIT_MAX_S;
    while (box->letters.bytes > MAILBOX_BYTES_MAX &&
           !pthread_cond_timedwait(&box->taken, &box->lock, &until))
        ;
}

void mailbox_put(struct mailbox *box, struct letters *letters)
{
    uint64_t one = 1;

    if (!letters->first)
        return;
    pthread_mutex_lock(&box->lock);
    if (letters->bytes && box->letters.bytes > MAILBOX_BYTES_MAX)
        wait_for_room(box);
    bool was_empty = !box->letters.first;
    if (was_empty)
        box->letters = *letters;
    else {
        box->letters.last->next = letters->first;
        box->letters.last = letters->last;
        box->letters.bytes += letters->bytes;
    }
    pthread_mutex_unlock(&box->lock);
    *letters = (struct letters){0};

    /* Who has not emptied the box yet will be there soon anyway. Writing can
     * only fail if the counter is full, and then it is readable already. */
    if (was_empty && write(box->fd, &one, sizeof(one)) < 0)
        return;
}

struct letter *mailbox_take(struct mailbox *box)
{
    uint64_t count;

    /* Before the list is taken: a letter that comes in between makes it
     * readable again. */
    if (read(box->fd, &count, sizeof(count)) < 0)
        count = 0;
    pthread_mutex_lock(&box->lock);
    struct letter *first = box->letters.first;
    if (box->letters.bytes > MAILBOX_BYTES_MAX)
        pthread_cond_broadcast(&box->taken);
    box->letters = (struct letters){0};
    pthread_mutex_unlock(&box->lock);
    return first;
}
