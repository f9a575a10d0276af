/* A mailbox: a list and an eventfd, all that two threads need to talk.
 *
 * Letters are parts of the sender's structs; with the letter goes the right
 * to touch what it is part of. The descriptor is readable while there is
 * something to take, for an event loop to wait on.
 *
 * Who sends faster than the other one reads has to wait where letters are
 * heavy: no more than MAILBOX_BYTES_MAX and what one sender puts at once is in
 * a box. But not for ever: who waits does not see to his other work. Letters
 * that weigh nothing never wait.
 */
#ifndef CRAWLER_MAILBOX_H
#define CRAWLER_MAILBOX_H

#include <pthread.h>
#include <stddef.h>

enum { MAILBOX_BYTES_MAX = 16 << 20, MAILBOX_WAIT_MAX_S = 5 };

struct letter {
    struct letter *next;
};

/* A list in order, to send many at once; empty if `first` is NULL. */
struct letters {
    struct letter *first, *last;
    size_t bytes; /* what goes with them, for the sender to say */
};

struct mailbox {
    pthread_mutex_t lock;
    pthread_cond_t taken;
    struct letters letters;
    int fd;
};

void mailbox_init(struct mailbox *box);
void mailbox_release(struct mailbox *box);

void letters_add(struct letters *letters, struct letter *letter);

/* Send all of them; `letters` is empty after. */
void mailbox_put(struct mailbox *box, struct letters *letters);

/* All that have come, in order; NULL if none. Never waits. */
struct letter *mailbox_take(struct mailbox *box);

#endif
