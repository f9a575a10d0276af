#include "report/report.h"

#include <assert.h>
#include <stdio.h>

#include "base/hashtable.h"
#include "base/words.h"

bool report_load(struct report *report)
{
    return report->loaded || report->load(report);
}

void *report_entry(struct hashtable *table, struct arena *arena,
                   struct str name, uint64_t seed, size_t size)
{
    uint64_t key = hash64(name, seed);
    void *entry = hashtable_get(table, key);

    if (!entry) {
        entry = arena_new(arena, size);
        *(struct str *)entry = arena_copy(arena, name);
        hashtable_put(table, key, entry);
    }
    return entry;
}

struct report_page report_page(const struct report *report, uint32_t page)
{
    struct report_page name = {.number = page};

    for (size_t i = 0; i < report->machines; i++) {
        const struct report_machine *machine = &report->machine[i];
        if (page <= machine->pages_before ||
            page - machine->pages_before > machine->pages)
            continue;
        name.machine = machine->number;
        name.number = page - machine->pages_before;
    }
    if (name.machine)
        snprintf(name.text, sizeof(name.text), "%u.%u", (unsigned)name.machine,
                 (unsigned)name.number);
    else
        snprintf(name.text, sizeof(name.text), "%u", (unsigned)name.number);
    return name;
}

const char *report_state_text(enum crawl_state state)
{
    static const char *const texts[] = {
        [STATE_RUNNING] = "running",
        [STATE_FINISHED] = "finished",
        [STATE_NOTHING] = "finished without a single page",
        [STATE_INTERRUPTED] = "stopped by a signal or by order",
        [STATE_MAX_PAGES] = "stopped: --max-pages was reached",
        [STATE_MAX_TIME] = "stopped: --max-time was over",
        [STATE_FAILED] = "stopped: something could not be written",
        [STATE_MAX_BYTES] = "stopped: --max-bytes was reached",
    };

    static_assert(ARRAY_LEN(texts) == STATES, "every state has a text");
    return texts[state];
}

const char *report_state(const struct report *report)
{
    return report->facts->state == STATE_RUNNING && !report->locked
               ? "stopped: killed, or the machine went down"
               : report_state_text(report->facts->state);
}

void report_put_command(struct buf *line, enum crawl_state state,
                        const char *secret_options, const char *dir_path)
{
    buf_put(line, STR("crawler --resume"));
    /* These count the whole crawl: with the old limit it would stop at once. */
    if (state == STATE_MAX_PAGES)
        buf_put(line, STR(" --max-pages ..."));
    if (state == STATE_MAX_BYTES)
        buf_put(line, STR(" --max-bytes ..."));
    if (state == STATE_FINISHED || state == STATE_NOTHING)
        buf_put(line, STR(" --retry-failed"));
    buf_printf(line, "%s ", secret_options);
    words_put_path(line, str_of(dir_path));
}

struct str report_nowhere(const struct report *report, uint32_t depth)
{
    if (!depth)
        return report->machines ? STR("as a seed that was added, or in a "
                                      "sitemap")
                                : STR("in a sitemap");
    return report->has_lost_referrers
               ? STR("on a page that was not kept, or is lost")
               : STR("on a page that was not kept");
}

void report_put_resume(const struct report *report, struct buf *line)
{
    if (report->machines) {
        buf_put(line, STR("the same command on any machine"));
        return;
    }
    report_put_command(line, report->facts->state, report->secret_options,
                       report->dir_path);
}

bool report_can_go_on(const struct report *report)
{
    const struct facts *facts = report->facts;

    if (facts_is_over(facts))
        return facts->number[FACT_MAY_RECOVER] && !report->machines;
    return facts->state != STATE_RUNNING || !report->locked;
}
