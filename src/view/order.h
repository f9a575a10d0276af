/* Orders to a crawl that runs: what they are, and how they are read and
 * written as JSON (docs/live-api.md). Pure. */
#ifndef VIEW_ORDER_H
#define VIEW_ORDER_H

#include "base/buf.h"

/* Records hold the numbers: a new order goes to the end. */
enum view_order_kind {
    ORDER_NONE,
    ORDER_PAUSE,
    ORDER_RESUME,
    ORDER_STOP,
    ORDER_STOP_NOW,
    ORDER_DELAY,   /* of a host; ORDER_NO_DELAY: as before */
    ORDER_DROP,    /* a host */
    ORDER_RETRY,   /* a host */
    ORDER_EXCLUDE, /* a pattern */
    ORDER_ALLOW,   /* a pattern */
    ORDER_SEED,    /* a URL */
    ORDER_KINDS,
};

enum { ORDER_TEXT_MAX = 2048, ORDER_DELAY_MAX_MS = 24 * 3600 * 1000 };
#define ORDER_NO_DELAY UINT64_MAX

struct view_order {
    enum view_order_kind kind;
    size_t text_len;
    char text[ORDER_TEXT_MAX + 1]; /* the host, the pattern or the URL */
    uint64_t delay_ms;             /* of ORDER_DELAY */
};

static inline struct str view_order_text(const struct view_order *order)
{
    return (struct str){order->text, order->text_len};
}

/* "pause", "stop-now", ... */
const char *view_order_name(enum view_order_kind kind);

/* One JSON object, of any origin. False with a sentence in `problem`. */
bool view_order_parse(struct str json, struct view_order *order,
                      const char **problem);

/* As view_order_parse reads it. */
void view_order_put(struct buf *out, const struct view_order *order);

/* The words of `crawler ctl`: the order, and what it is about. False with a
 * sentence in `problem`. */
bool view_order_of_words(const char *const *word, size_t count,
                         struct view_order *order, const char **problem);

#endif
