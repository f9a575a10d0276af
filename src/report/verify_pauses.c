#include <stdlib.h>

#include "base/date.h"
#include "base/mem.h"
#include "report/verify_internal.h"

/* Was a host ever asked before its pause was over? The recorded times of all
 * fetches from it show that: pages, sitemaps, requisites and robots.txt alike.
 *
 * A crawl keeps this rule: a fetch begins when fewer than `per_host` are in
 * flight and all pauses that it knows of are over. It may not know yet that a
 * fetch has ended, but then that one counts as in flight. So at any start fewer
 * than `per_host` of the fetches before it have not had their pause. */

/* Times are rounded to milliseconds, and a resumed crawl has used two clocks.
 */
enum { ROUNDING_MS = 2 };

/* A fetch; its host may become known later. There is one for every fetch, so it
 * is small. */
struct verify_fetch {
    uint64_t start_ms;
    uint32_t ms;       /* how long it took */
    uint32_t pause_ms; /* that the host is given after it */
    uint32_t number;   /* of the URL, to find the host by; 0: it is known */
    const struct str *host; /* verify_host; NULL: it is not known */
};

const struct str *verify_host(struct verify *verify, struct str name)
{
    return report_entry(&verify->hosts, &verify->arena, name, verify->seed,
                        sizeof(struct str));
}

static uint32_t u32(uint64_t value)
{
    return value < UINT32_MAX ? (uint32_t)value : UINT32_MAX;
}

void verify_add_fetch(struct verify *verify, uint64_t start_ms, uint64_t end_ms,
                      uint64_t pause_ms, uint32_t number,
                      const struct str *host)
{
    verify->fetch = mem_grow(verify->fetch, verify->fetches,
                             &verify->fetch_room, sizeof(*verify->fetch));
    verify->fetch[verify->fetches++] = (struct verify_fetch){
        .start_ms = start_ms,
        .ms = end_ms > start_ms ? u32(end_ms - start_ms) : 0,
        .pause_ms = u32(pause_ms),
        .number = number,
        .host = host,
    };
}

/* --- the check ---------------------------------------------------------- */

static uint64_t pause_end_ms(const struct verify_fetch *fetch)
{
    return fetch->start_ms + fetch->ms + fetch->pause_ms;
}

/* By host, then by time; fetches without a host come first. Of several that
 * began in one millisecond the one whose pause is over first came first. */
static int compare(const void *a, const void *b)
{
    const struct verify_fetch *one = a, *other = b;

    if (one->host != other->host)
        return !one->host     ? -1
               : !other->host ? 1
                              : strcmp(one->host->ptr, other->host->ptr);
    if (one->start_ms != other->start_ms)
        return one->start_ms < other->start_ms ? -1 : 1;
    uint64_t one_ms = pause_end_ms(one), other_ms = pause_end_ms(other);
    return (one_ms > other_ms) - (one_ms < other_ms);
}

/* When pauses of a host end: the `max` latest times, ascending. There are fewer
 * if there were fewer fetches. */
struct latest {
    uint64_t *end_ms;
    size_t count, max;
    uint64_t start_ms; /* of the last fetch */
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

static void check_start(struct verify *verify, const struct verify_fetch *fetch,
                        const struct latest *latest)
{
    if (latest->count < latest->max ||
        fetch->start_ms + ROUNDING_MS >= latest->end_ms[0])
        return;
    verify_found(verify, FAULT_PAUSE,
                 "%.*s: asked at %s, %llu ms before its pause was over",
                 STR_ARGS(*fetch->host), date_iso(fetch->start_ms).text,
                 (unsigned long long)(latest->end_ms[0] - fetch->start_ms));
}

void verify_pauses(struct verify *verify, uint32_t per_host)
{
    struct latest latest = {
        .end_ms = mem_array(per_host, sizeof(*latest.end_ms)),
        .max = per_host,
    };
    const struct str *host = NULL;

    for (size_t i = 0; i < verify->fetches; i++)
        if (verify->fetch[i].number)
            verify->fetch[i].host = verify->url[verify->fetch[i].number].host;
    if (verify->fetches)
        qsort(verify->fetch, verify->fetches, sizeof(*verify->fetch), compare);
    for (size_t i = 0; i < verify->fetches; i++) {
        const struct verify_fetch *fetch = &verify->fetch[i];
        if (!fetch->host)
            continue;
        /* Another host; or an order ended the pauses before it. */
        if (fetch->host != host ||
            hand_orders_change_pause(&verify->orders, *host, latest.start_ms,
                                     fetch->start_ms + ROUNDING_MS))
            latest.count = 0;
        host = fetch->host;
        check_start(verify, fetch, &latest);
        latest.start_ms = fetch->start_ms;
        /* Without a pause there is nothing to wait for. */
        if (fetch->pause_ms)
            add_end(&latest, pause_end_ms(fetch));
    }
    free(latest.end_ms);
}
