#include "report/pauses.h"

#include <stdlib.h>

#include "base/clock.h"
#include "base/hash.h"
#include "base/mem.h"
#include "report/verify_internal.h"

/* Times are rounded to milliseconds, and a resumed crawl has used two clocks.
 */
enum { ROUNDING_MS = 2 };

void pauses_init(struct pauses *pauses, uint64_t seed)
{
    *pauses = (struct pauses){.seed = seed};
    hashtable_init(&pauses->hosts);
    arena_init(&pauses->arena);
}

void pauses_release(struct pauses *pauses)
{
    hashtable_release(&pauses->hosts);
    arena_release(&pauses->arena);
    free(pauses->fetch);
}

const struct str *pauses_host(struct pauses *pauses, struct str name)
{
    uint64_t key = hash64(name, pauses->seed);
    struct str *host = hashtable_get(&pauses->hosts, key);

    if (!host) {
        host = arena_new(&pauses->arena, sizeof(*host));
        *host = arena_copy(&pauses->arena, name);
        hashtable_put(&pauses->hosts, key, host);
    }
    return host;
}

void pauses_add(struct pauses *pauses, const struct pause_fetch *fetch)
{
    pauses->fetch = mem_grow(pauses->fetch, pauses->count, &pauses->room,
                             sizeof(*pauses->fetch));
    pauses->fetch[pauses->count++] = *fetch;
}

/* --- the check ---------------------------------------------------------- */

static int compare(const void *a, const void *b)
{
    const struct pause_fetch *one = a, *other = b;

    if (one->host != other->host)
        return !one->host     ? -1
               : !other->host ? 1
                              : strcmp(one->host->ptr, other->host->ptr);
    if (one->start_ms != other->start_ms)
        return one->start_ms < other->start_ms ? -1 : 1;
    return 0;
}

/* When pauses of a host end: the `max` latest times, ascending. There are fewer
 * if there were fewer fetches. */
struct latest {
    uint64_t *end_ms;
    size_t count, max;
};

/* Most ends come in order, so the search from the back is short. */
static void add_end(struct latest *latest, uint64_t end_ms)
{
    uint64_t *end = latest->end_ms;
    size_t at = latest->count;

    while (at && end[at - 1] > end_ms)
        at--;
    if (latest->count < latest->max) {
        memmove(&end[at + 1], &end[at], (latest->count - at) * sizeof(*end));
        end[at] = end_ms;
        latest->count++;
    } else if (at) {
        memmove(&end[0], &end[1], (at - 1) * sizeof(*end));
        end[at - 1] = end_ms;
    }
}

static void check_start(const struct pause_fetch *fetch,
                        const struct latest *latest, struct findings *findings)
{
    struct str name = *fetch->host;
    char at[CLOCK_ISO_LEN + 1];

    if (latest->count < latest->max ||
        fetch->start_ms + ROUNDING_MS >= latest->end_ms[0])
        return;
    clock_format_iso(fetch->start_ms, at);
    findings_add(findings, FINDING_PAUSE, of_crawl(),
                 "%.*s: asked at %s, %llu ms before its pause was over",
                 (int)name.len, name.ptr, at,
                 (unsigned long long)(latest->end_ms[0] - fetch->start_ms));
}

void pauses_check(struct pauses *pauses, uint32_t per_host,
                  struct findings *findings)
{
    struct latest latest = {
        .end_ms = mem_array(per_host, sizeof(*latest.end_ms)),
        .max = per_host,
    };
    const struct str *host = NULL;

    if (pauses->count)
        qsort(pauses->fetch, pauses->count, sizeof(*pauses->fetch), compare);
    for (size_t i = 0; i < pauses->count; i++) {
        const struct pause_fetch *fetch = &pauses->fetch[i];
        if (!fetch->host)
            continue;
        if (fetch->host != host)
            latest.count = 0;
        host = fetch->host;
        check_start(fetch, &latest, findings);
        /* Without a pause there is nothing to wait for. */
        if (fetch->pause_ms)
            add_end(&latest, fetch->start_ms + fetch->ms + fetch->pause_ms);
    }
    free(latest.end_ms);
}
