/* A machine goes on when its lease is over. */
#include "fleet/member.h"

bool __wrap_lease_may_go_on(struct lease lease, uint64_t now_ms);
bool __wrap_member_may_fetch(const struct member *member, struct lease lease,
                             uint64_t now_ms);
enum lease_news __wrap_member_look_at_lease(struct member *member,
                                            struct lease lease,
                                            uint64_t now_ms);

bool __wrap_lease_may_go_on(struct lease lease, uint64_t now_ms)
{
    (void)lease;
    (void)now_ms;
    return true;
}

bool __wrap_member_may_fetch(const struct member *member, struct lease lease,
                             uint64_t now_ms)
{
    (void)member;
    (void)lease;
    (void)now_ms;
    return true;
}

enum lease_news __wrap_member_look_at_lease(struct member *member,
                                            struct lease lease, uint64_t now_ms)
{
    (void)member;
    (void)lease;
    (void)now_ms;
    return LEASE_NO_NEWS;
}
