#include <stdio.h>

#include "cli/commands.h"
#include "cli/usage.h"
#include "cli/why.h"

/* crawler why pageDirectory URL */

enum { LINE_MAX_LEN = 64 * 1024 };

/* --- one sentence ------------------------------------------------------- */

static enum verdict verdict_of(const struct fate *fate)
{
    if (fate->row.verdict != ACCEPT)
        return (enum verdict)fate->row.verdict;
    return fate->refused ? (enum verdict)fate->refusal.verdict : ACCEPT;
}

static bool is_done(const struct fate *fate)
{
    return fate->fetches && !fate->last.due_ms;
}

/* A fetch that was cut short when the crawl was told to stop is no try. */
static bool is_retried(const struct fate *fate)
{
    return fate->fetches && fate->last.due_ms &&
           fate->last.outcome != ABANDONED;
}

static void put_end(struct buf *line, const struct store_fetch *fetch)
{
    const struct outcome_details details = {
        .status = (int)fetch->status,
        .mime = fetch->mime,
    };

    outcome_put(line, (enum outcome)fetch->outcome, &details);
}

static void put_outcome(struct why *why, const struct fate *fate)
{
    enum outcome outcome = (enum outcome)fate->last.outcome;
    struct buf *line = &why->line;

    switch (outcome) {
    case FETCHED:
        if (fate->last.page)
            buf_printf(line, "was fetched as page %u at depth %u",
                       (unsigned)fate->last.page, (unsigned)fate->depth);
        else
            buf_put(line, STR("was read as a sitemap"));
        return;
    case REDIRECTED:
        buf_printf(line, "was redirected to %.*s", (int)fate->last.target.len,
                   fate->last.target.ptr);
        return;
    case NOT_HTML:
    case NOINDEX:
    case NOT_SITEMAP:
        buf_put(line, STR("was fetched and not kept: "));
        break;
    default:
        buf_put(line, STR("could not be fetched: "));
    }
    put_end(line, &fate->last);
}

static void put_fate(struct why *why, const struct fate *fate)
{
    enum verdict verdict = verdict_of(fate);
    struct buf *line = &why->line;

    buf_put(&why->line, fate->row.url);
    buf_put_char(line, ' ');
    if (verdict != ACCEPT) {
        buf_printf(line, "was refused: %s", verdict_text(verdict));
    } else if (is_done(fate)) {
        put_outcome(why, fate);
    } else if (is_retried(fate)) {
        buf_put(line, STR("is to be tried again at "));
        why_put_when(why, fate->last.due_ms);
    } else {
        buf_printf(line, "is queued at depth %u", (unsigned)fate->depth);
    }
}

/* --- where it comes from ------------------------------------------------ */

static struct fate *fate_of(struct why *why, uint64_t number)
{
    for (size_t i = 0; i < why->fates; i++)
        if (why->fate[i].number == number)
            return &why->fate[i];
    return NULL;
}

static bool is_seed(const struct why *why, struct str url)
{
    const struct past *past = &why->ask->plan.past;

    for (size_t i = 0; i < past->seed_count; i++)
        if (str_eq(past->seeds[i].url, url))
            return true;
    return false;
}

static void say_found(struct why *why, const struct fate *fate)
{
    uint64_t number = history_page(&why->history, fate->referrer);
    const struct fate *page = number ? fate_of(why, number) : NULL;
    struct buf *line = &why->line;

    if (fate->row.kind == TARGET_SITEMAP)
        buf_put(line, STR("as a sitemap"));
    else if (is_seed(why, fate->row.url))
        buf_put(line, STR("as a seed"));
    else if (fate->referrer)
        buf_printf(line, "on page %u%s%.*s", (unsigned)fate->referrer,
                   page ? ", " : "", page ? (int)page->row.url.len : 0,
                   page ? page->row.url.ptr : "");
    else if (fate->row.via)
        buf_put(line, STR("by a redirect from a seed"));
    else
        buf_put(line, fate->depth ? STR("on a page that was not kept")
                                  : STR("in a sitemap"));
    if (fate->found > 1)
        buf_printf(line, "; %u times in all", (unsigned)fate->found);
    why_say(why, "found");
}

/* The redirects that led here, the last first. */
static void say_before(struct why *why, const struct fate *fate)
{
    uint64_t number = history_via(&why->history, fate->number);

    for (int i = 0; number && i < HOPS_SHOWN; i++) {
        const struct fate *from = fate_of(why, number);
        if (!from || from == fate)
            return;
        buf_put(&why->line, from->row.url);
        why_say(why, i ? "before" : "from");
        number = history_via(&why->history, number);
    }
}

/* Where it led, hop by hop. */
static void say_after(struct why *why, const struct fate *fate)
{
    uint64_t number = history_target(&why->history, fate->number);

    for (int i = 0; number && i < HOPS_SHOWN; i++) {
        const struct fate *to = fate_of(why, number);
        if (!to || to == fate)
            return;
        put_fate(why, to);
        why_say(why, "then");
        number = history_target(&why->history, number);
    }
}

