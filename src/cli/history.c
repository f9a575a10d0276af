#include "cli/history.h"

#include <stdlib.h>

#include "base/hash.h"
#include "base/mem.h"
#include "frontier/target.h"

/* Numbers are given without gaps, or almost; see crawler/resume.c. */
enum { NUMBER_SLACK = 1000 };

struct mark {
    uint64_t key;   /* fingerprint of the page */
    uint64_t exact; /* hash of the spelling */
    uint64_t via;
    uint32_t referrer, depth, page;
    uint8_t kind, verdict;
    bool known, changed;
    bool over; /* fetched for good, or refused at its turn */
};

/* Where a URL led. */
struct redirect {
    uint64_t number, key, exact;
};

struct reading {
    struct history *history;
    struct arena arena; /* of one URL */
};

static struct mark *mark_at(const struct reading *reading, uint64_t number)
{
    const struct history *history = reading->history;

    return number < history->marks ? &history->mark[number] : NULL;
}

static uint64_t hash_exact(const struct history *history, struct str href)
{
    return hash64(href, history->scan->fingerprint_seed);
}

/* --- a few words on every URL ------------------------------------------- */

static bool begin(void *user, uint64_t urls, uint64_t last_number)
{
    struct history *history = ((struct reading *)user)->history;

    if (last_number > urls + NUMBER_SLACK)
        return false;
    history->marks = last_number + 1;
    history->mark = mem_array(history->marks, sizeof(*history->mark));
    return true;
}

static bool mark_change(void *user, const struct store_change *row)
{
    struct mark *mark = mark_at(user, row->number);

    if (!mark)
        return false;
    mark->changed = true;
    mark->depth = row->depth;
    mark->referrer = row->referrer;
    return true;
}

static struct redirect *new_redirect(struct history *history)
{
    if (history->redirects == history->redirect_room) {
        history->redirect_room =
            history->redirect_room ? 2 * history->redirect_room : 64;
        history->redirect =
            mem_resize(history->redirect,
                       history->redirect_room * sizeof(*history->redirect));
    }
    return &history->redirect[history->redirects++];
}

static void mark_redirect(struct reading *reading,
                          const struct store_fetch *row)
{
    struct page_link link;

    arena_clear(&reading->arena);
    if (pagescanner_link(&link, &reading->arena, row->target, NULL, NULL,
                         reading->history->scan))
        return;
    *new_redirect(reading->history) = (struct redirect){
        .number = row->number,
        .key = link.fingerprint,
        .exact = hash_exact(reading->history, link.url.href),
    };
}

static bool mark_fetch(void *user, const struct store_fetch *row)
{
    struct mark *mark = mark_at(user, row->number);

    if (!mark)
        return false;
    if (row->page)
        mark->page = row->page;
    mark->over = !row->due_ms;
    if (row->target.len)
        mark_redirect(user, row);
    return true;
}

static bool mark_refusal(void *user, const struct store_refusal *row)
{
    struct mark *mark = mark_at(user, row->number);

    if (!mark)
        return false;
    mark->over = true;
    return true;
}

static bool mark_url(void *user, const struct store_url *row)
{
    struct reading *reading = user;
    struct mark *mark = mark_at(reading, row->number);
    struct page_link link;

    arena_clear(&reading->arena);
    if (!mark || row->verdict >= VERDICTS || row->kind > TARGET_SITEMAP ||
        pagescanner_link(&link, &reading->arena, row->url, NULL, NULL,
                         reading->history->scan))
        return false;
    mark->known = true;
    mark->key = link.fingerprint;
    mark->exact = hash_exact(reading->history, row->url);
    mark->via = row->via;
    mark->kind = row->kind;
    mark->verdict = row->verdict;
    if (!mark->changed) {
        mark->depth = row->depth;
        mark->referrer = row->referrer;
    }
    return true;
}

bool history_read(struct history *history, struct store *store,
                  const struct scan_options *scan, struct store_error *error)
{
    struct reading reading = {.history = history};
    const struct store_reader reader = {
        .user = &reading,
        .begin = begin,
        .change = mark_change,
        .fetch = mark_fetch,
        .refusal = mark_refusal,
        .url = mark_url,
    };

    *history = (struct history){.scan = scan};
    arena_init(&history->arena);
    arena_init(&reading.arena);
    bool good = store_load(store, &reader, error);
    arena_release(&reading.arena);
    return good;
}

void history_release(struct history *history)
{
    free(history->mark);
    free(history->redirect);
    arena_release(&history->arena);
}

/* --- finding ------------------------------------------------------------ */

