#include "report/hand_orders.h"

#include <stdlib.h>

#include "base/escape.h"
#include "base/mem.h"
#include "base/words.h"
#include "view/order.h"
#include "web/filter.h"

void hand_orders_init(struct hand_orders *orders)
{
    *orders = (struct hand_orders){.row = NULL};
    arena_init(&orders->arena);
}

void hand_orders_release(struct hand_orders *orders)
{
    arena_release(&orders->arena);
    free(orders->row);
}

bool hand_orders_add(struct hand_orders *orders,
                     const struct store_hand_order *row)
{
    size_t at;

    if (row->number != orders->count + 1 || row->kind == ORDER_NONE ||
        row->kind >= ORDER_KINDS)
        return false;
    if ((row->kind == ORDER_EXCLUDE || row->kind == ORDER_ALLOW) &&
        glob_fault(row->text, &at))
        return false;
    orders->row = mem_grow(orders->row, orders->count, &orders->room,
                           sizeof(orders->row[0]));
    orders->row[orders->count] = *row;
    orders->row[orders->count++].text = arena_copy(&orders->arena, row->text);
    return true;
}

static bool refuses(const struct store_hand_order *row, struct str url,
                    struct str host)
{
    return (row->kind == ORDER_DROP && str_eq(row->text, host)) ||
           (row->kind == ORDER_EXCLUDE && glob_matches(row->text, url));
}

const struct store_hand_order *
hand_orders_refusing(const struct hand_orders *orders, struct str url,
                     struct str host, uint64_t until_ms)
{
    for (size_t i = orders->count; i; i--)
        if (orders->row[i - 1].at_ms <= until_ms &&
            refuses(&orders->row[i - 1], url, host))
            return &orders->row[i - 1];
    return NULL;
}

bool hand_orders_change_pause(const struct hand_orders *orders, struct str host,
                              uint64_t from_ms, uint64_t until_ms)
{
    for (size_t i = 0; i < orders->count; i++) {
        const struct store_hand_order *row = &orders->row[i];
        if ((row->kind == ORDER_DELAY || row->kind == ORDER_RETRY) &&
            row->at_ms >= from_ms && row->at_ms <= until_ms &&
            str_eq(row->text, host))
            return true;
    }
    return false;
}

static bool read_order(void *user, const struct store_hand_order *row)
{
    return hand_orders_add(user, row);
}

void hand_orders_print(struct report *report, const struct url *url,
                       uint64_t until_ms)
{
    struct hand_orders orders;
    const struct store_reader reader = {
        .user = &orders,
        .hand_order = read_order,
    };
    const struct store_hand_order *order = NULL;

    hand_orders_init(&orders);
    if (store_load(report->store, 0, &reader, &report->error))
        order = hand_orders_refusing(&orders, url->href, url_host_port(url),
                                     until_ms);
    if (order)
        terminal_line(stdout, "  order     %s '%.*s', by hand at %s",
                      view_order_name((enum view_order_kind)order->kind),
                      STR_ARGS(order->text), words_time(order->at_ms).text);
    hand_orders_release(&orders);
}

struct seed_search {
    struct str url;
    uint64_t at_ms;
};

static bool read_seed(void *user, const struct store_hand_order *row)
{
    struct seed_search *search = user;

    if (row->kind == ORDER_SEED && !search->at_ms &&
        str_eq(row->text, search->url))
        search->at_ms = row->at_ms;
    return true;
}

uint64_t hand_orders_seed_ms(struct report *report, struct str url)
{
    struct seed_search search = {.url = url};
    const struct store_reader reader = {
        .user = &search,
        .hand_order = read_seed,
    };

    store_load(report->store, 0, &reader, &report->error);
    return search.at_ms;
}

static bool read_pause(void *user, const struct store_hand_order *row)
{
    uint64_t *since_ms = user;

    if (row->kind == ORDER_PAUSE && !*since_ms)
        *since_ms = row->at_ms;
    if (row->kind == ORDER_RESUME)
        *since_ms = 0;
    return true;
}

bool hand_orders_paused(struct report *report, uint64_t *since_ms)
{
    const struct store_reader reader = {
        .user = since_ms,
        .hand_order = read_pause,
    };

    *since_ms = 0;
    if (report->facts->state != STATE_RUNNING || !report->locked)
        return true;
    return store_load(report->store, 0, &reader, &report->error);
}
