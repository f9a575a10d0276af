/* A mailbox: a list and an eventfd, all that two threads need to talk.
 *
 * Messages are parts of the sender's structs; with the message goes the right
 * to touch what it is part of. The descriptor is readable while there is
 * something to take, for an event loop to wait on.
 *
 * Who sends faster than the other one reads has to wait where messages are
 * heavy: no more than MAILBOX_BYTES_MAX and what one sender puts at once is in
 * a box. But not for ever: who waits does not see to his other work. Messages
 * that weigh nothing never wait.
 */
#ifndef CRAWLER_MAILBOX_H
#define CRAWLER_MAILBOX_H

#include <pthread.h>
#include <stddef.h>

enum { MAILBOX_BYTES_MAX = 16 << 20, MAILBOX_WAIT_MAX_S = 5 };

struct message {
    struct message *next;
};

/* A list in order, to send many at once; empty if `first` is NULL. */
struct messages {
    struct message *first, *last;
    size_t bytes; /* what goes with them, for the sender to say */
};

struct mailbox {
    pthread_mutex_t lock;
    pthread_cond_t taken;
    struct messages messages;
    int fd;
};

void mailbox_init(struct mailbox *box);
void mailbox_release(struct mailbox *box);

void messages_add(struct messages *messages, struct message *message);

/* Send all of them; `messages` is empty after. */
void mailbox_put(struct mailbox *box, struct messages *messages);

/* All that have come, in order; NULL if none. Never waits. */
struct message *mailbox_take(struct mailbox *box);

#endif
