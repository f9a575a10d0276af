#include "crawler/logr.h"

#include <stdio.h>

#include "base/date.h"
#include "base/json.h"
#include "crawler/record_codes.h"

enum {
    LINE_MAX_LEN = 128 * 1024, /* two URLs, every byte escaped */
    /* Deeper pages are not indented further: the depth is in front anyway. */
    INDENT_MAX = 100,
};

void logr_init(struct logr *log, int out, enum log_kind kind, bool verbose,
               const struct pagesaver *saver)
{
    *log = (struct logr){
        .kind = kind,
        .verbose = verbose,
        .saver = saver,
    };
    buf_init(&log->line, LINE_MAX_LEN);
    outlet_init(&log->out, out);
}

void logr_release(struct logr *log)
{
    buf_release(&log->line);
    outlet_release(&log->out);
}

static void make_room(struct logr *log)
{
    if (log->make_room)
        log->make_room(log->user);
}

void logr_print(struct logr *log, const char *format, va_list values)
{
    make_room(log);
    fputs("crawler: ", stderr);
    vfprintf(stderr, format, values);
    fputc('\n', stderr);
}

void logr_note(struct logr *log, const char *format, ...)
{
    va_list values;

    if (log->quiet)
        return;
    va_start(values, format);
    logr_print(log, format, values);
    va_end(values);
}

static void put(struct logr *log, const char *word, uint32_t depth,
                struct str url)
{
    int indent = depth < INDENT_MAX ? (int)depth : INDENT_MAX;

    buf_clear(&log->line);
    buf_printf(&log->line, "%2u %*s%9s: %.*s\n", (unsigned)depth, indent, "",
               word, (int)url.len, url.ptr);
    outlet_put(&log->out, buf_str(&log->line));
}

/* In `log->line`, up to the next use of it. */
static const char *explain(struct logr *log, const struct webpage *page)
{
    const struct outcome_details details = webpage_details(page);

    buf_clear(&log->line);
    outcome_put(&log->line, page->outcome, &details);
    return buf_cstr(&log->line);
}

/* Does the text of the outcome leave the status out? */
static bool outcome_hides_status(const struct webpage *page)
{
    return page->exchange.status && page->exchange.status / 100 != 4 &&
           page->exchange.status / 100 != 5 && page->outcome != HTTP_OTHER &&
           page->outcome != BAD_REDIRECT;
}

void logr_failure(struct logr *log, const struct webpage *page)
{
    char status[32] = "";

    if (!log->verbose || page->outcome == FETCHED ||
        page->outcome == REDIRECTED || page->outcome == CANONICAL)
        return;
    make_room(log);
    if (outcome_hides_status(page))
        snprintf(status, sizeof(status), " (status %d)", page->exchange.status);
    fprintf(stderr, "crawler: %s: %s%s\n", page->url.ptr, explain(log, page),
            status);
}

/* Is the page saved, but not archived, as it asks for? */
static bool is_left_out(const struct logr *log, const struct webpage *page)
{
    return log->archives && page->noarchive && page->outcome == FETCHED;
}

void logr_page(struct logr *log, const struct webpage *page, uint32_t id)
{
    logr_failure(log, page);
    if (log->kind != LOG_TSE)
        return;
    put(log, outcome_word(page->outcome), page->depth, page->url);
    if (is_left_out(log, page))
        put(log, outcome_word(NOARCHIVE), page->depth, page->url);
    if (log->verbose && id)
        put(log, "Saved", page->depth, page->url);
    if (page->outcome == FETCHED && page->want_links)
        put(log, "Scanning", page->depth, page->url);
}

void logr_retry(struct logr *log, const struct webpage *page, uint64_t wait_ms)
{
    if (!log->verbose)
        return;
    make_room(log);
    fprintf(stderr, "crawler: %s: %s; again in %.1f s\n", page->url.ptr,
            explain(log, page), (double)wait_ms / 1000);
}

void logr_link(struct logr *log, const struct webpage *page, struct str url,
               enum verdict verdict)
{
    if (log->kind != LOG_TSE)
        return;
    put(log, "Found", page->depth, url);
    put(log, verdict_word(verdict), page->depth, url);
}

static void put_verdicts(struct buf *line, const struct tally *tally)
{
    json_open(line, "links");
    for (int i = 0; i < VERDICTS; i++)
        if (tally->verdict[i])
            json_add_number(line, verdict_name((enum verdict)i),
                            tally->verdict[i]);
    json_close(line);
}

