#include "frontier/internal.h"

/* A host that answers nothing but 5xx. One page may have a fault of its own,
 * and is tried again like any other. A row of such answers is the host's fault:
 * it is overloaded or down, and more requests make that worse. */

/* Fetches that overlap end together; they are one reason to rest, not many. */
static bool has_rested(const struct host *host, uint64_t now_ms)
{
    return host->next_ms <= now_ms;
}

static void count_backoff(struct host *host, uint64_t now_ms)
{
    if (!host->backoffs)
        host->backoff_since_ms = now_ms;
    else if (!has_rested(host, now_ms))
        return;
    if (host->backoffs < FRONTIER_BACKOFFS_MAX)
        host->backoffs++;
}

void frontier_note_error(struct frontier *frontier, struct target *target,
                         uint8_t cause, uint64_t now_ms)
{
    struct host *host = target->host;
    bool https = target_is_https(target);

    if (host->failures[https] || host->mute)
        changed_host(frontier, host);
    host->answered[https] = true;
    host->failures[https] = host->mute = 0;
    if (host->errors < FRONTIER_ERRORS_MAX)
        host->errors++;
    if (host->errors < FRONTIER_ERRORS_MAX)
        return;
    host->cause = cause;
    count_backoff(host, now_ms);
    changed_host(frontier, host);
    if (frontier->options.host_tries &&
        now_ms - host->backoff_since_ms >= FRONTIER_BACKOFF_MAX_MS)
        give_up(frontier, host, https, false, cause);
}

void end_errors(struct frontier *frontier, struct host *host)
{
    if (host->backoffs)
        changed_host(frontier, host);
    host->errors = host->backoffs = 0;
}

void restore_backoffs(struct host *host, unsigned backoffs, uint64_t now_ms)
{
    host->backoffs = (uint8_t)backoffs;
    host->errors = backoffs ? FRONTIER_ERRORS_MAX : 0;
    host->backoff_since_ms = now_ms;
}

unsigned frontier_backoffs(const struct target *target)
{
    return target->host->backoffs;
}
