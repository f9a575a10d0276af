/* Mail that is under way does not hold up levels and the end: nobody is seen to
 * have sent or taken any. */
#include <string.h>

#include "fleet/member.h"

bool __real_member_answer(struct member *member,
                          const struct fleet_commit *commit,
                          const struct fleet_answer *answer,
                          const struct member_times *times,
                          struct member_todo *todo, struct arena *arena);
bool __wrap_member_answer(struct member *member,
                          const struct fleet_commit *commit,
                          const struct fleet_answer *answer,
                          const struct member_times *times,
                          struct member_todo *todo, struct arena *arena);

bool __wrap_member_answer(struct member *member,
                          const struct fleet_commit *commit,
                          const struct fleet_answer *answer,
                          const struct member_times *times,
                          struct member_todo *todo, struct arena *arena)
{
    size_t nodes = answer->snapshot.nodes;
    struct fleet_answer mutated = *answer;
    struct fleet_node *node = arena_new(arena, nodes * sizeof(*node));

    memcpy(node, answer->snapshot.node, nodes * sizeof(*node));
    for (size_t i = 0; i < nodes; i++)
        node[i].sent = node[i].taken = 0;
    mutated.snapshot.node = node;
    return __real_member_answer(member, commit, &mutated, times, todo, arena);
}