/* Pages of other machines are not at hand. */
static void put_referrer(struct logr *log, const struct target *target)
{
    struct arena arena;

    if (!target->referrer_id || target->referrer_machine) {
        json_add_null(&log->line, "referrer");
        return;
    }
    arena_init(&arena);
    json_add_str(&log->line, "referrer",
                 pagesaver_url_of(log->saver, target->referrer_id, &arena));
    arena_release(&arena);
}

/* Pages of a host that was given up have failed with the host's outcome. */
static bool has_failed(const struct target *target)
{
    return verdict_end((enum verdict)target->verdict) == URL_FAILED;
}

static const char *ending(const struct webpage *page,
                          const struct target *target)
{
    return target->verdict == ACCEPT || has_failed(target)
               ? outcome_name(page->outcome)
               : verdict_name((enum verdict)target->verdict);
}

static void put_json(struct logr *log, const struct webpage *page,
                     const struct target *target, uint32_t id,
                     const struct tally *tally, uint64_t wall_ms)
{
    struct buf *line = &log->line;

    buf_clear(line);
    json_open(line, NULL);
    json_add_str(line, "time", str_of(date_iso(wall_ms).text));
    json_add_str(line, "url", page->url);
    json_add_number(line, "depth", page->depth);
    json_add_str(line, "outcome", str_of(ending(page, target)));
    json_add_number_or_null(line, "id", id);
    json_add_number(line, "status", (uint64_t)page->exchange.status);
    json_add_str(line, "mime", str_of(page->exchange.mime));
    json_add_number(line, "bytes", page->exchange.body_len);
    json_add_number(line, "ms", exchange_ms(&page->exchange));
    put_referrer(log, target);
    if (is_left_out(log, page))
        json_add_bool(line, "noarchive", true);
    put_verdicts(line, tally);
    json_close(line);
    buf_put_char(line, '\n');
    outlet_put(&log->out, buf_str(line));
}

static void put_statistics(struct logr *log, const struct webpage *page,
                           const struct target *target, uint64_t wall_ms)
{
    buf_clear(&log->line);
    if (!log->header_written)
        buf_put(&log->line, STR("Timestamp\tPriority\tDepth\tSize\tURL\n"));
    log->header_written = true;
    buf_printf(&log->line, "%s\t%u.%02u\t%u\t%zu\t%s\n", date_iso(wall_ms).text,
               (unsigned)target->priority / 100,
               (unsigned)target->priority % 100, (unsigned)page->depth,
               page->exchange.body_len, page->url.ptr);
    outlet_put(&log->out, buf_str(&log->line));
}

void logr_page_end(struct logr *log, const struct webpage *page,
                   const struct target *target, uint32_t id,
                   const struct tally *tally, uint64_t wall_ms)
{
    if (log->kind == LOG_JSON)
        put_json(log, page, target, id, tally, wall_ms);
    else if (log->kind == LOG_PAGES && id)
        put_statistics(log, page, target, wall_ms);
}

void logr_refused(struct logr *log, const struct target *target,
                  uint64_t wall_ms)
{
    enum verdict verdict = (enum verdict)target->verdict;
    enum outcome cause = (enum outcome)target->last_outcome;

    if (log->verbose) {
        make_room(log);
        fprintf(stderr, "crawler: %s: %s%s%s", target->url,
                verdict_text(verdict), has_failed(target) ? ": " : "",
                has_failed(target) ? outcome_text(cause) : "");
        if (verdict == ROBOTS_REFUSED && target->robots_line)
            fprintf(stderr, " (line %u)", (unsigned)target->robots_line);
        fputc('\n', stderr);
    }
    if (target->kind == TARGET_REQUISITE)
        return; /* the log is about pages */
    if (log->kind == LOG_TSE)
        put(log,
            has_failed(target) ? outcome_word(cause) : verdict_word(verdict),
            target->depth, target_url(target));
    if (log->kind != LOG_JSON)
        return;
    const struct webpage page = {
        .url = target_url(target),
        .depth = target->depth,
        .outcome = cause,
    };
    put_json(log, &page, target, 0, &(struct tally){{0}}, wall_ms);
}

bool logr_flush(struct logr *log)
{
    if (log->out_needs_room && outlet_kept(&log->out))
        make_room(log);
    return outlet_flush(&log->out);
}
