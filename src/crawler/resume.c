#include "crawler/resume.h"

#include <stdio.h>
#include <stdlib.h>

#include "base/mem.h"
#include "crawler/counters.h"
#include "crawler/retry.h"
#include "url/course.h"
#include "url/key.h"

/* A clock that was set back must not stop a crawl: nothing waits longer than
 * it would have waited from the beginning. */
enum { TROUBLE_MAX_MS = 3600 * 1000 };

/* Numbers are given without gaps, so they are indices. */
enum { NUMBER_SLACK = 1000 };

/* What is known of a URL before its own row comes. */
struct fate {
    uint32_t more;          /* place in the list, + 1; 0: nothing */
    uint8_t fetches, tries; /* with, and without those that we ended */
    bool over;
    bool answered; /* by a server, whatever it said */
};

struct more {
    bool changed;
    uint32_t depth, referrer, found;
    uint64_t due_ms, clock_ms; /* of the monotonic clock */
};

struct loader {
    const struct resume_options *options;
    struct validator *validator;
    struct resumed *resumed;
    struct arena arena; /* of one URL */
    struct fate *fate;
    uint64_t fates;
    struct more *more;
    size_t more_count, more_room;
};

/* --- time --------------------------------------------------------------- */

/* A time to come, by our clock, at most `max_ms` from now; 0 where it is
 * over. */
static uint64_t future(const struct loader *loader, uint64_t wall_ms,
                       uint64_t max_ms)
{
    const struct resume_options *options = loader->options;

    if (wall_ms <= options->wall_ms || !max_ms)
        return 0;
    uint64_t wait_ms = wall_ms - options->wall_ms;
    return options->now_ms + (wait_ms < max_ms ? wait_ms : max_ms);
}

static void note_time(struct loader *loader, uint64_t wall_ms)
{
    const struct resume_options *options = loader->options;
    uint64_t ago = wall_ms < options->wall_ms ? options->wall_ms - wall_ms : 0;

    if (ago < options->now_ms &&
        loader->resumed->last_ms < options->now_ms - ago)
        loader->resumed->last_ms = options->now_ms - ago;
}

/* --- the fates of URLs -------------------------------------------------- */

static bool begin(void *user, uint64_t urls, uint64_t last_number)
{
    struct loader *loader = user;

    if (last_number > urls + NUMBER_SLACK)
        return false;
    loader->fates = last_number + 1;
    loader->fate = mem_array(loader->fates, sizeof(*loader->fate));
    frontier_restore_number(loader->validator->frontier, last_number);
    return true;
}

static struct more *more_of(struct loader *loader, struct fate *fate)
{
    if (fate->more)
        return &loader->more[fate->more - 1];
    if (loader->more_count == loader->more_room) {
        loader->more_room = loader->more_room ? 2 * loader->more_room : 64;
        loader->more =
            mem_resize(loader->more, loader->more_room * sizeof(*loader->more));
    }
    struct more *more = &loader->more[loader->more_count++];
    *more = (struct more){0};
    fate->more = (uint32_t)loader->more_count;
    return more;
}

static bool load_change(void *user, const struct store_change *row)
{
    struct loader *loader = user;

    if (row->number >= loader->fates)
        return false;
    if (row->depth > row->number)
        return false;
    struct more *more = more_of(loader, &loader->fate[row->number]);
    more->changed = true;
    more->depth = row->depth;
    more->referrer = row->referrer;
    more->found = row->found;
    return true;
}

/* As it was when it ended: crawler/judge.c, note_health. */
static bool is_answer(unsigned outcome)
{
    return outcome < OUTCOMES && outcome != ABANDONED &&
           !retry_is_worthwhile((enum outcome)outcome);
}

