#include "view/order_slots.h"

#include <stdio.h>

#include "base/json.h"

void order_slots_init(struct order_slots *slots)
{
    pthread_mutex_init(&slots->lock, NULL);
}

void order_slots_release(struct order_slots *slots)
{
    pthread_mutex_destroy(&slots->lock);
}

size_t order_slots_ask(struct order_slots *slots,
                       const struct view_order *order)
{
    size_t i = 0;

    pthread_mutex_lock(&slots->lock);
    while (i < VIEW_ORDERS_MAX && slots->slot[i].state != SLOT_FREE)
        i++;
    if (i < VIEW_ORDERS_MAX) {
        slots->slot[i].state = SLOT_ASKED;
        slots->slot[i].turn = ++slots->turns;
        slots->slot[i].order = *order;
    }
    pthread_mutex_unlock(&slots->lock);
    return i;
}

static void put_answer(const struct order_slot *slot, struct buf *out)
{
    json_open(out, NULL);
    json_add_bool(out, "ok", slot->ok);
    if (slot->ok && slot->number)
        json_add_number(out, "number", slot->number);
    json_add_str(out, slot->ok ? "says" : "error", str_of(slot->says));
    json_close(out);
}

bool order_slots_take_answer(struct order_slots *slots, size_t slot,
                             struct buf *out)
{
    pthread_mutex_lock(&slots->lock);
    bool answered = slots->slot[slot].state == SLOT_ANSWERED;
    if (answered) {
        put_answer(&slots->slot[slot], out);
        slots->slot[slot].state = SLOT_FREE;
    }
    pthread_mutex_unlock(&slots->lock);
    return answered;
}

void order_slots_leave(struct order_slots *slots, size_t slot)
{
    pthread_mutex_lock(&slots->lock);
    enum order_slot_state *state = &slots->slot[slot].state;
    *state = *state == SLOT_TAKEN ? SLOT_LEFT : SLOT_FREE;
    pthread_mutex_unlock(&slots->lock);
}

bool order_slots_take(struct order_slots *slots, size_t *slot,
                      struct view_order *order)
{
    struct order_slot *first = NULL;

    pthread_mutex_lock(&slots->lock);
    for (size_t i = 0; i < VIEW_ORDERS_MAX; i++) {
        struct order_slot *other = &slots->slot[i];
        if (other->state == SLOT_ASKED && (!first || other->turn < first->turn))
            first = other;
    }
    if (first) {
        first->state = SLOT_TAKEN;
        *slot = (size_t)(first - slots->slot);
        *order = first->order;
    }
    pthread_mutex_unlock(&slots->lock);
    return first;
}

void order_slots_answer(struct order_slots *slots, size_t slot, bool ok,
                        uint64_t number, const char *says)
{
    pthread_mutex_lock(&slots->lock);
    struct order_slot *answered = &slots->slot[slot];
    answered->ok = ok;
    answered->number = number;
    snprintf(answered->says, sizeof(answered->says), "%s", says);
    answered->state = answered->state == SLOT_LEFT ? SLOT_FREE : SLOT_ANSWERED;
    pthread_mutex_unlock(&slots->lock);
}
