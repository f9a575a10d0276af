#include "page/bodies.h"

/* A buffer with more room than this is not kept for another page. */
enum { KEEP_MAX = 256 * 1024 };

void bodies_init(struct bodies *bodies, size_t budget)
{
    *bodies = (struct bodies){.budget = budget};
}

void bodies_release(struct bodies *bodies)
{
    while (bodies->spares)
        buf_release(&bodies->spare[--bodies->spares]);
}

/* What counts of a body of that length. */
static size_t beyond_small(size_t len)
{
    return len > BODY_SMALL ? len - BODY_SMALL : 0;
}

/* The last one that was dropped: it may still be in the cache. */
static void take_spare(struct bodies *bodies, struct buf *body)
{
    size_t cap = body->cap;

    if (!bodies->spares)
        return;
    *body = bodies->spare[--bodies->spares];
    body->cap = cap;
}

enum body_put bodies_put(struct bodies *bodies, struct buf *body,
                         struct str bytes)
{
    if (bytes.len > body->cap - body->len)
        return BODY_FULL;
    size_t more = beyond_small(body->len + bytes.len) - beyond_small(body->len);
    if (more && bodies->used + more > bodies->budget) {
        if (bodies->leader && bodies->leader != body) {
            bodies->is_awaited = true;
            return BODY_WAIT;
        }
        bodies->leader = body;
    }
    if (!body->ptr)
        take_spare(bodies, body);
    bodies->used += more;
    buf_put(body, bytes);
    return BODY_PUT;
}

void bodies_drop(struct bodies *bodies, struct buf *body)
{
    bodies->used -= beyond_small(body->len);
    if (bodies->leader == body)
        bodies->leader = NULL;
    buf_clear(body);
    if (!body->ptr)
        return;
    if (body->room <= KEEP_MAX && bodies->spares < BODIES_SPARE) {
        bodies->spare[bodies->spares++] = *body;
        buf_init(body, body->cap);
    } else {
        buf_release(body);
    }
}

bool bodies_take_call(struct bodies *bodies)
{
    bool has_room = !bodies->leader || bodies->used < bodies->budget;
    bool call = bodies->is_awaited && has_room;

    if (call)
        bodies->is_awaited = false;
    return call;
}