static bool load_fetch(void *user, const struct store_fetch *row)
{
    struct loader *loader = user;

    if (row->number >= loader->fates)
        return false;
    struct fate *fate = &loader->fate[row->number];
    uint64_t wait_ms =
        row->due_ms > row->end_ms ? row->due_ms - row->end_ms : 0;
    uint64_t due_ms = future(loader, row->due_ms, wait_ms);
    uint64_t clock_ms =
        future(loader, row->end_ms + row->pause_ms, row->pause_ms);
    if (fate->fetches < UINT8_MAX)
        fate->fetches++;
    if (fate->tries < UINT8_MAX && row->outcome != ABANDONED)
        fate->tries++;
    if (!row->due_ms)
        fate->over = true;
    fate->answered |= row->status || is_answer(row->outcome);
    if (due_ms || clock_ms) {
        struct more *more = more_of(loader, fate);
        more->due_ms = due_ms;
        more->clock_ms = clock_ms;
    }
    if (row->page > loader->resumed->last_page)
        loader->resumed->last_page = row->page;
    note_time(loader, row->end_ms);
    return true;
}

static bool load_refusal(void *user, const struct store_refusal *row)
{
    struct loader *loader = user;

    if (row->number >= loader->fates)
        return false;
    loader->fate[row->number].over = true;
    return true;
}

/* --- URLs --------------------------------------------------------------- */

/* The text is as we would write it, or it is not ours. Only the course keeps
 * a default port that was written. */
static bool parse(struct loader *loader, struct str text, struct url *url)
{
    arena_clear(&loader->arena);
    if (url_parse(url, &loader->arena, text, NULL, NULL))
        return false;
    if (!str_eq(url->href, text))
        course_normalize(url, &loader->arena);
    return str_eq(url->href, text);
}

static void put_back(struct loader *loader, const struct store_url *row,
                     const struct url *url, uint64_t fingerprint)
{
    const struct fate *fate = &loader->fate[row->number];
    const struct more none = {0};
    const struct more *more =
        fate->more ? &loader->more[fate->more - 1] : &none;
    const struct offer offer = {
        .url = url,
        .fingerprint = fingerprint,
        .depth = more->changed ? more->depth : row->depth,
        .referrer_id = more->changed ? more->referrer : row->referrer,
        .found = more->changed ? more->found : row->found,
        .redirects = row->redirects,
        .kind = (enum target_kind)row->kind,
    };
    const struct target_past past = {
        .number = row->number,
        .tries = fate->tries,
        .due_ms = more->due_ms,
    };

    /* A state that was tampered with may have a URL twice. */
    if (!fate->over &&
        !frontier_find(loader->validator->frontier, fingerprint) &&
        !seen_is_marked(&loader->validator->seen, fingerprint))
        frontier_restore(loader->validator->frontier, &offer, &past,
                         loader->options->now_ms);
    if (more->clock_ms)
        frontier_restore_clock(loader->validator->frontier, url, more->clock_ms,
                               loader->options->now_ms);
}

/* A shorter way to something that waited out of memory. */
static void found_again(struct loader *loader, const struct store_url *row,
                        const struct url *url, uint64_t fingerprint)
{
    const struct offer offer = {
        .url = url,
        .fingerprint = fingerprint,
        .depth = row->depth,
        .referrer_id = row->referrer,
    };

    frontier_found_again(loader->validator->frontier, &offer);
}

static bool load_url(void *user, const struct store_url *row)
{
    struct loader *loader = user;
    struct url url;

    /* On the way to a depth there is a URL for each that is smaller. */
    if (row->number >= loader->fates || row->verdict >= VERDICTS ||
        row->kind > TARGET_SITEMAP || row->depth > row->number ||
        !parse(loader, row->url, &url))
        return false;
    uint64_t fingerprint =
        url_fingerprint(&url, loader->options->fingerprint_seed);
    if (row->kind == TARGET_SITEMAP) {
        fingerprint = ~fingerprint;
        loader->resumed->sitemaps += row->verdict == ACCEPT && !row->via;
    }
    if (row->verdict == DUPLICATE) {
        found_again(loader, row, &url, fingerprint);
        return true;
    }
    validator_restore(loader->validator, fingerprint,
                      (enum verdict)row->verdict);
    if (row->verdict != ACCEPT)
        return true;
    if (row->kind == TARGET_PAGE)
        frontier_restore_fetches(loader->validator->frontier, &url,
                                 loader->fate[row->number].fetches,
                                 loader->options->now_ms);
    if (loader->fate[row->number].answered)
        frontier_restore_answered(loader->validator->frontier, &url);
    put_back(loader, row, &url, fingerprint);
    return true;
}

