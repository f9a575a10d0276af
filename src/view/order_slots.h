/* Orders on their way from readers to the crawler thread, and the answers back.
 * Private to view/.
 *
 * Invariant: a slot is free, or belongs to one order, which is asked, then
 * taken, then answered; its reader frees it. The reader of an order that was
 * taken may go before the answer comes: then the answer frees it. */
#ifndef VIEW_ORDER_SLOTS_H
#define VIEW_ORDER_SLOTS_H

#include <pthread.h>

#include "view/view.h"

enum order_slot_state {
    SLOT_FREE,
    SLOT_ASKED,
    SLOT_TAKEN,
    SLOT_LEFT,
    SLOT_ANSWERED
};

struct order_slot {
    enum order_slot_state state;
    uint64_t turn;
    struct view_order order;
    bool ok;
    uint64_t number;
    char says[VIEW_SAYS_MAX];
};

struct order_slots {
    pthread_mutex_t lock;
    uint64_t turns;
    struct order_slot slot[VIEW_ORDERS_MAX];
};

void order_slots_init(struct order_slots *slots);
void order_slots_release(struct order_slots *slots);

/* For the view's thread. The slot, or VIEW_ORDERS_MAX: all are in use. */
size_t order_slots_ask(struct order_slots *slots,
                       const struct view_order *order);
/* Write the answer as JSON and free the slot, or false: not yet. */
bool order_slots_take_answer(struct order_slots *slots, size_t slot,
                             struct buf *out);
void order_slots_leave(struct order_slots *slots, size_t slot);

/* For the crawler thread. */
bool order_slots_take(struct order_slots *slots, size_t *slot,
                      struct view_order *order);
void order_slots_answer(struct order_slots *slots, size_t slot, bool ok,
                        uint64_t number, const char *says);

#endif
