/* The orders by hand that are in force, for people: each with its number and
 * time, until it is taken back. What they do is in the frontier
 * (frontier/by_hand.h). */
#ifndef CRAWLER_HAND_RULES_H
#define CRAWLER_HAND_RULES_H

#include "store/store.h"
#include "view/order.h"

struct hand_rule {
    uint64_t number, at_ms; /* of the wall clock */
    enum view_order_kind kind;
    struct str text; /* owned */
    uint64_t delay_ms;
};

struct hand_rules {
    struct hand_rule *rule;
    size_t count, room;
    uint64_t last_number; /* of all orders so far */
    bool is_paused;       /* the last of pause and resume was pause */
};

void hand_rules_release(struct hand_rules *rules);

/* An order was given: it is in force from now on, or takes others back. */
void hand_rules_add(struct hand_rules *rules,
                    const struct store_hand_order *row);

#endif
