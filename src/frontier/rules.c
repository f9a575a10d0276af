#include "frontier/internal.h"

enum {
    RULES_BYTES_MAX = 32 << 20,
    /* Hosts are at least as large, and bounded otherwise. */
    SMALL_MAX = 4096,
};

static size_t size_of(const struct host_robots *robots)
{
    size_t size = robots->rules ? robots_size(robots->rules) : 0;

    return size > SMALL_MAX ? size : 0;
}

static void leave_list(struct frontier *frontier, struct host_robots *robots)
{
    if (robots->older)
        robots->older->newer = robots->newer;
    else
        frontier->rules_oldest = robots->newer;
    if (robots->newer)
        robots->newer->older = robots->older;
    else
        frontier->rules_newest = robots->older;
    robots->older = robots->newer = NULL;
}

void rules_drop(struct frontier *frontier, struct host_robots *robots)
{
    size_t size = size_of(robots);

    if (size) {
        frontier->rules_bytes -= size;
        leave_list(frontier, robots);
    }
    robots_free(robots->rules);
    robots->rules = NULL;
    robots->costly = false;
    robots->until_ms = robots->foreseen = 0;
}

void rules_set(struct frontier *frontier, struct host_robots *robots,
               struct robots *rules)
{
    rules_drop(frontier, robots);
    robots->rules = rules;
    size_t size = size_of(robots);
    if (!size)
        return;
    robots->older = frontier->rules_newest;
    if (frontier->rules_newest)
        frontier->rules_newest->newer = robots;
    else
        frontier->rules_oldest = robots;
    frontier->rules_newest = robots;
    frontier->rules_bytes += size;
    while (frontier->rules_bytes > RULES_BYTES_MAX &&
           frontier->rules_oldest != robots)
        rules_drop(frontier, frontier->rules_oldest);
}
