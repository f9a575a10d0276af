/* For cmocka: `*state` is an arena. */
#ifndef TESTS_SUPPORT_ARENA_STATE_H
#define TESTS_SUPPORT_ARENA_STATE_H

#include "base/mem.h"

static inline int setup(void **state)
{
    static struct arena arena;

    arena_init(&arena);
    *state = &arena;
    return 0;
}

static inline int teardown(void **state)
{
    arena_release(*state);
    return 0;
}

#endif
