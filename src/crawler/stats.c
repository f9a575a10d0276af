#include "crawler/stats.h"

void stats_add_tally(struct stats *stats, const struct tally *tally)
{
    for (int i = 0; i < VERDICTS; i++)
        stats->links.verdict[i] += tally->verdict[i];
}

uint64_t stats_failed(const struct stats *stats)
{
    uint64_t failed = 0;

    for (int i = 0; i < OUTCOMES; i++)
        if (i != FETCHED && i != REDIRECTED)
            failed += stats->outcome[i];
    return failed;
}
