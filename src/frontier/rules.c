#include "frontier/rules.h"

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

static void leave_list(struct rules *rules, struct host_robots *robots)
{
    if (robots->older)
        robots->older->newer = robots->newer;
    else
        rules->oldest = robots->newer;
    if (robots->newer)
        robots->newer->older = robots->older;
    else
        rules->newest = robots->older;
}

void rules_drop(struct rules *rules, struct host_robots *robots)
{
    size_t size = size_of(robots);

    if (size) {
        rules->bytes -= size;
        leave_list(rules, robots);
    }
    robots_free(robots->rules);
    *robots = (struct host_robots){0};
}

void rules_set(struct rules *rules, struct host_robots *robots,
               struct robots *set)
{
    rules_drop(rules, robots);
    robots->rules = set;
    size_t size = size_of(robots);
    if (!size)
        return;
    robots->older = rules->newest;
    if (rules->newest)
        rules->newest->newer = robots;
    else
        rules->oldest = robots;
    rules->newest = robots;
    rules->bytes += size;
    while (rules->bytes > RULES_BYTES_MAX && rules->oldest != robots)
        rules_drop(rules, rules->oldest);
}
