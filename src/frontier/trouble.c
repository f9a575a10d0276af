#include "frontier/politeness.h"

/* Hosts that do not answer, or answer only that something failed in them. */

void trouble_give_up(struct politeness *politeness, struct host *host,
                     bool https, bool by_robots, uint8_t outcome)
{
    struct host_trouble *trouble = &host->trouble;

    if (trouble->answered[!https] && !trouble->closed[!https]) {
        trouble->failures[https] = 0;
        trouble->closed[https] = true;
        trouble->closed_robots = by_robots;
        trouble->closed_outcome = outcome;
        return;
    }
    if (!trouble->dead) {
        politeness->dead_count++;
        trouble->dead_robots = by_robots;
    }
    trouble->dead = true;
    trouble->last_outcome = outcome;
}

/* One more failure in a row; true if that is too many. */
static bool count_failure(const struct politeness *politeness, uint8_t *count)
{
    if (*count < UINT8_MAX)
        ++*count;
    return politeness->options->host_tries &&
           *count >= politeness->options->host_tries;
}

bool trouble_note_silence(struct politeness *politeness, struct host *host,
                          bool https, uint8_t outcome)
{
    host->trouble.last_outcome = outcome;
    return count_failure(politeness, &host->trouble.failures[https]);
}

bool trouble_note_failed_lookup(struct politeness *politeness,
                                struct host *host, uint8_t outcome)
{
    host->trouble.last_outcome = outcome;
    return count_failure(politeness, &host->trouble.failed_lookups);
}

/* It answered, whatever it said; true if it had not before. */
static bool note_answer(struct host_trouble *trouble, bool https)
{
    bool changed = trouble->failures[https] || trouble->no_reply_count;

    trouble->answered[https] = true;
    trouble->failures[https] = trouble->no_reply_count = 0;
    return changed;
}

static void note_no_reply(struct politeness *politeness, struct host *host,
                          bool https, bool is_busy, uint8_t outcome)
{
    struct host_trouble *trouble = &host->trouble;

    trouble->last_outcome = outcome;
    if (is_busy) {
        trouble->answered[https] = true;
        trouble->failures[https] = 0;
    }
    if (politeness->options->host_tries &&
        ++trouble->no_reply_count >= FRONTIER_NO_REPLY_MAX)
        trouble_give_up(politeness, host, https, false, outcome);
}

bool trouble_note(struct politeness *politeness, struct host *host, bool https,
                  enum host_health health, uint8_t outcome)
{
    struct host_trouble *trouble = &host->trouble;

    if (health == HOST_ANSWERED) {
        bool changed = note_answer(trouble, https) || trouble->backoffs;
        trouble->errors = trouble->backoffs = 0;
        return changed;
    }
    if (health != HOST_SILENT)
        note_no_reply(politeness, host, https, health == HOST_BUSY, outcome);
    else if (trouble_note_silence(politeness, host, https, outcome))
        trouble_give_up(politeness, host, https, false, outcome);
    return true;
}

/* --- 5xx: a row of such answers is the host's fault, not the page's ------- */

static void count_backoff(struct host *host, uint64_t ended_ms)
{
    if (!host->trouble.backoffs)
        host->trouble.backoff_since_ms = ended_ms;
    /* Fetches that overlap end together: one reason to rest, not many. */
    else if (host->next_ms > ended_ms)
        return;
    if (host->trouble.backoffs < FRONTIER_BACKOFFS_MAX)
        host->trouble.backoffs++;
}

bool trouble_note_error(struct politeness *politeness, struct host *host,
                        bool https, uint8_t outcome, uint64_t ended_ms)
{
    struct host_trouble *trouble = &host->trouble;
    bool changed = note_answer(trouble, https);

    if (trouble->errors < FRONTIER_ERRORS_MAX)
        trouble->errors++;
    if (trouble->errors < FRONTIER_ERRORS_MAX)
        return changed;
    trouble->last_outcome = outcome;
    count_backoff(host, ended_ms);
    if (politeness->options->host_tries &&
        ended_ms - trouble->backoff_since_ms >= FRONTIER_BACKOFF_MAX_MS)
        trouble_give_up(politeness, host, https, false, outcome);
    return true;
}

/* --- for the record --------------------------------------------------------
 */

uint8_t trouble_failures(const struct host *host)
{
    const struct host_trouble *trouble = &host->trouble;
    uint8_t most = trouble->failed_lookups;

    for (size_t i = 0; i < ARRAY_LEN(trouble->failures); i++)
        most = trouble->failures[i] > most ? trouble->failures[i] : most;
    return most;
}

uint8_t trouble_given_up(const struct host *host)
{
    const struct host_trouble *trouble = &host->trouble;
    unsigned bits = 0;

    if (trouble->dead)
        bits |= trouble->dead_robots ? GIVEN_UP_ROBOTS : GIVEN_UP_SILENT;
    if (trouble->closed[0])
        bits |= GIVEN_UP_HTTP;
    if (trouble->closed[1])
        bits |= GIVEN_UP_HTTPS;
    if (trouble->closed_robots)
        bits |= GIVEN_UP_SCHEME_ROBOTS;
    return (uint8_t)bits;
}

void trouble_restore(struct politeness *politeness, struct host *host,
                     const struct host_state *state)
{
    struct host_trouble *trouble = &host->trouble;
    bool dead = state->given_up & GIVEN_UP_HOST;

    if (dead && !trouble->dead)
        politeness->dead_count++;
    else if (!dead && trouble->dead)
        politeness->dead_count--;
    trouble->dead = dead;
    trouble->dead_robots = state->given_up & GIVEN_UP_ROBOTS;
    trouble->closed[0] = state->given_up & GIVEN_UP_HTTP;
    trouble->closed[1] = state->given_up & GIVEN_UP_HTTPS;
    trouble->closed_robots = state->given_up & GIVEN_UP_SCHEME_ROBOTS;
    trouble->closed_outcome = trouble->last_outcome = state->last_outcome;
    trouble->failures[0] = trouble->failures[1] = state->failures;
    trouble->failed_lookups = state->failures;
    trouble->no_reply_count = state->no_reply_count;
    trouble->backoffs = state->backoffs;
    trouble->errors = state->backoffs ? FRONTIER_ERRORS_MAX : 0;
    trouble->backoff_since_ms = politeness->now_ms;
}
