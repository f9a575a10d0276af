#include "page/bodies.h"

/* A buffer with more room than this is not kept for another page. */
enum { KEEP_MAX = 256 * 1024 };

void body_budget_init(struct body_budget *budget, size_t bytes)
{
    *budget = (struct body_budget){.bytes = bytes};
    pthread_mutex_init(&budget->lock, NULL);
}

void body_budget_release(struct body_budget *budget)
{
    pthread_mutex_destroy(&budget->lock);
}

void body_budget_hold(struct body_budget *budget, size_t bytes)
{
    pthread_mutex_lock(&budget->lock);
    budget->used += bytes;
    pthread_mutex_unlock(&budget->lock);
}

void body_budget_drop(struct body_budget *budget, size_t bytes)
{
    pthread_mutex_lock(&budget->lock);
    budget->used -= bytes;
    pthread_mutex_unlock(&budget->lock);
}

void bodies_init(struct bodies *bodies, struct body_budget *budget)
{
    *bodies = (struct bodies){.budget = budget};
}

void bodies_release(struct bodies *bodies)
{
    bodies_stop_waiting(bodies);
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

/* False where the body has to wait. */
static bool reserve(struct bodies *bodies, const struct buf *body, size_t bytes)
{
    struct body_budget *budget = bodies->budget;
    bool good = true;

    pthread_mutex_lock(&budget->lock);
    if (budget->used + bytes > budget->bytes) {
        good = !budget->leader || budget->leader == body;
        if (good)
            budget->leader = body;
    }
    if (good) {
        budget->used += bytes;
        bodies->used += bytes;
    }
    pthread_mutex_unlock(&budget->lock);
    if (!good)
        bodies_await(bodies);
    return good;
}

enum body_put bodies_put(struct bodies *bodies, struct buf *body,
                         struct str bytes)
{
    if (bytes.len > body->cap - body->len)
        return BODY_FULL;
    size_t more = beyond_small(body->len + bytes.len) - beyond_small(body->len);
    if (more && !reserve(bodies, body, more))
        return BODY_WAIT;
    if (!body->ptr)
        take_spare(bodies, body);
    buf_put(body, bytes);
    return BODY_PUT;
}

static void give_back(struct bodies *bodies, const struct buf *body,
                      size_t bytes)
{
    struct body_budget *budget = bodies->budget;

    pthread_mutex_lock(&budget->lock);
    budget->used -= bytes;
    bodies->used -= bytes;
    if (budget->leader == body)
        budget->leader = NULL;
    pthread_mutex_unlock(&budget->lock);
}

void bodies_drop(struct bodies *bodies, struct buf *body)
{
    size_t bytes = beyond_small(body->len);

    if (bytes)
        give_back(bodies, body, bytes);
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

void bodies_await(struct bodies *bodies)
{
    if (bodies->is_awaited)
        return;
    pthread_mutex_lock(&bodies->budget->lock);
    bodies->budget->waiting++;
    pthread_mutex_unlock(&bodies->budget->lock);
    bodies->is_awaited = true;
}

void bodies_stop_waiting(struct bodies *bodies)
{
    if (!bodies->is_awaited)
        return;
    pthread_mutex_lock(&bodies->budget->lock);
    bodies->budget->waiting--;
    pthread_mutex_unlock(&bodies->budget->lock);
    bodies->is_awaited = false;
}

bool bodies_have_room(const struct bodies *bodies)
{
    struct body_budget *budget = bodies->budget;

    pthread_mutex_lock(&budget->lock);
    bool has_room =
        !budget->leader || budget->used + BODY_GO_ON <= budget->bytes;
    pthread_mutex_unlock(&budget->lock);
    return has_room;
}

bool bodies_hold_up(const struct bodies *bodies)
{
    if (!bodies->used)
        return false;
    pthread_mutex_lock(&bodies->budget->lock);
    bool awaited = bodies->budget->waiting > 0;
    pthread_mutex_unlock(&bodies->budget->lock);
    return awaited;
}