/* Refusals that do not depend on where it was found are the page's own. */
static unsigned rank(const struct mark *mark, uint64_t exact)
{
    bool own = mark->verdict == DOMAIN_CAP || mark->verdict == ROBOTS_REFUSED ||
               mark->verdict == ROBOTS_UNKNOWN || mark->verdict == HOST_DEAD;

    return (mark->kind == TARGET_PAGE ? 16u : 0) +
           (mark->verdict == ACCEPT ? 8u : 0) + (own ? 4u : 0) +
           (mark->exact == exact ? 2u : 0) + (mark->page ? 1u : 0);
}

static uint64_t find(const struct history *history, uint64_t key,
                     uint64_t exact)
{
    uint64_t found = 0;

    for (uint64_t i = 1; i < history->marks; i++)
        if (history->mark[i].known && history->mark[i].key == key &&
            (!found || rank(&history->mark[i], exact) >=
                           rank(&history->mark[found], exact)))
            found = i;
    return found;
}

uint64_t history_find(const struct history *history,
                      const struct page_link *link)
{
    return find(history, link->fingerprint,
                hash_exact(history, link->url.href));
}

uint64_t history_page(const struct history *history, uint32_t page)
{
    for (uint64_t i = 1; i < history->marks && page; i++)
        if (history->mark[i].page == page)
            return i;
    return 0;
}

uint32_t history_referrer(const struct history *history, uint64_t number)
{
    return number < history->marks ? history->mark[number].referrer : 0;
}

uint64_t history_via(const struct history *history, uint64_t number)
{
    return number < history->marks ? history->mark[number].via : 0;
}

uint64_t history_target(const struct history *history, uint64_t number)
{
    for (size_t i = 0; i < history->redirects; i++)
        if (history->redirect[i].number == number)
            return find(history, history->redirect[i].key,
                        history->redirect[i].exact);
    return 0;
}

static bool is_queued(const struct mark *mark)
{
    return mark->known && mark->verdict == ACCEPT && !mark->over;
}

uint64_t history_before(const struct history *history, uint64_t number)
{
    const struct mark *own = &history->mark[number];
    uint64_t count = 0;

    for (uint64_t i = 1; i < history->marks; i++) {
        const struct mark *mark = &history->mark[i];
        count += is_queued(mark) && (mark->depth < own->depth ||
                                     (mark->depth == own->depth && i < number));
    }
    return count;
}

/* --- all that is recorded of some --------------------------------------- */

struct filling {
    struct history *history;
    struct fate *fate;
    size_t count;
};

static struct fate *fate_of(const struct filling *filling, uint64_t number)
{
    for (size_t i = 0; i < filling->count; i++)
        if (filling->fate[i].number == number && number)
            return &filling->fate[i];
    return NULL;
}

/* A change comes before the row of its URL. */
static bool fill_change(void *user, const struct store_change *row)
{
    struct fate *fate = fate_of(user, row->number);

    if (fate) {
        fate->changed = true;
        fate->depth = row->depth;
        fate->referrer = row->referrer;
        fate->found = row->found;
    }
    return true;
}

static bool fill_fetch(void *user, const struct store_fetch *row)
{
    struct filling *filling = user;
    struct fate *fate = fate_of(filling, row->number);

    if (row->outcome >= OUTCOMES)
        return false;
    if (!fate)
        return true;
    fate->fetches++;
    fate->last = *row;
    fate->last.mime = arena_copy(&filling->history->arena, row->mime);
    fate->last.target = arena_copy(&filling->history->arena, row->target);
    return true;
}

static bool fill_refusal(void *user, const struct store_refusal *row)
{
    struct fate *fate = fate_of(user, row->number);

    if (row->verdict >= VERDICTS || row->outcome >= OUTCOMES)
        return false;
    if (fate) {
        fate->refused = true;
        fate->refusal = *row;
    }
    return true;
}

static bool fill_url(void *user, const struct store_url *row)
{
    struct filling *filling = user;
    struct fate *fate = fate_of(filling, row->number);

    if (!fate)
        return true;
    fate->row = *row;
    fate->row.url = arena_copy(&filling->history->arena, row->url);
    fate->row.host = str_first(
        str_skip(fate->row.url, (size_t)(row->host.ptr - row->url.ptr)),
        row->host.len);
    fate->row.domain = str_first(
        str_skip(fate->row.url, (size_t)(row->domain.ptr - row->url.ptr)),
        row->domain.len);
    if (!fate->changed) {
        fate->depth = row->depth;
        fate->referrer = row->referrer;
        fate->found = row->found;
    }
    return true;
}

bool history_fates(struct history *history, struct store *store,
                   struct fate *fate, size_t count, struct store_error *error)
{
    struct filling filling = {history, fate, count};
    const struct store_reader reader = {
        .user = &filling,
        .change = fill_change,
        .fetch = fill_fetch,
        .refusal = fill_refusal,
        .url = fill_url,
    };

    return store_load(store, &reader, error);
}
