#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <unistd.h>

#include "base/io.h"
#include "base/terminal.h"
#include "cli/fleet_plan.h"
#include "cli/plan.h"
#include "cli/usage.h"
#include "fleet/engine_postgres.h"

enum {
    LOOK_MS = 250,
    TRIES = 8,                       /* of a new machine */
    SAY_AGAIN = 60 * 1000 / LOOK_MS, /* a line a minute */
};

bool fleet_may_try(const struct fleet_plan *fleet, int tries,
                   const struct fleet_error *why)
{
    if (!tries)
        return true;
    if (tries >= TRIES && !fleet->is_known)
        return false;
    if (tries % SAY_AGAIN == TRIES)
        terminal_line(stderr, "crawler: %s is away (%s); it is waited for",
                      fleet->label, why->text);
    poll(NULL, 0, LOOK_MS);
    return true;
}

enum fleet_result fleet_look(const struct fleet_plan *fleet,
                             struct fleet_snapshot *snapshot,
                             struct arena *arena, struct fleet_error *why)
{
    enum fleet_result result = FLEET_AWAY;

    for (int tries = 0;
         result == FLEET_AWAY && fleet_may_try(fleet, tries, why); tries++)
        result =
            fleet->engine->type->look(fleet->engine, 0, snapshot, arena, why);
    return result;
}

/* Wait until the engine can be reached. False: a signal came. */
static bool wait_for_engine(struct plan *plan)
{
    struct fleet_engine *engine = plan->fleet.side;
    struct pollfd fd = {.fd = plan->crawl.signal_fd, .events = POLLIN};
    struct fleet_snapshot snapshot;
    struct fleet_error why;
    enum fleet_result result = FLEET_AWAY;
    struct arena arena;

    /* There is no lease any more that could be over too soon. */
    engine_postgres_hurry(engine, NULL, NULL);
    arena_init(&arena);
    while (result == FLEET_AWAY && poll(&fd, 1, LOOK_MS) <= 0) {
        arena_clear(&arena);
        result = engine->type->look(engine, 0, &snapshot, &arena, &why);
    }
    arena_release(&arena);
    return result != FLEET_AWAY;
}

enum { WORDS_MAX = 1 << 20 };

static void start_again(void)
{
    struct buf words;
    char *argv[4096];
    size_t count = 0;

    buf_init(&words, WORDS_MAX);
    int fd = open("/proc/self/cmdline", O_RDONLY | O_CLOEXEC);
    if (fd < 0 || !io_read_all(fd, &words))
        return;
    for (size_t at = 0; at < words.len; at += strlen(words.ptr + at) + 1) {
        if (count == ARRAY_LEN(argv) - 1) {
            errno = E2BIG; /* without the rest it would be another command */
            return;
        }
        argv[count++] = words.ptr + at;
    }
    argv[count] = NULL;
    execv("/proc/self/exe", argv);
}

int fleet_rejoin(struct plan *plan)
{
    if (plan->fleet.side && !wait_for_engine(plan))
        return CRAWL_STOPPED;
    start_again();
    complain("cannot start again: %s", strerror(errno));
    return CRAWL_FAILED;
}
