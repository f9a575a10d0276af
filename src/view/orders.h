/* Orders on their way from readers to the crawler thread, and the answers back.
 * Private to view/.
 *
 * Invariant: a slot is free, or belongs to one order, which is asked, then
 * taken, then answered; its reader frees it. The reader of an order that was
 * taken may go before the answer comes: then the answer frees it. */
#ifndef VIEW_ORDERS_H
#define VIEW_ORDERS_H

#include <pthread.h>

#include "view/view.h"

enum orders_state {
    SLOT_FREE,
    SLOT_ASKED,
    SLOT_TAKEN,
    SLOT_LEFT,
    SLOT_ANSWERED
};

struct order_slot {
    enum orders_state state;
    uint64_t turn;
    struct view_order order;
    bool ok;
    uint64_t number;
    char says[VIEW_SAYS_MAX];
};

struct orders {
    pthread_mutex_t lock;
    uint64_t turns;
    struct order_slot slot[VIEW_ORDERS_MAX];
};

void orders_init(struct orders *orders);
void orders_release(struct orders *orders);

/* For the view's thread. The slot, or VIEW_ORDERS_MAX: all are in use. */
size_t orders_ask(struct orders *orders, const struct view_order *order);
/* Write the answer as JSON and free the slot, or false: not yet. */
bool orders_take_answer(struct orders *orders, size_t slot, struct buf *out);
void orders_leave(struct orders *orders, size_t slot);

/* For the crawler thread. */
bool orders_take(struct orders *orders, size_t *slot, struct view_order *order);
void orders_answer(struct orders *orders, size_t slot, bool ok, uint64_t number,
                   const char *says);

#endif
