#include "view/orders.h"

#include <stdio.h>

#include "base/json.h"

void orders_init(struct orders *orders)
{
    pthread_mutex_init(&orders->lock, NULL);
}

void orders_release(struct orders *orders)
{
    pthread_mutex_destroy(&orders->lock);
}

size_t orders_ask(struct orders *orders, const struct view_order *order)
{
    size_t i = 0;

    pthread_mutex_lock(&orders->lock);
    while (i < VIEW_ORDERS_MAX && orders->slot[i].state != SLOT_FREE)
        i++;
    if (i < VIEW_ORDERS_MAX) {
        orders->slot[i].state = SLOT_ASKED;
        orders->slot[i].turn = ++orders->turns;
        orders->slot[i].order = *order;
    }
    pthread_mutex_unlock(&orders->lock);
    return i;
}

static void put_answer(const struct order_slot *slot, struct buf *out)
{
    json_open(out, NULL);
    json_put_name(out, "ok");
    buf_put(out, slot->ok ? STR("true") : STR("false"));
    if (slot->ok && slot->number)
        json_add_number(out, "number", slot->number);
    json_add_str(out, slot->ok ? "says" : "error", str_of(slot->says));
    json_close(out);
}

bool orders_take_answer(struct orders *orders, size_t slot, struct buf *out)
{
    pthread_mutex_lock(&orders->lock);
    bool answered = orders->slot[slot].state == SLOT_ANSWERED;
    if (answered) {
        put_answer(&orders->slot[slot], out);
        orders->slot[slot].state = SLOT_FREE;
    }
    pthread_mutex_unlock(&orders->lock);
    return answered;
}

void orders_leave(struct orders *orders, size_t slot)
{
    pthread_mutex_lock(&orders->lock);
    enum orders_state *state = &orders->slot[slot].state;
    *state = *state == SLOT_TAKEN ? SLOT_LEFT : SLOT_FREE;
    pthread_mutex_unlock(&orders->lock);
}

bool orders_take(struct orders *orders, size_t *slot, struct view_order *order)
{
    struct order_slot *first = NULL;

    pthread_mutex_lock(&orders->lock);
    for (size_t i = 0; i < VIEW_ORDERS_MAX; i++) {
        struct order_slot *other = &orders->slot[i];
        if (other->state == SLOT_ASKED && (!first || other->turn < first->turn))
            first = other;
    }
    if (first) {
        first->state = SLOT_TAKEN;
        *slot = (size_t)(first - orders->slot);
        *order = first->order;
    }
    pthread_mutex_unlock(&orders->lock);
    return first;
}

void orders_answer(struct orders *orders, size_t slot, bool ok, uint64_t number,
                   const char *says)
{
    pthread_mutex_lock(&orders->lock);
    struct order_slot *answered = &orders->slot[slot];
    answered->ok = ok;
    answered->number = number;
    snprintf(answered->says, sizeof(answered->says), "%s", says);
    answered->state = answered->state == SLOT_LEFT ? SLOT_FREE : SLOT_ANSWERED;
    pthread_mutex_unlock(&orders->lock);
}
