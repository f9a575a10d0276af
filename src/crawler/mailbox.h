/* A mailbox: a list and an eventfd, all that two threads need to talk.
 *
 * A message is part of a larger struct. Only the thread that holds the message
 * may use that struct. The descriptor is readable while there is a message, for
 * an event loop to wait on.
 *
 * Senders of large messages wait while the box holds more than
 * MAILBOX_BYTES_MAX, at most MAILBOX_WAIT_MAX_S because they have other work
 * too. Messages without a size never wait.
 */
#ifndef CRAWLER_MAILBOX_H
#define CRAWLER_MAILBOX_H

#include <pthread.h>
#include <stdbool.h>
#include <stddef.h>

enum { MAILBOX_BYTES_MAX = 16 << 20, MAILBOX_WAIT_MAX_S = 5 };

struct message {
    struct message *next;
};

/* A list in order, to send many at once; empty if `first` is NULL. */
struct messages {
    struct message *first, *last;
    size_t bytes; /* their size as the sender states it */
};

struct mailbox {
    pthread_mutex_t lock;
    pthread_cond_t taken;
    struct messages messages;
    int fd;
};

/* False with errno; release it all the same. */
bool mailbox_init(struct mailbox *box);
void mailbox_release(struct mailbox *box);

void messages_add(struct messages *messages, struct message *message);

/* Send all of them; `messages` is empty after. */
void mailbox_put(struct mailbox *box, struct messages *messages);

/* All that have come, in order; NULL if none. Never waits. */
struct message *mailbox_take(struct mailbox *box);

#endif