/* --- what came back ----------------------------------------------------- */

static void say_fetch(struct why *why, const struct fate *fate)
{
    const struct store_fetch *last = &fate->last;
    struct buf *line = &why->line;

    if (!fate->fetches)
        return;
    if (is_retried(fate) || verdict_of(fate) != ACCEPT) {
        put_end(line, last);
        why_say(why, "last");
    }
    if (last->status) {
        buf_printf(line, "status %u", (unsigned)last->status);
        if (last->mime.len)
            buf_printf(line, ", %.*s", (int)last->mime.len, last->mime.ptr);
        if (last->page)
            buf_printf(line, ", %llu bytes", (unsigned long long)last->size);
        why_say(why, "answer");
    }
    ask_put_time(line, last->start_ms);
    buf_put(line, STR(", took "));
    ask_put_duration(line, last->end_ms > last->start_ms
                               ? last->end_ms - last->start_ms
                               : 0);
    if (fate->fetches > 1)
        buf_printf(line, "; %u tries", (unsigned)fate->fetches);
    why_say(why, "fetched");
}

/* --- all of it ---------------------------------------------------------- */

static int say_recorded(struct why *why)
{
    const struct fate *fate = &why->fate[0];
    enum verdict verdict = verdict_of(fate);
    int status = verdict == DOMAIN_CAP ? ask_load(why->ask) : 0;

    if (status)
        return status;
    if (!str_eq(why->asked.url.href, fate->row.url))
        usage_line(stdout, "%.*s is a duplicate: another spelling of %.*s",
                   (int)why->asked.url.href.len, why->asked.url.href.ptr,
                   (int)fate->row.url.len, fate->row.url.ptr);
    put_fate(why, fate);
    usage_line(stdout, "%s", buf_cstr(&why->line));
    buf_clear(&why->line);
    if (verdict != ACCEPT)
        why_say_rule(why, verdict, fate->depth,
                     fate->row.verdict != ACCEPT ? fate->row.line
                                                 : fate->refusal.line);
    say_found(why, fate);
    say_before(why, fate);
    say_fetch(why, fate);
    say_after(why, fate);
    return verdict == ACCEPT && !is_done(fate) ? why_say_queued(why) : 0;
}

static void want(struct why *why, uint64_t number)
{
    if (number && why->fates < FATES_MAX && !fate_of(why, number))
        why->fate[why->fates++].number = number;
}

/* All whose rows are needed for the answer. */
static void want_all(struct why *why, uint64_t number)
{
    const struct history *history = &why->history;
    uint64_t before = number, after = number;

    want(why, number);
    want(why, history_page(history, history_referrer(history, number)));
    for (int i = 0; i < HOPS_SHOWN; i++) {
        want(why, before = history_via(history, before));
        want(why, after = history_target(history, after));
    }
}

static bool gather(struct why *why, struct store_error *error)
{
    const struct scan_options *scan = &why->ask->plan.crawl.hand.scan;
    struct store *store = why->ask->store;
    const struct fate *fate = &why->fate[0];
    uint64_t number;

    if (!history_read(&why->history, store, scan, error))
        return false;
    why->judged = why->asked;
    number = history_find(&why->history, &why->asked);
    if (number) {
        want_all(why, number);
        if (!history_fates(&why->history, store, why->fate, why->fates, error))
            return false;
        if (pagescanner_link(&why->judged, &why->ask->arena, fate->row.url,
                             NULL, NULL, scan))
            why->judged = why->asked;
    }
    return evidence_read(
        &why->evidence, store, &why->judged.url, scan->robots_agent,
        fate->refused ? fate->refusal.line : fate->row.line, error);
}

static int answer(struct ask *ask, const char *text)
{
    struct why why = {.ask = ask};
    struct store_error error;
    enum err err = pagescanner_link(&why.asked, &ask->arena, str_of(text), NULL,
                                    NULL, &ask->plan.crawl.hand.scan);
    int status;

    if (err)
        return usage_error("'%s' cannot be crawled: %s",
                           login_hide(&ask->arena, text), err_message(err));
    buf_init(&why.line, LINE_MAX_LEN);
    if (!gather(&why, &error))
        status = ask_fail(ask, &error);
    else
        status = why.fates ? say_recorded(&why) : why_say_never_seen(&why);
    buf_release(&why.line);
    evidence_release(&why.evidence);
    history_release(&why.history);
    return status;
}

static int run(const struct options *options)
{
    struct ask ask;

    if (options->argument_count != 2)
        return usage_error("why needs two arguments, pageDirectory and URL, "
                           "not %zu",
                           options->argument_count);
    int status = ask_open(&ask, options->argument[0]);
    if (!status)
        status = answer(&ask, options->argument[1]);
    ask_close(&ask);
    return status;
}

int command_why(int argc, char *const argv[])
{
    return usage_run(COMMAND_WHY, argc, argv, run);
}