/* --- hosts and domains -------------------------------------------------- */

static bool parse_with(struct loader *loader, const char *scheme,
                       struct str name, struct url *url)
{
    char text[URL_LEN_MAX + 32];

    if (name.len > URL_LEN_MAX)
        return false;
    int len = snprintf(text, sizeof(text), "%s://%.*s/", scheme, (int)name.len,
                       name.ptr);
    return parse(loader, (struct str){text, (size_t)len}, url);
}

/* "example.org:80" is a host of https, and only of that. */
static bool parse_name(struct loader *loader, bool https, struct str name,
                       struct url *url)
{
    return parse_with(loader, https ? "https" : "http", name, url) ||
           parse_with(loader, https ? "http" : "https", name, url);
}

static bool load_domain(void *user, const struct store_domain *row)
{
    struct loader *loader = user;
    struct url url;

    if (!parse_name(loader, false, row->name, &url))
        return true; /* no host can have it */
    frontier_restore_found(loader->validator->frontier, &url, row->found);
    return true;
}

static bool load_host(void *user, const struct store_host *row)
{
    struct loader *loader = user;
    const struct host_state state = {
        .failures = row->failures,
        .mute = row->mute,
        .given_up = row->given_up,
        .cause = row->outcome,
        .next_ms = future(loader, row->until_ms, TROUBLE_MAX_MS),
    };
    struct url url;

    if (row->outcome >= OUTCOMES || !parse_name(loader, false, row->name, &url))
        return false;
    frontier_restore_host(loader->validator->frontier, &url, &state,
                          loader->options->now_ms);
    return true;
}

static bool load_robots(void *user, const struct store_robots *row)
{
    struct loader *loader = user;
    const struct resume_options *options = loader->options;
    struct frontier *frontier = loader->validator->frontier;
    uint64_t until_ms = future(loader, row->until_ms, FRONTIER_ROBOTS_KEPT_MS);
    uint64_t clock_ms =
        future(loader, row->end_ms + row->pause_ms, row->pause_ms);
    struct url url;

    note_time(loader, row->end_ms);
    if (clock_ms) {
        if (!parse(loader, row->url, &url))
            return false;
        frontier_restore_clock(frontier, &url, clock_ms, options->now_ms);
    }
    if (!row->known || !until_ms || !options->robots_agent.len)
        return true;
    if (!parse_name(loader, row->https, row->host, &url))
        return false;
    frontier_restore_robots(
        frontier, &url,
        row->text.ptr ? robots_new(row->text, options->robots_agent) : NULL,
        until_ms, options->now_ms);
    return true;
}

static bool load_setting(void *user, const struct store_setting *row)
{
    struct loader *loader = user;
    uint64_t value;

    if (str_to_u64(row->value, &value))
        stats_set(&loader->resumed->stats, row->name, value);
    return true;
}

bool resume_load(struct store *store, struct validator *validator,
                 const struct resume_options *options, struct resumed *resumed,
                 struct store_error *error)
{
    struct loader loader = {
        .options = options,
        .validator = validator,
        .resumed = resumed,
    };
    const struct store_reader reader = {
        .user = &loader,
        .begin = begin,
        .setting = load_setting,
        .domain = load_domain,
        .robots = load_robots,
        .host = load_host,
        .change = load_change,
        .fetch = load_fetch,
        .refusal = load_refusal,
        .url = load_url,
    };

    *resumed = (struct resumed){0};
    arena_init(&loader.arena);
    bool good = store_load(store, &reader, error);
    arena_release(&loader.arena);
    free(loader.fate);
    free(loader.more);
    return good;
}
