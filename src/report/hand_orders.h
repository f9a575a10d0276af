/* The orders by hand of a recorded crawl: which of them refuses a URL, and
 * which ended a pause early. */
#ifndef REPORT_HAND_ORDERS_H
#define REPORT_HAND_ORDERS_H

#include "base/mem.h"
#include "report/report.h"
#include "web/url.h"

struct hand_orders {
    struct arena arena;
    struct store_hand_order *row; /* in order */
    size_t count, room;
};

void hand_orders_init(struct hand_orders *orders);
void hand_orders_release(struct hand_orders *orders);

/* Add the next row. False if it cannot be one of ours. */
bool hand_orders_add(struct hand_orders *orders,
                     const struct store_hand_order *row);

/* The last order that refuses the URL, of host "example.org:8080", up to that
 * time; NULL if none does. Later orders may have taken it back. */
const struct store_hand_order *
hand_orders_refusing(const struct hand_orders *orders, struct str url,
                     struct str host, uint64_t until_ms);

/* Was the pause of the host changed between these times? */
bool hand_orders_change_pause(const struct hand_orders *orders, struct str host,
                              uint64_t from_ms, uint64_t until_ms);

/* For `status`: since when is the crawl paused? 0: it is not. False with the
 * report's error. */
bool hand_orders_paused(struct report *report, uint64_t *since_ms);

/* When did the user name this URL as a seed while the crawl ran? 0: never. */
uint64_t hand_orders_seed_ms(struct report *report, struct str url);

/* For `why`: print the order that refused the URL, up to that time. */
void hand_orders_print(struct report *report, const struct url *url,
                       uint64_t until_ms);

#endif
