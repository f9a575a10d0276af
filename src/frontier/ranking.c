#include "frontier/ranking.h"

#include "frontier/frontier.h"
#include "frontier/host.h"

enum { NOVELTY = 1000, NOVELTY_STEP = 10, FOUND_URL = 100 };

/* A robots.txt that moved, requisites, pages and sitemaps. */
static unsigned class_of(const struct target *target)
{
    return target->kind == TARGET_ROBOTS      ? 0
           : target->kind == TARGET_REQUISITE ? 1
                                              : 2;
}

/* --- breadth-first: the smaller depth, then the older ------------------- */

static bool is_shallower(const struct target *a, const struct target *b)
{
    if (a->kind != b->kind && class_of(a) != class_of(b))
        return class_of(a) < class_of(b);
    if (a->depth != b->depth)
        return a->depth < b->depth;
    return partition_is_older(a->number, b->number);
}

static bool target_shallower(const struct heap_node *a,
                             const struct heap_node *b)
{
    return is_shallower(target_of(a), target_of(b));
}

static bool host_shallower(const struct heap_node *a, const struct heap_node *b)
{
    return is_shallower(host_best(host_of(a)), host_best(host_of(b)));
}

static bool domain_shallower(const struct heap_node *a,
                             const struct heap_node *b)
{
    return is_shallower(domain_best(domain_of(a)), domain_best(domain_of(b)));
}

static bool unresolved_shallower(const struct heap_node *a,
                                 const struct heap_node *b)
{
    return is_shallower(active_best_unresolved(active_of(a)),
                        active_best_unresolved(active_of(b)));
}

static bool has_turn_before(const struct host *a, const struct host *b)
{
    return a->turn < b->turn;
}

static bool has_level_before(const struct host *a, const struct host *b)
{
    uint32_t depth_a = host_best(a)->depth, depth_b = host_best(b)->depth;

    return depth_a != depth_b ? depth_a < depth_b : has_turn_before(a, b);
}

static bool turn_shallower(const struct heap_node *a, const struct heap_node *b)
{
    return has_level_before(host_of(a), host_of(b));
}

static bool address_shallower(const struct heap_node *a,
                              const struct heap_node *b)
{
    return has_level_before(address_first(address_of(a)),
                            address_first(address_of(b)));
}

/* --- by score: inside a domain its own terms are equal ------------------ */

static bool is_wanted_more(const struct target *a, const struct target *b)
{
    if (a->kind != b->kind && class_of(a) != class_of(b))
        return class_of(a) < class_of(b);
    if (a->found != b->found)
        return a->found > b->found;
    return partition_is_older(a->number, b->number);
}

static bool target_wanted_more(const struct heap_node *a,
                               const struct heap_node *b)
{
    return is_wanted_more(target_of(a), target_of(b));
}

static bool host_wanted_more(const struct heap_node *a,
                             const struct heap_node *b)
{
    return is_wanted_more(host_best(host_of(a)), host_best(host_of(b)));
}

uint64_t ranking_score_domain(const struct domain_score *score)
{
    uint64_t step = (uint64_t)score->crawled * NOVELTY_STEP;

    return (step < NOVELTY ? NOVELTY - step : 0) + score->found;
}

static uint64_t target_score(const struct target *target)
{
    return ranking_score_domain(&target->host->domain->score) +
           (uint64_t)target->found * FOUND_URL;
}

static bool scores_more(const struct target *a, const struct target *b)
{
    uint64_t score_a = target_score(a), score_b = target_score(b);

    if (a->kind != b->kind && class_of(a) != class_of(b))
        return class_of(a) < class_of(b);
    return score_a != score_b ? score_a > score_b
                              : partition_is_older(a->number, b->number);
}

static bool domain_scores_more(const struct heap_node *a,
                               const struct heap_node *b)
{
    return scores_more(domain_best(domain_of(a)), domain_best(domain_of(b)));
}

static bool unresolved_scores_more(const struct heap_node *a,
                                   const struct heap_node *b)
{
    return scores_more(active_best_unresolved(active_of(a)),
                       active_best_unresolved(active_of(b)));
}

static bool turn_before(const struct heap_node *a, const struct heap_node *b)
{
    return has_turn_before(host_of(a), host_of(b));
}

static bool address_before(const struct heap_node *a, const struct heap_node *b)
{
    return has_turn_before(address_first(address_of(a)),
                           address_first(address_of(b)));
}

/* ------------------------------------------------------------------------ */

static const struct ranking rankings[] = {
    [RANKING_BFS] =
        {
            .by_level = true,
            .target = target_shallower,
            .host = host_shallower,
            .domain = domain_shallower,
            .unresolved = unresolved_shallower,
            .turn = turn_shallower,
            .address = address_shallower,
            .before = is_shallower,
        },
    [RANKING_PRIORITY] =
        {
            .target = target_wanted_more,
            .host = host_wanted_more,
            .domain = domain_scores_more,
            .unresolved = unresolved_scores_more,
            .turn = turn_before,
            .address = address_before,
            .before = scores_more,
        },
};

void ranking_init(struct ranking *ranking, enum ranking_kind kind)
{
    *ranking = rankings[kind];
}

uint64_t ranking_score(const struct ranking *ranking,
                       const struct target *target)
{
    return ranking->by_level ? FRONTIER_BFS_SCORE : target_score(target);
}
